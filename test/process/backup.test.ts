import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { createBackupFile } from '../../src/database/backup/backup-file.ts'
import { listTables } from '../../src/database/backup/tables.ts'
import { dumpSchema } from '../../src/database/dump-schema.ts'
import { applyWithin, migrate } from '../../src/database/migrate.ts'
import { listMigrations } from '../../src/database/migration-files.ts'
import { createClient, type DatabaseConnection } from '../../src/database/pool.ts'
import { urlOf } from '../support/checkout.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { isFull } from '../support/full.ts'
import { dayAgo, openOldShop } from '../support/old-shop.ts'
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
const strangeName = 'Tab\there, line\nfeed, \\N and "quotes" – Ünï'
const secrets = {
  JWT_SECRET: 'jwt-secret-of-the-backup-tests-0123456789',
  ADMIN_TOKEN: 'admin-token-of-the-tests',
  DEMO: '0',
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lw-backup-'))
  service = await startTestService()
  env = envOf(service.database.connection)
  const old = await openOldShop(service, { customers: 2, months: 17 })
  shop = old.shop
  other = await openShop(service)
  const campaign = await other.publish({ name: 'Other', balances: [{ key: 'points' }], rules: [] })
  const { customer } = await other.register(campaign)
  await service.database.pool.query('UPDATE customers SET fullname = $2 WHERE id = $1', [
    customer.slice(4),
    strangeName,
  ])
  // Marks the database with the pepper of these secrets.
  await runForJson(['integration', 'create', 'Till'], { ...env, ...secrets })
  await runForJson(['archive', '--before', dayAgo(420), '--to', join(folder, 'archive')], env)
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
        `SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'
           AND relname NOT IN ('schema_migrations', 'password_guesses') ORDER BY relname COLLATE "C"`,
      )
      const names = (await listTables(client)).map(({ name }) => name)
      expect(names.sort(), migration.file).toEqual(rows.map(({ name }) => name))
    }
    const tables = await listTables(client)
    const ofPlatform = tables.filter(({ columns }) => columns[0] !== 'org_id').map(({ name }) => name)
    // A new one needs a decision: what of it does a single organization need?
    expect(ofPlatform).toEqual(['integration_keys', 'integrations', 'pepper_marks'])
    await client.query('ROLLBACK')
  })
})

test('an empty database gets every row, the schema and the next numbers, and proves itself', async () => {
  const target = await createTarget({ empty: true })
  const restored = await runForJson(['restore', file], { ...target, ...secrets })
  expect(restored).toMatchObject({ code: 0, ok: true, organizations: 2, problems: [], pepper: 'same' })
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

const busy = [{ id: 'one', kind: 'points_per_amount', balance: 'p', points: 1, per: 1 }]

test('a database with data is left as it is', async () => {
  const target = await createTarget()
  await withClient(target.DATABASE_URL!, async (client) => {
    await client.query(
      `INSERT INTO organizations (id, name, country, currency, timezone, locale, created_at, updated_at)
       VALUES (gen_random_uuid(), 'Mine', 'US', 'USD', 'UTC', 'en', now(), now())`,
    )
  })
  const before = await rowsOf(target.DATABASE_URL!)
  const said = await runForJson(['restore', file], target)
  expect(said).toMatchObject({ code: 1, error: { code: 'restore_refused' } })
  expect(said.error.message).toMatch(/has data \(in organizations\).*never writes over data.*new database/)
  expect(await rowsOf(target.DATABASE_URL!)).toEqual(before)
  expect(await schemaOf(target.DATABASE_URL!)).toBe(await readFile('schema.sql', 'utf8'))
})

test('one organization comes without the others, with its keys and what it is connected to', async () => {
  const target = await createTarget()
  const { id } = other.merchant
  const { code, stdout } = await runCommand(['restore', file, '--organization', id], target)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^Restored \d+ rows of 1 organization from/)
  expect(stdout).toMatch(/give it the secrets of the former installation.*adopt-pepper/)
  const uuid = `'${id.slice(4)}'`
  const { rows } = await service.database.pool.query(`SELECT org_id FROM organizations WHERE id = ${uuid}`)
  const [org] = rows.map((row) => row.org_id)
  const ofPlatform = ['integrations', 'integration_keys']
  const used = `(SELECT integration_id FROM connections WHERE org_id = ${org})`
  const expected = await rowsOf(env.DATABASE_URL!, (table) => {
    if (table === 'due_work') return `WHERE org_id IN (0, ${org})`
    if (table === 'pepper_marks') return ''
    if (ofPlatform.includes(table))
      return `WHERE ${table === 'integrations' ? 'id' : 'integration_id'} IN ${used}`
    return `WHERE org_id = ${org}`
  })
  // The shop has had visitors since.
  const after = await rowsOf(target.DATABASE_URL!)
  expect(after).toEqual({ ...expected, http_requests: after.http_requests, due_work: after.due_work })
  expect(after.customers).toHaveLength(1)
  expect(after.due_work!.length).toBe(expected.due_work!.length)
  for (const table of ofPlatform) expect(after[table], table).toHaveLength(1)
  const none = await runForJson(['restore', file, '--organization', 'Nobody'], await createTarget())
  expect(none.error.message).toMatch(new RegExp(`no organization "Nobody". It has 2: .*${id}`))
})

test('a backup while baskets are processed is of one moment; encrypted, it needs its key, and another installation the secrets', async () => {
  const keyFile = join(folder, 'key')
  await writeFile(keyFile, 'correct horse battery staple\n')
  const secret = join(folder, 'secret.lwb')
  const person = await shop.register(
    await shop.publish({ name: 'Busy', balances: [{ key: 'p' }], rules: busy }),
  )
  let isDone = false
  let sold = 0
  const sell = async () => {
    for (; !isDone; sold++) await shop.process(person, { items: [{ product: 'tea', unitPrice: 3 }] })
  }
  const selling = [sell(), sell(), sell()]
  const written = await runForJson(['backup', secret, '--key-file', keyFile], env).finally(() => {
    isDone = true
  })
  await Promise.all(selling)
  expect(written).toMatchObject({ code: 0, isEncrypted: true })
  expect(sold).toBeGreaterThan(3)
  const verify = (more: Record<string, string>) =>
    runForJson(['backup', 'verify', secret], { ...env, ...more })
  expect((await verify({})).error.message).toMatch(/is encrypted. Give its key with --key-file/)
  expect((await verify({ BACKUP_KEY: 'wrong horse battery staple' })).error.message).toMatch(
    /cannot be decrypted: this is not the key/,
  )
  expect((await verify({ BACKUP_KEY: 'short' })).error.message).toMatch(
    /at least 16 characters.*openssl rand/,
  )
  if (isFull)
    expect(await verify({ BACKUP_KEY: 'correct horse battery staple' })).toMatchObject({ code: 0, ok: true })
  const target = await createTarget()
  const elsewhere = { ...target, ...secrets, JWT_SECRET: `${secrets.JWT_SECRET}-other` }
  const { code, stdout } = await runCommand(['restore', secret, '--key-file', keyFile], elsewhere)
  expect(code).toBe(0)
  expect(stdout).toMatch(/integrity check of its \d+ ledger entries found no problem/)
  expect(stdout).toMatch(
    /another CREDENTIAL_PEPPER.*set CREDENTIAL_PEPPER to that of the former.*adopt-pepper/,
  )
  await withClient(target.DATABASE_URL!, async (client) => {
    const { rows } = await client.query('SELECT fullname FROM customers WHERE fullname IS NOT NULL')
    expect(rows).toEqual([{ fullname: strangeName }])
  })
})

test('a file that is cut off or altered anywhere is refused, and nothing is restored', async () => {
  const bytes = await readFile(file)
  const bad = join(folder, 'bad.lwb')
  const { DATABASE_URL, ...rest } = await createTarget({ empty: true })
  const flipped = (at: number) => {
    const copy = Buffer.from(bytes)
    copy[at]! ^= 1
    return copy
  }
  const half = bytes.length >> 1
  const cases: [string, Buffer, RegExp][] = [
    ['nothing', Buffer.alloc(0), /is not a backup/],
    ['half of the header', bytes.subarray(0, 40), /its beginning is missing/],
    ['half', bytes.subarray(0, half), /its end is missing/],
    ['all but a byte', bytes.subarray(0, -1), /its end is missing/],
    ['one byte more', Buffer.concat([bytes, Buffer.of(0)]), /something was added at its end/],
    ['another header', flipped(45), /damaged/],
    ['another byte', flipped(half), /piece \d+ was altered/],
    ['another last byte', flipped(bytes.length - 1), /piece \d+ was altered/],
  ]
  for (const [name, content, reason] of cases) {
    await writeFile(bad, content)
    const commands = [['backup', 'verify', bad], ...(name.startsWith('a') ? [['restore', bad]] : [])]
    for (const args of commands) {
      const said = await runForJson(args, { DATABASE_URL: DATABASE_URL!, ...rest })
      expect(said, name).toMatchObject({ code: 1, error: { code: 'backup_file' } })
      expect(said.error.message, name).toMatch(reason)
    }
  }
  expect(await isEmpty(DATABASE_URL!)).toBe(true)
  await rm(bad)
  expect((await runForJson(['backup', file], env)).error.message).toMatch(
    /exists, and a backup never replaces/,
  )
})

test('a backup of an older schema is brought up to date, and one of a newer schema is refused', async () => {
  const source = await createTarget({ empty: true })
  const older = join(folder, 'migrations')
  const migrations = (await readdir('migrations')).sort()
  for (const name of migrations.slice(0, 12)) await cp(`migrations/${name}`, join(older, name))
  await migrate(source.DATABASE_URL!, { folder: older })
  await withClient(source.DATABASE_URL!, (client) =>
    client.query(
      `INSERT INTO organizations (id, name, country, currency, timezone, locale, created_at, updated_at)
       SELECT gen_random_uuid(), 'Before', 'US', 'USD', 'UTC', 'en', now(), now() FROM generate_series(1, 3)`,
    ),
  )
  const old = join(folder, 'old.lwb')
  expect(await runForJson(['backup', old], source)).toMatchObject({ code: 0, organizations: 3 })
  // The database already has a newer schema than the file.
  const target = await createTarget()
  expect(await runForJson(['restore', old], target)).toMatchObject({ code: 0, ok: true, organizations: 3 })
  expect(await schemaOf(target.DATABASE_URL!)).toBe(await readFile('schema.sql', 'utf8'))
  await withClient(target.DATABASE_URL!, async (client) => {
    const { rows } = await client.query('SELECT count(*) FROM due_work WHERE org_id > 0')
    expect(rows[0].count).toBeGreaterThan(0)
  })
  const newer = join(folder, 'newer.lwb')
  const known = await listMigrations()
  const about = { createdAt: new Date().toISOString(), serviceVersion: '9.9.9', postgres: 18 }
  const next = { file: '9999-future.sql', checksum: 'x' }
  const writer = await createBackupFile(newer, { ...about, migrations: [...known, next] }, undefined)
  await writer.finish(Buffer.from('{}'))
  expect((await runForJson(['restore', newer], target)).error.message).toMatch(
    /newer version of Loyalty Wallet \(9.9.9\).*9999-future.sql.*Restore it with that version/,
  )
})

test('an owner that row level security applies to backs up and restores all organizations', async () => {
  const admin = urlOf(inject('postgres'))
  const role = `lw_owner_${process.pid}`
  const names = [`${role}_a`, `${role}_b`]
  const urls = names.map((name) => {
    const url = new URL(urlOf(withDatabase(inject('postgres'), name)).replace('@/', '@socket/'))
    url.username = role
    return url.href.replace('@socket/', '@/')
  })
  const [first, second] = urls.map((url) => envOf(url))
  await withClient(admin, async (client) => {
    await client.query(`CREATE ROLE ${role} LOGIN`)
    for (const name of names) await client.query(`CREATE DATABASE ${name} OWNER ${role}`)
  })
  try {
    expect(await runForJson(['restore', file], first!)).toMatchObject({ code: 0, ok: true, organizations: 2 })
    const again = join(folder, 'again.lwb')
    const written = await runForJson(['backup', again], first!)
    expect(written).toMatchObject({ code: 0, organizations: 2 })
    const asAdmin = names.map((name) => urlOf(withDatabase(inject('postgres'), name)))
    const rows = await rowsOf(asAdmin[0]!)
    expect(written.rows).toBe(Object.values(rows).flat().length)
    if (isFull) {
      expect(await runForJson(['restore', again], second!)).toMatchObject({
        code: 0,
        ok: true,
        rows: written.rows,
      })
      expect(await rowsOf(asAdmin[1]!)).toEqual(rows)
    }
    // The service has no role of its own here, because the login may not create or take one.
    expect((await runForJson(['restore', file], first!)).error.message).toMatch(
      /has data \(in .*organizations/,
    )
  } finally {
    await withClient(admin, async (client) => {
      for (const name of names) await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      await client.query(`DROP ROLE ${role}`)
    })
  }
})

test('records that do not agree are not restored, unless the operator accepts them', async () => {
  const { pool } = service.database
  await pool.query('UPDATE balances SET value = value + 1 WHERE value > 0')
  const wrong = join(folder, 'wrong.lwb')
  expect(await runForJson(['backup', wrong], env)).toMatchObject({ code: 0 })
  await pool.query('UPDATE balances SET value = value - 1 WHERE value > 1')
  const target = await createTarget({ empty: true })
  const said = await runCommand(['restore', wrong], target)
  expect(said.code).toBe(1)
  expect(said.stderr).toMatch(/Nothing was restored.*--accept-problems.*the entries add up to/s)
  expect(await isEmpty(target.DATABASE_URL!)).toBe(true)
  if (!isFull) return
  const accepted = await runForJson(['restore', wrong, '--accept-problems'], target)
  expect(accepted).toMatchObject({ code: 1, ok: false, organizations: 2 })
})
