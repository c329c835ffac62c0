/**
 * The database for one command: that of DATABASE_URL, the embedded one of a running service, or the embedded
 * one started for the command and stopped after it.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, Pool } from 'pg'
import type { Config } from '../config.ts'
import { appRole, readRoleState } from '../database/app-role.ts'
import { checkSession } from '../database/check-session.ts'
import { isDistributed } from '../database/distribute.ts'
import { migrate, readSchemaState } from '../database/migrate.ts'
import {
  createClient,
  type DatabaseConnection,
  type EmbeddedConnection,
  openPool,
  type SessionOptions,
} from '../database/pool.ts'
import {
  type EmbeddedPostgres,
  findEmbeddedPostgres,
  startEmbeddedPostgres,
} from '../embedded-postgres/embedded-postgres.ts'
import { takeProcessLock } from '../embedded-postgres/process-lock.ts'
import { FolderInUseError } from '../embedded-postgres/server-process.ts'
import { explaining } from './explain-failure.ts'
import { Failure } from './failure.ts'

export type DatabaseOrigin = 'external' | 'running' | 'started'

/** Runs `work` on the database, whether or not the service is running, and leaves its state as it was. */
export function withDatabase<T>(
  config: Config,
  work: (connection: DatabaseConnection, origin: DatabaseOrigin) => Promise<T>,
): Promise<T> {
  return explaining(config, async () => {
    if (config.databaseUrl !== undefined) return work(config.databaseUrl, 'external')
    const release = await waitForOtherCommands(config)
    try {
      return await withEmbedded(config, work)
    } finally {
      await release()
    }
  })
}

/**
 * Runs `work` with a pool, on a database whose schema is in place. The pool works as the service does, or as
 * the owner of the tables, who may delete what the service may not.
 */
export function withPool<T>(
  config: Config,
  work: (pool: Pool) => Promise<T>,
  { isOwner = false } = {},
): Promise<T> {
  return withDatabase(config, async (connection, origin) => {
    const session = await prepareSession(connection, origin)
    await checkSession(connection, session)
    const pool = openPool(connection, {
      applicationName: 'loyalty-wallet cli',
      maxConnections: 2,
      ...session,
      ...(isOwner && ownerSession),
    })
    try {
      return await work(pool)
    } finally {
      await pool.end()
    }
  })
}

/**
 * No one else uses a server that we started, so it can be migrated as the service would do it. A running service may
 * be older than this command, so its schema must not be changed.
 */
export async function prepareSession(
  connection: DatabaseConnection,
  origin: DatabaseOrigin,
): Promise<SessionOptions> {
  return origin === 'started' ? (await migrate(connection)).session : findSessionOf(connection)
}

/** Statements of the owner go through whole tables, and take as long as that takes. */
const ownerSession = { role: undefined, statementTimeoutMs: 0, queryTimeoutMs: 0 }

/** The service's own role and settings, so that a command has no more rights than the service. */
export async function findSession(client: Client, { isNewer = false } = {}): Promise<SessionOptions> {
  const { obstacle } = await readRoleState(client, { isNewer })
  return { role: obstacle ? undefined : appRole, isDistributed: await isDistributed(client) }
}

async function findSessionOf(connection: DatabaseConnection): Promise<SessionOptions> {
  const client = createClient(connection, { applicationName: 'loyalty-wallet cli' })
  await client.connect()
  try {
    // Refuses a schema that is too new for this program.
    const { newer } = await readSchemaState(client)
    return await findSession(client, { isNewer: newer > 0 })
  } finally {
    await client.end()
  }
}

export const postgresFolder = (config: Config): string => join(config.dataDir, 'postgres')

async function withEmbedded<T>(
  config: Config,
  work: (connection: DatabaseConnection, origin: DatabaseOrigin) => Promise<T>,
): Promise<T> {
  const server = await findOrStart(config)
  if (!('stop' in server)) return work(server, 'running')
  // The server is a separate process and would keep running without us.
  const stopAndExit = () => {
    void server.stop().finally(() => process.exit(130))
  }
  for (const signal of signals) process.on(signal, stopAndExit)
  try {
    return await work(server.connection, 'started')
  } finally {
    for (const signal of signals) process.off(signal, stopAndExit)
    await server.stop()
  }
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const serviceStartMs = 15_000

async function findOrStart(config: Config): Promise<EmbeddedConnection | EmbeddedPostgres> {
  const folder = postgresFolder(config)
  for (const deadline = Date.now() + serviceStartMs; ; await sleep(100)) {
    const running = await findEmbeddedPostgres(folder)
    if (running) return running
    try {
      return await startEmbeddedPostgres({ folder, binFolder: config.postgresBin })
    } catch (error) {
      // A service that is just starting locks the folder before its server can be found.
      if (!(error instanceof FolderInUseError) || Date.now() > deadline) throw error
    }
  }
}

/** Two concurrent commands would share one server, and the first to finish would stop it for both. */
async function waitForOtherCommands(config: Config): Promise<() => Promise<void>> {
  await mkdir(config.dataDir, { recursive: true })
  const lock = await takeProcessLock(join(config.dataDir, 'command'), 60_000)
  if ('release' in lock) return () => lock.release()
  throw new Failure(
    'busy',
    `Another loyalty-wallet command (process ${lock.heldBy}) is using the database and has not finished. Wait for it, or stop it.`,
  )
}
