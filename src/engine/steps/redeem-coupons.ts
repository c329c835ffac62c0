/**
 * Redeems the coupons a basket names: all of them or none, and none for nothing. Each is worth its reward on
 * the amount before discounts; the coupons of a line together are never worth more than its amount, nor all
 * coupons more than the basket's. Where the client's discounts do not include a coupon, its worth is to be
 * taken off the price, and it is worth no more than what is still payable there.
 */
import type { Basket } from '../../domain/basket.ts'
import { type Coupon, couponStatus, couponStatusAt, type Reward } from '../../domain/coupon.ts'
import type { Effect } from '../../domain/effect.ts'
import type { CouponId } from '../../domain/ids.ts'
import { multiplyToMinor, toMinor } from '../../domain/money.ts'
import { type RefusalCode, refusals } from '../../domain/refusal.ts'
import { ok, type Result, refuse } from '../../domain/result.ts'
import type { PricedBasket, PricedLine } from '../input/price-basket.ts'

export type Redemption = Extract<Effect, { kind: 'redeem_coupon' }>
type FreeProduct = Extract<Reward, { kind: 'free_product' }>

export interface NamedCoupon {
  readonly id: CouponId
  /** Position of the line; undefined at order level. */
  readonly position?: number
}

export function redeemCoupons(
  priced: PricedBasket,
  basket: Basket,
  held: readonly Coupon[],
  now: Date,
  currencyDecimals: number,
): Result<readonly Redemption[]> {
  const named = nameCoupons(basket)
  if (named.length === 0) return ok([])
  const byId = new Map(held.map((coupon) => [coupon.id, coupon]))
  const wrong = findWrongCoupon(named, byId, priced, now)
  if (wrong !== undefined) return refuse(wrong.code, { kind: 'coupon', coupon: wrong.id })
  const left = leftOf(priced)
  const mayBeWorthless = isUnpriced(basket)
  const redemptions: Redemption[] = []
  for (const coupon of named) {
    const isTaken = !isIncluded(basket, priced, coupon.position, currencyDecimals)
    const { reward } = byId.get(coupon.id)!
    const redeemed = redeemOne(coupon, reward, { priced, left, isTaken, mayBeWorthless, currencyDecimals })
    if (!redeemed.ok) return redeemed
    redemptions.push(redeemed.value)
  }
  return ok(redemptions)
}

/** Coupons of the lines come first: an order-level coupon gets what they leave. */
export function nameCoupons({ lines, coupons }: Basket): NamedCoupon[] {
  const named: NamedCoupon[] = []
  for (let position = 0; position < lines.length; position++) {
    for (const id of lines[position]!.coupons) named.push({ id, position })
  }
  for (const id of coupons) named.push({ id })
  return named
}

/**
 * Whether the client's discounts include the coupons of a place. The order's own price includes everything;
 * otherwise the client says so, or there is a discount at the place.
 */
export function isIncluded(
  basket: Basket,
  priced: PricedBasket,
  position: number | undefined,
  currencyDecimals: number,
): boolean {
  if (basket.discountedAmount !== undefined) return true
  if (basket.couponsIncluded !== undefined) return basket.couponsIncluded
  return hasDiscount(basket, priced, position, currencyDecimals)
}

/** Whether the client sent a discount above 0 at a place. */
export function hasDiscount(
  basket: Basket,
  priced: PricedBasket,
  position: number | undefined,
  currencyDecimals: number,
): boolean {
  const { discountAmount = 0, discountedAmount } =
    position === undefined ? basket : priced.lines[position]!.line
  if (toMinor(discountAmount, currencyDecimals) > 0) return true
  if (discountedAmount === undefined) return false
  const amountMinor = position === undefined ? priced.baseMinor : priced.lines[position]!.amountMinor
  return toMinor(discountedAmount, currencyDecimals) < amountMinor
}

/** A basket without any price may be sent only to redeem: nothing is worth anything in it. */
function isUnpriced({ lines, ...order }: Basket): boolean {
  const hasNoPrice = ({ amount, discountedAmount }: Pick<Basket, 'amount' | 'discountedAmount'>) =>
    amount === undefined && discountedAmount === undefined
  return hasNoPrice(order) && lines.every((line) => line.unitPrice === undefined && hasNoPrice(line))
}

/** What the coupons so far have left; changes with every coupon. */
interface Left {
  /** What is left of the amounts before discounts: of the order, and of each line. */
  amount: number
  readonly amounts: number[]
  /** What is left to be paid. */
  payable: number
  readonly payables: number[]
  readonly freeUnits: number[]
}

function leftOf({ lines, baseMinor, payableMinor }: PricedBasket): Left {
  return {
    amount: baseMinor,
    amounts: lines.map((line) => line.amountMinor),
    payable: payableMinor,
    payables: lines.map((line) => line.payableMinor),
    freeUnits: lines.map(() => 0),
  }
}

interface Redeeming {
  readonly priced: PricedBasket
  readonly left: Left
  readonly isTaken: boolean
  readonly mayBeWorthless: boolean
  readonly currencyDecimals: number
}

function redeemOne({ id, position }: NamedCoupon, reward: Reward, redeeming: Redeeming): Result<Redemption> {
  const { priced, left, isTaken, currencyDecimals } = redeeming
  const isFree = reward.kind === 'free_product'
  const at = isFree ? findUnit(reward, position, redeeming) : position
  if (isFree && at === undefined) {
    const kind = hasUnit(reward, position, redeeming) ? 'coupon_without_worth' : 'coupon_without_unit'
    return refuse('coupon_not_applicable', { kind, coupon: id })
  }
  const line = at === undefined ? undefined : priced.lines[at]!
  const worth = isFree
    ? unitMinor(line!, currencyDecimals)
    : discountOn(line?.amountMinor ?? priced.baseMinor, reward, currencyDecimals)
  const discountMinor = capped(worth, at, redeeming)
  if (discountMinor === 0 && !redeeming.mayBeWorthless) {
    return refuse('coupon_not_applicable', { kind: 'coupon_without_worth', coupon: id })
  }
  left.amount -= discountMinor
  if (isTaken) left.payable -= discountMinor
  if (at !== undefined) {
    left.amounts[at]! -= discountMinor
    if (isTaken) left.payables[at]! -= discountMinor
    if (isFree) left.freeUnits[at]! += 1
  }
  return ok({
    kind: 'redeem_coupon',
    coupon: id,
    ...(position !== undefined && { line: line!.line.id }),
    discountMinor,
    ...(isTaken && discountMinor > 0 && { takenFrom: at ?? 'order' }),
  })
}

/** No more than the place has left, of its amount and, where it is taken off, of what is to be paid. */
function capped(worth: number, at: number | undefined, { left, isTaken }: Redeeming): number {
  let most = Math.min(worth, left.amount)
  if (isTaken) most = Math.min(most, left.payable)
  if (at === undefined) return most
  most = Math.min(most, left.amounts[at]!)
  return isTaken ? Math.min(most, left.payables[at]!) : most
}

/**
 * The line whose unit becomes free: that of the coupon, or at order level the one with the cheapest unit that
 * is still payable. A unit that the client made free itself is one only if its discounts include the coupon.
 */
function findUnit(
  reward: FreeProduct,
  position: number | undefined,
  redeeming: Redeeming,
): number | undefined {
  if (position !== undefined) return hasUnit(reward, position, redeeming) ? position : undefined
  return cheapestUnit(reward, redeeming, true) ?? cheapestUnit(reward, redeeming, redeeming.isTaken)
}

function cheapestUnit(
  reward: FreeProduct,
  { priced, left, mayBeWorthless, currencyDecimals }: Redeeming,
  mustBePayable: boolean,
): number | undefined {
  let best: number | undefined
  let bestMinor = 0
  for (const [position, line] of priced.lines.entries()) {
    if (!isFor(reward, line) || !hasUnitLeft(line, left.freeUnits[position]!)) continue
    const minor = unitMinor(line, currencyDecimals)
    const isWorthless = minor === 0 || left.amounts[position] === 0
    if (isWorthless && !mayBeWorthless) continue
    if (mustBePayable && left.payables[position] === 0 && !mayBeWorthless) continue
    if (best === undefined || minor < bestMinor) {
      best = position
      bestMinor = minor
    }
  }
  return best
}

/** Whether a unit is left that no other coupon has made free, on the line or, without one, in the order. */
function hasUnit(reward: FreeProduct, at: number | undefined, { priced, left }: Redeeming): boolean {
  return priced.lines.some(
    (line, position) =>
      (at === undefined || at === position) &&
      isFor(reward, line) &&
      hasUnitLeft(line, left.freeUnits[position]!),
  )
}

/** A part of a unit, such as half a kilo, is a unit, too. */
function hasUnitLeft({ quantity }: PricedLine, freeUnits: number): boolean {
  return freeUnits === 0 || (freeUnits + 1) * 1e6 <= quantity
}

const refusalOrder = Object.keys(refusals)

/** The problem among the coupons that comes first in the list of refusals. */
function findWrongCoupon(
  named: readonly NamedCoupon[],
  byId: ReadonlyMap<CouponId, Coupon>,
  priced: PricedBasket,
  now: Date,
): { readonly id: CouponId; readonly code: RefusalCode } | undefined {
  const seen = new Set<CouponId>()
  let first: { id: CouponId; code: RefusalCode } | undefined
  for (const { id, position } of named) {
    const code = seen.has(id) ? 'coupon_not_applicable' : refusalOf(byId.get(id), position, priced, now)
    seen.add(id)
    if (code === undefined) continue
    if (first === undefined || refusalOrder.indexOf(code) < refusalOrder.indexOf(first.code)) {
      first = { id, code }
    }
  }
  return first
}

function refusalOf(
  coupon: Coupon | undefined,
  position: number | undefined,
  priced: PricedBasket,
  now: Date,
): RefusalCode | undefined {
  if (coupon === undefined) return 'coupon_not_found'
  const status = couponStatusAt(coupon, now)
  if (status === couponStatus.redeemed) return 'coupon_already_redeemed'
  if (status === couponStatus.expired) return 'coupon_expired'
  if (status !== couponStatus.active) return 'coupon_revoked'
  const { reward } = coupon
  if (reward.kind !== 'free_product') return undefined
  const lines = position === undefined ? priced.lines : [priced.lines[position]!]
  return lines.some((line) => isFor(reward, line)) ? undefined : 'coupon_not_applicable'
}

function isFor(reward: FreeProduct, { line }: PricedLine): boolean {
  return line.product !== undefined && reward.products.includes(line.product)
}

/**
 * The price of one unit of a line: its unit price, or else its share of the amount; never more than the
 * amount.
 */
function unitMinor({ line, amountMinor, quantity }: PricedLine, currencyDecimals: number): number {
  if (line.unitPrice !== undefined) {
    return Math.min(amountMinor, multiplyToMinor(line.unitPrice, 1, currencyDecimals))
  }
  if (quantity <= 1e6) return amountMinor
  return Number((BigInt(amountMinor) * 2_000_000n + BigInt(quantity)) / (BigInt(quantity) * 2n))
}

function discountOn(
  amountMinor: number,
  reward: Exclude<Reward, FreeProduct>,
  currencyDecimals: number,
): number {
  if (reward.kind === 'amount_off') return toMinor(reward.amount, currencyDecimals)
  // Percent with up to four decimals, half-up like every amount of money.
  const millionths = BigInt(Math.round(reward.percent * 10_000))
  const off = Number((BigInt(amountMinor) * millionths * 2n + 1_000_000n) / 2_000_000n)
  return reward.maxAmount === undefined ? off : Math.min(off, toMinor(reward.maxAmount, currencyDecimals))
}
