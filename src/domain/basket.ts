import type { CouponId } from './ids.ts'
import { decimalsOf, maxMoney, maxPriceDecimals, maxQuantity, multiplyToMinor, toMinor } from './money.ts'
import type { Place, Problem } from './refusal.ts'

/**
 * One basket for one customer interaction, in the client's own numbers. Amounts stay as they were sent: they
 * are stored and returned unchanged, and converted into exact minor units only for computation.
 */
export interface Basket {
  readonly lines: readonly Line[]
  readonly amount?: number
  readonly discountAmount?: number
  readonly discountedAmount?: number
  /** Coupons redeemed for the order as a whole. */
  readonly coupons: readonly CouponId[]
  /**
   * Whether the client's discounts include what the coupons are worth; without it, a discount at the place of a
   * coupon includes it.
   */
  readonly couponsIncluded?: boolean
  readonly pointsToSpend: number
  /** When the sale happened; rules look at this, while balances and expiry look at now. */
  readonly occurredAt: Date
  /** Opaque id of the branch, with the default already filled in. */
  readonly branch: string
}

export interface Line {
  readonly id: string
  readonly product?: string
  readonly name?: string
  /** The category that was sent; defaults to the product's category in the directory. */
  readonly category?: string
  readonly quantity: number
  readonly unitPrice?: number
  readonly amount?: number
  readonly discountAmount?: number
  readonly discountedAmount?: number
  /** Coupons redeemed for this line. */
  readonly coupons: readonly CouponId[]
}

/** A line's amount before discounts, in minor units. */
export function lineAmountMinor({ amount, unitPrice, quantity }: Line, currencyDecimals: number): number {
  if (amount !== undefined) return toMinor(amount, currencyDecimals)
  return unitPrice === undefined ? 0 : multiplyToMinor(unitPrice, quantity, currencyDecimals)
}

/** Whether a basket has a line, or an amount above 0. An empty one is no visit, and nobody's first. */
export function isVisit(
  { lines }: Pick<Basket, 'lines'>,
  { amountMinor, payableMinor }: { readonly amountMinor: number; readonly payableMinor: number },
): boolean {
  return lines.length > 0 || amountMinor > 0 || payableMinor > 0
}

type Numbers = Pick<Basket, 'lines' | 'amount' | 'discountAmount' | 'discountedAmount' | 'couponsIncluded'>

const moneyFields = ['amount', 'discountAmount', 'discountedAmount'] as const

/**
 * The first number of a basket that is outside the bounds of exact arithmetic, or a price that leaves nothing
 * to take coupons off from.
 */
export function findWrongNumber(basket: Numbers): Problem | undefined {
  // The order's own price is final, so that coupons cannot come off on top of it.
  if (basket.couponsIncluded === false && basket.discountedAmount !== undefined) {
    return { kind: 'contradicts', at: ['couponsIncluded'], field: 'discountedAmount' }
  }
  for (const field of moneyFields) {
    if (!isMoney(basket[field])) return beyondMoney(basket[field]!, [field])
  }
  for (let index = 0; index < basket.lines.length; index++) {
    const line = basket.lines[index]!
    const { unitPrice, quantity } = line
    for (const field of moneyFields) {
      if (!isMoney(line[field])) return beyondMoney(line[field]!, ['lines', index, field])
    }
    if (!isMoney(unitPrice)) return beyondMoney(unitPrice!, ['lines', index, 'unitPrice'])
    if (unitPrice !== undefined && decimalsOf(unitPrice) > maxPriceDecimals) {
      return { kind: 'too_many_decimals', at: ['lines', index, 'unitPrice'], most: maxPriceDecimals }
    }
    if (!isQuantity(quantity)) return findWrongQuantity(quantity, ['lines', index, 'quantity'])
  }
  return undefined
}

function isQuantity(quantity: number): boolean {
  return quantity > 0 && quantity <= maxQuantity && decimalsOf(quantity) <= maxPriceDecimals
}

/** What is wrong with a quantity at a place, if anything. */
export function findWrongQuantity(quantity: number, at: Place): Problem | undefined {
  if (isQuantity(quantity)) return undefined
  if (!(quantity > 0)) return { kind: 'not_positive', at }
  if (quantity > maxQuantity) return { kind: 'too_large', at, most: maxQuantity }
  return { kind: 'too_many_decimals', at, most: maxPriceDecimals }
}

function isMoney(value: number | undefined): boolean {
  return value === undefined || (value >= 0 && value <= maxMoney)
}

function beyondMoney(value: number, at: Place): Problem {
  return value > maxMoney ? { kind: 'too_large', at, most: maxMoney } : { kind: 'too_small', at, least: 0 }
}
