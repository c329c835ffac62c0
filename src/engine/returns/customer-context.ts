/**
 * What looks at a customer's balances on the day goods come back, beside the campaigns of the sale: a balance
 * belongs to the customer and not to a card, so what a return takes is missed on the customer's other cards too.
 */
import type { CampaignId } from '../../domain/ids.ts'
import { localTime } from '../clock/local-time.ts'
import type { AttachedCampaign } from '../definition/compile-campaign.ts'
import { whyNotRunning } from '../rules/rule-conditions.ts'

export interface CustomerContext {
  /** Every campaign of the organization that was ever published, in its newest version. */
  readonly campaigns: readonly AttachedCampaign[]
  /** The campaigns whose cards the customer holds. */
  readonly cards: readonly CampaignId[]
  /** What thresholds have granted to the customer, but for the coupons that returns took back. */
  readonly granted: readonly GrantedCoupons[]
}

export interface GrantedCoupons {
  readonly campaign: CampaignId
  /** Key of the reward. */
  readonly reward: string
  readonly count: number
}

/** How many coupons of a reward were granted; nobody knows a bound without `today`. */
export function grantedOf(
  today: CustomerContext | undefined,
  { campaign, reward }: { readonly campaign: CampaignId; readonly reward: string },
): number {
  if (today === undefined) return Number.POSITIVE_INFINITY
  const found = today.granted.find((one) => one.campaign === campaign && one.reward === reward)
  return found?.count ?? 0
}

/** The campaigns that run now on a card of the customer. */
export function runningOnCards(
  { campaigns, cards }: Pick<CustomerContext, 'campaigns' | 'cards'>,
  now: Date,
  timezone: string,
): AttachedCampaign[] {
  const local = localTime(now, timezone)
  return campaigns.filter(
    (campaign) =>
      whyNotRunning(campaign, now, local) === undefined &&
      cards.some((card) => card === campaign.id || campaign.compiled.runsOn.includes(card)),
  )
}
