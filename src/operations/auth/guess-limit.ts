/**
 * Slows down guessing. Only failures count: keys, secrets and tokens are long and random, so the goal is to
 * limit the noise, and a correct one passes even next to a guesser with the same IP address. Passwords are
 * chosen by people, so after too many failures of an address or an account nothing is compared at all, except
 * for browsers that have signed in to the account before: each has a limit of its own. Wrong passwords of an account are few and cost a hash each: the database counts them as
 * well, for all processes together. For everything else each process has a share of the limit.
 */
import type { Pool } from 'pg'
import { Refused } from '../../domain/refusal.ts'
import { type GuessCost, updatePasswordGuess } from '../../store/password-guesses.ts'
import { platformTenant } from '../../store/tenant.ts'
import { createRateLimit, type RateLimit, secondsToWait } from '../rate-limit.ts'
import type { Credentials } from './credentials.ts'
import type { Passwords } from './passwords.ts'
import { takeShared } from './shared-limit.ts'

/** Who tries a password. */
export interface Guesser {
  readonly account: string
  readonly address: string
  /**
   * Name of a browser that is known to be the account's own. Its failures are counted for it alone, neither
   * for the account nor for the address.
   */
  readonly device?: string
}

export interface GuessLimit {
  /** Counts a wrong key or secret, and returns the refusal. */
  wrongCredentials(keyHash: Buffer, address: string): Refused
  /** Counts a token that we did not sign, and returns a refusal if there were too many. */
  foreignToken(address: string): Refused | undefined
  /** Counts a wrong operator's token, and returns the refusal. */
  wrongOperator(address: string): Refused
  /**
   * Makes a password attempt when it is its turn; `undefined` means a wrong password. Each is counted before
   * it is made, so that concurrent attempts get no more than sequential ones, and given back unless it was
   * wrong. The database is queried within the turn: sign-ins never take more connections than there are
   * turns.
   */
  tryPassword<T>(by: Guesser, attempt: () => Promise<T | undefined>): Promise<T>
}

/** After a burst of this many failures, one more every two seconds: people mistype, and scripts have bugs. */
const credentialsAtOnce = 20
const credentialsPerSecond = 0.5
/** Per account, from any address: a password has far fewer bits. Open sessions are not affected. */
const ofAccount: GuessCost = { atOnce: 10, seconds: 10 }
/**
 * A forged token costs a signature check; a till with a token of another installation sends it every time.
 */
const tokensAtOnce = 100
const tokensPerSecond = 5

/** Minimum burst per process: a client stays with one process for as long as its connection is open. */
const leastAtOnce = 3

export interface GuessLimitOptions {
  readonly pool: Pool
  readonly clock: () => Date
  readonly credentials: Credentials
  readonly workers: number
  readonly inTurn: Passwords['inTurn']
}

const tooOften = (seconds: number) =>
  new Refused(
    '_too_many_requests',
    'Too many failed attempts with this key or account, or from this IP address.',
  ).after(seconds)

export function createGuessLimit({
  pool,
  clock,
  credentials,
  workers,
  inTurn,
}: GuessLimitOptions): GuessLimit {
  // Each process gets a share, so that together they allow as much as one would.
  const share = (perSecond: number, atOnce: number) =>
    createRateLimit(perSecond / workers, Math.max(leastAtOnce, Math.floor(atOnce / workers)))
  const pairs = share(credentialsPerSecond, credentialsAtOnce)
  const tokens = share(tokensPerSecond, tokensAtOnce)
  const operators = share(credentialsPerSecond, credentialsAtOnce)
  // Per-process pre-check with the full budget; the shared count lives in the database.
  const accounts = createRateLimit(1 / ofAccount.seconds, ofAccount.atOnce)
  const visitors = share(credentialsPerSecond, credentialsAtOnce)

  function fail(limit: RateLimit, key: string): Refused | undefined {
    const bucket = limit.take(key, clock().getTime())
    return bucket.isAllowed ? undefined : tooOften(secondsToWait(bucket, limit))
  }

  async function failOnAccount(hash: Buffer): Promise<Refused | undefined> {
    const now = clock()
    const wait = await takeShared(pool, hash, ofAccount, now)
    return wait === undefined ? undefined : tooOften(wait)
  }

  /** An attempt that stays counted in the database only if it was wrong. */
  async function tryCounted<T>(hash: Buffer, attempt: () => Promise<T | undefined>): Promise<T | Refused> {
    const tooMany = await failOnAccount(hash)
    if (tooMany) return tooMany
    let isWrong = false
    try {
      const result = await attempt()
      isWrong = result === undefined
      return result ?? new Refused('_invalid_credentials', 'The email address or the password is wrong.')
    } finally {
      // A failure here can be ignored: the count decays within seconds.
      if (!isWrong) await updatePasswordGuess(platformTenant(pool), hash, ofAccount).catch(() => {})
    }
  }

  return {
    wrongCredentials(keyHash, address) {
      const byKey = fail(pairs, `key ${keyHash.toString('base64')}`)
      const byAddress = fail(pairs, `address ${networkOf(address)}`)
      return byKey ?? byAddress ?? new Refused('_invalid_credentials')
    },
    foreignToken: (address) => fail(tokens, networkOf(address)),
    wrongOperator: (address) => fail(operators, networkOf(address)) ?? new Refused('_unauthorized'),
    async tryPassword({ account, address, device }, attempt) {
      const network = networkOf(address)
      const tooMany = device === undefined ? fail(visitors, network) : undefined
      if (tooMany) throw tooMany
      // An email address contains no space, so the two never have the same name.
      const counted = device === undefined ? account : `device ${device}`
      const tooManyOfAccount = fail(accounts, counted)
      if (tooManyOfAccount) throw tooManyOfAccount
      let isRefused = false
      try {
        const result = await inTurn(() => tryCounted(credentials.hash(counted), attempt))
        isRefused = result instanceof Refused
        if (result instanceof Refused) throw result
        return result
      } finally {
        if (!isRefused) {
          if (device === undefined) visitors.giveBack(network)
          accounts.giveBack(counted)
        }
      }
    },
  }
}

/** The holder of an IPv6 address usually controls its whole /64 network, which therefore counts as one. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address
  const [head = '', tail] = address.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length
  return [...before, ...Array<string>(Math.max(0, zeros)).fill('0'), ...after].slice(0, 4).join(':')
}
