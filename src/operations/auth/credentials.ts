/**
 * API keys, API secrets, refresh tokens, sessions and invitations: 256 random bits behind a prefix that says what
 * they are. Only a keyed hash of them is ever stored, so that a copy of the database opens no door.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export type CredentialKind = 'lwk' | 'lws' | 'lwr'
/** Of people: sessions and invitations. They name their organization, so that they are looked for only there. */
export type PersonCredentialKind = 'lwp' | 'lwi'

export interface Credentials {
  create(kind: CredentialKind): string
  createFor(kind: PersonCredentialKind, org: number): string
  hash(credential: string): Buffer
  /** Whether two secrets are the same, in a time that tells nothing about either. */
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

/** The number of the organization that a token of this kind names; undefined when it is none of ours. */
export function organizationIn(kind: PersonCredentialKind, token: string): number | undefined {
  const match = /^(lw[pi])_([1-9]\d{0,9})-[\w-]{43}$/.exec(token)
  const org = Number(match?.[2])
  return match?.[1] === kind && org <= maxOrg ? org : undefined
}
