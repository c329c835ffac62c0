import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { appRole } from '../../src/database/app-role.ts'
import type { Step } from '../../src/database/pipeline.ts'
import { openPool } from '../../src/database/pool.ts'
import type { WireValue } from '../../src/database/wire-message.ts'
import { inTransaction, type Tenant, tenantOf } from '../../src/store/tenant.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
/** One connection, so that whatever a pipe leaves behind meets the next. */
let pool: pg.Pool
let connections = 0
let roundTrips = 0
let parses = 0

beforeAll(async () => {
  database = await createTestDatabase()
  await database.pool.query(`CREATE TABLE notes (n int PRIMARY KEY); GRANT ALL ON notes TO ${appRole}`)
  pool = openPool(database.connection, { role: appRole, maxConnections: 1 })
  pool.on('connect', (client) => {
    connections++
    // The server says that it is ready once for each time that it was waited for.
    const { connection } = client as unknown as { connection: NodeJS.EventEmitter }
    connection.on('readyForQuery', () => roundTrips++)
    connection.on('parseComplete', () => parses++)
  })
})
afterAll(async () => {
  await pool.end()
  await database.close()
})
beforeEach(async () => {
  await database.pool.query('TRUNCATE notes')
  await pool.query('SELECT 1')
  connections = 0
  roundTrips = 0
})

let names = 0
/** A statement that no connection has seen. */
function statement(text: string): (...values: WireValue[]) => Step {
  const name = `pipe-test-${names++}`
  return (...values) => ({ name, text, values })
}
const noting = () => statement('INSERT INTO notes VALUES ($1) RETURNING n')
const whoami = statement('SELECT current_org()')
const sleeping = statement('SELECT pg_sleep(20)')

const notes = async () => (await database.pool.query('SELECT n FROM notes ORDER BY n')).rows.map(({ n }) => n)

describe('a pipe', () => {
  test('parses a statement once, however often it is in a message', async () => {
    await tenantOf(pool, 7).db.pipe([whoami()])
    parses = 0
    const note = noting()
    await tenantOf(pool, 7).db.pipe([note('1'), note('2')])
    await tenantOf(pool, 7).db.pipe([note('3')])
    expect(await notes()).toEqual([1, 2, 3])
    // The organization is set by a statement without a name, which is parsed in each message.
    expect(parses).toBe(1 + 2)
  })

  test('gives the rows of each step in order, in one round trip, for its organization', async () => {
    const note = noting()
    const rows = await tenantOf(pool, 7).db.pipe([
      statement('SELECT n FROM generate_series(1, 3) n')(),
      note('1'),
      statement('DELETE FROM notes WHERE n = $1')('9'),
      statement('SELECT $1::text, $2::text, $3::bytea')('x', null, Buffer.from([0, 255])),
      note('2'),
      whoami(),
    ])
    expect(rows).toEqual([
      [['1'], ['2'], ['3']],
      [['1']],
      [],
      [['x', null, String.raw`\x00ff`]],
      [['2']],
      [['7']],
    ])
    expect(roundTrips).toBe(1)
    expect(await notes()).toEqual([1, 2])
  })

  test('leaves nothing of its organization to the next user of the connection', async () => {
    await tenantOf(pool, 7).db.pipe([whoami()])
    expect((await pool.query('SELECT current_org() AS org')).rows).toEqual([{ org: null }])
    expect(connections).toBe(0)
  })

  test('does not mix with others that run at the same time, of other organizations', async () => {
    const orgs = Array.from({ length: 60 }, (_, i) => 1 + (i % 7))
    const several = openPool(database.connection, { role: appRole, maxConnections: 3 })
    const echo = statement('SELECT $1::int')
    const found = await Promise.all(
      orgs.map((org, i) => tenantOf(several, org).db.pipe([echo(`${i}`), whoami()])),
    )
    expect(found).toEqual(orgs.map((org, i) => [[[`${i}`]], [[`${org}`]]]))
    await several.end()
  })
})

describe('a pipe in which a step fails', () => {
  const failures = [
    { failure: 'breaks a constraint', step: () => noting()('1'), code: '23505' },
    { failure: 'fails as it runs', step: () => statement('SELECT 1 / 0')(), code: '22012' },
    { failure: 'has a value that cannot be read', step: () => noting()('x'), code: '22P02' },
    {
      failure: 'cannot be parsed',
      step: () => statement('SELECT nonsense FROM nowhere')(),
      code: '42P01',
    },
    {
      failure: 'is not allowed',
      step: () => statement('DELETE FROM ledger_entries')(),
      code: '42501',
    },
  ]

  test.each(failures)('because it $failure writes nothing of any step', async ({ step, code }) => {
    const [earlier, later] = [noting(), noting()]
    await expect(tenantOf(pool, 7).db.pipe([earlier('1'), step(), later('2')])).rejects.toMatchObject({
      code,
    })
    expect(await notes()).toEqual([])
  })

  test.each(failures)(
    'because it $failure leaves the connection and every statement usable',
    async ({ step }) => {
      const { db } = tenantOf(pool, 7)
      const [known, earlier, later] = [noting(), noting(), noting()]
      await db.pipe([known('10')])
      await expect(db.pipe([known('11'), earlier('1'), step(), later('2')])).rejects.toThrow()
      expect(await db.pipe([later('3'), earlier('4'), known('5'), whoami()])).toEqual([
        [['3']],
        [['4']],
        [['5']],
        [['7']],
      ])
      expect(await db.pipe([earlier('6'), later('7')])).toEqual([[['6']], [['7']]])
      expect(await notes()).toEqual([3, 4, 5, 6, 7, 10])
      expect((await pool.query('SELECT current_org() AS org')).rows).toEqual([{ org: null }])
      expect(connections).toBe(0)
    },
  )

  test('fails for its value alone: the same statement works with another', async () => {
    const { db } = tenantOf(pool, 7)
    const note = noting()
    await expect(db.pipe([note('x')])).rejects.toMatchObject({ code: '22P02' })
    await db.pipe([note('1')])
    await expect(db.pipe([note('2'), note('1')])).rejects.toMatchObject({ code: '23505' })
    expect(await db.pipe([note('2')])).toEqual([[['2']]])
    expect([await notes(), connections]).toEqual([[1, 2], 0])
  })
})

describe('inside a transaction', () => {
  test('the steps see what came before them, and are kept with it', async () => {
    const seen = statement('SELECT n FROM notes ORDER BY n')
    const rows = await inTransaction(pool, 7, async ({ db }) => {
      await db.query('INSERT INTO notes VALUES (1)')
      const piped = await db.pipe([noting()('2'), seen()])
      expect(await notes()).toEqual([])
      return [piped, (await db.query('SELECT n FROM notes ORDER BY n')).rows]
    })
    expect(rows).toEqual([
      [[['2']], [['1'], ['2']]],
      [{ n: 1 }, { n: 2 }],
    ])
    expect(await notes()).toEqual([1, 2])
  })

  test('the steps are undone with it', async () => {
    const work = async ({ db }: Tenant) => {
      await db.pipe([noting()('1')])
      throw new Error('changed our mind')
    }
    await expect(inTransaction(pool, 7, work)).rejects.toThrow('changed our mind')
    expect(await notes()).toEqual([])
  })

  test('a step that fails undoes all of it, also what was done before, and the connection goes on', async () => {
    const note = noting()
    const work = async ({ db }: Tenant) => {
      await db.query('INSERT INTO notes VALUES (1)')
      await db.pipe([note('2'), note('1')])
    }
    await expect(inTransaction(pool, 7, work)).rejects.toMatchObject({ code: '23505' })
    expect(await notes()).toEqual([])
    expect(await tenantOf(pool, 7).db.pipe([note('3')])).toEqual([[['3']]])
    expect(connections).toBe(0)
  })

  test('the steps work for the organization that the scope names', async () => {
    const found = await inTransaction(pool, 7, async (tenant) => [
      await tenant.db.pipe([whoami()]),
      await tenant.as(8).db.pipe([whoami()]),
      await tenant.db.pipe([whoami()]),
    ])
    expect(found).toEqual([[[['7']]], [[['8']]], [[['7']]]])
  })
})

describe('a connection that is lost', () => {
  /** Ends the connection that sleeps, as soon as there is one. */
  async function endConnection(): Promise<void> {
    const sql = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND state = 'active' AND wait_event = 'PgSleep'`
    while ((await database.pool.query(sql)).rowCount === 0);
  }

  test('under a pipe is told, nothing of it is kept, and who waited for the connection gets a new one', async () => {
    const { db } = tenantOf(pool, 7)
    const note = noting()
    await db.pipe([note('1')])
    const lost = expect(db.pipe([note('2'), sleeping(), note('3')])).rejects.toThrow(/terminat/)
    const waiting = expect(db.pipe([note('4'), whoami()])).resolves.toEqual([[['4']], [['7']]])
    await Promise.all([lost, waiting, endConnection()])
    expect([await notes(), connections]).toEqual([[1, 4], 1])
  })

  test('under a pipe of a transaction lets it run again, once as a whole', async () => {
    const note = noting()
    let attempts = 0
    await inTransaction(pool, 7, async ({ db }) => {
      await db.pipe([note('1')])
      if (++attempts === 1) await Promise.all([db.pipe([sleeping()]), endConnection()])
    })
    expect([await notes(), attempts]).toEqual([[1], 2])
  })
})
