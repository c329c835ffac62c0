/** Moves a balance by hand, with a reason. What was collected in a lifetime (`total`) does not change by it. */
import type { CustomerId, UserId } from '../domain/ids.ts'
import type { Movement } from '../domain/ledger-entry.ts'
import { maxUnits, toUnits } from '../domain/money.ts'
import { Refused } from '../domain/refusal.ts'
import { insertEvents } from '../store/events.ts'
import { findBalance, insertEntry, type LedgerEntry, lockWallet } from '../store/ledger.ts'
import type { Scope } from '../store/scope.ts'

export interface Adjustment {
  readonly key: string
  /** Signed, as the balance is written. */
  readonly amount: number
  readonly reason: string
}

export async function adjustBalance(
  scope: Scope,
  customer: CustomerId | undefined,
  adjustment: Adjustment,
  user: UserId,
  now: Date,
): Promise<LedgerEntry> {
  const wallet = customer && (await lockWallet(scope, customer))
  if (!customer || !wallet) throw new Refused('customer_not_found', undefined, 'path')
  const balance = await findBalance(scope, customer, adjustment.key)
  if (!balance) throw new Refused('_invalid_payload', `key: the customer has no balance "${adjustment.key}".`)
  const amount = toUnits(adjustment.amount, balance.decimals)
  if (amount === undefined) {
    throw new Refused('_invalid_payload', `amount: the balance has ${balance.decimals} decimals.`)
  }
  if (amount === 0) throw new Refused('_invalid_payload', 'amount: must not be 0.')
  const valueAfter = balance.value + amount
  if (valueAfter < 0 && amount < 0) throw new Refused('insufficient_points')
  if (valueAfter > maxUnits) throw new Refused('_invalid_payload', 'amount: the balance would be too large.')
  const movement: Movement = {
    key: balance.key,
    version: balance.version + 1,
    kind: 'adjust',
    amount,
    valueAfter,
    totalAfter: balance.total,
  }
  const { reason } = adjustment
  await insertEntry(scope, movement, { customer, walletVersion: wallet.version, reason, user, now })
  await insertEvents(
    scope,
    [{ type: 'balance.adjusted', data: { customer, key: balance.key, amount: adjustment.amount } }],
    now,
  )
  return {
    ...movement,
    decimals: balance.decimals,
    walletVersion: wallet.version,
    reason,
    user,
    createdAt: now,
  }
}
