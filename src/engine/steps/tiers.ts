/**
 * Tiers are derived from the lifetime total and never stored: the tier before a basket is the highest step at
 * or below the total before it. Reaching a higher one is an action; a basket that climbs several steps at
 * once reports only the last.
 */
import type { Effect } from '../../domain/effect.ts'
import type { CampaignId } from '../../domain/ids.ts'
import type { AttachedCampaign, TierLadder } from '../definition/compile-campaign.ts'
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
  let held: string | undefined
  for (const step of ladder.steps) if (step.from <= total) held = step.key
  return held
}
