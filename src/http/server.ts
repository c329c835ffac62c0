/**
 * Builds the HTTP application, apart from running it: tests inject into the same app that listens in production.
 * The error renderer is installed before any route, so that the framework's own refusals look like ours.
 */
import { randomUUID } from 'node:crypto'
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
import { createAuthenticate, firstRefusal } from './plugins/authenticate.ts'
import { compileWhenUsed } from './plugins/compile-when-used.ts'
import { defaultMaxCallMs } from './plugins/end-late-requests.ts'
import { readJsonBodies } from './plugins/json-body.ts'
import { registerMethodNotAllowed } from './plugins/method-not-allowed.ts'
import { prepareRequests } from './plugins/prepare-requests.ts'
import { createCallLimits } from './plugins/rate-limit.ts'
import { securityHeaders } from './plugins/security-headers.ts'
import { allRoutes } from './routes/all-routes.ts'
import { formats } from './schemas/formats.ts'
import type { ServerOptions } from './server-options.ts'
import './route-config.ts'

const maxBodyBytes = 256 * 1024
const requestTimeoutMs = 10_000
const maxParamLength = 1_000
/** Each idle one costs some 10 KB; beyond this new ones are closed at once, and those that are there served. */
const maxConnections = 10_000
/**
 * Node looks for late requests only every 30 s unless told, which would make 10 s of patience up to 40. Its own
 * patience for headers is a minute, and of the two it takes the longer one for the body. And it would answer a
 * request without `Host` itself, with no body: `prepareRequests` does that with ours.
 */
const nodeOptions = {
  connectionsCheckingInterval: 2_000,
  headersTimeout: requestTimeoutMs,
  requestTimeout: requestTimeoutMs,
  requireHostHeader: false,
}

export async function buildServer(options: ServerOptions): Promise<Server> {
  const { deps, maxCallMs = defaultMaxCallMs } = options
  const headers = securityHeaders(options.https !== undefined || options.isBehindProxy === true)
  const app = Fastify({
    ...(options.https ? { https: { ...options.https, ...nodeOptions } } : { http: nodeOptions }),
    ...(options.logger ? { loggerInstance: options.logger } : { logger: false }),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: 0,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    routerOptions: { maxParamLength, ignoreTrailingSlash: false },
    // One proxy: the address it names is the client's; whatever the client claims before that is not believed.
    trustProxy: options.isBehindProxy ? (_address, hop) => hop === 0 : false,
    genReqId: requestIdOf,
    requestIdHeader: false,
    exposeHeadRoutes: true,
    schemaController: { compilersFactory: { buildValidator: compileWhenUsed } },
    ajv: {
      customOptions: {
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        strict: false,
        // `1e400` is read as Infinity, which is no number to count with.
        strictNumbers: true,
        formats,
      },
    },
    frameworkErrors: createErrorHandler(deps.clock),
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, headers, deps.clock()),
  }).withTypeProvider<TypeBoxTypeProvider>() as unknown as Server
  app.server.maxConnections = maxConnections

  const readOrganization = createOrganizationReader(deps.pool)
  const answerError = createErrorHandler(deps.clock)
  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    return answerError((await firstRefusal(error, request, readOrganization)) as FastifyError, request, reply)
  })
  app.setNotFoundHandler(() => {
    throw new Refused('_not_found')
  })
  // Replies are plain objects; JSON.stringify leaves out what has no value and keeps the one null there is.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
  readJsonBodies(app)
  prepareRequests(app, { isBehindProxy: options.isBehindProxy ?? false, headers, maxCallMs })
  app.addHook(
    'onRequest',
    createAuthenticate({
      deps,
      adminToken: options.adminToken,
      readOrganization,
      limits: createCallLimits(options.rateLimits ?? {}),
    }),
  )
  registerAdmission(app, deps.pool.options.max, maxCallMs)
  options.requestLog.watch(app)
  await app.register(swagger, openApiOptions)
  const finish = registerMethodNotAllowed(app)
  for (const routes of allRoutes) routes(app, options)
  finish()
  return app
}

/** The caller's own id when it is printable and short, so that one id follows a call through every log. */
function requestIdOf(request: { headers: Record<string, string | string[] | undefined> }): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && /^[\x21-\x7e]{1,128}$/.test(given) ? given : newRequestId()
}

/** Of no kind that we store, so it has no prefix: it only has to be unlike every other. */
function newRequestId(): string {
  return randomUUID().replaceAll('-', '')
}

/** A request that is not HTTP never reaches a route; it still gets the body every error has. */
function answerBrokenRequest(
  error: NodeJS.ErrnoException,
  socket: Socket,
  headers: Record<string, string>,
  now: Date,
): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const description = brokenRequests[error.code ?? ''] ?? 'The request is not valid HTTP.'
  const body = JSON.stringify(toErrorBody(new Refused('_invalid_payload', description), '', '', now))
  const lines = Object.entries({
    ...headers,
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
