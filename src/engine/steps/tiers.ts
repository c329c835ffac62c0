/**
 * Tiers are derived from the lifetime total and never stored: the tier before a basket is the highest step at
 * or below the total before it. Reaching a higher one is an action; a basket that climbs several steps at
 * once reports only the last.
 */
import type { HeldTier } from '../../domain/customer.ts'
import type { Effect } from '../../domain/effect.ts'
import type { CampaignId } from '../../domain/ids.ts'
import { localTime } from '../clock/local-time.ts'
import type { AttachedCampaign, TierLadder } from '../definition/compile-campaign.ts'
import { whyNotRunning } from '../rules/rule-conditions.ts'
import type { WalletState } from './wallet-state.ts'

/** The tiers of a campaign held before the basket, at most one for each balance it has tiers on. */
export function tiersBefore(campaign: AttachedCampaign, state: WalletState): string[] {
  const held: string[] = []
  for (const ladder of campaign.compiled.tiers) {
    const tier = tierAt(ladder, totalsOf(state, ladder.balance).before)
    if (tier !== undefined) held.push(tier)
  }
  return held
}

/** The tiers reached by a basket. */
export function changeTiers(running: readonly AttachedCampaign[], state: WalletState): Effect[] {
  const effects: Effect[] = []
  for (const campaign of running) {
    for (const ladder of campaign.compiled.tiers) {
      const { before, after } = totalsOf(state, ladder.balance)
      const tier = tierAt(ladder, after)
      if (after > before && tier !== undefined && tier !== tierAt(ladder, before)) {
        effects.push({ kind: 'change_tier', campaign: campaign.id, tier })
      }
    }
  }
  return effects
}

/** The cards of a customer, and the campaigns whose tiers can be held with them. */
export interface TierHolder {
  /** Every campaign of the organization that was ever published, in its newest version. */
  readonly campaigns: readonly AttachedCampaign[]
  /** The campaigns whose cards the customer holds. */
  readonly cards: readonly CampaignId[]
}

/**
 * The campaigns whose tiers a customer holds now: those that run on a card, even while they are paused.
 */
export function campaignsOnCards(
  { campaigns, cards }: TierHolder,
  now: Date,
  timezone: string,
): AttachedCampaign[] {
  const local = localTime(now, timezone)
  return campaigns.filter(
    (campaign) =>
      campaign.status !== 'archived' &&
      whyNotRunning({ ...campaign, status: 'published' }, now, local) === undefined &&
      cards.some((card) => card === campaign.id || campaign.compiled.runsOn.includes(card)),
  )
}

/** The tiers that these totals are worth, of campaigns on the customer's cards. */
export function tiersHeld(
  campaigns: readonly AttachedCampaign[],
  totals: readonly { readonly key: string; readonly total: number }[],
): HeldTier[] {
  return campaigns.flatMap(({ id, compiled }) =>
    compiled.tiers.flatMap((ladder) => {
      const step = stepAt(ladder, totals.find(({ key }) => key === ladder.balance)?.total ?? 0)
      return step ? [{ campaign: id, key: step.key, name: step.name }] : []
    }),
  )
}

export interface TierLost {
  readonly campaign: CampaignId
  /** The remaining tier, if any. */
  readonly tier: string | undefined
}

/** The tiers lost by a return, which is the only thing that ever lowers a total. */
export function tiersLost(campaigns: readonly AttachedCampaign[], state: WalletState): TierLost[] {
  const lost: TierLost[] = []
  for (const campaign of campaigns) {
    for (const ladder of campaign.compiled.tiers) {
      const { before, after } = totalsOf(state, ladder.balance)
      const tier = tierAt(ladder, after)
      if (tier !== tierAt(ladder, before)) lost.push({ campaign: campaign.id, tier })
    }
  }
  return lost
}

function totalsOf(state: WalletState, key: string): { before: number; after: number } {
  const balance = state.balances.find((candidate) => candidate.key === key)
  return { before: balance?.totalBefore ?? 0, after: balance?.total ?? 0 }
}

function tierAt(ladder: TierLadder, total: number): string | undefined {
  return stepAt(ladder, total)?.key
}

function stepAt({ steps }: TierLadder, total: number): TierLadder['steps'][number] | undefined {
  return steps.findLast((step) => step.from <= total)
}
