/**
 * What a merchant writes down as a campaign: the whole definition as schemas. They say what a definition looks
 * like; whether it makes sense is decided in `check-definition.ts`, and `compile-campaign.ts` turns one that
 * does into what runs at the till. A version, once published, is never read with other schemas than these.
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
    key: Key('Key', 'A short name for it, such as points. Campaigns with the same key share the balance.'),
    name: Optional(Name('What customers call it, such as Points.')),
    decimals: Optional(
      Type.Integer({
        title: 'Decimals',
        description: 'How many decimals it has; 2 for credit in money. Fixed once the balance exists.',
        minimum: 0,
        maximum: maxBalanceDecimals,
        default: 0,
      }),
    ),
    expires: Optional(Expires),
  },
  { ...closed, title: 'Balance', description: 'What customers collect: points, stamps, credit.' },
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
        description: 'Only from this time of the day on, such as 08:00.',
        'x-unit': 'time of day',
      }),
    ),
    to: Optional(
      Type.String({
        title: 'To',
        description: 'Only before this time of the day. Earlier than From: it goes over midnight.',
        'x-unit': 'time of day',
      }),
    ),
    startsAt: Optional(Timestamp('Starts', 'The first moment the rule runs.')),
    endsAt: Optional(Timestamp('Ends', 'The first moment the rule no longer runs.')),
    branches: Optional(OpaqueIds('Branches', 'branches', 'Only in these branches.')),
    minAmount: Optional(
      Type.Number({
        title: 'Minimum amount',
        description: 'Only when at least this much is to be paid.',
        minimum: 0,
        maximum: maxMoney,
        'x-unit': 'money',
      }),
    ),
    products: Optional(
      OpaqueIds('Products in the basket', 'products', 'Only when at least one of these is in the basket.'),
    ),
    categories: Optional(
      OpaqueIds(
        'Categories in the basket',
        'categories',
        'Only when something of at least one of these categories is in the basket.',
      ),
    ),
    firstTransaction: Optional(
      Type.Boolean({
        title: 'First purchase',
        description: "Yes: only the customer's first purchase. No: only later ones. Empty: all.",
        'x-labels': { true: 'Only on the first purchase', false: 'Only on later purchases' },
      }),
    ),
    tiers: Optional(
      Type.Array(Key('Tier', 'By its key.'), {
        title: 'Tiers',
        description: 'Only for customers who hold one of these tiers before the purchase.',
        minItems: 1,
        maxItems: 50,
        'x-names': 'tiers',
      }),
    ),
  },
  { ...closed, title: 'When', description: 'When the rule runs. All of it must hold; empty: always.' },
)

export const Limits = Type.Object(
  {
    perTransaction: Optional(Units('Per purchase', 'The most this rule gives for one purchase.')),
    perDay: Optional(Units('Per day', 'The most this rule gives a customer on one day.')),
    perCustomer: Optional(Units('Per customer', 'The most this rule ever gives a customer.')),
    total: Optional(Units('In total', 'The most this rule ever gives to all customers together.')),
  },
  {
    ...closed,
    title: 'Limits',
    description: 'The most the rule gives, counted in the balance. The last one gets what is left.',
  },
)

/** What is particular to a kind of rules, and how a rule is called. */
export function ruleMembers(rule: RuleKind) {
  return {
    id: Optional(
      Key('Id', 'A short name for the rule, as receipts and limits know it. Its position unless told.'),
    ),
    kind: Type.Literal(rule.kind),
    ...rule.config.properties,
  }
}

/** The whole schema of a rule: what is particular to its kind, and what all rules have. */
export function ruleSchema(rule: RuleKind) {
  return Type.Object(
    { ...ruleMembers(rule), when: Optional(When), limits: Optional(Limits) },
    { ...closed, title: rule.title, description: rule.description, 'x-sentence': rule.sentence },
  )
}

const rewardBase = {
  key: Key('Key', 'A short name for it, such as free-coffee; thresholds refer to it.'),
  name: Optional(Name('What customers read on the coupon.')),
  validDays: Optional(
    Type.Integer({
      title: 'Valid for days',
      description: 'How many days the coupon can be used. Empty: for ever.',
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
      products: OpaqueIds('Products', 'products', 'One piece of one of these is free.'),
    },
    {
      ...closed,
      title: 'Free product',
      description: 'One piece of a product for nothing.',
      'x-sentence': 'One of these free: {products}',
    },
  ),
  amount_off: Type.Object(
    {
      ...rewardBase,
      kind: Type.Literal('amount_off'),
      amount: Money('Amount', 'How much is taken off.'),
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
        description: 'How many percent are taken off.',
        exclusiveMinimum: 0,
        maximum: 100,
        'x-unit': 'percent',
        'x-decimals': 4,
      }),
      maxAmount: Optional(Money('At most', 'The largest amount that is taken off.')),
    },
    {
      ...closed,
      title: 'Percent off',
      description: 'A share of the price off.',
      'x-sentence': '{percent} off',
    },
  ),
} as const

export const Threshold = Type.Object(
  {
    balance: BalanceKey,
    at: Units('At', 'How much must be collected for a coupon.'),
    grant: Key('Reward', 'Which reward the coupon is good for, by its key.', { 'x-names': 'rewards' }),
    consume: Optional(
      Type.Boolean({
        title: 'Use it up',
        description: 'The coupon costs what was collected for it, like a full stamp card.',
        default: false,
        'x-labels': { true: 'The coupon uses it up', false: 'What was collected stays' },
      }),
    ),
  },
  {
    ...closed,
    title: 'Threshold',
    description: 'A coupon for whoever has collected enough, each time it is reached.',
    'x-sentence': 'For every {at} collected ({balance}): {grant}',
  },
)

export const Spend = Type.Object(
  {
    balance: BalanceKey,
    worth: Type.Number({
      title: 'Worth',
      description: 'What one point is worth in money, with up to 6 decimals; 0.01 is a cent.',
      exclusiveMinimum: 0,
      maximum: 1e6,
      'x-unit': 'money',
      'x-decimals': 6,
    }),
    min: Optional(
      Type.Number({
        title: 'Least',
        description: 'The least that can be spent at once.',
        minimum: 0,
        maximum: maxUnits,
        'x-unit': 'balance',
      }),
    ),
    maxShare: Optional(
      Type.Number({
        title: 'Largest share',
        description: 'How much of a purchase can be paid with points; 0.5 is half of it.',
        minimum: 0,
        maximum: 1,
        default: 1,
        'x-unit': 'share',
        'x-decimals': 6,
      }),
    ),
    earns: Optional(
      Type.Boolean({
        title: 'Earns too',
        description: 'What is paid with points collects like money.',
        default: false,
        'x-labels': {
          true: 'What is paid with it collects too',
          false: 'What is paid with it collects nothing',
        },
      }),
    ),
  },
  {
    ...closed,
    title: 'Pay with points',
    description: 'How customers pay with what they collected.',
    'x-sentence': '{balance}: each is worth {worth}',
  },
)

export const Tier = Type.Object(
  {
    key: Key('Key', 'A short name for it, such as gold; rules refer to it.'),
    name: Optional(Name('What customers call it.')),
    balance: BalanceKey,
    from: Type.Number({
      title: 'From',
      description: 'How much must ever have been collected; spending does not lower it.',
      minimum: 0,
      maximum: maxUnits,
      'x-unit': 'balance',
    }),
  },
  {
    ...closed,
    title: 'Tier',
    description: 'A level for whoever has collected much.',
    'x-sentence': 'From {from} ever collected ({balance})',
  },
)

/** What a campaign has besides its lists and how points are spent. */
const general = {
  name: Name('What customers call it; it stands on their card.'),
  runsOn: Optional(
    Type.Array(Type.String({ maxLength: 100 }), {
      title: 'Runs on',
      description: 'Campaigns on whose cards this one runs too, by their ids.',
      maxItems: 100,
      'x-names': 'campaigns',
    }),
  ),
  startsAt: Optional(Timestamp('Starts', 'The first moment the campaign runs.')),
  endsAt: Optional(Timestamp('Ends', 'The first moment the campaign no longer runs.')),
  onInsufficientBalance: Optional(
    Choice(
      {
        floor: 'Take what is there',
        negative: 'Let the balance go below zero',
        reject: 'Refuse the return',
      },
      {
        title: 'When a return takes more than there is',
        description: 'Goods come back, and the points they gave are spent already.',
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
      balances: Type.Array(BalanceDefinition, { maxItems: 50 }),
      rules: Optional(Type.Array(rule, { maxItems: 1000 })),
      rewards: Optional(Type.Array(reward, { maxItems: 200 })),
      thresholds: Optional(Type.Array(Threshold, { maxItems: 200 })),
      spend: Optional(Spend),
      runsOn: general.runsOn,
      startsAt: general.startsAt,
      endsAt: general.endsAt,
      tiers: Optional(Type.Array(Tier, { maxItems: 50 })),
      onInsufficientBalance: general.onInsufficientBalance,
    },
    closed,
  )

/** The definition with rules and rewards by kind; what the API reference shows. */
export const CampaignDefinition = campaignOf(
  Type.Union(allRules.map(ruleSchema)),
  Type.Union(Object.values(rewardSchemas)),
)

/** The definition with rules and rewards unread: each is checked by the schema of its own kind. */
export const CampaignOutline = campaignOf(Type.Unknown(), Type.Unknown())

export type WhenDefinition = Static<typeof When>
export type LimitsDefinition = Static<typeof Limits>
export type RewardDefinition = Static<(typeof rewardSchemas)[keyof typeof rewardSchemas]>

/** What all rules have; the rest belongs to the kind. */
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

/** A rule without an id is known by its position, like a line without one. */
export function ruleId(rule: { readonly id?: string }, index: number): string {
  return rule.id ?? String(index + 1)
}
