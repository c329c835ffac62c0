import type { UsageChange } from '../../engine/steps/collect.ts'
import type { UsageAmount } from '../../store/wallets/change.ts'

/**
 * What a change adds to or takes from the customer's counters of limited rules, per local day and in total.
 */
export function usageAmounts(usage: readonly UsageChange[], day: string): UsageAmount[] {
  return usage.flatMap(({ campaign, rule, amount, perDay, perCustomer }) => [
    ...(perDay ? [{ campaign, rule, day, amount }] : []),
    ...(perCustomer ? [{ campaign, rule, amount }] : []),
  ])
}
