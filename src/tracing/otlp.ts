/**
 * Spans in the JSON encoding of the OpenTelemetry protocol (OTLP 1.x). Ids are hexadecimal there, unlike in the JSON
 * of other protobuf messages, and times are decimal strings, since they do not fit a number.
 */
import { type Attributes, type Span, spanKinds } from './spans.ts'
import type { TraceContext } from './trace-context.ts'

const errorStatus = 2
const sampledFlag = 1

/** The body of a request to `/v1/traces`. */
export function toOtlp(spans: readonly Span[], resource: Attributes): string {
  const scope = { name: 'loyalty-wallet', version: resource['service.version'] }
  return JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: toKeyValues(resource) },
        scopeSpans: [{ scope, spans: spans.map(toOtlpSpan) }],
      },
    ],
  })
}

function toOtlpSpan(span: Span) {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    traceState: span.state,
    parentSpanId: span.parentId,
    flags: sampledFlag,
    name: span.name,
    kind: spanKinds[span.kind],
    startTimeUnixNano: toNanoseconds(span.startMs),
    endTimeUnixNano: toNanoseconds(span.endMs!),
    attributes: toKeyValues(span.attributes),
    links: span.links.map(toLink),
    status: span.error === undefined ? {} : { code: errorStatus, message: span.error },
  }
}

const toLink = ({ traceId, spanId }: TraceContext) => ({ traceId, spanId, flags: sampledFlag })

function toKeyValues(attributes: Attributes) {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : { key, value: toValue(value) },
  )
}

function toValue(value: string | number | boolean) {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

/** A number would be exact to a quarter of a microsecond only. */
function toNanoseconds(ms: number): string {
  return String(BigInt(Math.round((performance.timeOrigin + ms) * 1_000)) * 1_000n)
}
