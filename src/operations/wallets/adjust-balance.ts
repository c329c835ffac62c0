/** Adjusts a balance by hand, with a reason. The lifetime total (`total`) does not change. */

import type { Fact } from '../../domain/event.ts'
import type { CustomerId, UserId } from '../../domain/ids.ts'
import { toUnits } from '../../domain/money.ts'
import { notFound, Refused } from '../../domain/refusal.ts'
import { adjustBalance as decide } from '../../engine/adjust-balance.ts'
import type { LedgerEntry } from '../../store/ledger.ts'
import type { Known, NoQuestions, WalletWork } from './change-wallet.ts'
import { expiredFacts } from './expired-facts.ts'

export interface Adjustment {
  readonly key: string
  /** Signed amount, with the decimals of the balance. */
  readonly amount: number
  readonly reason: string
}

export function adjustBalance(
  customer: CustomerId | undefined,
  adjustment: Adjustment,
  user: UserId,
): WalletWork<NoQuestions, LedgerEntry> {
  if (!customer) throw notFound('customer_not_found')
  return {
    of: customer,
    questions: () => ({}),
    decide: (known) => decideAdjustment(known, adjustment, user),
  }
}

function decideAdjustment(
  { wallet, setup, now }: Known<NoQuestions>,
  { key, amount, reason }: Adjustment,
  user: UserId,
) {
  if (!wallet) throw notFound('customer_not_found')
  const { customer, version, held } = wallet
  if (!held.balances.some((balance) => balance.key === key))
    throw new Refused('_invalid_payload', `key: the customer has no balance "${key}".`)
  const decimals = setup.decimals.get(key) ?? 0
  const units = toUnits(amount, decimals)
  if (units === undefined)
    throw new Refused('_invalid_payload', `amount: the balance has ${decimals} decimals.`)
  if (units === 0) throw new Refused('_invalid_payload', 'amount: must not be 0.')

  const decided = decide(
    { ...held, coupons: [], usage: [] },
    { key, units },
    setup.inactivity,
    now,
    setup.organization.timezone,
  )
  if (!decided.ok) throw Refused.from(decided.refusal)
  const { movements, lots } = decided.value
  const facts: Fact[] = [
    ...expiredFacts(customer, movements, setup.decimals),
    { type: 'balance.adjusted', data: { customer, key, amount } },
  ]
  return {
    change: {
      customer,
      fromVersion: version,
      movements,
      lots,
      facts,
      cause: { kind: 'adjustment', reason, user } as const,
    },
    result: {
      ...movements.at(-1)!,
      decimals,
      walletVersion: version + 1,
      reason,
      user,
      createdAt: now,
    },
  }
}
