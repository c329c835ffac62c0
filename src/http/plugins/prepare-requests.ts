/**
 * The hooks of every request besides authentication: the deadline, the request ID, the HTTPS rule behind a
 * proxy, numbers in the query, an empty body, unknown properties, an idempotency key that
 * cannot be honored, and response headers.
 */
import { Refused } from '../../domain/refusal.ts'
import type { Server } from '../fastify-server.ts'
import { findIgnored } from '../requests/unknown-fields.ts'
import { endLateRequests } from './end-late-requests.ts'
import { isStorable } from './json-body.ts'

export interface PrepareOptions {
  readonly isBehindProxy: boolean
  /** Headers of every response. */
  readonly headers: Record<string, string>
  readonly maxCallMs: number
}

/** The secret is shown once, so no response can be repeated. */
const noKeyForSecrets =
  'Idempotency-Key: not supported here, because the response contains a secret that is shown once. Leave it ' +
  'out, and before you retry, look whether the first request has succeeded.'

export function prepareRequests(app: Server, options: PrepareOptions): void {
  // biome-ignore lint/suspicious/noExplicitAny: set by the authentication hook before any handler runs.
  app.decorateRequest('caller', undefined as any)
  // biome-ignore lint/suspicious/noExplicitAny: likewise.
  app.decorateRequest('session', undefined as any)

  app.decorateRequest('wallet', undefined)
  app.decorateRequest('enrollment', undefined)
  app.decorateRequest('source', undefined)
  app.decorateRequest('rawBody', undefined)

  endLateRequests(app, options.maxCallMs)

  app.addHook('onRoute', (route) => {
    // Such a handler validates the body itself, since the contract has its own code for these errors.
    if (route.config?.skipsBodySchema) route.validatorCompiler = () => () => true
  })

  // Hooks with a callback instead of a promise: these three run with every request and never wait.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(options.headers)
    reply.header('x-request-id', request.id)
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      return done(new Refused('_invalid_payload', 'The Host header is missing.'))
    }
    if (hasSeveralHosts(request.raw.rawHeaders)) {
      return done(new Refused('_invalid_payload', 'The Host header was sent more than once.'))
    }
    // Node.js 20.19 lets it pass; a proxy in front may have read another header.
    if (request.headers[''] !== undefined) {
      return done(new Refused('_invalid_payload', 'A header has no name.'))
    }
    if (options.isBehindProxy && isMarkedPlain(request.headers['x-forwarded-proto'])) {
      return done(
        new Refused('_forbidden', 'Credentials are only accepted over HTTPS. Use the https:// address.'),
      )
    }
    done(hasEmptyPart(request.params) ? new Refused('_not_found') : undefined)
  })

  app.addHook('preValidation', (request, _reply, done) => {
    const { schema } = request.routeOptions
    if (schema?.body && request.body === undefined) request.body = {}
    const { querystring } = schema ?? {}
    done(querystring ? readQuery(querystring, request.query as Record<string, unknown>) : undefined)
  })

  app.addHook('preHandler', (request, reply, done) => {
    if (request.routeOptions.config.hidesReply && request.headers['idempotency-key'] !== undefined) {
      return done(new Refused('_invalid_payload', noKeyForSecrets))
    }
    const ignored = findIgnored(request)
    if (ignored instanceof Refused) return done(ignored)
    if (ignored.length > 0) reply.header('ignored-members', ignored.slice(0, 20).map(toHeaderText).join(', '))
    done()
  })
}

/** Node uses the first and drops the others, while a proxy in front may have used another one. */
function hasSeveralHosts(rawHeaders: readonly string[]): boolean {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length === 4 && name.toLowerCase() === 'host') count++
  }
  return count > 1
}

/** Truncated, since clients reject a response whose headers are larger than a few kilobytes. */
function toHeaderText(property: string): string {
  const text = encodeURI(property.slice(0, 100).toWellFormed())
  return text.replaceAll('%5B', '[').replaceAll('%5D', ']')
}

/**
 * Only the last value counts: our own proxy added it. Those before it came with the request and may be
 * forged.
 */
function isMarkedPlain(proto: string | string[] | undefined): boolean {
  const words = String(proto ?? '').split(',')
  return words.at(-1)!.trim().toLowerCase() === 'http'
}

/** The router matches `/v1/customers/` as a customer with an empty ID; for clients it is not a route. */
function hasEmptyPart(params: unknown): boolean {
  return Object.values((params ?? {}) as Record<string, string>).includes('')
}

/**
 * Converts the text of a query: parameters declared as integers become numbers if they are written as such,
 * and one that may be repeated becomes a list even if it occurs once.
 */
function readQuery(schema: unknown, query: Record<string, unknown>): Refused | undefined {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> }
  for (const [name, value] of Object.entries(query)) {
    const texts = [value].flat()
    if (!texts.every((text) => typeof text !== 'string' || isStorable(text))) {
      return new Refused('_invalid_payload', `${name}: contains a NUL character or an unpaired surrogate.`)
    }
    // Unknown parameters are none of ours to read: `findIgnored` reports them.
    if (!Object.hasOwn(properties, name)) continue
    const { type } = properties[name]!
    if (type === 'array') query[name] = texts
    else if (texts.length > 1) return new Refused('_invalid_payload', `${name}: must be sent only once.`)
    if (type === 'integer' && typeof value === 'string' && /^\d{1,9}$/.test(value))
      query[name] = Number(value)
  }
  return undefined
}
