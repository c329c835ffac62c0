import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestPerson, signIn, type TestPerson, withSession } from '../support/people.ts'
import { type Merchant, startTestService, type TestService } from '../support/service.ts'
import { expectRefusal } from './expect-refusal.ts'

let service: TestService
let merchant: Merchant
let owner: TestPerson
let cashier: TestPerson

beforeAll(async () => {
  service = await startTestService()
  merchant = await service.createMerchant()
  owner = await createTestPerson(service, merchant)
  cashier = await createTestPerson(service, merchant, 'cashier')
})
afterAll(() => service.close())

const hour = 3_600_000

describe('signing in', () => {
  test('opens a session that tells who it is, where, and what they may do', async () => {
    const reply = await signIn(service, { ...owner, email: `  ${owner.email.toUpperCase()} ` })
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({
      person: { id: owner.id, email: owner.email, role: 'owner' },
      organization: {
        id: merchant.id,
        name: 'Test',
        country: 'US',
        currency: 'USD',
        timezone: 'UTC',
        locale: 'en',
        isDemo: false,
      },
      scopes: ['pos', 'manage', 'people'],
      user: expect.stringMatching(/^usr_/),
      branch: expect.stringMatching(/^brn_/),
      expiresAt: expect.any(String),
    })
    expect(new Date(reply.body.expiresAt).getTime() - Date.now()).toBeGreaterThan(11.9 * hour)
    expect((await withSession(service, reply).call('GET', '/auth/session')).body).toEqual({
      ...reply.body,
      expiresAt: expect.any(String),
    })
  })

  test('sets a cookie that no script reads and no other site sends, for TLS only where there is TLS', async () => {
    const plain = String((await signIn(service, owner)).headers['set-cookie'])
    expect(plain).toMatch(
      /^lw_session=lwp_\d+-[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict$/,
    )
    const behindProxy = await startTestService({ isBehindProxy: true, sharing: service })
    try {
      const secure = String((await signIn(behindProxy, owner)).headers['set-cookie'])
      expect(secure).toMatch(/; SameSite=Strict; Secure$/)
    } finally {
      await behindProxy.close()
    }
  })
})

describe('the cookie in place of a token', () => {
  test('makes the calls that the role allows, and no others', async () => {
    const manager = await createTestPerson(service, merchant, 'manager')
    const statuses = async ({ call }: TestPerson) => [
      (await call('GET', '/v1/campaigns')).status,
      (await call('GET', '/v1/customers')).status,
      (await call('GET', '/v1/people')).status,
    ]
    expect(await statuses(owner)).toEqual([200, 200, 200])
    expect(await statuses(manager)).toEqual([200, 200, 403])
    expect(await statuses(cashier)).toEqual([200, 403, 403])
    expectRefusal(await cashier.call('GET', '/v1/customers'), 403, '_forbidden', /manage/)
    expect((await cashier.call('GET', '/auth/session')).body.scopes).toEqual(['pos'])
  })
})
