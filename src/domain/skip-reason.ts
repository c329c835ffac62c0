/**
 * Why a rule gave nothing: a closed list, because tills print it and merchants search for it. Each rule of an
 * attached campaign either has an effect or is skipped for exactly one reason, the first in this order.
 */
import type { CampaignId } from './ids.ts'

export const skipReasons = {
  paused: 'The campaign is paused or archived.',
  campaign_window: 'The sale was before the start or after the end of the campaign.',
  window: 'The sale was before `when.startsAt`, or at or after `when.endsAt`.',
  day: 'The rule does not run on this day of the week.',
  time: 'The rule does not run at this time of day.',
  branch: 'The rule does not run in this branch.',
  min_amount: 'The payable amount is below `when.minAmount`.',
  products: 'No item is one of the products the rule looks for.',
  categories: 'No item is in one of the categories the rule looks for.',
  first_transaction: "It is not the customer's first basket, or it is and the rule requires a later one.",
  tier: 'The customer was not in one of the tiers before this basket.',
  amount: 'The amount is too small to give anything.',
  quantity: 'The quantities add up to less than one item.',
  nothing_to_multiply: 'No other rule of the campaign gave anything to this balance.',
  limit: 'A limit of the rule is used up.',
} as const satisfies Record<string, string>

export type SkipReason = keyof typeof skipReasons

export interface Skip {
  readonly campaign: CampaignId
  readonly rule: string
  readonly reason: SkipReason
}
