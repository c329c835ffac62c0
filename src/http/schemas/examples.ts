/**
 * The examples in the API reference tell one story: Ada's coffee club card and her basket of two lattes. A
 * test checks each of them against its schema.
 */
export const exampleId = <P extends string>(prefix: P) =>
  `${prefix}_019a83f2c1d27b3a9e5f6d7c8b9a0f1e` as const

/** What a secret looks like after its prefix. */
export const exampleSecret = '8Jd1mW3rXb7yVt0pQz5nLs2uEaKc4hGf9iRoTj6xYvB'

/** Signed with a pepper that no installation uses. */
export const exampleWalletToken = 'AAAAAQGag_LB0nIKnl9tfIuaDx4AAAABmx7Yd0gk2c4pQvJt6LrSgw'
export const exampleWalletUrl = `https://loyalty.example.com/w/${exampleWalletToken}`

const at = '2026-03-14T09:26:53.589Z'

export const cardExample = {
  id: exampleId('card'),
  barcode: '2718281828459045',
  status: 1,
  campaign: exampleId('cmp'),
  campaignName: 'Coffee club',
  walletUrl: exampleWalletUrl,
  createdAt: at,
}

const rewardExample = { key: 'free-coffee', name: 'Free coffee', kind: 'free_product', products: ['latte'] }

const grantedCoupon = {
  id: exampleId('cpn'),
  status: 1,
  reward: rewardExample,
  expiresAt: '2026-04-13T09:26:53.589Z',
  campaign: exampleId('cmp'),
}

export const couponExample = { ...grantedCoupon, customer: exampleId('cus'), createdAt: at }

export const customerExample = {
  id: exampleId('cus'),
  data: { phone: '+12025550123', email: 'ada@example.com', fullname: 'Ada Lovelace' },
  collectables: { points: { value: 120, total: 320 }, stamps: { value: 3, total: 13 } },
  opaqueId: 'crm-4711',
  status: 1,
  consents: { marketing: true, history: [{ purpose: 'marketing', given: true, at, via: 'connection' }] },
  language: 'en',
  verified: { email: true, phone: false },
  bounced: { email: false, phone: false },
  createdAt: at,
  updatedAt: at,
  cards: [cardExample],
  tiers: [{ campaign: exampleId('cmp'), key: 'silver', name: 'Silver' }],
}

const customerWithCoupons = { ...customerExample, coupons: [grantedCoupon] }

export const customerWithCouponsExample = { ...customerWithCoupons, matchedCard: cardExample.id }

export const customerWithExpiryExample = {
  ...customerWithCoupons,
  expiring: [{ key: 'points', amount: 20, at: '2026-12-31T23:59:59.999Z' }],
}

export const ledgerEntryExample = {
  key: 'points',
  version: 7,
  kind: 'collect',
  amount: 6,
  value: 120,
  total: 320,
  transaction: exampleId('txn'),
  campaign: exampleId('cmp'),
  rule: 'base',
  createdAt: at,
}

export const adjustmentEntryExample = {
  key: 'points',
  version: 8,
  kind: 'adjust',
  amount: 50,
  value: 170,
  total: 320,
  reason: 'Cold coffee, our fault',
  user: exampleId('usr'),
  createdAt: at,
}

export const basketExample = {
  customer: exampleId('cus'),
  card: exampleId('card'),
  opaqueId: 'T1-000123',
  items: [{ product: 'latte', quantity: 2, unitPrice: 3.5 }],
}

const basketAnswer = {
  status: 1,
  opaqueId: 'T1-000123',
  customer: exampleId('cus'),
  card: exampleId('card'),
  user: exampleId('usr'),
  userOpaqueId: 'cash-7',
  branch: exampleId('brn'),
  branchOpaqueId: 'store-12',
  amount: 7,
  payableAmount: 7,
  totals: { amount: 7, discounts: 0, coupons: 0, points: 0, due: 7 },
  pointsSpent: 0,
  pointsDiscount: 0,
  occurredAt: at,
}

const executedActionsExample = {
  collectables: { points: { value: 127, total: 327 }, stamps: { value: 0, total: 10 } },
  coupons: [grantedCoupon],
  actions: [
    { type: 'collect', key: 'points', amount: 7, value: 127, campaign: exampleId('cmp'), rule: 'base' },
    { type: 'collect', key: 'stamps', amount: 2, value: 10, campaign: exampleId('cmp'), rule: 'coffee' },
    {
      type: 'grant_coupon',
      coupon: exampleId('cpn'),
      reward: 'free-coffee',
      campaign: exampleId('cmp'),
      key: 'stamps',
      amount: 10,
      value: 0,
    },
  ],
  skipped: [{ campaign: exampleId('cmp'), rule: 'double', reason: 'branch' }],
  progress: [{ key: 'stamps', have: 0, need: 10, reward: 'free-coffee' }],
}

export const processedExample = {
  id: exampleId('txn'),
  ...basketAnswer,
  executedActions: executedActionsExample,
  createdAt: at,
}

/** A preview has no IDs of its own: neither the transaction nor the coupon exists. */
export const previewExample = {
  ...basketAnswer,
  executedActions: {
    ...executedActionsExample,
    coupons: [{ ...grantedCoupon, id: undefined }],
    actions: executedActionsExample.actions.map((action) =>
      action.type === 'grant_coupon' ? { ...action, coupon: undefined } : action,
    ),
  },
}

export const transactionExample = {
  ...processedExample,
  items: [{ id: '1', product: 'latte', quantity: 2, unitPrice: 3.5 }],
  campaigns: [{ id: exampleId('cmp'), version: 3 }],
  returns: [],
}

const shop = {
  name: 'Blue Cup',
  country: 'US',
  currency: 'USD',
  timezone: 'America/New_York',
  mode: 'live',
}

export const organizationExample = {
  ...shop,
  id: exampleId('org'),
  locale: 'en',
  contact: {},
  strictReferences: false,
  maxBackdateDays: 30,
  subscription: { active: true },
  isDemo: false,
  createdAt: at,
}

export const integrationExample = { id: exampleId('int'), name: 'ACME POS', createdAt: at }

export const connectionExample = {
  id: exampleId('con'),
  organization: exampleId('org'),
  integration: exampleId('int'),
  scopes: ['pos'],
  createdAt: at,
}

export const tokenExample = {
  accessToken: 'eyJhbGciOiJIUzI1NiJ9.eyJvcmciOiJvcmdfMDE5YSJ9.c2lnbmF0dXJl',
  tokenType: 'Bearer',
  expiresIn: 1_773_483_600_000,
  expiresAt: '2026-03-14T10:20:00.000Z',
  refreshToken: `lwr_${exampleSecret}`,
}

export const campaignDefinitionExample = {
  name: 'Coffee club',
  balances: [
    { key: 'points', name: 'Points' },
    { key: 'stamps', name: 'Stamps' },
  ],
  rules: [
    { id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 },
    {
      id: 'coffee',
      kind: 'collect_per_item',
      balance: 'stamps',
      amount: 1,
      products: ['latte', 'flat-white'],
    },
  ],
  rewards: [
    { key: 'free-coffee', name: 'Free coffee', kind: 'free_product', products: ['latte'], validDays: 30 },
  ],
  thresholds: [{ balance: 'stamps', at: 10, grant: 'free-coffee', consume: true }],
  spend: { balance: 'points', worth: 0.01, min: 100 },
}

export const campaignExample = {
  id: exampleId('cmp'),
  status: 'published',
  version: 3,
  hasChanges: false,
  ...campaignDefinitionExample,
  createdAt: at,
  updatedAt: at,
}

/** A campaign as created: nothing is published yet. */
export const draftExample = { ...campaignExample, status: 'draft', version: 0, hasChanges: true }

export const outcomeExample = {
  amount: basketAnswer.amount,
  payableAmount: basketAnswer.payableAmount,
  totals: basketAnswer.totals,
  pointsSpent: 0,
  pointsDiscount: 0,
  executedActions: {
    ...previewExample.executedActions,
    collectables: { points: { value: 487, total: 487 }, stamps: { value: 1, total: 11 } },
    actions: [
      { type: 'collect', key: 'points', amount: 7, value: 487, campaign: exampleId('cmp'), rule: 'base' },
      { type: 'collect', key: 'stamps', amount: 2, value: 11, campaign: exampleId('cmp'), rule: 'coffee' },
      {
        type: 'grant_coupon',
        reward: 'free-coffee',
        campaign: exampleId('cmp'),
        key: 'stamps',
        amount: 10,
        value: 1,
      },
    ],
    progress: [{ key: 'stamps', have: 1, need: 10, reward: 'free-coffee' }],
  },
}

export const returnExample = {
  id: exampleId('ret'),
  transaction: exampleId('txn'),
  opaqueId: 'T1-000123-R1',
  reason: 'Cold',
  items: [{ id: '1', quantity: 1 }],
  pointsRestored: 0,
  refundAmount: 3.5,
  createdAt: '2026-03-14T10:02:11.004Z',
  executedActions: {
    collectables: { points: { value: 123, total: 323 }, stamps: { value: 9, total: 9 } },
    coupons: [],
    actions: [
      { type: 'return', key: 'points', amount: -4, value: 123 },
      { type: 'return', key: 'stamps', amount: 9, value: 9 },
      { type: 'revoke_coupon', coupon: exampleId('cpn') },
    ],
    skipped: [],
    progress: [{ key: 'stamps', have: 9, need: 10, reward: 'free-coffee' }],
  },
}

export const directoryExamples = {
  products: { opaqueId: 'sku-4006', name: 'Oat latte', category: 'coffee', price: 3.9 },
  branches: { opaqueId: 'store-12', name: 'Main Street' },
  users: { opaqueId: 'cash-7', name: 'Till 7', branch: 'store-12' },
}

export const tillOrganizationExample = {
  ...shop,
  currencyDecimals: 2,
  scopes: ['pos'],
  channels: ['email'],
}

export const tillBalanceExample = { key: 'stamps', name: 'Stamps', decimals: 0 }

export const reportExample = {
  customers: 12,
  activeCustomers: 118,
  cards: 14,
  transactions: 231,
  returns: 2,
  collected: { points: 1840, stamps: 310 },
  spent: { points: 600 },
  consumed: { stamps: 280 },
  expired: { points: 40 },
  adjusted: { points: 50 },
  returned: { points: 12 },
  outstanding: { points: 9120, stamps: 412 },
  coupons: { granted: 28, redeemed: 19, expired: 1, revoked: 0 },
}

export const personExample = {
  id: exampleId('psn'),
  email: 'grace@example.com',
  name: 'Grace Hopper',
  role: 'manager',
  status: 'invited',
  createdAt: at,
}

export const invitationTokenExample = `lwi_1-${exampleSecret}`

export const invitationExample = {
  url: `https://loyalty.example.com/console/join#${invitationTokenExample}`,
  expiresAt: '2026-03-21T09:26:53.589Z',
  emailed: false,
}

export const sessionExample = {
  person: { id: exampleId('psn'), email: 'grace@example.com', name: 'Grace Hopper', role: 'manager' },
  organization: {
    ...shop,
    id: exampleId('org'),
    locale: 'en',
    isDemo: false,
    aheadSeconds: 0,
  },
  scopes: ['pos', 'manage'],
  user: exampleId('usr'),
  branch: exampleId('brn'),
  expiresAt: '2026-03-14T21:26:53.589Z',
}

export const ownConnectionExample = {
  id: exampleId('con'),
  name: 'Web shop',
  integration: exampleId('int'),
  scopes: ['pos'],
  user: exampleId('usr'),
  status: 'active',
  createdAt: at,
  issuedTo: exampleId('usr'),
  lastUsedAt: '2026-03-15T08:00:12.004Z',
}

const caller = { kind: 'connection', id: exampleId('usr'), name: 'Web shop' }

export const requestExample = {
  id: exampleId('req'),
  requestId: '5f0c8a7e3b9d4c61a2f4e8d7b6c5a493',
  at,
  method: 'POST',
  path: '/v1/transactions/process',
  route: '/v1/transactions/process',
  status: 400,
  durationMs: 3.1,
  by: caller,
  errorCode: 'insufficient_points',
}

export const requestDetailsExample = {
  ...requestExample,
  requestBody: { ...basketExample, pointsToSpend: 500 },
  replyBody: {
    statuscode: 400,
    errorcode: 400,
    message: 'insufficient_points',
    description: 'Not enough points.',
    timestamp: 1_773_480_413_589,
    path: '/v1/transactions/process',
    method: 'POST',
    requestId: '5f0c8a7e3b9d4c61a2f4e8d7b6c5a493',
    help: '/docs/errors#insufficient_points',
    field: 'pointsToSpend',
  },
  error: {
    code: 'insufficient_points',
    description: 'Not enough points.',
    advice: 'Fetch the customer again and offer at most the `value` of the balance.',
  },
}

export const auditEntryExample = {
  id: exampleId('aud'),
  at,
  by: caller,
  action: 'patchCampaign',
  subject: { kind: 'campaign', id: exampleId('cmp'), name: 'Coffee lovers' },
  details: { name: 'Coffee lovers' },
}
