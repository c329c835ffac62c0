/**
 * Slows down those who guess. Only failures count: keys, secrets and tokens are 256 random bits, so what has to
 * be kept down is the noise, and a right one passes also next to a guesser with the same address. The operator's
 * token and passwords are chosen by people, so there an address or an account that failed too often is not even
 * compared any more. Wrong passwords of an account are few and cost a hash each: the database counts them too, for
 * all processes together. Of everything else each process takes its share.
 */
import type { Pool } from 'pg'
import { Refused } from '../../domain/refusal.ts'
import {
  findPasswordGuesses,
  type GuessCost,
  insertPasswordGuess,
  updatePasswordGuess,
} from '../../store/password-guesses.ts'
import { platformTenant } from '../../store/tenant.ts'
import { createRateLimit, type RateLimit, secondsToWait } from '../rate-limit.ts'
import type { Credentials } from './credentials.ts'
import type { Passwords } from './passwords.ts'

export interface GuessLimit {
  /** Counts a wrong key or secret; what to answer with. */
  wrongCredentials(keyHash: Buffer, address: string): Refused
  /** Counts a token that we did not sign; what to answer with when there were too many, else undefined. */
  foreignToken(address: string): Refused | undefined
  /** Throws when the address has tried too often; `isRight` is asked only before that. */
  checkOperator(address: string, isRight: () => boolean): void
  /**
   * Makes an attempt with a password when it is its turn; undefined is a wrong one. Each is counted before it is made,
   * so that many at once are not more than one after the other, and given back unless it was wrong. The database is
   * asked within the turn: however many want to sign in, they take no more connections than have their turn.
   */
  tryPassword<T>(account: string, address: string, attempt: () => Promise<T | undefined>): Promise<T>
}

/** After these failures at once, one more in two seconds. Somebody mistypes, somebody's script is wrong. */
const credentialsAtOnce = 20
const credentialsPerSecond = 0.5
/** Of one account, wherever from: a password has far fewer bits. Sessions that are open do not notice. */
const ofAccount: GuessCost = { atOnce: 10, seconds: 10 }
/** Forged tokens cost a signature each; a till with the token of another installation sends one with every call. */
const tokensAtOnce = 100
const tokensPerSecond = 5

/** In each of many processes: whoever mistypes stays with one of them, for as long as the connection is kept. */
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
    'Too many failed attempts with this key or account, or from this address.',
  ).after(seconds)

export function createGuessLimit({
  pool,
  clock,
  credentials,
  workers,
  inTurn,
}: GuessLimitOptions): GuessLimit {
  // Each takes its share, so that together they allow what one would.
  const share = (perSecond: number, atOnce: number) =>
    createRateLimit(perSecond / workers, Math.max(leastAtOnce, Math.floor(atOnce / workers)))
  const pairs = share(credentialsPerSecond, credentialsAtOnce)
  const tokens = share(tokensPerSecond, tokensAtOnce)
  const operators = share(credentialsPerSecond, credentialsAtOnce)
  // All of them: the database knows of the others. Who goes on after that asks for no database.
  const accounts = createRateLimit(1 / ofAccount.seconds, ofAccount.atOnce)
  const visitors = share(credentialsPerSecond, credentialsAtOnce)

  function fail(limit: RateLimit, key: string): Refused | undefined {
    const bucket = limit.take(key, clock().getTime())
    return bucket.isAllowed ? undefined : tooOften(secondsToWait(bucket, limit))
  }

  async function failOnAccount(hash: Buffer): Promise<Refused | undefined> {
    const now = clock()
    const platform = platformTenant(pool)
    if (await insertPasswordGuess(platform, hash, ofAccount, now)) return undefined
    const forgottenAt = await findPasswordGuesses(platform, hash)
    const left = ((forgottenAt ?? now).getTime() - now.getTime()) / 1_000
    return tooOften(Math.max(1, Math.ceil(left - ofAccount.seconds * (ofAccount.atOnce - 1))))
  }

  /** An attempt that is counted in the database unless it is right, or came to no end. */
  async function tryCounted<T>(hash: Buffer, attempt: () => Promise<T | undefined>): Promise<T | Refused> {
    const tooMany = await failOnAccount(hash)
    if (tooMany) return tooMany
    let isWrong = false
    try {
      const result = await attempt()
      isWrong = result === undefined
      return result ?? new Refused('_invalid_credentials', 'The e-mail address or the password is wrong.')
    } finally {
      // Nobody minds when it fails: what was counted is forgotten within seconds.
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
    checkOperator(address, isRight) {
      const network = networkOf(address)
      if (operators.has(network, clock().getTime()) && isRight()) return
      throw fail(operators, network) ?? new Refused('_unauthorized')
    },
    async tryPassword(account, address, attempt) {
      const network = networkOf(address)
      const tooMany = fail(visitors, network)
      if (tooMany) throw tooMany
      const tooManyOfAccount = fail(accounts, account)
      if (tooManyOfAccount) throw tooManyOfAccount
      let isRefused = false
      try {
        const result = await inTurn(() => tryCounted(credentials.hash(account), attempt))
        isRefused = result instanceof Refused
        if (result instanceof Refused) throw result
        return result
      } finally {
        if (!isRefused) {
          visitors.giveBack(network)
          accounts.giveBack(account)
        }
      }
    },
  }
}

/** Whoever has an IPv6 address has the 2^64 beside it too: they count as one. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address
  const [head = '', tail] = address.split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length
  return [...before, ...Array<string>(Math.max(0, zeros)).fill('0'), ...after].slice(0, 4).join(':')
}
