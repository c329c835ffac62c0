/** What rules with limits have given, counted for the baskets that are decided after one another. */
import type { CampaignId, CustomerId } from '../../domain/ids.ts'
import type { RuleUsage } from '../../domain/wallet.ts'
import type { UsageChange } from './collect.ts'

/** By `counterKey`. */
export type RuleCounters = ReadonlyMap<string, number>

export const counterKey = (whom: CustomerId | 'everybody', campaign: string, rule: string, day = 'ever') =>
  `${whom} ${campaign} ${rule} ${day}`

/** `day` is the local day that the basket counts toward. */
export function usageFor(
  used: RuleCounters,
  counted: readonly { readonly campaign: CampaignId; readonly rule: string }[],
  customer: CustomerId,
  day: string,
): RuleUsage[] {
  return counted.map(({ campaign, rule }) => ({
    campaign,
    rule,
    day: used.get(counterKey(customer, campaign, rule, day)) ?? 0,
    customer: used.get(counterKey(customer, campaign, rule)) ?? 0,
    total: used.get(counterKey('everybody', campaign, rule)) ?? 0,
  }))
}

/** Counts what a decided basket was given. */
export function countUsage(
  used: Map<string, number>,
  usage: readonly UsageChange[],
  customer: CustomerId,
  day: string,
): void {
  const add = (key: string, amount: number) => used.set(key, (used.get(key) ?? 0) + amount)
  for (const { campaign, rule, amount, perDay, perCustomer, isShared } of usage) {
    if (perDay) add(counterKey(customer, campaign, rule, day), amount)
    if (perCustomer) add(counterKey(customer, campaign, rule), amount)
    if (isShared) add(counterKey('everybody', campaign, rule), amount)
  }
}
