/**
 * Sends one delivery. The address is checked when connecting, not before: a name can resolve to something else the
 * second time. Redirects are not followed, and neither a slow nor a long response takes more than its share.
 */
import { type LookupAddress, lookup as lookUp } from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import type { Attempt, Outcome } from '../../domain/webhook.ts'
import type { Addresses } from './addresses.ts'

export interface Posting {
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
}

export type Send = (posting: Posting, at: Date) => Promise<Attempt & Outcome>

export interface SenderOptions {
  readonly addresses: Addresses
  readonly timeoutMs?: number
  /** An additional certificate authority, for tests. */
  readonly ca?: string
}

/** The time for everything: the name, the connection, the request and the response. */
const defaultTimeoutMs = 15_000
const idleMs = 10_000
const maxResponseBytes = 64 * 1024
const shownCharacters = 1_000

export class ForbiddenAddressError extends Error {
  override name = 'ForbiddenAddressError'
}

export function createSender({ addresses, timeoutMs = defaultTimeoutMs, ca }: SenderOptions): {
  readonly send: Send
  close(): void
} {
  const agents = {
    'http:': new http.Agent({ keepAlive: true, timeout: idleMs }),
    'https:': new https.Agent({ keepAlive: true, timeout: idleMs, ca }),
  }
  const send: Send = async (posting, at) => {
    const start = performance.now()
    const answer = await post(posting).catch((error: unknown) => ({ error: explain(error, timeoutMs) }))
    return { at, durationMs: Math.round(performance.now() - start), ...answer }
  }

  async function post({ url, headers, body }: Posting) {
    const { protocol, hostname } = new URL(url)
    const isSecure = protocol === 'https:'
    const isAllowed = isSecure ? addresses.isAllowed : addresses.isOwn
    const literal = hostname.replace(/^\[(.*)\]$/, '$1')
    if (isIP(literal)) refuseForbidden(isAllowed, [literal])
    const request = (isSecure ? https : http).request(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      agent: agents[isSecure ? 'https:' : 'http:'],
      lookup: checkedLookup(isAllowed),
      signal: AbortSignal.timeout(timeoutMs),
    })
    return new Promise<Omit<Attempt, 'at' | 'durationMs'> & Outcome>((resolve, reject) => {
      request.on('error', reject)
      request.on('response', (response) => {
        readBeginning(response).then(
          (text) =>
            resolve({
              status: response.statusCode,
              retryAfterMs: retryAfterOf(response.headers['retry-after'], new Date()),
              response: text || undefined,
            }),
          reject,
        )
      })
      request.end(body)
    })
  }

  return {
    send,
    close() {
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

function refuseForbidden(isAllowed: Addresses['isAllowed'], found: readonly string[]): void {
  if (found.every(isAllowed)) return
  throw new ForbiddenAddressError('The address is not on the public internet.')
}

/** Refuses a name if any of its addresses is forbidden. */
function checkedLookup(isAllowed: Addresses['isAllowed']): LookupFunction {
  return (hostname, options, callback) => {
    lookUp(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error) return callback(error, '')
      try {
        refuseForbidden(
          isAllowed,
          found.map(({ address }) => address),
        )
      } catch (refused) {
        return callback(refused as Error, '')
      }
      if (options.all) return callback(null, found)
      const [first] = found
      callback(null, first!.address, first!.family)
    })
  }
}

/** The rest of a long response is not read. */
async function readBeginning(response: http.IncomingMessage): Promise<string> {
  let text = ''
  let bytes = 0
  response.setEncoding('utf8')
  for await (const chunk of response as AsyncIterable<string>) {
    bytes += chunk.length
    if (text.length < shownCharacters) text += chunk
    if (bytes > maxResponseBytes) break
  }
  // PostgreSQL stores every character but this one.
  return text.slice(0, shownCharacters).replaceAll('\u0000', '\ufffd').toWellFormed()
}

/** Seconds or a date. */
function retryAfterOf(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now.getTime()
  return ms > 0 ? ms : undefined
}

/** In words that help to find the cause; the message of an unknown error is not shown. */
function explain(error: unknown, timeoutMs: number): string {
  const { name, code, message } = error as NodeJS.ErrnoException
  if (name === 'TimeoutError' || name === 'AbortError')
    return `No response within ${timeoutMs / 1000} seconds.`
  if (name === 'ForbiddenAddressError') return message
  return (
    {
      ENOTFOUND: 'The name of the host cannot be resolved.',
      EAI_AGAIN: 'The name of the host cannot be resolved at the moment.',
      ECONNREFUSED: 'Nothing accepts connections at this address.',
      ECONNRESET: 'The connection was closed before the response.',
      ETIMEDOUT: 'The host cannot be reached.',
      EHOSTUNREACH: 'The host cannot be reached.',
      ENETUNREACH: 'The host cannot be reached.',
    }[code ?? ''] ?? `The connection failed${code ? ` (${code})` : ''}.`
  )
}
