/**
 * Decides one basket: basket, wallet, campaigns and a clock in; effects or a refusal out. The numbered steps
 * are those of the README, and either all of them apply or none. Nothing is read from outside and no argument
 * is changed: the steps share a working copy of the wallet, and their results are combined at the end.
 */
import { type Basket, isVisit } from '../domain/basket.ts'
import type { CouponOrigin } from '../domain/coupon.ts'
import type { Effect } from '../domain/effect.ts'
import type { Movement } from '../domain/ledger-entry.ts'
import type { Lot, LotTake } from '../domain/lot.ts'
import { ok, type Result } from '../domain/result.ts'
import type { Skip } from '../domain/skip-reason.ts'
import type { SaleContext } from '../domain/transaction.ts'
import type { Balance, Wallet } from '../domain/wallet.ts'
import type { Warning } from '../domain/warning.ts'
import type { AttachedCampaign } from './definition/compile-campaign.ts'
import { priceBasket } from './input/price-basket.ts'
import { toRuleInput } from './input/rule-input.ts'
import { takeCouponsOff } from './input/take-coupons-off.ts'
import { collectAll, type UsageChange } from './steps/collect.ts'
import { expireInState, type Inactivity, idleKeysOf, inactivityOf } from './steps/expire-balances.ts'
import { findWarnings } from './steps/find-warnings.ts'
import { grantCoupons } from './steps/grant-coupons.ts'
import { type Progress, progressOf } from './steps/progress.ts'
import { redeemCoupons } from './steps/redeem-coupons.ts'
import { readPoints, spendPoints } from './steps/spend-points.ts'
import { changeTiers } from './steps/tiers.ts'
import { changedLots, closedBalances, toWalletState } from './steps/wallet-state.ts'

export interface EvaluateInput {
  readonly basket: Basket
  readonly wallet: Wallet
  /** The campaigns attached to the card: its own first, whatever its status, then the others in order. */
  readonly campaigns: readonly AttachedCampaign[]
  /** Inactivity rules of every campaign of the organization; defaults to those of the attached ones. */
  readonly inactivity?: readonly Inactivity[]
  readonly organization: { readonly currencyDecimals: number; readonly timezone: string }
  readonly now: Date
}

export interface Evaluation {
  /** Effects in the order in which they happen. */
  readonly effects: readonly Effect[]
  readonly skipped: readonly Skip[]
  readonly progress: readonly Progress[]
  /** The order's amount before discounts; defaults to the sum of the lines. */
  readonly amountMinor: number
  /** The amount to pay after discounts and coupons, before points. */
  readonly payableMinor: number
  /** Whether the basket has a line or an amount above 0. */
  readonly isVisit: boolean
  /** Points to spend, in units of the point balance. */
  readonly pointsSpent: number
  readonly pointsDiscountMinor: number
  /** Every change of a balance, in order: expirations first, then those of the effects. */
  readonly movements: readonly Movement[]
  /** All balances of the customer afterwards. */
  readonly balances: readonly Balance[]
  /** Lots that changed or are new, as they are afterwards; an existing one may now be empty. */
  readonly lots: readonly Lot[]
  readonly usage: readonly UsageChange[]
  /** What each granted coupon stands for, in the order of the effects. */
  readonly origins: readonly CouponOrigin[]
  readonly context: SaleContext
  /** What was accepted and is probably a mistake. */
  readonly warnings: readonly Warning[]
}

export function evaluate(input: EvaluateInput): Result<Evaluation> {
  const { basket, wallet, campaigns, organization, now } = input
  const { currencyDecimals, timezone } = organization
  const spend = campaigns[0]?.compiled.spend
  const asSent = priceBasket(basket, currencyDecimals)
  if (!asSent.ok) return asSent
  const points = readPoints(basket, spend)
  if (!points.ok) return points

  // 1. What has expired by now leaves the balances.
  const inactivity = input.inactivity ?? inactivityOf(campaigns)
  const state = toWalletState(wallet, idleKeysOf(inactivity))
  expireInState(state, wallet, inactivity, now, timezone)
  const before = state.balances.map(({ key, value, total }) => [key, value, total] as const)

  // 2. Coupons are redeemed, and taken off the price where the client's discounts do not include them.
  const redeemed = redeemCoupons(asSent.value, basket, wallet.coupons, now, currencyDecimals)
  if (!redeemed.ok) return redeemed
  const priced = takeCouponsOff(asSent.value, redeemed.value)
  const { payableMinor, amountMinor } = priced

  // 3. Points are spent.
  const spent = spendPoints(state, points.value, spend, { payableMinor, currencyDecimals })
  if (!spent.ok) return spent

  // 4. Campaigns collect.
  const isFirst = wallet.transactionCount === 0 && isVisit(basket, priced)
  const known = { isFirst, usage: wallet.usage, timezone, now }
  const pointsPartMinor = spend?.earns ? 0 : spent.value.discountMinor
  const collected = collectAll(campaigns, toRuleInput(basket, priced, pointsPartMinor, known), state)
  if (!collected.ok) return collected
  const { running, skipped, usage, effects: collects } = collected.value

  // 5. Coupons are granted at thresholds.
  const kept = wallet.keptMultiples ?? []
  const granted = grantCoupons(running, state, kept, now)

  // 6. Tiers change.
  const tiers = changeTiers(running, state)
  const balances = closedBalances(state)
  return ok({
    effects: [...redeemed.value, ...spent.value.effects, ...collects, ...granted.effects, ...tiers],
    skipped,
    progress: progressOf(running, balances, kept),
    amountMinor,
    payableMinor,
    isVisit: isVisit(basket, priced),
    pointsSpent: spent.value.units,
    pointsDiscountMinor: spent.value.discountMinor,
    movements: state.movements,
    balances,
    lots: changedLots(state),
    usage,
    origins: granted.origins,
    context: contextOf(input, isFirst, before, spent.value.takes),
    warnings: findWarnings(basket, asSent.value, redeemed.value, currencyDecimals),
  })
}

function contextOf(
  { wallet, campaigns, organization }: EvaluateInput,
  isFirst: boolean,
  balances: SaleContext['balances'],
  spentFrom: readonly LotTake[],
): SaleContext {
  const paused = campaigns.filter(({ status }) => status !== 'published').map(({ id }) => id)
  return {
    currencyDecimals: organization.currencyDecimals,
    timezone: organization.timezone,
    balances,
    isFirst,
    ...(paused.length > 0 && { paused }),
    ...(wallet.usage.length > 0 && { usage: wallet.usage }),
    ...(spentFrom.length > 0 && { spentFrom }),
  }
}
