/**
 * Runs the rules and thresholds of a sale again over the remaining items, starting from the balances,
 * counters and tiers before the sale. The current wallet is not used: what the customer did afterwards must
 * not change what the sale was worth.
 */
import type { Effect } from '../../domain/effect.ts'
import type { CampaignId } from '../../domain/ids.ts'
import { ok, type Result } from '../../domain/result.ts'
import type { Action, SaleContext } from '../../domain/transaction.ts'
import type { AttachedCampaign } from '../definition/compile-campaign.ts'
import { type RuleInput, usageKey } from '../input/rule-input.ts'
import { collectAll } from '../steps/collect.ts'
import { grantCoupons } from '../steps/grant-coupons.ts'
import { balanceOf, toWalletState } from '../steps/wallet-state.ts'

export interface RecomputedSale {
  /** What each rule would have given, by `usageKey`. */
  readonly collected: ReadonlyMap<string, number>
  readonly grants: readonly Grant[]
}

/** A coupon that a threshold granted or would have granted. */
export interface Grant {
  readonly campaign: CampaignId
  readonly key: string
  readonly at: number
  readonly reward: string
}

export function recomputeSale(
  campaigns: readonly AttachedCampaign[],
  input: RuleInput,
  sale: { readonly context: SaleContext; readonly actions: readonly Action[] },
  spentUnits: number,
): Result<RecomputedSale> {
  const { context, actions } = sale
  const state = toWalletState({
    balances: context.balances.map(([key, value, total]) => ({ key, value, total, version: 0 })),
    lots: [],
    coupons: [],
    usage: [],
    transactionCount: 0,
  })
  const spentKey = actions.find((action) => action.kind === 'spend_points')?.movement.key
  if (spentKey !== undefined) balanceOf(state, spentKey).value -= spentUnits
  const again = collectAll(campaigns, input, state)
  if (!again.ok) return again
  const granted = grantCoupons(again.value.running, state, context.keptMultiples ?? [], input.now)
  const collected = new Map<string, number>()
  for (const { campaign, rule, movement } of again.value.effects) {
    collected.set(usageKey(campaign, rule), movement.amount)
  }
  return ok({ collected, grants: granted.effects.map(toGrant) })
}

export function toGrant(effect: Extract<Action | Effect, { kind: 'grant_coupon' }>): Grant {
  const { campaign, reward, threshold } = effect
  return { campaign, key: threshold.key, at: threshold.at, reward: reward.key }
}
