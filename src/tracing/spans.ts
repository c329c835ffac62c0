/**
 * Spans: what a request did and how long each part took. The span that code runs in follows it through promises
 * (AsyncLocalStorage); work that several requests share is a span of the first of them, linked with the others.
 *
 * Nothing here costs anything while no tracer exists: then no span is ever current, and `currentSpan` looks at one
 * property. So code that records something first asks for the current span, and allocates nothing without one.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { type TraceContext, toTraceHeaders } from './trace-context.ts'

/** Numbers of the OpenTelemetry protocol. */
export const spanKinds = { internal: 1, server: 2, client: 3 } as const

export type SpanKind = keyof typeof spanKinds

export type Attributes = Record<string, string | number | boolean | undefined>

export interface Span extends TraceContext {
  name: string
  readonly kind: SpanKind
  readonly parentId: string | undefined
  /** Milliseconds of `performance.now()`. */
  readonly startMs: number
  endMs: number | undefined
  readonly attributes: Attributes
  readonly links: TraceContext[]
  /** Why it failed. */
  error: string | undefined
  /** Takes the span when it has ended. */
  readonly record: (span: Span) => void
}

const current = new AsyncLocalStorage<Span | undefined>()

/** The span that this code runs in; undefined if nothing is traced. It may belong to a trace that is not recorded. */
export const currentSpan = (): Span | undefined => current.getStore()

/** Runs the work in a span, or in none. */
export const runIn = <T>(span: Span | undefined, work: () => T): T => current.run(span, work)

/** The headers for a request to another service, so that its spans become part of the same trace. */
export function traceHeaders(context: TraceContext | undefined = currentSpan()): Record<string, string> {
  return context ? toTraceHeaders(context) : {}
}

export interface NewSpan {
  readonly name: string
  readonly kind?: SpanKind
  readonly attributes?: Attributes
  readonly startMs?: number
}

/** The first span of ours in a trace, whether or not the trace is recorded. */
export function createSpan(
  { name, kind = 'internal', attributes = {}, startMs = performance.now() }: NewSpan,
  context: Pick<TraceContext, 'traceId' | 'isSampled' | 'state'> & { readonly parentId: string | undefined },
  record: Span['record'],
): Span {
  const { traceId, isSampled, state, parentId } = context
  return {
    traceId,
    spanId: newSpanId(),
    isSampled,
    state,
    name,
    kind,
    parentId,
    startMs,
    endMs: undefined,
    attributes,
    links: [],
    error: undefined,
    record,
  }
}

/** A part of what the parent does; undefined if nothing is recorded. */
export function beginChild(parent: Span | undefined, span: NewSpan): Span | undefined {
  if (!parent?.isSampled) return undefined
  return createSpan(span, { ...parent, parentId: parent.spanId }, parent.record)
}

/** Ends a span once. */
export function endSpan(span: Span | undefined, error?: unknown): void {
  if (!span || span.endMs !== undefined) return
  span.endMs = performance.now()
  if (error !== undefined) span.error = nameOf(error)
  if (span.isSampled) span.record(span)
}

/** Ends the span with the work. */
export function endWith<T>(span: Span, work: Promise<T>): Promise<T> {
  return work.then(
    (result) => {
      endSpan(span)
      return result
    },
    (error) => {
      endSpan(span, error)
      throw error
    },
  )
}

/** Without the message, which may contain what a customer has written. */
function nameOf(error: unknown): string {
  const { name = 'Error', code } = Object(error) as { name?: string; code?: string }
  return code === undefined ? name : `${name} ${code}`
}

/** Shorter waits are no waits, and are not recorded. */
const shortestWaitMs = 0.1

/** A wait that ends now. */
export function recordWait(parent: Span | undefined, name: string, sinceMs: number): void {
  if (parent?.isSampled && performance.now() - sinceMs >= shortestWaitMs)
    endSpan(beginChild(parent, { name, startMs: sinceMs }))
}

/**
 * Runs work that several requests share. It is a span of the first that is recorded, and the parent of everything it
 * does; each of the others gets a span of the same length in its own trace. All of them are linked.
 */
export function runShared<T>(
  name: string,
  sharers: readonly { readonly span: Span | undefined }[],
  work: () => Promise<T>,
): Promise<T> {
  // Without a tracer, and without the span of another request that happened to start this work.
  if (currentSpan() === undefined && !sharers.some(isTraced)) return work()
  const attributes = { 'loyalty_wallet.shared_by': sharers.length }
  const [own, ...others] = sharers.flatMap(({ span }) => beginChild(span, { name, attributes }) ?? [])
  if (!own) return runIn(undefined, work)
  for (const other of others) {
    own.links.push(other)
    other.links.push(own)
  }
  const done = endWith(own, runIn(own, work))
  const endOthers = (error?: unknown) => {
    for (const other of others) endSpan(other, error)
  }
  done.then(() => endOthers(), endOthers)
  return done
}

const isTraced = ({ span }: { readonly span: Span | undefined }) => span !== undefined

let random = Buffer.alloc(0)
let used = 0

/** Random bytes are requested for many ids at once, which takes a tenth of the time. */
function randomHex(bytes: number): string {
  if (used + bytes > random.length) {
    random = randomBytes(4_096)
    used = 0
  }
  used += bytes
  return random.toString('hex', used - bytes, used)
}

const newSpanId = () => randomHex(8)

export const newTraceId = () => randomHex(16)
