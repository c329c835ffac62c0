/**
 * What was seen of a till: its requests and their answers, and what its screen showed. Neither secrets nor tokens are
 * in it, only where they were found and marks that tell one from another.
 */
export interface Session {
  readonly exchanges: readonly Exchange[]
  readonly shown: readonly Shown[]
  readonly scenes: readonly SceneOutcome[]
}

export interface Exchange {
  readonly scene: string
  readonly startedMs: number
  readonly endedMs: number
  readonly method: string
  /** Without the query. */
  readonly path: string
  // biome-ignore lint/suspicious/noExplicitAny: it is what an unknown till has sent.
  readonly body?: any
  /** The same for bodies that mean the same. */
  readonly bodyMark: string
  readonly idempotencyKey?: string
  /** Mark of the access token that came with it. */
  readonly token?: string
  /** Where secrets and tokens were that do not belong there. */
  readonly leaks: readonly string[]
  /** Absent if the connection was cut before the answer. */
  readonly status?: number
  // biome-ignore lint/suspicious/noExplicitAny: it is what an unknown service has answered.
  readonly reply?: any
  readonly retryAfterMs?: number
  /** Names of the fields that the service did not know. */
  readonly ignored: readonly string[]
  /** The token that it was answered with. */
  readonly issued?: { readonly token: string; readonly expiresAtMs: number }
}

/** What the tester read from the till, when asked. */
export interface Shown {
  readonly scene: string
  readonly what: 'amount' | 'balance'
  /** Undefined if it showed none. */
  readonly value: number | undefined
  /** What the service had told last, if that is not in the traffic. */
  readonly expected?: number
  /** Whether the till has asked the service since the balance had changed. */
  readonly isFresh?: boolean
}

export interface SceneOutcome {
  readonly id: string
  readonly text: string
  readonly outcome: 'done' | 'skipped' | 'failed'
  readonly reason?: string
}

export const isSale = ({ method, path }: Exchange): boolean =>
  method === 'POST' && path.endsWith('/v1/transactions/process')

export const isTried = ({ method, path }: Exchange): boolean =>
  method === 'POST' && path.endsWith('/v1/transactions/validate')

export const isReturn = ({ method, path }: Exchange): boolean =>
  method === 'POST' && /\/v1\/transactions\/[^/]+\/return$/.test(path)

export const isLookup = ({ method, path }: Exchange): boolean =>
  method === 'GET' && /\/v1\/(?:customers|cards)\/[^/]+$/.test(path)

export const isTokenRequest = ({ path }: Exchange): boolean => /\/auth\/(?:token|refreshtoken)$/.test(path)

export const isAccepted = ({ status }: Exchange): boolean =>
  status !== undefined && status >= 200 && status < 300

/** Nothing was said about what became of the request, so that it has to be sent again. */
export const isUnanswered = ({ status }: Exchange): boolean =>
  status === undefined || status === 429 || status >= 500

export const isSameRequest = (a: Exchange, b: Exchange): boolean =>
  a.method === b.method && a.path === b.path && a.bodyMark === b.bodyMark

/** Such as `POST /v1/transactions/process`, for the report. */
export const nameOf = ({ method, path }: Exchange): string => `${method} ${path}`

/** Coupons that a basket names, for itself or for its items. */
export function couponsOf({ body }: Exchange): unknown[] {
  const items: unknown[] = Array.isArray(body?.items) ? body.items : []
  return [body, ...items].flatMap((part) => (part as { reward?: unknown })?.reward ?? [])
}
