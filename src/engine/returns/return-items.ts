/**
 * Takes returned items back: recomputes the sale without them, on the campaign versions, tier, counters and
 * first-visit state of the sale, and books the difference to what was booked, as one net change per balance.
 *
 * Earlier returns are taken into account, so that all returns together never take back more than the sale
 * gave nor give back more than it took, and the last one gives back whatever rounding has left.
 */
import type { Basket } from '../../domain/basket.ts'
import type { CouponId } from '../../domain/ids.ts'
import type { Movement } from '../../domain/ledger-entry.ts'
import { maxUnits } from '../../domain/money.ts'
import { ok, type Result, refuse } from '../../domain/result.ts'
import { type ReturnedItem, type ReturnRecord, sumOf, unitsOf } from '../../domain/return-record.ts'
import type { Action, SaleContext } from '../../domain/transaction.ts'
import type { Balance, KeptMultiple, Lot, Wallet } from '../../domain/wallet.ts'
import { localDay } from '../clock/local-time.ts'
import type { AttachedCampaign } from '../definition/compile-campaign.ts'
import { priceBasket } from '../input/price-basket.ts'
import { toRuleInput } from '../input/rule-input.ts'
import type { UsageChange } from '../steps/collect.ts'
import { expireInState, type Inactivity } from '../steps/expire-balances.ts'
import { type TierLost, tiersLost } from '../steps/tiers.ts'
import {
  balanceOf,
  balanceTooLarge,
  changedLots,
  closedBalances,
  recordMovement,
  toWalletState,
  type WalletState,
} from '../steps/wallet-state.ts'
import { type CustomerContext, runningOnCards } from './customer-context.ts'
import { recomputeSale } from './recompute-sale.ts'
import { nothingLeft, quantitiesOf, type RemainingSale, remainingSale, takeItems } from './remaining-sale.ts'
import { keptAfterReturn, type TakenCoupons, takeBackCoupons } from './return-coupons.ts'
import { type Dues, duesOf } from './return-dues.ts'
import { restoreToLots, takeOutOfLots } from './return-lots.ts'

/** A sale as it was stored. */
export interface Sale {
  /** The basket with the branch, time and categories it was decided on. */
  readonly basket: Basket
  readonly actions: readonly Action[]
  readonly pointsDiscountMinor: number
  readonly context: SaleContext
  readonly processedAt: Date
}

export interface ReturnInput {
  readonly sale: Sale
  /** The versions the sale ran on, in the same order; whether they were paused is known from the sale. */
  readonly campaigns: readonly AttachedCampaign[]
  /** Earlier returns of the same sale, oldest first. */
  readonly earlier: readonly ReturnRecord[]
  /** The current wallet; its coupons are those that the sale granted. */
  readonly wallet: Wallet
  /** Inactivity rules; what has expired by them is deducted first. */
  readonly inactivity?: readonly Inactivity[]
  /** Whatever else depends on the balances; without it, only the sale's own campaigns count. */
  readonly today?: CustomerContext
  /** The items to return; defaults to everything that remains. */
  readonly items?: readonly ReturnedItem[]
  readonly now: Date
}

export interface ReturnDecision {
  readonly record: ReturnRecord
  /** Points given back, in units of the point balance. */
  readonly pointsRestored: number
  /** Money to refund: the part that was paid with money, in proportion to the returned items. */
  readonly refundMinor: number
  /** Expirations, then one `return` for each balance that changes. */
  readonly movements: readonly Movement[]
  readonly balances: readonly Balance[]
  readonly lots: readonly Lot[]
  readonly revokedCoupons: readonly CouponId[]
  /** Coupons redeemed on the sale that are active again, with their original expiry. */
  readonly restoredCoupons: readonly CouponId[]
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
  const { context, basket } = sale
  const resolved = resolveReturn(input)
  if (!resolved.ok) return resolved
  const { items, remaining, isComplete, payableMinor } = resolved.value

  const spent = spentIn(sale.actions)
  const restoredSoFar = partOf(spent, remaining)
  const pointsRestored = Math.max(0, restoredSoFar - sumOf(earlier, (record) => record.pointsRestored))
  const refundedSoFar = partOf(payableMinor - sale.pointsDiscountMinor, remaining)
  const refundMinor = Math.max(0, refundedSoFar - sumOf(earlier, (record) => record.refundMinor))

  const campaigns = asAtTheSale(input.campaigns, context)
  const again = recomputeSale(campaigns, remaining.input, sale, spent - restoredSoFar)
  if (!again.ok) return again
  const gone = new Set(earlier.flatMap((record) => record.revoked))
  const out = wallet.coupons.filter((coupon) => !gone.has(coupon.id))
  const coupons = takeBackCoupons(sale.actions, out, isComplete ? [] : again.value.grants)
  const dues = duesOf(sale.actions, isComplete ? undefined : again.value, earlier, campaigns)

  const state = toWalletState(wallet)
  expireInState(state, wallet, input.inactivity ?? [], now, context.timezone)
  const policy = campaigns[0]?.compiled.onInsufficientBalance ?? 'floor'
  const booked = bookReturn(state, sale, { pointsRestored, dues, coupons, earlier, policy })
  if (!booked.ok) return booked
  // Points may have been put back into a lot that has expired since.
  expireInState(state, wallet, [], now, context.timezone)

  const record: ReturnRecord = {
    items,
    isComplete,
    pointsRestored,
    refundMinor,
    taken: [...dues.byBalance],
    revoked: coupons.revoked,
    unconsumed: [...coupons.unconsumed],
    usage: dues.byRule.map(({ campaign, rule, amount }) => [campaign, rule, amount]),
  }
  return ok({
    record,
    pointsRestored,
    refundMinor,
    movements: state.movements,
    balances: closedBalances(state),
    lots: changedLots(state),
    revokedCoupons: coupons.revoked,
    restoredCoupons: isComplete ? redeemedIn(sale.actions) : [],
    usage: dues.counted,
    usageDay: localDay(basket.occurredAt, context.timezone),
    keptMultiples: keptAfterReturn(
      wallet,
      campaigns,
      state,
      coupons,
      { ...sale, isFirstReturn: earlier.length === 0 },
      today,
    ),
    tiersLost: today ? tiersLost(runningOnCards(today, now, context.timezone), state) : [],
  })
}

interface ResolvedReturn {
  readonly items: readonly ReturnedItem[]
  readonly remaining: RemainingSale
  readonly isComplete: boolean
  /** Totals of the whole sale. */
  readonly payableMinor: number
}

/** Which quantities are returned, and what remains then. */
function resolveReturn({ sale, campaigns, earlier, items }: ReturnInput): Result<ResolvedReturn> {
  const { basket, context } = sale
  const pricing = priceBasket(basket, context.currencyDecimals)
  if (!pricing.ok) return pricing
  const priced = pricing.value
  const { lines } = priced
  const returned = earlier.flatMap((record) => record.items)
  const before = takeItems(quantitiesOf(lines), lines, returned)
  if (!before.ok) return before
  const isOver =
    earlier.some((record) => record.isComplete) || (lines.length > 0 && before.value.every(isNothing))
  if (isOver) return refuse('return_exceeds_sale', { kind: 'nothing_left' })
  const named = items ?? lines.flatMap(({ line }, position) => restOf(line.id, before.value[position]!))
  const after = takeItems(before.value, lines, named)
  if (!after.ok) return after
  if (items !== undefined && items.length === 0)
    return refuse('_invalid_payload', { kind: 'empty', at: ['items'] })
  const pointsPartMinor = campaigns[0]?.compiled.spend?.earns ? 0 : sale.pointsDiscountMinor
  const known = {
    isFirst: context.isFirst,
    usage: context.usage ?? [],
    timezone: context.timezone,
    now: sale.processedAt,
  }
  const whole = toRuleInput(basket, priced, pointsPartMinor, known)
  const isComplete = after.value.every(isNothing)
  const remaining = isComplete ? nothingLeft(whole) : remainingSale(whole, priced, after.value)
  return ok({ items: named, remaining, isComplete, payableMinor: priced.payableMinor })
}

const isNothing = (quantity: number) => quantity === 0

/** The whole remaining quantity of a line, which may be zero. */
function restOf(id: string, left: number): ReturnedItem[] {
  return left > 0 ? [{ id, quantity: left / 1e6 }] : []
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

function redeemedIn(actions: readonly Action[]): CouponId[] {
  return actions.flatMap((action) => (action.kind === 'redeem_coupon' ? [action.coupon] : []))
}

/** The returned share of an amount: rounded down, and the rest with the last return. */
function partOf(amount: number, { returned }: RemainingSale): number {
  return Number((BigInt(amount) * returned.numerator) / returned.denominator)
}

interface Changes {
  readonly pointsRestored: number
  readonly dues: Dues
  readonly coupons: TakenCoupons
  readonly earlier: readonly ReturnRecord[]
  readonly policy: 'floor' | 'negative' | 'reject'
}

/** One net change for each balance that gains or loses anything. */
function bookReturn(state: WalletState, sale: Sale, changes: Changes): Result<void> {
  const { pointsRestored, dues, coupons, earlier, policy } = changes
  const spentKey = sale.actions.find((action) => action.kind === 'spend_points')?.movement.key
  const keys = new Set([...dues.byBalance.keys(), ...coupons.unconsumed.keys()])
  if (spentKey !== undefined && pointsRestored > 0) keys.add(spentKey)
  for (const key of keys) {
    const balance = balanceOf(state, key)
    const restored = key === spentKey ? pointsRestored : 0
    const unconsumed = coupons.unconsumed.get(key) ?? 0
    const due = dues.byBalance.get(key) ?? 0
    const full = balance.value + restored + unconsumed
    const wanted = full - due
    if (wanted > maxUnits) return balanceTooLarge(key)
    const isShort = wanted < 0 && wanted < balance.value
    if (isShort && policy === 'reject') return refuse('insufficient_points')
    // A return that takes does not raise a balance that is already below zero.
    const after = isShort && policy === 'floor' ? Math.min(0, balance.value) : Math.max(wanted, -maxUnits)
    const { context } = sale
    const restoredBefore = sumOf(earlier, (record) => record.pointsRestored)
    const unconsumedBefore = sumOf(earlier, (record) => unitsOf(record.unconsumed, key))
    restoreToLots(state, ofKey(context.spentFrom, key), spentIn(sale.actions), restoredBefore, restored)
    restoreToLots(
      state,
      ofKey(context.consumedFrom, key),
      consumedIn(sale.actions, key),
      unconsumedBefore,
      unconsumed,
    )
    takeOutOfLots(state, balance, {
      full,
      after: Math.max(0, after),
      withoutLot: dues.withoutLot.get(key) ?? 0,
      own: collectedVersions(sale.actions, key),
    })
    const amount = after - balance.value
    const totalChange = -Math.min(due, balance.total)
    if (amount !== 0 || totalChange !== 0) recordMovement(state, balance, 'return', amount, totalChange)
  }
  return ok(undefined)
}

function consumedIn(actions: readonly Action[], key: string): number {
  return sumOf(actions, (action) =>
    action.kind === 'grant_coupon' && action.movement?.key === key ? -action.movement.amount : 0,
  )
}

function collectedVersions(actions: readonly Action[], key: string): Set<number> {
  const versions = new Set<number>()
  for (const action of actions) {
    if (action.kind === 'collect' && action.movement.key === key) versions.add(action.movement.version)
  }
  return versions
}

function ofKey<T extends readonly [string, ...unknown[]]>(takes: readonly T[] | undefined, key: string): T[] {
  return (takes ?? []).filter(([owner]) => owner === key)
}
