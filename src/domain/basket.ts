import type { CouponId } from './ids.ts'
import { decimalsOf, maxMoney, maxPriceDecimals, maxQuantity } from './money.ts'
import type { Place, Problem } from './refusal.ts'

/**
 * One basket for one customer interaction, in the client's own numbers. Amounts stay as they were sent:
 * they are stored and given back unchanged, and turned into exact minor units only where they are computed with.
 */
export interface Basket {
  readonly lines: readonly Line[]
  readonly amount?: number
  readonly discountAmount?: number
  readonly discountedAmount?: number
  /** Coupons redeemed for the order as a whole. */
  readonly coupons: readonly CouponId[]
  readonly pointsToSpend: number
  /** When the sale happened; rules look at this, balances and expiry look at now. */
  readonly occurredAt: Date
  /** Opaque id of the branch, the default already filled in. */
  readonly branch: string
}

export interface Line {
  readonly id: string
  readonly product?: string
  readonly name?: string
  /** As sent, else the category the directory has for the product. */
  readonly category?: string
  readonly quantity: number
  readonly unitPrice?: number
  readonly amount?: number
  readonly discountAmount?: number
  readonly discountedAmount?: number
  /** Coupons redeemed for this line. */
  readonly coupons: readonly CouponId[]
}

type Numbers = Pick<Basket, 'lines' | 'amount' | 'discountAmount' | 'discountedAmount'>

const moneyMembers = ['amount', 'discountAmount', 'discountedAmount'] as const

/** The first number of a basket that is beyond the bounds of exact arithmetic. */
export function findWrongNumber(basket: Numbers): Problem | undefined {
  for (const member of moneyMembers) {
    if (!isMoney(basket[member])) return beyondMoney(basket[member]!, [member])
  }
  for (let index = 0; index < basket.lines.length; index++) {
    const line = basket.lines[index]!
    const { unitPrice, quantity } = line
    for (const member of moneyMembers) {
      if (!isMoney(line[member])) return beyondMoney(line[member]!, ['lines', index, member])
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
