/**
 * Builds the HTTP application without listening: tests inject requests into the same app that runs in
 * production. The error handler is installed before any route, so that the framework's own errors look like
 * ours.
 */
import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:net'
import swagger from '@fastify/swagger'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { type FastifyError, LogController } from 'fastify'
import { Refused } from '../domain/refusal.ts'
import { createOrganizationReader } from '../operations/organizations/organization-reader.ts'
import { createErrorHandler, toErrorBody } from './errors/errors.ts'
import type { Server } from './fastify-server.ts'
import { openApiOptions } from './openapi/open-api.ts'
import { registerAdmission } from './plugins/admission.ts'
import { createAuthenticate, createCheckAgain, firstRefusal } from './plugins/authenticate.ts'
import { compileWhenUsed } from './plugins/compile-when-used.ts'
import { defaultMaxCallMs } from './plugins/end-late-requests.ts'
import { readJsonBodies } from './plugins/json-body.ts'
import { createMethodNotAllowed } from './plugins/method-not-allowed.ts'
import { prepareRequests } from './plugins/prepare-requests.ts'
import { createCallLimits } from './plugins/rate-limit.ts'
import { logServer, requestLoggers } from './plugins/request-logger.ts'
import { securityHeaders } from './plugins/security-headers.ts'
import { siteOf } from './plugins/session-cookie.ts'
import { readTraces, traceRequests } from './plugins/trace-requests.ts'
import { serialize } from './requests/paging.ts'
import { noteWrites } from './respond-to-read.ts'
import { allRoutes } from './routes/all-routes.ts'
import { formats } from './schemas/formats.ts'
import type { ServerOptions } from './server-options.ts'
import './route-config.ts'

const maxBodyBytes = 256 * 1024
const requestTimeoutMs = 10_000
/**
 * A connection on which nothing moves for this long, in either direction, is closed: what a client does not
 * read stays in our memory. Progress resets the time, and between two requests the keep-alive time counts.
 */
const replyTimeoutMs = 30_000
const maxParamLength = 1_000
/** An idle connection costs about 10 KB; beyond this limit new ones are closed immediately. */
const maxConnections = 10_000
/**
 * By default Node checks for timed-out requests only every 30 s, so a timeout of 10 s could take up to 40.
 * Its default timeout for headers is a minute, and it applies the longer of the two to the body. And it would
 * reject a request without `Host` itself, with an empty body: `prepareRequests` does that with ours.
 */
const nodeOptions = {
  connectionsCheckingInterval: 2_000,
  headersTimeout: requestTimeoutMs,
  requestTimeout: requestTimeoutMs,
  requireHostHeader: false,
}

const validation = {
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  strict: false,
  // `1e400` is parsed as Infinity, which is not a usable number.
  strictNumbers: true,
  formats,
} as const

export async function buildServer(options: ServerOptions): Promise<Server> {
  const { deps, maxCallMs = defaultMaxCallMs } = options
  const headers = securityHeaders(options.https !== undefined || options.isBehindProxy === true)
  const app = Fastify({
    ...(options.https ? { https: { ...options.https, ...nodeOptions } } : { http: nodeOptions }),
    ...requestLoggers(options.logger),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: options.replyTimeoutMs ?? replyTimeoutMs,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength, ignoreTrailingSlash: false },
    // One proxy is trusted: the address it adds is the client's; what the client itself sent is ignored.
    trustProxy: options.isBehindProxy ? (_address, hop) => hop === 0 : false,
    genReqId: requestIdOf,
    requestIdHeader: false,
    exposeHeadRoutes: true,
    schemaController: { compilersFactory: { buildValidator: compileWhenUsed } },
    ajv: { customOptions: validation },
    frameworkErrors: createErrorHandler(deps.clock),
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, headers, deps.clock()),
  }).withTypeProvider<TypeBoxTypeProvider>() as unknown as Server
  app.server.maxConnections = maxConnections
  logServer(app, options.logger)

  const organizations = createOrganizationReader(deps.pool, deps.setupCache, deps.clock)
  const answerError = createErrorHandler(deps.clock)
  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    return answerError((await firstRefusal(error, request, organizations)) as FastifyError, request, reply)
  })
  const others = createMethodNotAllowed(app, maxParamLength)
  app.setNotFoundHandler((request, reply) => others.refuse(request, reply))
  app.setSerializerCompiler(() => serialize)
  readJsonBodies(app)
  readTraces(app)
  const onAdmission = deps.tracer && traceRequests(app, deps.tracer)
  prepareRequests(app, { isBehindProxy: options.isBehindProxy ?? false, headers, maxCallMs })
  const limits = createCallLimits(options.rateLimits ?? {})
  app.addHook('onRequest', createAuthenticate(options, organizations, limits))
  app.decorate('checkAgain', createCheckAgain(options, organizations))
  registerAdmission(app, deps, maxCallMs)
  onAdmission?.()
  if (deps.replica) noteWrites(app, deps.replica, siteOf(options))
  options.requestLog.watch(app)
  await app.register(swagger, openApiOptions)
  for (const routes of allRoutes) routes(app, options)
  others.finish()
  return app
}

/** The client's own ID if it is printable and short, so that one ID follows a request through every log. */
function requestIdOf(request: { headers: Record<string, string | string[] | undefined> }): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[\x21-\x7e]{1,128}$/.test(given) ? given : newRequestId()
}

const firstHalf = randomBytes(8).toString('hex')
let requests = 0

/** Not a stored ID, so no prefix; it only needs to be unique: half is this process's, half is counted. */
function newRequestId(): string {
  return firstHalf + (++requests).toString(16).padStart(16, '0')
}

/** A request that is not valid HTTP never reaches a route, but still gets the standard error body. */
function answerBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Socket,
  headers: Record<string, string>,
  now: Date,
): void {
  // Browsers connect before they have a request. Whatever is written to such a connection is taken as the response to
  // the request that it is used for at last.
  const isUnused = socket.bytesRead === 0
  if (isUnused || !socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const description = brokenRequests[error.code ?? ''] ?? 'The request is not valid HTTP.'
  const id = newRequestId()
  const refused = new Refused('_invalid_payload', description)
  const body = JSON.stringify(toErrorBody(refused, { id, method: '', url: '' }, now))
  const lines = Object.entries({
    ...headers,
    'x-request-id': id,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 400 Bad Request\r\n${lines.join('')}\r\n${body}`)
}

const brokenRequests: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The headers are larger than 16 KB.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive within 10 seconds.',
}
