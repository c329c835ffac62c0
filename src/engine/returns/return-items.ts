/**
 * Takes returned items back: recomputes the sale without them, on the campaign versions, tier, counters and
 * first-visit state of the sale, and books the difference to what was booked, as one net change per balance.
 *
 * Earlier returns are taken into account, so that all returns together never take back more than the sale
 * gave nor give back more than it took, and the last one gives back whatever rounding has left.
 */
import type { Movement } from '../../domain/ledger-entry.ts'
import type { Lot } from '../../domain/lot.ts'
import { ok, type Result } from '../../domain/result.ts'
import { type ReturnedItem, type ReturnRecord, sumOf, type Units } from '../../domain/return-record.ts'
import type { Action, SaleContext } from '../../domain/transaction.ts'
import type { AgedTotal, Balance, KeptMultiple, Wallet } from '../../domain/wallet.ts'
import { localDay } from '../clock/local-time.ts'
import type { AttachedCampaign } from '../definition/compile-campaign.ts'
import { lotExpiry, type UsageChange } from '../steps/collect.ts'
import { expireInState, type Inactivity } from '../steps/expire-balances.ts'
import { campaignsOnCards, type TierHolder, type TierLost, tiersLost } from '../steps/tiers.ts'
import { changedLots, closedBalances, toWalletState, type WalletState } from '../steps/wallet-state.ts'
import { type CouponChanges, changesOf, type OpenCoupon, openCoupons, reactivate } from './open-coupons.ts'
import { recomputeSale } from './recompute-sale.ts'
import type { RemainingSale } from './remaining-sale.ts'
import { resolveReturn, type Sale } from './resolve-return.ts'
import { trimThresholds } from './return-coupons.ts'
import { type Dues, duesOf } from './return-dues.ts'
import { lastTaken, type OwnLots } from './return-lots.ts'
import { type BalanceReturn, settleBalance } from './settle-balance.ts'

export interface ReturnInput {
  readonly sale: Sale
  /** The versions the sale ran on, in the same order; whether they were paused is known from the sale. */
  readonly campaigns: readonly AttachedCampaign[]
  /** Earlier returns of the same sale, oldest first. */
  readonly earlier: readonly ReturnRecord[]
  /** The current wallet, with the coupons that thresholds granted and those redeemed on the sale. */
  readonly wallet: Wallet
  /** Of thresholds whose coupons have begun to expire. */
  readonly agedTotals?: readonly AgedTotal[]
  /** Inactivity rules; what has expired by them is deducted first. */
  readonly inactivity?: readonly Inactivity[]
  /** Whose tiers may change; without it, none do. */
  readonly today?: TierHolder
  /** The items to return; defaults to everything that remains. */
  readonly items?: readonly ReturnedItem[]
  /** The part of the payable amount to return, for a sale without lines. */
  readonly amount?: number
  readonly now: Date
}

export interface ReturnDecision extends CouponChanges {
  readonly record: ReturnRecord
  /** Points given back that reached the value and can be used, in units of the point balance. */
  readonly pointsRestored: number
  /** What paid an older shortfall instead of reaching the value, by balance. */
  readonly settled: Units
  /** Money to refund: the part that was paid with money, in proportion to the returned items. */
  readonly refundMinor: number
  /** Expirations, then one `return` for each balance that changes, and what expires of it by inactivity. */
  readonly movements: readonly Movement[]
  readonly balances: readonly Balance[]
  readonly lots: readonly Lot[]
  /** Negative amounts, for the counters of `usageDay`. */
  readonly usage: readonly UsageChange[]
  /** Local day of the sale. */
  readonly usageDay: string
  /** The complete list that the wallet keeps from now on. */
  readonly keptMultiples: readonly KeptMultiple[]
  readonly tiersLost: readonly TierLost[]
}

export function returnItems(input: ReturnInput): Result<ReturnDecision> {
  const { sale, earlier, wallet, today, now } = input
  const { context, basket, actions } = sale
  const resolved = resolveReturn(input)
  if (!resolved.ok) return resolved
  const { items, amountMinor, remaining, isComplete, payableMinor } = resolved.value

  const spent = spentIn(actions)
  const restoredBefore = sumOf(earlier, (record) => record.pointsRestored)
  const points = Math.max(0, partOf(spent, remaining) - restoredBefore)
  const refundedSoFar = partOf(payableMinor - sale.pointsDiscountMinor, remaining)
  const refundMinor = Math.max(0, refundedSoFar - sumOf(earlier, (record) => record.refundMinor))

  const campaigns = asAtTheSale(input.campaigns, context)
  const again = recomputeSale(campaigns, remaining.input, context)
  if (!again.ok) return again
  const dues = duesOf(actions, isComplete ? [] : again.value, earlier, campaigns)

  const state = toWalletState(wallet)
  const expire = () => expireInState(state, wallet, input.inactivity ?? [], now, context.timezone)
  expire()
  const coupons = openCoupons(wallet.coupons, now)
  const restored = isComplete ? restoreCoupons(coupons, actions, now) : []
  const from = lastTaken(context.spentFrom ?? [], spent, restoredBefore, points)
  const returned = { dues, points: { units: points, from }, coupons, restored, campaigns, sale, now }
  const settled = settleBalances(state, returned)
  if (!settled.ok) return settled
  // What was given back to a balance that has gone inactive is not there to stay.
  const movementsBefore = state.movements.length
  expire()
  const isRestored = !state.movements
    .slice(movementsBefore)
    .some(({ key }) => key === settled.value.pointsKey)
  const { agedTotals = [] } = input
  const keptMultiples = trimThresholds(state, { wallet, coupons, agedTotals, soldAt: sale.processedAt, now })

  const record: ReturnRecord = {
    items,
    ...(amountMinor !== undefined && { amountMinor }),
    isComplete,
    pointsRestored: points,
    refundMinor,
    usage: dues.byRule.map(({ campaign, rule, units }) => [campaign, rule, units]),
  }
  return ok({
    record,
    pointsRestored: isRestored ? settled.value.pointsRestored : 0,
    settled: settled.value.settled,
    refundMinor,
    movements: state.movements,
    balances: closedBalances(state),
    lots: changedLots(state),
    ...changesOf(coupons, now),
    usage: dues.counted,
    usageDay: localDay(basket.occurredAt, context.timezone),
    keptMultiples,
    tiersLost: today ? tiersLost(campaignsOnCards(today, now, context.timezone), state) : [],
  })
}

/**
 * Makes the coupons redeemed on the sale usable again, except for those that consumed: whether these can be
 * used again is settled with their balance. Returns the latter.
 */
function restoreCoupons(coupons: readonly OpenCoupon[], actions: readonly Action[], now: Date): OpenCoupon[] {
  const redeemed = new Set<string>()
  for (const action of actions) if (action.kind === 'redeem_coupon') redeemed.add(action.coupon)
  const own = coupons.filter(({ phase, before }) => phase === 'used' && redeemed.has(before.id))
  for (const coupon of own) if (coupon.consumed === undefined) reactivate(coupon, now)
  return own.filter(({ consumed }) => consumed !== undefined)
}

interface Returned {
  readonly dues: Dues
  readonly points: BalanceReturn['points']
  readonly coupons: readonly OpenCoupon[]
  readonly restored: readonly OpenCoupon[]
  readonly campaigns: readonly AttachedCampaign[]
  readonly sale: Sale
  readonly now: Date
}

interface SettledBalances {
  readonly pointsKey: string | undefined
  readonly pointsRestored: number
  readonly settled: Units
}

/** Settles each balance that gains or loses anything. */
function settleBalances(
  state: WalletState,
  { dues, points, coupons, restored, campaigns, sale, now }: Returned,
): Result<SettledBalances> {
  const policy = campaigns[0]?.compiled.onInsufficientBalance ?? 'floor'
  const pointsKey = sale.actions.find((action) => action.kind === 'spend_points')?.movement.key
  const keyOf = ({ before }: OpenCoupon) => before.origin!.key
  const keys = new Set([...dues.byCampaign.map(({ key }) => key), ...restored.map(keyOf)])
  if (pointsKey !== undefined && points.units > 0) keys.add(pointsKey)
  let pointsRestored = 0
  const settled: [string, number][] = []
  for (const key of keys) {
    const outcome = settleBalance(state, {
      key,
      dues: dues.byCampaign.filter((due) => due.key === key).map((due) => ownLots(due, campaigns, sale)),
      points: key === pointsKey ? points : { units: 0, from: [] },
      coupons: coupons.filter((coupon) => coupon.consumed !== undefined && keyOf(coupon) === key),
      restored: restored.filter((coupon) => keyOf(coupon) === key),
      policy,
      now,
    })
    if (!outcome.ok) return outcome
    pointsRestored += outcome.value.pointsRestored
    if (outcome.value.settled > 0) settled.push([key, outcome.value.settled])
  }
  return ok({ pointsKey, pointsRestored, settled })
}

function ownLots(
  { campaign, key, units, versions }: Dues['byCampaign'][number],
  campaigns: readonly AttachedCampaign[],
  { context, processedAt }: Sale,
): OwnLots {
  const ran = campaigns.find(({ id }) => id === campaign)
  const expiresAt = ran && lotExpiry(ran, key, { now: processedAt, timezone: context.timezone })
  return { key, units, versions, expiresAt }
}

function asAtTheSale(campaigns: readonly AttachedCampaign[], context: SaleContext): AttachedCampaign[] {
  return campaigns.map((campaign) => ({
    ...campaign,
    status: context.paused?.includes(campaign.id) ? 'paused' : 'published',
  }))
}

function spentIn(actions: readonly Action[]): number {
  return actions.reduce(
    (sum, action) => (action.kind === 'spend_points' ? sum - action.movement.amount : sum),
    0,
  )
}

/** The returned share of an amount: rounded down, and the rest with the last return. */
function partOf(amount: number, { returned }: RemainingSale): number {
  return Number((BigInt(amount) * returned.numerator) / returned.denominator)
}
