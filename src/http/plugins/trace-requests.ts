/**
 * The trace of a request: the one that its caller names in `traceparent`, whose id is then in every line of the log.
 * With a tracer, the request is also a span, in a new trace if the caller names none.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { endSpan, recordWait, runIn, type Span } from '../../tracing/spans.ts'
import { readTraceContext } from '../../tracing/trace-context.ts'
import type { Tracer } from '../../tracing/tracer.ts'
import type { Server } from '../fastify-server.ts'
import { redactRequestId } from '../redaction/redact.ts'

interface Traced {
  readonly span: Span
  /** When the request began to wait for its turn; undefined before, and after. */
  waitsSinceMs: number | undefined
  /** False while it is not known whether the request has to wait. */
  hasWaited: boolean
}

/** Before all other hooks. */
export function readTraces(app: Server): void {
  app.decorateRequest('trace', undefined)
  app.addHook('onRequest', (request, reply, done) => {
    const { traceparent } = request.headers
    if (traceparent !== undefined) {
      request.trace = readTraceContext(traceparent, request.headers.tracestate)
      if (request.trace) nameTrace(request, reply)
    }
    done()
  })
}

/** Behind `readTraces`. Returns what has to be called once admission is registered. */
export function traceRequests(app: Server, tracer: Tracer): () => void {
  const spans = new WeakMap<FastifyRequest, Traced>()

  app.addHook('onRequest', (request, reply, done) => {
    const parent = request.trace
    const span = tracer.begin({ name: request.method, kind: 'server' }, parent)
    const traced: Traced = { span, waitsSinceMs: undefined, hasWaited: false }
    spans.set(request, traced)
    request.trace = span
    if (!parent) nameTrace(request, reply)
    // Also when the client has disconnected, where no hook runs.
    reply.raw.once('close', () => {
      describe(span, request, reply.raw.writableFinished ? reply.statusCode : undefined)
      endWait(traced)
      endSpan(span)
    })
    runIn(span, done)
  })

  // The body is read in events of the socket, which belong to no request.
  app.addHook('preValidation', (request, _reply, done) => {
    runIn(spans.get(request)?.span, done)
  })

  app.addHook('preHandler', (request, _reply, done) => {
    const own = spans.get(request)
    if (own) own.waitsSinceMs = performance.now()
    // Calls the hooks that follow; of a request that finds a slot, also the one that ends the wait.
    done()
    if (own) own.hasWaited = true
  })

  return () =>
    // The slot may have been released by another request, in whose span this then runs.
    app.addHook('preHandler', (request, _reply, done) => {
      const own = spans.get(request)
      if (own) endWait(own)
      runIn(own?.span, done)
    })
}

function endWait(traced: Traced): void {
  if (traced.waitsSinceMs === undefined) return
  if (traced.hasWaited) recordWait(traced.span, 'wait for a turn', traced.waitsSinceMs)
  traced.waitsSinceMs = undefined
}

function nameTrace(request: FastifyRequest, reply: FastifyReply): void {
  request.log = request.log.child({ traceId: request.trace!.traceId })
  reply.log = request.log
}

/** The route and not the path, which contains ids and, of a wallet page, a secret. */
function describe(span: Span, request: FastifyRequest, status: number | undefined): void {
  const { method, routeOptions, id, caller } = request
  const route = routeOptions.url
  span.name = route === undefined ? method : `${method} ${route}`
  Object.assign(span.attributes, {
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status,
    'loyalty_wallet.request_id': redactRequestId(id),
    'loyalty_wallet.organization': caller?.organization.id,
  })
  if (status === undefined) span.error = 'the client disconnected'
  else if (status >= 500) span.error = String(status)
}
