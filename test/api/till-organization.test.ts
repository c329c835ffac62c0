import { afterAll, beforeAll, expect, test } from 'vitest'
import { createQuickPerson } from '../support/people.ts'
import { type Merchant, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let merchant: Merchant
beforeAll(async () => {
  service = await startTestService()
  merchant = await service.createMerchant({ country: 'KW', currency: 'KWD' })
  await merchant.call('PATCH', '/v1/organization', { name: 'Kahve' })
})
afterAll(() => service.close())

const path = '/v1/till/organization'

test('a till reads what it needs to know about its organization, and its own scopes', async () => {
  const till = await merchant.connect(['pos'])
  expect((await till('GET', path)).body).toEqual({
    name: 'Kahve',
    mode: 'live',
    country: 'KW',
    currency: 'KWD',
    currencyDecimals: 3,
    timezone: 'UTC',
    scopes: ['pos'],
    channels: [],
  })
  expect((await till('GET', '/v1/organization')).status).toBe(403)
  const both = await merchant.connect(['pos', 'manage'])
  expect((await both('GET', path)).body.scopes).toEqual(['pos', 'manage'])
})

test('a change of the organization is seen at once', async () => {
  const till = await merchant.connect(['pos'])
  await merchant.call('PATCH', '/v1/organization', { name: 'Kahve 2', timezone: 'Asia/Kuwait' })
  expect((await till('GET', path)).body).toMatchObject({ name: 'Kahve 2', timezone: 'Asia/Kuwait' })
})

test('so does a person who has signed in, with the scopes of the role', async () => {
  for (const [role, scopes] of [
    ['cashier', ['pos']],
    ['owner', ['pos', 'manage', 'people']],
  ] as const) {
    const { cookie } = await createQuickPerson(service, merchant, role)
    const reply = await service.call('GET', path, { headers: { cookie } })
    expect([reply.status, reply.body.scopes]).toEqual([200, scopes])
  }
})

test('a till reads the words that customers agree to, and so does a person', async () => {
  const consentText = 'Kahve may send me offers.'
  await merchant.call('PATCH', '/v1/organization', { contact: { consentText } })
  const till = await merchant.connect(['pos'])
  expect((await till('GET', path)).body.consentText).toBe(consentText)
  const { cookie } = await createQuickPerson(service, merchant, 'cashier')
  const session = await service.call('GET', '/auth/session', { headers: { cookie } })
  expect(session.body.organization.consentText).toBe(consentText)
})
