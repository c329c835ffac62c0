/**
 * A sale of the past, as a campaign can be tried on it again: the basket is priced as it was booked. What the
 * service took off for coupons becomes a discount, and coupons that the client's discounts include are left out:
 * which coupons the customer would have had with another campaign, nobody knows.
 */
import type { PastSale } from '../../domain/backtest.ts'
import type { Basket, Line } from '../../domain/basket.ts'
import { fromMinor, toMinor } from '../../domain/money.ts'

export function toPastBasket(sale: PastSale, currencyDecimals: number): Basket {
  const { basket, result } = sale
  const taken = new Map<number | 'order', number>()
  for (const action of result.actions) {
    if (action.kind !== 'redeem_coupon' || action.takenFrom === undefined) continue
    taken.set(action.takenFrom, (taken.get(action.takenFrom) ?? 0) + action.discountMinor)
  }
  const lines = basket.lines.map((line, position): Line => {
    const category = line.category ?? basket.categories?.[line.id]
    return { ...reduced(line, taken.get(position), currencyDecimals), category, coupons: [] }
  })
  const { amount, discountAmount, discountedAmount, pointsToSpend } = basket
  return {
    ...reduced({ amount, discountAmount, discountedAmount }, taken.get('order'), currencyDecimals),
    lines,
    coupons: [],
    pointsToSpend,
    occurredAt: sale.occurredAt,
    branch: sale.branchOpaqueId,
  }
}

function reduced<T extends { readonly discountAmount?: number; readonly discountedAmount?: number }>(
  priced: T,
  minor: number | undefined,
  currencyDecimals: number,
): T {
  if (minor === undefined) return priced
  const { discountAmount = 0, discountedAmount } = priced
  if (discountedAmount !== undefined) {
    const left = Math.max(0, toMinor(discountedAmount, currencyDecimals) - minor)
    return { ...priced, discountedAmount: fromMinor(left, currencyDecimals) }
  }
  const off = toMinor(discountAmount, currencyDecimals) + minor
  return { ...priced, discountAmount: fromMinor(off, currencyDecimals) }
}
