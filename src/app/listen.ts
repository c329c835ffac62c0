/**
 * One process that handles requests: pool, operations and HTTP on a database that is already migrated. The
 * service runs one of these, or several on one port (`cluster.ts`).
 */
import type { AddressInfo } from 'node:net'
import { baseUrlOf, type Config } from '../config.ts'
import { canWrite } from '../database/can-write.ts'
import { SessionError } from '../database/check-session.ts'
import { type DatabaseConnection, openPool, type SessionOptions, serviceLimits } from '../database/pool.ts'
import { type Replica, watchReplica } from '../database/replica.ts'
import type { Server } from '../http/fastify-server.ts'
import { createRequestLog } from '../http/plugins/request-log.ts'
import type { Logger } from '../http/redaction/logger.ts'
import { buildServer } from '../http/server.ts'
import { type BasketProcessor, createBasketProcessor } from '../operations/baskets/process.ts'
import { createDeps, type Deps } from '../operations/deps.ts'
import { createReplicaReads } from '../operations/replica-reads.ts'
import { packageVersion } from '../package-root.ts'
import { createTracer } from '../tracing/tracer.ts'
import { withTimeout } from './with-timeout.ts'

export interface ServiceSecrets {
  readonly adminToken: string
  readonly jwtSecret: string
  readonly credentialPepper: string
}

export interface Listener {
  readonly port: number
  /** Accepts no new requests, and finishes those in progress. */
  stop(): Promise<void>
}

const drainTimeoutMs = 5_000
/** For the last write of the request log and of spans; what is unreachable must not delay the exit. */
const lastFlushTimeoutMs = 500
const readinessTimeoutMs = 2_000

export function openDeps(
  connection: DatabaseConnection,
  session: SessionOptions,
  config: Config,
  secrets: ServiceSecrets,
  log: Logger,
  { asyncCommit = false } = {},
): Deps {
  const pool = openPool(connection, {
    log,
    ...session,
    ...serviceLimits,
    asyncCommit,
    // Of commits that do not wait, those on one server are flushed together.
    isDirect: config.clusterDirect && !asyncCommit,
    ...(asyncCommit && { maxConnections: 5 }),
  })
  const publicUrl = () => config.publicUrl ?? baseUrlOf(config.port, config)
  // What is created with asynchronous commits is the demo's past, which nobody wants to see in traces.
  const tracer =
    config.tracing && !asyncCommit
      ? createTracer({ ...config.tracing, version: packageVersion(), log })
      : undefined
  return createDeps({ ...config, ...secrets, publicUrl, pool, log, tracer })
}

/** Sends the last spans of a process. */
export async function flushSpans({ tracer }: Deps): Promise<void> {
  if (tracer) await withTimeout(tracer.flush(), lastFlushTimeoutMs)
}

export async function listen(
  deps: Deps,
  session: SessionOptions,
  config: Config,
  secrets: ServiceSecrets,
  log: Logger,
): Promise<Listener> {
  const replica = openReplica(deps, session, config)
  const reads = replica && createReplicaReads(deps.pool, replica, { maxAgeMs: maxAgeMsOf(config), log })
  const baskets = createBasketProcessor({ deps, processes: config.workers })
  const requestLog = createRequestLog(deps)
  const state = { isStopping: false }
  // Readiness checks share one query for as long as it runs: frequent checks must not use up connections.
  let asked: Promise<boolean> | undefined
  const canServe = async () => {
    asked ??= canWrite(deps.pool, session.role)
      .catch((error) => {
        if (error instanceof SessionError) log.error({ err: error }, 'not ready: see loyalty-wallet doctor')
        return false
      })
      .finally(() => {
        asked = undefined
      })
    return (await withTimeout(asked, readinessTimeoutMs)) ?? false
  }
  let app: Server | undefined
  let port = config.port
  const stop = async () => {
    state.isStopping = true
    if (app) await closeServer(app, baskets)
    await Promise.all([withTimeout(requestLog.stop(), lastFlushTimeoutMs), flushSpans(deps)])
    if (replica) await withTimeout(replica.stop(), lastFlushTimeoutMs)
  }
  try {
    app = await buildServer({
      // The port may be known only after listening, and is not needed before. It is stored in a variable: a
      // server that is closing no longer has an address, but still finishes its requests.
      deps: { ...deps, replica: reads, publicUrl: () => config.publicUrl ?? baseUrlOf(port, config) },
      baskets,
      requestLog,
      adminToken: secrets.adminToken,
      rateLimits: config.rateLimits,
      isBehindProxy: config.trustProxy,
      publicUrl: config.publicUrl,
      https: config.tls,
      logger: log,
      isReady: async () => !state.isStopping && (await canServe()),
    })
    await app.listen({ port: config.port, host: config.host })
    port = (app.server.address() as AddressInfo).port
    return { port, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const maxAgeMsOf = ({ maxDataAgeSeconds }: Config) => maxDataAgeSeconds * 1000

/** Its client gives up sooner than that of the primary, which then still has time to answer. */
const replicaLimits = { ...serviceLimits, queryTimeoutMs: 6_000, connectionTimeoutMs: 2_000 }

function openReplica({ pool, log }: Deps, session: SessionOptions, config: Config): Replica | undefined {
  if (config.readDatabaseUrl === undefined) return undefined
  const options = { ...session, ...replicaLimits, isReadOnly: true, log }
  return watchReplica({
    primary: pool,
    pool: openPool(config.readDatabaseUrl, options),
    role: session.role,
    maxAgeMs: maxAgeMsOf(config),
    log,
  })
}

/**
 * Finishes requests in progress. A client that never sends the rest of its request is disconnected in the
 * end.
 */
async function closeServer(app: Server, baskets: BasketProcessor): Promise<void> {
  await withTimeout(
    app.close().then(() => baskets.drain()),
    drainTimeoutMs,
  )
  app.server.closeAllConnections()
}
