/** Metrics of the service. Requests are labeled by route pattern, so that IDs create no new series. */
import cluster from 'node:cluster'
import { finished, Readable } from 'node:stream'
import { getHeapStatistics } from 'node:v8'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Pool } from 'pg'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { BasketProcessor } from '../../operations/baskets/process.ts'
import type { Deps } from '../../operations/deps.ts'
import type { ReplicaReads } from '../../operations/replica-reads.ts'
import { listRetries } from '../../store/retry-counts.ts'
import { listPools } from '../../store/tenant.ts'
import type { Tracer } from '../../tracing/tracer.ts'
import type { Server } from '../fastify-server.ts'
import type { ServerOptions } from '../server-options.ts'
import type { Lanes } from './admission.ts'
import { elapsedMs } from './end-late-requests.ts'
import { createWorkerMetrics } from './gather-metrics.ts'
import { collectWorkMetrics } from './work-metrics.ts'

export interface Metrics {
  readonly contentType: string
  read(): Promise<string>
}

export function collectMetrics(app: Server, { deps, baskets, requestLog }: ServerOptions): Metrics {
  const registry = collectOwnMetrics(deps)
  addBaskets(registry, baskets)
  addLanes(registry, app.lanes)
  new Counter({
    name: 'request_log_left_out_total',
    help: 'Requests that were not logged.',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(requestLog.leftOut())
    },
  })

  if (deps.replica) addReplica(registry, deps.replica)
  countRequests(app, registry)
  const read = cluster.isWorker ? createWorkerMetrics(registry) : () => registry.metrics()
  return { contentType: registry.contentType, read }
}

/** Metrics that a process has whether or not it handles requests. */
export function collectOwnMetrics(deps: Pick<Deps, 'pool' | 'workCounts' | 'tracer'>): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  addProcess(registry)
  addPool(registry, deps.pool)
  collectWorkMetrics(deps.workCounts, registry)
  if (deps.tracer) addTracer(registry, deps.tracer)
  return registry
}

function countRequests(app: Server, registry: Registry): void {
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Duration of requests, by route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  /** By route and status: to find a series by its labels takes longer than to count. */
  const series = new WeakMap<object, Map<string, ReturnType<typeof durations.labels>>>()
  const seriesOf = (
    { method, routeOptions: { config, url = 'unknown' } }: FastifyRequest,
    status: number,
  ) => {
    const ofRoute = series.get(config) ?? new Map<string, ReturnType<typeof durations.labels>>()
    series.set(config, ofRoute)
    const key = `${method} ${status}`
    const known = ofRoute.get(key) ?? durations.labels(method, url, String(status))
    ofRoute.set(key, known)
    return known
  }
  const count = (request: FastifyRequest, reply: FastifyReply) =>
    seriesOf(request, reply.statusCode).observe((elapsedMs(request) - request.waitedMs) / 1000)
  app.addHook('onSend', (request, reply, payload, done) => {
    // Requests whose client has already left do not count. Streams count when all of them is sent, and other responses
    // when they are handed over: to listen for the end of each would cost more than to count it.
    if (payload instanceof Readable) {
      finished(reply.raw, { readable: false }, (error) => {
        if (!error) count(request, reply)
      })
    } else if (!request.raw.socket.destroyed) count(request, reply)
    done()
  })
}

/** What a process reports as a number that it knows; of several, the sum or the largest. */
function addGauge(
  registry: Registry,
  name: string,
  help: string,
  read: () => number,
  aggregator: 'sum' | 'max' = 'sum',
): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    aggregator,
    collect() {
      this.set(read())
    },
  })
}

/** What the default metrics lack: how busy the event loop is, and how large the heap may become. */
function addProcess(registry: Registry): void {
  let last = performance.eventLoopUtilization()
  const readUtilization = () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    return utilization
  }
  const help = 'Share of the time since the last request for metrics in which the event loop was busy.'
  addGauge(registry, 'event_loop_utilization', help, readUtilization, 'max')
  addGauge(
    registry,
    'nodejs_heap_limit_bytes',
    'Size of the heap at which the process ends.',
    () => getHeapStatistics().heap_size_limit,
  )
}

function addBaskets(registry: Registry, baskets: BasketProcessor): void {
  addGauge(registry, 'baskets_waiting', 'Baskets waiting or being written.', () => baskets.size)
  addGauge(
    registry,
    'baskets_waiting_age_seconds',
    'How long the oldest basket has been waiting for its group.',
    () => baskets.oldestWaitMs() / 1000,
    'max',
  )
  const sizes = new Histogram({
    name: 'basket_group_size',
    help: 'Baskets that were decided and written together.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128],
    registers: [registry],
  })
  const waits = new Histogram({
    name: 'basket_group_wait_seconds',
    help: 'How long the oldest basket of a group had waited when the group started.',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  baskets.watchGroups((size, waitedMs) => {
    sizes.observe(size)
    waits.observe(waitedMs / 1000)
  })
}

function addLanes(registry: Registry, lanes: Lanes): void {
  new Gauge({
    name: 'requests_waiting',
    help: 'Requests waiting for their turn, by what they wait for: a place in a batch, or a connection.',
    labelNames: ['lane'],
    registers: [registry],
    collect() {
      for (const [lane, { waiting }] of Object.entries(lanes)) this.set({ lane }, waiting)
    },
  })
  new Gauge({
    name: 'requests_waiting_age_seconds',
    help: 'How long the request that has waited longest is waiting for its turn.',
    labelNames: ['lane'],
    registers: [registry],
    aggregator: 'max',
    collect() {
      for (const [lane, turns] of Object.entries(lanes)) this.set({ lane }, turns.oldestWaitMs() / 1000)
    },
  })
}

function addPool(registry: Registry, pool: Pool): void {
  const gauge = (name: string, help: string, read: (pool: Pool) => number) =>
    addGauge(registry, name, help, () => listPools(pool).reduce((sum, each) => sum + read(each), 0))
  gauge('database_connections', 'Open connections to the database.', (each) => each.totalCount)
  gauge('database_connections_idle', 'Open connections that are idle.', (each) => each.idleCount)
  gauge('database_connections_max', 'Connections that may be open.', (each) => each.options.max)
  gauge('database_waiting', 'Operations waiting for a connection.', (each) => each.waitingCount)
  new Counter({
    name: 'database_retries_total',
    help: 'Changes that were tried again, by reason.',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [reason, changes] of listRetries(pool)) this.inc({ reason }, changes)
    },
  })
}

function addTracer(registry: Registry, { counts }: Tracer): void {
  new Counter({
    name: 'trace_spans_total',
    help: 'Spans that the collector has accepted, and those that were dropped: too many, or refused.',
    labelNames: ['outcome'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [outcome, spans] of Object.entries(counts)) this.inc({ outcome }, spans)
    },
  })
}

function addReplica(registry: Registry, replica: ReplicaReads): void {
  new Gauge({
    name: 'database_replica_age_seconds',
    help: 'How old the data of the read replica is at most; -1 while it is not used.',
    registers: [registry],
    aggregator: 'max',
    collect() {
      this.set((replica.ageMs() ?? -1_000) / 1_000)
    },
  })
  new Counter({
    name: 'database_reads_total',
    help: 'Reports, lists and exports, by the database that answered.',
    labelNames: ['from'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [from, count] of Object.entries(replica.counts)) this.inc({ from }, count)
    },
  })
}
