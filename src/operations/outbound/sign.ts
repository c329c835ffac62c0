/** Signatures by the Standard Webhooks specification, which has libraries to verify them in most languages. */
import { createHmac, randomBytes } from 'node:crypto'

const prefix = 'whsec_'
const keyBytes = 32

export const newSigningKey = (): Buffer => randomBytes(keyBytes)

/** The form in which libraries expect the key. */
export const toSecret = (key: Buffer): string => `${prefix}${key.toString('base64')}`

export interface SignedMessage {
  /** The same for every attempt: a receiver recognizes by it what it has already handled. */
  readonly id: string
  readonly body: string
}

/** One signature for each key, so that receivers can change to a new secret at any time during the overlap. */
export function signatureHeaders(
  { id, body }: SignedMessage,
  keys: readonly Buffer[],
  now: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1000))
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`,
  )
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
