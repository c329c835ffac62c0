import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Sample {
  readonly from: number
  readonly to: number
  /** Undefined: nobody answered. */
  readonly status: number | undefined
}

/** Asks `/readyz` again and again and keeps what it said when. */
export function watchReadiness(baseUrl: string): { samples: readonly Sample[]; stop(): Promise<void> } {
  const samples: Sample[] = []
  let isStopped = false
  const watching = (async () => {
    while (!isStopped) {
      const from = Date.now()
      const answer = await get(`${baseUrl}/readyz`).catch(() => undefined)
      samples.push({ from, to: Date.now(), status: answer?.status })
      await sleep(20)
    }
  })()
  return {
    samples,
    async stop() {
      isStopped = true
      await watching
    },
  }
}

/** Waits until the service says that it can serve; the time it took, or undefined when it took too long. */
export async function waitUntilReady(baseUrl: string, timeoutMs: number): Promise<number | undefined> {
  const startedAt = Date.now()
  while (Date.now() - startedAt < timeoutMs) {
    const answer = await get(`${baseUrl}/readyz`).catch(() => undefined)
    if (answer?.status === 200) return Date.now() - startedAt
    await sleep(20)
  }
  return undefined
}

export interface Metrics {
  readonly connections: number
  readonly idle: number
  readonly waiting: number
  readonly baskets: number
  /** Answers with status 503, by route pattern. */
  readonly unavailable: Map<string, number>
}

export async function readMetrics(baseUrl: string): Promise<Metrics> {
  const { text } = await get(`${baseUrl}/metrics`)
  const gauge = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
  const unavailable = new Map<string, number>()
  for (const [, labels, count] of text.matchAll(/^http_request_duration_seconds_count\{(.*)\} (\d+)$/gm)) {
    const route = /route="([^"]*)"/.exec(labels!)?.[1]
    if (/status="503"/.test(labels!) && route)
      unavailable.set(route, (unavailable.get(route) ?? 0) + Number(count))
  }
  return {
    connections: gauge('database_connections'),
    idle: gauge('database_connections_idle'),
    waiting: gauge('database_waiting'),
    baskets: gauge('baskets_waiting'),
    unavailable,
  }
}

/** On a connection of its own each time, so that a process that was killed leaves nothing behind. */
function get(url: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const call = request(url, { agent: false, signal: AbortSignal.timeout(10_000) }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part) => {
        text += part
      })
      response.on('end', () => resolve({ status: response.statusCode!, text }))
      response.on('error', reject)
    })
    call.on('error', reject).end()
  })
}
