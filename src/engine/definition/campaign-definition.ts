/**
 * A campaign as a merchant defines it: the whole definition as schemas. They define its structure;
 * `check-definition.ts` decides whether it is consistent, and `compile-campaign.ts` turns it into what runs
 * at the till. A published version is never read with any other schemas than these.
 */
import { type Static, type TSchema, Type } from 'typebox'
import { maxBalanceDecimals, maxMoney, maxUnits } from '../../domain/money.ts'
import { allRules } from '../rules/all-rules.ts'
import type { RuleKind } from '../rules/rule.ts'
import {
  BalanceKey,
  Choice,
  closed,
  Expires,
  Key,
  Money,
  Name,
  OpaqueIds,
  Timestamp,
  Units,
} from './definition-fields.ts'

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
const Weekday = Choice({
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
} satisfies Record<(typeof weekdays)[number], string>)
const Optional = Type.Optional

export const BalanceDefinition = Type.Object(
  {
    key: Key('Key', 'A short internal name, such as points. Campaigns with the same key share the balance.'),
    name: Optional(Name('The name customers see, such as Points.')),
    decimals: Optional(
      Type.Integer({
        title: 'Decimals',
        description: 'Number of decimals, such as 2 for store credit. Fixed once the balance exists.',
        minimum: 0,
        maximum: maxBalanceDecimals,
        default: 0,
      }),
    ),
    expires: Optional(Expires),
  },
  { ...closed, title: 'Balance', description: 'What customers earn: points, stamps or credit.' },
)

export const When = Type.Object(
  {
    days: Optional(
      Type.Array(Weekday, {
        title: 'Days',
        description: 'Only on these days of the week.',
        minItems: 1,
        maxItems: 7,
      }),
    ),
    from: Optional(
      Type.String({
        title: 'From',
        description: 'Only from this time of day on, such as 08:00.',
        'x-unit': 'time of day',
      }),
    ),
    to: Optional(
      Type.String({
        title: 'Until',
        description: 'Only before this time of day. May run past midnight: set a time earlier than From.',
        'x-unit': 'time of day',
      }),
    ),
    startsAt: Optional(Timestamp('Starts', 'When the rule starts.')),
    endsAt: Optional(Timestamp('Ends', 'End of the rule (exclusive).')),
    branches: Optional(OpaqueIds('Branches', 'branches', 'Only in these branches.')),
    minAmount: Optional(
      Type.Number({
        title: 'Minimum amount',
        description: 'Only when the amount to pay is at least this much.',
        minimum: 0,
        maximum: maxMoney,
        'x-unit': 'money',
      }),
    ),
    products: Optional(
      OpaqueIds('Products in the basket', 'products', 'Only when the basket contains at least one of these.'),
    ),
    categories: Optional(
      OpaqueIds(
        'Categories in the basket',
        'categories',
        'Only when the basket contains an item from at least one of these categories.',
      ),
    ),
    firstTransaction: Optional(
      Type.Boolean({
        title: 'First purchase',
        description: "Only the customer's first purchase, or only later ones. Leave empty for all purchases.",
        'x-labels': { true: 'Only on the first purchase', false: 'Only on later purchases' },
      }),
    ),
    tiers: Optional(
      Type.Array(Key('Tier', 'The key of a tier.'), {
        title: 'Tiers',
        description: 'Only for customers who are in one of these tiers before the purchase.',
        minItems: 1,
        maxItems: 50,
        'x-names': 'tiers',
      }),
    ),
  },
  { ...closed, title: 'When', description: 'Conditions that must all be met. Without any, it always runs.' },
)

export const Limits = Type.Object(
  {
    perTransaction: Optional(Units('Per purchase', 'The most this rule gives per purchase.')),
    perDay: Optional(Units('Per day', 'The most this rule gives a customer per day.')),
    perCustomer: Optional(Units('Per customer', 'The most this rule ever gives a customer.')),
    total: Optional(Units('In total', 'The most this rule ever gives to all customers combined.')),
  },
  {
    ...closed,
    title: 'Limits',
    description:
      'The most the rule gives, in points or stamps. The purchase that reaches a limit gets what is left.',
  },
)

/** The fields of one kind of rule, with the rule's id and kind. */
export function ruleFields(rule: RuleKind) {
  return {
    id: Optional(
      Key('ID', 'A short internal name, used on receipts and for limits. Defaults to its position.'),
    ),
    kind: Type.Literal(rule.kind),
    ...rule.config.properties,
  }
}

/** The whole schema of a rule: the fields of its kind and those that all rules have. */
export function ruleSchema(rule: RuleKind) {
  return Type.Object(
    { ...ruleFields(rule), when: Optional(When), limits: Optional(Limits) },
    { ...closed, title: rule.title, description: rule.description, 'x-sentence': rule.sentence },
  )
}

const rewardBase = {
  key: Key('Key', 'A short internal name, such as free-coffee; thresholds refer to it.'),
  name: Optional(Name('The name customers see on the coupon.')),
  validDays: Optional(
    Type.Integer({
      title: 'Valid for (days)',
      description: 'How many days the coupon can be used. Leave empty for no expiry.',
      minimum: 1,
      maximum: 36_500,
    }),
  ),
}

export const rewardSchemas = {
  free_product: Type.Object(
    {
      ...rewardBase,
      kind: Type.Literal('free_product'),
      products: OpaqueIds('Products', 'products', 'One unit of one of these products is free.'),
    },
    {
      ...closed,
      title: 'Free product',
      description: 'One unit of a product for free.',
      'x-sentence': 'One free: {products}',
    },
  ),
  amount_off: Type.Object(
    {
      ...rewardBase,
      kind: Type.Literal('amount_off'),
      amount: Money('Amount', 'The amount of the discount.'),
    },
    {
      ...closed,
      title: 'Amount off',
      description: 'A fixed amount off.',
      'x-sentence': '{amount} off',
    },
  ),
  percent_off: Type.Object(
    {
      ...rewardBase,
      kind: Type.Literal('percent_off'),
      percent: Type.Number({
        title: 'Percent',
        description: 'The discount in percent.',
        exclusiveMinimum: 0,
        maximum: 100,
        'x-unit': 'percent',
        'x-decimals': 4,
      }),
      maxAmount: Optional(Money('Maximum discount', 'The most money that is taken off.')),
    },
    {
      ...closed,
      title: 'Percent off',
      description: 'A percentage off the price.',
      'x-sentence': '{percent} off',
    },
  ),
} as const

export const Threshold = Type.Object(
  {
    balance: BalanceKey,
    at: Units('Needed', 'The amount needed for the reward.'),
    grant: Key('Reward', 'The key of the reward the coupon is good for.', { 'x-names': 'rewards' }),
    consume: Optional(
      Type.Boolean({
        title: 'Use up',
        description: 'Points or stamps are used up when the coupon is issued, like a full stamp card.',
        default: false,
        'x-labels': { true: 'Used up by the coupon', false: 'Kept after the coupon' },
      }),
    ),
  },
  {
    ...closed,
    title: 'Threshold',
    description: 'A coupon each time a customer has earned enough.',
    'x-sentence': 'For every {at} earned ({balance}): {grant}',
  },
)

export const Spend = Type.Object(
  {
    balance: BalanceKey,
    worth: Type.Number({
      title: 'Worth',
      description: 'What one point is worth in money, with up to 6 decimals; 0.01 is one cent.',
      exclusiveMinimum: 0,
      maximum: 1e6,
      'x-unit': 'money',
      'x-decimals': 6,
    }),
    min: Optional(
      Type.Number({
        title: 'Minimum',
        description: 'The fewest points that can be spent at once.',
        minimum: 0,
        maximum: maxUnits,
        'x-unit': 'balance',
      }),
    ),
    maxShare: Optional(
      Type.Number({
        title: 'Maximum share of a purchase',
        description: 'The share of a purchase that can be paid with points; 0.5 is half.',
        minimum: 0,
        maximum: 1,
        default: 1,
        'x-unit': 'share',
        'x-decimals': 6,
      }),
    ),
    earns: Optional(
      Type.Boolean({
        title: 'Points also earn points',
        description: 'The part of a purchase that is paid with points earns like money.',
        default: false,
        'x-labels': {
          true: 'The part paid with points earns too',
          false: 'The part paid with points earns nothing',
        },
      }),
    ),
  },
  {
    ...closed,
    title: 'Pay with points',
    description: 'How customers pay with the points they earned.',
    'x-sentence': '{balance}: each is worth {worth}',
  },
)

export const Tier = Type.Object(
  {
    key: Key('Key', 'A short internal name, such as gold; rules refer to it.'),
    name: Optional(Name('The name customers see.')),
    balance: BalanceKey,
    from: Type.Number({
      title: 'From',
      description: 'How much a customer must have earned in total; spending does not lower it.',
      minimum: 0,
      maximum: maxUnits,
      'x-unit': 'balance',
    }),
  },
  {
    ...closed,
    title: 'Tier',
    description: 'A level for customers who have earned enough.',
    'x-sentence': 'From {from} earned in total ({balance})',
  },
)

/** The fields of a campaign apart from its lists and `spend`. */
const general = {
  name: Name('The name customers see on their card.'),
  runsOn: Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      title: 'Runs on',
      description:
        'Campaigns on whose cards this one also runs, by their IDs. On one card, all campaigns together can have 1000 rules.',
      maxItems: 100,
      'x-names': 'campaigns',
    }),
  ),
  startsAt: Optional(Timestamp('Starts', 'When the campaign starts.')),
  endsAt: Optional(Timestamp('Ends', 'End of the campaign (exclusive).')),
  onInsufficientBalance: Optional(
    Choice(
      {
        floor: 'Take what is left',
        negative: 'Let the balance go below zero',
        reject: 'Refuse the return',
      },
      {
        title: 'When a return takes back more than the balance holds',
        description: 'Items are returned, but the points earned for them have already been spent.',
        default: 'floor',
      },
    ),
  ),
}

export const General = Type.Object(general, {
  ...closed,
  title: 'Campaign',
  description: 'Its name and when it runs.',
})

const campaignOf = <Rule extends TSchema, Reward extends TSchema>(rule: Rule, reward: Reward) =>
  Type.Object(
    {
      name: general.name,
      balances: Type.Array(BalanceDefinition, { maxItems: 50, description: 'What customers earn.' }),
      rules: Optional(Type.Array(rule, { maxItems: 1000, description: 'How they earn it.' })),
      rewards: Optional(Type.Array(reward, { maxItems: 200, description: 'What coupons are good for.' })),
      thresholds: Optional(
        Type.Array(Threshold, { maxItems: 200, description: 'When coupons are granted.' }),
      ),
      spend: Optional(Spend),
      runsOn: general.runsOn,
      startsAt: general.startsAt,
      endsAt: general.endsAt,
      tiers: Optional(
        Type.Array(Tier, { maxItems: 50, description: 'Levels for customers who have earned enough.' }),
      ),
      onInsufficientBalance: general.onInsufficientBalance,
    },
    closed,
  )

/** The definition with rules and rewards by kind, as the API reference shows it. */
export const CampaignDefinition = campaignOf(
  Type.Union(allRules.map(ruleSchema), { title: 'Rule' }),
  Type.Union(Object.values(rewardSchemas), { title: 'Reward' }),
)

/** The definition with unchecked rules and rewards: each is checked by the schema of its own kind. */
export const CampaignOutline = campaignOf(Type.Unknown(), Type.Unknown())

export type WhenDefinition = Static<typeof When>
export type LimitsDefinition = Static<typeof Limits>
export type RewardDefinition = Static<(typeof rewardSchemas)[keyof typeof rewardSchemas]>

/** The fields that all rules have; the rest belongs to the kind. */
export interface RuleDefinition {
  readonly id?: string
  readonly kind: string
  readonly balance: string
  readonly products?: readonly string[]
  readonly categories?: readonly string[]
  readonly when?: WhenDefinition
  readonly limits?: LimitsDefinition
}

export type CampaignDefinition = Omit<Static<typeof CampaignOutline>, 'rules' | 'rewards'> & {
  readonly rules?: readonly RuleDefinition[]
  readonly rewards?: readonly RewardDefinition[]
}

/** A rule without an id is identified by its position, like a line without one. */
export function ruleId(rule: { readonly id?: string }, index: number): string {
  return rule.id ?? String(index + 1)
}
