import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrate } from '../../src/database/migrate.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let folder: string

beforeAll(async () => {
  database = await createTestDatabase({ empty: true })
  folder = await mkdtemp(join(tmpdir(), 'lw-due-work-'))
  const files = (await readdir('migrations')).sort()
  for (const file of files.filter((name) => name < '0018')) await cp(`migrations/${file}`, join(folder, file))
  await migrate(database.connection, { folder })
  await database.pool.query(
    `INSERT INTO organizations (id, name, country, currency, timezone, locale, created_at, updated_at)
     SELECT gen_random_uuid(), 'Before', 'US', 'USD', 'UTC', 'en', now(), now() FROM generate_series(1, 100)`,
  )
  await migrate(database.connection)
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await database.close()
})

test('after the upgrade, all work of every organization is due once, one after the other, and again a day later', async () => {
  const { rows } = await database.pool.query(
    `SELECT kind, count(*)::int, count(DISTINCT due_at)::int AS times, bool_and(armed_for = due_at + interval '1 day') AS again,
       max(due_at) - min(due_at) < interval '10 seconds' AS soon
     FROM due_work WHERE org_id > 0 GROUP BY kind ORDER BY kind`,
  )
  const all = { count: 100, times: 100, again: true, soon: true }
  const kinds = ['expiry', 'inactivity', 'names', 'replies', 'requests']
  // Due again every day, so nothing has to ask for it.
  const events = { kind: 'events', ...all, again: null }
  expect(rows).toEqual([events, ...kinds.map((kind) => ({ kind, ...all }))])
  const platform = await database.pool.query(
    'SELECT kind, due_at <= now() AS due FROM due_work WHERE org_id = 0 ORDER BY kind',
  )
  expect(platform.rows).toEqual(['guesses', 'replies'].map((kind) => ({ kind, due: true })))
})
