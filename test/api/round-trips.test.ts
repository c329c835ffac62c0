import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OpenApiDocument } from '../../src/http/openapi/reference/document.ts'
import {
  adminToken,
  type Merchant,
  type Method,
  type Registered,
  startTestService,
  type TestService,
} from '../support/service.ts'

/** How often a request waits for the database once the process knows the organization. */
let service: TestService
let merchant: Merchant
let campaign: string
let who: Registered
let roundTrips = 0

beforeAll(async () => {
  service = await startTestService()
  service.deps.pool.on('connect', (client) => {
    // The server says that it is ready once for each time that it was waited for.
    const { connection } = client as unknown as { connection: NodeJS.EventEmitter }
    connection.on('readyForQuery', () => roundTrips++)
  })
  merchant = await service.createMerchant()
  campaign = await merchant.publishCampaign()
  who = await merchant.register(campaign)
})
afterAll(() => service.close())

interface Sent {
  readonly path: string
  readonly body?: object
  readonly headers?: Record<string, string>
}

/** Round trips of a request like one that was sent before, on connections that are open. */
async function countRoundTrips(method: Method, next: () => Sent | Promise<Sent>): Promise<number> {
  const send = ({ path, body, headers }: Sent) => merchant.call(method, path, body, headers)
  await send(await next())
  const sent = await next()
  const before = roundTrips
  const { status } = await send(sent)
  expect(status).toBeLessThan(300)
  return roundTrips - before
}

let number = 0
const sell = async () => {
  const { customer, card } = who
  const body = { customer, card, amount: 1, opaqueId: `receipt-${number++}` }
  const { body: sale } = await merchant.call('POST', '/v1/transactions/process', body)
  return sale.id
}
const newProfile = () => ({ data: { email: `ada.${number++}@example.org`, fullname: 'Ada' } })
const withKey = () => ({ 'idempotency-key': `key-${number++}` })

describe('a write waits for the database as often as a basket, which is twice', () => {
  test.each<[name: string, next: () => Sent | Promise<Sent>]>([
    [
      'a basket',
      () => ({
        path: '/v1/transactions/process',
        body: { customer: who.customer, card: who.card, amount: 1 },
      }),
    ],
    [
      'a return',
      async () => ({ path: `/v1/transactions/${await sell()}/return`, body: {}, headers: withKey() }),
    ],
    [
      'an adjustment',
      () => ({
        path: `/v1/customers/${who.customer}/adjustments`,
        body: { key: 'points', amount: 1, reason: 'A gift' },
        headers: withKey(),
      }),
    ],
    [
      'a registration of a new customer',
      () => ({
        path: '/v1/customers/register',
        body: { campaignId: campaign, customer: newProfile() },
        headers: withKey(),
      }),
    ],
    [
      'a registration of a known customer',
      async () => {
        const { body } = await merchant.call('POST', '/v1/customers', newProfile())
        return { path: '/v1/customers/register', body: { campaignId: campaign, customer: { id: body.id } } }
      },
    ],
    [
      'a registration that finds the card',
      () => ({
        path: '/v1/customers/register',
        body: { campaignId: campaign, customer: { id: who.customer } },
      }),
    ],
    ['a new customer', () => ({ path: '/v1/customers', body: newProfile(), headers: withKey() })],
  ])('%s', async (_name, next) => {
    expect(await countRoundTrips('POST', next)).toBe(2)
  })
})

test('a preview waits once', async () => {
  const { customer, card } = who
  const basket = { path: '/v1/transactions/validate', body: { customer, card, amount: 1 } }
  expect(await countRoundTrips('POST', () => basket)).toBe(1)
  const goods = { path: `/v1/transactions/${await sell()}/return/validate`, body: {} }
  expect(await countRoundTrips('POST', () => goods)).toBe(1)
})

test.each([
  { path: (): string => `/v1/customers/${who.customer}`, count: 1 },
  { path: (): string => `/v1/customers/find?q=${who.barcode}`, count: 1 },
  { path: (): string => `/v1/customers/${who.customer}/ledger`, count: 3 },
  { path: (): string => '/v1/customers', count: 2 },
  { path: (): string => '/v1/organization', count: 2 },
])('GET $path waits $count times', async ({ path, count }) => {
  expect(await countRoundTrips('GET', () => ({ path: path() }))).toBe(count)
})

/** Their rows come from background work and from wallet pages, which nothing here does. */
const filledLater = [
  '/v1/messages',
  '/v1/sources/{id}/received',
  '/v1/webhooks/{id}/deliveries',
  '/w/{token}/visits',
]

/** What `{id}` is in the path of a list. */
const owners: Record<string, () => string> = {
  '/v1/customers': () => who.customer,
  '/v1/campaigns': () => campaign,
  '/admin/v1/organizations': () => merchant.id,
}

const reference: OpenApiDocument = JSON.parse(
  readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'),
)
const lists = Object.entries(reference.paths).flatMap(([path, { get }]) => {
  const isList = JSON.stringify(get?.parameters ?? []).includes('parameters/Limit"')
  return isList && !filledLater.includes(path) ? [path] : []
})

describe('a list waits as often for many rows as for one', () => {
  beforeAll(async () => {
    await merchant.publishCampaign()
    const post = async (path: string, body: object = {}) => {
      const reply = await merchant.call('POST', path, body)
      expect(reply.status, `${path}: ${reply.text}`).toBeLessThan(300)
      return reply
    }
    for (const name of ['north', 'south']) {
      await post('/v1/branches', { name, opaqueId: name })
      await post('/v1/users', { name, opaqueId: name })
      await post('/v1/products', { name, opaqueId: name })
      await post('/v1/coupons', { customer: who.customer, campaign, reward: 'free-coffee' })
      await post(`/v1/transactions/${await sell()}/return`)
      await post('/v1/webhooks', { url: `https://example.com/${name}` })
      await post('/v1/sources', { name, kind: 'shopify', secret: 'the signing key of the shop' })
      await post('/v1/imports', { kind: 'products' })
      await merchant.call('PATCH', `/v1/campaigns/${campaign}`, { name })
      await post(`/v1/campaigns/${campaign}/publish`)
      await merchant.invite()
      await merchant.connect(['pos'])
      await service.createMerchant()
      await merchant.lastRequest()
    }
  })

  test.each(lists)('%s', async (list) => {
    const path = list.replace(/^(.*)\/\{id\}/, (_, owner) => `${owner}/${owners[owner]!()}`)
    const token = path.startsWith('/admin') ? adminToken : undefined
    const get = (query: string) =>
      token ? service.call('GET', path + query, { token }) : merchant.call('GET', path + query)
    const { body } = await get('')
    expect(body.data?.length ?? body.length, JSON.stringify(body).slice(0, 200)).toBeGreaterThan(1)
    const count = async (query: string) => {
      await get(query)
      const before = roundTrips
      expect((await get(query)).status).toBe(200)
      return roundTrips - before
    }
    const ofOne = await count('?limit=1')
    expect(await count('?limit=50')).toBe(ofOne)
  })
})
