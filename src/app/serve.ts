/**
 * Runs the service: database, migrations, HTTP, and the demo when it is on. Wired by hand, once, here. It stops
 * in the opposite order: no new calls, finish what was taken, then the database.
 */
import { mkdir } from 'node:fs/promises'
import { baseUrlOf, type Config, isReachedElsewhere } from '../config.ts'
import { migrate } from '../database/migrate.ts'
import { type DatabaseConnection, openPool } from '../database/pool.ts'
import { removeDemoFile, writeDemoFile } from '../demo/demo-file.ts'
import { type Demo, openDemo } from '../demo/open-demo.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../embedded-postgres/embedded-postgres.ts'
import { takeProcessLock } from '../embedded-postgres/process-lock.ts'
import { createLogger, type Logger } from '../http/redaction/logger.ts'
import { type Jobs, startJobs } from '../jobs/run-jobs.ts'
import { adoptPepperOfDemo, recognizePepper, WrongPepperError } from '../operations/auth/recognize-pepper.ts'
import type { Deps } from '../operations/deps.ts'
import { startWorkers } from './cluster.ts'
import { listen, openDeps, type ServiceSecrets } from './listen.ts'
import { loadOrCreateSecrets } from './secrets-file.ts'
import { withTimeout } from './with-timeout.ts'

export interface RunningService {
  readonly baseUrl: string
  readonly demo: Demo | undefined
  /** When the demo opened, if it has a past to look at. */
  readonly demoSince: Date | undefined
  /** Stops everything within the time that supervisors give; can be repeated. */
  stop(): Promise<void>
}

// Together with what PostgreSQL is given to end, below the ten seconds after which supervisors kill.
const jobsTimeoutMs = 500
const poolTimeoutMs = 500
const postgresTimeoutMs = 1_500

/** The service's log: readable on a terminal, JSON lines in a pipe, and out of the way of a document on stdout. */
export function openLog(config: Config, options: { isTerminal: boolean; toStderr: boolean }): Logger {
  return createLogger(config.logLevel, options)
}

export interface StartOptions {
  /** When it ends the start in the middle, what was started is stopped again. */
  readonly signal?: AbortSignal
  /** Told how far the demo has come while it is filled with its past. */
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
  { signal, onDemoDay }: StartOptions,
): Promise<RunningService> {
  const { role } = await migrate(connection, { log })
  signal?.throwIfAborted()
  const secrets = await completeSecrets(config)
  const deps = openDeps(connection, role, config, secrets, log)
  // Before anybody can call: who meets the demo meets all of it.
  const openDemoOf = () =>
    openDemo(deps, {
      dataDir: config.dataDir,
      days: config.demoDays,
      openAsyncCommitDeps: () => openDeps(connection, role, config, secrets, log, { asyncCommit: true }),
      openOwnerPool: () => openPool(connection, { log, statementTimeoutMs: 0, queryTimeoutMs: 0 }),
      onDay: onDemoDay,
      signal,
    })
  if (config.publicUrl === undefined && isReachedElsewhere(config)) {
    log.warn({}, 'PUBLIC_URL is not set: wallet pages and invitations lead to an address of this computer')
  }
  const opened = await checkPepper(deps, config, secrets)
    .then(() => (config.demo ? openDemoOf() : undefined))
    .catch(async (error) => {
      await deps.pool.end()
      throw error
    })
  const front =
    config.workers === 1
      ? await listen(deps, config, secrets, log)
      : await startWorkers(config.workers, connection, role, config, secrets, log)
  let jobs: Jobs | undefined
  const stopAll = async () => {
    const jobsEnded = jobs?.stop()
    await front.stop()
    if (jobsEnded) await withTimeout(jobsEnded, jobsTimeoutMs)
    await withTimeout(deps.pool.end(), poolTimeoutMs)
    await embedded?.stop(postgresTimeoutMs)
  }
  try {
    const baseUrl = baseUrlOf(front.port, config)
    const demo = opened?.demo
    if (demo) {
      const consoleUrl = `${baseUrl}/console`
      await writeDemoFile(config.dataDir, { baseUrl, adminToken: secrets.adminToken, consoleUrl, ...demo })
    }
    jobs = startJobs(deps)
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

/** A demo goes on with new credentials; where there are others, somebody has to decide. */
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
    log.warn({}, 'the secrets of this installation are new; the demo gets new credentials')
  }
}

/** The secrets as set, and for those that were not, the ones kept under the data folder. */
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
