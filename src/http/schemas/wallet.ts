import { Type } from 'typebox'
import { named } from '../openapi/name-components.ts'
import { CardStatus, RewardKind, WalletKinds } from './choices.ts'
import { Expiring, Tiers } from './customer.ts'
import { cardExample, couponExample, customerWithExpiryExample, exampleId } from './examples.ts'
import { Id, Optional, Timestamp } from './fields.ts'
import { organizationFields } from './organization.ts'

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
  balances: [{ key: 'stamps', name: 'Stamps', value: 3, decimals: 0, total: 13 }],
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
    },
  ],
  passes: ['apple' as const],
  updatedAt: couponExample.createdAt,
}

const Amounts = (what: string) =>
  Type.Unsafe<Record<string, number>>({
    type: 'object',
    additionalProperties: { type: 'number' },
    description: `${what} in the visit, by the key of the balance.`,
  })

export const WalletCard = Type.Object(
  {
    organization: Type.Object(
      {
        name: organizationFields.name,
        color: Type.String({
          description: "The organization's color, or the default color if it has not chosen one.",
        }),
        logo: Optional(Type.String({ description: 'An https URL or a data URL.' })),
        locale: organizationFields.locale,
        currency: organizationFields.currency,
        timezone: organizationFields.timezone,
      },
      { description: 'The merchant.' },
    ),
    card: Type.Object(
      {
        barcode: Optional(
          Type.String({
            description: 'What a scanner reads. Absent while the card or its customer is blocked.',
          }),
        ),
        status: CardStatus,
        awaitsApproval: Optional(
          Type.Literal(true, { description: 'It is blocked because the merchant has to approve it first.' }),
        ),
        campaignName: Type.String({ description: 'Name of the campaign of the card.' }),
      },
      { description: 'The card.' },
    ),
    firstName: Optional(Type.String({ description: 'First word of the full name.' })),
    balances: Type.Array(
      Type.Object({
        key: Type.String({ description: 'Key of the balance.' }),
        name: Type.String({ description: 'The name customers see.' }),
        value: Type.Number({ description: 'Amount available now.' }),
        decimals: Type.Integer({ description: 'Number of decimals to show.' }),
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
        have: Type.Number({ description: 'The amount that counts toward the next coupon.' }),
        need: Type.Number({ description: 'Amount needed for the next coupon.' }),
        rewardName: Type.String({ description: 'Name of the reward that it is good for.' }),
      }),
      { description: 'Progress toward the next coupons.' },
    ),
    coupons: Type.Array(
      Type.Object({
        id: Id('cpn'),
        name: Type.String({ description: 'The name customers see.' }),
        kind: RewardKind,
        products: Optional(
          Type.Array(Type.String(), {
            description:
              'Products, one of which is free: their names, or your own IDs for those without a name.',
          }),
        ),
        expiresAt: Optional(Timestamp('When it can no longer be redeemed.')),
        campaignName: Type.String({ description: 'Name of the campaign it comes from.' }),
      }),
      { description: 'The coupons that can be redeemed now.' },
    ),
    expiring: Expiring,
    tiers: Tiers,
    visits: Type.Array(
      Type.Object({
        at: Timestamp('When it was.'),
        amount: Type.Number({ description: 'Amount payable, before points.' }),
        collected: Amounts('What was collected'),
        spent: Optional(Amounts('What was spent')),
        branchName: Optional(Type.String({ description: 'Name of the branch.' })),
        isReturned: Optional(Type.Literal(true, { description: 'Everything was returned.' })),
      }),
      { description: 'The last ten visits, newest first.' },
    ),
    passes: Type.Array(WalletKinds, { description: 'Wallets of phones that the card can be put into.' }),
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
