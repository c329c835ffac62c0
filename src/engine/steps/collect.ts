/**
 * Runs the rules of the campaigns over a basket. Each rule either collects or is skipped for a reason; what
 * it collects is capped by its limits before anything else sees it, and multipliers come after all other
 * rules of their campaign, in the order of the definition.
 */
import type { Effect } from '../../domain/effect.ts'
import type { CampaignId } from '../../domain/ids.ts'
import type { Movement } from '../../domain/ledger-entry.ts'
import { neverExpires } from '../../domain/lot.ts'
import { maxUnits } from '../../domain/money.ts'
import { ok, type Result } from '../../domain/result.ts'
import type { Skip, SkipReason } from '../../domain/skip-reason.ts'
import { addDuration } from '../clock/local-time.ts'
import type { AttachedCampaign, CompiledRule, CountedRule } from '../definition/compile-campaign.ts'
import { type Coverage, coveredFlag, coverLines } from '../input/cover-lines.ts'
import { type RuleInput, usageKey } from '../input/rule-input.ts'
import type { Given } from '../rules/rule.ts'
import { failedCondition, whyNotRunning } from '../rules/rule-conditions.ts'
import { tiersBefore } from './tiers.ts'
import {
  balanceOf,
  balanceTooLarge,
  type OpenLot,
  openNewLot,
  recordMovement,
  type WalletState,
} from './wallet-state.ts'

type CollectEffect = Extract<Effect, { kind: 'collect' }>
type CollectingRule = Extract<CompiledRule, { stage: 'collect' }>

/** What a rule with limits gave in this basket, for its counters. */
export interface UsageChange extends CountedRule {
  readonly campaign: CampaignId
  readonly amount: number
}

/** What the rules did, in order. */
interface Collected {
  readonly effects: readonly CollectEffect[]
  readonly skipped: readonly Skip[]
  readonly usage: readonly UsageChange[]
}

/** Collects for each running campaign and records a skip reason for the rules of the others. */
export function collectAll(
  campaigns: readonly AttachedCampaign[],
  input: RuleInput,
  state: WalletState,
): Result<Collected & { readonly running: readonly AttachedCampaign[] }> {
  const running: AttachedCampaign[] = []
  let all: Collected | undefined
  for (const campaign of campaigns) {
    const reason = whyNotRunning(campaign, input.at, input.local)
    const collected = reason === undefined ? collect(campaign, input, state) : skipAll(campaign, reason)
    if (!collected.ok) return collected
    if (reason === undefined) running.push(campaign)
    all = all === undefined ? collected.value : joined(all, collected.value)
  }
  const { effects, skipped, usage } = all ?? nothing
  return ok({ effects, skipped, usage, running })
}

const nothing: Collected = { effects: [], skipped: [], usage: [] }

function skipAll({ id, compiled }: AttachedCampaign, reason: SkipReason): Result<Collected> {
  const skipped = compiled.rules.map((rule) => ({ campaign: id, rule: rule.id, reason }))
  return ok({ effects: [], skipped, usage: [] })
}

function joined(first: Collected, second: Collected): Collected {
  return {
    effects: [...first.effects, ...second.effects],
    skipped: [...first.skipped, ...second.skipped],
    usage: [...first.usage, ...second.usage],
  }
}

/** One running campaign over one basket. */
interface CampaignRun {
  readonly campaign: AttachedCampaign
  readonly input: RuleInput
  readonly state: WalletState
  readonly coverage: Coverage | undefined
  readonly heldTiers: readonly string[]
  /** The lot of each balance; several rules that give to one balance share it. */
  readonly lots: Map<string, OpenLot>
}

function collect(campaign: AttachedCampaign, input: RuleInput, state: WalletState): Result<Collected> {
  const { rules, index, hasMultipliers } = campaign.compiled
  const coverage = coverLines(index, input.lines, rules.length)
  const heldTiers = tiersBefore(campaign, state)
  const run: CampaignRun = { campaign, input, state, coverage, heldTiers, lots: new Map() }
  const collected = runCollectingRules(run)
  if (!collected.ok || !hasMultipliers) return collected
  const multiplied = runMultipliers(run, collected.value.effects)
  return multiplied.ok ? ok(joined(collected.value, multiplied.value)) : multiplied
}

function runCollectingRules(run: CampaignRun): Result<Collected> {
  const { campaign } = run
  const { rules } = campaign.compiled
  const effects: CollectEffect[] = []
  const skipped: Skip[] = []
  const usage: UsageChange[] = []
  for (let position = 0; position < rules.length; position++) {
    const rule = rules[position]!
    if (rule.stage !== 'collect') continue
    const wanted = failedOf(run, rule, position) ?? wantedBy(run, rule, position)
    const units = typeof wanted === 'number' ? withinLimits(run, rule, wanted) : wanted
    if (typeof units === 'string') {
      skipped.push({ campaign: campaign.id, rule: rule.id, reason: units })
      continue
    }
    const effect = pay(run, rule, units)
    if (!effect.ok) return effect
    effects.push(effect.value)
    const counted = rule.limits?.counted
    if (counted !== undefined) usage.push({ campaign: campaign.id, amount: units, ...counted })
  }
  return ok({ effects, skipped, usage })
}

/** Several multipliers of one balance are applied one after the other to the exact product so far. */
function runMultipliers(run: CampaignRun, collected: readonly CollectEffect[]): Result<Collected> {
  const { campaign } = run
  const { rules } = campaign.compiled
  const multiplied = new Map<string, Given>()
  const effects: CollectEffect[] = []
  const skipped: Skip[] = []
  const usage: UsageChange[] = []
  for (let position = 0; position < rules.length; position++) {
    const rule = rules[position]!
    if (rule.stage !== 'multiply') continue
    const before = multiplied.get(rule.key) ?? givenTo(rule.key, collected)
    let units: number | SkipReason | undefined = failedOf(run, rule, position)
    if (units === undefined && before.units === 0) units = 'nothing_to_multiply'
    if (units === undefined) {
      const after = rule.evaluate(before)
      const extra = after.units - before.units
      units = extra === 0 ? 'amount' : withinLimits(run, rule, extra)
      // A limit that cuts leaves a whole number for the next factor.
      if (units === extra || units === 'amount') multiplied.set(rule.key, after)
      else if (units !== 'limit') multiplied.set(rule.key, { units: before.units + units })
    }
    if (typeof units === 'string') {
      skipped.push({ campaign: campaign.id, rule: rule.id, reason: units })
      continue
    }
    const effect = pay(run, rule, units)
    if (!effect.ok) return effect
    effects.push(effect.value)
    const counted = rule.limits?.counted
    if (counted !== undefined) usage.push({ campaign: campaign.id, amount: units, ...counted })
  }
  return ok({ effects, skipped, usage })
}

/** What the rules of a campaign gave to a balance. */
function givenTo(key: string, effects: readonly CollectEffect[]): Given {
  let units = 0
  for (const { movement } of effects) if (movement.key === key) units += movement.amount
  return { units }
}

/** The first condition of a rule that does not hold. */
function failedOf(
  { coverage, input, heldTiers }: CampaignRun,
  { when }: CompiledRule,
  position: number,
): SkipReason | undefined {
  return when && failedCondition(when, coverage?.flags[position] ?? 0, input, heldTiers)
}

/** What a rule gives for the lines it covers, before its limits, or why it gives nothing. */
function wantedBy(
  { coverage, input }: CampaignRun,
  rule: CollectingRule,
  position: number,
): number | SkipReason {
  const { filteredBy } = rule
  if (filteredBy === undefined) return rule.evaluate(input)
  if (coverage === undefined || (coverage.flags[position]! & coveredFlag) === 0) return filteredBy
  const { spreadNumerator, spreadDenominator, isVisit } = input
  return rule.evaluate({
    payable: coverage.payable[position]!,
    quantity: coverage.quantity[position]!,
    spreadNumerator,
    spreadDenominator,
    isVisit,
  })
}

function withinLimits(
  { campaign, input }: CampaignRun,
  rule: CompiledRule,
  wanted: number,
): number | 'limit' {
  const units = rule.limits ? Math.min(wanted, allowanceLeft(campaign.id, rule, input.usage)) : wanted
  return units <= 0 ? 'limit' : units
}

/** Books what a rule gives; refused only when the balance would exceed its maximum. */
function pay(run: CampaignRun, rule: CompiledRule, units: number): Result<CollectEffect> {
  const { campaign, state } = run
  const balance = balanceOf(state, rule.key)
  if (balance.value + units > maxUnits || balance.total + units > maxUnits) return balanceTooLarge(rule.key)
  const valueBefore = balance.value
  const movement = recordMovement(state, balance, 'collect', units, units)
  // What fills up a balance below zero is used at once and cannot expire later.
  addToLot(run, movement, valueBefore < 0 ? Math.max(0, balance.value) : units)
  return ok({ kind: 'collect', movement, campaign: campaign.id, rule: rule.id })
}

function addToLot({ campaign, input, state, lots }: CampaignRun, collected: Movement, units: number): void {
  const { key, version } = collected
  const open = lots.get(key)
  if (open !== undefined) {
    open.remaining += units
    return
  }
  const expiresAt = lotExpiry(campaign, key, input) ?? (state.idleKeys.has(key) ? neverExpires : undefined)
  if (expiresAt !== undefined) lots.set(key, openNewLot(state, { key, version, remaining: units, expiresAt }))
}

/** When what the campaign gives to a balance will expire; undefined when it does not expire on its own. */
export function lotExpiry(
  { compiled }: AttachedCampaign,
  key: string,
  { now, timezone }: Pick<RuleInput, 'now' | 'timezone'>,
): Date | undefined {
  const declared = compiled.balances.find((candidate) => candidate.key === key)
  if (declared?.expiresAfter === undefined) return undefined
  const { duration, endOf } = declared.expiresAfter
  return addDuration(now, duration, timezone, endOf)
}

/** The remaining allowance of a rule's limits for this basket. */
function allowanceLeft(campaign: CampaignId, rule: CompiledRule, usage: RuleInput['usage']): number {
  const { perTransaction, perDay, perCustomer, total, counted } = rule.limits!
  if (counted === undefined) return perTransaction
  const used = usage.get(usageKey(campaign, rule.id))
  if (used === undefined) return Math.min(perTransaction, perDay, perCustomer, total)
  return Math.min(perTransaction, perDay - used.day, perCustomer - used.customer, total - used.total)
}
