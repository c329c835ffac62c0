/**
 * Google's API for passes, as a service account: a signed request gets a token for an hour (RFC 7523), and with it
 * classes and objects are written. The addresses are Google's, or the operator's for tests; no merchant names them.
 */
import { createHash } from 'node:crypto'
import { SignJWT } from 'jose'
import type { GoogleKeys } from './check-keys.ts'
import type { PassHosts } from './installation.ts'

export type GoogleOutcome =
  | { readonly kind: 'done'; readonly hasUsers: boolean }
  | { readonly kind: 'missing' }
  /** The account is not accepted, or may not do this. */
  | { readonly kind: 'refused' | 'failed'; readonly reason: string }

export interface GoogleClient {
  /** Creates a class or an object, or changes the one that is there. */
  put(keys: GoogleKeys, kind: GoogleKind, content: object & { id: string }): Promise<GoogleOutcome>
  /** Changes what is there. */
  patch(keys: GoogleKeys, kind: GoogleKind, id: string, content: object): Promise<GoogleOutcome>
}

export type GoogleKind = 'loyaltyClass' | 'loyaltyObject'

const scope = 'https://www.googleapis.com/auth/wallet_object.issuer'
const timeoutMs = 8_000
/** A token is not used in its last minutes. */
const spareMs = 5 * 60_000
const maxTokens = 1_000

export function createGoogleClient({ googleApi, googleToken }: PassHosts, clock: () => Date): GoogleClient {
  const tokens = createTokens(googleToken, clock)

  async function call(keys: GoogleKeys, method: string, path: string, content: object) {
    const token = await tokens.get(keys)
    const answer = await send(`${googleApi}/walletobjects/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(content),
    })
    // It may have been revoked.
    if (answer.status === 401) tokens.forget(keys)
    return answer
  }

  async function patch(
    keys: GoogleKeys,
    kind: GoogleKind,
    id: string,
    content: object,
  ): Promise<GoogleOutcome> {
    try {
      return outcomeOf(await call(keys, 'PATCH', `${kind}/${encodeURIComponent(id)}`, content))
    } catch (error) {
      return failureOf(error)
    }
  }

  return {
    patch,
    async put(keys, kind, content) {
      try {
        const created = await call(keys, 'POST', kind, content)
        // It is there already.
        if (created.status === 409) return patch(keys, kind, content.id, content)
        return outcomeOf(created)
      } catch (error) {
        return failureOf(error)
      }
    },
  }
}

/** Tokens of service accounts, each used for nearly as long as it is valid. */
function createTokens(googleToken: string, clock: () => Date) {
  const tokens = new Map<string, { readonly token: string; readonly until: number }>()

  async function get(keys: GoogleKeys): Promise<string> {
    const now = clock()
    const name = nameOf(keys)
    const known = tokens.get(name)
    if (known && known.until > now.getTime()) return known.token
    const issuedAt = Math.floor(now.getTime() / 1000)
    const assertion = await new SignJWT({ scope })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuer(keys.email)
      .setAudience(googleToken)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + 3_600)
      .sign(keys.key)
    const body = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion })
    const { status, json } = await send(googleToken, { method: 'POST', body })
    const { access_token: token, expires_in: seconds } = json as {
      access_token?: unknown
      expires_in?: unknown
    }
    if (status !== 200 || typeof token !== 'string') throw new GoogleError(status, json)
    if (tokens.size >= maxTokens) tokens.clear()
    tokens.set(name, { token, until: now.getTime() + Number(seconds ?? 0) * 1000 - spareMs })
    return token
  }

  return { get, forget: (keys: GoogleKeys) => tokens.delete(nameOf(keys)) }
}

/** By the key itself: nobody gets the token of an account by naming it. */
const nameOf = ({ key, email }: GoogleKeys) =>
  createHash('sha256')
    .update(email)
    .update(key.export({ type: 'pkcs8', format: 'der' }))
    .digest('hex')

interface GoogleAnswer {
  readonly status: number
  readonly json: unknown
}

class GoogleError extends Error {
  override name = 'GoogleError'
  readonly status: number
  constructor(status: number, json: unknown) {
    super(reasonIn(json) ?? `status ${status}`)
    this.status = status
  }
}

async function send(url: string, init: RequestInit): Promise<GoogleAnswer> {
  const signal = AbortSignal.timeout(timeoutMs)
  const response = await fetch(url, { ...init, signal, redirect: 'error' })
  return { status: response.status, json: await response.json().catch(() => ({})) }
}

function outcomeOf({ status, json }: GoogleAnswer): GoogleOutcome {
  if (status >= 200 && status < 300) {
    return { kind: 'done', hasUsers: (json as { hasUsers?: unknown }).hasUsers === true }
  }
  if (status === 404) return { kind: 'missing' }
  return failureOf(new GoogleError(status, json))
}

/** What is wrong with the account or the request does not get better by itself. */
function failureOf(error: unknown): GoogleOutcome {
  if (!(error instanceof GoogleError)) {
    return { kind: 'failed', reason: (error as Error).name }
  }
  const isRefused = error.status >= 400 && error.status < 500 && error.status !== 429
  return { kind: isRefused ? 'refused' : 'failed', reason: error.message }
}

/** `{"error": {"message": …}}` of the API, or `{"error": "invalid_grant"}` of the tokens. */
function reasonIn(json: unknown): string | undefined {
  const { error } = Object(json) as { error?: unknown }
  const text = typeof error === 'string' ? error : (Object(error) as { message?: unknown }).message
  return typeof text === 'string' ? text.slice(0, 200) : undefined
}
