import { Type } from 'typebox'
import { named } from '../openapi/name-components.ts'
import { Tiers } from './customer.ts'
import { cardExample, couponExample, customerWithExpiryExample, exampleId } from './examples.ts'
import { Id, Optional, Timestamp } from './fields.ts'

const walletExample = {
  organization: {
    name: 'Blue Cup',
    color: '#0b7285',
    locale: 'en',
    currency: 'USD',
    timezone: 'America/New_York',
  },
  card: { barcode: cardExample.barcode, status: 1, campaignName: 'Coffee club' },
  firstName: 'Ada',
  balances: [
    { key: 'points', name: 'Points', value: 120, decimals: 0, total: 320 },
    { key: 'stamps', name: 'Stamps', value: 3, decimals: 0, total: 13 },
  ],
  progress: [{ key: 'stamps', have: 3, need: 10, rewardName: 'Free coffee' }],
  coupons: [
    {
      id: exampleId('cpn'),
      name: 'Free coffee',
      kind: 'free_product',
      products: ['Espresso', 'Latte'],
      expiresAt: couponExample.expiresAt,
      campaignName: 'Coffee club',
    },
  ],
  expiring: customerWithExpiryExample.expiring,
  tiers: customerWithExpiryExample.tiers,
  visits: [
    {
      at: couponExample.createdAt,
      amount: 7,
      collected: { points: 6, stamps: 2 },
      spent: { points: 100 },
      branchName: 'Main Street',
    },
  ],
  updatedAt: couponExample.createdAt,
}

const Amounts = Type.Unsafe<Record<string, number>>({
  type: 'object',
  additionalProperties: { type: 'number' },
  description: 'Amount per balance key.',
})

export const WalletCard = Type.Object(
  {
    organization: Type.Object({
      name: Type.String(),
      color: Type.String({
        description: "The organization's color, or the default color if it has not chosen one.",
      }),
      logo: Optional(Type.String({ description: 'An https URL or a data URL.' })),
      locale: Type.String(),
      currency: Type.String(),
      timezone: Type.String(),
    }),
    card: Type.Object({
      barcode: Type.String(),
      status: Type.Integer({ description: '1 active, 2 blocked' }),
      campaignName: Type.String(),
    }),
    firstName: Optional(Type.String()),
    balances: Type.Array(
      Type.Object({
        key: Type.String(),
        name: Type.String(),
        value: Type.Number({ description: 'Amount available now.' }),
        decimals: Type.Integer(),
        total: Type.Number({ description: 'Amount ever collected, minus what returns reversed.' }),
        otherCampaign: Optional(
          Type.String({
            description: "Name of the campaign it belongs to, if that is not the card's campaign.",
          }),
        ),
      }),
      { description: "The customer's balances, those of the card's campaign first." },
    ),
    progress: Type.Array(
      Type.Object({
        key: Type.String({ description: 'Key of the balance being collected.' }),
        have: Type.Number(),
        need: Type.Number({ description: 'Amount needed for the next coupon.' }),
        rewardName: Type.String(),
      }),
    ),
    coupons: Type.Array(
      Type.Object({
        id: Id('cpn'),
        name: Type.String(),
        kind: Type.String({ description: 'free_product, amount_off or percent_off' }),
        products: Optional(
          Type.Array(Type.String(), {
            description:
              'Products, one of which is free: their names, or your own IDs for those without a name.',
          }),
        ),
        expiresAt: Optional(Timestamp()),
        campaignName: Type.String(),
      }),
      { description: 'The coupons that can be redeemed now.' },
    ),
    expiring: Type.Array(Type.Object({ key: Type.String(), amount: Type.Number(), at: Timestamp() })),
    tiers: Tiers,
    visits: Type.Array(
      Type.Object({
        at: Timestamp(),
        amount: Type.Number({ description: 'Amount payable, before points.' }),
        collected: Amounts,
        spent: Optional(Amounts),
        branchName: Optional(Type.String()),
        isReturned: Optional(Type.Literal(true, { description: 'Everything was returned.' })),
      }),
      { description: 'The last ten visits, newest first.' },
    ),
    updatedAt: Timestamp('When this state was read.'),
  },
  { ...named('WalletCard'), examples: [walletExample] },
)

export const Svg = {
  content: {
    'image/svg+xml': {
      schema: Type.String({
        examples: ['<svg viewBox="0 0 286 119" xmlns="http://www.w3.org/2000/svg"></svg>'],
      }),
    },
  },
}

export const Manifest = {
  content: {
    'application/manifest+json': {
      schema: Type.Unsafe<object>({
        type: 'object',
        additionalProperties: true,
        description: 'A web app manifest.',
        examples: [
          { name: 'Blue Cup: Coffee club', start_url: '/w/AAAAAQ', display: 'standalone', icons: [] },
        ],
      }),
    },
  },
}
