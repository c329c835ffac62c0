import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { appRole } from '../../src/database/app-role.ts'
import { openPool } from '../../src/database/pool.ts'
import {
  inTransaction,
  maybeOne,
  platformOrg,
  prepared,
  type Tenant,
  tenantOf,
} from '../../src/store/tenant.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
/** One connection, so that whatever a statement leaves behind meets the next. */
let pool: pg.Pool
let roundTrips = 0
let connections = 0

beforeAll(async () => {
  database = await createTestDatabase()
  pool = openPool(database.connection, { role: appRole, maxConnections: 1 })
  pool.on('connect', (client) => {
    connections++
    // The server says that it is ready once for each time that it was waited for.
    const { connection } = client as unknown as { connection: NodeJS.EventEmitter }
    connection.on('readyForQuery', () => roundTrips++)
  })
  for (const [org, name] of ['One', 'Two'].entries()) {
    await database.pool.query(
      `INSERT INTO organizations (org_id, id, name, country, currency, timezone, locale, created_at, updated_at)
       OVERRIDING SYSTEM VALUE VALUES ($1, gen_random_uuid(), $2, 'US', 'USD', 'UTC', 'en', now(), now())`,
      [org + 1, name],
    )
  }
})
afterAll(async () => {
  await pool.end()
  await database.close()
})
beforeEach(async () => {
  await pool.query('SELECT 1')
  roundTrips = 0
  connections = 0
})

/** Whom the database takes us for, and what it shows us, by a statement without a condition of its own. */
const whoami = {
  name: 'whoami',
  text: 'SELECT current_org() AS org, array_agg(name ORDER BY name) AS seen FROM organizations',
}
const look = async ({ db }: Tenant) =>
  (await maybeOne<{ org: number; seen: string[] | null }>(db, whoami.text, []))!

const nobody = { org: null, seen: null }
const one = { org: 1, seen: ['One'] }
const two = { org: 2, seen: ['Two'] }
const platform = { org: 0, seen: ['One', 'Two'] }

/** What the next user of the connection finds who says nothing of an organization. */
const leftBehind = async () => (await pool.query(whoami.text)).rows[0]

/** Ends the connection that runs a statement with this word in it, as soon as there is one. */
async function endConnection(word: string): Promise<void> {
  const sql = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'active' AND query LIKE $1`
  while ((await database.pool.query(sql, [`%${word}%`])).rowCount === 0);
}

describe('single statements', () => {
  test('each is of its organization, in one round trip, and leaves nothing to the next', async () => {
    expect(await look(tenantOf(pool, 1))).toEqual(one)
    expect(roundTrips).toBe(1)
    expect(await leftBehind()).toEqual(nobody)
    expect(await look(tenantOf(pool, 2))).toEqual(two)
    expect(await look(tenantOf(pool, 1).as(2))).toEqual(two)
    expect(await look(tenantOf(pool, platformOrg))).toEqual(platform)
    expect(await look(tenantOf(pool, 1))).toEqual(one)
    expect([roundTrips, connections]).toEqual([6, 0])
  })

  test('many at once do not mix', async () => {
    const scopes = Array.from({ length: 60 }, (_, i) => tenantOf(pool, 1 + (i % 2)))
    const found = await Promise.all(scopes.map((tenant) => prepared(tenant.db, whoami, [])))
    expect(found).toEqual(scopes.map(({ orgId }) => [orgId === 1 ? one : two]))
  })

  test('with values, without rows, and with a name they answer as the driver does', async () => {
    const { db } = tenantOf(pool, 1)
    expect(await db.query('SELECT $1::int AS a, $2::text AS b', [7, 'x'])).toMatchObject({
      rows: [{ a: 7, b: 'x' }],
      rowCount: 1,
    })
    expect(await db.query('SELECT 1 WHERE false')).toMatchObject({ rows: [], rowCount: 0 })
    expect(await db.query('SELECT n FROM generate_series(1, 3) n')).toMatchObject({
      rows: [{ n: 1 }, { n: 2 }, { n: 3 }],
      rowCount: 3,
    })
    expect(await db.query('UPDATE organizations SET name = name')).toMatchObject({ rows: [], rowCount: 1 })
    const named = (value: number) =>
      db.query({ name: 'named', text: 'SELECT $1::int AS value', values: [value] })
    expect([(await named(1)).rows, (await named(2)).rows]).toEqual([[{ value: 1 }], [{ value: 2 }]])
  })

  test.each([
    { failure: 'of the statement', text: 'SELECT 1 / 0', code: '22012' },
    { failure: 'of its words', text: 'SELECT nonsense FROM nowhere', code: '42P01' },
    { failure: 'of a right', text: 'DELETE FROM ledger_entries', code: '42501' },
  ])('a failure $failure is told, and nothing is left of its organization', async ({ text, code }) => {
    await expect(
      tenantOf(pool, 1).db.query({ name: `fails-${code}`, text, values: [] }),
    ).rejects.toMatchObject({ code })
    expect(await leftBehind()).toEqual(nobody)
    expect(await look(tenantOf(pool, 2))).toEqual(two)
  })

  test('a lost connection is told, and replaced by one that knows no organization', async () => {
    const waiting = expect(tenantOf(pool, 1).db.query('SELECT pg_sleep(20)')).rejects.toMatchObject({
      code: '57P01',
    })
    await endConnection('pg_sleep')
    await waiting
    expect(await leftBehind()).toEqual(nobody)
    expect(await look(tenantOf(pool, 2))).toEqual(two)
    expect(connections).toBe(1)
  })

  test('a value that cannot be sent is an error of the caller alone', async () => {
    const circle: { self?: unknown } = {}
    circle.self = circle
    await expect(tenantOf(pool, 1).db.query('SELECT $1::json', [circle])).rejects.toThrow(/circular/)
    expect(await look(tenantOf(pool, 2))).toEqual(two)
  })

  test('what is no number never reaches the database', async () => {
    const org = '1; DROP TABLE customers' as unknown as number
    await expect(look(tenantOf(pool, org))).rejects.toThrow()
    await expect(inTransaction(pool, org, look)).rejects.toThrow(/not the number/)
    expect(await look(tenantOf(pool, 2))).toEqual(two)
  })
})

describe('transactions', () => {
  test('are of their organization from the first message to the last, without one more', async () => {
    expect(await inTransaction(pool, 1, look)).toEqual(one)
    expect(roundTrips).toBe(2)
    expect(await leftBehind()).toEqual(nobody)
  })

  test('begin with their first statement, whatever it is', async () => {
    const start = { name: '', text: 'SELECT current_org()', values: [] }
    expect(await inTransaction(pool, 1, ({ db }) => db.pipe([start]))).toEqual([[['1']]])
    expect(await inTransaction(pool, 2, ({ db }) => prepared(db, whoami, []))).toEqual([two])
    await inTransaction(pool, 1, ({ db }) => db.pipeAtCommit([start]))
    expect(roundTrips).toBe(6)
    expect(await leftBehind()).toEqual(nobody)
  })

  test('without a statement leave the connection as it was', async () => {
    await inTransaction(pool, 1, async () => {})
    await expect(
      inTransaction(pool, 1, async () => {
        throw new Error('before anything was sent')
      }),
    ).rejects.toThrow('before anything')
    expect(await leftBehind()).toEqual(nobody)
    expect(connections).toBe(0)
  })

  test('that fail with a prepared statement do not confuse the next one of that name', async () => {
    const broken = { name: 'first-of-all', text: 'SELECT nothing FROM nowhere' }
    await expect(inTransaction(pool, 1, ({ db }) => prepared(db, broken, []))).rejects.toThrow('nowhere')
    const works = { ...broken, text: whoami.text }
    expect(await inTransaction(pool, 1, ({ db }) => prepared(db, works, []))).toEqual([one])
    expect(await leftBehind()).toEqual(nobody)
  })

  test('may work for another organization in between, and come back', async () => {
    const found = await inTransaction(pool, platformOrg, async (tenant) => [
      await look(tenant),
      await look(tenant.as(2)),
      await look(tenant.as(1)),
      await look(tenant),
    ])
    expect(found).toEqual([platform, two, one, platform])
    expect(await leftBehind()).toEqual(nobody)
  })

  test('that fail, in their own organization or another, leave nothing', async () => {
    const fail = (tenant: Tenant) => tenant.db.query('SELECT 1 / 0')
    for (const org of [1, 2]) {
      await expect(inTransaction(pool, 1, (tenant) => fail(tenant.as(org)))).rejects.toMatchObject({
        code: '22012',
      })
      expect(await leftBehind()).toEqual(nobody)
    }
    expect(connections).toBe(0)
    expect(await inTransaction(pool, 2, look)).toEqual(two)
  })

  test('repeated after a lost connection are of the same organization', async () => {
    let attempts = 0
    const found = await inTransaction(pool, 1, async (tenant) => {
      if (++attempts === 1)
        await Promise.all([tenant.db.query('SELECT pg_sleep(20)'), endConnection('pg_sleep')])
      return look(tenant)
    })
    expect([found, attempts]).toEqual([one, 2])
  })
})
