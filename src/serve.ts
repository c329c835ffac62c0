/**
 * Runs the service: database, migrations, HTTP, and the demo when it is on. Wired by hand, once, here. It stops
 * in the opposite order: no new calls, finish what was taken, then the database.
 */
import { mkdir } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import type { Config } from './config.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './database/embedded-postgres.ts'
import { migrate } from './database/migrate.ts'
import { type DatabaseConnection, openPool } from './database/pool.ts'
import { takeProcessLock } from './database/process-lock.ts'
import { type Demo, prepareDemo, removeDemoFile, writeDemoFile } from './demo.ts'
import { createLogger, type Logger } from './http/logger.ts'
import { buildServer, type Server } from './http/server.ts'
import { createAccessTokens } from './operations/access-tokens.ts'
import { createCampaignCache } from './operations/campaign-cache.ts'
import { createCredentials } from './operations/credentials.ts'
import type { Deps } from './operations/deps.ts'
import { createTransactions, type Transactions } from './operations/transactions.ts'
import { loadOrCreateSecrets } from './secrets-file.ts'
import { type Jobs, startJobs } from './worker/run-jobs.ts'

export interface RunningService {
  readonly baseUrl: string
  readonly demo: Demo | undefined
  /** Stops everything within the time that supervisors give; can be repeated. */
  stop(): Promise<void>
}

// Together with what PostgreSQL is given to end, below the ten seconds after which supervisors kill.
const drainTimeoutMs = 5_000
const jobsTimeoutMs = 500
const poolTimeoutMs = 500
const postgresTimeoutMs = 1_500
const readinessTimeoutMs = 2_000

/** The service's log: readable on a terminal, JSON lines in a pipe, and out of the way of a document on stdout. */
export function openLog(config: Config, options: { isTerminal: boolean; toStderr: boolean }): Logger {
  return createLogger(config.logLevel, options)
}

/** Starts everything. When `signal` ends the start in the middle, what was started is stopped again. */
export async function serve(config: Config, log: Logger, signal?: AbortSignal): Promise<RunningService> {
  if (config.demo) await removeFormerDemoFile(config)
  const embedded = config.databaseUrl === undefined ? await startEmbedded(config, log) : undefined
  try {
    signal?.throwIfAborted()
    return await serveOn(embedded?.connection ?? config.databaseUrl!, config, log, embedded, signal)
  } catch (error) {
    await embedded?.stop()
    throw error
  }
}

/**
 * Before anything slow, so that a script that waits for the file does not meet the one of an earlier run. A
 * service that still runs on the data folder keeps its own: this start is going to be refused.
 */
async function removeFormerDemoFile({ dataDir, databaseUrl }: Config): Promise<void> {
  if (databaseUrl !== undefined) return removeDemoFile(dataDir)
  await mkdir(dataDir, { recursive: true })
  const lock = await takeProcessLock(postgresFolder(dataDir), 0)
  if ('heldBy' in lock) return
  try {
    await removeDemoFile(dataDir)
  } finally {
    await lock.release()
  }
}

const postgresFolder = (dataDir: string) => `${dataDir}/postgres`

async function startEmbedded(config: Config, log: Logger): Promise<EmbeddedPostgres> {
  const folder = postgresFolder(config.dataDir)
  const embedded = await startEmbeddedPostgres({ folder, binFolder: config.postgresBin, log })
  // The folder is ours now, and so is a file that a process just killed had not let us remove before.
  if (config.demo) await removeDemoFile(config.dataDir)
  return embedded
}

async function serveOn(
  connection: DatabaseConnection,
  config: Config,
  log: Logger,
  embedded: EmbeddedPostgres | undefined,
  signal: AbortSignal | undefined,
): Promise<RunningService> {
  await migrate(connection, { log })
  signal?.throwIfAborted()
  const secrets = await completeSecrets(config)
  const pool = openPool(connection, {
    log,
    statementTimeoutMs: 5_000,
    queryTimeoutMs: 8_000,
    lockTimeoutMs: 3_000,
  })
  const deps: Deps = {
    pool,
    clock: () => new Date(),
    credentials: createCredentials(secrets.credentialPepper),
    accessTokens: createAccessTokens(secrets.jwtSecret, config.accessTokenTtlSeconds),
    refreshTokenTtlMs: config.refreshTokenTtlSeconds * 1000,
    campaigns: createCampaignCache(),
    log,
  }
  const transactions = createTransactions({ deps })
  const state = { isStopping: false }
  let app: Server | undefined
  let jobs: Jobs | undefined
  const stopAll = async () => {
    state.isStopping = true
    const jobsEnded = jobs?.stop()
    if (app) await closeServer(app, transactions)
    if (jobsEnded) await withTimeout(jobsEnded, jobsTimeoutMs)
    await withTimeout(pool.end(), poolTimeoutMs)
    await embedded?.stop(postgresTimeoutMs)
  }
  try {
    app = await buildServer({
      deps,
      transactions,
      adminToken: secrets.adminToken,
      rateLimit: config.rateLimit,
      isBehindProxy: config.trustProxy,
      https: config.tls,
      logger: log,
      isReady: async () => !state.isStopping && (await canQuery(deps)),
    })
    await app.listen({ port: config.port, host: config.host })
    const baseUrl = baseUrlOf(app, config)
    const demo = config.demo ? await prepareDemo(deps, config.dataDir) : undefined
    if (demo) await writeDemoFile(config.dataDir, { baseUrl, adminToken: secrets.adminToken, ...demo })

    jobs = startJobs(deps)

    let stopped: Promise<void> | undefined
    return {
      baseUrl,
      demo,
      stop() {
        stopped ??= stopAll()
        return stopped
      },
    }
  } catch (error) {
    await stopAll()
    throw error
  }
}

/** Finishes what was taken. A client that never sends the rest of its request is cut off in the end. */
async function closeServer(app: Server, transactions: Transactions): Promise<void> {
  await withTimeout(
    app.close().then(() => transactions.drain()),
    drainTimeoutMs,
  )
  app.server.closeAllConnections()
}

/** The secrets as set, and for those that were not, the ones kept under the data folder. */
export async function completeSecrets(config: Config) {
  const { adminToken, jwtSecret, credentialPepper } = config
  if (adminToken !== undefined && jwtSecret !== undefined) {
    return { adminToken, jwtSecret, credentialPepper: credentialPepper ?? jwtSecret }
  }
  const stored = await loadOrCreateSecrets(config.dataDir)
  const secret = jwtSecret ?? stored.jwtSecret
  return {
    adminToken: adminToken ?? stored.adminToken,
    jwtSecret: secret,
    credentialPepper: credentialPepper ?? secret,
  }
}

async function canQuery({ pool }: Deps): Promise<boolean> {
  try {
    return (await withTimeout(pool.query('SELECT 1'), readinessTimeoutMs)) !== undefined
  } catch {
    return false
  }
}

function baseUrlOf(app: Server, config: Config): string {
  const { port } = app.server.address() as AddressInfo
  // Where everything is listened to, the address to paste is still this machine's own.
  const address = { '0.0.0.0': '127.0.0.1', '::': '::1' }[config.host] ?? config.host
  const host = address.includes(':') ? `[${address}]` : address
  return `${config.tls ? 'https' : 'http'}://${host}:${port}`
}

/** The promise's value, or undefined when it takes too long. */
async function withTimeout<T>(promise: Promise<T>, timeoutMs: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeoutMs)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}
