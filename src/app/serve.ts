/**
 * Runs the service: database, migrations, HTTP, and the demo if it is on. This is where everything is wired
 * together. It stops in reverse order: no new requests, finish those in progress, then the database.
 */
import { mkdir } from 'node:fs/promises'
import { baseUrlOf, type Config, isReachedElsewhere } from '../config.ts'
import { checkSession, SessionError } from '../database/check-session.ts'
import { migrate } from '../database/migrate.ts'
import { type DatabaseConnection, openPool, type SessionOptions } from '../database/pool.ts'
import { removeDemoFile, updateDemoFile, writeDemoFile } from '../demo/demo-file.ts'
import { type Demo, type OpenDemo, openDemo } from '../demo/open-demo.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../embedded-postgres/embedded-postgres.ts'
import { takeProcessLock } from '../embedded-postgres/process-lock.ts'
import { createLogger, type Logger, type LogTarget } from '../http/redaction/logger.ts'
import { startDeliveries } from '../jobs/deliver-webhooks.ts'
import { startReceiving } from '../jobs/record-received.ts'
import { type Jobs, startJobs } from '../jobs/run-jobs.ts'
import { startSending } from '../jobs/send-messages.ts'
import { startPassUpdates } from '../jobs/update-passes.ts'
import { adoptPepperOfDemo, recognizePepper, WrongPepperError } from '../operations/auth/recognize-pepper.ts'
import type { Deps } from '../operations/deps.ts'
import { startWorkers } from './cluster.ts'
import { flushSpans, listen, openDeps, type ServiceSecrets } from './listen.ts'
import { loadOrCreateSecrets } from './secrets-file.ts'
import { withTimeout } from './with-timeout.ts'

export interface RunningService {
  readonly baseUrl: string
  readonly demo: Demo | undefined
  /** When the demo opened, if it has a history. */
  readonly demoSince: Date | undefined
  /** Stops everything within the time that process supervisors allow; can be called more than once. */
  stop(): Promise<void>
}

// Together with the other timeouts of a stop, below the ten seconds after which supervisors kill the process.
const jobsTimeoutMs = 500
const poolTimeoutMs = 500
const postgresTimeoutMs = 1_500

/**
 * The service's log: pretty-printed on a terminal, JSON lines otherwise, and on stderr if stdout has a
 * document.
 */
export function openLog(config: Config, to: LogTarget): Logger {
  return createLogger(config.logLevel, to)
}

export interface StartOptions {
  /** Aborts the start; what was already started is stopped again. */
  readonly signal?: AbortSignal
  /** Where the log goes, for processes that are started. By default lines of JSON on stdout. */
  readonly logTo?: LogTarget
  /** Reports the progress while the demo is filled with its history. */
  readonly onDemoDay?: (day: number, of: number) => void
}

/** Starts everything. */
export async function serve(
  config: Config,
  log: Logger,
  options: StartOptions = {},
): Promise<RunningService> {
  if (config.demo) await removeFormerDemoFile(config)
  const embedded = config.databaseUrl === undefined ? await startEmbedded(config, log) : undefined
  try {
    options.signal?.throwIfAborted()
    return await serveOn(embedded?.connection ?? config.databaseUrl!, config, log, embedded, options)
  } catch (error) {
    await embedded?.stop()
    throw error
  }
}

/**
 * Runs before anything slow, so that a script that waits for the file does not find that of an earlier run. A
 * service that is still running on the data folder keeps its file: this start is going to fail.
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
  // The folder is ours now, so a file that a just killed process had kept us from removing can go.
  if (config.demo) await removeDemoFile(config.dataDir)
  return embedded
}

/** For work that takes its time, with the rights of the login. */
const asOwner = { role: undefined, statementTimeoutMs: 0, queryTimeoutMs: 0 }

async function serveOn(
  connection: DatabaseConnection,
  config: Config,
  log: Logger,
  embedded: EmbeddedPostgres | undefined,
  { signal, onDemoDay, logTo }: StartOptions,
): Promise<RunningService> {
  const session = await prepareDatabase(connection, config, log)
  signal?.throwIfAborted()
  const secrets = await completeSecrets(config)
  const deps = openDeps(connection, session, config, secrets, log)
  const demoOptions = () => demoOptionsOf(connection, session, config, secrets, log)
  if (config.publicUrl === undefined && isReachedElsewhere(config)) {
    log.warn({}, 'PUBLIC_URL is not set: links to wallet pages and invitations point to a local address')
  }
  const opened = await checkPepper(deps, config, secrets)
    // Before requests are accepted, so that no client sees a partial demo.
    .then(() => (config.demo ? openDemo(deps, { ...demoOptions(), onDay: onDemoDay, signal }) : undefined))
    .catch(async (error) => {
      await deps.pool.end()
      throw error
    })
  const front =
    config.workers === 1
      ? await listen(deps, session, config, secrets, log)
      : await startWorkers(connection, session, config, secrets, log, deps, logTo)
  const jobs: Jobs[] = []
  const stopAll = async () => {
    const jobsEnded = Promise.all(jobs.map((each) => each.stop()))
    await front.stop()
    await withTimeout(jobsEnded, jobsTimeoutMs)
    deps.mappings.close()
    await Promise.all([withTimeout(deps.pool.end(), poolTimeoutMs), flushSpans(deps)])
    await embedded?.stop(postgresTimeoutMs)
  }
  try {
    const baseUrl = baseUrlOf(front.port, config)
    const demo = opened?.demo
    if (demo) {
      const consoleUrl = `${baseUrl}/console`
      await writeDemoFile(config.dataDir, { baseUrl, adminToken: secrets.adminToken, consoleUrl, ...demo })
    }
    jobs.push(startJobs(deps), startDeliveries(deps), startSending(deps), startReceiving(deps))
    jobs.push(startPassUpdates(deps))
    let stopped: Promise<void> | undefined
    return {
      baseUrl,
      demo,
      demoSince: opened?.since,
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

function demoOptionsOf(
  connection: DatabaseConnection,
  session: SessionOptions,
  config: Config,
  secrets: ServiceSecrets,
  log: Logger,
) {
  return {
    dataDir: config.dataDir,
    days: config.demoDays,
    openAsyncCommitDeps: () => openDeps(connection, session, config, secrets, log, { asyncCommit: true }),
    openOwnerPool: () => openPool(connection, { ...session, ...asOwner, log }),
  }
}

/** Replaces the demo by a new one, whether or not a service is running; undefined if there is none. */
export async function resetDemo(
  connection: DatabaseConnection,
  session: SessionOptions,
  config: Config,
  log: Logger,
  onDay?: (day: number, of: number) => void,
): Promise<OpenDemo | undefined> {
  const secrets = await completeSecrets(config)
  const deps = openDeps(connection, session, config, secrets, log)
  try {
    await checkPepper(deps, config, secrets)
    const options = demoOptionsOf(connection, session, config, secrets, log)
    const opened = await openDemo(deps, { ...options, onDay, isReset: true })
    if (opened) await updateDemoFile(config.dataDir, opened.demo)
    return opened
  } finally {
    await Promise.all([deps.pool.end(), flushSpans(deps)])
  }
}

async function prepareDatabase(
  connection: DatabaseConnection,
  { readDatabaseUrl, clusterDirect }: Config,
  log: Logger,
): Promise<SessionOptions> {
  const { session } = await migrate(connection, { log })
  if (clusterDirect && !session.isDistributed)
    log.warn({}, 'CLUSTER_DIRECT has no effect, because the database is on one server')
  await checkSession(connection, session)
  if (readDatabaseUrl !== undefined) await checkReplica(readDatabaseUrl, session, log)
  return session
}

/** A replica that is away does not delay the start, but one that would be used without its guards does. */
async function checkReplica(url: string, session: SessionOptions, log: Logger): Promise<void> {
  if (session.isDistributed)
    throw new SessionError('READ_DATABASE_URL cannot be used with a cluster of servers.')
  await checkSession(url, { ...session, isReadOnly: true }).catch((error: Error) => {
    if (error instanceof SessionError) throw new SessionError(`READ_DATABASE_URL: ${error.message}`)
    log.warn({ reason: error.message }, 'the read replica cannot be reached')
  })
}

/** A demo continues with new credentials; with real merchants, the operator has to decide. */
async function checkPepper(
  { pool, clock, log }: Deps,
  config: Config,
  secrets: ServiceSecrets,
): Promise<void> {
  const pepper = secrets.credentialPepper
  try {
    await recognizePepper(pool, pepper, clock())
  } catch (error) {
    if (!(error instanceof WrongPepperError && config.demo)) throw error
    if (!(await adoptPepperOfDemo(pool, pepper, clock()))) throw error
    log.warn({}, 'this installation has new secrets, so the demo gets new credentials')
  }
}

/** The configured secrets, and for those not set, the ones stored in the data folder. */
export async function completeSecrets(config: Config): Promise<ServiceSecrets> {
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
