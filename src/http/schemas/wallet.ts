import { Type } from 'typebox'
import { named } from '../openapi/name-components.ts'
import { CardStatus, Channels, Languages, OrganizationMode, RewardKind, WalletKinds } from './choices.ts'
import { Expiring, Tiers } from './customer.ts'
import { cardExample, couponExample, customerWithExpiryExample, exampleId } from './examples.ts'
import { Id, Optional, Text, Timestamp } from './fields.ts'
import { OrganizationContact, organizationFields } from './organization.ts'
import { Totals } from './transaction.ts'

const visitExample = {
  id: exampleId('txn'),
  at: couponExample.createdAt,
  amount: 7,
  collected: { points: 6, stamps: 2 },
}

const receiptExample = {
  ...visitExample,
  branchName: 'Main Street',
  receiptNumber: 'T1-000123',
  items: [{ name: 'Latte', quantity: 2, amount: 7 }],
  totals: { amount: 7, discounts: 0, coupons: 0, points: 0, due: 7 },
  redeemed: [],
  granted: [{ name: 'Free coffee' }],
  returns: [],
}

const walletExample = {
  organization: {
    name: 'Blue Cup',
    color: '#0b7285',
    locale: 'en',
    currency: 'USD',
    timezone: 'America/New_York',
    mode: 'live' as const,
    contact: { openingHours: 'Mon–Fri 7–18' },
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
  spend: { key: 'points', worth: 0.01, least: 100 },
  visits: [visitExample],
  contacts: [{ channel: 'email' as const, address: 'a•••@e•••.com', isVerified: true, canReceive: true }],
  unconfirmed: [],
  passes: ['apple' as const],
  updatedAt: couponExample.createdAt,
}

const Amounts = (what: string) =>
  Type.Unsafe<Record<string, number>>({
    type: 'object',
    additionalProperties: { type: 'number' },
    description: `${what} in the visit, by the key of the balance.`,
  })

const visitFields = {
  id: Id('txn', 'ID of the visit: of its transaction.'),
  at: Timestamp('When it was.'),
  amount: Type.Number({ description: 'Amount payable, before points.' }),
  collected: Amounts('What was collected'),
  spent: Optional(Amounts('What was spent')),
  branchName: Optional(Type.String({ description: 'Name of the branch.' })),
  isReturned: Optional(Type.Literal(true, { description: 'Everything was returned.' })),
  isPartlyReturned: Optional(Type.Literal(true, { description: 'Some of it was returned.' })),
}

export const WalletVisit = Type.Object(visitFields, { ...named('WalletVisit'), examples: [visitExample] })

const ItemName = Optional(
  Type.String({ description: 'What the receipt calls it, or the name of the product, or your ID for it.' }),
)
const Quantity = (description: string) => Type.Number({ description })

/** A visit as its receipt shows it. */
export const WalletReceipt = Type.Object(
  {
    ...visitFields,
    receiptNumber: Optional(Type.String({ description: 'Your receipt number.' })),
    items: Type.Array(
      Type.Object({
        name: ItemName,
        quantity: Quantity('How many of it, or how much.'),
        amount: Type.Number({ description: 'Price for the whole quantity, before discounts.' }),
        discount: Optional(Type.Number({ description: 'What you took off this item.' })),
      }),
      { description: 'What was bought; empty for a sale that was sent without items.' },
    ),
    totals: Totals,
    redeemed: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Name of the coupon.' }),
        discount: Type.Number({ description: 'What it was worth.' }),
      }),
      { description: 'Coupons that were used.' },
    ),
    granted: Type.Array(Type.Object({ name: Type.String({ description: 'Name of the coupon.' }) }), {
      description: 'Coupons that were earned.',
    }),
    returns: Type.Array(
      Type.Object({
        at: Timestamp('When it was booked.'),
        items: Type.Array(
          Type.Object({ name: ItemName, quantity: Quantity('How much of it was returned.') }),
          { description: 'What was returned.' },
        ),
        refundAmount: Type.Number({ description: 'Amount refunded.' }),
        changes: Type.Unsafe<Record<string, number>>({
          type: 'object',
          additionalProperties: { type: 'number' },
          description: 'How much balances changed by it, by their keys; negative where it was taken back.',
        }),
      }),
      { description: 'What was returned later, the oldest first.' },
    ),
  },
  { ...named('WalletReceipt'), examples: [receiptExample] },
)

const merchantFields = {
  name: organizationFields.name,
  color: Type.String({
    description: "The organization's color, or the default color if it has not chosen one.",
  }),
  logo: Optional(Type.String({ description: 'An https URL or a data URL.' })),
  locale: organizationFields.locale,
}

const MaskedAddress = {
  channel: Channels,
  address: Type.String({
    description: 'Not all of it: enough to recognize it.',
    examples: ['a•••@e•••.com'],
  }),
}

export const LostWallet = Type.Object(
  {
    organization: Type.Object(merchantFields, { description: 'The merchant.' }),
    channels: Type.Array(Channels, { description: 'How a new link can be sent; empty if it cannot.' }),
  },
  {
    ...named('LostWallet'),
    examples: [
      { organization: { name: 'Blue Cup', color: '#0b7285', locale: 'en' }, channels: ['email' as const] },
    ],
  },
)

/** Which of both it is is checked by the route: generators of clients lose the type of alternatives. */
export const LostLinkBody = Type.Object(
  {
    email: Optional(Text(254, { description: 'The email address on file.' })),
    phone: Optional(Text(64, { description: 'The phone number on file, in any common format.' })),
  },
  {
    ...named('LostLink'),
    description: 'Either the email address or the phone number.',
    examples: [{ email: 'ada@example.com' }],
  },
)

export const WalletCard = Type.Object(
  {
    organization: Type.Object(
      {
        ...merchantFields,
        mode: OrganizationMode,
        currency: organizationFields.currency,
        timezone: organizationFields.timezone,
        contact: OrganizationContact,
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
          Type.Literal(true, { description: 'The card is blocked until the merchant approves it.' }),
        ),
        campaignName: Type.String({ description: 'Name of the campaign of the card.' }),
      },
      { description: 'The card.' },
    ),
    firstName: Optional(Type.String({ description: 'First word of the full name.' })),
    language: Optional(Languages),
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
    spend: Optional(
      Type.Object(
        {
          key: Type.String({ description: 'Key of the balance that can be spent.' }),
          worth: Type.Number({ description: 'What one of it is worth, in money.' }),
          least: Optional(Type.Number({ description: 'The least that can be spent at once.' })),
        },
        { description: 'What points are worth; absent if the campaign of the card spends none.' },
      ),
    ),
    visits: Type.Array(WalletVisit, { description: 'The last ten visits, newest first.' }),
    moreVisits: Optional(
      Type.String({ description: 'The `cursor` of older visits; absent if there are none.' }),
    ),
    contacts: Type.Array(
      Type.Object({
        ...MaskedAddress,
        isVerified: Type.Boolean({ description: 'Whether a code has come back from it.' }),
        canReceive: Type.Boolean({ description: 'Whether the organization can send something there.' }),
      }),
      { description: 'Where the customer can be reached.' },
    ),
    unconfirmed: Type.Array(Type.Object(MaskedAddress), {
      description: 'Addresses that the customer has named, and that wait for the code that was sent there.',
    }),
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
