/**
 * Everything besides the sale's own campaigns that depends on a customer's balances on the day of a return. A
 * balance belongs to the customer and not to a card, so what a return takes is also missing on the customer's
 * other cards.
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
}

/** The campaigns that currently run on a card of the customer. */
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
