import type { UsageChange } from '../../engine/steps/collect.ts'
import type { UsageAmount } from '../../store/wallets/change.ts'

/** What a change adds to the customer's own counters of limited rules, or takes from them, for a local day and for ever. */
export function usageAmounts(usage: readonly UsageChange[], day: string): UsageAmount[] {
  return usage.flatMap(({ campaign, rule, amount, perDay, perCustomer }) => [
    ...(perDay ? [{ campaign, rule, day, amount }] : []),
    ...(perCustomer ? [{ campaign, rule, amount }] : []),
  ])
}
