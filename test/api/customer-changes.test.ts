import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../support/expect-refusal.ts'
import { createQuickPerson } from '../support/people.ts'
import { type Merchant, type Method, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let merchant: Merchant
let campaign: string

beforeAll(async () => {
  service = await startTestService()
  service.holdTime()
  merchant = await service.createMerchant()
  campaign = await merchant.publishCampaign()
})
afterAll(() => service.close())

async function signIn(role: 'cashier' | 'manager', shop = merchant) {
  const { cookie } = await createQuickPerson(service, shop, role)
  return (method: Method, path: string, body?: unknown) =>
    service.call(method, path, { body, headers: { cookie } })
}
const eventsOf = async (customer: string) =>
  (
    await service.database.pool.query<{ type: string; data: Record<string, unknown> }>(
      "SELECT type, data FROM events WHERE data ->> 'customer' = $1 ORDER BY position, id",
      [customer],
    )
  ).rows
const auditOf = async (shop = merchant) => (await shop.call('GET', '/v1/audit?limit=100')).body.data

describe('a change of a profile', () => {
  test('leaves an event with the names of the fields and who it was, never the values', async () => {
    const { customer } = await merchant.register(campaign, { phone: '+12025550150', fullname: 'Zebulon' })
    const cashier = await signIn('cashier')
    const patches: [object, string[]][] = [
      [{ data: { phone: '+12025550151', fullname: 'Quixwort' } }, ['data.phone', 'data.fullname']],
      [{ data: { phone: '(202) 555-0151' } }, []],
      [{ data: { email: 'quixwort@example.com', fullname: null } }, ['data.email', 'data.fullname']],
      [{ metaData: { quixwort: 1 } }, ['metaData']],
      [{ metaData: { quixwort: 1 } }, []],
      [{ consents: { quixwort: true } }, ['consents']],
      [{ opaqueId: 'Quixwort' }, ['opaqueId']],
      [{}, []],
    ]
    const by = { kind: 'person', id: expect.stringMatching(/^usr_/) }
    for (const [patch] of patches)
      expect((await cashier('PATCH', `/v1/customers/${customer}`, patch)).status).toBe(200)
    await merchant.call('PATCH', `/v1/customers/${customer}`, { data: { phone: null } })
    const told = (await eventsOf(customer)).filter(({ type }) => type === 'customer.changed')
    expect(told.map(({ data }) => data)).toEqual([
      ...patches.flatMap(([, changed]) => (changed.length > 0 ? [{ customer, changed, by }] : [])),
      { customer, changed: ['data.phone'], by: { kind: 'connection', id: expect.stringMatching(/^usr_/) } },
    ])
    expect(JSON.stringify(told)).not.toMatch(/quixwort|zebulon|2025550/i)
  })

  test('that is refused leaves none', async () => {
    const { customer } = await merchant.register(campaign)
    expectRefusal(
      await merchant.call('PATCH', `/v1/customers/${customer}`, { data: { phone: 'x' } }),
      400,
      'invalid_phone',
    )
    expect((await eventsOf(customer)).map(({ type }) => type)).toEqual([
      'customer.created',
      'customer.registered',
    ])
  })

  test('by a person is in the audit log, without values; by a till it is not', async () => {
    const shop = await service.createMerchant()
    const club = await shop.publishCampaign()
    const cashier = await signIn('cashier', shop)
    const before = (await auditOf(shop)).length
    const data = { phone: '+12025550152', email: 'quixwort@example.com', fullname: 'Quixwort' }
    const profile = { data, metaData: { Quixwort: 1 }, consents: { quixwort: true }, opaqueId: 'Quixwort' }
    const created = await cashier('POST', '/v1/customers', profile)
    await cashier('POST', '/v1/customers/register', { campaignId: club, customer: { id: created.body.id } })
    await cashier('PATCH', `/v1/customers/${created.body.id}`, { data: { fullname: 'Quixwort 2' } })
    await shop.call('PATCH', `/v1/customers/${created.body.id}`, { data: { fullname: 'Quixwort 3' } })
    await shop.call('POST', '/v1/customers', { data: {} })
    const entries = (await auditOf(shop)).slice(0, -before || undefined)
    expect(entries.map(({ action }: { action: string }) => action)).toEqual([
      'patchCustomer',
      'registerCustomer',
      'createCustomer',
    ])
    for (const entry of entries)
      expect(entry).toMatchObject({
        by: { kind: 'person' },
        subject: { kind: 'customer', id: created.body.id },
      })
    expect(entries[0].details).toEqual({ data: { fullname: '[redacted]' } })
    expect(JSON.stringify(entries)).not.toMatch(/quixwort|2025550/i)
  })
})

describe('a cashier who opens customers', () => {
  let shop: Merchant
  let club: string
  let customers: string[]
  beforeAll(async () => {
    shop = await service.createMerchant()
    club = await shop.publishCampaign()
    customers = []
    for (let i = 0; i < 310; i++)
      customers.push((await shop.call('POST', '/v1/customers', { data: { fullname: `${i}` } })).body.id)
  })

  test('is asked to wait after sixty at once, by whichever request; the same ones stay open', async () => {
    const cashier = await signIn('cashier', shop)
    const open = (id: string) => cashier('GET', `/v1/customers/${id}`)
    for (const id of customers.slice(0, 60)) expect((await open(id)).status).toBe(200)
    const next = customers[60]!
    const refused = [
      await open(next),
      await cashier('PATCH', `/v1/customers/${next}`, {}),
      await cashier('POST', '/v1/customers/register', { campaignId: club, customer: { id: next } }),
      await cashier('GET', `/v1/customers/${next}/transactions`),
    ]
    for (const reply of refused) {
      expectRefusal(reply, 429, '_too_many_requests', /Wait a moment/)
      expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0)
    }
    expect((await open(customers[0]!)).status).toBe(200)
    service.advance(2_000)
    expect((await open(next)).status).toBe(200)
    expect((await open(customers[61]!)).status).toBe(429)
  })

  test('is not stopped at the pace of a busy till, and hundreds within an hour are noted once', async () => {
    const cashier = await signIn('cashier', shop)
    const before = (await auditOf(shop)).length
    for (const id of customers) {
      expect((await cashier('GET', `/v1/customers/${id}`)).status).toBe(200)
      service.advance(2_000)
    }
    const notes = (await auditOf(shop)).slice(0, -before || undefined)
    expect(notes).toMatchObject([
      {
        action: 'readManyCustomers',
        by: { kind: 'person' },
        details: { customers: 300, withinMinutes: 60 },
      },
    ])
  })

  test('is limited alone: neither managers nor tills are', async () => {
    const manager = await signIn('manager', shop)
    for (const id of customers.slice(0, 70)) {
      expect((await manager('GET', `/v1/customers/${id}`)).status).toBe(200)
      expect((await shop.call('GET', `/v1/customers/${id}`)).status).toBe(200)
    }
  })
})
