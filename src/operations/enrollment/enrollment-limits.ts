/**
 * How often customers can enroll themselves or ask for a lost link: by the visitor's network, by page, and by SMS, for
 * which the merchant pays. The database counts, so that the limits hold for all processes together. How often one
 * address is written to is limited where that is done.
 */
import type { Pool } from 'pg'
import { Refused } from '../../domain/refusal.ts'
import type { GuessCost } from '../../store/password-guesses.ts'
import type { Credentials } from '../auth/credentials.ts'
import { networkOf } from '../auth/guess-limit.ts'
import { takeShared } from '../auth/shared-limit.ts'

export interface Visitor {
  /** IP address of the client. */
  readonly address: string
  readonly shortName: string
  /** Whether an SMS may have to be sent. */
  readonly costsSms: boolean
}

export interface EnrollmentLimits {
  /** Counts a request that has proven its work; throws if there were too many. */
  take(visitor: Visitor): Promise<void>
  /** Counts a challenge that creates no customer, which would count it; throws if it was used before. */
  takeChallenge(challenge: string): Promise<void>
}

/** A shop's own network, or that of a mobile provider, has many customers behind one address: 240 an hour. */
const ofNetwork: GuessCost = { atOnce: 30, seconds: 15 }
/** A long line in front of a busy shop: 1,800 an hour. */
const ofPage: GuessCost = { atOnce: 200, seconds: 2 }
/** Strangers can make others pay for them, and some earn by it: 120 an hour. */
const ofSms: GuessCost = { atOnce: 30, seconds: 30 }
/** For as long as a challenge is valid. */
const ofChallenge: GuessCost = { atOnce: 1, seconds: 1_200 }

export interface EnrollmentLimitOptions {
  readonly pool: Pool
  readonly clock: () => Date
  readonly credentials: Credentials
}

export function createEnrollmentLimits({
  pool,
  clock,
  credentials,
}: EnrollmentLimitOptions): EnrollmentLimits {
  const count = (name: string, cost: GuessCost) =>
    takeShared(pool, credentials.hash(`enrollment: ${name}`), cost, clock())

  async function refuse(name: string, cost: GuessCost, reason: string): Promise<void> {
    const seconds = await count(name, cost)
    if (seconds === undefined) return
    throw new Refused('_too_many_requests', `${reason} Please try again a little later.`).after(seconds)
  }

  return {
    async take({ address, shortName, costsSms }) {
      // The network first: what it is refused must not count for the page.
      await refuse(`from ${networkOf(address)}`, ofNetwork, 'Many people have enrolled from this network.')
      if (costsSms) await refuse(`sms ${shortName}`, ofSms, 'Many people are enrolling with a phone number.')
      await refuse(`page ${shortName}`, ofPage, 'Many people are enrolling at the moment.')
    },
    async takeChallenge(challenge) {
      if ((await count(`challenge ${challenge}`, ofChallenge)) === undefined) return
      throw new Refused('invalid_proof', 'The challenge was used before. Load the page again.')
    },
  }
}
