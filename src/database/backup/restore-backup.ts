/**
 * Brings a backup into an empty database, in one transaction: the schema of the backup, its rows, its keys and
 * references, the migrations that came later, and the proof that everything agrees. Until it commits the database
 * is as it was before, whatever happens to this process or to the server.
 */
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { from } from 'pg-copy-streams'
import { grants } from '../app-role.ts'
import { isDistributed } from '../distribute.ts'
import { applyWithin } from '../migrate.ts'
import { listMigrations, type Migration } from '../migration-files.ts'
import type { BackupHeader, BackupReader } from './backup-file.ts'
import { type OpenBackup, openBackup } from './read-backup.ts'
import { addParts, removeParts } from './schema-parts.ts'
import {
  belongsToOrganization,
  type CopiedOrganization,
  type CopiedTable,
  copySettings,
  countRows,
  listColumns,
  listTables,
  platformOrg,
  quote,
  rowsOf,
  writeSequences,
} from './tables.ts'

export interface RestoreOptions {
  readonly path: string
  readonly reader: BackupReader
  /** Which organization to restore; undefined for all, with what belongs to none. */
  choose(organizations: readonly CopiedOrganization[]): CopiedOrganization | undefined
  /** Checks what was restored, within the transaction; throws to restore nothing. */
  prove(client: pg.Client): Promise<void>
  readonly progress: RestoreProgress
}

export interface RestoreProgress {
  /** The bytes of the file and the rows that have been read. */
  rows(position: number, of: number, rows: number): void
  indexes(done: number, of: number): void
}

export interface Restored {
  readonly rows: number
  readonly organizations: number
}

/** The database or the file is not one to restore; the message says what to do. */
export class RestoreError extends Error {
  override name = 'RestoreError'
}

export async function restoreBackup(client: pg.Client, options: RestoreOptions): Promise<Restored> {
  const { reader, path, progress } = options
  const migrations = await listMigrations()
  const known = schemaOf(reader.header, migrations, path)
  // The server notices that this process is gone even while it builds an index; not every system can do that.
  await client.query("SET client_connection_check_interval = '1s'").catch(() => {})
  await client.query('BEGIN')
  try {
    await client.query(copySettings)
    await claimDatabase(client)
    const backup = await openBackup(path, reader, (position, rows) =>
      progress.rows(position, reader.size, rows),
    )
    const only = options.choose(backup.contents.organizations)
    await removeEmptyTables(client)
    await applyWithin(client, migrations.slice(0, known))
    const names = (await listTables(client)).map(({ name }) => quote(name))
    // Migrations add rows of their own, which the backup has as well.
    await client.query(`TRUNCATE ${names.join(', ')}`)
    const parts = await removeParts(client, names)
    const rows = await copyRows(client, backup, { ...options, only })
    await writeSequences(client, (await backup.finish()).sequences)
    if (only) await removeUnreferenced(client)
    await addParts(client, parts, progress.indexes)
    await applyWithin(client, migrations.slice(known))
    await client.query(`ANALYZE ${(await listTables(client)).map(({ name }) => quote(name)).join(', ')}`)
    await client.query('SET LOCAL row_security = on')
    await options.prove(client)
    await client.query('COMMIT')
    return { rows, organizations: only ? 1 : backup.contents.organizations.length }
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

/** How many of our migrations made the schema of the file. */
function schemaOf(header: BackupHeader, migrations: readonly Migration[], path: string): number {
  const theirs = header.migrations
  if (theirs.length > migrations.length)
    throw new RestoreError(
      `${path} has the schema of a newer version of Loyalty Wallet (${header.serviceVersion}): its last migration is ${theirs.at(-1)?.file}, and this version knows only ${migrations.length}. Restore it with that version, or a later one.`,
    )
  const other = theirs.find(({ checksum }, i) => checksum !== migrations[i]!.checksum)
  if (other)
    throw new RestoreError(
      `${path} was made with another migration ${other.file} than this version has. Restore it with the version that made it (${header.serviceVersion}).`,
    )
  return theirs.length
}

const restoreLock = 7_309_824_117
const patienceMs = 10_000

/** No service may use the database, and no other restore. One that was just killed needs a moment to be gone. */
async function claimDatabase(client: pg.Client): Promise<void> {
  if (await isDistributed(client))
    throw new RestoreError(
      'The tables of this database are spread over a cluster. Restore into an empty database of the coordinator, and then run: loyalty-wallet distribute',
    )
  for (const deadline = Date.now() + patienceMs; ; await sleep(200)) {
    // Within a transaction the server would otherwise repeat what it said first.
    await client.query('SELECT pg_stat_clear_snapshot()')
    const { rows } = await client.query<{ others: string[]; isOurs: boolean }>(
      `SELECT array(SELECT format('%s (process %s)', application_name, pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE 'loyalty-wallet%') AS others,
       pg_try_advisory_xact_lock(${restoreLock}) AS "isOurs"`,
    )
    const { others, isOurs } = rows[0]!
    if (others.length === 0 && isOurs) return
    if (Date.now() > deadline)
      throw new RestoreError(
        `The database is in use: ${others.join(', ') || 'another restore'}. Stop every service and command that uses it, and run the restore again.`,
      )
  }
}

/** Tables that a service writes to by itself, before there is an organization; as it does to rows of number 0. */
const ownRows = ['schema_migrations', 'pepper_marks', 'password_guesses']

/** The schema is made anew, because that of the database may be newer than that of the backup. */
async function removeEmptyTables(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ name: string; isForced: boolean; hasOrg: boolean }>(
    `SELECT relname AS name, relforcerowsecurity AS "isForced",
       EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = 'org_id') AS "hasOrg"
     FROM pg_class c
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND relname = ANY($1)`,
    [Object.keys(grants)],
  )
  if (rows.length === 0) return
  const names = rows.map(({ name }) => quote(name))
  await client.query(`LOCK TABLE ${names.join(', ')} IN ACCESS EXCLUSIVE MODE`)
  // An owner that the isolation of organizations applies to would find every table empty.
  for (const { name, isForced } of rows)
    if (isForced) await client.query(`ALTER TABLE ${quote(name)} NO FORCE ROW LEVEL SECURITY`)
  const asked = rows.filter(({ name }) => !ownRows.includes(name))
  const ask = ({ name, hasOrg }: (typeof rows)[number]) =>
    `SELECT '${name}' AS name WHERE EXISTS (SELECT FROM ${quote(name)} ${hasOrg ? 'WHERE org_id <> 0' : ''})`
  const filled = await client.query<{ name: string }>(asked.map(ask).join(' UNION ALL '))
  if (filled.rows.length > 0)
    throw new RestoreError(
      `The database has data (in ${filled.rows.map(({ name }) => name).join(', ')}), and a restore never writes over data. Restore into an empty database: set DATA_DIR to a new folder, or DATABASE_URL to a new database.`,
    )
  await client.query(`DROP TABLE ${names.join(', ')}`)
  await client.query(
    `DROP FUNCTION IF EXISTS current_org(), delete_test_organization(integer, integer, text[]),
       delete_test_organization(integer, integer, text[], json)`,
  )
}

async function copyRows(
  client: pg.Client,
  backup: OpenBackup,
  { path, only }: RestoreOptions & { readonly only: CopiedOrganization | undefined },
): Promise<number> {
  const expected = new Map((await listTables(client)).map((table) => [table.name, table]))
  const missing = [...expected.keys()].filter(
    (name) => !backup.contents.tables.some((table) => table.name === name),
  )
  if (missing.length > 0)
    throw new RestoreError(
      `${path} lacks the tables ${missing.join(', ')}, which its schema has: they were missing in the database that the backup is from. Use an older backup.`,
    )
  let sum = 0
  for await (const { table, rows } of backup.tables()) {
    if (expected.get(table.name)?.columns.join() !== table.columns.join())
      throw new RestoreError(
        `${path} has a table ${table.name} with other columns than the migrations make: it was changed by hand. Undo that in the database that the backup is from, and make another one.`,
      )
    const chosen = only ? choose(table, rows, only) : rows
    const into = client.query(
      from(`COPY ${quote(table.name)} (${listColumns(table)}) FROM STDIN WITH (FREEZE)`),
    )
    let sent = 0
    await pipeline(
      chosen,
      async function* count(parts: AsyncIterable<Buffer>) {
        for await (const part of parts) {
          sent += countRows(part)
          yield part
        }
      },
      into,
    )
    if (into.rowCount !== sent)
      throw new RestoreError(
        `The database took ${into.rowCount} of ${sent} rows of ${table.name}. Nothing was restored.`,
      )
    sum += sent
  }
  return sum
}

function choose(
  table: CopiedTable,
  rows: AsyncGenerator<Buffer>,
  { orgId }: CopiedOrganization,
): AsyncGenerator<Buffer> {
  if (!belongsToOrganization(table)) return rows
  // The work of the platform itself goes on as well.
  return rowsOf(table.name === 'due_work' ? [platformOrg, orgId] : [orgId], rows)
}

/** Integrations that the organization has no connection with belong to others. */
async function removeUnreferenced(client: pg.Client): Promise<void> {
  const used = 'SELECT integration_id FROM connections'
  await client.query(`DELETE FROM integration_keys WHERE integration_id NOT IN (${used})`)
  await client.query(`DELETE FROM integrations WHERE id NOT IN (${used})`)
}
