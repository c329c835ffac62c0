/** Verifies what a webhook has received, by the Standard Webhooks specification. */
import type { Schemas } from './types.ts'

export type Event = Schemas['LoyaltyEvent']

export interface Delivery {
  /** Exactly as received, before anything has parsed it. */
  readonly body: string | Uint8Array
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
}

export class InvalidSignature extends Error {
  override readonly name = 'InvalidSignature'
}

const toleranceMs = 300_000

/** The event, if one of the secrets has signed it within the last five minutes; otherwise throws. */
export async function verifyWebhook(
  { body, headers }: Delivery,
  secrets: string | readonly string[],
  now = Date.now(),
): Promise<Event> {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature')
  const ageMs = Math.abs(now - Number(timestamp) * 1000)
  if (!(ageMs <= toleranceMs)) throw new InvalidSignature('The timestamp is too old, or ahead of this clock.')
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body)
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`)
  for (const secret of typeof secrets === 'string' ? [secrets] : secrets) {
    const key = await importKey(secret)
    for (const signature of signatures.split(' ')) {
      if (!signature.startsWith('v1,')) continue
      if (await crypto.subtle.verify('HMAC', key, bytesOf(signature.slice(3)), signed))
        return JSON.parse(text)
    }
  }
  throw new InvalidSignature(
    'No signature matches. Check the secret, and that the body is exactly as received.',
  )
}

function headerOf(headers: Delivery['headers'], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name]
  if (typeof value === 'string') return value
  throw new InvalidSignature(`The header ${name} is missing.`)
}

const importKey = (secret: string) =>
  crypto.subtle.importKey(
    'raw',
    bytesOf(secret.replace(/^whsec_/, '')),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  )

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
  } catch {
    throw new InvalidSignature('The secret or the signature is not base64.')
  }
}
