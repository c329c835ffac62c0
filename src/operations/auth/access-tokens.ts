/**
 * Access tokens: JWTs signed with HS256, accepted only with exactly the header and claims that we issue. The
 * caller is also checked against the database with each request, so a token proves identity, not current
 * permissions: it names the secret and the key that opened it, and ends with them.
 */
import { CompactSign, compactVerify } from 'jose'
import QuickLRU from 'quick-lru'
import { type OrganizationId, parseId, type SessionId, type UserId } from '../../domain/ids.ts'
import type { TokenCredentials } from '../../store/live-credentials.ts'

export interface TokenClaims {
  readonly organization: OrganizationId
  readonly user: UserId
  readonly session: SessionId
  readonly scopes: readonly string[]
  /** What opened it; undefined in tokens of earlier versions, whose session knows it. */
  readonly credentials?: TokenCredentials
  /** Unix time in whole seconds. */
  readonly expiresAt: number
}

export type NewClaims = Omit<TokenClaims, 'expiresAt'> & { readonly credentials: TokenCredentials }

export type TokenCheck =
  | { readonly ok: true; readonly claims: TokenClaims }
  | { readonly ok: false; readonly reason: 'malformed' | 'foreign' | 'expired' }

export interface AccessTokens {
  /**
   * Signs a token for the claims, valid for the configured time from `now`, rounded down to whole seconds.
   */
  sign(claims: NewClaims, now: Date): Promise<{ token: string; expiresAtMs: number }>
  verify(token: string, now: Date): Promise<TokenCheck>
  /** Checks everything except the expiry, which a refresh ignores. */
  verifyIgnoringExpiry(token: string): Promise<TokenCheck>
}

const issuer = 'loyalty-wallet'
const audience = 'loyalty-wallet-api'
const header = { alg: 'HS256', typ: 'at+jwt' } as const

/**
 * Verifying takes about 50 µs, and a till sends the same token thousands of times. Up to twice as many are
 * kept.
 */
const keptTokens = 5_000

/** Signs with `secret`; accepts tokens of `otherSecret` too, the one before or after it, while it is changed. */
export function createAccessTokens(secret: string, ttlSeconds: number, otherSecret?: string): AccessTokens {
  const key = toKey(secret)
  const otherKey = otherSecret === undefined ? undefined : toKey(otherSecret)
  const verified = new QuickLRU<string, TokenClaims>({ maxSize: keptTokens })

  async function verifyIgnoringExpiry(token: string): Promise<TokenCheck> {
    const known = verified.get(token)
    if (known) return { ok: true, claims: known }
    if (!isJwt(token)) return { ok: false, reason: 'malformed' }
    const claims = (await verifyOnce(token, key)) ?? (otherKey && (await verifyOnce(token, otherKey)))
    if (!claims) return { ok: false, reason: 'foreign' }
    verified.set(token, claims)
    return { ok: true, claims }
  }

  return {
    async sign(claims, now) {
      const issuedAt = Math.floor(now.getTime() / 1000)
      const expiresAt = issuedAt + ttlSeconds
      const payload = {
        iss: issuer,
        aud: audience,
        sub: claims.user,
        org: claims.organization,
        sid: claims.session,
        sec: claims.credentials.secret,
        key: claims.credentials.key,
        scopes: claims.scopes,
        iat: issuedAt,
        exp: expiresAt,
      }
      const token = await new CompactSign(new TextEncoder().encode(JSON.stringify(payload)))
        .setProtectedHeader(header)
        .sign(key)
      return { token, expiresAtMs: expiresAt * 1000 }
    },
    async verify(token, now) {
      const verification = await verifyIgnoringExpiry(token)
      if (verification.ok && now.getTime() >= verification.claims.expiresAt * 1000) {
        return { ok: false, reason: 'expired' }
      }
      return verification
    },
    verifyIgnoringExpiry,
  }
}

const toKey = (secret: string) => new TextEncoder().encode(secret)

const maxTokenLength = 4_096

/** Three base64url parts, the first two of them JSON objects. */
function isJwt(token: string): boolean {
  const parts = token.split('.')
  if (token.length > maxTokenLength || parts.length !== 3) return false
  if (!parts.every((part) => /^[A-Za-z0-9_-]*$/.test(part))) return false
  return parseJsonPart(parts[0]!) !== undefined && parseJsonPart(parts[1]!) !== undefined
}

function parseJsonPart(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

async function verifyOnce(token: string, key: Uint8Array): Promise<TokenClaims | undefined> {
  const verified = await compactVerify(token, key, { algorithms: ['HS256'] }).catch(() => undefined)
  if (!verified) return undefined
  const names = Object.keys(verified.protectedHeader).sort().join()
  if (names !== 'alg,typ' || verified.protectedHeader.typ !== header.typ) return undefined
  const claims = parseJsonPart(token.split('.')[1]!)
  if (!claims || claims.iss !== issuer || claims.aud !== audience) return undefined
  const { sub, org, sid, scopes, exp } = claims
  if (typeof sub !== 'string' || typeof org !== 'string' || typeof sid !== 'string') return undefined
  const user = parseId('usr', sub)
  const organization = parseId('org', org)
  const session = parseId('ses', sid)
  if (!user || !organization || !session) return undefined
  if (!Array.isArray(scopes) || !scopes.every((scope) => typeof scope === 'string')) return undefined
  if (!Number.isSafeInteger(exp)) return undefined
  const { sec, key: keyId } = claims
  const secret = typeof sec === 'string' ? parseId('sec', sec) : undefined
  const ofKey = typeof keyId === 'string' ? parseId('key', keyId) : undefined
  const credentials = secret && ofKey && { secret, key: ofKey }
  // Present and unreadable is none of ours; only tokens of earlier versions leave both out.
  if (!credentials && (sec !== undefined || keyId !== undefined)) return undefined
  return { user, organization, session, scopes, credentials, expiresAt: exp as number }
}
