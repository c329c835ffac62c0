/**
 * Decides one basket: basket, wallet, campaigns and a clock in; effects or a refusal out. The order of work is
 * redeem coupons → spend points → collect → grant at thresholds, and it is everything or nothing. Nothing is
 * read from outside and nothing passed in is changed, so preview, sale, return and backtest are one function.
 */
import type { Basket } from '../domain/basket.ts'
import type { Effect } from '../domain/effect.ts'
import type { Movement } from '../domain/ledger-entry.ts'
import type { Refusal } from '../domain/refusal.ts'
import type { SaleContext } from '../domain/transaction.ts'
import type { Balance, KeptMultiple, Lot, LotTake, Wallet } from '../domain/wallet.ts'
import { type Collected, collect, type Situation, skipAll, type UsageChange } from './collect.ts'
import type { AttachedCampaign } from './compile-campaign.ts'
import { expireInState, type Inactivity, inactivityOf } from './expire-balances.ts'
import { grantCoupons } from './grant-coupons.ts'
import { type PricedBasket, priceBasket } from './price-basket.ts'
import { type Progress, progressOf } from './progress.ts'
import { redeemCoupons } from './redeem-coupons.ts'
import { whyNotRunning } from './rule-conditions.ts'
import { situationOf } from './situation.ts'
import type { Skip } from './skip.ts'
import { readPoints, type Spending, spendPoints } from './spend-points.ts'
import { changeTiers, tiersBefore } from './tiers.ts'
import { changedLots, closedBalances, openWallet } from './wallet-state.ts'

export interface EvaluateInput {
  readonly basket: Basket
  readonly wallet: Wallet
  /** The campaigns attached to the card: its own first, whatever its status, then the others in order. */
  readonly campaigns: readonly AttachedCampaign[]
  /** Of all campaigns of the organization; what the attached ones say when undefined. */
  readonly inactivity?: readonly Inactivity[]
  readonly organization: { readonly currencyDecimals: number; readonly timezone: string }
  readonly now: Date
}

export interface Evaluation {
  /** In the order in which they happen. */
  readonly effects: readonly Effect[]
  readonly skipped: readonly Skip[]
  readonly progress: readonly Progress[]
  /** The order's amount before discounts: as sent, else the sum of the lines. */
  readonly amountMinor: number
  /** What is to be paid, before points. */
  readonly payableMinor: number
  /** In units of the point balance. */
  readonly pointsSpent: number
  readonly pointsDiscountMinor: number
  /** Every change of a balance in its order: what had expired by now first, then those of the effects. */
  readonly movements: readonly Movement[]
  /** All balances of the customer afterwards. */
  readonly balances: readonly Balance[]
  /** Lots that changed or are new, as they are afterwards; an old one may be empty. */
  readonly lots: readonly Lot[]
  readonly usage: readonly UsageChange[]
  readonly context: SaleContext
}

export type EvaluateOutcome =
  | { readonly ok: true; readonly evaluation: Evaluation }
  | { readonly ok: false; readonly refusal: Refusal }

export function evaluate(input: EvaluateInput): EvaluateOutcome {
  const { basket, wallet, campaigns, organization, now } = input
  const { currencyDecimals, timezone } = organization
  const priced = priceBasket(basket, currencyDecimals)
  if ('refusal' in priced) return refuse(priced.refusal)
  const spend = campaigns[0]?.compiled.spend
  const points = readPoints(basket, spend)
  if (typeof points !== 'number') return refuse(points.refusal)

  const state = openWallet(wallet)
  const inactivity = input.inactivity ?? inactivityOf(campaigns.map(({ compiled }) => compiled))
  expireInState(state, wallet, inactivity, now, timezone)
  const before = state.balances.map(({ key, value, total }) => [key, value, total] as const)

  const redeemed = redeemCoupons(priced, basket.coupons, wallet.coupons, now, currencyDecimals)
  if ('refusal' in redeemed) return refuse(redeemed.refusal)
  const collected: Collected = { state, effects: redeemed.effects, skipped: [], usage: [] }

  let spending: Spending | undefined
  if (points > 0) {
    const spent = spendPoints(state, points, spend, { payableMinor: priced.payableMinor, currencyDecimals })
    if ('refusal' in spent) return refuse(spent.refusal)
    spending = spent
    collected.effects.push(spent.effect)
  }

  const pointsPartMinor = spending === undefined || spend?.earns ? 0 : spending.discountMinor
  const situation = situationOf(basket, priced, pointsPartMinor, {
    isFirst: wallet.transactionCount === 0,
    usage: wallet.usage,
    timezone,
    now,
  })
  const running: AttachedCampaign[] = []
  const refusal = collectAll(campaigns, situation, collected, running)
  if (refusal !== undefined) return refuse(refusal)

  const kept = wallet.keptMultiples ?? []
  const consumedFrom = grantCoupons(running, state, kept, now, collected.effects)
  for (const campaign of running) changeTiers(campaign, state, collected.effects)

  const context = contextOf(input, before, spending?.takes ?? [], consumedFrom)
  return { ok: true, evaluation: evaluationOf(collected, running, kept, priced, spending, context) }
}

function refuse(refusal: Refusal): EvaluateOutcome {
  return { ok: false, refusal }
}

/** Runs the campaigns that run, and says why of those that do not. */
export function collectAll(
  campaigns: readonly AttachedCampaign[],
  situation: Situation,
  collected: Collected,
  running: AttachedCampaign[],
): Refusal | undefined {
  for (const campaign of campaigns) {
    const reason = whyNotRunning(campaign, situation.at, situation.local)
    if (reason !== undefined) {
      skipAll(campaign, reason, collected.skipped)
      continue
    }
    running.push(campaign)
    const refusal = collect(campaign, situation, tiersBefore(campaign, collected.state), collected)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

function contextOf(
  { wallet, campaigns, organization }: EvaluateInput,
  balances: SaleContext['balances'],
  spentFrom: readonly LotTake[],
  consumedFrom: readonly LotTake[],
): SaleContext {
  const paused = campaigns.filter(({ status }) => status !== 'published').map(({ id }) => id)
  return {
    currencyDecimals: organization.currencyDecimals,
    timezone: organization.timezone,
    balances,
    isFirst: wallet.transactionCount === 0,
    ...(paused.length > 0 && { paused }),
    ...(wallet.usage.length > 0 && { usage: wallet.usage }),
    ...(wallet.keptMultiples?.length && { keptMultiples: wallet.keptMultiples }),
    ...(spentFrom.length > 0 && { spentFrom }),
    ...(consumedFrom.length > 0 && { consumedFrom }),
  }
}

function evaluationOf(
  { state, effects, skipped, usage }: Collected,
  running: readonly AttachedCampaign[],
  kept: readonly KeptMultiple[],
  priced: PricedBasket,
  spending: Spending | undefined,
  context: SaleContext,
): Evaluation {
  const balances = closedBalances(state)
  return {
    effects,
    skipped,
    progress: progressOf(running, balances, kept),
    amountMinor: priced.amountMinor,
    payableMinor: priced.payableMinor,
    pointsSpent: spending?.units ?? 0,
    pointsDiscountMinor: spending?.discountMinor ?? 0,
    movements: state.movements,
    balances,
    lots: changedLots(state),
    usage,
    context,
  }
}
