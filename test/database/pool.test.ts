import { rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { classifyError, isConnectionError } from '../../src/database/classify-error.ts'
import { openPool } from '../../src/database/pool.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { makeServerFolder, quickSettings, startOwnServer } from '../support/own-server.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => {
      throw new Error('it did not fail')
    },
    (error) => error,
  )

describe('values', () => {
  test('bigint is a number, also in arrays; numeric and date stay text; timestamps are dates', async () => {
    const { rows } = await database.pool.query(
      `SELECT 9007199254740991::bigint AS big, ARRAY[1, NULL]::bigint[] AS bigs, 0.10::numeric AS exact,
              '2024-02-29'::date AS day, '2024-02-29T12:00:00Z'::timestamptz AS moment`,
    )
    expect(rows).toEqual([
      {
        big: Number.MAX_SAFE_INTEGER,
        bigs: [1, null],
        exact: '0.10',
        day: '2024-02-29',
        moment: new Date('2024-02-29T12:00:00Z'),
      },
    ])
  })

  test('a bigint that is no safe integer fails the query instead of being rounded', async () => {
    await expect(database.pool.query('SELECT 9007199254740993::bigint AS big')).rejects.toThrow(
      'does not fit',
    )
    expect((await database.pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  })
})

describe('limits', () => {
  test('the session carries our name and timeouts', async () => {
    const pool = openPool(database.connection, { applicationName: 'till', statementTimeoutMs: 1_234 })
    const { rows } = await pool.query(
      `SELECT current_setting('application_name') AS name, current_setting('statement_timeout') AS statement,
              current_setting('idle_in_transaction_session_timeout') AS idle`,
    )
    expect(rows).toEqual([{ name: 'till', statement: '1234ms', idle: '15s' }])
    await pool.end()
  })

  test('a statement that takes too long is unavailable, not a fault', async () => {
    const pool = openPool(database.connection, { statementTimeoutMs: 50 })
    expect(classifyError(await failureOf(pool.query('SELECT pg_sleep(5)')))).toBe('unavailable')
    await pool.end()
  })

  test('a server that does not answer ends in time, and its connection is not used again', async () => {
    const pool = openPool(database.connection, { queryTimeoutMs: 50, maxConnections: 1 })
    let connections = 0
    pool.on('connect', () => connections++)
    // Nothing but the sleep is asked within these 50 ms: a busy computer may need more for the shortest answer.
    const failure = await failureOf(pool.query('SELECT pg_sleep(60)'))
    expect([classifyError(failure), isConnectionError(failure)]).toEqual(['unavailable', true])
    expect(connections).toBe(1)
    const next = await pool.connect()
    expect(connections).toBe(2)
    next.release()
    await pool.end()
  })

  test('an exhausted pool is unavailable', async () => {
    const pool = openPool(database.connection, { maxConnections: 1, connectionTimeoutMs: 60_000 })
    const held = await pool.connect()
    // The first one may take as long as it needs.
    pool.options.connectionTimeoutMillis = 50
    expect(classifyError(await failureOf(pool.query('SELECT 1')))).toBe('unavailable')
    held.release()
    await pool.end()
  })

  test('a server that accepts and then says nothing is unavailable', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await new Promise((done) => silent.once('listening', done))
    const { port } = silent.address() as { port: number }
    const pool = openPool(`postgres://u:p@127.0.0.1:${port}/d`, { connectionTimeoutMs: 100 })
    expect(classifyError(await failureOf(pool.query('SELECT 1')))).toBe('unavailable')
    await pool.end()
    silent.close()
  })
})

describe('what an error means', () => {
  test.each([
    { error: 'nobody listens', connection: 'postgres://u:p@127.0.0.1:1/d' },
    { error: 'nobody listens on any address of the name', connection: 'postgres://u:p@localhost:1/d' },
    { error: 'an unknown host', connection: 'postgres://u:p@host.invalid/d' },
    { error: 'no socket', connection: { host: '/nonexistent', port: 5432, user: 'u', database: 'd' } },
  ])('$error is a lost connection', async ({ connection }) => {
    const pool = openPool(connection)
    const failure = await failureOf(pool.query('SELECT 1'))
    expect([classifyError(failure), isConnectionError(failure)]).toEqual(['unavailable', true])
    await pool.end()
    expect(classifyError(await failureOf(pool.query('SELECT 1')))).toBe('unavailable')
  })

  test('a deadlock is for running again', async () => {
    await database.pool.query('CREATE TABLE two (id int PRIMARY KEY); INSERT INTO two VALUES (1), (2)')
    const [a, b] = [await database.pool.connect(), await database.pool.connect()]
    const lock = (id: number) => `SELECT FROM two WHERE id = ${id} FOR UPDATE`
    await a.query(`BEGIN; ${lock(1)}`)
    await b.query(`BEGIN; ${lock(2)}`)
    const outcomes = await Promise.allSettled([a.query(lock(2)), b.query(lock(1))])
    const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    expect(failures.map(classifyError)).toEqual(['retry'])
    await Promise.all([a.query('ROLLBACK'), b.query('ROLLBACK')])
    a.release()
    b.release()
  })

  test.each([
    ['40001', 'retry'],
    ['40P01', 'retry'],
    ['57P01', 'unavailable'],
    ['57P02', 'unavailable'],
    ['57P03', 'unavailable'],
    ['08006', 'unavailable'],
    ['53100', 'unavailable'],
    ['53300', 'unavailable'],
    ['25006', 'unavailable'],
    ['55P03', 'unavailable'],
    ['57014', 'unavailable'],
    ['23505', 'other'],
    ['42601', 'other'],
    ['XX000', 'other'],
    ['EPIPE', 'unavailable'],
    ['ENOENT', 'other'],
  ])('%s is %s', (code, kind) => {
    expect(classifyError(Object.assign(new Error('failed'), { code }))).toBe(kind)
  })

  test.each([
    'postmaster was shut down, exiting',
    'failure on connection marked as essential: 10.0.0.2:5432',
    "failed to prepare transaction 'citus_1_2_3' on host 10.0.0.2:5432",
    'could not commit transaction for shard 102008 on at least one active node',
    '',
    'server closed the connection unexpectedly\n\tThis probably means the server terminated abnormally',
    'SSL SYSCALL error: EOF detected',
    'could not receive data from server: Connection reset by peer',
  ])('on a cluster, "%s" is a lost server', (message) => {
    const error = Object.assign(new Error(message), { code: 'XX000' })
    expect([classifyError(error), isConnectionError(error)]).toEqual(['unavailable', true])
  })

  test.each([undefined, null, 'text', 7, new Error('our own bug')])('%s is other', (error) => {
    expect([classifyError(error), isConnectionError(error)]).toEqual(['other', false])
  })
})

describe('a server that goes away', () => {
  test('connections ended by the administrator, idle or in use, cost one error and not the process', async () => {
    const pool = openPool(database.connection, { maxConnections: 3 })
    const inUse = await pool.connect()
    await Promise.all([pool.query('SELECT 1'), pool.query('SELECT 1')])
    await database.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    )
    const failure = await failureOf(inUse.query('SELECT 1'))
    expect([classifyError(failure), isConnectionError(failure)]).toEqual(['unavailable', true])
    inUse.release(failure)
    // The idle ones hear of their end a moment later.
    while (pool.totalCount > 0) await sleep(5)
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
    await pool.end()
  })

  test('a named statement works again on the connection that replaces a lost one', async () => {
    const pool = openPool(database.connection, { maxConnections: 1 })
    const statement = { name: 'one', text: 'SELECT $1::int AS one', values: [1] }
    await pool.query(statement)
    await failureOf(pool.query('SELECT pg_terminate_backend(pg_backend_pid())'))
    expect((await pool.query(statement)).rows).toEqual([{ one: 1 }])
    await pool.end()
  })

  test('a crash while idle leaves the process alive, and queries work after the restart', async () => {
    const temporary = await makeServerFolder()
    const server = await startOwnServer(join(temporary, 'postgres'), quickSettings)
    const pool = openPool(server.connection)
    await pool.query('SELECT 1')
    process.kill(server.pid()!, 'SIGQUIT')
    const kinds = new Set<string>()
    let answers = 0
    for (; answers < 10; await sleep(10)) {
      const outcome = await pool.query('SELECT 1').catch((error) => error)
      if (outcome instanceof Error) kinds.add(classifyError(outcome))
      else answers++
    }
    expect([...kinds].filter((kind) => kind !== 'unavailable')).toEqual([])
    await pool.end()
    await server.stop()
    await rm(temporary, { recursive: true })
  })
})
