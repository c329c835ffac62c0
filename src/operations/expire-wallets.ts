/**
 * Takes off what has expired, customer by customer: lots past their day, balances of customers who stayed away
 * too long, and coupons. Each customer is decided anew under the wallet's lock, so the job can be run twice, or
 * in two processes at once, and takes nothing off twice.
 */

import type { Fact } from '../domain/event.ts'
import type { CustomerId } from '../domain/ids.ts'
import type { Organization } from '../domain/organization.ts'
import { expireBalances, type Inactivity } from '../engine/expire-balances.ts'
import { addDuration } from '../engine/local-time.ts'
import {
  expireCoupons,
  listCustomersWithExpiredCoupons,
  listCustomersWithExpiredLots,
  listIdleCustomers,
} from '../store/expiry.ts'
import { getWallet, insertEntries, lockWallet, writeLots } from '../store/ledger.ts'
import { inTransaction, type Scope, scopeOf } from '../store/scope.ts'
import type { Deps } from './deps.ts'
import { decimalsByKey, expiredFacts } from './expired-facts.ts'
import { movedCounts } from './moved-counts.ts'
import { readInactivity } from './published-campaigns.ts'
import { recordFacts } from './record-facts.ts'

const batch = 200

/** How many customers something was taken from. */
export async function expireWallets(
  deps: Deps,
  organization: Organization,
  signal?: AbortSignal,
): Promise<number> {
  const scope = scopeOf(deps.pool, organization.number)
  const inactivity = await readInactivity(deps, scope, organization)
  let expired = 0
  const expireAll = async (customers: readonly CustomerId[]) => {
    for (const customer of customers) {
      if (signal?.aborted) return
      if (await expireWallet(deps, organization, customer, inactivity)) expired++
    }
  }
  for (const list of [listCustomersWithExpiredLots, listCustomersWithExpiredCoupons]) {
    for (let found = await list(scope, deps.clock(), batch); found.length > 0 && !signal?.aborted; ) {
      const before = expired
      await expireAll(found)
      // Whoever is found and not helped would be found for ever.
      if (expired === before) break
      found = await list(scope, deps.clock(), batch)
    }
  }
  if (inactivity.length > 0) await expireIdle(deps, organization, scope, inactivity, expireAll, signal)
  return expired
}

async function expireIdle(
  deps: Deps,
  organization: Organization,
  scope: Scope,
  inactivity: readonly Inactivity[],
  expireAll: (customers: readonly CustomerId[]) => Promise<void>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const now = deps.clock()
  // The shortest patience finds every candidate; the engine then decides each by its own.
  const patienceMs = Math.min(
    ...inactivity.map(({ after }) => addDuration(new Date(0), after, organization.timezone).getTime()),
  )
  const keys = inactivity.map(({ key }) => key)
  const before = new Date(now.getTime() - patienceMs + marginMs)
  let after: CustomerId | undefined
  do {
    const found = await listIdleCustomers(scope, keys, before, { after, limit: batch })
    await expireAll(found)
    after = found.at(-1)
  } while (after && !signal?.aborted)
}

/**
 * Months differ in length, by up to three days (January and February); a day more than that finds everybody,
 * and the engine knows who is not due yet.
 */
const marginMs = 4 * 86_400_000

async function expireWallet(
  deps: Deps,
  organization: Organization,
  customer: CustomerId,
  inactivity: readonly Inactivity[],
): Promise<boolean> {
  return inTransaction(deps.pool, organization.number, async (scope) => {
    const now = deps.clock()
    const locked = await lockWallet(scope, customer)
    if (!locked) return false
    const wallet = await getWallet(scope, customer)
    const { movements, lots } = expireBalances(
      { ...wallet, ...locked, coupons: [], usage: [] },
      inactivity,
      now,
      organization.timezone,
    )
    const coupons = await expireCoupons(scope, customer, now)
    await insertEntries(scope, movements, { customer, walletVersion: locked.version, now })
    await writeLots(scope, customer, lots)
    const facts: Fact[] = [
      ...expiredFacts(customer, movements, decimalsByKey(wallet.balances)),
      ...coupons.map((coupon): Fact => ({ type: 'coupon.expired', data: { customer, coupon } })),
    ]
    await recordFacts(scope, organization, facts, now, movedCounts(movements))
    return facts.length > 0
  })
}
