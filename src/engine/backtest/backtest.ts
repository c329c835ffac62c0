/**
 * Tries a campaign on sales of the past, one after the other in the order in which they were processed, with the
 * code that decides a sale. Each starts from the balances that the customer really had, plus what the sales
 * before it would have left besides: whatever else happened (adjustments, returns, expiry) is in there. Limits
 * count from the first sale. What the campaign gives beyond what was given does not expire.
 */

import type { BacktestResult, BacktestRow, PastSale, RuleComparison } from '../../domain/backtest.ts'
import { lineAmountMinor } from '../../domain/basket.ts'
import type { Effect } from '../../domain/effect.ts'
import type { CampaignId, CustomerId } from '../../domain/ids.ts'
import { type Action, transactionStatus } from '../../domain/transaction.ts'
import type { Balance, RuleUsage } from '../../domain/wallet.ts'
import { localDay } from '../clock/local-time.ts'
import type { AttachedCampaign, CompiledSpend } from '../definition/compile-campaign.ts'
import { type Evaluation, evaluate } from '../evaluate.ts'
import { countUsage, usageFor } from '../steps/rule-counters.ts'
import { tiersHeld } from '../steps/tiers.ts'
import { addActions, costOf, type Figures, noFigures, type Prices } from './figures.ts'
import { toPastBasket } from './past-basket.ts'
import { type Both, type BothWorth, createSums, toBoth } from './sums.ts'

export interface BacktestOptions {
  /** The campaign on trial, as if it had run during the whole range. */
  readonly campaign: AttachedCampaign
  /** The campaigns of a card, the one on trial among them; none if it would not have run there. */
  readonly attachedTo: (own: CampaignId) => readonly AttachedCampaign[]
  /** What points are worth: today, and with the campaign on trial. */
  readonly spends: Record<'given' | 'wouldGive', ReadonlyMap<string, CompiledSpend>>
  readonly organization: { readonly currencyDecimals: number; readonly timezone: string }
}

const mostRows = 50

interface WeighedRow extends Compared {
  readonly both: Both
  readonly weight: number
}

export interface BacktestRun {
  add(sale: PastSale): void
  result(): BacktestResult
}

/** What a balance would hold besides what it really held. */
type Extra = Map<string, { value: number; total: number }>

export function createBacktest(options: BacktestOptions): BacktestRun {
  const { campaign, organization } = options
  const { currencyDecimals, timezone } = organization
  const prices: Prices = { baskets: 0, payableMinor: 0, products: new Map() }
  const worth = {
    given: { prices, spends: options.spends.given, currencyDecimals },
    wouldGive: { prices, spends: options.spends.wouldGive, currencyDecimals },
  }
  const sums = createSums()
  const rows: WeighedRow[] = []
  const leftOut = { returned: 0, otherCards: 0, refused: 0 }
  const extras = new Map<CustomerId, Extra>()
  const newcomers = new Set<CustomerId>()
  const used = new Map<string, number>()
  let salesShortOfPoints = 0

  function compare(sale: PastSale, balances: readonly Balance[], evaluation: Evaluation): void {
    const both = { given: noFigures(), wouldGive: noFigures() }
    addActions(both.given, sale.result.actions, campaign.id)
    addActions(both.wouldGive, evaluation.effects, campaign.id)
    sums.add(sale, both, {
      day: localDay(sale.createdAt, timezone),
      isNew: newcomers.has(sale.customer),
      tier: tiersHeld([campaign], balances)
        .map(({ name }) => name)
        .join(', '),
    })
    const weight = weightOf(both, worth)
    if (hasPlace(rows, weight)) insertRow(rows, { ...toRow(campaign.id, sale, evaluation), both, weight })
  }

  return {
    add(sale) {
      if (sale.result.context.isFirst) newcomers.add(sale.customer)
      if (sale.status === transactionStatus.returned) return void leftOut.returned++
      const campaigns = options.attachedTo(sale.own)
      if (campaigns.length === 0) return void leftOut.otherCards++
      const balances = balancesBefore(sale, extras.get(sale.customer))
      const day = localDay(sale.occurredAt, timezone)
      const usage = usageFor(used, countedIn(campaigns), sale.customer, day)
      const tried = trySale(sale, campaigns, balances, usage, organization)
      if (!tried) return void leftOut.refused++
      if (tried.isShort) salesShortOfPoints++
      countUsage(used, tried.evaluation.usage, sale.customer, day)
      keepExtra(extras, sale, tried.evaluation)
      notePrices(prices, sale, currencyDecimals)
      compare(sale, balances, tried.evaluation)
    },
    result: () => ({
      ...sums.result(worth),
      rows: rows.map(({ both, weight: _weight, ...row }) => ({ ...row, ...toBoth(both, worth) })),
      leftOut,
      salesShortOfPoints,
    }),
  }
}

function balancesBefore({ result }: PastSale, extra: Extra | undefined): Balance[] {
  const balances = result.context.balances.map(([key, value, total]): Balance => {
    const besides = extra?.get(key)
    if (!besides) return { key, value, total, version: 0 }
    return {
      key,
      value: Math.max(0, value + besides.value),
      total: Math.max(0, total + besides.total),
      version: 0,
    }
  })
  for (const [key, { value, total }] of extra ?? []) {
    if (balances.some((balance) => balance.key === key)) continue
    balances.push({ key, value: Math.max(0, value), total: Math.max(0, total), version: 0 })
  }
  return balances
}

/** What the sale would have left besides what it has left. */
function keepExtra(extras: Map<CustomerId, Extra>, { customer, result }: PastSale, after: Evaluation): void {
  const extra: Extra = new Map()
  for (const { key, value, total } of after.balances) {
    const real = result.balances.find((balance) => balance.key === key)
    const besides = { value: value - (real?.value ?? 0), total: total - (real?.total ?? 0) }
    if (besides.value !== 0 || besides.total !== 0) extra.set(key, besides)
  }
  if (extra.size > 0) extras.set(customer, extra)
  else extras.delete(customer)
}

/** Without its points if the customer would have had too few of them, or may not spend them like this. */
function trySale(
  sale: PastSale,
  campaigns: readonly AttachedCampaign[],
  balances: readonly Balance[],
  usage: readonly RuleUsage[],
  organization: BacktestOptions['organization'],
): { readonly evaluation: Evaluation; readonly isShort: boolean } | undefined {
  const basket = toPastBasket(sale, organization.currencyDecimals)
  const transactionCount = sale.result.context.isFirst ? 0 : 1
  const wallet = { balances, lots: [], coupons: [], usage, transactionCount }
  const input = { basket, wallet, campaigns, inactivity: [], organization, now: sale.createdAt }
  const outcome = evaluate(input)
  if (outcome.ok) return { evaluation: outcome.value, isShort: false }
  if (basket.pointsToSpend === 0) return undefined
  const without = evaluate({ ...input, basket: { ...basket, pointsToSpend: 0 } })
  return without.ok ? { evaluation: without.value, isShort: true } : undefined
}

const countedIn = (campaigns: readonly AttachedCampaign[]) =>
  campaigns.flatMap(({ id, compiled }) => compiled.countedRules.map(({ rule }) => ({ campaign: id, rule })))

function notePrices(prices: Prices, { basket, result }: PastSale, currencyDecimals: number): void {
  prices.baskets++
  prices.payableMinor += result.payableMinor
  for (const line of basket.lines) {
    const minor = lineAmountMinor(line, currencyDecimals)
    if (line.product === undefined || minor === 0) continue
    const seen = prices.products.get(line.product) ?? { sum: 0, count: 0 }
    seen.sum += minor / line.quantity
    seen.count++
    prices.products.set(line.product, seen)
  }
}

/** How far what was given and what would have been are apart, where neither is worth money. */
function distance(given: Figures, wouldGive: Figures): number {
  const keys = new Set([...given.collected.keys(), ...wouldGive.collected.keys()])
  let sum = 0
  for (const key of keys)
    sum += Math.abs((wouldGive.collected.get(key) ?? 0) - (given.collected.get(key) ?? 0))
  return sum
}

/** Preliminary where it rests on prices, of which not all have been seen yet. */
function weightOf({ given, wouldGive }: Both, worth: BothWorth): number {
  const difference = costOf(wouldGive, worth.wouldGive).costMinor - costOf(given, worth.given).costMinor
  return Math.abs(difference) + distance(given, wouldGive) / 1e9
}

type Compared = Omit<BacktestRow, 'given' | 'wouldGive'>

function toRow(campaign: CampaignId, sale: PastSale, { effects }: Evaluation): Compared {
  const { id, customer, occurredAt, result } = sale
  const rules = new Map<string, RuleComparison>()
  const collect = (side: 'given' | 'wouldGive', actions: readonly (Action | Effect)[]) => {
    for (const action of actions) {
      if (action.kind !== 'collect' || action.campaign !== campaign) continue
      const { rule, movement } = action
      const known = rules.get(rule) ?? { rule, key: movement.key, given: 0, wouldGive: 0 }
      known[side] += movement.amount
      rules.set(rule, known)
    }
  }
  collect('given', result.actions)
  collect('wouldGive', effects)
  const { payableMinor } = result
  return { transaction: id, customer, occurredAt, payableMinor, rules: [...rules.values()] }
}

const hasPlace = (rows: readonly WeighedRow[], weight: number) =>
  weight > 0 && (rows.length < mostRows || rows.at(-1)!.weight < weight)

function insertRow(rows: WeighedRow[], row: WeighedRow): void {
  const at = rows.findIndex(({ weight }) => weight < row.weight)
  rows.splice(at < 0 ? rows.length : at, 0, row)
  if (rows.length > mostRows) rows.pop()
}
