import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../support/service.ts'
import {
  auditWithReturns,
  type Body,
  collected,
  openShop,
  type Person,
  type Shop,
  skipped,
} from '../support/shop.ts'

let service: TestService
let shop: Shop
let campaign: string
let person: Person

const definition = {
  name: 'Explained',
  balances: [{ key: 'points', decimals: 1 }, { key: 'stamps' }],
  rules: [
    { id: 'base', kind: 'points_per_amount', balance: 'points', points: 0.5, per: 1 },
    { id: 'coffee', kind: 'collect_per_item', balance: 'stamps', amount: 1, categories: ['coffee'] },
    {
      id: 'night',
      kind: 'collect_per_visit',
      balance: 'points',
      amount: 5,
      when: { from: '00:00', to: '05:00' },
    },
    { id: 'double', kind: 'multiply', balance: 'points', factor: 2, when: { branches: ['store-12'] } },
    { id: 'promo', kind: 'collect_per_visit', balance: 'points', amount: 1, when: { tiers: ['gold'] } },
  ],
  rewards: [
    { key: 'free', name: 'Free', kind: 'free_product', products: ['latte'], validDays: 30 },
    { key: 'off', kind: 'percent_off', percent: 12.5, maxAmount: 9 },
  ],
  thresholds: [
    { balance: 'stamps', at: 3, grant: 'free', consume: true },
    { balance: 'points', at: 10, grant: 'off' },
  ],
  tiers: [{ key: 'gold', balance: 'points', from: 12 }],
  spend: { balance: 'points', worth: 0.1, min: 1, maxShare: 0.5 },
}
const basket = {
  items: [
    { id: 'l1', product: 'latte', name: 'Latte', category: 'coffee', quantity: 4, unitPrice: 3.456789 },
    { product: 'cake', amount: 4.999, discountAmount: 1.001 },
  ],
  discountAmount: 0.5,
  branch: 'store-12',
  user: 'cash-7',
  occurredAt: '2026-06-02T10:00:00Z',
  metaData: { table: 7, nested: { a: [1, null] } },
}

beforeAll(async () => {
  service = await startTestService()
  service.holdTime()
  service.setTime(new Date(basket.occurredAt))
  shop = await openShop(service, { timezone: 'Europe/Berlin', currency: 'EUR' })
  campaign = await shop.publish(definition)
  person = await shop.register(campaign)
})
afterAll(async () => {
  expect(await auditWithReturns(service)).toEqual([])
  await service.close()
})

test('GET gives back what process answered, with every action, every skipped rule and the progress', async () => {
  await shop.adjust(person, 'points', 20)
  const { id: coupon } = await shop.post('/v1/coupons', {
    customer: person.customer,
    campaign,
    reward: 'off',
  })
  const sale = await shop.process(person, { ...basket, pointsToSpend: 12.5, reward: coupon, opaqueId: 'E-1' })
  // What the explanation should hold, so that two equal replies cannot both be empty.
  expect(sale.executedActions.actions.map((action: { type: string }) => action.type)).toEqual([
    'redeem_coupon',
    'spend_points',
    'collect',
    'collect',
    'collect',
    'grant_coupon',
    'grant_coupon',
    'change_tier',
  ])
  expect(skipped(sale)).toEqual({ night: 'time', promo: 'tier' })
  expect(sale.executedActions.progress).toHaveLength(2)
  const { items, metaData, campaigns, returns, reward, discountAmount, ...answered } = await shop.get(
    `/v1/transactions/${sale.id}`,
  )
  expect(answered).toEqual(sale)
  // Lines come back exactly as sent, with the ids and quantities they defaulted to.
  expect(items).toEqual([basket.items[0], { id: '2', quantity: 1, ...basket.items[1] }])
  expect({ metaData, discountAmount, reward }).toEqual({
    metaData: basket.metaData,
    discountAmount: 0.5,
    reward: [coupon],
  })
  expect([campaigns, returns]).toEqual([[{ id: campaign, version: 1 }], []])
  const listed = await shop.get(`/v1/customers/${person.customer}/transactions`)
  expect(listed.data[0]).toMatchObject({ id: sale.id, executedActions: sale.executedActions })
})

test('it stays what it was when campaign, directory and wallet have changed', async () => {
  const sale = await shop.process(person, basket)
  const before = await shop.get(`/v1/transactions/${sale.id}`)
  await shop.republish(campaign, { name: 'Renamed', rules: [], thresholds: [] })
  await shop.process(person, { amount: 3 })
  expect(await shop.get(`/v1/transactions/${sale.id}`)).toEqual(before)
  await shop.republish(campaign, definition)
})

test('the numbers of the actions add up to the balances, step by step', async () => {
  const before = (await shop.view(person)).collectables
  const sale = await shop.process(person, { ...basket, pointsToSpend: 2.5 })
  const { actions, collectables } = sale.executedActions
  const running: Record<string, number> = { points: before.points.value, stamps: before.stamps.value }
  for (const { type, key, amount, value } of actions) {
    if (key === undefined) continue
    running[key] = Math.round((running[key]! + (type === 'collect' ? amount : -amount)) * 10) / 10
    expect(value, `${type} ${key}`).toBe(running[key])
  }
  expect(running).toEqual({ points: collectables.points.value, stamps: collectables.stamps.value })
  const entries = (await shop.ledger(person)).filter((entry) => entry.transaction === sale.id)
  const byRule = (list: Body[]) =>
    Object.fromEntries(
      list.map(({ rule, key, amount, value, campaign }) => [rule, { key, amount, value, campaign }]),
    )
  expect(byRule(entries.filter(({ kind }) => kind === 'collect'))).toEqual(
    byRule(actions.filter(({ type }: Body) => type === 'collect')),
  )
})

test('validate shows the same as process does, without ids of what does not exist yet', async () => {
  const other = await shop.register(campaign)
  const preview = await shop.post('/v1/transactions/validate', { ...other, ...basket })
  const sale = await shop.process(other, basket)
  expect(preview).not.toHaveProperty('id')
  expect(preview).not.toHaveProperty('createdAt')
  const withoutIds = (reply: Record<string, unknown>) =>
    JSON.parse(
      JSON.stringify(reply, (key, value) => (['coupon', 'expiresAt'].includes(key) ? undefined : value)),
    )
  const { id: _id, createdAt: _at, warnings, ...answered } = withoutIds(sale)
  expect(warnings).toEqual([{ code: 'no_receipt_number', at: 'opaqueId', text: expect.any(String) }])
  for (const coupon of answered.executedActions.coupons) delete coupon.id
  expect(withoutIds(preview)).toEqual(answered)
  expect(preview.executedActions.coupons).not.toHaveLength(0)
  for (const coupon of preview.executedActions.coupons) expect(coupon).not.toHaveProperty('id')
})

describe('the preview of a draft', () => {
  const preview = (id: string, body: object) => shop.post(`/v1/campaigns/${id}/preview`, body)

  test('shows what the draft would do and why; nothing is written', async () => {
    const id = await shop.publish(definition)
    await shop.call('PATCH', `/v1/campaigns/${id}`, {
      rules: [
        { id: 'base', kind: 'points_per_amount', balance: 'points', points: 3, per: 1 },
        definition.rules[2],
      ],
    })
    const count = async () => {
      const tables = [
        'transactions',
        'ledger_entries',
        'products',
        'branches',
        'events',
        'daily_sums',
        'coupons',
      ]
      const counts = tables.map((table) => `(SELECT count(*) FROM ${table})`)
      return (await service.database.pool.query(`SELECT ${counts.join(' + ')} AS rows`)).rows[0].rows
    }
    const before = await count()
    const tried = await preview(id, {
      items: [{ product: 'never-seen', amount: 4 }],
      occurredAt: basket.occurredAt,
      branch: 'nowhere',
      wallet: { collectables: { points: { value: 2, total: 5 }, stamps: { value: 2, total: 2 } } },
    })
    expect(tried).toMatchObject({ amount: 4, payableAmount: 4, pointsSpent: 0 })
    expect([collected(tried), skipped(tried)]).toEqual([{ base: 12 }, { night: 'time' }])
    expect(tried.executedActions.collectables).toMatchObject({
      stamps: { value: 2, total: 2 },
    })
    expect(tried.executedActions.coupons).toMatchObject([{ reward: { key: 'off' } }])
    expect(await count()).toBe(before)
    // The published version goes on as it was.
    const member = await shop.register(id)
    expect(collected(await shop.process(member, { amount: 4, occurredAt: basket.occurredAt }))).toEqual({
      base: 2,
    })
  })

  test('works before the campaign is first published', async () => {
    const { id } = await shop.post('/v1/campaigns', definition)
    const tried = await preview(id, {
      items: [{ category: 'coffee', quantity: 7, unitPrice: 1 }],
      occurredAt: basket.occurredAt,
    })
    expect(collected(tried)).toEqual({ base: 3.5, coffee: 7 })
    expect(skipped(tried)).toEqual({ night: 'time', double: 'branch', promo: 'tier' })
    expect(tried.executedActions.coupons).toHaveLength(2)
    expect(tried.executedActions.progress).toContainEqual({ key: 'stamps', have: 1, need: 3, reward: 'free' })
  })

  test('is on the wallet it is given: points, first visit and tier', async () => {
    const { id } = await shop.post('/v1/campaigns', {
      ...definition,
      rules: [
        ...definition.rules,
        {
          id: 'hello',
          kind: 'collect_per_visit',
          balance: 'points',
          amount: 9,
          when: { firstTransaction: true },
        },
      ],
    })
    const at = { amount: 10, occurredAt: basket.occurredAt }
    expect(collected(await preview(id, at))).toEqual({ base: 5, hello: 9 })
    const regular = { collectables: { points: { value: 50, total: 50 } }, transactions: 3 }
    const tried = await preview(id, { ...at, wallet: regular, pointsToSpend: 50 })
    expect(tried).toMatchObject({ pointsSpent: 50, pointsDiscount: 5 })
    expect(collected(tried)).toEqual({ base: 2.5, promo: 1 })
    for (const [pointsToSpend, code] of [
      [51, 'insufficient_points'],
      [0.5, 'points_below_minimum'],
    ]) {
      const reply = await shop.call('POST', `/v1/campaigns/${id}/preview`, {
        ...at,
        wallet: regular,
        pointsToSpend,
      })
      expect([reply.status, reply.body.message]).toEqual([400, code])
    }
  })

  test('knows the categories of the directory, as the till does', async () => {
    await shop.post('/v1/products', { opaqueId: 'ristretto', category: 'coffee' })
    const { id } = await shop.post('/v1/campaigns', definition)
    const tried = await preview(id, { items: [{ product: 'ristretto', amount: 2 }] })
    expect(collected(tried).coffee).toBe(1)
  })

  test('is for those who manage, and of campaigns there are', async () => {
    const till = await shop.merchant.connect(['pos'])
    expect((await till('POST', `/v1/campaigns/${campaign}/preview`, {})).status).toBe(403)
    const reply = await shop.call('POST', '/v1/campaigns/cmp_0/preview', {})
    expect([reply.status, reply.body.message]).toEqual([404, 'campaign_not_found'])
  })
})
