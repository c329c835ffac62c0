/**
 * Redeems the coupons a basket names: all of them or none. What a coupon is worth here is reported for the
 * till to apply and never subtracted. Each is worth its reward on the amount before the client's discounts;
 * the coupons of a line together are never worth more than its amount, nor all coupons more than the
 * basket's.
 */
import { type Coupon, couponStatus, couponStatusAt, type Reward } from '../../domain/coupon.ts'
import type { Effect } from '../../domain/effect.ts'
import type { CouponId } from '../../domain/ids.ts'
import { multiplyToMinor, toMinor } from '../../domain/money.ts'
import { type RefusalCode, refusals } from '../../domain/refusal.ts'
import { ok, type Result, refuse } from '../../domain/result.ts'
import type { PricedBasket, PricedLine } from '../input/price-basket.ts'

interface NamedCoupon {
  readonly id: CouponId
  /** Position of the line; undefined at order level. */
  readonly position?: number
}

export function redeemCoupons(
  priced: PricedBasket,
  orderCoupons: readonly CouponId[],
  held: readonly Coupon[],
  now: Date,
  currencyDecimals: number,
): Result<readonly Effect[]> {
  const named = nameCoupons(priced, orderCoupons)
  if (named.length === 0) return ok([])
  const byId = new Map(held.map((coupon) => [coupon.id, coupon]))
  const wrong = findWrongCoupon(named, byId, priced, now)
  if (wrong !== undefined) return refuse(wrong.code, { kind: 'coupon', coupon: wrong.id })
  return ok(worthOfEach(named, byId, priced, currencyDecimals))
}

/** What each coupon is worth, out of what the ones before it have left. */
function worthOfEach(
  named: readonly NamedCoupon[],
  byId: ReadonlyMap<CouponId, Coupon>,
  priced: PricedBasket,
  currencyDecimals: number,
): Effect[] {
  let orderLeft = priced.baseMinor
  const linesLeft = priced.lines.map((line) => line.amountMinor)
  const freeUnits = priced.lines.map(() => 0)
  return named.map(({ id, position }): Effect => {
    const { reward } = byId.get(id)!
    const isFree = reward.kind === 'free_product'
    const at = position ?? (isFree ? cheapestLine(reward, priced, freeUnits, currencyDecimals) : undefined)
    const line = at === undefined ? undefined : priced.lines[at]!
    const worth = isFree
      ? unitMinor(line!, currencyDecimals)
      : discountOn(line?.amountMinor ?? priced.baseMinor, reward, currencyDecimals)
    const discountMinor = Math.min(worth, orderLeft, at === undefined ? orderLeft : linesLeft[at]!)
    orderLeft -= discountMinor
    if (at !== undefined) linesLeft[at]! -= discountMinor
    if (at !== undefined && isFree) freeUnits[at]! += 1
    return position === undefined
      ? { kind: 'redeem_coupon', coupon: id, discountMinor }
      : { kind: 'redeem_coupon', coupon: id, line: line!.line.id, discountMinor }
  })
}

/** Coupons of the lines come first: an order-level coupon gets what they leave. */
function nameCoupons(priced: PricedBasket, orderCoupons: readonly CouponId[]): NamedCoupon[] {
  const named: NamedCoupon[] = []
  for (let position = 0; position < priced.lines.length; position++) {
    for (const id of priced.lines[position]!.line.coupons) named.push({ id, position })
  }
  for (const id of orderCoupons) named.push({ id })
  return named
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

function isFor(reward: Extract<Reward, { kind: 'free_product' }>, { line }: PricedLine): boolean {
  return line.product !== undefined && reward.products.includes(line.product)
}

/** The cheapest unit of a matching line; a line whose units are all free already comes after the others. */
function cheapestLine(
  reward: Extract<Reward, { kind: 'free_product' }>,
  priced: PricedBasket,
  freeUnits: readonly number[],
  currencyDecimals: number,
): number {
  let best = -1
  let bestIsGiven = true
  let bestMinor = 0
  for (const [position, line] of priced.lines.entries()) {
    if (!isFor(reward, line)) continue
    const given = freeUnits[position]!
    const isGiven = given > 0 && (given + 1) * 1e6 > line.quantity
    const minor = unitMinor(line, currencyDecimals)
    if (best < 0 || (bestIsGiven && !isGiven) || (bestIsGiven === isGiven && minor < bestMinor)) {
      best = position
      bestIsGiven = isGiven
      bestMinor = minor
    }
  }
  return best
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
  reward: Exclude<Reward, { kind: 'free_product' }>,
  currencyDecimals: number,
): number {
  if (reward.kind === 'amount_off') return toMinor(reward.amount, currencyDecimals)
  // Percent with up to four decimals, half-up like every amount of money.
  const millionths = BigInt(Math.round(reward.percent * 10_000))
  const off = Number((BigInt(amountMinor) * millionths * 2n + 1_000_000n) / 2_000_000n)
  return reward.maxAmount === undefined ? off : Math.min(off, toMinor(reward.maxAmount, currencyDecimals))
}
