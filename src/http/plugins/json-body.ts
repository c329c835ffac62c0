/**
 * Parses JSON bodies strictly: valid UTF-8 without a byte order mark, no property that would reach an
 * object's prototype, no text that PostgreSQL cannot store, and no nesting that only an attacker would send.
 */
import type { FastifyInstance } from 'fastify'
import { Refused } from '../../domain/refusal.ts'

const maxDepth = 32
const maxFormBytes = 1024

export function readJsonBodies(app: FastifyInstance): void {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(jsonTypes, { parseAs: 'buffer' }, (request, payload, done) => {
    const { 'content-encoding': encoding, 'content-type': type } = request.headers
    if ((encoding && encoding !== 'identity') || /charset=(?!"?utf-?8)/i.test(type ?? '')) {
      return done(new Refused('_unsupported_media_type', 'Send the body as plain, uncompressed UTF-8.'))
    }
    if (request.routeOptions.config.keepsRawBody) request.rawBody = payload as Buffer
    // An empty body counts as {}; if a property is required, the schema check names it.
    if (payload.length === 0) return done(null, {})
    if (isMergePatch(type) && request.method !== 'PATCH') return done(new Refused('_unsupported_media_type'))
    let text: string
    try {
      text = decoder.decode(payload as Buffer)
    } catch {
      return done(new Refused('_invalid_payload', 'The body is not valid UTF-8.'))
    }
    // `JSON.parse` would report it as an unexpected token; this message names the cause.
    if (text.startsWith('\ufeff')) {
      return done(new Refused('_invalid_payload', 'The body starts with a byte order mark.'))
    }
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch (error) {
      return done(new Refused('_invalid_payload', describeSyntax((error as Error).message)))
    }
    // Who needs the bytes is a receiver of what others have made, and cleans it up.
    const problem = request.rawBody ? undefined : findProblem(body, 0)
    done(problem ? new Refused('_invalid_payload', problem) : null, body)
  })
  // A mail program sends a form when a customer unsubscribes with one click; what is in it says nothing new.
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: maxFormBytes },
    (request, payload, done) => {
      if (payload.length === 0 || request.routeOptions.config.takesForm) return done(null, {})
      done(new Refused('_unsupported_media_type'))
    },
  )
  // Some clients send a content type even without a body: an empty body is {}, whatever its type.
  app.addContentTypeParser('*', (request, _payload, done) => {
    if (request.headers['content-length'] === '0') return done(null, {})
    done(new Refused('_unsupported_media_type'))
  })
}

/** Accepted content types. RFC 7396 defines a separate one for a merge patch. */
export const jsonTypes = ['application/json', 'application/merge-patch+json']

function isMergePatch(type: string | undefined): boolean {
  return /^\s*application\/merge-patch\+json/i.test(type ?? '')
}

/** V8's message may quote the body, so only the position is taken from it. */
function describeSyntax(message: string): string {
  if (message.includes('end of JSON input')) return 'The body is not valid JSON: unexpected end of input.'
  const place = /at position (\d+)/.exec(message)?.[1]
  return place === undefined
    ? 'The body is not valid JSON.'
    : `The body is not valid JSON: error at character ${Number(place) + 1}.`
}

function findProblem(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : unstorable
  if (typeof value !== 'object' || value === null) return undefined
  if (depth >= maxDepth) return `The body is nested more than ${maxDepth} levels deep.`
  for (const key in value) {
    if (!isStorable(key)) return unstorable
    const property = (value as Record<string, unknown>)[key]
    if (key === '__proto__' || (key === 'constructor' && hasPrototype(property))) {
      return `The property "${key}" is not allowed.`
    }
    const problem = findProblem(property, depth + 1)
    if (problem) return problem
  }
  return undefined
}

function hasPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')
}

const unstorable = 'The body contains a NUL character or an unpaired surrogate.'

/** Whether a text can be stored: PostgreSQL accepts no NUL, and an unpaired surrogate is not a character. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}
