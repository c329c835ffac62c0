/**
 * Converts the client's numbers into minor units: amounts and payable amounts of the lines and of the order,
 * and the fraction by which order-level reductions shrink every line. The fraction is kept as two whole
 * numbers: nothing is rounded between the line and the rule that counts it.
 */
import { type Basket, findWrongNumber, type Line, lineAmountMinor } from '../../domain/basket.ts'
import { maxMoney, maxPriceDecimals, powerOfTen, toMinor, toUnits } from '../../domain/money.ts'
import { ok, type Result, refuse } from '../../domain/result.ts'

export interface PricedBasket {
  readonly lines: readonly PricedLine[]
  /**
   * The order's amount before discounts: the sum of the lines, or the order's own amount if it has no lines.
   */
  readonly baseMinor: number
  /** The order's amount as the client counts it; defaults to the sum of the lines. */
  readonly amountMinor: number
  /** The amount to pay, before points. */
  readonly payableMinor: number
  /** Sum of the lines' payable amounts. */
  readonly linesPayableMinor: number
}

export interface PricedLine {
  readonly line: Line
  readonly amountMinor: number
  readonly payableMinor: number
  /** In millionths. */
  readonly quantity: number
}

export function priceBasket(basket: Basket, currencyDecimals: number): Result<PricedBasket> {
  // The request schema already refuses most of them; everything after this line trusts the numbers.
  const problem = findWrongNumber(basket)
  if (problem !== undefined) return refuse('_invalid_payload', problem)
  const lines: PricedLine[] = []
  let linesAmountMinor = 0
  let linesPayableMinor = 0
  for (const line of basket.lines) {
    const priced = priceLine(line, currencyDecimals)
    lines.push(priced)
    linesAmountMinor += priced.amountMinor
    linesPayableMinor += priced.payableMinor
  }
  const amountMinor =
    basket.amount === undefined ? linesAmountMinor : toMinor(basket.amount, currencyDecimals)
  const hasLines = lines.length > 0
  const baseMinor = hasLines ? linesAmountMinor : amountMinor
  const payableMinor = payable(basket, hasLines ? linesPayableMinor : amountMinor, currencyDecimals)
  const largest = maxMoney * powerOfTen(currencyDecimals)
  if (linesAmountMinor > largest || linesPayableMinor > largest) {
    return refuse('_invalid_payload', { kind: 'sum_too_large', at: ['lines'], most: maxMoney })
  }
  return ok({ lines, baseMinor, amountMinor, payableMinor, linesPayableMinor })
}

function priceLine(line: Line, currencyDecimals: number): PricedLine {
  const amountMinor = lineAmountMinor(line, currencyDecimals)
  return {
    line,
    amountMinor,
    payableMinor: payable(line, amountMinor, currencyDecimals),
    quantity: toUnits(line.quantity, maxPriceDecimals) ?? 0,
  }
}

function payable(
  priced: { readonly discountAmount?: number; readonly discountedAmount?: number },
  amountMinor: number,
  currencyDecimals: number,
): number {
  if (priced.discountedAmount !== undefined) return toMinor(priced.discountedAmount, currencyDecimals)
  if (priced.discountAmount === undefined) return amountMinor
  return Math.max(0, amountMinor - toMinor(priced.discountAmount, currencyDecimals))
}
