import { Type } from 'typebox'
import type { Reward as RewardWords } from '../../domain/coupon.ts'
import { named } from '../openapi/name-components.ts'
import {
  CardStatus,
  CouponStatus,
  CustomerStatus,
  Languages,
  LedgerEntryKind,
  RewardKind,
} from './choices.ts'
import { Consents, ConsentsPatch, NewConsents } from './consents.ts'
import {
  adjustmentEntryExample,
  cardExample,
  couponExample,
  customerExample,
  customerWithCouponsExample,
  customerWithExpiryExample,
  exampleId,
  exampleWalletUrl,
  ledgerEntryExample,
} from './examples.ts'
import {
  CreatedAt,
  CustomerName,
  FreeForm,
  Id,
  Key,
  Nullable,
  Optional,
  Text,
  Timestamp,
  UpdatedAt,
} from './fields.ts'

const ProfileData = Type.Object(
  {
    phone: Optional(
      Text(64, {
        description: "In international format, or in the national format of the organization's country.",
        examples: ['+1 202 555 0123'],
      }),
    ),
    email: Optional(
      Text(254, {
        format: 'customer-email',
        description: 'An email address; compared without regard to case.',
        examples: ['ada@example.com'],
      }),
    ),
    fullname: Optional(
      Text(200, { description: 'The full name, in one piece.', examples: ['Ada Lovelace'] }),
    ),
  },
  { description: 'The profile. Neither phone nor email is required; an empty string counts as no value.' },
)

export const NewCustomer = Type.Object(
  {
    data: ProfileData,
    metaData: Optional(FreeForm('Anything you want to store with the customer; at most 8 KB as JSON.')),
    consents: Optional(NewConsents),
    opaqueId: Optional(
      Text(255, { description: 'Your own ID for the customer; unique in the organization.' }),
    ),
    language: Optional(Languages),
  },
  {
    ...named('NewCustomer'),
    description: 'The profile of a new customer.',
    examples: [{ data: { email: 'grace@example.com', fullname: 'Grace Hopper' }, opaqueId: 'crm-4711' }],
  },
)

export type NewCustomerBody = Type.Static<typeof NewCustomer>

const existing = { id: Id('cus', 'An existing customer.') }

const ExistingCustomer = Type.Object(existing, {
  ...named('ExistingCustomer'),
  'x-free-form': true,
  description: 'A customer who is known already. Everything besides the ID is ignored.',
})

const aboutRegistered = 'An existing customer by `id`, or the profile of a new one.'

/**
 * If an ID is sent, the customer's other fields are not looked at, not even their types. Generators of clients
 * lose the type of a condition, so the document says the same with alternatives, and that an ID has its type
 * in both: otherwise a profile with a number for an ID would be a new customer.
 */
const RegisteredCustomer = Type.Unsafe<{ id: string } | NewCustomerBody>({
  type: 'object',
  if: { required: ['id'] },
  // biome-ignore lint/suspicious/noThenProperty: `then` is a JSON Schema keyword.
  then: ExistingCustomer,
  else: NewCustomer,
  'x-published': {
    allOf: [{ type: 'object', properties: existing }, { anyOf: [NewCustomer, ExistingCustomer] }],
    description: aboutRegistered,
  },
})

export const RegisterCustomer = Type.Object(
  { campaignId: Id('cmp', 'A published campaign.'), customer: RegisteredCustomer },
  {
    ...named('Registration'),
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
        Type.Object(
          {
            phone: Optional(Nullable(Text(64), 'The new phone number, or `null` to remove it.')),
            email: Optional(
              Nullable(
                Text(254, { format: 'customer-email' }),
                'The new email address, or `null` to remove it.',
              ),
            ),
            fullname: Optional(Nullable(Text(200), 'The new full name, or `null` to remove it.')),
          },
          { description: 'The properties to change.' },
        ),
        'Changes to the profile; `null` removes all of it.',
      ),
    ),
    metaData: Optional(
      Nullable(
        FreeForm('Merged into the existing metadata; at most 8 KB as JSON together.'),
        'Merged into the existing metadata; `null` removes all of it.',
      ),
    ),
    consents: Optional(
      Nullable(ConsentsPatch, 'Changes to what the customer agreed to; `null` removes all of it.'),
    ),
    opaqueId: Optional(Nullable(Text(255), 'Your own ID for the customer, or `null` to remove it.')),
    language: Optional(
      Nullable(Languages, "The customer's language, or `null` for that of the organization."),
    ),
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
    barcode: Type.String({
      description: 'What a scanner reads: digits, the last of which is a check digit.',
      examples: ['2718281828459045'],
    }),
    status: CardStatus,
    awaitsApproval: Optional(
      Type.Literal(true, {
        description: 'The customer enrolled alone; the card is blocked until it is unblocked.',
      }),
    ),
    campaign: Id('cmp', 'The campaign that the card was opened for.'),
    campaignName: Type.String({ description: 'Name of that campaign.' }),
    walletUrl: Optional(
      Type.String({
        description:
          'The wallet page, for the customer only: anyone with the link sees the card. Absent if it was revoked, or if the card is replaced or closed. Cashiers get it from `POST /v1/cards/{id}/wallet/show` only, and people in no list.',
        examples: [exampleWalletUrl],
      }),
    ),
    createdAt: CreatedAt,
  },
  { ...named('Card'), examples: [cardExample] },
)

export const Collectables = Type.Unsafe<Record<string, { value: number; total: number }>>({
  ...named('Collectables'),
  type: 'object',
  description: 'Balances by their keys.',
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
      key: Type.String({ description: 'Key of the reward in its campaign.' }),
      name: Type.String({ description: 'The name customers see.' }),
      kind: RewardKind,
      products: Optional(
        Type.Array(Type.String(), {
          description: 'With `free_product`: your IDs of the products, one unit of one of which is free.',
        }),
      ),
      amount: Optional(Type.Number({ description: 'With `amount_off`: what is taken off, in money.' })),
      percent: Optional(Type.Number({ description: 'With `percent_off`: the discount in percent.' })),
      maxAmount: Optional(
        Type.Number({ description: 'With `percent_off`: the most that is taken off, in money.' }),
      ),
    },
    {
      ...named('Reward'),
      description: 'What a coupon gives, as it was when the coupon was granted.',
    },
  ),
)

const promised = {
  status: CouponStatus,
  reward: Reward,
  expiresAt: Optional(Timestamp('When it can no longer be redeemed. Absent if it does not expire.')),
  campaign: Optional(Id('cmp', 'The campaign that it comes from.')),
}

export const PreviewedCoupon = Type.Object(promised, {
  ...named('PreviewedCoupon'),
  description: 'A coupon that the sale would grant; it has no ID yet.',
})

export const Coupon = Type.Object(
  {
    id: Id('cpn'),
    ...promised,
    customer: Optional(Id('cus', 'Whose it is. Absent where the customer is known from the response.')),
    customerName: Optional(CustomerName),
    grantedBy: Optional(
      Id('txn', 'The transaction that granted it. Absent if the coupon was issued by hand.'),
    ),
    redeemedBy: Optional(Id('txn', 'The transaction that redeemed it.')),
    createdAt: Optional(CreatedAt),
    endedAt: Optional(Timestamp('When it was redeemed, booked as expired or revoked.')),
  },
  { ...named('Coupon'), examples: [couponExample] },
)

export const Tiers = Type.Array(
  Type.Object(
    {
      campaign: Id('cmp', 'The campaign that has the tier.'),
      key: Type.String({ description: 'Key of the tier in its campaign.' }),
      name: Type.String({ description: 'The name customers see.' }),
    },
    { ...named('HeldTier') },
  ),
  {
    description:
      "The tiers that the customer holds now, in every published or paused campaign that runs on one of the customer's cards, unless it has not started or has ended.",
  },
)

export const Expiring = Type.Array(
  Type.Object(
    {
      key: Type.String({ description: 'Key of the balance.' }),
      amount: Type.Number({ description: 'The amount that expires then.' }),
      at: Timestamp('When it expires.'),
    },
    { ...named('Expiration') },
  ),
  { description: 'What will expire, soonest first.' },
)

const VerifiedAddresses = Type.Object(
  {
    email: Type.Boolean({ description: 'Whether a code came back from it.' }),
    phone: Type.Boolean({ description: 'Whether a code came back from it.' }),
  },
  { ...named('VerifiedAddresses'), description: 'Which addresses the customer has confirmed.' },
)

const BouncedAddresses = Type.Object(
  {
    email: Type.Boolean({ description: 'Whether a message came back.' }),
    phone: Type.Boolean({ description: 'Whether a message came back.' }),
  },
  {
    ...named('BouncedAddresses'),
    description: 'Which addresses nothing is sent to, until they change or the customer confirms them.',
  },
)

const customerFields = {
  id: Id('cus'),
  data: Type.Object(
    {
      phone: Optional(
        Type.String({ description: 'The phone number in E.164 format.', examples: ['+12025550123'] }),
      ),
      email: Optional(Type.String({ description: 'The email address.' })),
      fullname: Optional(Type.String({ description: 'The full name.' })),
    },
    { description: 'The profile.' },
  ),
  collectables: Collectables,
  opaqueId: Nullable(Type.String(), 'Your own ID for the customer; `null` if there is none.'),
  status: CustomerStatus,
  metaData: Optional(FreeForm('As sent.')),
  consents: Optional(Consents),
  language: Optional(Languages),
  verified: VerifiedAddresses,
  bounced: BouncedAddresses,
  createdAt: CreatedAt,
  updatedAt: UpdatedAt,
  cards: Type.Array(Card, {
    description: 'Active cards first, then blocked ones, then those that were replaced.',
  }),
  tiers: Tiers,
}

export const Customer = Type.Object(customerFields, {
  ...named('Customer'),
  examples: [customerExample],
})

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
  {
    ...named('CustomerWithCoupons'),
    examples: [customerWithCouponsExample],
  },
)

export const CustomerWithExpiry = Type.Object(
  {
    ...customerFields,
    coupons: Type.Array(Coupon, { description: 'The coupons that can be redeemed now.' }),
    expiring: Expiring,
  },
  {
    ...named('CustomerWithExpiry'),
    description: 'A customer with coupons and what expires soon.',
    examples: [customerWithExpiryExample],
  },
)

export const LedgerEntry = Type.Object(
  {
    key: Type.String({ description: 'Key of the balance.' }),
    version: Type.Integer({ description: 'Counts up per balance without gaps, starting at 1.' }),
    kind: LedgerEntryKind,
    amount: Type.Number({ description: 'Signed amount.' }),
    value: Type.Number({ description: 'The balance after this entry.' }),
    total: Type.Number({ description: 'The lifetime total after this entry.' }),
    transaction: Optional(Id('txn', 'The sale that caused it, or whose return did.')),
    campaign: Optional(Id('cmp', 'The campaign whose rule or threshold caused it.')),
    rule: Optional(Type.String({ description: 'ID of the rule that gave it.' })),
    reason: Optional(Type.String({ description: 'The reason given for an adjustment or a return.' })),
    user: Optional(Id('usr', 'The user that made the adjustment.')),
    createdAt: Timestamp('When it was booked.'),
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
    key: Key('Key of the balance.'),
    amount: Type.Number({
      minimum: -9e15,
      maximum: 9e15,
      description: 'Signed: positive adds, negative deducts.',
    }),
    reason: Type.String({ minLength: 1, maxLength: 500, description: 'Why; kept in the ledger.' }),
  },
  { ...named('Adjustment'), examples: [{ key: 'points', amount: 50, reason: 'Cold coffee, our fault' }] },
)
