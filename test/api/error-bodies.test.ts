import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../support/expect-refusal.ts'
import {
  adminToken,
  type Merchant,
  type Registered,
  startTestService,
  type TestService,
} from '../support/service.ts'

let service: TestService
let merchant: Merchant
let campaign: string
let who: Registered

beforeAll(async () => {
  service = await startTestService()
  merchant = await service.createMerchant()
  campaign = await merchant.publishCampaign()
  who = await merchant.register(campaign)
})
afterAll(() => service.close())

const basket = (more: object) => ({ customer: who.customer, card: who.card, ...more })
const process = (more: object) => merchant.call('POST', '/v1/transactions/process', basket(more))

describe('an error names the property at fault', () => {
  test('where the shape is wrong, where a rule of the service is broken, and in a query', async () => {
    for (const [body, field] of [
      [{ items: [{ product: 'latte', quantity: 0 }] }, 'items[0].quantity'],
      [{ items: [{ amount: 1 }, { unitPrice: '3' }] }, 'items[1].unitPrice'],
      [{ customer: 5 }, 'customer'],
      [{ items: [{ amount: 1 }], pointsToSpend: 0.5 }, 'pointsToSpend'],
    ] as const) {
      const reply = await process(body)
      expectRefusal(reply, 400, '_invalid_payload', new RegExp(`^${field.replaceAll(/[[\]]/g, '.')}: `))
      expect(reply.body.field).toBe(field)
    }
    const query = await merchant.call('GET', '/v1/reports/summary?from=never')
    expect([query.status, query.body.field]).toEqual([400, 'from'])
  })

  test('where a refusal is about what a property names', async () => {
    const register = (customer: object, campaignId = campaign) =>
      merchant.call('POST', '/v1/customers/register', { campaignId, customer })
    await register({ data: { phone: '+12025550171', email: 'field@example.com' }, opaqueId: 'field' })
    const fields = [
      await register({ data: {} }, 'cmp_none'),
      await register({ id: 'cus_none' }),
      await register({ data: { phone: '12' } }),
      await register({ data: { phone: '+12025550171' } }),
      await register({ data: { email: 'field@example.com' } }),
      await register({ data: {}, opaqueId: 'field' }),
      await merchant.call('POST', '/v1/customers', { data: { phone: '12' } }),
      await process({ card: 'card_none' }),
      await process({ items: [{ amount: 1 }], pointsToSpend: 1_000_000 }),
    ].map(({ body }) => [body.message, body.field])
    expect(fields).toEqual([
      ['invalid_campaign', 'campaignId'],
      ['customer_not_found', 'customer.id'],
      ['invalid_phone', 'customer.data.phone'],
      ['existing_customer_with_phone', 'customer.data.phone'],
      ['existing_customer_with_email', 'customer.data.email'],
      ['opaque_id_already_exists', 'customer.opaqueId'],
      ['invalid_phone', 'data.phone'],
      ['card_not_found', 'card'],
      ['insufficient_points', 'pointsToSpend'],
    ])
  })

  test('and none where the path names it, or nothing in particular is at fault', async () => {
    for (const reply of [
      await merchant.call('GET', '/v1/customers/cus_none'),
      await merchant.call('PATCH', '/v1/customers/cus_none', { data: { phone: '12' } }),
      await service.call('GET', '/v1/customers/cus_none'),
    ])
      expect([reply.status >= 400, reply.body.field]).toEqual([true, undefined])
  })

  test('of a coupon its place, and its ID only if it is one of ours', async () => {
    const issued = await merchant.call('POST', '/v1/coupons', {
      customer: who.customer,
      campaign,
      reward: 'five-off',
    })
    const { id } = issued.body
    await merchant.call('POST', `/v1/coupons/${id}/revoke`)
    const revoked = await process({ items: [{ amount: 1 }, { amount: 9, reward: [id] }] })
    expectRefusal(revoked, 400, 'coupon_revoked', new RegExp(`^${id}: The coupon was revoked\\.$`))
    expect(revoked.body.field).toBe('items[1].reward')
    const unknown = await process({ items: [{ amount: 1 }], reward: '<b>free-coffee' })
    expectRefusal(unknown, 400, 'coupon_not_found', /^The customer has no such coupon\.$/)
    expect(unknown.body.field).toBe('reward')
  })
})

test('an error has the ID of its request, and a link to a page that explains it', async () => {
  const reply = await merchant.call('GET', '/v1/coupons/none', undefined, { 'x-request-id': 'till-7-1' })
  expect(reply.body).toMatchObject({ requestId: 'till-7-1', help: '/docs/errors#coupon_not_found' })
})

test('a 401 says how to authenticate', async () => {
  const challenge = async (authorization?: string) => {
    const headers: Record<string, string> = authorization ? { authorization } : {}
    const reply = await service.call('GET', '/v1/organization', { headers })
    return [reply.status, reply.headers['www-authenticate']]
  }
  expect(await challenge()).toEqual([401, 'Bearer'])
  expect(await challenge('Bearer nonsense')).toEqual([401, 'Bearer error="invalid_token"'])
  for (const authorization of ['Basic QTpC', 'Bearer', 'Bearer ']) {
    expect(await challenge(authorization)).toEqual([401, 'Bearer'])
  }
  const [signed] = merchant.token.split(/\.[^.]*$/)
  expect(await challenge(`Bearer ${signed}.${'A'.repeat(43)}`)).toEqual([401, 'Bearer error="invalid_token"'])
  const other = await service.createMerchant()
  await other.call('POST', `/v1/connections/${other.connection}/revoke`)
  expect(await challenge(`Bearer ${other.token}`)).toEqual([401, 'Bearer error="invalid_token"'])
  const operator = await service.call('GET', '/admin/v1/organizations', { token: `${adminToken}x` })
  expect([operator.status, operator.headers['www-authenticate']]).toEqual([
    401,
    'Bearer error="invalid_token"',
  ])
})
