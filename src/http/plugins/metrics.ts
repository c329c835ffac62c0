/** Metrics of the service. Requests are labeled by route pattern, so that IDs create no new series. */
import cluster from 'node:cluster'
import type { FastifyRequest } from 'fastify'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { ReplicaReads } from '../../operations/replica-reads.ts'
import type { Server } from '../fastify-server.ts'
import type { ServerOptions } from '../server-options.ts'
import { createWorkerMetrics } from './gather-metrics.ts'
import { collectWorkMetrics } from './work-metrics.ts'

export interface Metrics {
  readonly contentType: string
  read(): Promise<string>
}

export function collectMetrics(app: Server, { deps, baskets, requestLog }: ServerOptions): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Duration of requests, by route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  })
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read())
      },
    })
  gauge('baskets_waiting', 'Baskets waiting or being written.', () => baskets.size)
  gauge('database_connections', 'Open connections to the database.', () => deps.pool.totalCount)
  gauge('database_connections_idle', 'Open connections that are idle.', () => deps.pool.idleCount)
  gauge('database_waiting', 'Operations waiting for a connection.', () => deps.pool.waitingCount)
  new Counter({
    name: 'request_log_left_out_total',
    help: 'Requests that were not logged.',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(requestLog.leftOut())
    },
  })

  collectWorkMetrics(deps.workCounts, registry)
  if (deps.replica) addReplica(registry, deps.replica)

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
  app.addHook('onResponse', (request, reply, done) => {
    seriesOf(request, reply.statusCode).observe((reply.elapsedTime - request.waitedMs) / 1000)
    done()
  })
  const read = cluster.isWorker ? createWorkerMetrics(registry) : () => registry.metrics()
  return { contentType: registry.contentType, read }
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
