import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventTypes } from '../../src/domain/event.ts'
import type { OpenApiDocument } from '../../src/http/openapi/reference/document.ts'
import { expectDocumented } from '../support/expect-documented.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { coffeeClub, type Merchant, startTestService, type TestService } from '../support/service.ts'

interface Event {
  id: string
  type: string
  timestamp: string
  position: number
  cursor: string
  data: Record<string, unknown>
}

let service: TestService
let document: OpenApiDocument & { webhooks: Record<string, unknown> }
let merchant: Merchant
let campaign: string

beforeAll(async () => {
  service = await startTestService()
  document = (await service.call('GET', '/openapi.json')).body
  merchant = await service.createMerchant()
  campaign = await merchant.publishCampaign({
    ...coffeeClub,
    tiers: [{ key: 'gold', name: 'Gold', balance: 'points', from: 10 }],
  })
})
afterAll(() => service.close())

/** A response of the list, which is compared with the document. */
async function read(query: Record<string, string | number> = {}, by = merchant) {
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  )
  const reply = await by.call('GET', `/v1/events?${search}`)
  expect(reply.status, reply.text).toBe(200)
  expectDocumented(document, reply)
  return reply.body as { data: Event[]; cursor: string; hasMore: boolean }
}

const latest = async (by = merchant) => (await read({ after: 'latest' }, by)).cursor
const typesOf = ({ data }: { data: Event[] }) => data.map(({ type }) => type)
const post = async (path: string, body: object = {}) => {
  const reply = await merchant.call('POST', path, body)
  expect(reply.status, reply.text).toBeLessThan(300)
  return reply.body
}

/** Puts the card into the wallet of a phone, or removes it. */
async function callAsPhone(method: 'POST' | 'DELETE', card: string) {
  const { walletUrl } = (await merchant.call('GET', `/v1/cards/${card}`)).body
  const token = service.deps.passTokens.create(service.deps.walletTokens.read(walletUrl.split('/').at(-1))!)
  const path = `/passes/${merchant.id}/v1/devices/phone/registrations/pass.test/${card}`
  const reply = await service.call(method, path, {
    headers: { authorization: `ApplePass ${token}` },
    ...(method === 'POST' && { body: { pushToken: '0123456789abcdef' } }),
  })
  expect(reply.status, reply.text).toBeLessThan(300)
}

describe('what is read', () => {
  test('is every event of the organization in order, a page at a time, and each page goes on after the last', async () => {
    for (const _ of [1, 2, 3]) await merchant.register(campaign)
    const all = await read()
    const pages: Event[] = []
    let page = await read({ limit: 2 })
    for (; page.hasMore; page = await read({ limit: 2, after: page.cursor })) {
      expect(page.data).toHaveLength(2)
      pages.push(...page.data)
    }
    pages.push(...page.data)
    expect(pages).toEqual(all.data)
    expect(all.data.map(({ position }) => position)).toEqual(all.data.map((_, i) => i + 1))
    expect(page.cursor).toBe(all.data.at(-1)!.cursor)
    expect(await read({ after: page.cursor })).toEqual({ data: [], cursor: page.cursor, hasMore: false })
    expect(await read({ after: all.data[3]!.cursor })).toMatchObject({ data: all.data.slice(4) })
  })

  test('is every type there is, as the document describes it, and nothing but ids, numbers and names', async () => {
    const start = await latest()
    const { customer, card } = await merchant.register(campaign)
    const { id } = await post('/v1/customers', { data: { fullname: 'Ada' }, consents: { marketing: true } })
    await merchant.call('PATCH', `/v1/customers/${id}`, {
      data: { fullname: 'Grace' },
      consents: { marketing: false, sms: true },
    })
    for (const path of ['block', 'block', 'unblock']) await post(`/v1/customers/${id}/${path}`)
    await post(`/v1/customers/${customer}/adjustments`, { key: 'points', amount: 300, reason: 'x' })
    const issued = await post('/v1/coupons', { customer, campaign, reward: 'five-off' })
    const revoked = await post('/v1/coupons', { customer, campaign, reward: 'five-off' })
    await post(`/v1/coupons/${revoked.id}/revoke`)
    const basket = { customer, card, amount: 20, reward: issued.id }
    const sale = await post('/v1/transactions/process', basket)
    await post(`/v1/transactions/${sale.id}/return`)
    for (const method of ['POST', 'DELETE'] as const) await callAsPhone(method, card)
    for (const path of ['block', 'unblock']) await post(`/v1/cards/${card}/${path}`)
    await post(`/v1/cards/${card}/replace`)
    await merchant.call('PATCH', '/v1/organization', { color: '#123456' })
    await post(`/v1/customers/${customer}/erase`)
    const connection = await post('/v1/connections', { name: 'Till' })
    for (const _ of [1, 2]) await post(`/v1/connections/${connection.id}/revoke`)
    const imported = await post('/v1/imports', { kind: 'products' })
    await post(`/v1/imports/${imported.id}/finish`)
    const { data } = await read({ after: start })
    // What takes weeks is in the tests of expiry, and a receiver that is gone in those of webhooks and messages.
    const late = [
      ...['balance.expired', 'coupon.expired', 'campaign.published'],
      ...['webhook.paused', 'message.sent', 'message.failed', 'message.bounced'],
    ]
    const expected = Object.keys(eventTypes).filter((type) => !late.includes(type))
    expect([...new Set(data.map(({ type }) => type))].sort()).toEqual(expected.sort())
    expect(Object.keys(document.webhooks)).toEqual(Object.keys(eventTypes))
    expect(JSON.stringify(data)).not.toMatch(/Ada|Grace/)
    const ofOther = data.filter((event) => event.data.customer === id)
    expect(ofOther.map((event) => [event.type, event.data.changed])).toEqual([
      ['customer.created', undefined],
      ['consent.changed', undefined],
      ['customer.changed', ['data.fullname', 'consents']],
      ['consent.changed', undefined],
      ['customer.changed', ['status']],
      ['customer.changed', ['status']],
    ])
    const revocations = data.filter(({ type }) => type === 'connection.revoked')
    expect(revocations.map((event) => event.data)).toEqual([
      { connection: connection.id, by: { kind: 'connection', id: expect.stringMatching(/^usr_/) } },
    ])
  })

  test('is what a filter by types and by customer leaves', async () => {
    const start = await latest()
    const [one, other] = [await merchant.register(campaign), await merchant.register(campaign)]
    for (const who of [one, other, one]) {
      await post(`/v1/customers/${who.customer}/adjustments`, { key: 'points', amount: 5, reason: 'x' })
    }
    const ofOne = await read({ after: start, customer: one.customer })
    expect(typesOf(ofOne)).toEqual([
      'customer.created',
      'customer.registered',
      'balance.adjusted',
      'balance.adjusted',
    ])
    expect(ofOne.data.every(({ data }) => data.customer === one.customer)).toBe(true)
    const path = `/v1/events?after=${start}&types=customer.created&types=balance.adjusted&customer=${one.customer}`
    expect(typesOf((await merchant.call('GET', path)).body)).toEqual([
      'customer.created',
      'balance.adjusted',
      'balance.adjusted',
    ])
    expectRefusal(
      await merchant.call('GET', '/v1/events?types=customer.gone'),
      400,
      '_invalid_payload',
      /types/,
    )
  })

  test('is nothing where a filter leaves nothing, and the cursor goes on all the same', async () => {
    const start = await latest()
    await merchant.register(campaign)
    const skipped = await read({ after: start, types: 'campaign.published' })
    expect(skipped).toEqual({ data: [], cursor: await latest(), hasMore: false })
    expect((await read({ after: start, customer: 'nobody' })).data).toEqual([])
  })

  test('ends before it becomes too much to look through', async () => {
    const crowded = await service.createMerchant()
    const { customer } = (await crowded.call('POST', '/v1/customers', { data: {} })).body
    await addEvents(crowded, 25_000)
    const last = (await crowded.call('POST', '/v1/customers', { data: {} })).body.id
    const steps = [await read({ customer: last }, crowded)]
    while (steps.at(-1)!.hasMore)
      steps.push(await read({ customer: last, after: steps.at(-1)!.cursor }, crowded))
    expect(steps.map(({ data }) => data.length)).toEqual([0, 0, 1])
    expect(steps[2]!.data[0]!.data.customer).toBe(last)
    expect(customer).not.toBe(last)
  })
})

describe('a cursor', () => {
  test.each(['x', '1', '-1-00000000', '1-zzzzzzzz', '01-00000000', '99999999999999999999-00000000', ''])(
    '"%s" is refused',
    async (after) => {
      const reply = await merchant.call('GET', `/v1/events?after=${after}`)
      expectRefusal(reply, 400, '_invalid_payload', /^after: must be a cursor of this organization's events/)
    },
  )

  test('of another organization is refused', async () => {
    const other = await service.createMerchant()
    const reply = await merchant.call('GET', `/v1/events?after=${await latest(other)}`)
    expectRefusal(reply, 400, '_invalid_payload', /this organization's events/)
  })

  test('that is ahead of all events, as after a restored backup, is refused', async () => {
    const [position, mark] = (await latest()).split('-')
    const reply = await merchant.call('GET', `/v1/events?after=${Number(position) + 1}-${mark}`)
    expectRefusal(reply, 400, '_invalid_payload', /^after: is ahead of the newest event/)
  })
})

test('another organization sees none of it', async () => {
  const other = await service.createMerchant()
  const { customer } = await merchant.register(campaign)
  expect(await read({}, other)).toMatchObject({ data: [], hasMore: false })
  expect((await read({ customer }, other)).data).toEqual([])
})

test('a till may not read them', async () => {
  const till = await merchant.connect(['pos'])
  expectRefusal(await till('GET', '/v1/events'), 403, '_forbidden')
})

/** Events that nobody asks for. */
async function addEvents({ id }: Merchant, count: number): Promise<void> {
  await service.database.pool.query(
    `WITH c AS (UPDATE event_counters SET last_position = last_position + $2
       WHERE org_id = (SELECT org_id FROM organizations WHERE id = $1) RETURNING org_id, last_position)
     INSERT INTO events (org_id, position, created_at, id, type, data)
     SELECT c.org_id, c.last_position - $2 + n, now(), gen_random_uuid(), 'customer.erased', '{"customer":"cus_x"}'
     FROM c, generate_series(1, $2) AS n`,
    [id.slice(4), count],
  )
}
