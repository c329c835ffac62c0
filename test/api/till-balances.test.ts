import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectRefusal } from '../support/expect-refusal.ts'
import { type Merchant, startTestService, type TestService } from '../support/service.ts'
import { openShop, type Shop } from '../support/shop.ts'

let service: TestService
let shop: Shop
let till: Merchant['call']

beforeAll(async () => {
  service = await startTestService()
  shop = await openShop(service)
  till = await shop.merchant.connect(['pos'])
})
afterAll(() => service.close())

const named = async () => {
  const { body } = await till('GET', '/v1/till/balances')
  return Object.fromEntries(body.data.map(({ key, name }: { key: string; name: string }) => [key, name]))
}

test('a till reads what balances are called, also of campaigns that are over, and nothing of drafts', async () => {
  const credit = await shop.publish({
    name: 'Credit',
    balances: [{ key: 'credit', name: 'House credit', decimals: 2 }, { key: 'nameless' }],
  })
  const old = await shop.publish({ name: 'Old', balances: [{ key: 'beans', name: 'Beans' }] })
  await shop.post('/v1/campaigns', { name: 'Draft', balances: [{ key: 'secret', name: 'Not yet' }] })
  await shop.post(`/v1/campaigns/${credit}/pause`)
  await shop.post(`/v1/campaigns/${old}/archive`)
  const { status, body } = await till('GET', '/v1/till/balances')
  expect([status, body]).toEqual([
    200,
    {
      data: [
        { key: 'beans', name: 'Beans', decimals: 0 },
        { key: 'credit', name: 'House credit', decimals: 2 },
        { key: 'nameless', name: 'nameless', decimals: 0 },
      ],
    },
  ])
})

test('the name is that of the published version, and of a campaign that runs before one that does not', async () => {
  const stars = await shop.publish({ name: 'Stars', balances: [{ key: 'stars', name: 'Stars' }] })
  await shop.call('PATCH', `/v1/campaigns/${stars}`, { balances: [{ key: 'stars', name: 'Suns' }] })
  expect(await named()).toMatchObject({ stars: 'Stars' })
  await shop.post(`/v1/campaigns/${stars}/publish`)
  expect(await named()).toMatchObject({ stars: 'Suns' })
  const other = await shop.publish({ name: 'Moons', balances: [{ key: 'stars', name: 'Moons' }] })
  expect(await named()).toMatchObject({ stars: 'Moons' })
  await shop.post(`/v1/campaigns/${other}/pause`)
  expect(await named()).toMatchObject({ stars: 'Suns' })
  // A balance that its campaign gives no more is still held.
  await shop.republish(stars, { balances: [{ key: 'comets', name: 'Comets' }] })
  await shop.republish(other, { balances: [{ key: 'comets', name: 'Comets' }] })
  expect(await named()).toMatchObject({ stars: 'Stars' })
})

test('comes page by page, to those with the scope `pos`, of their own organization', async () => {
  const own = await openShop(service)
  await own.publish({ name: 'Three', balances: [{ key: 'c' }, { key: 'a' }, { key: 'b' }] })
  const first = await own.get('/v1/till/balances?limit=2')
  expect(first.data.map(({ key }: { key: string }) => key)).toEqual(['a', 'b'])
  const { data } = await own.get(`/v1/till/balances?limit=2&cursor=${first.nextCursor}`)
  expect(data).toEqual([{ key: 'c', name: 'c', decimals: 0 }])
  const cursor = Buffer.from('a\0').toString('base64url')
  expectRefusal(await own.call('GET', `/v1/till/balances?cursor=${cursor}`), 400, '_invalid_payload')
  const manager = await own.merchant.connect(['manage'])
  expectRefusal(await manager('GET', '/v1/till/balances'), 403, '_forbidden')
})
