/**
 * API keys, API secrets and refresh tokens: 256 random bits behind a prefix that says what they are. Only a
 * keyed hash of them is ever stored, so that a copy of the database opens no door.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export type CredentialKind = 'lwk' | 'lws' | 'lwr'

export interface Credentials {
  create(kind: CredentialKind): string
  hash(credential: string): Buffer
  /** Whether two secrets are the same, in a time that tells nothing about either. */
  equal(a: string, b: string): boolean
}

export function createCredentials(pepper: string): Credentials {
  const hash = (credential: string) => createHmac('sha256', pepper).update(credential).digest()
  return {
    create: (kind) => `${kind}_${randomBytes(32).toString('base64url')}`,
    hash,
    equal: (a, b) => timingSafeEqual(hash(a), hash(b)),
  }
}
