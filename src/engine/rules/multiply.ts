/**
 * Multiplies what the other rules of its campaign gave to its balance in this basket.
 *
 * Several factors multiply, and the fraction is dropped once: the exact product is carried from factor to
 * factor, so that 5 × 1.5 × 1.5 is 11 and not ⌊⌊7.5⌋ × 1.5⌋ = 10.
 */
import { Type } from 'typebox'
import { clampUnits, decimalOf, maxUnits } from '../../domain/money.ts'
import { BalanceKey } from '../definition/definition-fields.ts'
import { defineRule, type Given } from './rule.ts'

export const multiply = defineRule({
  kind: 'multiply',
  stage: 'multiply',
  title: 'Multiply',
  description: 'Multiplies what the other rules of the campaign give, such as double points on Tuesdays.',
  sentence: '{factor} × {balance}',
  config: Type.Object({
    balance: BalanceKey,
    // Below 1 it would remove what a receipt has already shown as given by another rule.
    factor: Type.Number({
      title: 'Multiply by',
      description: 'From 1 to 1000, with up to 4 decimals; 2 doubles the points.',
      minimum: 1,
      maximum: 1000,
      'x-decimals': 4,
    }),
  }),

  compile(config) {
    const { digits, decimals } = decimalOf(config.factor)
    return { factor: config.factor, numerator: digits, denominator: 10n ** BigInt(decimals) }
  },

  evaluate(rule, given): Given {
    if (given.exact === undefined && rule.denominator === 1n) {
      return { units: Math.min(given.units * rule.factor, maxUnits + 1) }
    }
    const exact = given.exact ?? { numerator: BigInt(given.units), denominator: 1n }
    const numerator = exact.numerator * rule.numerator
    const denominator = exact.denominator * rule.denominator
    const units = clampUnits(numerator / denominator)
    return units > maxUnits ? { units } : { units, exact: { numerator, denominator } }
  },
})
