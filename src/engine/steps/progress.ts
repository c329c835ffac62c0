/**
 * The customer's progress toward the next coupon of each threshold, for the receipt. It is derived only from
 * campaigns and balances, so it can be computed again at any time with the same result as in the basket's
 * response.
 */
import type { Balance, KeptMultiple } from '../../domain/wallet.ts'
import type { AttachedCampaign } from '../definition/compile-campaign.ts'
import { keptMultiple } from './grant-coupons.ts'

export interface Progress {
  readonly key: string
  /** Units already earned toward the next coupon. */
  readonly have: number
  /** Units the next coupon needs: `need − have` are missing. */
  readonly need: number
  /** Key of the reward. */
  readonly reward: string
}

/** `running` are the campaigns that would grant now, in their order. */
export function progressOf(
  running: readonly AttachedCampaign[],
  balances: readonly Balance[],
  kept: readonly KeptMultiple[] = [],
): Progress[] {
  const progress: Progress[] = []
  for (const campaign of running) {
    for (const threshold of campaign.compiled.thresholds) {
      const { key, at, consume, grant } = threshold
      const balance = balances.find((candidate) => candidate.key === key)
      const { value, total } = balance ?? { value: 0, total: 0 }
      const reward = grant.reward.key
      if (consume) {
        // What is below zero is missing, too.
        const missing = at - Math.min(value, at)
        progress.push({ key, have: Math.max(0, at - missing), need: Math.max(at, missing), reward })
      } else {
        const passed = Math.floor(total / at)
        // Coupons still out for multiples above the total come first.
        const beyond = Math.max(0, keptMultiple(campaign.id, threshold, kept) - passed)
        progress.push({ key, have: total - passed * at, need: at * (1 + beyond), reward })
      }
    }
  }
  return progress
}
