import { Type } from 'typebox'
import type { BacktestGroupKind as GroupKind } from '../../domain/backtest.ts'
import type { TriedCards } from '../../operations/campaigns/backtest-campaign.ts'
import { named } from '../openapi/name-components.ts'
import { Choice } from './choices.ts'
import { campaignDefinitionExample } from './examples.ts'
import { Id, Money, Optional, Text, Timestamp } from './fields.ts'

const BacktestCards = Choice<TriedCards>('BacktestCards', 'The cards that a campaign is tried on.', {
  own: 'Cards of the campaign, and of those that it extends. The default for a campaign that was published.',
  all: 'Every card, as if it were one of the campaign. The default for a campaign that was never published.',
})

const BacktestGroupKind = Choice<GroupKind>('BacktestGroupKind', 'How sales are grouped.', {
  visits: 'By customer: `new` if their first visit is in the range, otherwise `returning`.',
  tier: 'By the tier that the customer would have had before the sale; empty without one.',
  branch: 'By your ID of the branch.',
})

const Count = (description: string) => Type.Integer({ description })
const ByKey = (description: string) =>
  Type.Unsafe<Record<string, number>>({
    type: 'object',
    additionalProperties: { type: 'number' },
    description,
  })

export const BacktestBody = Type.Object(
  {
    from: Optional(
      Text(40, {
        examples: ['2026-03-14'],
        description: "First day, in the organization's time zone. Defaults to 29 days before `to`.",
      }),
    ),
    to: Optional(
      Text(40, { examples: ['2026-03-31'], description: 'Last day, inclusive. Defaults to today.' }),
    ),
    cards: Optional(BacktestCards),
    definition: Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description: 'A campaign definition to try instead of the saved draft.',
        examples: [campaignDefinitionExample],
      }),
    ),
  },
  { ...named('BacktestRequest'), examples: [{ from: '2026-03-01', to: '2026-03-31' }] },
)

const Figures = Type.Object(
  {
    collected: ByKey('What the rules gave, by the key of the balance.'),
    coupons: Count('Coupons that thresholds granted.'),
    rewards: ByKey('The same coupons, by the key of the reward.'),
    cost: Money(
      'An estimate: points that can be spent, without those that thresholds used up, and coupons. A percentage ' +
        'is worth what it would take off an average basket of the range, a free product what it cost there.',
    ),
  },
  { ...named('BacktestFigures'), description: 'What the campaign gave.' },
)

const comparison = {
  sales: Count('Sales that were compared.'),
  payableAmount: Money('What they came to, after discounts and coupons.'),
  given: Figures,
  wouldGive: Figures,
}

const Row = Type.Object(
  {
    transaction: Id('txn'),
    customer: Id('cus'),
    occurredAt: Timestamp('When the sale happened.'),
    payableAmount: Money('What it came to, after discounts and coupons.'),
    given: Figures,
    wouldGive: Figures,
    rules: Type.Array(
      Type.Object(
        {
          rule: Type.String({ description: 'ID of the rule.' }),
          key: Type.String({ description: 'Key of the balance.' }),
          given: Type.Number({ description: 'What it gave.' }),
          wouldGive: Type.Number({ description: 'What it would have given.' }),
        },
        { ...named('BacktestRule') },
      ),
      { description: 'What each rule gave and would have given; rules that gave nothing are left out.' },
    ),
  },
  { ...named('BacktestRow') },
)

const figuresExample = { collected: { points: 120 }, coupons: 1, rewards: { 'free-coffee': 1 }, cost: 4.7 }
const sumExample = {
  sales: 12,
  payableAmount: 120,
  given: { collected: { points: 60 }, coupons: 0, rewards: {}, cost: 0.6 },
  wouldGive: figuresExample,
}

export const BacktestReply = Type.Object(
  {
    progress: Type.Array(
      Type.Object(
        { done: Count('Sales read so far.'), of: Count('Sales in the range.') },
        { ...named('BacktestProgress') },
      ),
      { description: 'Sent while the sales are read, a few times a second; the last entry has all of them.' },
    ),
    result: Type.Object(
      {
        from: Type.String({ description: 'First day.' }),
        to: Type.String({ description: 'Last day.' }),
        cards: BacktestCards,
        ...comparison,
        customers: Count('Customers of these sales.'),
        days: Type.Array(
          Type.Object(
            { day: Type.String({ description: 'A local day.' }), ...comparison },
            { ...named('BacktestDay') },
          ),
          { description: 'The days with sales, oldest first, by the time of processing.' },
        ),
        groups: Type.Array(
          Type.Object(
            {
              by: BacktestGroupKind,
              name: Type.String({ description: 'Name of the group.' }),
              ...comparison,
            },
            { ...named('BacktestGroup') },
          ),
          { description: 'The same sales, grouped in several ways.' },
        ),
        rows: Type.Array(Row, { description: 'The 50 sales with the largest differences, largest first.' }),
        leftOut: Type.Object(
          {
            returned: Count('Sales that were returned as a whole.'),
            otherCards: Count('Sales with cards that the campaign does not run on.'),
            refused: Count('Sales after which a balance would have been too large.'),
          },
          { ...named('BacktestLeftOut'), description: 'Sales that were not compared.' },
        ),
        salesShortOfPoints: Count(
          'Sales in which customers spent points that they would not have had; they were tried without.',
        ),
        couponsWithoutWorth: Count('Coupons that the cost does not include: nobody bought these products.'),
      },
      {
        ...named('BacktestResult'),
        description: 'What the campaign would have given, against what it gave.',
      },
    ),
  },
  {
    ...named('Backtest'),
    examples: [
      {
        progress: [
          { done: 0, of: 12 },
          { done: 12, of: 12 },
        ],
        result: {
          from: '2026-03-01',
          to: '2026-03-31',
          cards: 'own',
          ...sumExample,
          customers: 7,
          days: [{ day: '2026-03-14', ...sumExample }],
          groups: [{ by: 'visits', name: 'returning', ...sumExample }],
          rows: [],
          leftOut: { returned: 1, otherCards: 0, refused: 0 },
          salesShortOfPoints: 0,
          couponsWithoutWorth: 0,
        },
      },
    ],
  },
)
