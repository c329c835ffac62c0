/** What a sale or a return did: a union of actions, told apart by their `type`. */
import { Type } from 'typebox'
import { maxMoney } from '../../domain/money.ts'
import { named } from '../openapi/name-components.ts'
import { SkipReason } from './choices.ts'
import { Collectables, Coupon, PreviewedCoupon } from './customer.ts'
import { Id, Optional } from './fields.ts'

const Key = Type.String({ description: 'Key of the balance.' })
const Value = Type.Number({ description: 'The balance after this action.' })
const Campaign = Id('cmp', 'The campaign that caused it.')

const RedeemCoupon = Type.Object(
  {
    type: Type.Literal('redeem_coupon'),
    coupon: Id('cpn', 'The coupon that was used up.'),
    item: Optional(
      Type.String({ description: 'The item it was redeemed for. Absent if for the whole order.' }),
    ),
    discount: Type.Number({
      maximum: maxMoney,
      description:
        'What the coupon is worth in this basket, in money, whether the service took it off ' +
        '(`totals.coupons`) or your discounts include it.',
    }),
  },
  { ...named('RedeemCouponAction') },
)

const SpendPoints = Type.Object(
  {
    type: Type.Literal('spend_points'),
    key: Key,
    amount: Type.Number({ description: 'The number of points, unsigned.' }),
    value: Value,
    discount: Type.Number({ maximum: maxMoney, description: 'What the points paid, in money.' }),
  },
  { ...named('SpendPointsAction') },
)

const Collect = Type.Object(
  {
    type: Type.Literal('collect'),
    key: Key,
    amount: Type.Number({ description: 'How much was collected.' }),
    value: Value,
    campaign: Campaign,
    rule: Type.String({ description: 'ID of the rule that gave it.' }),
  },
  { ...named('CollectAction') },
)

const GrantCoupon = Type.Object(
  {
    type: Type.Literal('grant_coupon'),
    coupon: Optional(Id('cpn', 'The new coupon. Absent in a preview.')),
    reward: Type.String({ description: 'Key of the reward that it is good for.' }),
    campaign: Campaign,
    key: Optional(
      Type.String({ description: 'Key of the balance that was used up for it. Absent if none was.' }),
    ),
    amount: Optional(Type.Number({ description: 'How much was used up, unsigned.' })),
    value: Optional(Value),
  },
  { ...named('GrantCouponAction') },
)

const ChangeTier = Type.Object(
  {
    type: Type.Literal('change_tier'),
    tier: Optional(
      Type.String({ description: 'Key of the tier held from now on. Absent if a return left none.' }),
    ),
    campaign: Id('cmp', 'The campaign that has the tier.'),
  },
  { ...named('ChangeTierAction') },
)

const ReturnBalance = Type.Object(
  {
    type: Type.Literal('return'),
    key: Key,
    amount: Type.Number({ description: 'The net change of the balance, signed: it can go either way.' }),
    value: Value,
    settled: Optional(
      Type.Number({
        description:
          'The part of what was given back that paid for earlier returns, whose points had been used, ' +
          'and did not reach the balance.',
      }),
    ),
  },
  { ...named('ReturnBalanceAction'), description: 'A return changed a balance.' },
)

const ExpireBalance = Type.Object(
  {
    type: Type.Literal('expire'),
    key: Key,
    amount: Type.Number({ description: 'The change of the balance, negative.' }),
    value: Value,
  },
  {
    ...named('ExpireBalanceAction'),
    description: 'Points expired, before the return or because they came back too late.',
  },
)

const RevokeCoupon = Type.Object(
  { type: Type.Literal('revoke_coupon'), coupon: Id('cpn', 'The coupon that was taken back.') },
  { ...named('RevokeCouponAction') },
)

const RestoreCoupon = Type.Object(
  { type: Type.Literal('restore_coupon'), coupon: Id('cpn', 'The coupon that can be used again.') },
  {
    ...named('RestoreCouponAction'),
  },
)

const Action = Type.Union(
  [
    RedeemCoupon,
    SpendPoints,
    Collect,
    GrantCoupon,
    ChangeTier,
    ReturnBalance,
    ExpireBalance,
    RevokeCoupon,
    RestoreCoupon,
  ],
  {
    ...named('Action'),
    description: 'One thing that happened, told apart by its `type`. More types may be added.',
  },
)

const Skipped = Type.Object(
  {
    campaign: Id('cmp', 'The campaign of the rule.'),
    rule: Type.String({ description: 'ID of the rule.' }),
    reason: SkipReason,
  },
  { ...named('SkippedRule') },
)

const Progress = Type.Object(
  {
    key: Type.String({ description: 'Key of the balance being collected.' }),
    have: Type.Number({ description: 'The amount that counts toward the next coupon.' }),
    need: Type.Number({ description: 'The amount needed for it.' }),
    reward: Type.String({ description: 'Key of the reward that it is good for.' }),
  },
  { ...named('Progress') },
)

const about = {
  actions: Type.Array(Action, { description: 'What happened, in order.' }),
  skipped: Type.Array(Skipped, { description: 'Rules that did not apply, and why.' }),
  progress: Type.Array(Progress, { description: 'Progress toward the next reward.' }),
}

export const ExecutedActions = Type.Object(
  {
    collectables: Collectables,
    coupons: Type.Array(Coupon, { description: 'Coupons granted by this basket.' }),
    ...about,
  },
  { ...named('ExecutedActions'), description: 'What happened, and the balances afterwards.' },
)

export const PreviewedActions = Type.Object(
  {
    collectables: Collectables,
    coupons: Type.Array(PreviewedCoupon, { description: 'Coupons that this basket would grant.' }),
    ...about,
  },
  { ...named('PreviewedActions'), description: 'What would happen, and the balances afterwards.' },
)
