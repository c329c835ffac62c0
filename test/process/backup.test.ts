import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { grants } from '../../src/database/app-role.ts'
import { createBackupFile } from '../../src/database/backup/backup-file.ts'
import { listTables, platformTables } from '../../src/database/backup/tables.ts'
import { dumpSchema } from '../../src/database/dump-schema.ts'
import { applyWithin, listMigrations, migrate } from '../../src/database/migrate.ts'
import { createClient, type DatabaseConnection } from '../../src/database/pool.ts'
import { urlOf } from '../support/checkout.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { openOldShop } from '../support/old-shop.ts'
import { runCommand, runForJson } from '../support/run-command.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { withDatabase } from '../support/template.ts'

let service: TestService
let shop: Shop
let other: Shop
let folder: string
let file: string
let env: Record<string, string>
const databases: TestDatabase[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lw-backup-'))
  service = await startTestService()
  env = envOf(service.database.connection)
  const old = await openOldShop(service, { customers: 3, months: 14 })
  shop = old.shop
  other = await openShop(service)
  const campaign = await other.publish({ name: 'Other', balances: [{ key: 'points' }], rules: [] })
  const name = 'Tab\there, line\nfeed, \\N and "quotes" – Ünï'
  await other.call('POST', '/v1/customers', { fullname: name, campaign, phone: '+12025550123' })
  await runForJson(['archive', '--before', '2025-09-01', '--to', join(folder, 'archive')], env)
  await service.flushRequests()
  file = join(folder, 'all.lwb')
  expect(await runForJson(['backup', file], env)).toMatchObject({ code: 0, organizations: 2, leftOut: [] })
})
afterAll(async () => {
  await service.close()
  for (const database of databases) await database.close()
  await rm(folder, { recursive: true, force: true })
})

const envOf = (connection: DatabaseConnection) => ({
  DATABASE_URL: urlOf(connection),
  DATA_DIR: join(folder, 'data'),
})

/** A database that nothing is connected to. */
async function createTarget(options: { empty?: boolean } = {}): Promise<Record<string, string>> {
  const database = await createTestDatabase(options)
  databases.push(database)
  return envOf(database.connection)
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = createClient(url, { applicationName: 'test' })
  await client.connect()
  return work(client).finally(() => client.end())
}

/** All rows of all tables as text. */
const rowsOf = (url: string, where: (table: string) => string = () => '') =>
  withClient(url, async (client) => {
    const all: Record<string, string[]> = {}
    for (const { name } of await listTables(client)) {
      const { rows } = await client.query(`SELECT t::text AS row FROM ${name} t ${where(name)}`)
      all[name] = rows.map(({ row }) => row).sort()
    }
    return all
  })

const schemaOf = (url: string) => withClient(url, dumpSchema)
const isEmpty = (url: string) => withClient(url, async (client) => (await listTables(client)).length === 0)

test('a backup has every table, at every version of the schema, and knows which belong to no organization', async () => {
  const { DATABASE_URL } = await createTarget({ empty: true })
  await withClient(DATABASE_URL!, async (client) => {
    await client.query('BEGIN')
    for (const migration of await listMigrations()) {
      await applyWithin(client, [migration])
      const { rows } = await client.query(
        `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'`,
      )
      const names = (await listTables(client)).map(({ name }) => name)
      expect([...names, 'schema_migrations'].sort(), migration.file).toEqual(rows.map(({ name }) => name).sort())
    }
    const tables = await listTables(client)
    expect([...tables.map(({ name }) => name), 'schema_migrations'].sort()).toEqual(Object.keys(grants).sort())
    const ofPlatform = tables.filter(({ columns }) => !columns.includes('org_id')).map(({ name }) => name)
    expect(ofPlatform.sort()).toEqual(Object.keys(platformTables).sort())
    await client.query('ROLLBACK')
  })
})

test('an empty database gets every row, the schema and the next numbers, and proves itself', async () => {
  const target = await createTarget({ empty: true })
  const restored = await runForJson(['restore', file], target)
  expect(restored).toMatchObject({ code: 0, ok: true, organizations: 2, problems: [], pepper: 'none' })
  expect(restored.entries).toBeGreaterThan(50)
  const before = await rowsOf(env.DATABASE_URL!)
  const after = await rowsOf(target.DATABASE_URL!)
  expect(after).toEqual(before)
  for (const table of ['ledger_entries', 'archived_transactions', 'coupons', 'connection_secrets'])
    expect(after[table]!.length, table).toBeGreaterThan(0)
  expect(await schemaOf(target.DATABASE_URL!)).toBe(await readFile('schema.sql', 'utf8'))
  const created = await runForJson(['organization', 'create', 'Third'], target)
  expect(created.code).toBe(0)
  expect(await runForJson(['verify-ledger'], target)).toMatchObject({ code: 0, ok: true })
})
