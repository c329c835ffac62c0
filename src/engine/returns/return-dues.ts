/**
 * What is due back for returned items: what the sale collected, less what it would have collected without
 * them, less what earlier returns have counted. Rules of a campaign that give to the same balance are summed
 * up, since a factor may give more for less: only their net amount is due.
 */
import type { CampaignId } from '../../domain/ids.ts'
import { type ReturnRecord, sumOf } from '../../domain/return-record.ts'
import type { Action } from '../../domain/transaction.ts'
import type { AttachedCampaign } from '../definition/compile-campaign.ts'
import type { UsageChange } from '../steps/collect.ts'
import type { RuleAmount } from './recompute-sale.ts'

export interface Dues {
  readonly byCampaign: readonly CampaignDue[]
  /** Amounts by rule, which may be negative. */
  readonly byRule: readonly RuleAmount[]
  readonly counted: readonly UsageChange[]
}

/** What is due of what one campaign gave to one balance. */
export interface CampaignDue {
  readonly campaign: CampaignId
  readonly key: string
  readonly units: number
  /** Versions of the entries with which the sale collected it, oldest first. */
  readonly versions: readonly number[]
}

/** `again` is what the rules would have given without the returned items. */
export function duesOf(
  actions: readonly Action[],
  again: readonly RuleAmount[],
  earlier: readonly ReturnRecord[],
  campaigns: readonly AttachedCampaign[],
): Dues {
  const byCampaign: CampaignDue[] = []
  const byRule: RuleAmount[] = []
  const counted: UsageChange[] = []
  for (const { campaign, key, collected, versions } of collectedByCampaign(actions)) {
    const still = again.filter((entry) => entry.campaign === campaign && entry.key === key)
    const rules = [...new Set([...collected.keys(), ...still.map(({ rule }) => rule)])]
    const amounts = rules.map((rule) => {
      const gave = collected.get(rule) ?? 0
      const before = returnedBefore(earlier, campaign, rule)
      const units = gave - sumOf(still, (entry) => (entry.rule === rule ? entry.units : 0)) - before
      return { campaign, rule, key, units, gave, before }
    })
    const units = sumOf(amounts, (amount) => amount.units)
    if (units <= 0) continue
    byCampaign.push({ campaign, key, units, versions })
    const { compiled } = campaigns.find(({ id }) => id === campaign) ?? {}
    for (const { gave, before, ...amount } of amounts) {
      if (amount.units !== 0) byRule.push(amount)
      const counter = compiled?.countedRules.find((entry) => entry.rule === amount.rule)
      // A counter never gets back more than the rule gave.
      const freed = within(before + amount.units, gave) - within(before, gave)
      if (counter !== undefined && freed !== 0) counted.push({ ...counter, campaign, amount: -freed })
    }
  }
  return { byCampaign, byRule, counted }
}

const within = (units: number, most: number) => Math.min(most, Math.max(0, units))

interface Collected {
  readonly campaign: CampaignId
  readonly key: string
  /** Units by rule. */
  readonly collected: Map<string, number>
  readonly versions: number[]
}

function collectedByCampaign(actions: readonly Action[]): Collected[] {
  const all: Collected[] = []
  for (const action of actions) {
    if (action.kind !== 'collect') continue
    const { campaign, rule, movement } = action
    const { key, version, amount } = movement
    let own = all.find((entry) => entry.campaign === campaign && entry.key === key)
    if (own === undefined) {
      own = { campaign, key, collected: new Map(), versions: [] }
      all.push(own)
    }
    own.collected.set(rule, amount)
    own.versions.push(version)
  }
  return all
}

function returnedBefore(earlier: readonly ReturnRecord[], campaign: CampaignId, rule: string): number {
  return sumOf(earlier, ({ usage }) =>
    sumOf(usage, ([owner, id, units]) => (owner === campaign && id === rule ? units : 0)),
  )
}
