/**
 * API keys, API secrets, refresh tokens, sessions and invitations: 256 random bits after a prefix that names
 * the kind. Only a keyed hash is ever stored, so that a copy of the database gives no access.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export type CredentialKind = 'lwk' | 'lws' | 'lwr'
/**
 * Credentials of people: sessions and invitations. They contain their organization, so that only it is
 * searched.
 */
export type PersonCredentialKind = 'lwp' | 'lwi'

export interface Credentials {
  create(kind: CredentialKind): string
  createFor(kind: PersonCredentialKind, org: number): string
  hash(credential: string): Buffer
  /** Compares two secrets in constant time. */
  equal(a: string, b: string): boolean
}

export function createCredentials(pepper: string): Credentials {
  const hash = (credential: string) => createHmac('sha256', pepper).update(credential).digest()
  return {
    create: (kind) => `${kind}_${randomBytes(32).toString('base64url')}`,
    createFor: (kind, org) => `${kind}_${org}-${randomBytes(32).toString('base64url')}`,
    hash,
    equal: (a, b) => timingSafeEqual(hash(a), hash(b)),
  }
}

const maxOrg = 2_147_483_647

/** Internal ID of the organization in a token of this kind; undefined if the token is malformed. */
export function organizationIn(kind: PersonCredentialKind, token: string): number | undefined {
  const match = /^(lw[pi])_([1-9]\d{0,9})-[\w-]{43}$/.exec(token)
  const org = Number(match?.[2])
  return match?.[1] === kind && org <= maxOrg ? org : undefined
}
