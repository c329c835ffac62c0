/**
 * What every request goes through besides authentication: its deadline, its id, the HTTPS rule behind a proxy,
 * numbers in the query, an empty body, unknown members, and headers of the reply.
 */
import { Refused } from '../../domain/refusal.ts'
import { sayRule, toSentence } from '../../domain/validation-error.ts'
import type { Server } from '../fastify-server.ts'
import { findUnknownMembers } from '../requests/unknown-fields.ts'
import type { Access } from '../route-config.ts'
import { endLateRequests } from './end-late-requests.ts'
import { isStorable } from './json-body.ts'

export interface PrepareOptions {
  readonly isBehindProxy: boolean
  /** Of every answer. */
  readonly headers: Record<string, string>
  readonly maxCallMs: number
}

export function prepareRequests(app: Server, options: PrepareOptions): void {
  // biome-ignore lint/suspicious/noExplicitAny: set by the authentication hook before any handler runs.
  app.decorateRequest('caller', undefined as any)
  // biome-ignore lint/suspicious/noExplicitAny: likewise.
  app.decorateRequest('session', undefined as any)

  app.decorateRequest('wallet', undefined)

  endLateRequests(app, options.maxCallMs)

  app.addHook('onRoute', (route) => {
    // Such a handler gives the reasons itself, with the place and the code they have in the contract.
    if (route.config?.skipsBodySchema) route.validatorCompiler = () => () => true
  })

  // Hooks with a callback instead of a promise: these three run with every call and wait for nothing.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(options.headers)
    reply.header('x-request-id', request.id)
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      return done(new Refused('_invalid_payload', 'The header Host is missing.'))
    }
    if (options.isBehindProxy && isMarkedPlain(request.headers['x-forwarded-proto'])) {
      return done(new Refused('_forbidden', 'Credentials travel only over HTTPS. Use the https:// address.'))
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
    const { schema, config } = request.routeOptions
    if (!schema?.body || config.skipsBodySchema) return done()
    const unknown = findUnknownMembers(schema.body, request.body)
    if (unknown.length === 0) return done()
    if (refusesUnknownMembers(config.access, request.headers.prefer)) {
      const message = sayRule({ keyword: 'additionalProperties', params: {} })
      return done(new Refused('_invalid_payload', toSentence({ place: unknown[0]!, message })))
    }
    reply.header('ignored-members', unknown.slice(0, 20).map(toHeaderText).join(', '))
    done()
  })
}

/** Short: clients give up on a reply whose headers are larger than some kilobytes. */
function toHeaderText(member: string): string {
  const text = encodeURI(member.slice(0, 100).toWellFormed())
  return text.replaceAll('%5B', '[').replaceAll('%5D', ']')
}

/** The last word counts: our own proxy added it. What stands before it came with the request, from anybody. */
function isMarkedPlain(proto: string | string[] | undefined): boolean {
  const words = String(proto ?? '').split(',')
  return words.at(-1)!.trim().toLowerCase() === 'http'
}

/** `/v1/customers/` names no customer. The router takes it for one with an empty id; to a client it is no route. */
function hasEmptyPart(params: unknown): boolean {
  return Object.values((params ?? {}) as Record<string, string>).includes('')
}

/** Whether the call ignores members it does not know, unless it is asked to be strict. */
export function isLenient(access: Access | undefined): boolean {
  return access === 'public' || (Array.isArray(access) && access.includes('pos'))
}

/** Tills are lenient unless they ask for strictness (RFC 7240); those who manage want to hear of every typo. */
function refusesUnknownMembers(access: Access | undefined, prefer: string | string[] | undefined): boolean {
  return (
    !isLenient(access) || /(?:^|[,;])\s*handling\s*=\s*"?strict"?\s*(?:$|[,;])/i.test(String(prefer ?? ''))
  )
}

/**
 * A query is text; members declared as integers become numbers when they are written as such, and one that may be
 * repeated is a list also when it is there once.
 */
function readQuery(schema: unknown, query: Record<string, unknown>): Refused | undefined {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> }
  for (const [name, value] of Object.entries(query)) {
    const texts = [value].flat()
    if (!texts.every((text) => typeof text !== 'string' || isStorable(text))) {
      return new Refused('_invalid_payload', `${name}: holds a character that cannot be kept.`)
    }
    const type = properties[name]?.type
    if (type === 'array') query[name] = texts
    if (type === 'integer' && typeof value === 'string' && /^\d{1,9}$/.test(value))
      query[name] = Number(value)
  }
  return undefined
}
