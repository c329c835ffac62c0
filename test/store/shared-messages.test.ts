import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { appRole } from '../../src/database/app-role.ts'
import { isConnectionError } from '../../src/database/classify-error.ts'
import type { Step } from '../../src/database/pipeline.ts'
import { openPool } from '../../src/database/pool.ts'
import type { WireValue } from '../../src/database/wire-message.ts'
import { inTransaction, tenantOf } from '../../src/store/tenant.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { times } from '../support/shop.ts'

let database: TestDatabase
let pool: pg.Pool
let roundTrips = 0

beforeAll(async () => {
  database = await createTestDatabase()
  // The tenant's rows only, as in every table of the service.
  await database.pool.query(`
    CREATE TABLE notes (org_id int, n int, at text DEFAULT txid_current()::text, PRIMARY KEY (org_id, n));
    ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
    ALTER TABLE notes FORCE ROW LEVEL SECURITY;
    CREATE POLICY tenant ON notes USING (org_id = current_org());
    CREATE TABLE checked (
      org_id int, n int, FOREIGN KEY (org_id, n) REFERENCES notes DEFERRABLE INITIALLY DEFERRED);
    GRANT ALL ON notes, checked TO ${appRole}`)
})
afterAll(() => database.close())
beforeEach(async () => {
  await database.pool.query('TRUNCATE notes, checked')
  // A pool of its own: what has failed together is remembered for a while.
  pool = openPool(database.connection, { role: appRole })
  pool.on('connect', (client) => {
    const { connection } = client as unknown as { connection: NodeJS.EventEmitter }
    connection.on('readyForQuery', () => roundTrips++)
  })
  await pool.query('SELECT 1')
  roundTrips = 0
  return () => pool.end()
})

let names = 0
function statement(text: string): (...values: WireValue[]) => Step {
  const name = `shared-test-${names++}`
  return (...values) => ({ name, text, values })
}
/** Answers with the number of the transaction. */
const note = statement('INSERT INTO notes (org_id, n) VALUES ($1::int, $2::int) RETURNING at')
const whoami = statement('SELECT current_org()')
const all = statement('SELECT org_id, n FROM notes ORDER BY n')
const failing = statement('SELECT 1 / 0')

const read = (org: number, ...steps: Step[]) => tenantOf(pool, org).db.read(steps)
const write = (org: number, ...steps: Step[]) => tenantOf(pool, org).db.write(steps)
const noting = async (org: number, n = 1) => (await write(org, note(String(org), String(n))))[0]![0]![0]
const terminateSleeping = async () => {
  const { rowCount } = await database.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event = 'PgSleep'`,
  )
  return rowCount
}
const noted = async () => (await database.pool.query('SELECT org_id FROM notes ORDER BY 1')).rows

describe('organizations that ask at the same moment', () => {
  test('share a message, in which each sees its own rows only', async () => {
    await Promise.all([noting(1), noting(2), noting(3)])
    roundTrips = 0
    const rows = await Promise.all([1, 2, 3].map((org) => read(org, all(), whoami())))
    expect(rows).toEqual([1, 2, 3].map((org) => [[[String(org), '1']], [[String(org)]]]))
    expect(roundTrips).toBe(1)
  })

  test('leave nothing of themselves on the connection', async () => {
    await Promise.all([1, 2].map((org) => read(org, whoami())))
    expect((await pool.query('SELECT current_org() AS org')).rows).toEqual([{ org: null }])
    await Promise.all([1, 2].map((org) => write(org, whoami())))
    expect((await pool.query('SHOW lock_timeout')).rows).toEqual([{ lock_timeout: '0' }])
  })

  test('get their rows although another one fails, which gets its own error', async () => {
    const outcomes = await Promise.allSettled([read(1, whoami()), read(2, failing()), read(3, whoami())])
    expect(outcomes).toEqual([
      { status: 'fulfilled', value: [[['1']]] },
      { status: 'rejected', reason: expect.objectContaining({ code: '22012' }) },
      { status: 'fulfilled', value: [[['3']]] },
    ])
  })

  test('do not share one if they are in a transaction of their own', async () => {
    const [one, two] = await Promise.all(
      [1, 2].map((org) =>
        inTransaction(pool, org, async ({ db }) => (await db.write([note(String(org), '1')]))[0]![0]![0]),
      ),
    )
    expect(one).not.toBe(two)
  })
})

describe('organizations that write at the same moment', () => {
  test('share a transaction, and cannot write for each other', async () => {
    const [one, two, three] = await Promise.all([noting(1), noting(2), noting(3)])
    expect([two, three]).toEqual([one, one])
    const foreign = statement("UPDATE notes SET at = 'mine' RETURNING org_id")
    expect(await Promise.all([write(2, foreign()), write(3, whoami())])).toEqual([[[['2']]], [[['3']]]])
    await expect(Promise.all([write(1, note('2', '5')), noting(3, 5)])).rejects.toThrow('row-level security')
  })

  test('share one without those that fail', async () => {
    const [one, two, three, four, five] = await Promise.allSettled([
      noting(1),
      write(2, note('2', '1'), failing()),
      noting(3),
      write(4, failing()),
      noting(5),
    ])
    expect([two.status, four.status]).toEqual(['rejected', 'rejected'])
    expect([one.status, three, five]).toEqual(['fulfilled', one, one])
    expect(await noted()).toEqual([{ org_id: 1 }, { org_id: 3 }, { org_id: 5 }])
  })

  test('each have a transaction of their own if what they share cannot be committed', async () => {
    const deferred = statement(`INSERT INTO checked VALUES ($1::int, $2::int)`)
    const outcomes = await Promise.allSettled([
      noting(1),
      write(2, note('2', '1'), deferred('2', '404')),
      noting(3),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await noted()).toEqual([{ org_id: 1 }, { org_id: 3 }])
  })

  test('leave the one that has failed to itself for a while', async () => {
    await Promise.allSettled([write(1, failing()), noting(2)])
    const [one, two, three] = await Promise.all([noting(1, 2), noting(2, 2), noting(3, 2)])
    expect(three).toBe(two)
    expect(one).not.toBe(two)
  })

  test('do not wait for the locks that others of them wait for', async () => {
    await Promise.all(times(8, (i) => noting(i + 1)))
    const holder = await database.pool.connect()
    await holder.query('BEGIN')
    await holder.query('UPDATE notes SET n = n WHERE org_id < 7')
    const change = statement("UPDATE notes SET n = n + 1 RETURNING n, current_setting('lock_timeout')")
    const outcomes = await Promise.allSettled(times(8, (i) => write(i + 1, change())))
    await holder.query('ROLLBACK')
    holder.release()
    for (const outcome of outcomes.slice(0, 6))
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: '55P03' } })
    // A tenth of a second for the first that waited, and a hundredth for each after it.
    for (const outcome of outcomes.slice(6))
      expect(outcome).toEqual({ status: 'fulfilled', value: [[['2', '10ms']]] })
    expect(await write(1, change())).toEqual([[['2', '100ms']]])
  })

  test('of one organization twice, have transactions of their own', async () => {
    const [first, second] = await Promise.all([noting(1, 1), noting(1, 2)])
    expect(first).not.toBe(second)
  })

  test('are not repeated if the connection is lost: nobody knows whether they were committed', async () => {
    const sleeping = statement('SELECT pg_sleep(20)')
    const writes = Promise.allSettled([noting(1), write(2, sleeping()), noting(3)])
    await expect.poll(terminateSleeping).toBe(1)
    const outcomes = await writes
    for (const outcome of outcomes)
      expect(outcome.status === 'rejected' && isConnectionError(outcome.reason)).toBe(true)
    expect(await noted()).toEqual([])
    expect(await noting(1)).toBeDefined()
  })
})
