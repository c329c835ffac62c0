/**
 * Gives stamps for items bought: `amount` for every whole item among the lines the rule covers.
 *
 * Quantities are summed before the fraction is dropped: three half loaves are one whole loaf, on one line or
 * on three, and the half that remains is dropped.
 */
import { Type } from 'typebox'
import { floorProduct, maxUnits, toUnits } from '../../domain/money.ts'
import { BalanceKey, CategoryFilter, ProductFilter, Units } from '../definition/definition-fields.ts'
import { defineRule } from './rule.ts'

export const collectPerItem = defineRule({
  kind: 'collect_per_item',
  stage: 'collect',
  title: 'For every item',
  description: 'Points or stamps for every whole item bought.',
  sentence: '{balance}: {amount} for every item',
  config: Type.Object({
    balance: BalanceKey,
    amount: Units('Amount', 'How many points or stamps each whole item earns.'),
    products: Type.Optional(ProductFilter),
    categories: Type.Optional(CategoryFilter),
  }),

  compile: (config, scale) => ({ units: toUnits(config.amount, scale.balanceDecimals) ?? 0 }),

  maxPerBasket: (rule, largest) => floorProduct(largest.quantity, rule.units, 1),

  evaluate(rule, covered) {
    const items = Math.floor(covered.quantity / 1e6)
    return items === 0 ? 'quantity' : Math.min(items * rule.units, maxUnits + 1)
  },
})
