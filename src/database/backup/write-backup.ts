import type pg from 'pg'
import { to } from 'pg-copy-streams'
import { packageVersion } from '../../package-root.ts'
import { isDistributed } from '../distribute.ts'
import { setTenant } from '../tenant-query.ts'
import { BackupFileError, type BackupWriter, createBackupFile } from './backup-file.ts'
import {
  belongsToOrganization,
  type CopiedOrganization,
  type CopiedTable,
  collectPieces,
  copySettings,
  countRows,
  listColumns,
  listForeignTables,
  listTables,
  platformOrg,
  quote,
  readSequences,
} from './tables.ts'

export interface BackupOptions {
  readonly path: string
  /** Encrypts the file. */
  readonly passphrase: string | undefined
  readonly now: Date
  /** The rows and bytes that were read, and how many rows there are, about. */
  onProgress?(progress: { rows: number; of: number; bytes: number }): void
  readonly signal?: AbortSignal
}

export interface WrittenBackup {
  readonly tables: number
  readonly rows: number
  readonly organizations: number
  /** Size of the file. */
  readonly bytes: number
  /** Size of the rows as text. */
  readonly textBytes: number
  /** Tables in our schema that are not ours. */
  readonly leftOut: readonly string[]
}

/**
 * Writes all rows of our tables to a file, as they were at one moment, while the service is running. The client is
 * in no transaction, and in no other use.
 */
export async function writeBackup(client: pg.Client, options: BackupOptions): Promise<WrittenBackup> {
  const tables = await openSnapshot(client)
  const source = await readSource(client)
  const { postgres, migrations, organizations } = source
  const createdAt = options.now.toISOString()
  const about = { createdAt, serviceVersion: packageVersion(), postgres, migrations }
  const file = await createBackupFile(options.path, about, options.passphrase)
  try {
    await file.write('contents', toJson({ tables, organizations }))
    const { rows, count, textBytes } = await copyTables(client, file, { ...options, tables, source })
    const leftOut = await listForeignTables(client)
    const sequences = await readSequences(client)
    await client.query('COMMIT')
    const bytes = await file.finish(toJson({ rows, sequences }))
    return {
      tables: tables.length,
      rows: count,
      organizations: organizations.length,
      bytes,
      textBytes,
      leftOut,
    }
  } catch (error) {
    await file.discard()
    throw error
  }
}

/** Begins a transaction that sees one moment, and in which no migration changes a table. */
async function openSnapshot(client: pg.Client): Promise<CopiedTable[]> {
  const names = (await listTables(client)).map(({ name }) => quote(name))
  if (names.length === 0)
    throw new BackupFileError(
      'The database has no tables of Loyalty Wallet, so there is nothing to back up. Check DATABASE_URL and DATA_DIR.',
    )
  if (await isDistributed(client))
    throw new BackupFileError(
      'The tables of this database are spread over a cluster, whose servers cannot be read as they were at one moment. Use the backups of the servers (pg_basebackup with a restore point) instead.',
    )
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  await client.query(copySettings)
  // Our connections avoid it, and here it is the fastest way to the rows of an organization that has most of them.
  await client.query('SET LOCAL enable_seqscan = on')
  // Before the first query, which takes the snapshot.
  await client.query(`LOCK TABLE schema_migrations, ${names.join(', ')} IN ACCESS SHARE MODE`)
  return listTables(client)
}

async function copyTables(
  client: pg.Client,
  file: BackupWriter,
  what: BackupOptions & { readonly tables: readonly CopiedTable[]; readonly source: Source },
): Promise<{ rows: Record<string, number>; count: number; textBytes: number }> {
  const { tables, source, signal, onProgress } = what
  const rows: Record<string, number> = {}
  let count = 0
  let textBytes = 0
  for (const table of tables) {
    const { name } = table
    await file.write('table', toJson({ name }))
    const pieces = collectPieces(file)
    const before = count
    for await (const part of readRows(client, table, source)) {
      signal?.throwIfAborted()
      count += countRows(part)
      textBytes += part.length
      await pieces.add(part)
      onProgress?.({ rows: count, of: Math.max(source.expectedRows, count + 1), bytes: textBytes })
    }
    await pieces.flush()
    rows[name] = count - before
    await file.write('table end', toJson({ name, rows: rows[name] }))
  }
  onProgress?.({ rows: count, of: count, bytes: textBytes })
  return { rows, count, textBytes }
}

const toJson = (value: object) => Buffer.from(JSON.stringify(value))

interface Source {
  readonly postgres: number
  readonly migrations: { file: string; checksum: string }[]
  readonly organizations: CopiedOrganization[]
  /** Whether the login sees the rows of all organizations at once. */
  readonly isExempt: boolean
  /** As the server estimates it, for the remaining time only. */
  readonly expectedRows: number
}

async function readSource(client: pg.Client): Promise<Source> {
  const { rows } = await client.query<Omit<Source, 'organizations' | 'migrations'>>(
    `SELECT current_setting('server_version_num')::int / 10000 AS postgres, rolsuper OR rolbypassrls AS "isExempt",
       (SELECT coalesce(sum(greatest(reltuples, 0)), 0)::bigint FROM pg_class
        WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')) AS "expectedRows"
     FROM pg_roles WHERE rolname = current_user`,
  )
  const migrations = await client.query<{ file: string; checksum: string }>(
    'SELECT file, checksum FROM schema_migrations ORDER BY version',
  )
  await client.query(setTenant(platformOrg))
  const organizations = await client.query<CopiedOrganization>(
    'SELECT org_id AS "orgId", id, name FROM organizations ORDER BY org_id',
  )
  return { ...rows[0]!, migrations: migrations.rows, organizations: organizations.rows }
}

/**
 * A login that row level security applies to reads a table once for each organization; the server would refuse
 * nothing and return nothing otherwise.
 */
async function* readRows(client: pg.Client, table: CopiedTable, source: Source): AsyncGenerator<Buffer> {
  const name = quote(table.name)
  const columns = listColumns(table)
  if (source.isExempt) return yield* copyOut(client, `COPY ${name} (${columns}) TO STDOUT`)
  if (!belongsToOrganization(table)) {
    await client.query(setTenant(platformOrg))
    return yield* copyOut(client, `COPY (SELECT ${columns} FROM ${name}) TO STDOUT`)
  }
  for (const org of [platformOrg, ...source.organizations.map(({ orgId }) => orgId)]) {
    await client.query(setTenant(org))
    yield* copyOut(client, `COPY (SELECT ${columns} FROM ${name} WHERE org_id = ${org}) TO STDOUT`)
  }
}

async function* copyOut(client: pg.Client, text: string): AsyncGenerator<Buffer> {
  yield* client.query(to(text, { highWaterMark: 262_144 })) as AsyncIterable<Buffer>
}
