/**
 * How often customers can enroll themselves or ask for a lost link. The database counts, so that the limits hold for
 * all processes together: by the visitor's network, by page, and by the address that something is sent to, whether or
 * not a customer has it. Only hashes are stored, until they are forgotten.
 */
import type { Pool } from 'pg'
import type { Channel } from '../../domain/message.ts'
import { Refused } from '../../domain/refusal.ts'
import { findPasswordGuesses, type GuessCost, insertPasswordGuess } from '../../store/password-guesses.ts'
import { platformTenant } from '../../store/tenant.ts'
import type { Credentials } from '../auth/credentials.ts'
import { networkOf } from '../auth/guess-limit.ts'

export interface EnrollmentLimits {
  /** Counts a request that has proven its work; throws if the network or the page had too many. */
  take(visitor: { readonly address: string; readonly shortName: string; readonly channel: Channel }): Promise<void>
  /** Whether something may still be sent to this address by this organization; counts it. */
  mayWriteTo(org: number, address: string): Promise<boolean>
}

/** A shop's own network, or that of a mobile provider, has many customers behind one address: 240 an hour. */
const ofNetwork: GuessCost = { atOnce: 30, seconds: 15 }
/** A long line in front of a busy shop: 1,800 an hour. */
const ofPage: GuessCost = { atOnce: 200, seconds: 2 }
/** Somebody pays for each SMS, and strangers may get rich by it: 120 an hour. */
const ofSms: GuessCost = { atOnce: 30, seconds: 30 }
/** Nobody needs more than that, and nobody wants to be sent more by a stranger. */
const ofRecipient: GuessCost = { atOnce: 3, seconds: 1_200 }

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
  /** Undefined if it was counted, or else the seconds to wait. */
  async function count(name: string, cost: GuessCost): Promise<number | undefined> {
    const now = clock()
    const platform = platformTenant(pool)
    const hash = credentials.hash(`enrollment ${name}`)
    if (await insertPasswordGuess(platform, hash, cost, now)) return undefined
    const leftMs = ((await findPasswordGuesses(platform, hash)) ?? now).getTime() - now.getTime()
    return Math.max(1, Math.ceil(leftMs / 1_000 - cost.seconds * (cost.atOnce - 1)))
  }

  async function refuse(name: string, cost: GuessCost, who: string): Promise<void> {
    const seconds = await count(name, cost)
    if (seconds === undefined) return
    throw new Refused('_too_many_requests', `${who}. Please try again a little later.`).after(seconds)
  }

  return {
    async take({ address, shortName, channel }) {
      // The network first: what it is refused must not count for the page.
      await refuse(`from ${networkOf(address)}`, ofNetwork, 'Many people have enrolled from your network')
      await refuse(`page ${shortName}`, ofPage, 'Many people are enrolling at the moment')
      if (channel === 'sms')
        await refuse(`sms ${shortName}`, ofSms, 'Many people are enrolling with a phone number')
    },
    mayWriteTo: async (org, address) => (await count(`to ${org} ${address}`, ofRecipient)) === undefined,
  }
}
