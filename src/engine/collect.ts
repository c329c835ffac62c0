/**
 * Runs the rules of one campaign over a basket. Each rule either collects or is skipped for a reason; what it
 * collects is cut by its limits before anything else sees it, and multipliers come after all other rules, in
 * the order of the definition.
 */
import type { Effect } from '../domain/effect.ts'
import type { CampaignId } from '../domain/ids.ts'
import { maxUnits } from '../domain/money.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { RuleUsage } from '../domain/wallet.ts'
import type { AttachedCampaign, CompiledBalance, CompiledRule, CountedRule } from './compile-campaign.ts'
import { type CoverableLine, type Coverage, coveredFlag, coverLines } from './cover-lines.ts'
import { addDuration } from './local-time.ts'
import { type Circumstances, failedCondition } from './rule-conditions.ts'
import type { Covered, Given } from './rules/rule.ts'
import type { Skip, SkipReason } from './skip.ts'
import { balanceOf, move, openNewLot, type WalletState } from './wallet-state.ts'

/** A basket as rules see it; `payable` and `quantity` are those of the whole basket. */
export interface Situation extends Circumstances, Covered {
  readonly lines: readonly CoverableLine[]
  /** What rules with limits have given before, by `usageKey`. */
  readonly usage: ReadonlyMap<string, RuleUsage>
  readonly now: Date
  readonly timezone: string
}

/** What a rule with limits gave in this basket, for its counters. */
export interface UsageChange extends CountedRule {
  readonly campaign: CampaignId
  readonly amount: number
}

/** What collecting adds to, for all campaigns of a basket. */
export interface Collected {
  readonly state: WalletState
  readonly effects: Effect[]
  readonly skipped: Skip[]
  readonly usage: UsageChange[]
}

export function usageKey(campaign: CampaignId, rule: string): string {
  return `${campaign}/${rule}`
}

export function usageByRule(usage: readonly RuleUsage[]): Map<string, RuleUsage> {
  return new Map(usage.map((entry) => [usageKey(entry.campaign, entry.rule), entry]))
}

/** Why there is nothing, how much there is, or that there is more than can be counted. */
type Outcome = number | SkipReason | 'overflow'

/** Runs a campaign; a refusal only when a balance would become larger than can be counted. */
export function collect(
  campaign: AttachedCampaign,
  situation: Situation,
  heldTiers: readonly string[],
  collected: Collected,
): Refusal | undefined {
  const { rules, index, hasMultipliers } = campaign.compiled
  const coverage = coverLines(index, situation.lines, rules.length)
  const given = hasMultipliers ? new Map<string, Given>() : undefined
  const { spreadNumerator, spreadDenominator, isVisit } = situation
  const covered = { payable: 0, quantity: 0, spreadNumerator, spreadDenominator, isVisit }
  for (let position = 0; position < rules.length; position++) {
    const rule = rules[position]!
    if (rule.stage !== 'collect') continue
    const flags = coverage === undefined ? 0 : coverage.flags[position]!
    let outcome: Outcome | undefined = rule.when && failedCondition(rule.when, flags, situation, heldTiers)
    if (outcome === undefined && rule.filteredBy !== undefined && (flags & coveredFlag) === 0) {
      outcome = rule.filteredBy
    }
    if (outcome === undefined) {
      const source = rule.filteredBy === undefined ? undefined : coverage
      covered.payable = source === undefined ? situation.payable : source.payable[position]!
      covered.quantity = source === undefined ? situation.quantity : source.quantity[position]!
      outcome = rule.evaluate(covered)
    }
    if (typeof outcome === 'number') outcome = give(campaign, rule, outcome, situation, collected)
    if (outcome === 'overflow') return overflow(rule.key)
    if (typeof outcome === 'string') {
      collected.skipped.push({ campaign: campaign.id, rule: rule.id, reason: outcome })
    } else if (given !== undefined) {
      given.set(rule.key, { units: (given.get(rule.key)?.units ?? 0) + outcome })
    }
  }
  return given && multiplyGiven(campaign, situation, heldTiers, coverage, given, collected)
}

/** Several multipliers of one balance work one after the other on the exact product so far. */
function multiplyGiven(
  campaign: AttachedCampaign,
  situation: Situation,
  heldTiers: readonly string[],
  coverage: Coverage | undefined,
  given: Map<string, Given>,
  collected: Collected,
): Refusal | undefined {
  for (const [position, rule] of campaign.compiled.rules.entries()) {
    if (rule.stage !== 'multiply') continue
    const flags = coverage === undefined ? 0 : coverage.flags[position]!
    let outcome: Outcome | undefined = rule.when && failedCondition(rule.when, flags, situation, heldTiers)
    const before = given.get(rule.key)
    if (outcome === undefined && before === undefined) outcome = 'nothing_to_multiply'
    if (outcome === undefined && before !== undefined) {
      const after = rule.evaluate(before)
      const extra = after.units - before.units
      outcome = extra === 0 ? 'amount' : give(campaign, rule, extra, situation, collected)
      // A limit that cuts leaves a whole number for the next factor to work on.
      if (outcome === extra || outcome === 'amount') given.set(rule.key, after)
      else if (typeof outcome === 'number') given.set(rule.key, { units: before.units + outcome })
    }
    if (outcome === 'overflow') return overflow(rule.key)
    if (typeof outcome === 'string') {
      collected.skipped.push({ campaign: campaign.id, rule: rule.id, reason: outcome })
    }
  }
  return undefined
}

export function skipAll(campaign: AttachedCampaign, reason: SkipReason, skipped: Skip[]): void {
  for (const rule of campaign.compiled.rules) skipped.push({ campaign: campaign.id, rule: rule.id, reason })
}

function overflow(key: string): Refusal {
  return {
    code: '_invalid_payload',
    description: `the balance ${key} would become larger than ${maxUnits} units`,
  }
}

/** Pays what a rule gives, cut by its limits; the units paid. */
function give(
  campaign: AttachedCampaign,
  rule: CompiledRule,
  wanted: number,
  situation: Situation,
  collected: Collected,
): number | 'limit' | 'overflow' {
  const { state } = collected
  const units = rule.limits ? Math.min(wanted, leftOf(campaign.id, rule, situation.usage)) : wanted
  if (units <= 0) return 'limit'
  const balance = balanceOf(state, rule.key)
  if (balance.value + units > maxUnits || balance.total + units > maxUnits) return 'overflow'
  const valueBefore = balance.value
  const movement = move(state, balance, 'collect', units, units)
  collected.effects.push({ kind: 'collect', movement, campaign: campaign.id, rule: rule.id })
  const counted = rule.limits?.counted
  if (counted !== undefined) collected.usage.push({ ...counted, campaign: campaign.id, amount: units })
  const declared = campaign.compiled.balances.find((candidate) => candidate.key === rule.key)
  if (declared?.expiresAfter !== undefined) {
    // What fills up a balance below zero is gone at once and cannot expire later.
    const remaining = valueBefore < 0 ? Math.max(0, balance.value) : units
    const expiresAt = lotExpiry(declared.expiresAfter, situation)
    openNewLot(state, { key: rule.key, version: movement.version, remaining, expiresAt })
  }
  return units
}

function lotExpiry(
  expires: NonNullable<CompiledBalance['expiresAfter']>,
  { now, timezone }: Situation,
): Date {
  return addDuration(now, expires.duration, timezone, expires.endOf)
}

/** What the limits of a rule leave for this basket. */
function leftOf(campaign: CampaignId, rule: CompiledRule, usage: Situation['usage']): number {
  const { perTransaction, perDay, perCustomer, total, counted } = rule.limits!
  if (counted === undefined) return perTransaction
  const used = usage.get(usageKey(campaign, rule.id))
  if (used === undefined) return Math.min(perTransaction, perDay, perCustomer, total)
  return Math.min(perTransaction, perDay - used.day, perCustomer - used.customer, total - used.total)
}
