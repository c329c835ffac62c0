/**
 * What a campaign gave in some sales, and what that costs: points that can be spent are worth what they pay,
 * less those that thresholds consumed; coupons are worth their reward. The worth of a percentage or of a free product
 * depends on a basket that has yet to come, so it is estimated from the baskets of the range.
 */
import type { GivenFigures } from '../../domain/backtest.ts'
import type { Reward } from '../../domain/coupon.ts'
import type { Effect } from '../../domain/effect.ts'
import type { CampaignId } from '../../domain/ids.ts'
import { toMinor } from '../../domain/money.ts'
import type { Action } from '../../domain/transaction.ts'
import type { CompiledSpend } from '../definition/compile-campaign.ts'
import { worthMinor } from '../steps/spend-points.ts'

/** In units of each balance. */
export interface Figures {
  readonly collected: Map<string, number>
  readonly consumed: Map<string, number>
  readonly coupons: Map<string, GrantedReward>
}

interface GrantedReward {
  readonly reward: Reward
  count: number
}

export const noFigures = (): Figures => ({ collected: new Map(), consumed: new Map(), coupons: new Map() })

/** Counts what a campaign did in one sale. */
export function addActions(
  figures: Figures,
  actions: readonly (Action | Effect)[],
  campaign: CampaignId,
): void {
  for (const action of actions) {
    if (!('campaign' in action) || action.campaign !== campaign) continue
    if (action.kind === 'collect') add(figures.collected, action.movement.key, action.movement.amount)
    if (action.kind !== 'grant_coupon') continue
    if (action.movement) add(figures.consumed, action.movement.key, -action.movement.amount)
    const id = rewardId(action.reward)
    const granted = figures.coupons.get(id)
    if (granted) granted.count++
    else figures.coupons.set(id, { reward: action.reward, count: 1 })
  }
}

/** Adds figures to others. */
export function addFigures(to: Figures, { collected, consumed, coupons }: Figures): void {
  for (const [key, units] of collected) add(to.collected, key, units)
  for (const [key, units] of consumed) add(to.consumed, key, units)
  for (const [id, { reward, count }] of coupons) {
    const granted = to.coupons.get(id)
    if (granted) granted.count += count
    else to.coupons.set(id, { reward, count })
  }
}

function add(sums: Map<string, number>, key: string, units: number): void {
  sums.set(key, (sums.get(key) ?? 0) + units)
}

/** Rewards are the same if they are worth the same, whatever version of the campaign granted them. */
function rewardId(reward: Reward): string {
  const { key, kind } = reward
  if (kind === 'amount_off') return `${key} ${reward.amount}`
  if (kind === 'percent_off') return `${key} ${reward.percent}% ${reward.maxAmount ?? ''}`
  return `${key} ${reward.products.join(' ')}`
}

/** The prices of the baskets that were read, for the worth of rewards. */
export interface Prices {
  baskets: number
  payableMinor: number
  /** By product: the sum of unit prices, in minor units, and their number. */
  readonly products: Map<string, { sum: number; count: number }>
}

export interface Worth {
  readonly currencyDecimals: number
  readonly prices: Prices
  /** The balances that can be spent. */
  readonly spends: ReadonlyMap<string, CompiledSpend>
}

export function toGiven(figures: Figures, worth: Worth): GivenFigures {
  const rewards: Record<string, number> = {}
  let coupons = 0
  for (const { reward, count } of figures.coupons.values()) {
    rewards[reward.key] = (rewards[reward.key] ?? 0) + count
    coupons += count
  }
  return { collected: Object.fromEntries(figures.collected), coupons, rewards, ...costOf(figures, worth) }
}

type Cost = Pick<GivenFigures, 'costMinor' | 'couponsWithoutWorth'>

export function costOf({ collected, consumed, coupons }: Figures, worth: Worth): Cost {
  let minor = 0
  for (const [key, units] of collected) {
    const spend = worth.spends.get(key)
    const left = units - (consumed.get(key) ?? 0)
    if (spend && left > 0) minor += worthMinor(left, spend, worth.currencyDecimals)
  }
  let couponsWithoutWorth = 0
  for (const { reward, count } of coupons.values()) {
    const each = rewardWorth(reward, worth)
    if (each === undefined) couponsWithoutWorth += count
    else minor += each * count
  }
  return { costMinor: Math.round(minor), couponsWithoutWorth }
}

function rewardWorth(reward: Reward, { prices, currencyDecimals }: Worth): number | undefined {
  switch (reward.kind) {
    case 'amount_off':
      return toMinor(reward.amount, currencyDecimals)
    case 'percent_off': {
      if (prices.baskets === 0) return undefined
      const share = (prices.payableMinor / prices.baskets) * (reward.percent / 100)
      return reward.maxAmount === undefined
        ? share
        : Math.min(share, toMinor(reward.maxAmount, currencyDecimals))
    }
    case 'free_product': {
      let sum = 0
      let count = 0
      for (const product of reward.products) {
        const seen = prices.products.get(product)
        sum += seen?.sum ?? 0
        count += seen?.count ?? 0
      }
      return count === 0 ? undefined : sum / count
    }
  }
}
