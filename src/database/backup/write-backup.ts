import type pg from 'pg'
import { to } from 'pg-copy-streams'
import { packageVersion } from '../../package-root.ts'
import { isDistributed } from '../distribute.ts'
import { setTenant } from '../tenant-query.ts'
import { BackupFileError, createBackupFile } from './backup-file.ts'
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
  const { signal, onProgress } = options
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
  // Before the first query, which takes the snapshot: from here on no migration changes a table.
  await client.query(`LOCK TABLE schema_migrations, ${names.join(', ')} IN ACCESS SHARE MODE`)
  const tables = await listTables(client)
  const source = await readSource(client)
  const file = await createBackupFile(
    options.path,
    {
      createdAt: options.now.toISOString(),
      serviceVersion: packageVersion(),
      postgres: source.postgres,
      migrations: source.migrations,
    },
    options.passphrase,
  )
  try {
    const { organizations } = source
    await file.write('contents', toJson({ tables, organizations }))
    const rows: Record<string, number> = {}
    let done = 0
    let textBytes = 0
    for (const table of tables) {
      await file.write('table', toJson({ name: table.name }))
      const pieces = collectPieces(file)
      let count = 0
      for await (const part of readRows(client, table, source)) {
        signal?.throwIfAborted()
        count += countRows(part)
        textBytes += part.length
        await pieces.add(part)
        onProgress?.({
          rows: done + count,
          of: Math.max(source.expectedRows, done + count),
          bytes: textBytes,
        })
      }
      await pieces.flush()
      await file.write('table end', toJson({ name: table.name, rows: count }))
      rows[table.name] = count
      done += count
    }
    const leftOut = await listForeignTables(client)
    const sequences = await readSequences(client)
    await client.query('COMMIT')
    onProgress?.({ rows: done, of: done, bytes: textBytes })
    const bytes = await file.finish(toJson({ rows, sequences }))
    return {
      tables: tables.length,
      rows: done,
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
