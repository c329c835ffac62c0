/**
 * What remains of a sale after a return: quantities, payable amounts, and the basket as rules see it. The
 * amount of a line shrinks with its quantity as an exact fraction, and the fraction by which order-level
 * reductions and points shrink every line stays that of the sale: a return cannot round anything up.
 */
import { findWrongQuantity } from '../../domain/basket.ts'
import { maxPriceDecimals, toUnits } from '../../domain/money.ts'
import { ok, type Result, refuse } from '../../domain/result.ts'
import type { ReturnedItem } from '../../domain/return-record.ts'
import type { PricedBasket, PricedLine } from '../input/price-basket.ts'
import type { RuleInput } from '../input/rule-input.ts'

/** Remaining quantity per line, in millionths. */
export type Left = readonly number[]

export function quantitiesOf(lines: readonly PricedLine[]): Left {
  return lines.map((line) => line.quantity)
}

/**
 * What remains without the items; refused when there are fewer. Lines that share an id are taken in order.
 */
export function takeItems(
  quantities: Left,
  lines: readonly PricedLine[],
  items: readonly ReturnedItem[],
): Result<Left> {
  const left = [...quantities]
  for (const [index, { id, quantity }] of items.entries()) {
    const at = ['items', index]
    const problem = findWrongQuantity(quantity, [...at, 'quantity'])
    if (problem !== undefined) return refuse('_invalid_payload', problem)
    let wanted = toUnits(quantity, maxPriceDecimals)!
    if (!lines.some(({ line }) => line.id === id)) {
      return refuse('return_exceeds_sale', { kind: 'unknown_line', at: [...at, 'id'], line: id })
    }
    for (let position = 0; position < lines.length && wanted > 0; position++) {
      if (lines[position]!.line.id !== id) continue
      const taken = Math.min(wanted, left[position]!)
      left[position]! -= taken
      wanted -= taken
    }
    if (wanted > 0) return refuse('return_exceeds_sale', { kind: 'too_little_left', at, line: id })
  }
  return ok(left)
}

export interface RemainingSale {
  /** The basket as rules would have seen it without the returned items. */
  readonly input: RuleInput
  /** What the amount to pay would have been, before points. */
  readonly payableMinor: number
  /** The returned part of the payable amount. */
  readonly returned: Fraction
}

export interface Fraction {
  readonly numerator: bigint
  readonly denominator: bigint
}

/** A sale of which nothing remains. */
export function nothingLeft(sale: RuleInput): RemainingSale {
  const input = { ...sale, lines: [], payable: 0, quantity: 0, isVisit: false, payableMinor: 0 }
  return { input, payableMinor: 0, returned: { numerator: 1n, denominator: 1n } }
}

/** A sale without lines of which only a part of the payable amount remains. */
export function remainingAmount(
  sale: RuleInput,
  { payableMinor }: PricedBasket,
  leftMinor: number,
): RemainingSale {
  const input: RuleInput = {
    ...sale,
    spreadNumerator: sale.spreadNumerator * leftMinor,
    spreadDenominator: sale.spreadDenominator * payableMinor,
    payableMinor: leftMinor,
  }
  const returned = { numerator: BigInt(payableMinor - leftMinor), denominator: BigInt(payableMinor) }
  return { input, payableMinor: leftMinor, returned }
}

export function remainingSale(sale: RuleInput, priced: PricedBasket, left: Left): RemainingSale {
  const scale = commonScale(priced, left)
  const lines = sale.lines.map((line, position) => {
    const quantity = left[position]!
    return { ...line, quantity, payable: share(line.payable, quantity, line.quantity, scale) }
  })
  const payable = lines.reduce((sum, line) => sum + line.payable, 0)
  const whole = priced.linesPayableMinor * scale
  const leftMinor = payableLeft(priced, BigInt(payable), BigInt(whole), scale)
  const input: RuleInput = {
    ...sale,
    lines: lines.filter((line) => line.quantity > 0),
    payable,
    quantity: lines.reduce((sum, line) => sum + line.quantity, 0),
    spreadDenominator: sale.spreadDenominator * scale,
    payableMinor: leftMinor,
  }
  return { input, payableMinor: leftMinor, returned: returnedPart(priced, payable, whole, leftMinor) }
}

/** Based on the lines' amounts if the order consists of lines, otherwise on the order's own amount. */
function returnedPart(priced: PricedBasket, payable: number, whole: number, leftMinor: number): Fraction {
  const { payableMinor, linesPayableMinor } = priced
  if (whole > 0 && payableMinor <= linesPayableMinor) {
    return { numerator: BigInt(whole - payable), denominator: BigInt(whole) }
  }
  if (payableMinor === 0) return { numerator: 0n, denominator: 1n }
  return { numerator: BigInt(payableMinor - leftMinor), denominator: BigInt(payableMinor) }
}

/**
 * An order-level reduction shrinks with the lines; what the order costs beyond them goes with the last line.
 */
function payableLeft(priced: PricedBasket, payable: bigint, whole: bigint, scale: number): number {
  const { payableMinor, linesPayableMinor } = priced
  if (whole === 0n) return payableMinor
  const [amount, base, extra] =
    payableMinor <= linesPayableMinor
      ? [BigInt(payableMinor) * payable, whole, 0]
      : [payable, BigInt(scale), payableMinor - linesPayableMinor]
  return Number((amount * 2n + base) / (base * 2n)) + extra
}

/**
 * payable × left / quantity, in units of 1/scale; exact for the scale of `commonScale`, otherwise half-up.
 */
function share(payable: number, left: number, quantity: number, scale: number): number {
  const numerator = BigInt(payable) * BigInt(left) * BigInt(scale)
  const divisor = BigInt(quantity)
  return Number((numerator * 2n + divisor) / (divisor * 2n))
}

/**
 * The smallest number that turns all shares into whole numbers. Where that would exceed the safe integers
 * (hundreds of lines of odd weights), the finest scale that does not; the loss is far below a minor unit.
 */
function commonScale(priced: PricedBasket, left: Left): number {
  const largest = Math.floor(Number.MAX_SAFE_INTEGER / Math.max(1, priced.linesPayableMinor))
  let scale = 1
  for (const [position, { quantity }] of priced.lines.entries()) {
    const divisor = quantity / greatestCommonDivisor(quantity, left[position]!)
    const next = (scale / greatestCommonDivisor(scale, divisor)) * divisor
    if (next > largest) return Math.max(1, largest)
    scale = next
  }
  return scale
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
