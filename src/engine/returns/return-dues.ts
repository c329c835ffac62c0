/**
 * What is due back for returned items: what each rule gave for them, less what earlier returns have counted.
 * It is bounded by what the rule gave in the sale, whatever recomputing the sale yields.
 */
import type { CampaignId } from '../../domain/ids.ts'
import { type ReturnRecord, sumOf } from '../../domain/return-record.ts'
import type { Action } from '../../domain/transaction.ts'
import type { AttachedCampaign } from '../definition/compile-campaign.ts'
import { usageKey } from '../input/rule-input.ts'
import type { UsageChange } from '../steps/collect.ts'
import type { RecomputedSale } from './recompute-sale.ts'

export interface Dues {
  /** What was collected for the returned items, by balance. */
  readonly byBalance: ReadonlyMap<string, number>
  /** The part of it that is in no lot. */
  readonly withoutLot: ReadonlyMap<string, number>
  readonly byRule: readonly { campaign: CampaignId; rule: string; amount: number }[]
  readonly counted: readonly UsageChange[]
}

/** `again` is the sale without the returned items; undefined when nothing remains of it. */
export function duesOf(
  actions: readonly Action[],
  again: RecomputedSale | undefined,
  earlier: readonly ReturnRecord[],
  campaigns: readonly AttachedCampaign[],
): Dues {
  const byBalance = new Map<string, number>()
  const withoutLot = new Map<string, number>()
  const byRule: Dues['byRule'][number][] = []
  const counted: UsageChange[] = []
  for (const action of actions) {
    if (action.kind !== 'collect') continue
    const { campaign, rule, movement } = action
    const before = sumOf(earlier, ({ usage }) =>
      sumOf(usage, ([owner, id, units]) => (owner === campaign && id === rule ? units : 0)),
    )
    const still = again?.collected.get(usageKey(campaign, rule)) ?? 0
    const amount = Math.max(0, movement.amount - still - before)
    if (amount === 0) continue
    add(byBalance, movement.key, amount)
    byRule.push({ campaign, rule, amount })
    const { compiled } = campaigns.find(({ id }) => id === campaign) ?? {}
    const counter = compiled?.countedRules.find((entry) => entry.rule === rule)
    if (counter !== undefined) counted.push({ ...counter, campaign, amount: -amount })
    const declared = compiled?.balances.find(({ key }) => key === movement.key)
    if (declared?.expiresAfter === undefined) add(withoutLot, movement.key, amount)
  }
  return { byBalance, withoutLot, byRule, counted }
}

function add(sums: Map<string, number>, key: string, amount: number): void {
  sums.set(key, (sums.get(key) ?? 0) + amount)
}
