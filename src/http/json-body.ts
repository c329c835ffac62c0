/**
 * Reads JSON bodies strictly: valid UTF-8 without a byte order mark, no member that reaches for an object's
 * prototype, no text PostgreSQL could not keep, and no nesting that only an attacker would send.
 */
import type { FastifyInstance } from 'fastify'
import { Refused } from '../domain/refusal.ts'

const maxDepth = 32

export function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, payload, done) => {
    const { 'content-encoding': encoding, 'content-type': type } = request.headers
    if ((encoding && encoding !== 'identity') || /charset=(?!"?utf-?8)/i.test(type ?? '')) {
      return done(new Refused('_unsupported_media_type', 'Send the body as plain, uncompressed UTF-8.'))
    }
    // An empty body counts as {}; where a member is required, the schema says which.
    if (payload.length === 0) return done(null, {})
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
    parse(request, text, (error, body) => {
      if (error) return done(new Refused('_invalid_payload', `The body is not valid JSON: ${error.message}.`))
      const problem = findProblem(body, 0)
      done(problem ? new Refused('_invalid_payload', problem) : null, body)
    })
  })
  // Some clients name a type even when they send nothing: an empty body is {} whatever it calls itself.
  app.addContentTypeParser('*', (request, _payload, done) => {
    if (request.headers['content-length'] === '0') return done(null, {})
    done(new Refused('_unsupported_media_type'))
  })
}

function findProblem(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : unstorable
  if (typeof value !== 'object' || value === null) return undefined
  if (depth >= maxDepth) return `The body is nested more than ${maxDepth} levels deep.`
  for (const key in value) {
    if (!isStorable(key)) return unstorable
    const problem = findProblem((value as Record<string, unknown>)[key], depth + 1)
    if (problem) return problem
  }
  return undefined
}

const unstorable = 'The body holds text with a NUL character or half a surrogate pair.'

/** Whether a text can be kept: PostgreSQL takes no NUL, and half a surrogate pair is no character. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}
