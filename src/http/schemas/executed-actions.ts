import { Type } from 'typebox'
import { maxMoney } from '../../domain/money.ts'
import { named } from '../openapi/name-components.ts'
import { Collectables, Coupon } from './customer.ts'
import { Id, Optional } from './fields.ts'

const Action = Type.Object(
  {
    type: Type.String({
      description:
        'redeem_coupon, spend_points, collect, grant_coupon or change_tier; ' +
        'in a return: return, expire, revoke_coupon, restore_coupon or change_tier',
      examples: ['collect'],
    }),
    key: Optional(Type.String()),
    amount: Optional(
      Type.Number({
        description:
          'The amount of the change. Unsigned if the type implies the direction; signed in a return, where the ' +
          'net change can go either way.',
      }),
    ),
    value: Optional(Type.Number({ description: 'The balance after this action.' })),
    settled: Optional(
      Type.Number({
        description:
          'In a return, the part of what was given back that paid for earlier returns, whose points had been used, ' +
          'and did not reach the balance.',
      }),
    ),
    discount: Optional(
      Type.Number({
        maximum: maxMoney,
        description:
          'In money. For `redeem_coupon`, what the coupon is worth in this basket, whether the service took it ' +
          'off (`totals.coupons`) or your discounts include it. For `spend_points`, what the points paid.',
      }),
    ),
    coupon: Optional(Id('cpn')),
    item: Optional(Type.String()),
    reward: Optional(Type.String()),
    campaign: Optional(Id('cmp')),
    rule: Optional(Type.String()),
    tier: Optional(Type.String({ description: 'The tier held from now on. Absent if a return left none.' })),
  },
  named('Action'),
)

export const ExecutedActions = Type.Object(
  {
    collectables: Collectables,
    coupons: Type.Array(Coupon, { description: 'Coupons granted by this basket.' }),
    actions: Type.Array(Action, { description: 'What happened, in order.' }),
    skipped: Type.Array(
      Type.Object({
        campaign: Id('cmp'),
        rule: Type.String(),
        reason: Type.String({ examples: ['branch'] }),
      }),
      { description: 'Rules that did not apply, and why.' },
    ),
    progress: Type.Array(
      Type.Object({ key: Type.String(), have: Type.Number(), need: Type.Number(), reward: Type.String() }),
      { description: 'Progress toward the next reward.' },
    ),
  },
  named('ExecutedActions'),
)
