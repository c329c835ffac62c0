/**
 * The load: a number of connections, each of which sends its next request when the response to the last one
 * has arrived. It uses bare sockets, because a full HTTP client would cost as much as the service it
 * measures.
 */
import { connect, type Socket } from 'node:net'
import { cardId, customerId } from './fixture.ts'

export interface LoadPlan {
  readonly port: number
  /** One of them for each connection, in turn. */
  readonly tokens: readonly string[]
  readonly connections: number
  readonly durationMs: number
  readonly target: 'process' | 'validate' | 'empty' | 'find'
  /** Baskets go to random customers from 0 to customers - 1. */
  readonly customers: number
  readonly lines?: number
  /** One line of a basket as JSON, instead of the usual one. */
  readonly line?: string
  /** Sends this body to this path instead of a basket. */
  readonly path?: string
  readonly body?: string
  /** Sends each of these once, instead of baskets. */
  readonly requests?: readonly PlannedRequest[]
  /** Requests per second over all connections; unlimited by default. */
  readonly rate?: number
  /** Stops after this many requests, regardless of time. */
  readonly maxRequests?: number
}

export interface PlannedRequest {
  readonly path: string
  readonly body: string
}

export interface LoadResult {
  readonly requests: number
  readonly perSecond: number
  readonly failures: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
  readonly maxMs: number
}

const paths = {
  process: '/v1/transactions/process',
  validate: '/v1/transactions/validate',
  empty: '/bench/empty',
}

export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const latencies: number[] = []
  const counts = { sent: 0, failures: 0 }
  const startedAt = performance.now()
  const endsAt = startedAt + plan.durationMs
  const next = () =>
    performance.now() < endsAt &&
    counts.sent < (plan.requests?.length ?? plan.maxRequests ?? Number.POSITIVE_INFINITY)
  const run = Math.random().toString(36).slice(2)
  const lines = Array.from(
    { length: plan.lines ?? 1 },
    () => plan.line ?? '{"product":"latte","quantity":2,"unitPrice":3.5}',
  ).join()

  function request(token: string): string {
    const n = Math.floor(Math.random() * plan.customers)
    const planned = plan.requests?.[counts.sent]
    counts.sent++
    if (planned) return post(token, planned)
    if (plan.target === 'find') {
      return `GET /v1/customers/find?q=2${String(n).padStart(15, '0')} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`
    }
    const receipt = plan.target === 'process' ? `"opaqueId":"${run}-${counts.sent}",` : ''
    const body =
      plan.body ?? `{"customer":"${customerId(n)}","card":"${cardId(n)}",${receipt}"items":[${lines}]}`
    return post(token, { path: plan.path ?? paths[plan.target], body })
  }

  const intervalMs = plan.rate ? (1000 * plan.connections) / plan.rate : 0
  await Promise.all(
    Array.from({ length: plan.connections }, async (_, i) => {
      const socket = connect(plan.port, '127.0.0.1').setNoDelay(true)
      const exchange = createExchange(socket)
      const token = plan.tokens[i % plan.tokens.length]!
      let due = startedAt + (intervalMs * i) / plan.connections
      while (next()) {
        if (intervalMs > 0) {
          const waitMs = due - performance.now()
          if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
          due += intervalMs
        }
        const sentAt = performance.now()
        const status = await exchange(request(token))
        latencies.push(performance.now() - sentAt)
        if (status >= 300) counts.failures++
      }
      socket.destroy()
    }),
  )
  const seconds = (performance.now() - startedAt) / 1000
  latencies.sort((a, b) => a - b)
  const quantile = (q: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * q))] ?? 0
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    failures: counts.failures,
    p50Ms: quantile(0.5),
    p95Ms: quantile(0.95),
    p99Ms: quantile(0.99),
    maxMs: quantile(1),
  }
}

function post(token: string, { path, body }: PlannedRequest): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/**
 * Sends one request at a time on a kept connection; resolves with the status once the whole response is
 * there.
 */
function createExchange(socket: Socket): (request: string) => Promise<number> {
  let answered: (status: number) => void = () => {}
  let missing = -1
  let status = 0
  socket.on('data', (data: Buffer) => {
    let size = data.length
    if (missing < 0) {
      // Our response headers always arrive with the first packet.
      const end = data.indexOf('\r\n\r\n')
      const head = data.toString('latin1', 0, end)
      status = Number(head.slice(9, 12))
      missing = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)
      size -= end + 4
    }
    missing -= size
    if (missing <= 0) {
      missing = -1
      answered(status)
    }
  })
  socket.on('error', () => answered(599))
  return (request) =>
    new Promise((resolve) => {
      answered = resolve
      socket.write(request)
    })
}

if (process.send) {
  process.on('message', (plan: LoadPlan) => void runLoad(plan).then((result) => process.send?.(result)))
  process.on('disconnect', () => process.exit(0))
}
