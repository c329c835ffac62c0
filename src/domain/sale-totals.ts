/**
 * The amounts of a basket from top to bottom, computed from what is stored of it. A sale that was booked
 * before the service took coupons off has none to take off: its coupons are part of the client's discounts.
 */
import { lineAmountMinor } from './basket.ts'
import type { StoredBasket, TransactionResult } from './transaction.ts'

/** In minor units; amount − discounts − coupons − points = due. */
export interface SaleTotals {
  /** Sum of the lines, or the order's own amount if it has no lines. */
  readonly amount: number
  /** What the client took off; negative if it charges more than the lines cost. */
  readonly discounts: number
  /** What the service took off for coupons. */
  readonly coupons: number
  readonly points: number
  readonly due: number
}

export function totalsOf(basket: StoredBasket, result: TransactionResult): SaleTotals {
  const { payableMinor, pointsDiscountMinor: points, actions } = result
  const amount = baseMinor(basket, result)
  let coupons = 0
  for (const action of actions) {
    if (action.kind === 'redeem_coupon' && action.takenFrom !== undefined) coupons += action.discountMinor
  }
  return {
    amount,
    discounts: amount - coupons - payableMinor,
    coupons,
    points,
    due: payableMinor - points,
  }
}

/** The stored amount is the sum of the lines, unless the client sent one of its own beside them. */
function baseMinor({ lines, amount }: StoredBasket, { amountMinor, context }: TransactionResult): number {
  if (lines.length === 0 || amount === undefined) return amountMinor
  return lines.reduce((sum, line) => sum + lineAmountMinor(line, context.currencyDecimals), 0)
}
