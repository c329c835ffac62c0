/**
 * Decides one basket: basket, wallet, campaigns and a clock in; effects or a refusal out. The numbered steps
 * are those of the README, and either all of them apply or none. Nothing is read from outside and no argument
 * is changed: the steps share a working copy of the wallet, and their results are combined at the end.
 */
import type { Basket } from '../domain/basket.ts'
import type { CouponOrigin } from '../domain/coupon.ts'
import type { Effect } from '../domain/effect.ts'
import type { Movement } from '../domain/ledger-entry.ts'
import type { Lot, LotTake } from '../domain/lot.ts'
import { ok, type Result } from '../domain/result.ts'
import type { SaleContext } from '../domain/transaction.ts'
import type { Balance, Wallet } from '../domain/wallet.ts'
import type { AttachedCampaign } from './definition/compile-campaign.ts'
import { priceBasket } from './input/price-basket.ts'
import { toRuleInput } from './input/rule-input.ts'
import { collectAll, type UsageChange } from './steps/collect.ts'
import { expireInState, type Inactivity, idleKeysOf, inactivityOf } from './steps/expire-balances.ts'
import { grantCoupons } from './steps/grant-coupons.ts'
import { type Progress, progressOf } from './steps/progress.ts'
import { redeemCoupons } from './steps/redeem-coupons.ts'
import type { Skip } from './steps/skip-reason.ts'
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
  /** The amount to pay, before points. */
  readonly payableMinor: number
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
}

export function evaluate(input: EvaluateInput): Result<Evaluation> {
  const { basket, wallet, campaigns, organization, now } = input
  const { currencyDecimals, timezone } = organization
  const spend = campaigns[0]?.compiled.spend
  const priced = priceBasket(basket, currencyDecimals)
  if (!priced.ok) return priced
  const points = readPoints(basket, spend)
  if (!points.ok) return points
  const { payableMinor, amountMinor } = priced.value

  // 1. What has expired by now leaves the balances.
  const inactivity = input.inactivity ?? inactivityOf(campaigns)
  const state = toWalletState(wallet, idleKeysOf(inactivity))
  expireInState(state, wallet, inactivity, now, timezone)
  const before = state.balances.map(({ key, value, total }) => [key, value, total] as const)

  // 2. Coupons are redeemed.
  const redeemed = redeemCoupons(priced.value, basket.coupons, wallet.coupons, now, currencyDecimals)
  if (!redeemed.ok) return redeemed

  // 3. Points are spent.
  const spent = spendPoints(state, points.value, spend, { payableMinor, currencyDecimals })
  if (!spent.ok) return spent

  // 4. Campaigns collect.
  const isFirst = wallet.transactionCount === 0
  const known = { isFirst, usage: wallet.usage, timezone, now }
  const pointsPartMinor = spend?.earns ? 0 : spent.value.discountMinor
  const collected = collectAll(campaigns, toRuleInput(basket, priced.value, pointsPartMinor, known), state)
  if (!collected.ok) return collected
  const { running, skipped, usage } = collected.value

  // 5. Coupons are granted at thresholds.
  const kept = wallet.keptMultiples ?? []
  const granted = grantCoupons(running, state, kept, now)

  // 6. Tiers change.
  const tiers = changeTiers(running, state)

  const effects = [
    ...redeemed.value,
    ...spent.value.effects,
    ...collected.value.effects,
    ...granted.effects,
    ...tiers,
  ]
  const balances = closedBalances(state)
  return ok({
    effects,
    skipped,
    progress: progressOf(running, balances, kept),
    amountMinor,
    payableMinor,
    pointsSpent: spent.value.units,
    pointsDiscountMinor: spent.value.discountMinor,
    movements: state.movements,
    balances,
    lots: changedLots(state),
    usage,
    origins: granted.origins,
    context: contextOf(input, before, spent.value.takes),
  })
}

function contextOf(
  { wallet, campaigns, organization }: EvaluateInput,
  balances: SaleContext['balances'],
  spentFrom: readonly LotTake[],
): SaleContext {
  const paused = campaigns.filter(({ status }) => status !== 'published').map(({ id }) => id)
  return {
    currencyDecimals: organization.currencyDecimals,
    timezone: organization.timezone,
    balances,
    isFirst: wallet.transactionCount === 0,
    ...(paused.length > 0 && { paused }),
    ...(wallet.usage.length > 0 && { usage: wallet.usage }),
    ...(spentFrom.length > 0 && { spentFrom }),
  }
}
