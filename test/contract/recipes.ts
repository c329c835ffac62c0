/**
 * For every route a call that succeeds, with every member its body may have. The tests of this folder change one
 * thing in such a call at a time: whatever is refused then is refused for that one thing. A route or a member that
 * is missing here fails them.
 */

import { isFull } from '../support/full.ts'
import { createQuickPerson } from '../support/people.ts'
import { adminToken, type Merchant, type TestService } from '../support/service.ts'
import { createIds, type Ids, mailServer, probeCampaign, probes } from './route-table.ts'

/** An organization with one of everything in it. */
export interface World {
  readonly merchant: Merchant
  readonly ids: Ids
  /** When it was created, by the clock of the service: no sale may be older. */
  readonly now: string
  /** A second campaign, never published. */
  readonly draft: string
  /** An owner who has signed in, and whose invitation is still open. */
  readonly owner: Awaited<ReturnType<typeof createQuickPerson>>
  /** The path of the card's wallet page. */
  readonly wallet: string
  /** The barcode of the card. */
  readonly barcode: string
  /** A token of the test organization. */
  readonly testToken: string
}

export interface Recipe {
  readonly path: string
  /** The one that is sent, and after it others for members that it cannot have at the same time. */
  readonly bodies: readonly object[]
  readonly query?: Record<string, string>
  readonly headers?: Record<string, string>
  readonly token?: string
}

/** Points can be spent, so that a basket that spends some goes through. */
const campaign = {
  ...probeCampaign,
  spend: { balance: 'points', worth: 0.01, min: 1 },
}

export async function createWorld(service: TestService, merchant?: Merchant): Promise<World> {
  const own = merchant ?? (await service.createMerchant())
  const ids = await createIds(own, campaign)
  await own.call('POST', `/v1/customers/${ids.customer}/adjustments`, {
    key: 'points',
    amount: 1_000_000,
    reason: 'to spend',
  })
  const draft = await own.call('POST', '/v1/campaigns', { name: 'Draft', balances: [{ key: 'points' }] })
  const { walletUrl, barcode } = (await own.call('GET', `/v1/cards/${ids.card}`)).body
  return {
    merchant: own,
    ids,
    now: service.deps.clock().toISOString(),
    draft: draft.body.id,
    owner: await createQuickPerson(service, own),
    wallet: new URL(walletUrl).pathname,
    barcode,
    testToken: await openTests(service, own, ids.testOrganization),
  }
}

/** Connects the merchant's software to a test organization. */
async function openTests(
  service: TestService,
  { integration, apiKey }: Merchant,
  id: string,
): Promise<string> {
  const { apiSecret } = (
    await service.call('POST', `/admin/v1/organizations/${id}/connections`, {
      body: { integration, scopes: ['pos', 'manage'] },
      token: adminToken,
    })
  ).body
  const headers = { 'x-api-key': apiKey, 'x-api-secret': apiSecret }
  return (await service.call('POST', '/auth/token', { headers })).body.accessToken
}

/**
 * Runs work in a world that other work was done in, and again in a new one if it fails there: to make one takes some
 * twenty requests, and few calls use one up. In the full check each gets a new one.
 */
export function shareWorlds(): (
  service: TestService,
  work: (world: World) => Promise<void>,
) => Promise<void> {
  let used: World | undefined
  return async (service, work) => {
    if (used && !isFull) {
      const isDone = await work(used).then(
        () => true,
        () => false,
      )
      if (isDone) return
    }
    used = await createWorld(service)
    await work(used)
  }
}

let made = 0
const unique = () => `made-${++made}`

const profile = () => ({
  data: { phone: `+49151${10_000_000 + ++made}`, email: `${unique()}@example.com`, fullname: 'A' },
  metaData: { any: 'thing' },
  consents: { marketing: true, sms: false, history: [] },
  opaqueId: unique(),
  language: 'de',
})

const line = { name: 'Latte', category: 'coffee', quantity: 2, unitPrice: 3.5, amount: 7 }
const discounts = { discountAmount: 1, discountedAmount: 6 }

function basket({ ids, now }: Pick<World, 'ids' | 'now'>, more: object = {}) {
  return {
    customer: ids.customer,
    card: ids.card,
    items: [{ id: 'a', product: 'latte', ...line, ...discounts }],
    amount: 7,
    ...discounts,
    pointsToSpend: 1,
    user: 'cash-7',
    branch: 'store-12',
    opaqueId: unique(),
    occurredAt: now,
    metaData: { any: 'thing' },
    ...more,
  }
}

/** Coupons can be redeemed once, so only the calls that are about them send them. */
const withCoupons = ({ ids, now }: World) =>
  basket(
    { ids, now },
    { reward: ids.coupon, items: [{ id: 'a', amount: 7, reward: ids.coupon }], couponsIncluded: true },
  )

const returns = () => [
  { opaqueId: unique(), items: [{ id: 'a', quantity: 0.001 }], reason: 'probe' },
  { opaqueId: unique(), amount: 0.01 },
]

const scanned = (barcode: string) => ({ barcode, amount: 7, opaqueId: unique() })

const definition = (ids: Ids) => ({
  name: 'Everything',
  balances: [
    { key: 'points', name: 'Points', decimals: 0, expires: { after: 'P12M', endOf: 'month' } },
    { key: 'stamps', name: 'Stamps', decimals: 0, expires: { inactivity: 'P6M' } },
  ],
  rules: [
    {
      id: 'base',
      kind: 'points_per_amount',
      balance: 'points',
      points: 1,
      per: 1,
      products: ['latte'],
      categories: ['coffee'],
      when: {
        days: ['tue'],
        from: '08:00',
        to: '11:00',
        startsAt: '2026-01-01T00:00:00Z',
        endsAt: '2099-01-01T00:00:00Z',
        branches: ['main'],
        minAmount: 1,
        products: ['latte'],
        categories: ['coffee'],
        firstTransaction: false,
        tiers: ['gold'],
      },
      limits: { perTransaction: 10, perDay: 20, perCustomer: 30, total: 40 },
    },
    {
      id: 'item',
      kind: 'collect_per_item',
      balance: 'stamps',
      amount: 1,
      products: ['a'],
      categories: ['b'],
    },
    { id: 'visit', kind: 'collect_per_visit', balance: 'points', amount: 5 },
    { id: 'double', kind: 'multiply', balance: 'points', factor: 2 },
  ],
  rewards: [
    { key: 'free', name: 'Free', kind: 'free_product', products: ['latte'], validDays: 30 },
    { key: 'five', name: 'Five', kind: 'amount_off', amount: 5, validDays: 30 },
    { key: 'ten', name: 'Ten', kind: 'percent_off', percent: 10, maxAmount: 20, validDays: 30 },
  ],
  thresholds: [{ balance: 'stamps', at: 10, grant: 'free', consume: true }],
  spend: { balance: 'points', worth: 0.01, min: 100, maxShare: 0.5, earns: true },
  runsOn: [ids.campaign],
  startsAt: '2026-01-01T00:00:00Z',
  endsAt: '2099-01-01T00:00:00Z',
  tiers: [{ key: 'gold', name: 'Gold', balance: 'points', from: 100 }],
  onInsufficientBalance: 'floor',
})

const page = { limit: '10', cursor: '' }
const times = { from: '2026-01-01T00:00:00Z', to: '2099-01-01T00:00:00Z' }
const days = { from: '2026-03-01', to: '2026-03-31' }
const within = (what: string) => ({ [`${what}From`]: days.from, [`${what}To`]: days.to })

type Part = (world: World) => Partial<Recipe>

/** What the calls of `route-table.ts` leave out: members that may be absent, queries, and who calls. */
const parts: Record<string, Part> = {
  'POST /v1/customers': () => ({ bodies: [profile()] }),
  'GET /v1/customers': () => ({
    query: {
      ...page,
      ...days,
      ...within('active'),
      q: 'a',
      status: '1',
      holds: 'points',
      consent: 'marketing',
      awaitsApproval: 'true',
    },
  }),
  'GET /v1/customers/find': () => ({ path: '/v1/customers/find', query: { q: 'findable@example.com' } }),
  'POST /v1/customers/register': ({ ids }) => ({
    bodies: [
      { campaignId: ids.campaign, customer: profile() },
      { campaignId: ids.campaign, customer: { id: ids.customer } },
    ],
  }),
  'PATCH /v1/customers/{id}': () => ({ bodies: [profile()] }),
  'GET /v1/customers/{id}/transactions': () => ({ query: page }),
  'GET /v1/customers/{id}/ledger': () => ({ query: page }),
  'GET /v1/customers/{id}/coupons': () => ({ query: page }),
  'GET /v1/cards/{id}/barcode.svg': () => ({ query: { kind: 'qr' } }),
  'POST /v1/transactions/validate': (world) => ({
    query: { include: 'spendable' },
    bodies: [basket(world), withCoupons(world), scanned(world.barcode)],
  }),
  'POST /v1/transactions/process': (world) => ({
    query: { include: 'walletUrl' },
    bodies: [basket(world), withCoupons(world), scanned(world.barcode)],
  }),
  'POST /v1/transactions/{id}/return/validate': () => ({ bodies: returns() }),
  'POST /v1/transactions/{id}/return': () => ({ bodies: returns() }),
  'GET /v1/transactions': ({ ids }) => ({
    path: '/v1/transactions',
    query: {
      ...page,
      ...times,
      opaqueId: 'T1',
      customer: ids.customer,
      card: ids.card,
      branch: ids.branch,
      status: '1',
      spent: 'points',
    },
  }),
  'GET /v1/coupons': ({ ids }) => ({
    path: '/v1/coupons',
    query: {
      ...page,
      ...days,
      ...within('ended'),
      status: '1',
      customer: ids.customer,
      campaign: ids.campaign,
    },
  }),
  'GET /v1/campaigns': () => ({ query: { ...page, status: 'draft' } }),
  'POST /v1/campaigns': ({ ids }) => ({ bodies: [definition(ids)] }),
  'PATCH /v1/campaigns/{id}': ({ ids, draft }) => ({
    path: `/v1/campaigns/${draft}`,
    bodies: [definition(ids)],
  }),
  'POST /v1/campaigns/{id}/preview': ({ ids, now }) => ({
    bodies: [
      {
        ...basket({ ids, now }),
        customer: undefined,
        card: undefined,
        user: undefined,
        opaqueId: undefined,
        metaData: undefined,
        definition: { ...definition(ids), runsOn: undefined, spend: { balance: 'points', worth: 0.01 } },
        wallet: { collectables: { points: { value: 480, total: 500 } }, transactions: 3 },
      },
    ].map((body) => JSON.parse(JSON.stringify(body))),
  }),
  'POST /v1/campaigns/{id}/backtest': ({ ids }) => ({
    bodies: [
      {
        from: '2026-03-01',
        to: '2026-03-31',
        cards: 'all',
        definition: JSON.parse(JSON.stringify({ ...definition(ids), runsOn: undefined })),
      },
    ],
  }),
  'GET /v1/campaigns/{id}/versions': () => ({ query: page }),
  'GET /v1/campaigns/{id}/changes': () => ({ query: { from: '1', to: '1' } }),
  'PATCH /v1/campaigns/{id}/enrollment': () => ({ bodies: [{ shortName: unique(), mode: 'open' }] }),
  'GET /v1/products': () => ({ query: { ...page, q: 'a' } }),
  'POST /v1/products': () => ({ bodies: [{ opaqueId: unique(), name: 'A', category: 'b', price: 3.5 }] }),
  'PATCH /v1/products/{id}': () => ({ bodies: [{ name: 'A', category: 'b', price: 3.5 }] }),
  'GET /v1/branches': () => ({ query: { ...page, q: 'a' } }),
  'POST /v1/branches': () => ({ bodies: [{ opaqueId: unique(), name: 'A' }] }),
  'GET /v1/users': () => ({ query: { ...page, q: 'a' } }),
  'POST /v1/users': ({ ids }) => ({ bodies: [{ opaqueId: unique(), name: 'A', branch: ids.branch }] }),
  'PATCH /v1/users/{id}': ({ ids }) => ({ bodies: [{ name: 'A', branch: ids.branch }] }),
  'GET /v1/till/products': () => ({ query: { ...page, q: 'a', opaqueId: 'a' } }),
  'GET /v1/till/branches': () => ({ query: { ...page, q: 'a', opaqueId: 'a' } }),
  'GET /v1/till/balances': () => ({ query: page }),
  'GET /v1/people': () => ({ query: page }),
  'POST /v1/people': () => ({
    bodies: [{ email: `${unique()}@example.com`, name: 'A', role: 'cashier' }],
  }),
  'PATCH /v1/people/{id}': () => ({
    bodies: [
      { name: 'A', role: 'manager', status: 'active' },
      { status: 'blocked', revokeConnections: true },
    ],
  }),
  'DELETE /v1/people/{id}': () => ({ query: { revokeConnections: 'true' } }),
  'GET /v1/reports/summary': () => ({ query: days }),
  'GET /v1/reports/daily': () => ({ query: days }),
  'GET /v1/connections': ({ ids }) => ({ path: '/v1/connections', query: { ...page, person: ids.person } }),
  'POST /v1/connections': () => ({ bodies: [{ name: 'A', scopes: ['pos', 'manage'] }] }),
  'POST /v1/connections/{id}/revoke': () => ({ bodies: [{ revokeConnections: true }] }),
  'POST /v1/connections/{id}/rotate': () => ({ bodies: [{ overlapSeconds: 60 }] }),
  'GET /v1/requests': ({ ids }) => ({
    path: '/v1/requests',
    query: { ...page, ...times, status: 'ok', q: 'v1', connection: ids.user },
  }),
  'POST /v1/imports': ({ ids }) => ({
    bodies: [
      {
        kind: 'customers',
        campaign: ids.campaign,
        dryRun: true,
        existing: 'update',
        countTowardTotal: false,
        fileName: 'customers.csv',
        fileHash: 'abc',
        columns: { Email: 'email' },
      },
    ],
  }),
  'POST /v1/imports/{id}/rows': () => ({
    bodies: [
      {
        // Rows that were sent before may not be others.
        after: ++made,
        rows: [
          {
            row: made + 1,
            opaqueId: unique(),
            fullname: 'A',
            email: `${unique()}@example.com`,
            phone: `+49151${10_000_000 + ++made}`,
            language: 'de',
            consents: { marketing: true },
            metaData: { any: 'thing' },
            cards: [{ campaign: 'Probe', barcode: unique() }],
            balances: [{ key: 'points', total: 5, lots: [{ amount: 5, expiresAt: '2099-12-31' }] }],
            problems: [{ field: 'email', code: 'duplicate', otherRow: 1 }],
            name: 'A',
            category: 'coffee',
            price: 1,
          },
        ],
      },
    ],
  }),
  'GET /v1/imports': () => ({
    query: { ...page, kind: 'customers', fileHash: 'abc', status: 'open', dryRun: 'true' },
  }),
  'GET /v1/imports/{id}/rejected': () => ({ query: page }),
  'GET /v1/exports/customers': () => ({ query: page }),
  'POST /v1/test-organizations': () => ({
    bodies: [{ name: 'A', copy: ['settings', 'campaigns'] }],
  }),
  'GET /v1/test-clock': ({ testToken }) => ({ token: testToken }),
  'POST /v1/test-clock/advance': ({ testToken }) => ({
    token: testToken,
    bodies: [{ by: 'PT1H' }, { to: '2029-01-01T00:00:00Z' }],
  }),
  'PUT /v1/senders/email': () => ({
    bodies: [{ ...mailServer, user: 'a', password: 'b', replyTo: 'care@example.com', perHour: 10 }],
  }),
  'PUT /v1/senders/sms': () => ({
    bodies: [{ url: 'https://example.com/sms', perHour: 10, newSecret: true }],
  }),
  'POST /v1/senders/email/test': () => ({ bodies: [{ email: 'me@example.com' }] }),
  'POST /v1/senders/sms/test': () => ({ bodies: [{ phone: '+12025550123' }] }),
  'PATCH /v1/message-kinds/{kind}': () => ({ bodies: [{ channels: ['email'], days: 30 }] }),
  'PUT /v1/message-kinds/{kind}/texts/{channel}/{language}': () => ({
    path: '/v1/message-kinds/not_seen/texts/email/en',
    bodies: [{ subject: 'A', body: 'A {link}' }],
  }),
  'POST /v1/message-kinds/{kind}/preview': () => ({
    bodies: [{ channel: 'email', language: 'en', subject: 'A', body: 'A {link}' }],
  }),
  'POST /v1/messages': ({ ids }) => ({ bodies: [{ card: ids.card, channel: 'email' }] }),
  'GET /v1/messages': ({ ids }) => ({
    path: '/v1/messages',
    query: { ...page, customer: ids.customer, kind: 'card_link', status: '1' },
  }),
  'GET /v1/webhooks': () => ({ path: '/v1/webhooks', query: page }),
  'POST /v1/webhooks': () => ({
    bodies: [{ url: 'https://example.com/events', description: 'The shop', types: ['customer.created'] }],
  }),
  'PATCH /v1/webhooks/{id}': () => ({
    bodies: [
      {
        url: 'https://example.com/others',
        description: 'The shop',
        types: ['customer.created'],
        status: 'active',
      },
      { description: null, types: null },
    ],
  }),
  'POST /v1/webhooks/{id}/rotate': () => ({ bodies: [{ overlapSeconds: 60 }] }),
  'GET /v1/webhooks/{id}/deliveries': ({ ids }) => ({
    path: `/v1/webhooks/${ids.webhook}/deliveries`,
    query: { ...page, status: '1' },
  }),
  'POST /v1/webhooks/{id}/replay': ({ now }) => ({ bodies: [{ from: '2020-01-01T00:00:00Z', to: now }] }),
  'GET /v1/sources': () => ({ path: '/v1/sources', query: page }),
  'POST /v1/sources': ({ ids }) => ({
    bodies: [
      {
        kind: 'json',
        name: 'Till',
        campaign: ids.campaign,
        registersCustomers: true,
        secret: 'a-secret-of-the-till',
        signatureHeader: 'X-Signature',
        mapping: '$',
      },
      { kind: 'square', name: 'Café', accessToken: 'a-token-of-square', environment: 'sandbox' },
    ],
  }),
  'PATCH /v1/sources/{id}': ({ ids }) => ({
    bodies: [
      {
        name: 'Till',
        status: 'active',
        campaign: ids.campaign,
        registersCustomers: true,
        secret: 'a-secret-of-the-till',
        signatureHeader: 'X-Signature',
        mapping: '$',
      },
      { campaign: null, registersCustomers: false, signatureHeader: null },
      { accessToken: 'a-token-of-square', environment: 'sandbox' },
    ],
  }),
  'POST /v1/sources/{id}/try': () => ({
    bodies: [{ payload: { receipt: 'R-1' }, topic: 'sale', mapping: '$' }],
  }),
  'GET /v1/sources/{id}/received': ({ ids }) => ({
    path: `/v1/sources/${ids.source}/received`,
    query: { ...page, status: '1' },
  }),
  'GET /v1/events': ({ ids }) => ({
    path: '/v1/events',
    query: { after: 'latest', limit: '10', types: 'customer.created', customer: ids.customer, wait: '0' },
  }),
  'GET /v1/audit': ({ ids }) => ({
    path: '/v1/audit',
    query: { ...page, ...times, q: 'a', by: ids.user },
  }),
  'PATCH /v1/wallet-passes': () => ({ bodies: [{ apple: null, google: null, barcode: 'qr' }] }),
  'PATCH /v1/organization': () => ({
    bodies: [
      {
        name: 'A',
        locale: 'de',
        timezone: 'Europe/Berlin',
        color: '#0b7285',
        logo: 'https://example.com/logo.png',
        strictReferences: false,
        maxBackdateDays: 30,
        contact: {
          address: 'A',
          openingHours: 'A',
          phone: 'A',
          email: 'a@example.com',
          website: 'https://example.com',
          termsUrl: 'https://example.com/terms',
          privacyUrl: 'https://example.com/privacy',
          consentText: 'A',
        },
      },
    ],
  }),
}

const region = { country: 'US', timezone: 'UTC', locale: 'en' }
const operator = (path: string, ...bodies: object[]): Recipe => ({
  path: `/admin/v1${path}`,
  bodies,
  token: adminToken,
})
const signedIn = (path: string, { cookie }: World['owner'], ...bodies: object[]): Recipe => ({
  path,
  bodies,
  headers: { cookie },
})
const listed = (path: string): Recipe => ({ ...operator(path), query: page })

/** Routes that belong to no organization. */
const platform: Record<string, (world: World) => Recipe> = {
  'GET /livez': () => ({ path: '/livez', bodies: [] }),
  'GET /readyz': () => ({ path: '/readyz', bodies: [] }),
  'GET /metrics': () => ({ path: '/metrics', bodies: [] }),
  'GET /w/{token}/card': ({ wallet }) => ({ path: `${wallet}/card`, bodies: [] }),
  'GET /w/{token}/visits': ({ wallet }) => ({ path: `${wallet}/visits`, bodies: [], query: page }),
  'GET /w/{token}/visits/{id}': ({ wallet, ids }) => ({
    path: `${wallet}/visits/${ids.transaction}`,
    bodies: [],
  }),
  'GET /w/{token}/link': ({ wallet }) => ({ path: `${wallet}/link`, bodies: [] }),
  'POST /w/{token}/link': ({ wallet }) => ({
    path: `${wallet}/link`,
    bodies: [{ email: 'nobody@example.com' }, { phone: '+1 202 555 0199' }],
  }),
  'GET /w/{token}/code128.svg': ({ wallet }) => ({ path: `${wallet}/code128.svg`, bodies: [] }),
  'GET /w/{token}/qr.svg': ({ wallet }) => ({ path: `${wallet}/qr.svg`, bodies: [] }),
  'GET /w/{token}/icon.svg': ({ wallet }) => ({ path: `${wallet}/icon.svg`, bodies: [] }),
  'GET /w/{token}/manifest.webmanifest': ({ wallet }) => ({
    path: `${wallet}/manifest.webmanifest`,
    bodies: [],
  }),
  'POST /auth/token': ({ merchant }) => ({
    path: '/auth/token',
    bodies: [],
    headers: { 'x-api-key': merchant.apiKey, 'x-api-secret': merchant.apiSecret },
  }),
  'POST /auth/refreshtoken': ({ merchant }) => ({
    path: '/auth/refreshtoken',
    bodies: [{ accessToken: merchant.token, refreshToken: merchant.refreshToken }],
  }),
  'POST /auth/session': ({ owner: { email, password } }) => ({
    path: '/auth/session',
    bodies: [{ email, password }],
  }),
  'GET /auth/session': ({ owner }) => signedIn('/auth/session', owner),
  'DELETE /auth/session': ({ owner }) => signedIn('/auth/session', owner),
  'DELETE /auth/sessions': ({ owner }) => signedIn('/auth/sessions', owner),
  'POST /auth/password': ({ owner }) =>
    signedIn('/auth/password', owner, { currentPassword: owner.password, password: 'quite another phrase' }),
  'POST /auth/session/organization': ({ owner, ids }) =>
    signedIn('/auth/session/organization', owner, { organization: ids.testOrganization }),
  'POST /auth/forgotten-password': () => ({
    path: '/auth/forgotten-password',
    bodies: [{ email: 'nobody@example.com' }],
  }),
  'POST /auth/invitation': ({ owner }) => ({
    path: '/auth/invitation',
    bodies: [{ token: owner.invitation, name: 'A', password: 'quite another phrase' }],
  }),
  'POST /admin/v1/organizations/{id}/people': ({ merchant }) =>
    operator(`/organizations/${merchant.id}/people`, {
      email: `${unique()}@example.com`,
      name: 'A',
      role: 'owner',
    }),
  'GET /admin/v1/organizations/{id}/people': ({ merchant }) => listed(`/organizations/${merchant.id}/people`),
  'POST /admin/v1/organizations': () => operator('/organizations', { name: 'A', currency: 'USD', ...region }),
  'GET /admin/v1/organizations': () => listed('/organizations'),
  'GET /admin/v1/organizations/{id}': ({ merchant }) => operator(`/organizations/${merchant.id}`),
  'PATCH /admin/v1/organizations/{id}': ({ merchant }) =>
    operator(`/organizations/${merchant.id}`, { name: 'A', ...region }),
  'POST /admin/v1/organizations/{id}/subscription': ({ merchant }) =>
    operator(`/organizations/${merchant.id}/subscription`, { active: true }),
  'POST /admin/v1/integrations': () => operator('/integrations', { name: 'A' }),
  'GET /admin/v1/integrations': () => listed('/integrations'),
  'GET /admin/v1/integrations/{id}': ({ merchant }) => operator(`/integrations/${merchant.integration}`),
  'POST /admin/v1/integrations/{id}/rotate': ({ merchant }) =>
    operator(`/integrations/${merchant.integration}/rotate`, { overlapSeconds: 60 }),
  'POST /admin/v1/organizations/{id}/connections': ({ merchant }) =>
    operator(`/organizations/${merchant.id}/connections`, {
      integration: merchant.integration,
      scopes: ['pos', 'manage'],
    }),
  'GET /admin/v1/organizations/{id}/connections': ({ merchant }) =>
    listed(`/organizations/${merchant.id}/connections`),
  'GET /admin/v1/connections/{id}': ({ merchant }) => operator(`/connections/${merchant.connection}`),
  'POST /admin/v1/connections/{id}/rotate': ({ merchant }) =>
    operator(`/connections/${merchant.connection}/rotate`, { overlapSeconds: 60 }),
}

export const knownRoutes = [...Object.keys(platform), ...Object.keys(probes)]

/** A call of the route that succeeds; undefined for a route nobody wrote one for. */
export function recipeOf(route: string, world: World): Recipe | undefined {
  const ofPlatform = platform[route]?.(world)
  if (ofPlatform) return ofPlatform
  const probe = probes[route]?.(world.ids)
  if (!probe) return undefined
  const bodies = probe.body === undefined ? [] : [probe.body as object]
  // Only people look after people.
  const caller = probe.path.startsWith('/v1/people')
    ? { headers: { cookie: world.owner.cookie } }
    : { token: world.merchant.token }
  return { path: probe.path, bodies, ...caller, ...parts[route]?.(world) }
}

/** The address with its query; a cursor of nothing is left out. */
export function addressOf({ path, query = {} }: Recipe): string {
  const text = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString()
  return text ? `${path}?${text}` : path
}
