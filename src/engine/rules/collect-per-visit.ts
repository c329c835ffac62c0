/**
 * Gives a fixed amount for a visit: once per basket that has a line or an amount above zero.
 *
 * A request that only looks (no line, no amount) is not a visit; otherwise empty baskets would be free
 * points.
 */
import { Type } from 'typebox'
import { toUnits } from '../../domain/money.ts'
import { BalanceKey, Units } from '../definition/definition-fields.ts'
import { defineRule } from './rule.ts'

export const collectPerVisit = defineRule({
  kind: 'collect_per_visit',
  stage: 'collect',
  title: 'For every visit',
  description: 'Points or stamps once per purchase, whatever is bought.',
  sentence: '{balance}: {amount} for every visit',
  config: Type.Object({
    balance: BalanceKey,
    amount: Units('Amount', 'How many points or stamps a purchase earns.'),
  }),

  compile: (config, scale) => ({ units: toUnits(config.amount, scale.balanceDecimals) ?? 0 }),

  maxPerBasket: (rule) => rule.units,

  evaluate: (rule, covered) => (covered.isVisit ? rule.units : 'amount'),
})
