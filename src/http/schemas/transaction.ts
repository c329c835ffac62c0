import { Type } from 'typebox'
import { maxQuantity, maxUnits } from '../../domain/money.ts'
import { named } from '../openapi/name-components.ts'
import { TransactionStatus, WarningCodes } from './choices.ts'
import {
  basketExample,
  campaignDefinitionExample,
  cardExample,
  exampleWalletUrl,
  outcomeExample,
  previewExample,
  processedExample,
  transactionExample,
} from './examples.ts'
import { ExecutedActions, PreviewedActions } from './executed-actions.ts'
import {
  byDefault,
  CustomerName,
  FreeForm,
  Id,
  Money,
  OpaqueId,
  Optional,
  Text,
  Timestamp,
  whatIsCompared,
} from './fields.ts'
import { Return } from './return.ts'

const CouponIds = (where: string) =>
  Type.Union([Id('cpn'), Type.Array(Id('cpn'), { maxItems: 50 })], {
    description:
      `IDs of coupons to redeem ${where}: one ID or a list. Without a discount of yours here, the service takes ` +
      'their worth off; a discount here includes them. See `couponsIncluded`.',
  })

const itemFields = {
  id: Optional(
    OpaqueId('Your ID for the item, which returns refer to. Defaults to its position, starting at 1.', {
      'x-default-position': true,
    }),
  ),
  product: Optional(OpaqueId('Your product ID.')),
  name: Optional(Type.String({ maxLength: 255, description: 'What the receipt calls it.' })),
  category: Optional(
    Type.String({
      maxLength: 255,
      description: "Your category; rules can match it. Defaults to the product's category in the directory.",
    }),
  ),
  quantity: Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: maxQuantity,
      description: 'Defaults to 1.',
      ...byDefault(1),
    }),
  ),
  unitPrice: Optional(Money('Up to 6 decimals.')),
  amount: Optional(
    Money('Price of the item for its whole quantity, before discounts. Defaults to `unitPrice × quantity`.'),
  ),
  discountAmount: Optional(
    Money(
      'What you take off the item: 1 of 10 leaves 9 to pay. Stored as sent. Send this or `discountedAmount`.',
      byDefault(0),
    ),
  ),
  discountedAmount: Optional(
    Money(
      'What is left to pay for the item after your discount: 9 of 10 means 1 off. Stored as sent. ' +
        'Takes precedence over `discountAmount`.',
    ),
  ),
}

const Item = Type.Object(
  { ...itemFields, reward: Optional(CouponIds('for this item')) },
  { ...named('BasketItem') },
)

/**
 * Which of `customer`, `card` and `barcode` belong together is checked by `toBasketRequest`: generators of
 * clients lose the type of a schema that states alternatives of required properties.
 */
export const BasketBody = Type.Object(
  {
    customer: Optional(Id('cus', 'Required, unless `barcode` is sent.')),
    card: Optional(
      Id('card', 'The card determines which campaigns run. Required, unless `barcode` is sent.'),
    ),
    barcode: Optional(
      Text(64, {
        minLength: 1,
        description:
          'The scanned card, instead of `customer` and `card`. That of a replaced card stands for its replacement.',
        examples: [cardExample.barcode],
      }),
    ),
    items: Optional(Type.Array(Item, { maxItems: 500, description: 'What is bought.' })),
    amount: Optional(
      Money(
        'Order amount before discounts. Defaults to the sum of the items; beside items it is only stored, and ' +
          'counts only in a basket without items.',
      ),
    ),
    discountAmount: Optional(
      Money(
        'What you take off the order, besides the discounts of its items. It is spread over the items in ' +
          'proportion. Stored as sent.',
        byDefault(0),
      ),
    ),
    discountedAmount: Optional(
      Money(
        'What is left to pay for the whole order, all discounts and coupons included: the service takes nothing ' +
          'off besides points. Stored as sent. Takes precedence over `discountAmount`.',
      ),
    ),
    reward: Optional(CouponIds('for the whole order')),
    couponsIncluded: Optional(
      Type.Boolean({
        description:
          'Whether your discounts include what the coupons are worth: with `true` the service takes no coupon ' +
          'off, with `false` it takes all of them off on top of your discounts. Without it, a discount above 0 ' +
          'at the place of a coupon (its item, or the order) includes it, and otherwise the service takes it ' +
          'off. `false` cannot be combined with a `discountedAmount` of the order.',
      }),
    ),
    pointsToSpend: Optional(
      Type.Number({
        minimum: 0,
        maximum: 9e15,
        description: "Points to pay with, from the balance that the card's campaign spends.",
        ...byDefault(0),
      }),
    ),
    user: Optional(OpaqueId('Your user ID. Defaults to the API user.')),
    branch: Optional(OpaqueId("Your branch ID. Defaults to the API user's branch.")),
    opaqueId: Optional(
      OpaqueId(
        'Your receipt number. It must be unique in the organization, forever, across all branches and tills: include the till and the day. ' +
          `A retry with it is always safe, with no time limit. ${whatIsCompared} ` +
          'Name the card as before: a `barcode` is not the same body as `customer` and `card`.',
      ),
    ),
    occurredAt: Optional(
      Timestamp(
        'When the sale happened. Defaults to now. At most 5 minutes in the future, at most `maxBackdateDays` of the organization (30 by default) in the past, ' +
          'and not more than 5 minutes before the customer had a card of the campaign. ' +
          'Days and times of rules refer to it; campaign versions, balances and expiry to the time of the request.',
      ),
    ),
    metaData: Optional(FreeForm('Anything you want to store with the transaction; at most 8 KB as JSON.')),
  },
  {
    ...named('Basket'),
    'x-required': true,
    description: 'With `customer` and `card`, or with `barcode` instead.',
    examples: [basketExample],
  },
)

export type BasketBody = Type.Static<typeof BasketBody>

export const Totals = Type.Object(
  {
    amount: Type.Number({
      description: 'Sum of the items before discounts; the order amount if there are no items.',
    }),
    discounts: Type.Number({
      description: 'What you took off. Negative if you charge more than the items cost.',
    }),
    coupons: Type.Number({
      description: 'What the service took off for coupons; 0 if your discounts include them.',
    }),
    points: Type.Number({ description: 'What the points paid.' }),
    due: Type.Number({
      description: 'What to charge the customer: `amount − discounts − coupons − points`, never below 0.',
    }),
  },
  {
    ...named('Totals'),
    description: "From the price to what to charge, exact in the currency's decimals.",
  },
)

const amountFields = {
  amount: Type.Number({
    description: 'The order amount before discounts, as sent; defaults to the sum of the items.',
  }),
  payableAmount: Type.Number({
    description: 'After your discounts and after coupons, before points. Charge `totals.due`, not this.',
  }),
  totals: Totals,
  pointsSpent: Type.Number({ description: 'The number of points spent.' }),
  pointsDiscount: Type.Number({ description: 'Value of the points spent, in money.' }),
}

const Warnings = Type.Array(
  Type.Object(
    {
      code: WarningCodes,
      at: Type.String({ description: 'The field it is about.', examples: ['items[0].reward'] }),
      text: Type.String({ description: 'What is wrong and what to do, for developers.' }),
    },
    { ...named('BasketWarning') },
  ),
  {
    description:
      'What was accepted and is probably a mistake in the integration. Absent if there is nothing to report.',
  },
)

const Processed = Timestamp('When it was processed.')

const basketFields = {
  status: TransactionStatus,
  opaqueId: Optional(Type.String({ description: 'Your receipt number.' })),
  customer: Id('cus'),
  card: Id('card', 'The card that was used.'),
  user: Optional(Id('usr', 'The user who made the sale.')),
  userOpaqueId: Optional(Type.String({ description: 'Your ID for that user.' })),
  branch: Optional(Id('brn', 'The branch where it was made.')),
  branchOpaqueId: Optional(Type.String({ description: 'Your ID for that branch.' })),
  ...amountFields,
  occurredAt: Timestamp('When the sale happened.'),
  warnings: Optional(Warnings),
}

const TriedCollectables = Type.Unsafe<Record<string, { value: number; total?: number }>>({
  ...named('TriedCollectables'),
  type: 'object',
  description: 'Balances to try it with, by their keys.',
  additionalProperties: {
    type: 'object',
    required: ['value'],
    properties: {
      value: {
        type: 'number',
        minimum: -maxUnits,
        maximum: maxUnits,
        description: 'Amount available now.',
      },
      total: {
        type: 'number',
        minimum: 0,
        maximum: maxUnits,
        description: 'Amount ever collected. Defaults to `value`.',
      },
    },
  },
})

/**
 * A basket to try on a campaign's draft, and the wallet to try it with. It has no coupons to redeem: those
 * belong to a customer, and no customer's wallet is read here.
 */
export const TriedBasket = Type.Object(
  {
    ...Type.Omit(BasketBody, [
      'customer',
      'card',
      'barcode',
      'user',
      'opaqueId',
      'metaData',
      'reward',
      'couponsIncluded',
    ]).properties,
    items: Optional(
      Type.Array(
        Type.Object(itemFields, {
          ...named('TriedItem'),
        }),
        { maxItems: 500, description: 'What is bought.' },
      ),
    ),
    occurredAt: Optional(
      Timestamp('When the sale happens. Defaults to now. At most 5 minutes in the future.'),
    ),
    definition: Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description: 'A campaign definition to try instead of the saved draft.',
        examples: [campaignDefinitionExample],
      }),
    ),
    wallet: Optional(
      Type.Object(
        {
          collectables: Optional(TriedCollectables),
          transactions: Optional(
            Type.Integer({
              minimum: 0,
              maximum: 1e9,
              description: 'Number of baskets processed before; 0 makes this one the first.',
            }),
          ),
        },
        { description: 'The wallet to try it with. Defaults to an empty one.' },
      ),
    ),
  },
  {
    ...named('TriedBasket'),
    examples: [
      {
        items: [{ product: 'latte', quantity: 2, unitPrice: 3.5 }],
        wallet: { collectables: { points: { value: 480 }, stamps: { value: 9, total: 19 } } },
      },
    ],
  },
)

export const Outcome = Type.Object(
  {
    ...amountFields,
    executedActions: PreviewedActions,
  },
  { ...named('Outcome'), examples: [outcomeExample] },
)

export const Preview = Type.Object(
  {
    ...basketFields,
    executedActions: PreviewedActions,
    spendable: Optional(
      Type.Number({
        description:
          'With `?include=spendable`: the maximum number of points that can be spent on this basket; ' +
          "0 if that is below the campaign's minimum. Absent if the card does not allow spending points.",
      }),
    ),
    spendableBalance: Optional(
      Type.String({ description: 'Key of the balance that these points come from.' }),
    ),
  },
  {
    ...named('TransactionPreview'),
    description: 'What a basket would do.',
    examples: [{ ...previewExample, spendable: 120, spendableBalance: 'points' }],
  },
)
export const ProcessedTransaction = Type.Object(
  {
    id: Id('txn'),
    ...basketFields,
    executedActions: ExecutedActions,
    createdAt: Processed,
    walletUrl: Optional(
      Type.String({
        description:
          "With `?include=walletUrl`: the card's wallet page, for a QR code on the receipt. Absent if the URL was revoked, or if the card or the customer is blocked by now.",
        examples: [exampleWalletUrl],
      }),
    ),
  },
  {
    ...named('ProcessedTransaction'),
    examples: [processedExample],
  },
)

export const Transaction = Type.Object(
  {
    id: Id('txn'),
    ...basketFields,
    executedActions: ExecutedActions,
    customerName: Optional(CustomerName),
    createdAt: Processed,
    discountAmount: Optional(Type.Number({ description: 'What you took off the order, as sent.' })),
    discountedAmount: Optional(
      Type.Number({ description: 'What you left to pay for the whole order, as sent.' }),
    ),
    couponsIncluded: Optional(Type.Boolean({ description: 'As sent.' })),
    items: Type.Array(Item, { description: 'The items as sent.' }),
    metaData: Optional(FreeForm('As sent.')),
    campaigns: Type.Array(
      Type.Object(
        { id: Id('cmp'), version: Type.Integer({ description: 'The version that ran.' }) },
        { ...named('CampaignRun') },
      ),
      { description: 'The campaign versions it ran on.' },
    ),
    reward: Optional(CouponIds('for the whole order')),
    returns: Type.Array(Return, { description: 'What was returned, in order.' }),
  },
  {
    ...named('Transaction'),
    examples: [transactionExample],
  },
)
