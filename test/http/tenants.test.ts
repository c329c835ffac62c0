import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Merchant, type Reply, startTestService, type TestService } from '../support/service.ts'
import { createIds, type Ids, idsTakenBy, listRoutes, probes } from './route-table.ts'

let service: TestService
let mine: Merchant
let theirs: Merchant
let foreign: Ids

beforeAll(async () => {
  service = await startTestService()
  mine = await service.createMerchant()
  theirs = await service.createMerchant()
  foreign = await createIds(theirs)
  await theirs.call('PATCH', `/v1/customers/${foreign.customer}`, {
    data: { email: 'secret@theirs.example', phone: '+12025550100', fullname: 'Their Customer' },
    opaqueId: 'their-opaque',
  })
  await mine.call('POST', '/v1/customers', { data: { email: 'findable@example.com' } })
})
afterAll(() => service.close())

const prefixes: Record<keyof Ids, string> = {
  customer: 'cus',
  card: 'card',
  campaign: 'cmp',
  coupon: 'cpn',
  transaction: 'txn',
  product: 'prd',
  branch: 'brn',
  user: 'usr',
}

/** What a caller can learn from a reply, whichever id was sent. */
function seen(reply: Reply, id: string) {
  const { timestamp: _, ...body } = reply.body
  return JSON.parse(JSON.stringify({ status: reply.status, body }).replaceAll(id, '<id>'))
}

test('every route of an organization has a probe, and no probe is of a route that is gone', () => {
  const routes = listRoutes(service)
    .filter((route) => route.access === 'organization')
    .map((route) => route.name)
  expect(routes.toSorted()).toEqual(Object.keys(probes).toSorted())
})

test('every route with an id in its path has a probe that takes one', () => {
  for (const [name, probe] of Object.entries(probes)) {
    if (name.includes('{')) expect([name, idsTakenBy(probe).length > 0]).toEqual([name, true])
  }
})

test('all routes outside the organizations are known', () => {
  const others = listRoutes(service)
    .filter((route) => route.access !== 'organization' && !route.path.startsWith('/admin/v1/'))
    .map((route) => route.name)
  expect(others.toSorted()).toEqual([
    'GET /livez',
    'GET /metrics',
    'GET /readyz',
    'POST /auth/refreshtoken',
    'POST /auth/token',
  ])
  for (const route of listRoutes(service))
    if (route.path.startsWith('/admin/v1/'))
      expect([route.name, route.access]).toEqual([route.name, 'operator'])
})

describe('an id of another organization looks exactly like an unknown one', () => {
  test.each(Object.entries(probes).filter(([, probe]) => idsTakenBy(probe).length > 0))(
    '%s',
    async (name, probe) => {
      const method = name.split(' ')[0] as 'GET'
      const own = await createIds(mine)
      const call = (ids: Ids) => {
        const { path, body } = probe(ids)
        return mine.call(method, path, body)
      }
      for (const key of idsTakenBy(probe)) {
        const unknown = `${prefixes[key]}_${randomBytes(16).toString('hex')}`
        const withForeign = await call({ ...own, [key]: foreign[key] })
        const withUnknown = await call({ ...own, [key]: unknown })
        expect([key, seen(withForeign, foreign[key])]).toEqual([key, seen(withUnknown, unknown)])
        if (withUnknown.status < 400) {
          expect([name, withUnknown.body]).toEqual(['GET /v1/transactions', { data: [] }])
        } else {
          expect(withForeign.body.message).toMatch(/_not_found$|^invalid_/)
          // What cannot be an id at all is refused in the same words.
          const garbage = await call({ ...own, [key]: 'garbage' })
          expect([garbage.status, garbage.body.message]).toEqual([
            withUnknown.status,
            withUnknown.body.message,
          ])
        }
      }
      // Without this the probe could be refused for any other reason.
      const reply = await call(own)
      expect([name, reply.status, reply.body.message]).toEqual([
        name,
        reply.status < 300 ? reply.status : 200,
        undefined,
      ])
    },
  )
})

describe('what another organization has is never shown', () => {
  test.each(Object.entries(probes).filter(([name]) => name.startsWith('GET') && !name.includes('{')))(
    '%s',
    async (_name, probe) => {
      const { path } = probe(await createIds(mine))
      const { text } = await mine.call(
        'GET',
        path.split('?')[0] === '/v1/transactions' ? '/v1/transactions' : path,
      )
      for (const id of Object.values(foreign)) expect(text).not.toContain(id)
      expect(text).not.toContain(theirs.id)
      expect(text).not.toMatch(/secret@theirs|5550100|Their Customer|their-opaque/)
    },
  )

  test('find and filters do not reach over', async () => {
    const card = (await theirs.call('GET', `/v1/cards/${foreign.card}`)).body
    for (const q of ['secret@theirs.example', '+12025550100', card.barcode]) {
      expect((await theirs.call('GET', `/v1/customers/find?q=${encodeURIComponent(q)}`)).status).toBe(200)
      expect((await mine.call('GET', `/v1/customers/find?q=${encodeURIComponent(q)}`)).status).toBe(404)
    }
    for (const q of ['Their', 'their-opaque', '555'])
      expect((await mine.call('GET', `/v1/customers?q=${q}`)).body.data).toEqual([])
  })

  test('a cursor of another organization shows only what is one’s own', async () => {
    await createIds(theirs)
    const { nextCursor } = (await theirs.call('GET', '/v1/customers?limit=1')).body
    const { status, text } = await mine.call('GET', `/v1/customers?cursor=${nextCursor}`)
    expect(status).toBe(200)
    expect(text).not.toContain(foreign.customer)
  })
})

test('receipt numbers and idempotency keys of one organization are free in another', async () => {
  const basket = async (merchant: Merchant) => {
    const { customer, card } = await createIds(merchant)
    return merchant.call(
      'POST',
      '/v1/transactions/process',
      { customer, card, opaqueId: 'shared-receipt' },
      { 'idempotency-key': 'shared-key' },
    )
  }
  expect((await basket(mine)).status).toBe(201)
  const second = await basket(theirs)
  expect(second.status).toBe(201)
  expect(second.headers['idempotent-replayed']).toBeUndefined()
})

test('after all this the other organization’s things are as they were', async () => {
  expect((await theirs.call('GET', `/v1/customers/${foreign.customer}`)).body).toMatchObject({
    status: 1,
    data: { fullname: 'Their Customer' },
    collectables: { points: { value: 20, total: 20 } },
    coupons: [{ id: foreign.coupon, status: 1 }],
  })
  expect((await theirs.call('GET', `/v1/cards/${foreign.card}`)).body.status).toBe(1)
  expect((await theirs.call('GET', `/v1/campaigns/${foreign.campaign}`)).body).toMatchObject({
    name: 'Probe',
    status: 'published',
  })
  expect((await theirs.call('GET', `/v1/transactions/${foreign.transaction}`)).body.status).toBe(1)
  for (const [list, id] of [
    ['products', foreign.product],
    ['branches', foreign.branch],
    ['users', foreign.user],
  ])
    expect((await theirs.call('GET', `/v1/${list}/${id}`)).body.name).toBeUndefined()
})
