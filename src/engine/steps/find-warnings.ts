/**
 * Finds what is accepted in a basket and is probably a mistake of the till: amounts that contradict each other,
 * and coupons whose worth the client's discounts seem to have missed or to contain elsewhere.
 */
import { type Basket, isVisit } from '../../domain/basket.ts'
import { toMinor } from '../../domain/money.ts'
import type { Place } from '../../domain/refusal.ts'
import type { Warning } from '../../domain/warning.ts'
import type { PricedBasket } from '../input/price-basket.ts'
import { hasDiscount, isIncluded, nameCoupons, type Redemption } from './redeem-coupons.ts'

/** A till that makes a mistake makes it on every line; this many places show it and keep a stored sale small. */
const mostWarnings = 20

/** `priced` are the prices as sent, before coupons were taken off. */
export function findWarnings(
  basket: Basket,
  priced: PricedBasket,
  redemptions: readonly Redemption[],
  currencyDecimals: number,
): readonly Warning[] {
  const warnings: Warning[] = []
  warnOfDisagreeing(basket, priced, currencyDecimals, warnings)
  if (basket.amount !== undefined && priced.amountMinor !== priced.baseMinor) {
    warnings.push({ code: 'amount_differs', at: ['amount'] })
  }
  if (redemptions.length > 0) warnOfCoupons(basket, priced, redemptions, currencyDecimals, warnings)
  if (!isVisit(basket, priced)) warnings.push({ code: 'empty_basket', at: ['lines'] })
  return warnings.length > mostWarnings ? warnings.slice(0, mostWarnings) : warnings
}

/** A discount of 0 is the same as none. */
function warnOfDisagreeing(
  basket: Basket,
  priced: PricedBasket,
  currencyDecimals: number,
  warnings: Warning[],
): void {
  for (let position = 0; position < basket.lines.length; position++) {
    const { discountAmount = 0, discountedAmount } = basket.lines[position]!
    if (discountAmount === 0 || discountedAmount === undefined) continue
    const { amountMinor, payableMinor } = priced.lines[position]!
    const off = toMinor(discountAmount, currencyDecimals)
    if (off > 0 && payableMinor !== Math.max(0, amountMinor - off)) {
      warnings.push({ code: 'discounts_disagree', at: ['lines', position, 'discountedAmount'] })
    }
  }
  const { discountAmount = 0, discountedAmount } = basket
  if (discountAmount === 0 || discountedAmount === undefined) return
  const off = toMinor(discountAmount, currencyDecimals)
  // Some tills repeat the discounts of the lines in that of the order, others leave them out.
  const isLeft = (minor: number) => priced.payableMinor === Math.max(0, minor - off)
  if (off > 0 && !isLeft(priced.baseMinor) && !isLeft(linesPayable(priced))) {
    warnings.push({ code: 'discounts_disagree', at: ['discountedAmount'] })
  }
}

const linesPayable = ({ lines, linesPayableMinor, amountMinor }: PricedBasket) =>
  lines.length > 0 ? linesPayableMinor : amountMinor

/** The coupons of a line, or of the order. */
interface CouponPlace {
  readonly position?: number
  readonly at: Place
  /** What its coupons are worth together. */
  worthMinor: number
}

function warnOfCoupons(
  basket: Basket,
  priced: PricedBasket,
  redemptions: readonly Redemption[],
  currencyDecimals: number,
  warnings: Warning[],
): void {
  const places = couponPlaces(basket, redemptions)
  const worthOfAll = places.reduce((sum, place) => sum + place.worthMinor, 0)
  const isTooLittle = priced.baseMinor - priced.payableMinor < worthOfAll
  if (basket.discountedAmount !== undefined) {
    if (isTooLittle) warnings.push({ code: 'coupon_discount_differs', at: ['discountedAmount'] })
    return
  }
  const isDiscounted = (position?: number) => hasDiscount(basket, priced, position, currencyDecimals)
  const hasLineDiscount = priced.lines.some((_, position) => isDiscounted(position))
  for (const { position, at, worthMinor } of places) {
    if (isIncluded(basket, priced, position, currencyDecimals)) {
      const givenMinor = discountAt(priced, position)
      // A client that says that all its discounts include the coupons may have put them elsewhere.
      if (givenMinor < worthMinor && (givenMinor > 0 || isTooLittle))
        warnings.push({ code: 'coupon_discount_differs', at })
    } else if (basket.couponsIncluded === undefined) {
      const isElsewhere = position === undefined ? hasLineDiscount : isDiscounted() && !hasLineDiscount
      if (isElsewhere) warnings.push({ code: 'coupon_discount_elsewhere', at })
    }
  }
}

/** What the client took off at a place. */
function discountAt(priced: PricedBasket, position: number | undefined): number {
  if (position === undefined) return linesPayable(priced) - priced.payableMinor
  const { amountMinor, payableMinor } = priced.lines[position]!
  return amountMinor - payableMinor
}

/** Coupons are redeemed in the order in which they are named. */
function couponPlaces(basket: Basket, redemptions: readonly Redemption[]): CouponPlace[] {
  const places: CouponPlace[] = []
  for (const [index, { position }] of nameCoupons(basket).entries()) {
    const { discountMinor } = redemptions[index]!
    const last = places.at(-1)
    if (last !== undefined && last.position === position) {
      last.worthMinor += discountMinor
    } else {
      const at = position === undefined ? ['coupons'] : ['lines', position, 'coupons']
      places.push({ position, at, worthMinor: discountMinor })
    }
  }
  return places
}
