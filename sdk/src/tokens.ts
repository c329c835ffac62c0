/** Access tokens: one request at a time for a new one, and a new one before the old one expires. */

export interface Tokens {
  readonly accessToken: string
  readonly refreshToken?: string
  /** ISO 8601. */
  readonly expiresAt: string
}

export interface TokenSource {
  /** A token that is valid for a while. */
  get(): Promise<string>
  /** Gets another one next time, unless that has happened since the token was given out. */
  drop(token: string): void
}

const earlyMs = 60_000

/** `renew` gets the tokens there were before, if there were any. */
export function createTokenSource(
  renew: (before: Tokens | undefined) => Promise<Tokens>,
  initial?: Tokens,
): TokenSource {
  let current = initial
  let isDropped = false
  let renewing: Promise<Tokens> | undefined

  const isFresh = (tokens: Tokens) => Date.parse(tokens.expiresAt) - Date.now() > earlyMs

  return {
    async get() {
      if (current && !isDropped && isFresh(current)) return current.accessToken
      renewing ??= renew(current).finally(() => {
        renewing = undefined
      })
      current = await renewing
      isDropped = false
      return current.accessToken
    },
    drop(token) {
      if (current?.accessToken === token) isDropped = true
    },
  }
}
