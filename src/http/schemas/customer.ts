import { Type } from 'typebox'
import type { Reward as RewardWords } from '../../domain/coupon.ts'
import { named } from '../openapi/name-components.ts'
import {
  adjustmentEntryExample,
  cardExample,
  couponExample,
  customerExample,
  customerWithCouponsExample,
  customerWithExpiryExample,
  exampleId,
  exampleWalletToken,
  ledgerEntryExample,
} from './examples.ts'
import { CustomerName, FreeForm, Id, Nullable, OpaqueId, Optional, Text, Timestamp } from './fields.ts'

const ProfileData = Type.Object(
  {
    phone: Optional(
      Text(64, {
        description: "In international format, or in the national format of the organization's country.",
        examples: ['+1 202 555 0123'],
      }),
    ),
    email: Optional(Text(254, { format: 'customer-email', examples: ['ada@example.com'] })),
    fullname: Optional(Text(200, { examples: ['Ada Lovelace'] })),
  },
  { description: 'The profile. Neither phone nor email is required; an empty string counts as no value.' },
)

const Consents = Type.Object(
  { marketing: Optional(Type.Boolean()) },
  { description: 'What the customer agreed to.', examples: [{ marketing: true }] },
)

export const NewCustomer = Type.Object(
  {
    data: ProfileData,
    metaData: Optional(FreeForm('Anything you want to store with the customer.')),
    consents: Optional(Consents),
    opaqueId: Optional(
      Text(255, { description: 'Your own ID for the customer; unique in the organization.' }),
    ),
  },
  {
    ...named('NewCustomer'),
    examples: [{ data: { phone: '+1 202 555 0123', fullname: 'Ada Lovelace' }, opaqueId: 'crm-4711' }],
  },
)

export type NewCustomerBody = Type.Static<typeof NewCustomer>

/** If an ID is sent, the customer's other fields are not looked at, not even their types. */
const RegisteredCustomer = Type.Unsafe<{ id: string } | NewCustomerBody>({
  type: 'object',
  if: { required: ['id'] },
  // biome-ignore lint/suspicious/noThenProperty: `then` is a JSON Schema keyword.
  then: {
    type: 'object',
    required: ['id'],
    properties: { id: Id('cus', 'An existing customer.') },
    'x-free-form': true,
  },
  else: NewCustomer,
  description: 'An existing customer by `id`, or the profile of a new one.',
})

export const RegisterCustomer = Type.Object(
  { campaignId: Id('cmp', 'A published campaign.'), customer: RegisteredCustomer },
  {
    examples: [
      {
        campaignId: exampleId('cmp'),
        customer: { data: { phone: '+1 202 555 0123', fullname: 'Ada Lovelace' } },
      },
    ],
  },
)

export const PatchCustomer = Type.Object(
  {
    data: Optional(
      Nullable(
        Type.Object({
          phone: Optional(Nullable(Text(64))),
          email: Optional(Nullable(Text(254, { format: 'customer-email' }))),
          fullname: Optional(Nullable(Text(200))),
        }),
      ),
    ),
    metaData: Optional(Nullable(FreeForm('Merged into the existing metadata.'))),
    consents: Optional(Nullable(Type.Object({ marketing: Optional(Nullable(Type.Boolean())) }))),
    opaqueId: Optional(Nullable(Text(255))),
  },
  {
    ...named('CustomerPatch'),
    description: 'JSON Merge Patch: `null` removes a field.',
    examples: [{ data: { fullname: 'Ada King' } }],
  },
)

export type PatchCustomerBody = Type.Static<typeof PatchCustomer>

export const Card = Type.Object(
  {
    id: Id('card', 'Send it as `card` in transactions.'),
    barcode: Type.String({ examples: ['2718281828459041'] }),
    status: Type.Integer({ description: '1 active, 2 blocked, 3 replaced, 4 closed' }),
    campaign: Id('cmp'),
    campaignName: Type.String(),
    walletUrl: Optional(
      Type.String({
        description:
          'The wallet page, for the customer only: anyone with the link sees the card. Absent if it was revoked, or if the card is replaced or closed.',
        examples: [`https://loyalty.example.com/w/${exampleWalletToken}`],
      }),
    ),
    createdAt: Timestamp(),
  },
  { ...named('Card'), examples: [cardExample] },
)

export const Collectables = Type.Unsafe<Record<string, { value: number; total: number }>>({
  ...named('Collectables'),
  type: 'object',
  additionalProperties: {
    type: 'object',
    required: ['value', 'total'],
    properties: {
      value: { type: 'number', description: 'Amount available now.' },
      total: { type: 'number', description: 'Amount ever collected, minus what returns reversed.' },
    },
  },
  examples: [{ points: { value: 120, total: 320 }, stamps: { value: 3, total: 13 } }],
})

const Reward = Type.Unsafe<RewardWords>(
  Type.Object(
    {
      key: Type.String(),
      name: Type.String(),
      kind: Type.Union([
        Type.Literal('free_product'),
        Type.Literal('amount_off'),
        Type.Literal('percent_off'),
      ]),
      products: Optional(Type.Array(Type.String())),
      amount: Optional(Type.Number()),
      percent: Optional(Type.Number()),
      maxAmount: Optional(Type.Number()),
    },
    named('Reward'),
  ),
)

export const Coupon = Type.Object(
  {
    id: Optional(Id('cpn', 'Absent in a preview.')),
    status: Type.Integer({ description: '1 active, 3 redeemed, 4 expired, 5 revoked' }),
    reward: Reward,
    expiresAt: Optional(Timestamp()),
    campaign: Optional(Id('cmp')),
    customer: Optional(Id('cus')),
    customerName: Optional(CustomerName),
    grantedBy: Optional(
      Id('txn', 'The transaction that granted it. Absent if the coupon was issued by hand.'),
    ),
    redeemedBy: Optional(Id('txn')),
    createdAt: Optional(Timestamp()),
    endedAt: Optional(Timestamp('When it was redeemed, booked as expired or revoked.')),
  },
  { ...named('Coupon'), examples: [couponExample] },
)

export const Tiers = Type.Array(
  Type.Object({ campaign: Id('cmp'), key: Type.String(), name: Type.String() }, named('HeldTier')),
  {
    description:
      "The tiers that the customer holds now, in every published or paused campaign that runs on one of the customer's cards, unless it has not started or has ended.",
  },
)

const customerFields = {
  id: Id('cus'),
  data: Type.Object({
    phone: Optional(Type.String({ description: 'E.164', examples: ['+12025550123'] })),
    email: Optional(Type.String()),
    fullname: Optional(Type.String()),
  }),
  collectables: Collectables,
  opaqueId: Nullable(Type.String()),
  status: Type.Integer({ description: '1 active, 2 blocked' }),
  metaData: Optional(FreeForm('As sent.')),
  consents: Optional(Consents),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
  cards: Type.Array(Card, {
    description: 'Active cards first, then blocked ones, then those that were replaced.',
  }),
  tiers: Tiers,
}

export const Customer = Type.Object(customerFields, { ...named('Customer'), examples: [customerExample] })

export const CustomerWithCoupons = Type.Object(
  {
    ...customerFields,
    coupons: Type.Array(Coupon, { description: 'The coupons that can be redeemed now.' }),
    matchedCard: Optional(
      Id(
        'card',
        'Only if found by a barcode: the card to use, which is the newest replacement of a replaced card. It may be blocked.',
      ),
    ),
  },
  { ...named('CustomerWithCoupons'), examples: [customerWithCouponsExample] },
)

export const CustomerWithExpiry = Type.Object(
  {
    ...customerFields,
    coupons: Type.Array(Coupon),
    expiring: Type.Array(Type.Object({ key: Type.String(), amount: Type.Number(), at: Timestamp() })),
  },
  { ...named('CustomerWithExpiry'), examples: [customerWithExpiryExample] },
)

export const LedgerEntry = Type.Object(
  {
    key: Type.String({ description: 'Key of the balance.' }),
    version: Type.Integer({ description: 'Counts up per balance without gaps, starting at 1.' }),
    kind: Type.String({
      examples: ['collect'],
      description: 'collect, spend, consume, adjust, expire or return',
    }),
    amount: Type.Number({ description: 'Signed amount.' }),
    value: Type.Number({ description: 'The balance after this entry.' }),
    total: Type.Number({ description: 'The lifetime total after this entry.' }),
    transaction: Optional(Id('txn')),
    campaign: Optional(Id('cmp')),
    rule: Optional(Type.String()),
    reason: Optional(Type.String()),
    user: Optional(Id('usr')),
    createdAt: Timestamp(),
  },
  { ...named('LedgerEntry'), examples: [ledgerEntryExample] },
)

/** The ledger entry of an adjustment, with its own example. */
export const AdjustmentEntry = Type.Object(LedgerEntry.properties, {
  ...named('LedgerEntry'),
  examples: [adjustmentEntryExample],
})

export const Adjustment = Type.Object(
  {
    key: OpaqueId('Key of the balance.'),
    amount: Type.Number({
      minimum: -9e15,
      maximum: 9e15,
      description: 'Signed: positive adds, negative deducts.',
    }),
    reason: Type.String({ minLength: 1, maxLength: 500 }),
  },
  { examples: [{ key: 'points', amount: 50, reason: 'Cold coffee, our fault' }] },
)
