/**
 * Several processes on one port and one database, for machines with more than one core. The primary runs the
 * embedded database, the jobs and the demo, and starts the workers; it sends them their configuration over
 * IPC and not in arguments or the environment, where a process list would show the secrets.
 */
import cluster, { type Worker } from 'node:cluster'
import type { Config } from '../config.ts'
import type { DatabaseConnection, SessionOptions } from '../database/pool.ts'
import { createMetricsGatherer, isAboutMetrics } from '../http/plugins/gather-metrics.ts'
import { collectOwnMetrics } from '../http/plugins/metrics.ts'
import { createLogger, type Logger, type LogTarget } from '../http/redaction/logger.ts'
import type { Deps } from '../operations/deps.ts'
import { type Listener, listen, openDeps, type ServiceSecrets } from './listen.ts'
import { withTimeout } from './with-timeout.ts'

/** The hidden command that starts a worker. */
export const workerCommand = 'work'

const ready = 'ready'

interface Assignment {
  readonly connection: DatabaseConnection
  readonly session: SessionOptions
  readonly config: Omit<Config, 'tls'> & { readonly tls?: { readonly cert: string; readonly key: string } }
  readonly secrets: ServiceSecrets
  readonly logTo: LogTarget
}

export interface Workers {
  readonly port: number
  stop(): Promise<void>
}

const stopTimeoutMs = 6_000
const restartPauseMs = 500

export async function startWorkers(
  connection: DatabaseConnection,
  session: SessionOptions,
  config: Config,
  secrets: ServiceSecrets,
  log: Logger,
  deps: Deps,
  logTo: LogTarget = { isTerminal: false, toStderr: false },
): Promise<Workers> {
  const count = config.workers
  cluster.setupPrimary({ args: [workerCommand], serialization: 'json' })
  let isStopping = false
  const assignment: Assignment = { connection, session, secrets, logTo, config: toShare(config) }
  const listening = new Set<Worker>()
  const gatherMetrics = createMetricsGatherer(
    () => [...listening].filter((worker) => worker.isConnected()),
    collectOwnMetrics(deps), // The primary runs the jobs.
  )
  const start = () => {
    const worker = cluster.fork()
    worker.on('message', (message) => {
      // A message sent before the worker listens is lost, so it reports when it is ready.
      if (message === ready) worker.send(assignment)
      if (message.port !== undefined) listening.add(worker)
      void gatherMetrics(worker, message)
    })
    // Sending to a worker that has just died emits an error, which would be unhandled without this listener.
    worker.on('error', (error) => log.warn({ worker: worker.process.pid, err: error }, 'worker unreachable'))
    worker.once('exit', (code, signal) => {
      listening.delete(worker)
      if (isStopping) return
      log.error({ worker: worker.process.pid, code, signal }, 'worker exited, restarting')
      setTimeout(() => !isStopping && start(), restartPauseMs)
    })
    return worker
  }
  const workers = Array.from({ length: count }, start)
  const stop = async () => {
    isStopping = true
    const running = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    await withTimeout(Promise.all(running.map(stopWorker)), stopTimeoutMs)
    for (const worker of running) if (!worker.isDead()) worker.process.kill('SIGKILL')
  }
  try {
    const [port] = await Promise.all(workers.map(portOf))
    return { port: port!, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Each worker gets a share of the limits, so that together they allow as much as one process would. */
function toShare({ tls, ...config }: Config): Assignment['config'] {
  return {
    ...config,
    rateLimits: shareOf(config.rateLimits, config.workers),
    tls: tls && { cert: tls.cert.toString('base64'), key: tls.key.toString('base64') },
  }
}

function shareOf(limits: Config['rateLimits'], count: number): Config['rateLimits'] {
  const share = (limit: number | undefined) => (limit === undefined ? undefined : Math.max(1, limit / count))
  const { organization, connection, address } = limits
  return { organization: share(organization), connection: share(connection), address: share(address) }
}

function portOf(worker: Worker): Promise<number> {
  return new Promise((resolve, reject) => {
    worker.on('message', (message: { port?: number; error?: { message: string; code?: string } }) => {
      if (message.port !== undefined) resolve(message.port)
      if (message.error) reject(Object.assign(new Error(message.error.message), { code: message.error.code }))
    })
    worker.once('exit', () => reject(new Error('A worker exited before it could listen.')))
  })
}

function stopWorker(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.once('exit', () => resolve())
    worker.send('stop')
  })
}

/** Main function of a worker: listens until it is told to stop or its parent is gone. */
export async function work(): Promise<void> {
  // A terminal sends Ctrl-C to all processes; the primary tells us when to stop.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
  let listener: Listener | undefined
  const stopped = new Promise<void>((resolve) => {
    process.on('message', (message: Assignment | 'stop') => {
      if (message === 'stop') return resolve()
      if (isAboutMetrics(message)) return
      void takeUp(message).then((started) => {
        listener = started
      })
    })
    process.on('disconnect', () => resolve())
  })
  process.send?.(ready)
  await stopped
  await listener?.stop()
  process.exit(0)
}

async function takeUp({
  connection,
  session,
  config,
  secrets,
  logTo,
}: Assignment): Promise<Listener | undefined> {
  const tls = config.tls && {
    cert: Buffer.from(config.tls.cert, 'base64'),
    key: Buffer.from(config.tls.key, 'base64'),
  }
  const log = createLogger(config.logLevel, logTo)
  try {
    const deps = openDeps(connection, session, { ...config, tls }, secrets, log)
    const listener = await listen(deps, session, { ...config, tls }, secrets, log)
    process.send?.({ port: listener.port })
    return listener
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    process.send?.({ error: { message, code } })
    return undefined
  }
}
