/**
 * W3C Trace Context: which trace a request belongs to, as its caller says in `traceparent`, and as we tell those
 * whom we call. What a caller may have added for its own tools (`tracestate`) is passed on unread.
 */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** 16 hexadecimal digits. */
  readonly spanId: string
  /** Whether the trace is recorded. */
  readonly isSampled: boolean
  readonly state?: string
}

/** Later versions may have more fields, behind another dash. */
const pattern = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/

/** Printable, and no longer than what every tool has to pass on. */
const statePattern = /^[\x20-\x7e]{1,512}$/

/** The context in the headers of a request; undefined if there is none, or if it is not valid. */
export function readTraceContext(traceparent: unknown, tracestate: unknown): TraceContext | undefined {
  if (typeof traceparent !== 'string') return undefined
  const [, version, traceId, spanId, flags, more] = pattern.exec(traceparent) ?? []
  if (traceId === undefined || (version === '00' && more !== undefined)) return undefined
  const state = typeof tracestate === 'string' && statePattern.test(tracestate) ? tracestate : undefined
  return { traceId, spanId: spanId!, isSampled: (Number.parseInt(flags!, 16) & 1) === 1, state }
}

/** The headers that tell a context to those whom we call. */
export function toTraceHeaders({ traceId, spanId, isSampled, state }: TraceContext): Record<string, string> {
  const traceparent = `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
  return state === undefined ? { traceparent } : { traceparent, tracestate: state }
}
