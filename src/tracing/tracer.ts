/**
 * Records spans and sends them to an OpenTelemetry collector, in batches and outside of requests. Nothing waits for
 * it: what does not fit into its queue, or was refused, is dropped and counted.
 */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { toOtlp } from './otlp.ts'
import { createSpan, endWith, type NewSpan, newTraceId, runIn, type Span } from './spans.ts'
import type { TraceContext } from './trace-context.ts'

export interface TracingSettings {
  /** Where spans are sent: the base URL of the collector, without `/v1/traces`. */
  readonly endpoint: string
  /** Sent along, for a collector that requires credentials. */
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  /** Share of the traces that begin here and are recorded, from 0 to 1. */
  readonly sampleRatio: number
}

export interface TracerOptions extends TracingSettings {
  readonly version: string
  readonly log: { info(details: object, message: string): void; warn(details: object, message: string): void }
  readonly everyMs?: number
  readonly maxQueued?: number
}

export interface Tracer {
  /** Begins our first span of a trace: the caller's, or a new one. */
  begin(span: NewSpan, parent?: TraceContext): Span
  /** Runs work that no request asked for in a trace of its own. */
  run<T>(span: NewSpan, work: () => Promise<T>): Promise<T>
  readonly counts: { readonly sent: number; readonly dropped: number }
  /** Sends what is left, once; for the end of the process. */
  flush(): Promise<void>
}

const batchSize = 512
const sendTimeoutMs = 10_000
const longestPauseMs = 30_000
/** As the protocol defines: the collector is busy or away, and the same spans may be sent again. */
const retryable = new Set([429, 502, 503, 504])

export function createTracer(options: TracerOptions): Tracer {
  const { record, flush, counts } = createSpanQueue(createSender(options), options)
  const begin: Tracer['begin'] = (span, parent) => {
    const traceId = parent?.traceId ?? newTraceId()
    const isSampled = parent?.isSampled ?? isChosen(traceId, options.sampleRatio)
    return createSpan(span, { traceId, isSampled, state: parent?.state, parentId: parent?.spanId }, record)
  }
  return {
    begin,
    run(span, work) {
      const root = begin(span)
      return endWith(root, runIn(root, work))
    },
    counts,
    flush,
  }
}

type Send = (spans: readonly Span[]) => Promise<Outcome>

interface Outcome {
  readonly sent: number
  readonly mayRetry: boolean
}

function createSpanQueue(
  send: Send,
  { everyMs = 1_000, maxQueued = 8_192 }: Pick<TracerOptions, 'everyMs' | 'maxQueued'>,
) {
  const counts = { sent: 0, dropped: 0 }
  let queue: Span[] = []
  let failures = 0
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | undefined

  function record(span: Span): void {
    if (queue.length >= maxQueued) {
      counts.dropped++
      return
    }
    queue.push(span)
    // A full batch goes at the end of this turn of the event loop, unless the collector is being left alone.
    if (queue.length === batchSize && failures === 0) schedule(0)
    else if (timer === undefined) schedule(everyMs)
  }

  function schedule(pauseMs: number): void {
    clearTimeout(timer)
    timer = setTimeout(() => void start(), pauseMs).unref()
  }

  /** One request at a time. */
  function start(): Promise<void> {
    sending ??= sendAll().finally(() => {
      sending = undefined
      timer = undefined
      if (queue.length > 0) schedule(Math.min(everyMs * 2 ** failures, longestPauseMs))
    })
    return sending
  }

  async function sendAll(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.slice(0, batchSize)
      const { sent, mayRetry } = await send(batch)
      failures = mayRetry ? failures + 1 : 0
      if (mayRetry) return
      queue = queue.slice(batch.length)
      counts.sent += sent
      counts.dropped += batch.length - sent
    }
  }

  async function flush(): Promise<void> {
    await sending
    if (queue.length > 0) await start()
    clearTimeout(timer)
  }

  return { record, flush, counts }
}

/** By the id, so that every service with the same ratio chooses the same traces. */
function isChosen(traceId: string, ratio: number): boolean {
  return ratio >= 1 || Number.parseInt(traceId.slice(-13), 16) < ratio * 2 ** 52
}

function createSender({ endpoint, headers, serviceName, version, log }: TracerOptions): Send {
  const resource = {
    'service.name': serviceName,
    'service.version': version,
    'service.instance.id': randomUUID(),
    'host.name': hostname(),
    'process.pid': process.pid,
  }
  let isFailing = false

  /** One line when it begins to fail and one when it works again, however many batches there are. */
  function note(reason: string | undefined): void {
    if (reason !== undefined && !isFailing)
      log.warn({ reason }, 'spans cannot be sent: check OTEL_EXPORTER_OTLP_ENDPOINT and the collector')
    if (reason === undefined && isFailing) log.info({}, 'spans are sent again')
    isFailing = reason !== undefined
  }

  return async (spans) => {
    try {
      const response = await fetch(`${endpoint}/v1/traces`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: toOtlp(spans, resource),
        redirect: 'error',
        signal: AbortSignal.timeout(sendTimeoutMs),
      })
      const text = await response.text()
      note(response.ok ? undefined : `the collector answered with ${response.status}`)
      if (!response.ok) return { sent: 0, mayRetry: retryable.has(response.status) }
      return { sent: spans.length - rejectedIn(text), mayRetry: false }
    } catch (error) {
      const { message, cause } = error as Error
      note(cause instanceof Error ? `${message}: ${cause.message}` : message)
      return { sent: 0, mayRetry: true }
    }
  }
}

/** A collector may accept a batch in part. */
function rejectedIn(text: string): number {
  try {
    return Number(JSON.parse(text).partialSuccess?.rejectedSpans ?? 0)
  } catch {
    return 0
  }
}
