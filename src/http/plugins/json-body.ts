/**
 * Reads JSON bodies strictly: valid UTF-8 without a byte order mark, no member that reaches for an object's
 * prototype, no text PostgreSQL could not keep, and no nesting that only an attacker would send.
 */
import type { FastifyInstance } from 'fastify'
import { Refused } from '../../domain/refusal.ts'

const maxDepth = 32

export function readJsonBodies(app: FastifyInstance): void {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(jsonTypes, { parseAs: 'buffer' }, (request, payload, done) => {
    const { 'content-encoding': encoding, 'content-type': type } = request.headers
    if ((encoding && encoding !== 'identity') || /charset=(?!"?utf-?8)/i.test(type ?? '')) {
      return done(new Refused('_unsupported_media_type', 'Send the body as plain, uncompressed UTF-8.'))
    }
    // An empty body counts as {}; where a member is required, the schema says which.
    if (payload.length === 0) return done(null, {})
    if (isMergePatch(type) && request.method !== 'PATCH') return done(new Refused('_unsupported_media_type'))
    let text: string
    try {
      text = decoder.decode(payload as Buffer)
    } catch {
      return done(new Refused('_invalid_payload', 'The body is not valid UTF-8.'))
    }
    // The parser would skip it, and a client that sends one is about to send other surprises.
    if (text.startsWith('\ufeff')) {
      return done(new Refused('_invalid_payload', 'The body begins with a byte order mark.'))
    }
    let body: unknown
    try {
      body = JSON.parse(text)
    } catch (error) {
      return done(new Refused('_invalid_payload', describeSyntax((error as Error).message)))
    }
    const problem = findProblem(body, 0)
    done(problem ? new Refused('_invalid_payload', problem) : null, body)
  })
  // Some clients name a type even when they send nothing: an empty body is {} whatever it calls itself.
  app.addContentTypeParser('*', (request, _payload, done) => {
    if (request.headers['content-length'] === '0') return done(null, {})
    done(new Refused('_unsupported_media_type'))
  })
}

/** What a body may call itself. RFC 7396 gives a merge patch a type of its own. */
export const jsonTypes = ['application/json', 'application/merge-patch+json']

function isMergePatch(type: string | undefined): boolean {
  return /^\s*application\/merge-patch\+json/i.test(type ?? '')
}

/** The engine's message may quote the body and says once more that it is not JSON; only the place helps. */
function describeSyntax(message: string): string {
  if (message.includes('end of JSON input')) return 'The body is not valid JSON: it ends too early.'
  const place = /at position (\d+)/.exec(message)?.[1]
  return place === undefined
    ? 'The body is not valid JSON.'
    : `The body is not valid JSON: see character ${Number(place) + 1}.`
}

function findProblem(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : unstorable
  if (typeof value !== 'object' || value === null) return undefined
  if (depth >= maxDepth) return `The body is nested more than ${maxDepth} levels deep.`
  for (const key in value) {
    if (!isStorable(key)) return unstorable
    const member = (value as Record<string, unknown>)[key]
    if (key === '__proto__' || (key === 'constructor' && hasPrototype(member))) {
      return `The body has a member "${key}" that reaches for a prototype. Such a member is refused.`
    }
    const problem = findProblem(member, depth + 1)
    if (problem) return problem
  }
  return undefined
}

function hasPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')
}

const unstorable = 'The body holds text with a NUL character or half a surrogate pair.'

/** Whether a text can be kept: PostgreSQL takes no NUL, and half a surrogate pair is no character. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}
