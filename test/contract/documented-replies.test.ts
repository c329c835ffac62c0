import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OpenApiDocument } from '../../src/http/openapi/reference/document.ts'
import { expectDocumented } from '../support/expect-documented.ts'
import {
  adminToken,
  coffeeClub,
  type Merchant,
  type Method,
  startTestService,
  type TestService,
} from '../support/service.ts'

let service: TestService
let merchant: Merchant
let document: OpenApiDocument

beforeAll(async () => {
  service = await startTestService()
  merchant = await service.createMerchant()
  document = (await service.call('GET', '/openapi.json')).body
})
afterAll(() => service.close())

/** A call that succeeds, and is answered with what the document says. */
async function call(method: Method, path: string, body?: unknown) {
  const reply = await merchant.call(method, path, body)
  expect([path, reply.status < 300, reply.body?.description]).toEqual([path, true, undefined])
  expectDocumented(document, reply)
  return reply.body
}

async function admin(method: Method, path: string, body?: unknown) {
  const reply = await service.call(method, `/admin/v1${path}`, { token: adminToken, body })
  expectDocumented(document, reply)
  return reply.body
}

describe('replies are what the OpenAPI document says, and have no member that it does not name', () => {
  test('tokens and the platform', async () => {
    const headers = { 'x-api-key': merchant.apiKey, 'x-api-secret': merchant.apiSecret }
    const issued = await service.call('POST', '/auth/token', { headers })
    expectDocumented(document, issued)
    const { accessToken, refreshToken } = issued.body
    const refreshed = await service.call('POST', '/auth/refreshtoken', {
      body: { accessToken, refreshToken },
    })
    expectDocumented(document, refreshed)
    for (const path of ['/livez', '/readyz']) expectDocumented(document, await service.call('GET', path))
    const { id } = await admin('POST', '/organizations', { name: 'Second' })
    const integration = await admin('POST', '/integrations', { name: 'Till' })
    const connection = await admin('POST', `/organizations/${id}/connections`, {
      integration: integration.id,
    })
    await admin('POST', `/connections/${connection.id}/rotate`)
    const added = await call('POST', '/v1/connections', { name: 'Shop' })
    await call('GET', '/v1/connections')
    await call('POST', `/v1/connections/${added.id}/rotate`, {})
    await call('POST', `/v1/connections/${added.id}/revoke`)
    await admin('POST', `/integrations/${integration.id}/rotate`)
    await admin('POST', `/organizations/${id}/subscription`, { active: false })
    for (const path of [`/organizations/${id}`, `/integrations/${integration.id}`, '/organizations'])
      await admin('GET', path)
  })

  test('one that has a member more, or one less, is noticed', async () => {
    const reply = await service.call('GET', '/livez')
    const check = (body: object) => () => expectDocumented(document, { ...reply, body })
    expect(check({ live: true, more: 1 })).toThrow(/more/)
    expect(check({})).toThrow(/live/)
  })

  test('a campaign from its draft to its second version', async () => {
    const { id } = await call('POST', '/v1/campaigns', {
      ...coffeeClub,
      tiers: [{ key: 'gold', name: 'Gold', balance: 'points', from: 10 }],
    })
    await call('POST', `/v1/campaigns/${id}/publish`)
    await call('PATCH', `/v1/campaigns/${id}`, { name: 'Second', spend: null })
    await call('POST', `/v1/campaigns/${id}/publish`)
    const versions = await call('GET', `/v1/campaigns/${id}/versions`)
    expect(versions.data[0].changes.length).toBeGreaterThan(0)
    await call('POST', `/v1/campaigns/${id}/preview`, {
      items: [{ product: 'latte', quantity: 2, unitPrice: 3.5 }],
      wallet: { collectables: { stamps: { value: 9 } } },
    })
    await call('POST', `/v1/campaigns/${id}/pause`)
    for (const path of [`/v1/campaigns/${id}`, '/v1/campaigns']) await call('GET', path)
  })

  test('a customer, a basket with everything in it, and its return', async () => {
    const campaignId = await merchant.publishCampaign({
      ...coffeeClub,
      balances: [
        { key: 'points', name: 'Points', expires: { after: 'P12M' } },
        { key: 'stamps', name: 'Stamps' },
      ],
      tiers: [{ key: 'gold', name: 'Gold', balance: 'points', from: 10 }],
    })
    const registered = await call('POST', '/v1/customers/register', {
      campaignId,
      customer: {
        data: { phone: '+12025550147', email: 'doc@example.com', fullname: 'Doc' },
        metaData: { free: { form: [1] } },
        consents: { marketing: true },
        opaqueId: 'doc',
      },
    })
    const { id } = registered
    const card = registered.cards[0].id
    await call('POST', `/v1/customers/${id}/adjustments`, { key: 'points', amount: 300, reason: 'x' })
    const coupon = await call('POST', '/v1/coupons', {
      customer: id,
      campaign: campaignId,
      reward: 'five-off',
    })
    const basket = {
      customer: id,
      card,
      opaqueId: 'doc-1',
      items: [{ id: 'a', product: 'latte', name: 'Latte', category: 'coffee', quantity: 12, unitPrice: 3.5 }],
      reward: coupon.id,
      discountAmount: 5,
      pointsToSpend: 100,
      user: 'cash-7',
      branch: 'store-12',
      metaData: { any: 'thing' },
    }
    await call('POST', '/v1/transactions/validate', basket)
    const sale = await call('POST', '/v1/transactions/process', basket)
    expect(sale.executedActions.actions.map(({ type }: { type: string }) => type)).toEqual(
      expect.arrayContaining(['redeem_coupon', 'spend_points', 'collect', 'grant_coupon', 'change_tier']),
    )
    await call('POST', `/v1/transactions/${sale.id}/return`, {
      items: [{ id: 'a', quantity: 1 }],
      reason: 'x',
    })
    await call('POST', `/v1/transactions/${sale.id}/return`)
    await call('PATCH', `/v1/customers/${id}`, { data: { fullname: 'Other' } })
    for (const path of [
      `/v1/transactions/${sale.id}`,
      '/v1/transactions',
      `/v1/customers/${id}`,
      '/v1/customers/find?q=doc%40example.com',
      '/v1/customers',
      `/v1/customers/${id}/transactions`,
      `/v1/customers/${id}/ledger`,
      `/v1/customers/${id}/coupons`,
      `/v1/customers/${id}/export`,
      `/v1/cards/${card}`,
      `/v1/coupons/${coupon.id}`,
    ])
      await call('GET', path)
    await call('POST', `/v1/cards/${card}/replace`)
    await call('POST', `/v1/customers/${id}/block`)
    await call('POST', `/v1/customers/${id}/erase`)
  })

  test('the logs: a call that went well, one that was refused, and who changed what', async () => {
    await call('POST', '/v1/products', { opaqueId: 'doc-logged' })
    await merchant.call('GET', '/v1/customers/find?q=nobody')
    await service.flushRequests()
    const { data } = await call('GET', '/v1/requests?limit=2')
    for (const { id } of data) await call('GET', `/v1/requests/${id}`)
    expect(data.map(({ errorCode }: { errorCode?: string }) => errorCode)).toEqual([
      'customer_not_found',
      undefined,
    ])
    expect((await call('GET', '/v1/audit')).data.length).toBeGreaterThan(0)
  })

  test('the directory, the reports and the organization', async () => {
    await call('POST', '/v1/branches', { opaqueId: 'doc-branch', name: 'B' })
    await call('POST', '/v1/users', { opaqueId: 'doc-user', name: 'U', branch: 'doc-branch' })
    const product = await call('POST', '/v1/products', { opaqueId: 'doc-product', category: 'c' })
    await call('PATCH', `/v1/products/${product.id}`, { name: 'P' })
    for (const path of [
      '/v1/products',
      '/v1/branches',
      '/v1/users',
      '/v1/reports/summary',
      '/v1/reports/daily',
      '/v1/integrity',
      '/v1/organization',
    ])
      await call('GET', path)
    await call('PATCH', '/v1/organization', { color: '#0b7285', logo: 'https://example.com/l.png' })
  })
})
