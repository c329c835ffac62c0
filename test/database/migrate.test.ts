import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { appRole } from '../../src/database/app-role.ts'
import { migrate } from '../../src/database/migrate.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let folder: string

beforeEach(async () => {
  database = await createTestDatabase({ empty: true })
  folder = await mkdtemp(join(tmpdir(), 'lw-migrate-'))
})
afterEach(async () => {
  await database.close()
  await rm(folder, { recursive: true })
})

const write = (file: string, sql: string) => writeFile(join(folder, file), sql)
const run = () => migrate(database.connection, { folder })
const applied = async () =>
  (await database.pool.query('SELECT file FROM schema_migrations ORDER BY version')).rows.map(
    (row) => row.file,
  )
const tables = async () =>
  (
    await database.pool.query(`SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`)
  ).rows.map((row) => row.tablename)

const session = { role: appRole, isDistributed: false }

test('files are applied in the order of their numbers, once, and only what is new later', async () => {
  await write('0002-add-column.sql', 'ALTER TABLE a ADD COLUMN b int;')
  await write('0001-create.sql', 'CREATE TABLE a (); CREATE TABLE c ();')
  await write('notes.txt', 'not a migration')
  expect(await run()).toEqual({
    applied: ['0001-create.sql', '0002-add-column.sql'],
    version: 2,
    session,
  })
  expect(await run()).toEqual({ applied: [], version: 2, session })
  await write('0003-drop.sql', 'DROP TABLE c;')
  expect(await run()).toEqual({ applied: ['0003-drop.sql'], version: 3, session })
  expect(await tables()).toEqual(['a', 'schema_migrations'])
})

test('no migrations at all leave the database untouched', async () => {
  expect(await run()).toEqual({ applied: [], version: 0, session })
  expect(await tables()).toEqual([])
})

test('a file that fails leaves nothing of itself, keeps those before it, and is named with its line', async () => {
  await write('0001-create.sql', 'CREATE TABLE a ();')
  await write('0002-broken.sql', 'CREATE TABLE b ();\n\nSELECT nonsense;')
  await expect(run()).rejects.toThrow(/0002-broken\.sql failed in line 3.*nonsense/)
  expect(await tables()).toEqual(['a', 'schema_migrations'])
  expect(await applied()).toEqual(['0001-create.sql'])
  await write('0002-broken.sql', 'CREATE TABLE b ();')
  expect((await run()).applied).toEqual(['0002-broken.sql'])
})

test('a file that was changed after it was applied is refused before anything is written', async () => {
  await write('0001-create.sql', 'CREATE TABLE a ();')
  await run()
  await write('0001-create.sql', 'CREATE TABLE a (b int);')
  await write('0002-more.sql', 'CREATE TABLE c ();')
  await expect(run()).rejects.toThrow(/0001-create\.sql is not the one that was applied/)
  expect(await applied()).toEqual(['0001-create.sql'])
})

test('line ends of another system are not a change', async () => {
  await write('0001-create.sql', 'CREATE TABLE a (\n);\n')
  await run()
  await write('0001-create.sql', 'CREATE TABLE a (\r\n);\r\n')
  expect((await run()).applied).toEqual([])
})

test('a schema newer than the files is refused', async () => {
  await write('0001-create.sql', 'CREATE TABLE a ();')
  await write('0002-newer.sql', 'CREATE TABLE b ();')
  await run()
  await rm(join(folder, '0002-newer.sql'))
  await expect(run()).rejects.toThrow(/newer version of Loyalty Wallet.*0002-newer\.sql/)
})

test('a newer schema is accepted if each of its migrations says that this version can run on it', async () => {
  await write('0001-create.sql', 'CREATE TABLE a ();')
  await write('0002-newer.sql', '-- Compatible from 0001.\nCREATE TABLE b ();')
  await write('0003-index.sql', '-- Runs outside a transaction.\n-- Compatible from 0002.\n')
  await run()
  await rm(join(folder, '0003-index.sql'))
  expect(await run()).toEqual({ applied: [], version: 3, session })
  await rm(join(folder, '0002-newer.sql'))
  await expect(run()).rejects.toThrow(/newer version of Loyalty Wallet.*0003-index\.sql/)
  await database.pool.query('DELETE FROM schema_migrations WHERE version = 3')
  expect(await run()).toEqual({ applied: [], version: 2, session })
  // What is known must still be what was applied.
  await write('0001-create.sql', 'CREATE TABLE a (b int);')
  await expect(run()).rejects.toThrow(/0001-create\.sql is not the one that was applied/)
})

test('a database that an earlier version has migrated learns which versions can run on it, by whoever is first', async () => {
  await write('0001-create.sql', 'CREATE TABLE a ();')
  await run()
  await database.pool.query('ALTER TABLE schema_migrations DROP COLUMN compatible_from')
  expect((await run()).applied).toEqual([])
  await write('0002-next.sql', '-- Compatible from 0001.\nCREATE TABLE b ();')
  const results = await Promise.all(Array.from({ length: 8 }, run))
  expect(results.flatMap((result) => result.applied)).toEqual(['0002-next.sql'])
  const { rows } = await database.pool.query(
    'SELECT version, compatible_from FROM schema_migrations ORDER BY version',
  )
  expect(rows).toEqual([
    { version: 1, compatible_from: null },
    { version: 2, compatible_from: 1 },
  ])
})

test.each([
  { rule: 'a gap', files: ['0001-a.sql', '0003-c.sql'] },
  { rule: 'a double', files: ['0001-a.sql', '0001-b.sql'] },
  { rule: 'a name without a number', files: ['first.sql'] },
  { rule: 'a name with capitals', files: ['0001-First.sql'] },
])('$rule among the file names is refused', async ({ files }) => {
  for (const file of files) await write(file, 'SELECT 1')
  await expect(run()).rejects.toThrow('is not a migration in order')
  expect(await tables()).toEqual([])
})

test('a file that ends its own transaction is refused', async () => {
  await write('0001-commit.sql', 'CREATE TABLE a (); COMMIT;')
  await expect(run()).rejects.toThrow('ends the transaction')
  expect(await applied()).toEqual([])
})

test('processes that migrate at once apply each file once', async () => {
  await write('0001-create.sql', 'CREATE TABLE a (b int); SELECT pg_sleep(0.1);')
  await write('0002-fill.sql', 'INSERT INTO a VALUES (1);')
  await write('0003-fill.sql', 'INSERT INTO a VALUES (1);')
  const results = await Promise.all(Array.from({ length: 8 }, run))
  expect(results.flatMap((result) => result.applied).sort()).toEqual([
    '0001-create.sql',
    '0002-fill.sql',
    '0003-fill.sql',
  ])
  expect((await database.pool.query('SELECT count(*) AS rows FROM a')).rows).toEqual([{ rows: 2 }])
})

test('a table in use holds a migration up only for as long as it is in use, and requests get through', async () => {
  await write('0001-create.sql', 'CREATE TABLE a (b int);')
  await run()
  await write('0002-alter.sql', 'ALTER TABLE a ADD COLUMN c int;')
  const request = await database.pool.connect()
  await request.query('BEGIN; SELECT * FROM a')
  const migrating = migrate(database.connection, { folder, lockTimeoutMs: 100 })
  // Behind a waiting ALTER nobody can read; it must have given up in between for this to be answered.
  await new Promise((done) => setTimeout(done, 50))
  await database.pool.query('SELECT * FROM a')
  await request.query('COMMIT')
  request.release()
  expect((await migrating).applied).toEqual(['0002-alter.sql'])
})

test('a table that is held for long makes a migration give up at once and retry, and nobody queues behind it', async () => {
  await write('0001-create.sql', 'CREATE TABLE a (b int);')
  await run()
  await write('0002-alter.sql', 'ALTER TABLE a ADD COLUMN c int;')
  const waiting: object[] = []
  const log = { info() {}, error() {}, warn: (details: object) => waiting.push(details) }
  const holder = await database.pool.connect()
  await holder.query('BEGIN; SELECT * FROM a')
  const migrating = migrate(database.connection, { folder, log, lockTimeoutMs: 50 })
  // Requests go through again and again, however often the migration has tried meanwhile.
  while (waiting.length < 2) await database.pool.query('SELECT * FROM a')
  await holder.query('COMMIT')
  holder.release()
  expect((await migrating).applied).toEqual(['0002-alter.sql'])
})

const concurrent =
  '-- Runs outside a transaction.\nCREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS a_b ON a (b);\n'
const indexes = async () =>
  (
    await database.pool.query(`SELECT indexrelid::regclass AS name, indisvalid FROM pg_index
     WHERE indrelid = 'a'::regclass`)
  ).rows

test('an index is built while others write, by one of the processes that start at once', async () => {
  await write('0001-create.sql', 'CREATE TABLE a (b int);')
  await run()
  await write('0002-index.sql', concurrent)
  await write('0003-next.sql', 'ALTER TABLE a ADD COLUMN c int;')
  const writer = await database.pool.connect()
  await writer.query('BEGIN; INSERT INTO a VALUES (1)')
  const migrating = Promise.all(Array.from({ length: 3 }, run))
  const isBuilding = async () =>
    (await database.pool.query('SELECT count(*) AS builds FROM pg_stat_progress_create_index')).rows[0].builds
  await expect.poll(isBuilding, { timeout: 30_000 }).toBe(1)
  // The build waits for the writer, and holds up nobody else.
  await database.pool.query('INSERT INTO a VALUES (2)')
  await writer.query('COMMIT')
  writer.release()
  expect((await migrating).flatMap((result) => result.applied).sort()).toEqual([
    '0002-index.sql',
    '0003-next.sql',
  ])
  expect(await indexes()).toEqual([{ name: 'a_b', indisvalid: true }])
})

test('an index that was left unfinished is built again', async () => {
  await write('0001-create.sql', 'CREATE TABLE a (b int); INSERT INTO a VALUES (1), (1);')
  await run()
  await write('0002-index.sql', concurrent)
  await expect(run()).rejects.toThrow(/0002-index\.sql failed, and the next start tries it again/)
  expect(await indexes()).toEqual([{ name: 'a_b', indisvalid: false }])
  expect(await applied()).toEqual(['0001-create.sql'])
  await database.pool.query('DELETE FROM a WHERE ctid = (SELECT min(ctid) FROM a)')
  expect((await run()).applied).toEqual(['0002-index.sql'])
  expect(await indexes()).toEqual([{ name: 'a_b', indisvalid: true }])
})

test('nothing but indexes runs outside a transaction', async () => {
  await write('0001-create.sql', '-- Runs outside a transaction.\n\nCREATE TABLE a ();')
  await expect(run()).rejects.toThrow(/0001-create\.sql runs outside a transaction.*Move line 3/)
  expect(await tables()).toEqual(['schema_migrations'])
})
