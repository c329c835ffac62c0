import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { appRole, prepareAppRole } from './app-role.ts'
import { findUnrepeatable, runIndexStatements, runsOutside } from './concurrent-indexes.ts'
import type { DatabaseLog } from './database-log.ts'
import { distribute, isDistributed } from './distribute.ts'
import { listMigrations, type Migration, MigrationError } from './migration-files.ts'
import { createClient, type DatabaseConnection, type SessionOptions, settingsIn } from './pool.ts'

export interface MigrateOptions {
  folder?: string
  log?: DatabaseLog
  /** How long to wait for another process that is migrating the same database. */
  waitMs?: number
  /** How long a migration waits for a table that running requests hold before it lets them through. */
  lockTimeoutMs?: number
}

export interface MigrateResult {
  /** File names applied by this call, in order. */
  applied: string[]
  /** The version the schema has now; 0 for a database without any migration. */
  version: number
  /** How the service should work; without a role when the login may not create one. */
  session: SessionOptions
}

/**
 * Brings the schema up to date: applies the files of the migrations folder in order, each in its own
 * transaction together with its row in `schema_migrations`, so that a file is applied completely and once, or
 * not at all. One that builds indexes concurrently cannot be, and is repeatable instead. There are no down
 * migrations. A file that was changed after it was applied is refused before anything is written, and so is a schema
 * that is newer than this code, unless its migrations say that this code can run on it. Afterwards the service's
 * role is granted its privileges on the resulting tables.
 */
export async function migrate(
  connection: DatabaseConnection,
  options: MigrateOptions = {},
): Promise<MigrateResult> {
  const migrations = await listMigrations(options.folder)
  return withClient(connection, async (client) => {
    // Checking first keeps an ordinary start free of writes and locks.
    let pending = listPending(migrations, await readApplied(client))
    if (pending.length > 0) {
      await refusePooler(client, connection)
      await createTable(client)
      await completeTable(client, options)
    }
    const applied: string[] = []
    for (let migration = pending[0]; migration; migration = pending[0]) {
      const startedAt = performance.now()
      const byUs = await applyPatiently(client, migrations, migration, { ...options, connection })
      if (byUs) {
        applied.push(migration.file)
        const durationMs = Math.round(performance.now() - startedAt)
        options.log?.info({ migration: migration.file, durationMs }, 'applied migration')
      }
      pending = listPending(migrations, await readApplied(client))
    }
    const newest = (await readApplied(client)).at(-1)
    const known = migrations.length
    const isNewer = newest !== undefined && newest.version > known
    if (isNewer) {
      const details = { newest: newest.file, known }
      options.log?.warn(
        details,
        'the schema is of a newer version, which this one can run on: finish the upgrade',
      )
    }
    const role = await prepareAppRole(client, { isNewer, log: options.log })
    const session = { role, isDistributed: await isDistributed(client) }
    if (session.isDistributed && applied.length > 0) await distribute(client)
    return { applied, version: newest?.version ?? 0, session }
  })
}

export interface SchemaState {
  readonly version: number
  /** Migrations of this version that are missing. */
  readonly pending: number
  /** Migrations of a newer version. */
  readonly newer: number
}

/** Refuses what `migrate` would refuse, and changes nothing. */
export async function readSchemaState(client: pg.Client): Promise<SchemaState> {
  const migrations = await listMigrations()
  const applied = await readApplied(client)
  const pending = listPending(migrations, applied).length
  const newer = applied.filter(({ version }) => version > migrations.length).length
  return { version: applied.at(-1)?.version ?? 0, pending, newer }
}

/** Applies migrations within a transaction of the caller, to tables that no one else can see. */
export async function applyWithin(client: pg.Client, migrations: readonly Migration[]): Promise<void> {
  await createTable(client)
  for (const migration of migrations) {
    // Nobody could be held up, and a transaction cannot do anything concurrently.
    const sql = runsOutside(migration.sql)
      ? migration.sql.replaceAll(/\bCONCURRENTLY\b/gi, '')
      : migration.sql
    await run(client, { ...migration, sql })
  }
}

async function withClient<T>(
  connection: DatabaseConnection,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  // A migration may take as long as it needs; only waiting for locks is bounded.
  const client = createClient(connection, {
    applicationName: 'loyalty-wallet migrate',
    statementTimeoutMs: 0,
    queryTimeoutMs: 0,
    idleInTransactionTimeoutMs: 0,
  })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

interface AppliedMigration {
  version: number
  file: string
  checksum: string
  compatibleFrom: number | null
}

async function readApplied(client: pg.Client): Promise<AppliedMigration[]> {
  const { rows } = await client.query<{ found: boolean }>(
    `SELECT to_regclass('schema_migrations') IS NOT NULL AS found`,
  )
  if (!rows[0]?.found) return []
  // A table of an earlier version does not have the column yet.
  const result = await client.query<AppliedMigration>(
    `SELECT version, file, checksum, (to_json(m) ->> 'compatible_from')::integer AS "compatibleFrom"
     FROM schema_migrations m ORDER BY version`,
  )
  return result.rows
}

/** Compares the applied migrations with the files and returns those still to apply. */
function listPending(migrations: Migration[], applied: AppliedMigration[]): Migration[] {
  const known = migrations.length
  const isCompatible = ({ version, compatibleFrom }: AppliedMigration) =>
    version <= known || (compatibleFrom !== null && compatibleFrom <= known)
  const tooNew = applied.find((row) => !isCompatible(row))
  if (tooNew) {
    throw new MigrationError(
      `The database has the schema of a newer version of Loyalty Wallet: migration ${tooNew.file} was applied to it, and this version knows only ${known} and cannot run on it. Start that newer version, or restore a backup made before the upgrade.`,
    )
  }
  for (const [index, row] of applied.slice(0, known).entries()) {
    const migration = migrations[index]
    if (!migration || row.version !== migration.version) {
      throw new MigrationError(
        `Table schema_migrations has a row for migration ${row.version} but none for ${index + 1}. It was changed by hand; restore a backup or the missing row.`,
      )
    }
    if (row.checksum !== migration.checksum) {
      throw new MigrationError(
        `Migration ${migration.file} is not the one that was applied to this database${row.file === migration.file ? '' : ` (${row.file})`}. An applied migration must never be edited: restore the file, and put the change into a new one.`,
      )
    }
  }
  return migrations.slice(applied.length)
}

/** A pooler that gives its connections the role and the limits of the service is not the way to migrate. */
async function refusePooler(client: pg.Client, connection: DatabaseConnection): Promise<void> {
  const { rows } = await client.query<{ role: string; timeout: string }>(
    `SELECT current_user AS role, current_setting('statement_timeout') AS timeout`,
  )
  const { role, timeout } = rows[0]!
  const isUnlimited = timeout === '0' || settingsIn(connection).includes('statement_timeout')
  if (role !== appRole && isUnlimited) return
  throw new MigrationError(
    `Migrations are pending, and cannot be applied through a connection pooler that sets a role or limits (this connection works as ${role} with a statement_timeout of ${timeout}). Run loyalty-wallet migrate with a DATABASE_URL that leads to the server itself, then start the service.`,
  )
}

async function createTable(client: pg.Client): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query(`
        CREATE TABLE IF NOT EXISTS schema_migrations (
          version    integer PRIMARY KEY,
          file       text NOT NULL,
          checksum   text NOT NULL,
          applied_at timestamptz NOT NULL DEFAULT now(),
          -- Versions that know the migrations up to this one can run on the schema; null for none.
          compatible_from integer
        )`)
      return
    } catch (error) {
      // IF NOT EXISTS does not see a table that another session is creating at that moment: the loser finds
      // its row type, its name or its catalog entry taken, depending on the timing.
      if (attempt === 20 || !['42710', '42P07', '23505'].includes(codeOf(error))) throw error
      await sleep(25)
    }
  }
}

/**
 * Tables of earlier versions lack the last column. A process that is migrating holds this lock, and waiting for it
 * keeps nobody from reading the table; once we have it, nobody else is about to add the column.
 */
async function completeTable(client: pg.Client, { waitMs = defaultWaitMs }: MigrateOptions): Promise<void> {
  const isComplete = async () => {
    const { rows } = await client.query<{ found: boolean }>(
      `SELECT EXISTS (SELECT 1 FROM pg_attribute
         WHERE attrelid = 'schema_migrations'::regclass AND attname = 'compatible_from') AS found`,
    )
    return rows[0]!.found
  }
  if (await isComplete()) return
  await client.query('BEGIN')
  await client.query(`SET LOCAL lock_timeout = ${waitMs}`)
  await client.query('LOCK TABLE schema_migrations IN SHARE ROW EXCLUSIVE MODE')
  if (!(await isComplete())) {
    await client.query('ALTER TABLE schema_migrations ADD COLUMN compatible_from integer')
  }
  await client.query('COMMIT')
}

const defaultWaitMs = 120_000

/** Often and briefly: requests queue behind a statement that waits for a table, and give up after three seconds. */
const lockTimeoutMs = 1_000
/** With the pauses between them, a minute and a half. */
const maxAttempts = 20

async function applyPatiently(
  client: pg.Client,
  migrations: Migration[],
  migration: Migration,
  options: MigrateOptions & { readonly connection: DatabaseConnection },
): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      if (!runsOutside(migration.sql)) return await apply(client, migrations, migration, options)
      return await withClient(options.connection, (indexer) =>
        applyOutside(client, indexer, migrations, migration, options),
      )
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {})
      if (error instanceof MigrationError) throw error
      // A busy table or a deadlock: everything was rolled back. Requests go through, then we try again.
      const isBusy = ['55P03', '40P01'].includes(codeOf(error))
      if (isBusy && attempt < maxAttempts) {
        options.log?.warn({ migration: migration.file, attempt }, 'migration is waiting for busy tables')
        await sleep(Math.min(500 * attempt, 5_000))
        continue
      }
      const reason = error instanceof Error ? error.message : String(error)
      const line = lineOf(error, migration.sql)
      const state = runsOutside(migration.sql)
        ? 'failed, and the next start tries it again from its beginning'
        : `failed${line} and was rolled back`
      throw new MigrationError(`Migration ${migration.file} ${state}: ${reason}`, { cause: error })
    }
  }
}

/** Begins a transaction in which we are the one that applies a file; false when another process has done so. */
async function beginAlone(
  client: pg.Client,
  migrations: Migration[],
  migration: Migration,
  { waitMs = defaultWaitMs }: MigrateOptions,
): Promise<boolean> {
  await client.query('BEGIN')
  await client.query(`SET LOCAL lock_timeout = ${waitMs}`)
  // Only one process migrates at a time; readers of the table, such as a starting service, are not blocked.
  await client.query('LOCK TABLE schema_migrations IN SHARE ROW EXCLUSIVE MODE')
  const stillPending = listPending(migrations, await readApplied(client))
  if (stillPending[0] === migration) return true
  await client.query('COMMIT')
  return false
}

/**
 * Applies a file that builds indexes, through a second connection: the first one keeps other processes from doing the
 * same. The build waits for every transaction that has a snapshot, and this one has none; nor have those that wait for
 * the table. Nothing queues behind the build, so it may wait as long as for another process.
 */
async function applyOutside(
  client: pg.Client,
  indexer: pg.Client,
  migrations: Migration[],
  migration: Migration,
  options: MigrateOptions,
): Promise<boolean> {
  const [wrong] = findUnrepeatable(migration.sql)
  if (wrong) {
    throw new MigrationError(
      `Migration ${migration.file} runs outside a transaction, so it must only have CREATE INDEX CONCURRENTLY IF NOT EXISTS and DROP INDEX CONCURRENTLY IF EXISTS. Move line ${wrong.line} to another file.`,
    )
  }
  if (!(await beginAlone(client, migrations, migration, options))) return false
  await indexer.query(`SET lock_timeout = ${options.waitMs ?? defaultWaitMs}`)
  await runIndexStatements(indexer, migration.sql)
  await recordApplied(client, migration)
  await client.query('COMMIT')
  return true
}

/** Applies one file, or returns false when another process has done so while we waited for it. */
async function apply(
  client: pg.Client,
  migrations: Migration[],
  migration: Migration,
  options: MigrateOptions,
): Promise<boolean> {
  if (!(await beginAlone(client, migrations, migration, options))) return false
  await client.query(`SET LOCAL lock_timeout = ${options.lockTimeoutMs ?? lockTimeoutMs}`)
  await run(client, migration)
  await client.query('COMMIT')
  return true
}

async function run(client: pg.Client, migration: Migration): Promise<void> {
  // An owner subject to row level security would silently change no rows; with this it fails instead.
  await client.query('SET LOCAL row_security = off')
  await client.query(migration.sql)
  if (client.getTransactionStatus() !== 'T') {
    throw new MigrationError(
      `Migration ${migration.file} ends the transaction it runs in. Remove BEGIN, COMMIT and ROLLBACK from it; parts of it may have been applied.`,
    )
  }
  await recordApplied(client, migration)
}

async function recordApplied(client: pg.Client, migration: Migration): Promise<void> {
  const { version, file, checksum, compatibleFrom } = migration
  await client.query(
    'INSERT INTO schema_migrations (version, file, checksum, compatible_from) VALUES ($1, $2, $3, $4)',
    [version, file, checksum, compatibleFrom ?? null],
  )
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown })?.code)
}

function lineOf(error: unknown, sql: string): string {
  const position = Number((error as { position?: unknown })?.position)
  if (!Number.isInteger(position)) return ''
  return ` in line ${sql.slice(0, position).split('\n').length}`
}
