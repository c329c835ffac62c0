/**
 * Gives points for money spent: `points` for every whole `per` of the payable amount the rule covers.
 *
 * The remainder of a `per` is dropped once for the basket, never per line, so that splitting a line in two
 * cannot change what the customer earns.
 */
import { Type } from 'typebox'
import { clampUnits, floorProduct, maxUnits, toMinor, toUnits } from '../../domain/money.ts'
import { BalanceKey, CategoryFilter, Money, ProductFilter, Units } from '../definition/definition-fields.ts'
import { type Covered, defineRule } from './rule.ts'

export const pointsPerAmount = defineRule({
  kind: 'points_per_amount',
  stage: 'collect',
  title: 'Points for money',
  description: 'Points for money spent, such as 1 point for every full 1.00.',
  sentence: '{balance}: {points} for every {per}',
  config: Type.Object({
    balance: BalanceKey,
    points: Units('Points', 'How many points the amount earns.'),
    per: Money('For every', 'The amount of money that earns the points; a remainder earns nothing.'),
    products: Type.Optional(ProductFilter),
    categories: Type.Optional(CategoryFilter),
  }),

  compile: (config, scale) => ({
    points: toUnits(config.points, scale.balanceDecimals) ?? 0,
    perMinor: toMinor(config.per, scale.currencyDecimals),
  }),

  maxPerBasket: (rule, largest) =>
    floorProduct(Math.floor(largest.amountMinor / rule.perMinor), rule.points, 1),

  evaluate(rule, covered) {
    const times = wholeTimes(covered, rule.perMinor)
    return times === 0 ? 'amount' : Math.min(times * rule.points, maxUnits + 1)
  },
})

/**
 * How many whole `per` the covered amount contains; exact even when the amount is a fraction of a minor unit.
 */
function wholeTimes(covered: Covered, perMinor: number): number {
  const { payable, spreadNumerator, spreadDenominator } = covered
  if (spreadNumerator === spreadDenominator) return (payable - (payable % perMinor)) / perMinor
  if (payable === spreadDenominator) return (spreadNumerator - (spreadNumerator % perMinor)) / perMinor
  const divisor = spreadDenominator * perMinor
  if (divisor <= Number.MAX_SAFE_INTEGER) return floorProduct(payable, spreadNumerator, divisor)
  return clampUnits(
    (BigInt(payable) * BigInt(spreadNumerator)) / (BigInt(spreadDenominator) * BigInt(perMinor)),
  )
}
