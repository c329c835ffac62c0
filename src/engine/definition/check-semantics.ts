/**
 * The part of the definition check that follows references and compares fields with each other: a well-formed
 * definition may still name a balance that does not exist or a window that never opens. Runs only on
 * well-formed definitions, and assumes nothing else about them.
 */
import { decimalsOf, maxMoney, maxQuantity, maxUnits, powerOfTen, toUnits } from '../../domain/money.ts'
import { parseDuration, parseTimeOfDay, parseTimestamp } from '../clock/iso-time.ts'
import { ruleKind } from '../rules/all-rules.ts'
import {
  type CampaignDefinition,
  type RuleDefinition,
  ruleId,
  type WhenDefinition,
} from './campaign-definition.ts'
import type { DefinitionContext, DefinitionProblem } from './definition-problem.ts'

/** The maximum number of lines; with `maxQuantity` it bounds what a rule per item can give. */
const maxLines = 500

type Report = (place: string, message: string) => void

/** Decimals by balance key; a key that is missing here is unknown. */
type Balances = ReadonlyMap<string, number>

export function checkSemantics(
  definition: CampaignDefinition,
  context: DefinitionContext,
  known: readonly DefinitionProblem[],
): DefinitionProblem[] {
  const problems: DefinitionProblem[] = []
  const alreadyBad = new Set(known.map((problem) => problem.place))
  const report: Report = (place, message) => {
    if (!alreadyBad.has(place)) problems.push({ kind: 'semantics', place, message })
  }
  checkText(definition, '', report)
  const balances = checkBalances(definition, context, report)
  checkPeriod(definition, '', report)
  checkRules(definition, balances, context, report)
  checkRewards(definition, context, report)
  checkThresholds(definition, balances, report)
  checkTiers(definition, balances, report)
  if (definition.spend) {
    checkReference(definition.spend.balance, balances, 'spend.balance', report)
    checkUnit(definition.spend.min, balances.get(definition.spend.balance), 'spend.min', report)
    checkDecimals(definition.spend.worth, 6, 'spend.worth', report)
    checkDecimals(definition.spend.maxShare, 6, 'spend.maxShare', report)
  }
  checkRunsOn(definition, context, report)
  return problems
}

/** Finds text, anywhere in the definition, that the database cannot store or that cannot be displayed. */
function checkText(value: unknown, place: string, report: Report): void {
  if (typeof value === 'string') {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    if (/[\u0000-\u001f\u007f]|\p{Surrogate}/u.test(value))
      report(place, 'contains control characters or broken Unicode')
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkText(item, `${place}[${index}]`, report)
  } else if (typeof value === 'object' && value !== null) {
    for (const [field, item] of Object.entries(value)) {
      checkText(item, place === '' ? field : `${place}.${field}`, report)
    }
  }
}

function checkBalances(definition: CampaignDefinition, context: DefinitionContext, report: Report): Balances {
  const fixed = new Map(context.knownBalances.map((balance) => [balance.key, balance.decimals]))
  const balances = new Map<string, number>()
  for (const [index, { key, decimals = 0, expires }] of definition.balances.entries()) {
    const place = `balances[${index}]`
    if (balances.has(key)) report(`${place}.key`, `the key '${key}' is used twice`)
    // Responses return balances as properties of an object, where these names already have a meaning for many
    // clients.
    if (key in Object.prototype) report(`${place}.key`, `'${key}' cannot be a key`)
    balances.set(key, decimals)
    const existing = fixed.get(key)
    if (existing !== undefined && existing !== decimals) {
      report(`${place}.decimals`, `the balance '${key}' exists and has ${existing} decimals`)
    }
    if (expires === undefined) continue
    const { after, inactivity, endOf } = expires
    if (after === undefined && inactivity === undefined)
      report(`${place}.expires`, 'needs `after` or `inactivity`')
    if (after !== undefined && inactivity !== undefined) {
      report(`${place}.expires`, 'has both `after` and `inactivity`; one of them is enough')
    }
    if (endOf !== undefined && after === undefined) report(`${place}.expires.endOf`, 'requires `after`')
    checkDuration(after, `${place}.expires.after`, report)
    checkDuration(inactivity, `${place}.expires.inactivity`, report)
  }
  return balances
}

function checkDuration(text: string | undefined, place: string, report: Report): void {
  if (text === undefined || parseDuration(text) !== undefined) return
  report(place, 'must be an ISO 8601 duration such as P12M or P90D, greater than zero and at most 100 years')
}

function checkPeriod(
  period: Pick<WhenDefinition, 'startsAt' | 'endsAt'>,
  place: string,
  report: Report,
): void {
  const [start, end] = (['startsAt', 'endsAt'] as const).map((field) => {
    const text = period[field]
    const moment = text === undefined ? undefined : parseTimestamp(text)
    if (text !== undefined && moment === undefined) {
      report(place + field, 'must be an ISO 8601 time such as 2027-01-31T09:00:00Z')
    }
    return moment
  })
  if (start === undefined || end === undefined) return
  if (start.isLocal !== end.isLocal) {
    report(`${place}endsAt`, 'must be written like `startsAt`, either with an offset or in local time')
  } else if (start.ms >= end.ms) {
    report(`${place}endsAt`, 'must be after `startsAt`')
  }
}

function checkRules(
  definition: CampaignDefinition,
  balances: Balances,
  context: DefinitionContext,
  report: Report,
): void {
  const ids = new Set<string>()
  const tiers = new Set(definition.tiers?.map((tier) => tier.key))
  for (const [index, rule] of (definition.rules ?? []).entries()) {
    const place = `rules[${index}]`
    const id = ruleId(rule, index)
    if (ids.has(id)) report(`${place}.id`, `the rule id '${id}' is used twice`)
    ids.add(id)
    checkReference(rule.balance, balances, `${place}.balance`, report)
    checkRuleNumbers(rule, place, balances.get(rule.balance), context, report)
    if (rule.when) checkWhen(rule.when, `${place}.when.`, tiers, context, report)
    for (const [field, limit] of Object.entries(rule.limits ?? {})) {
      checkUnit(limit, balances.get(rule.balance), `${place}.limits.${field}`, report)
    }
  }
}

/** Checks a rule's numbers by the unit in its schema, and the most that the rule could give. */
function checkRuleNumbers(
  rule: RuleDefinition,
  place: string,
  balanceDecimals: number | undefined,
  context: DefinitionContext,
  report: Report,
): void {
  const kind = ruleKind(rule.kind)
  if (kind === undefined) return
  let isSound = balanceDecimals !== undefined
  const note: Report = (at, message) => {
    isSound = false
    report(at, message)
  }
  for (const [field, schema] of Object.entries(kind.config.properties)) {
    const value = (rule as unknown as Record<string, unknown>)[field]
    if (typeof value !== 'number') continue
    const { 'x-unit': unit, 'x-decimals': decimals } = schema as { 'x-unit'?: string; 'x-decimals'?: number }
    if (!(value > 0)) isSound = false
    if (unit === 'balance') checkUnit(value, balanceDecimals, `${place}.${field}`, note)
    if (unit === 'money') checkDecimals(value, context.currencyDecimals, `${place}.${field}`, note)
    if (decimals !== undefined) checkDecimals(value, decimals, `${place}.${field}`, note)
  }
  if (!isSound || kind.stage !== 'collect' || rule.limits?.perTransaction !== undefined) return
  const scale = { currencyDecimals: context.currencyDecimals, balanceDecimals: balanceDecimals! }
  const largest = {
    amountMinor: maxMoney * powerOfTen(context.currencyDecimals),
    quantity: maxLines * maxQuantity,
  }
  if (kind.maxPerBasket(rule, scale, largest) > maxUnits) {
    report(place, 'could give more than a balance can hold; set `limits.perTransaction`')
  }
}

function checkWhen(
  when: WhenDefinition,
  place: string,
  tiers: ReadonlySet<string>,
  context: DefinitionContext,
  report: Report,
): void {
  const [from, to] = (['from', 'to'] as const).map((field) => {
    const text = when[field]
    const minute = text === undefined ? undefined : parseTimeOfDay(text)
    if (text !== undefined && minute === undefined) {
      report(place + field, 'must be a time of day from 00:00 to 23:59')
    }
    return minute
  })
  if (from !== undefined && from === to) report(`${place}to`, 'must differ from `from`')
  if (to === 0 && when.from === undefined)
    report(`${place}to`, 'is the start of the day: the window is empty')
  if (when.days && new Set(when.days).size < when.days.length) report(`${place}days`, 'names a day twice')
  checkPeriod(when, place, report)
  checkDecimals(when.minAmount, context.currencyDecimals, `${place}minAmount`, report)
  for (const [index, tier] of (when.tiers ?? []).entries()) {
    if (!tiers.has(tier)) report(`${place}tiers[${index}]`, `no tier of the campaign has the key '${tier}'`)
  }
}

function checkRewards(definition: CampaignDefinition, context: DefinitionContext, report: Report): void {
  const keys = new Set<string>()
  for (const [index, reward] of (definition.rewards ?? []).entries()) {
    const place = `rewards[${index}]`
    if (keys.has(reward.key)) report(`${place}.key`, `the key '${reward.key}' is used twice`)
    keys.add(reward.key)
    if (reward.kind === 'amount_off') {
      checkDecimals(reward.amount, context.currencyDecimals, `${place}.amount`, report)
    }
    if (reward.kind === 'percent_off') {
      checkDecimals(reward.percent, 4, `${place}.percent`, report)
      checkDecimals(reward.maxAmount, context.currencyDecimals, `${place}.maxAmount`, report)
    }
  }
}

function checkThresholds(definition: CampaignDefinition, balances: Balances, report: Report): void {
  const rewards = new Set(definition.rewards?.map((reward) => reward.key))
  const seen = new Set<string>()
  for (const [index, { balance, at, grant }] of (definition.thresholds ?? []).entries()) {
    const place = `thresholds[${index}]`
    checkReference(balance, balances, `${place}.balance`, report)
    checkUnit(at, balances.get(balance), `${place}.at`, report)
    if (!rewards.has(grant)) report(`${place}.grant`, `no reward has the key '${grant}'`)
    const same = JSON.stringify([balance, at, grant])
    if (seen.has(same)) report(place, 'is a duplicate')
    seen.add(same)
  }
}

function checkTiers(definition: CampaignDefinition, balances: Balances, report: Report): void {
  const keys = new Set<string>()
  const highest = new Map<string, number>()
  for (const [index, { key, balance, from }] of (definition.tiers ?? []).entries()) {
    const place = `tiers[${index}]`
    if (keys.has(key)) report(`${place}.key`, `the key '${key}' is used twice`)
    keys.add(key)
    checkReference(balance, balances, `${place}.balance`, report)
    checkUnit(from, balances.get(balance), `${place}.from`, report)
    const before = highest.get(balance)
    if (before !== undefined && from <= before) report(`${place}.from`, 'must be above the tier before it')
    highest.set(balance, Math.max(before ?? 0, from))
  }
}

function checkRunsOn(definition: CampaignDefinition, context: DefinitionContext, report: Report): void {
  const known = new Set(context.knownCampaigns)
  const seen = new Set<string>()
  for (const [index, campaign] of (definition.runsOn ?? []).entries()) {
    const place = `runsOn[${index}]`
    if (campaign === context.self) report(place, 'is the campaign itself, which runs on its own cards anyway')
    else if (!known.has(campaign)) report(place, 'is not a campaign of the organization')
    if (seen.has(campaign)) report(place, 'is a duplicate')
    seen.add(campaign)
  }
}

function checkReference(key: string, balances: Balances, place: string, report: Report): void {
  if (!balances.has(key)) report(place, `no balance has the key '${key}'`)
}

/** Checks the decimals of points and stamps against their balance; skipped for an unknown balance. */
function checkUnit(
  value: number | undefined,
  decimals: number | undefined,
  place: string,
  report: Report,
): void {
  if (value === undefined || decimals === undefined || toUnits(value, decimals) !== undefined) return
  const reason =
    decimalsOf(value) > decimals ? `must have at most ${decimals} decimals, like its balance` : 'is too large'
  report(place, reason)
}

function checkDecimals(value: number | undefined, decimals: number, place: string, report: Report): void {
  if (value !== undefined && decimalsOf(value) > decimals)
    report(place, `must have at most ${decimals} decimals`)
}
