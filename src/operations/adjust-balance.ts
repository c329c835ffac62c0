/** Moves a balance by hand, with a reason. What was collected in a lifetime (`total`) does not change by it. */

import type { Fact } from '../domain/event.ts'
import type { CustomerId, UserId } from '../domain/ids.ts'
import { toUnits } from '../domain/money.ts'
import type { Organization } from '../domain/organization.ts'
import { Refused } from '../domain/refusal.ts'
import { adjustBalance as decide } from '../engine/adjust-balance.ts'
import { getWallet, insertEntries, type LedgerEntry, lockWallet, writeLots } from '../store/ledger.ts'
import type { Scope } from '../store/scope.ts'
import type { Deps } from './deps.ts'
import { decimalsByKey, expiredFacts } from './expired-facts.ts'
import { movedCounts } from './moved-counts.ts'
import { readInactivity } from './published-campaigns.ts'
import { recordFacts } from './record-facts.ts'

export interface Adjustment {
  readonly key: string
  /** Signed, as the balance is written. */
  readonly amount: number
  readonly reason: string
}

export async function adjustBalance(
  deps: Deps,
  scope: Scope,
  organization: Organization,
  customer: CustomerId | undefined,
  { key, amount, reason }: Adjustment,
  user: UserId,
): Promise<LedgerEntry> {
  const now = deps.clock()
  const locked = customer && (await lockWallet(scope, customer))
  if (!customer || !locked) throw new Refused('customer_not_found', undefined, 'path')
  const wallet = await getWallet(scope, customer)
  const balance = wallet.balances.find((one) => one.key === key)
  if (!balance) throw new Refused('_invalid_payload', `key: the customer has no balance "${key}".`)
  const { decimals } = balance
  const units = toUnits(amount, decimals)
  if (units === undefined)
    throw new Refused('_invalid_payload', `amount: the balance has ${decimals} decimals.`)
  if (units === 0) throw new Refused('_invalid_payload', 'amount: must not be 0.')

  const decided = decide(
    { ...wallet, ...locked, coupons: [], usage: [] },
    { key, units },
    await readInactivity(deps, scope, organization),
    now,
    organization.timezone,
  )
  if (!decided.ok) throw Refused.from(decided.refusal)
  const { movements, lots } = decided.value
  await insertEntries(scope, movements, { customer, walletVersion: locked.version, reason, user, now })
  await writeLots(scope, customer, lots)
  const facts: Fact[] = [
    ...expiredFacts(customer, movements, decimalsByKey(wallet.balances)),
    { type: 'balance.adjusted', data: { customer, key, amount } },
  ]
  await recordFacts(scope, organization, facts, now, movedCounts(movements))
  return { ...movements.at(-1)!, decimals, walletVersion: locked.version, reason, user, createdAt: now }
}
