/**
 * What a merchant writes down as a campaign: the whole definition as schemas. They say what a definition looks
 * like; whether it makes sense is decided in `check-definition.ts`, and `compile-campaign.ts` turns one that
 * does into what runs at the till. A version, once published, is never read with other schemas than these.
 */
import { type Static, type TSchema, Type } from 'typebox'
import { maxBalanceDecimals, maxMoney, maxUnits } from '../domain/money.ts'
import { BalanceKey, closed, Key, Money, Name, OpaqueIds, Timestamp, Units } from './definition-members.ts'
import { allRules } from './rules/all-rules.ts'
import type { RuleKind } from './rules/rule.ts'

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
const Optional = Type.Optional

const Expires = Type.Object(
  {
    after: Optional(
      Type.String({
        title: 'After',
        description: 'ISO 8601 duration; each amount collected expires by itself.',
      }),
    ),
    endOf: Optional(
      Type.Enum(['day', 'month', 'year'], {
        title: 'End of',
        description: 'Rounds the expiry up to the end of it.',
      }),
    ),
    inactivity: Optional(
      Type.String({
        title: 'Inactivity',
        description: 'ISO 8601 duration without a basket; then all expires.',
      }),
    ),
  },
  { ...closed, title: 'Expires' },
)

const BalanceDefinition = Type.Object(
  {
    key: Key,
    name: Optional(Name),
    decimals: Optional(
      Type.Integer({ title: 'Decimals', minimum: 0, maximum: maxBalanceDecimals, default: 0 }),
    ),
    expires: Optional(Expires),
  },
  closed,
)

export const When = Type.Object(
  {
    days: Optional(Type.Array(Type.Enum([...weekdays]), { title: 'Days', minItems: 1, maxItems: 7 })),
    from: Optional(Type.String({ title: 'From', description: 'Time of the day, such as 08:00.' })),
    to: Optional(
      Type.String({
        title: 'To',
        description: 'Exclusive. Earlier than `from`: the window goes over midnight.',
      }),
    ),
    startsAt: Optional(Timestamp('Starts', 'The first moment the rule runs.')),
    endsAt: Optional(Timestamp('Ends', 'The first moment the rule no longer runs.')),
    branches: Optional(OpaqueIds('Branches', 'Opaque ids of the branches the rule runs in.')),
    minAmount: Optional(
      Type.Number({
        title: 'Minimum amount',
        description: 'Of the payable amount.',
        minimum: 0,
        maximum: maxMoney,
        'x-unit': 'money',
      }),
    ),
    products: Optional(OpaqueIds('Products', 'At least one line has one of these products.')),
    categories: Optional(OpaqueIds('Categories', 'At least one line has one of these categories.')),
    firstTransaction: Optional(
      Type.Boolean({
        title: 'First basket',
        description: 'true: only the first basket; false: only later ones.',
      }),
    ),
    tiers: Optional(
      Type.Array(Key, { title: 'Tiers', description: 'Held before the basket.', minItems: 1, maxItems: 50 }),
    ),
  },
  { ...closed, title: 'When', description: 'All of it must hold.' },
)

export const Limits = Type.Object(
  {
    perTransaction: Optional(Units('Per basket', 'The most this rule gives in one basket.')),
    perDay: Optional(Units('Per day', 'The most this rule gives a customer on one local day.')),
    perCustomer: Optional(Units('Per customer', 'The most this rule ever gives a customer.')),
    total: Optional(Units('In total', 'The most this rule ever gives to all customers together.')),
  },
  {
    ...closed,
    title: 'Limits',
    description: 'In units of the balance; the last payment is cut to what is left.',
  },
)

/** The whole schema of a rule: what is particular to its kind, and what all rules have. */
export function ruleSchema(rule: RuleKind) {
  return Type.Object(
    {
      id: Optional(Key),
      kind: Type.Literal(rule.kind),
      ...rule.config.properties,
      when: Optional(When),
      limits: Optional(Limits),
    },
    { ...closed, title: rule.title, description: rule.description },
  )
}

const rewardBase = {
  key: Key,
  name: Optional(Name),
  validDays: Optional(
    Type.Integer({ title: 'Valid for days', description: 'From the grant on.', minimum: 1, maximum: 36_500 }),
  ),
}

export const rewardSchemas = {
  free_product: Type.Object(
    {
      ...rewardBase,
      kind: Type.Literal('free_product'),
      products: OpaqueIds('Products', 'One unit of one of these is free.'),
    },
    { ...closed, title: 'Free product' },
  ),
  amount_off: Type.Object(
    {
      ...rewardBase,
      kind: Type.Literal('amount_off'),
      amount: Money('Amount', 'Taken off the line or order.'),
    },
    { ...closed, title: 'Amount off' },
  ),
  percent_off: Type.Object(
    {
      ...rewardBase,
      kind: Type.Literal('percent_off'),
      percent: Type.Number({ title: 'Percent', exclusiveMinimum: 0, maximum: 100, 'x-decimals': 4 }),
      maxAmount: Optional(Money('At most', 'The largest discount.')),
    },
    { ...closed, title: 'Percent off' },
  ),
} as const

const Threshold = Type.Object(
  {
    balance: BalanceKey,
    at: Units('At', 'How much must be reached.'),
    grant: Type.String({ ...Key, title: 'Grant', description: 'Key of the reward.' }),
    consume: Optional(
      Type.Boolean({
        title: 'Consume',
        description: 'Takes `at` from the value for each coupon.',
        default: false,
      }),
    ),
  },
  closed,
)

const Spend = Type.Object(
  {
    balance: BalanceKey,
    worth: Type.Number({
      title: 'Worth',
      description: 'What one point is worth in money, with up to 6 decimals.',
      exclusiveMinimum: 0,
      maximum: 1e6,
      'x-decimals': 6,
    }),
    min: Optional(
      Type.Number({
        title: 'Least',
        description: 'The least one may spend.',
        minimum: 0,
        maximum: maxUnits,
        'x-unit': 'balance',
      }),
    ),
    maxShare: Optional(
      Type.Number({
        title: 'Largest share',
        description: 'Of the payable amount that points may pay; 0.5 is half.',
        minimum: 0,
        maximum: 1,
        default: 1,
        'x-decimals': 6,
      }),
    ),
    earns: Optional(
      Type.Boolean({
        title: 'Earns',
        description: 'The part paid with points collects too.',
        default: false,
      }),
    ),
  },
  { ...closed, title: 'Spend' },
)

const Tier = Type.Object(
  {
    key: Key,
    name: Optional(Name),
    balance: BalanceKey,
    from: Type.Number({
      title: 'From',
      description: 'Of the lifetime total.',
      minimum: 0,
      maximum: maxUnits,
      'x-unit': 'balance',
    }),
  },
  closed,
)

const campaignOf = <Rule extends TSchema, Reward extends TSchema>(rule: Rule, reward: Reward) =>
  Type.Object(
    {
      name: Name,
      balances: Type.Array(BalanceDefinition, { maxItems: 50 }),
      rules: Optional(Type.Array(rule, { maxItems: 1000 })),
      rewards: Optional(Type.Array(reward, { maxItems: 200 })),
      thresholds: Optional(Type.Array(Threshold, { maxItems: 200 })),
      spend: Optional(Spend),
      runsOn: Optional(
        Type.Array(Type.String({ maxLength: 100 }), {
          title: 'Runs on',
          description: 'Ids of the campaigns on whose cards this one runs too.',
          maxItems: 100,
        }),
      ),
      startsAt: Optional(Timestamp('Starts', 'The first moment the campaign runs.')),
      endsAt: Optional(Timestamp('Ends', 'The first moment the campaign no longer runs.')),
      tiers: Optional(Type.Array(Tier, { maxItems: 50 })),
      onInsufficientBalance: Optional(
        Type.Enum(['floor', 'negative', 'reject'], {
          title: 'When a return takes more than there is',
          default: 'floor',
        }),
      ),
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
