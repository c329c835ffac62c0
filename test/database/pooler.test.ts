import { afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { appRole } from '../../src/database/app-role.ts'
import { canWrite } from '../../src/database/can-write.ts'
import { checkSession, connectQuery, SessionError } from '../../src/database/check-session.ts'
import { createClient, openPool } from '../../src/database/pool.ts'
import { makeCheckout, ownSecrets, urlOf } from '../support/checkout.ts'
import { isOnCluster } from '../support/cluster.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import {
  knowsPreparedStatements,
  type PgBouncerOptions,
  pgBouncerProgram,
  startPgBouncer,
} from '../support/pgbouncer.ts'
import { runCommand, runForJson } from '../support/run-command.ts'
import { startSmallPooler } from '../support/small-pooler.ts'

const session = { role: appRole, isDistributed: isOnCluster }
let database: TestDatabase
beforeEach(async () => {
  database = await createTestDatabase()
})
afterEach(() => database.close())

const refusalOf = (connection: Parameters<typeof checkSession>[0]) =>
  checkSession(connection, session).then(
    () => 'works',
    (error) => {
      if (error instanceof SessionError) return error.message
      throw error
    },
  )

describe.skipIf(isOnCluster)('a pooler', () => {
  async function open(options: Parameters<typeof startSmallPooler>[1]) {
    const pooler = await startSmallPooler(database.connection, options)
    onTestFinished(() => pooler.close())
    const env = {
      DATABASE_URL: urlOf(pooler.connection),
      DATA_DIR: '/nonexistent',
      PORT: '0',
      ...ownSecrets,
    }
    return { pooler, env }
  }

  test('that drops nothing and shares nothing is as good as none', async () => {
    const { pooler } = await open({})
    expect(await refusalOf(pooler.connection)).toBe('works')
    expect(await refusalOf(database.connection)).toBe('works')
  })

  test('that drops what the service asks for keeps it from starting, and the message has the remedy', async () => {
    const { env } = await open({ drops: true })
    const { code, stderr } = await runCommand(['serve'], env)
    expect(code).toBe(1)
    expect(stderr).toContain(
      `role is loyalty_wallet instead of ${appRole}, plan_cache_mode is auto instead of`,
    )
    for (const text of ['statement_timeout is 0 instead of 5000', 'lock_timeout is 0 instead of 3000'])
      expect(stderr).toContain(text)
    expect(stderr).toContain(
      `connect_query='SET role = ${appRole}; SET plan_cache_mode = force_generic_plan;`,
    )
    expect(await runForJson(['organization', 'create', 'Unguarded'], env)).toMatchObject({
      code: 1,
      error: { code: 'database_pooler' },
    })
    const { code: status, checks } = await runForJson(['doctor'], env)
    expect([status, checks.find(({ check }: { check: string }) => check === 'role')]).toMatchObject([
      1,
      { status: 'problem', advice: expect.stringContaining('ignore_startup_parameters = options') },
    ])
  })

  test('that drops it for the replica keeps the service from starting as well', async () => {
    const { env } = await open({ drops: true })
    const { stderr } = await runCommand(['serve'], {
      ...env,
      DATABASE_URL: urlOf(database.connection),
      READ_DATABASE_URL: env.DATABASE_URL,
    })
    expect(stderr).toMatch(/READ_DATABASE_URL: .* default_transaction_read_only is off instead of on/)
  })

  test('that mixes up prepared statements keeps it from starting', async () => {
    const { pooler, env } = await open({ shares: true })
    expect(await refusalOf(pooler.connection)).toMatch(
      /does not keep prepared statements apart \(prepared statement "start" already exists\).*max_prepared/,
    )
    expect((await runCommand(['serve'], env)).stderr).toMatch(/prepared statements apart.*PgBouncer 1\.21/)
  })

  test('that drops the role after the start makes the service unready', async () => {
    const { pooler } = await open({})
    const pool = openPool(pooler.connection, session)
    onTestFinished(() => pool.end())
    expect(await canWrite(pool, appRole)).toBe(true)
    pooler.drops = true
    const later = openPool(pooler.connection, session)
    onTestFinished(() => later.end())
    await expect(canWrite(later, appRole)).rejects.toThrow(`works as loyalty_wallet instead of ${appRole}`)
  })

  test('that gives connections the role does not migrate: that is done past it', async () => {
    const empty = await createTestDatabase({ empty: true })
    onTestFinished(() => empty.close())
    const name = (empty.connection as { database: string }).database
    await empty.pool.query(`ALTER DATABASE ${name} SET role = ${appRole}`)
    const pooler = await startSmallPooler(empty.connection, { drops: true })
    onTestFinished(() => pooler.close())
    const { stderr } = await runCommand(['migrate'], {
      DATABASE_URL: urlOf(pooler.connection),
      DATA_DIR: '/nonexistent',
    })
    expect(stderr).toMatch(`works as ${appRole} with a statement_timeout of 0`)
    expect(stderr).toMatch('with a DATABASE_URL that leads to the server itself')
  })
})

test('options in DATABASE_URL add to ours, and win', async () => {
  const url = `${urlOf(database.connection)}${urlOf(database.connection).includes('?') ? '&' : '?'}`
  const client = createClient(`${url}options=-c%20geqo%3Doff%20-c%20jit%3Don`, session)
  await client.connect()
  const { rows } = await client.query(
    `SELECT current_user AS role, current_setting('geqo') AS geqo, current_setting('jit') AS jit`,
  )
  await client.end()
  expect(rows).toEqual([{ role: appRole, geqo: 'off', jit: 'on' }])
  expect(await refusalOf(`${url}options=-c%20jit%3Don`)).toBe('works')
  expect(await refusalOf(`${url}statement_timeout=60000`)).toBe('works')
  expect(await refusalOf(`${url}options=-c%20role%3Dnone`)).toMatch(`instead of ${appRole}`)
})

/** With a real one: TEST_PGBOUNCER=/usr/sbin/pgbouncer npx vitest run test/database/pooler.test.ts */
describe.runIf(pgBouncerProgram)('PgBouncer', () => {
  let isNew: boolean
  beforeAll(() => {
    isNew = knowsPreparedStatements()
  })

  async function open(options: PgBouncerOptions) {
    const pgBouncer = await startPgBouncer(database.connection, options)
    onTestFinished(() => pgBouncer.stop())
    return { pgBouncer, connection: pgBouncer.through(database.connection) }
  }
  const query = connectQuery(session)
  const pools: Record<string, string>[] = [{}, { server_round_robin: '1' }, { default_pool_size: '1' }]

  test('as it comes refuses the service, whose message has the remedy', async () => {
    const { connection } = await open({ settings: { ignore_startup_parameters: '' } })
    const { stderr } = await runCommand(['serve'], {
      DATABASE_URL: urlOf(connection),
      PORT: '0',
      ...ownSecrets,
    })
    expect(stderr).toMatch(
      /refuses what the service asks for \(unsupported startup parameter.*connect_query=/,
    )
  })

  test('that ignores the parameters is refused without the connect_query', async () => {
    const { connection } = await open({})
    expect(await refusalOf(connection)).toMatch(`instead of ${appRole}`)
  })

  test.each(pools)(
    'with the connect_query works from 1.21 on, and is refused before: %o',
    async (settings) => {
      const { connection } = await open({ connectQuery: query, settings })
      const outcome = await refusalOf(connection)
      if (isNew) expect(outcome).toBe('works')
      else expect(outcome).toMatch('does not keep prepared statements apart')
    },
  )

  test.each(pools)('without prepared statements is refused: %o', async (settings) => {
    const off: Record<string, string> = isNew ? { max_prepared_statements: '0' } : {}
    const { connection } = await open({ connectQuery: query, settings: { ...off, ...settings } })
    expect(await refusalOf(connection)).toMatch('does not keep prepared statements apart')
  })

  test('in session mode works if it only forgets statements, and is refused if it forgets the role', async () => {
    const mode = { pool_mode: 'session', server_reset_query_always: '0' }
    const deallocating = { ...mode, server_reset_query: 'DEALLOCATE ALL' }
    const { connection } = await open({ connectQuery: query, settings: deallocating })
    expect(await refusalOf(connection)).toBe('works')
    const discarding = await open({ connectQuery: query, settings: mode })
    expect(await refusalOf(discarding.connection)).toMatch(`role is`)
    const keeping = await open({ connectQuery: query, settings: { ...mode, server_reset_query: '' } })
    if (!isNew) expect(await refusalOf(keeping.connection)).toMatch('prepared statements apart')
  })

  test('serves requests, and is ready again after the server has ended all its connections', async () => {
    if (!isNew) return
    const { connection } = await open({ connectQuery: query })
    const checkout = await makeCheckout()
    onTestFinished(() => checkout.remove())
    // Two hosts, of which one is away.
    const url = urlOf(connection).replace('@', '@127.0.0.1:1,')
    const env = { DATABASE_URL: url, DATA_DIR: await checkout.newDataDir(), ...ownSecrets }
    const service = await checkout.start(env)
    const ready = async () => (await fetch(`${service.baseUrl}/readyz`)).status
    expect(await ready()).toBe(200)
    await database.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    )
    await expect.poll(ready, { timeout: 20_000 }).toBe(200)
    expect(await runForJson(['organization', 'create', 'Behind it'], env)).toMatchObject({ code: 0 })
    await service.end('SIGTERM')
  })
})
