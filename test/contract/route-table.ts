/**
 * The route table of the real app, and for each of its routes a call that succeeds. Tests that must hold for
 * every route are generated from it, and fail for a route that has no probe here.
 */
import { callsOf, type OpenApiDocument } from '../../src/http/openapi/reference/document.ts'
import { isFull } from '../support/full.ts'
import type { Merchant, Method, TestService } from '../support/service.ts'

export interface Route {
  /** Such as `POST /v1/customers/{id}/block`. */
  readonly name: string
  readonly method: Method
  readonly path: string
  /** Who may call it: anybody, the operator, whoever has signed in, or an organization with a scope. */
  readonly access: 'public' | 'operator' | 'session' | 'organization'
  readonly takesIdempotencyKey: boolean
}

/** From the OpenAPI document, which is written from the routes; hidden routes are not part of the interface. */
export function listRoutes({ app }: TestService): Route[] {
  const document = app.swagger() as unknown as OpenApiDocument
  return callsOf(document).map(({ method: verb, path, security = [], parameters = [] }): Route => {
    const method = verb as Method
    const [scheme, scopes] = Object.entries(security[0] ?? {})[0] ?? []
    const isOfScope = (scopes as string[] | undefined)?.length !== 0
    return {
      name: `${method} ${path}`,
      method,
      path,
      access: accessOf(scheme, isOfScope),
      takesIdempotencyKey: parameters.some((parameter) => parameter.name.toLowerCase() === 'idempotency-key'),
    }
  })
}

function accessOf(scheme: string | undefined, isOfScope: boolean): Route['access'] {
  if (scheme === undefined) return 'public'
  if (scheme === 'operator') return 'operator'
  return isOfScope ? 'organization' : 'session'
}

/** One of everything an organization has. */
export interface Ids {
  customer: string
  card: string
  campaign: string
  coupon: string
  transaction: string
  product: string
  branch: string
  user: string
  person: string
  connection: string
  webhook: string
  delivery: string
  message: string
  import: string
  source: string
  received: string
  request: string
  testOrganization: string
}

let made = 0

/** Without digits: tests search for some. */
const inLetters = (n: string) => n.replace(/\d/g, (digit) => 'abcdefghij'[Number(digit)]!)

/** The campaign of these ids; whoever brings another keeps its balance and its reward. */
export const probeCampaign = {
  name: 'Probe',
  balances: [{ key: 'points' }],
  rules: [{ id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 }],
  rewards: [{ key: 'five', kind: 'amount_off', amount: 5 }],
}

export async function createIds(merchant: Merchant, definition: object = probeCampaign): Promise<Ids> {
  const n = `${++made}`
  const campaign = await merchant.publishCampaign(definition)
  const { customer, card } = await merchant.register(campaign, {
    email: `probe-${inLetters(n)}@example.com`,
  })
  const post = async (path: string, body: object) => {
    const reply = await merchant.call('POST', path, body)
    if (reply.status !== 201) throw new Error(`${path}: ${reply.text}`)
    return reply.body.id as string
  }
  const coupon = await post('/v1/coupons', { customer, campaign, reward: 'five' })
  const items = [{ id: 'a', amount: 20 }]
  const transaction = await post('/v1/transactions/process', { customer, card, items })
  const product = await post('/v1/products', { opaqueId: `product-${n}` })
  const branch = await post('/v1/branches', { opaqueId: `branch-${n}` })
  const user = await post('/v1/users', { opaqueId: `user-${n}` })
  const person = await merchant.invite()
  const connection = await post('/v1/connections', { name: `Software ${n}` })
  const webhook = await post('/v1/webhooks', { url: 'https://example.com/events' })
  const delivery = (await merchant.call('POST', `/v1/webhooks/${webhook}/test`)).body.id as string
  await merchant.call('PUT', '/v1/senders/email', mailServer)
  await merchant.call('PUT', '/v1/senders/sms', { url: 'https://example.com/sms' })
  const message = await post('/v1/messages', { card })
  const imported = await post('/v1/imports', { kind: 'customers', campaign })
  const { source, received } = await addSource(merchant)
  const request = await merchant.lastRequest()
  const testOrganization = await findTests(merchant)
  const things = {
    coupon,
    transaction,
    product,
    branch,
    user,
    person,
    connection,
    webhook,
    delivery,
    message,
    import: imported,
    source,
    received,
    request,
    testOrganization,
  }
  return { customer, card, campaign, ...things }
}

/** A source and something that it has sent, which is not recorded before somebody runs the jobs. */
async function addSource(merchant: Merchant): Promise<{ source: string; received: string }> {
  const { body } = await merchant.call('POST', '/v1/sources', { kind: 'json', name: 'Till', mapping: '$' })
  const authorization = `Bearer ${body.secret}`
  await merchant.call('POST', new URL(body.url).pathname, { receipt: 'R-1' }, { authorization })
  const [received] = (await merchant.call('GET', `/v1/sources/${body.id}/received`)).body.data
  return { source: body.id, received: received.id }
}

/**
 * Runs work with ids that other work was done with, and again with new ones if it fails with those: to make them takes
 * some twenty requests, and few calls use one up. In the full check each gets new ones.
 */
export function shareIds(): (merchant: Merchant, work: (ids: Ids) => Promise<void>) => Promise<void> {
  let used: Ids | undefined
  return async (merchant, work) => {
    if (used && !isFull) {
      const isDone = await work(used).then(
        () => true,
        () => false,
      )
      if (isDone) return
    }
    used = await createIds(merchant)
    await work(used)
    if (isFull) await makeRoom(merchant, used)
  }
}

/** There may be a hundred of each. */
async function makeRoom(merchant: Merchant, { connection, source, webhook }: Ids): Promise<void> {
  await merchant.call('POST', `/v1/connections/${connection}/revoke`, {})
  await merchant.call('DELETE', `/v1/sources/${source}`)
  await merchant.call('DELETE', `/v1/webhooks/${webhook}`)
}

/** A test organization: the one there is, since there may be ten only. */
async function findTests(merchant: Merchant): Promise<string> {
  const [first] = (await merchant.call('GET', '/v1/test-organizations')).body.data
  if (first) return first.id
  return (await merchant.call('POST', '/v1/test-organizations', { name: 'Tests', copy: [] })).body.id
}

/** Routes that a live organization is refused; `test-mode.test.ts` is about their audit entries and keys. */
export const isInTestsOnly = (name: string): boolean => name.includes(' /v1/test-clock')

export interface ProbeCall {
  readonly path: string
  readonly body?: unknown
  /** A body that means something else; absent where every other property is ignored or refused. */
  readonly otherBody?: unknown
}

/** Ids that it reads are ids the route takes, be it in the path, the query or the body. */
export type Probe = (ids: Ids) => ProbeCall

const at = (path: string, body?: unknown, otherBody?: unknown): ProbeCall => ({ path, body, otherBody })
const basket = (ids: Ids, more: object = {}) => ({
  customer: ids.customer,
  card: ids.card,
  amount: 10,
  ...more,
})
/** It is never used: nothing is sent here. */
export const mailServer = {
  host: 'smtp.example.com',
  port: 587,
  security: 'starttls',
  from: 'hello@example.com',
}
const unique = () => `unique-${++made}`
const definition = { name: 'New', balances: [{ key: 'points' }] }

/** Routes of an organization. */
export const probes: Record<string, Probe> = {
  'POST /v1/customers': () => at('/v1/customers', { data: { fullname: 'A' } }, { data: { fullname: 'B' } }),
  'GET /v1/customers': () => at('/v1/customers'),
  'POST /v1/customers/register': (ids) =>
    at(
      '/v1/customers/register',
      { campaignId: ids.campaign, customer: { id: ids.customer } },
      { campaignId: ids.campaign, customer: { data: {} } },
    ),
  'GET /v1/customers/find': () => at('/v1/customers/find?q=findable%40example.com'),
  'GET /v1/customers/{id}': (ids) => at(`/v1/customers/${ids.customer}`),
  'PATCH /v1/customers/{id}': (ids) => at(`/v1/customers/${ids.customer}`, { data: { fullname: 'Patched' } }),
  'GET /v1/customers/{id}/transactions': (ids) => at(`/v1/customers/${ids.customer}/transactions`),
  'GET /v1/customers/{id}/ledger': (ids) => at(`/v1/customers/${ids.customer}/ledger`),
  'GET /v1/customers/{id}/coupons': (ids) => at(`/v1/customers/${ids.customer}/coupons`),
  'POST /v1/customers/{id}/block': (ids) => at(`/v1/customers/${ids.customer}/block`, {}),
  'POST /v1/customers/{id}/unblock': (ids) => at(`/v1/customers/${ids.customer}/unblock`, {}),
  'POST /v1/customers/{id}/adjustments': (ids) =>
    at(
      `/v1/customers/${ids.customer}/adjustments`,
      { key: 'points', amount: 5, reason: 'probe' },
      { key: 'points', amount: 6, reason: 'probe' },
    ),
  'POST /v1/customers/{id}/erase': (ids) => at(`/v1/customers/${ids.customer}/erase`, {}),
  'GET /v1/customers/{id}/export': (ids) => at(`/v1/customers/${ids.customer}/export`),
  'GET /v1/cards/{id}': (ids) => at(`/v1/cards/${ids.card}`),
  'POST /v1/cards/{id}/block': (ids) => at(`/v1/cards/${ids.card}/block`, {}),
  'POST /v1/cards/{id}/unblock': (ids) => at(`/v1/cards/${ids.card}/unblock`, {}),
  'POST /v1/cards/{id}/wallet/renew': (ids) => at(`/v1/cards/${ids.card}/wallet/renew`, {}),
  'POST /v1/cards/{id}/wallet/show': (ids) => at(`/v1/cards/${ids.card}/wallet/show`, {}),
  'POST /v1/cards/{id}/wallet/revoke': (ids) => at(`/v1/cards/${ids.card}/wallet/revoke`, {}),
  'GET /v1/cards/{id}/barcode.svg': (ids) => at(`/v1/cards/${ids.card}/barcode.svg`),
  'POST /v1/cards/{id}/replace': (ids) => at(`/v1/cards/${ids.card}/replace`, {}),
  'POST /v1/transactions/validate': (ids) =>
    at('/v1/transactions/validate', basket(ids, { reward: ids.coupon })),
  'POST /v1/transactions/process': (ids) =>
    at('/v1/transactions/process', basket(ids, { reward: ids.coupon }), basket(ids, { amount: 11 })),
  'POST /v1/transactions/{id}/return/validate': (ids) =>
    at(`/v1/transactions/${ids.transaction}/return/validate`, { items: [{ id: 'a', quantity: 0.5 }] }),
  'POST /v1/transactions/{id}/return': (ids) =>
    at(
      `/v1/transactions/${ids.transaction}/return`,
      { items: [{ id: 'a', quantity: 0.5 }], reason: 'probe' },
      { items: [{ id: 'a', quantity: 0.25 }], reason: 'probe' },
    ),
  'GET /v1/transactions/{id}': (ids) => at(`/v1/transactions/${ids.transaction}`),
  'GET /v1/transactions': (ids) =>
    at(`/v1/transactions?customer=${ids.customer}&card=${ids.card}&branch=${ids.branch}`),
  'GET /v1/coupons': (ids) => at(`/v1/coupons?customer=${ids.customer}&campaign=${ids.campaign}`),
  'GET /v1/coupons/{id}': (ids) => at(`/v1/coupons/${ids.coupon}`),
  'POST /v1/coupons': (ids) =>
    at(
      '/v1/coupons',
      { customer: ids.customer, campaign: ids.campaign, reward: 'five' },
      { customer: ids.customer, campaign: ids.campaign, reward: 'ten' },
    ),
  'POST /v1/coupons/{id}/revoke': (ids) => at(`/v1/coupons/${ids.coupon}/revoke`, {}),
  'GET /v1/campaigns': () => at('/v1/campaigns'),
  'POST /v1/campaigns': (ids) =>
    at('/v1/campaigns', { ...definition, runsOn: [ids.campaign] }, { ...definition, name: 'Other' }),
  'GET /v1/campaigns/{id}': (ids) => at(`/v1/campaigns/${ids.campaign}`),
  'PATCH /v1/campaigns/{id}': (ids) => at(`/v1/campaigns/${ids.campaign}`, { name: 'Patched' }),
  'POST /v1/campaigns/{id}/publish': (ids) => at(`/v1/campaigns/${ids.campaign}/publish`, {}),
  'POST /v1/campaigns/{id}/pause': (ids) => at(`/v1/campaigns/${ids.campaign}/pause`, {}),
  'POST /v1/campaigns/{id}/archive': (ids) => at(`/v1/campaigns/${ids.campaign}/archive`, {}),
  'POST /v1/campaigns/{id}/backtest': (ids) => at(`/v1/campaigns/${ids.campaign}/backtest`, {}),
  'POST /v1/campaigns/{id}/preview': (ids) => at(`/v1/campaigns/${ids.campaign}/preview`, { amount: 10 }),
  'GET /v1/campaigns/{id}/versions': (ids) => at(`/v1/campaigns/${ids.campaign}/versions`),
  'GET /v1/campaigns/{id}/changes': (ids) => at(`/v1/campaigns/${ids.campaign}/changes`),
  'GET /v1/campaigns/{id}/enrollment': (ids) => at(`/v1/campaigns/${ids.campaign}/enrollment`),
  'PATCH /v1/campaigns/{id}/enrollment': (ids) =>
    at(`/v1/campaigns/${ids.campaign}/enrollment`, { mode: 'open' }, { mode: 'approval' }),
  'GET /v1/rule-schemas': () => at('/v1/rule-schemas'),
  'GET /v1/campaign-templates': () => at('/v1/campaign-templates'),
  'GET /v1/products': () => at('/v1/products'),
  'POST /v1/products': () => at('/v1/products', { opaqueId: unique() }, { opaqueId: unique() }),
  'GET /v1/products/{id}': (ids) => at(`/v1/products/${ids.product}`),
  'PATCH /v1/products/{id}': (ids) => at(`/v1/products/${ids.product}`, { name: 'Patched' }),
  'GET /v1/branches': () => at('/v1/branches'),
  'POST /v1/branches': () => at('/v1/branches', { opaqueId: unique() }, { opaqueId: unique() }),
  'GET /v1/branches/{id}': (ids) => at(`/v1/branches/${ids.branch}`),
  'PATCH /v1/branches/{id}': (ids) => at(`/v1/branches/${ids.branch}`, { name: 'Patched' }),
  'GET /v1/users': () => at('/v1/users'),
  'POST /v1/users': (ids) =>
    at('/v1/users', { opaqueId: unique(), branch: ids.branch }, { opaqueId: unique() }),
  'GET /v1/users/{id}': (ids) => at(`/v1/users/${ids.user}`),
  'PATCH /v1/users/{id}': (ids) => at(`/v1/users/${ids.user}`, { branch: ids.branch }),
  'GET /v1/till/organization': () => at('/v1/till/organization'),
  'GET /v1/till/products': () => at('/v1/till/products'),
  'GET /v1/till/branches': () => at('/v1/till/branches'),
  'GET /v1/till/balances': () => at('/v1/till/balances'),
  'GET /v1/reports/summary': () => at('/v1/reports/summary'),
  'GET /v1/reports/daily': () => at('/v1/reports/daily'),
  'GET /v1/integrity': () => at('/v1/integrity'),
  'GET /v1/people': () => at('/v1/people'),
  'POST /v1/people': () => at('/v1/people', { email: `${unique()}@example.com`, role: 'cashier' }),
  'PATCH /v1/people/{id}': (ids) => at(`/v1/people/${ids.person}`, { name: 'Patched' }),
  'DELETE /v1/people/{id}': (ids) => at(`/v1/people/${ids.person}`),
  'POST /v1/people/{id}/invitation': (ids) => at(`/v1/people/${ids.person}/invitation`, {}),
  'POST /v1/people/{id}/sign-out': (ids) => at(`/v1/people/${ids.person}/sign-out`, {}),
  'GET /v1/organization': () => at('/v1/organization'),
  'GET /v1/connections': (ids) => at(`/v1/connections?person=${ids.person}`),
  'POST /v1/connections': () => at('/v1/connections', { name: 'A' }),
  'POST /v1/connections/{id}/rotate': (ids) => at(`/v1/connections/${ids.connection}/rotate`, {}),
  'POST /v1/connections/{id}/revoke': (ids) => at(`/v1/connections/${ids.connection}/revoke`, {}),
  'POST /v1/imports': (ids) =>
    at('/v1/imports', { kind: 'customers', campaign: ids.campaign }, { kind: 'products' }),
  'GET /v1/imports': () => at('/v1/imports'),
  'GET /v1/imports/{id}': (ids) => at(`/v1/imports/${ids.import}`),
  'GET /v1/imports/{id}/rejected': (ids) => at(`/v1/imports/${ids.import}/rejected`),
  'POST /v1/imports/{id}/rows': (ids) =>
    at(`/v1/imports/${ids.import}/rows`, { after: 0, rows: [{ row: 1, opaqueId: unique() }] }),
  'POST /v1/imports/{id}/finish': (ids) => at(`/v1/imports/${ids.import}/finish`, {}),
  'GET /v1/exports/customers': () => at('/v1/exports/customers'),
  'GET /v1/test-organizations': () => at('/v1/test-organizations'),
  'POST /v1/test-organizations': () => at('/v1/test-organizations', { name: 'A' }, { name: 'B' }),
  'DELETE /v1/test-organizations/{id}': (ids) => at(`/v1/test-organizations/${ids.testOrganization}`),
  'GET /v1/test-clock': () => at('/v1/test-clock'),
  'POST /v1/test-clock/advance': () => at('/v1/test-clock/advance', { by: 'PT1H' }, { by: 'PT2H' }),
  'GET /v1/senders': () => at('/v1/senders'),
  'PUT /v1/senders/email': () => at('/v1/senders/email', mailServer, { ...mailServer, port: 2525 }),
  'PUT /v1/senders/sms': () =>
    at('/v1/senders/sms', { url: 'https://example.com/sms' }, { url: 'https://example.com/others' }),
  'POST /v1/senders/email/test': () =>
    at('/v1/senders/email/test', { email: 'me@example.com' }, { email: 'you@example.com' }),
  'POST /v1/senders/sms/test': () =>
    at('/v1/senders/sms/test', { phone: '+12025550123' }, { phone: '+12025550124' }),
  'DELETE /v1/senders/email': () => at('/v1/senders/email'),
  'DELETE /v1/senders/sms': () => at('/v1/senders/sms'),
  'GET /v1/message-kinds': () => at('/v1/message-kinds'),
  'PATCH /v1/message-kinds/{kind}': () =>
    at('/v1/message-kinds/not_seen', { channels: [] }, { channels: ['email'] }),
  'GET /v1/message-kinds/{kind}/texts': () => at('/v1/message-kinds/not_seen/texts'),
  'PUT /v1/message-kinds/{kind}/texts/{channel}/{language}': () =>
    at('/v1/message-kinds/not_seen/texts/sms/en', { body: 'A {link}' }, { body: 'B {link}' }),
  'DELETE /v1/message-kinds/{kind}/texts/{channel}/{language}': () =>
    at('/v1/message-kinds/not_seen/texts/sms/en'),
  'POST /v1/message-kinds/{kind}/preview': () =>
    at('/v1/message-kinds/not_seen/preview', { channel: 'sms', language: 'en' }),
  'POST /v1/messages': (ids) => at('/v1/messages', { card: ids.card }, { card: ids.card, channel: 'email' }),
  'GET /v1/messages': (ids) => at(`/v1/messages?customer=${ids.customer}`),
  'GET /v1/messages/{id}': (ids) => at(`/v1/messages/${ids.message}`),
  'POST /v1/messages/{id}/bounced': (ids) => at(`/v1/messages/${ids.message}/bounced`, {}),
  'POST /v1/messages/{id}/retry': (ids) => at(`/v1/messages/${ids.message}/retry`, {}),
  'GET /v1/webhooks': () => at('/v1/webhooks'),
  'POST /v1/webhooks': () => at('/v1/webhooks', { url: 'https://example.com/events' }),
  'GET /v1/webhooks/{id}': (ids) => at(`/v1/webhooks/${ids.webhook}`),
  'PATCH /v1/webhooks/{id}': (ids) =>
    at(`/v1/webhooks/${ids.webhook}`, { description: 'A' }, { description: 'B' }),
  'DELETE /v1/webhooks/{id}': (ids) => at(`/v1/webhooks/${ids.webhook}`),
  'POST /v1/webhooks/{id}/rotate': (ids) => at(`/v1/webhooks/${ids.webhook}/rotate`, {}),
  'POST /v1/webhooks/{id}/test': (ids) => at(`/v1/webhooks/${ids.webhook}/test`, {}),
  'POST /v1/webhooks/{id}/replay': (ids) =>
    at(
      `/v1/webhooks/${ids.webhook}/replay`,
      { from: '2020-01-01T00:00:00Z' },
      { from: '2020-01-02T00:00:00Z' },
    ),
  'GET /v1/webhooks/{id}/deliveries': (ids) => at(`/v1/webhooks/${ids.webhook}/deliveries`),
  'GET /v1/deliveries/{id}': (ids) => at(`/v1/deliveries/${ids.delivery}`),
  'POST /v1/deliveries/{id}/replay': (ids) => at(`/v1/deliveries/${ids.delivery}/replay`, {}),
  'GET /v1/sources': () => at('/v1/sources'),
  'POST /v1/sources': (ids) => at('/v1/sources', { kind: 'shopify', name: 'Shop', campaign: ids.campaign }),
  'GET /v1/sources/{id}': (ids) => at(`/v1/sources/${ids.source}`),
  'PATCH /v1/sources/{id}': (ids) =>
    at(`/v1/sources/${ids.source}`, { campaign: ids.campaign, name: 'A' }, { name: 'B' }),
  'DELETE /v1/sources/{id}': (ids) => at(`/v1/sources/${ids.source}`),
  'POST /v1/sources/{id}/try': (ids) => at(`/v1/sources/${ids.source}/try`, { payload: {} }),
  'GET /v1/sources/{id}/received': (ids) => at(`/v1/sources/${ids.source}/received`),
  'GET /v1/received/{id}': (ids) => at(`/v1/received/${ids.received}`),
  'POST /v1/received/{id}/retry': (ids) => at(`/v1/received/${ids.received}/retry`, {}),
  'GET /v1/events': (ids) => at(`/v1/events?customer=${ids.customer}`),
  'GET /v1/requests': (ids) => at(`/v1/requests?connection=${ids.user}`),
  'GET /v1/requests/{id}': (ids) => at(`/v1/requests/${ids.request}`),
  'GET /v1/audit': (ids) => at(`/v1/audit?by=${ids.user}`),
  'GET /v1/wallet-passes': () => at('/v1/wallet-passes'),
  'PATCH /v1/wallet-passes': () => at('/v1/wallet-passes', { barcode: 'qr' }, { barcode: 'code128' }),
  'PATCH /v1/organization': () => at('/v1/organization', { name: 'Patched' }),
}

/** The ids a probe reads, that is the ids its route takes. */
export function idsTakenBy(probe: Probe): (keyof Ids)[] {
  const taken = new Set<keyof Ids>()
  probe(
    new Proxy({} as Ids, {
      get(_, name) {
        taken.add(name as keyof Ids)
        return 'x'
      },
    }),
  )
  return [...taken]
}
