/** Turns a request and its answer into what the rules look at, without the secrets in them. */
import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Exchange } from './session.ts'

export interface Seen {
  readonly scene: string
  readonly startedMs: number
  readonly endedMs: number
  readonly method: string
  /** As sent, with the query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly answer?: { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string }
}

export interface Recorder {
  record(seen: Seen): Exchange
}

const secretHeaders = ['x-api-key', 'x-api-secret'] as const
const secretNames = /^(?:x-)?(?:api[-_]?(?:key|secret)|access[-_]?token|refresh[-_]?token|token|secret)$/i

/** Knows every secret that it has seen, and finds it wherever it appears later. */
export function createRecorder(): Recorder {
  const secrets = new Set<string>()
  const learn = (text: unknown) => {
    if (typeof text === 'string' && text.length >= 8) secrets.add(text)
  }

  function record(seen: Seen): Exchange {
    const { method, headers, answer } = seen
    const [path = '', query = ''] = seen.url.split(/\?(.*)/s)
    const isAuth = /\/auth\/(?:token|refreshtoken)$/.test(path)
    for (const name of secretHeaders) learn(headers[name])
    const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1]
    learn(bearer)
    const body = parse(seen.body)
    const reply = parse(answer?.body ?? '')
    if (isAuth)
      for (const value of [reply?.accessToken, reply?.refreshToken, body?.refreshToken]) learn(value)
    const leaks = findLeaks({ path, query, headers, body: seen.body, isAuth }, secrets)
    const retryAfter = Number(answer?.headers['retry-after'] ?? Number.NaN)
    const ignored = answer?.headers['ignored-members']
    const key = headers['idempotency-key']
    return {
      scene: seen.scene,
      startedMs: seen.startedMs,
      endedMs: seen.endedMs,
      method,
      path: redact(decode(path), secrets),
      // What a token request has in it is nobody's business.
      ...(body !== undefined && !isAuth && { body: parse(redact(seen.body, secrets)) }),
      bodyMark: markOf(body === undefined ? seen.body : JSON.stringify(sorted(body))),
      ...(typeof key === 'string' && { idempotencyKey: markOf(key) }),
      ...(bearer !== undefined && { token: markOf(bearer) }),
      leaks,
      ...(answer && { status: answer.status }),
      ...(reply !== undefined && !isAuth && { reply: parse(redact(answer!.body, secrets)) }),
      ...(retryAfter >= 0 && { retryAfterMs: retryAfter * 1000 }),
      ignored: typeof ignored === 'string' && ignored !== '' ? ignored.split(/,\s*/) : [],
      ...(isAuth && answer?.status === 200 && { issued: toIssued(reply) }),
    }
  }

  return { record }
}

function toIssued(reply: Record<string, unknown> | undefined) {
  const { accessToken, expiresIn } = reply ?? {}
  return { token: markOf(String(accessToken)), expiresAtMs: Number(expiresIn) }
}

interface Looked {
  readonly path: string
  readonly query: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly isAuth: boolean
}

function findLeaks({ path, query, headers, body, isAuth }: Looked, secrets: ReadonlySet<string>): string[] {
  const has = (text: string) => [...secrets].some((secret) => text.includes(secret))
  const named = [...new URLSearchParams(query)].filter(
    ([name, value]) => secretNames.test(name) && value !== '',
  )
  const strayHeaders = isAuth ? [] : secretHeaders.filter((name) => headers[name] !== undefined)
  return [
    ...(has(decode(path)) || has(decode(query)) || named.length > 0 ? ['in the URL'] : []),
    ...strayHeaders.map((name) => `in the header ${name}, which only /auth/token needs`),
    ...(!isAuth && has(body) ? ['in the body'] : []),
  ]
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function redact(text: string, secrets: ReadonlySet<string>): string {
  let redacted = text
  for (const secret of secrets) redacted = redacted.replaceAll(secret, '…')
  return redacted
}

export const markOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12)

// biome-ignore lint/suspicious/noExplicitAny: it is what an unknown till or service has sent.
function parse(text: string): Record<string, any> | undefined {
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, inner]) => [name, sorted(inner)]))
}
