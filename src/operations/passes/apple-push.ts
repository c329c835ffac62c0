/**
 * Tells phones that a pass has changed, over HTTP/2 with the certificate of the pass type. The message is empty: the
 * phone then asks which of its passes have changed. A connection is kept while it is used, as Apple asks for.
 */
import { type ClientHttp2Session, connect, constants } from 'node:http2'
import type { AppleKeys } from './check-keys.ts'

export type PushOutcome =
  | { readonly kind: 'told' }
  /** The phone no longer has a pass of this type. */
  | { readonly kind: 'gone' }
  /** Nothing can be sent to anybody, as with a certificate that Apple does not accept. */
  | { readonly kind: 'refused' | 'failed'; readonly reason: string }

export interface ApplePush {
  push(keys: AppleKeys, pushToken: string): Promise<PushOutcome>
  close(): void
}

export interface ApplePushOptions {
  readonly url: string
  readonly timeoutMs?: number
  /** An additional certificate authority, for tests. */
  readonly ca?: string
}

const idleMs = 60_000
const goneReasons = ['BadDeviceToken', 'DeviceTokenNotForTopic', 'Unregistered', 'ExpiredToken']

export function createApplePush({ url, timeoutMs = 15_000, ca }: ApplePushOptions): ApplePush {
  const sessions = new Map<string, ClientHttp2Session>()

  function sessionOf({ certificate, chain, key }: AppleKeys): ClientHttp2Session {
    const name = certificate.fingerprint256
    const known = sessions.get(name)
    if (known && !known.closed && !known.destroyed) return known
    const session = connect(url, {
      ca,
      cert: [certificate, ...chain].map(String).join(''),
      key: key.export({ type: 'pkcs8', format: 'pem' }) as string,
    })
    // Each request fails by itself; without a listener the process would end.
    session.on('error', () => {})
    session.on('goaway', () => session.close())
    session.on('close', () => {
      if (sessions.get(name) === session) sessions.delete(name)
    })
    session.setTimeout(idleMs, () => session.close())
    sessions.set(name, session)
    return session
  }

  return {
    push: (keys, pushToken) =>
      new Promise((resolve) => {
        const stream = sessionOf(keys).request(
          {
            [constants.HTTP2_HEADER_METHOD]: 'POST',
            [constants.HTTP2_HEADER_PATH]: `/3/device/${pushToken}`,
            'apns-topic': keys.passType,
            'apns-push-type': 'background',
            'apns-priority': '5',
          },
          { signal: AbortSignal.timeout(timeoutMs) },
        )
        let [status, body] = [0, '']
        stream.setEncoding('utf8')
        stream.on('response', (headers) => {
          status = Number(headers[':status'])
        })
        stream.on('data', (chunk: string) => {
          if (body.length < 1_000) body += chunk
        })
        stream.on('error', (error: NodeJS.ErrnoException) => {
          resolve({ kind: 'failed', reason: error.code ?? error.name })
        })
        // Comes after an error as well, and changes nothing then.
        stream.on('close', () => resolve(outcomeOf(status, body)))
        stream.end('{}')
      }),
    close() {
      for (const session of sessions.values()) session.destroy()
    },
  }
}

function outcomeOf(status: number, body: string): PushOutcome {
  if (status === 200) return { kind: 'told' }
  const reason = reasonIn(body) ?? `status ${status}`
  if (status === 410 || goneReasons.includes(reason)) return { kind: 'gone' }
  return { kind: status === 403 ? 'refused' : 'failed', reason }
}

function reasonIn(body: string): string | undefined {
  try {
    return String((JSON.parse(body) as { reason?: unknown }).reason).slice(0, 100)
  } catch {
    return undefined
  }
}
