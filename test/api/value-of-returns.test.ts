/** No order of sales and returns makes value out of nothing. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RefusalCode } from '../../src/domain/refusal.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { nearNoon, startTestService, type TestService } from '../support/service.ts'
import { auditWithReturns, type Body, granted, openShop, type Person, type Shop } from '../support/shop.ts'

const dayMs = 86_400_000

let service: TestService
let shop: Shop

beforeAll(async () => {
  service = await startTestService()
  shop = await openShop(service)
})
afterAll(async () => {
  expect(await auditWithReturns(service)).toEqual([])
  expect(await shop.integrity()).toMatchObject({ ok: true, problems: [] })
  await service.close()
})

const base = { id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 }
const stamp = { id: 'stamp', kind: 'collect_per_item', balance: 'stamps', amount: 1 }
const free = { key: 'free', kind: 'free_product', products: ['latte'] }
const points = { name: 'Points', balances: [{ key: 'points' }], rules: [base] }
const spending = { ...points, spend: { balance: 'points', worth: 0.01 } }
const stamps = {
  name: 'Stamps',
  balances: [{ key: 'stamps' }],
  rules: [stamp],
  rewards: [free],
  thresholds: [{ balance: 'stamps', at: 10, grant: 'free', consume: true }],
}
const lattes = (quantity: number, more: object = {}) => ({
  items: [{ id: 'a', product: 'latte', unitPrice: 3, quantity, ...more }],
})
/** The body of a refusal. */
async function refusal(path: string, body: object, code: RefusalCode): Promise<Body> {
  const reply = await shop.call('POST', path, body)
  expectRefusal(reply, 400, code)
  return reply.body
}
const member = async (campaign: object) => shop.register(await shop.publish(campaign))
const statusOf = async (coupon: string | undefined) => (await shop.coupon(coupon!)).status
const active = async ({ customer }: Person): Promise<string[]> =>
  (await shop.get(`/v1/customers/${customer}`)).coupons.map(({ id }: Body) => id)

describe('points', () => {
  test('that were spent do not come back for goods that are gone, over and over', async () => {
    const person = await member(spending)
    for (let round = 0; round < 3; round++) {
      const large = await shop.process(person, { items: [{ unitPrice: 1000 }] })
      const small = await shop.process(person, { items: [{ unitPrice: 10 }], pointsToSpend: 1000 })
      expect(await shop.giveBack(large)).toMatchObject({ refundAmount: 1000 })
      const done = await shop.giveBack(small)
      expect(done.pointsRestored).toBe(0)
      expect(done.executedActions.actions).toMatchObject([
        { type: 'return', key: 'points', amount: 0, settled: 1000 },
      ])
      expect(await shop.balance(person)).toEqual({ value: 0, total: 0 })
    }
  })

  test('that were forgiven are not taken from later sales', async () => {
    const person = await member(spending)
    const large = await shop.process(person, { items: [{ unitPrice: 1000 }] })
    await shop.process(person, { items: [{ unitPrice: 10 }], pointsToSpend: 1000 })
    await shop.giveBack(large)
    await shop.process(person, { items: [{ unitPrice: 30 }] })
    expect((await shop.balance(person)).value).toBe(30)
  })

  test.each([
    ['floor', 60],
    ['negative', 60],
    ['reject', 60],
  ])('that have expired are not asked for again under %s', async (onInsufficientBalance, value) => {
    const expires = { after: 'P30D' }
    const person = await member({ ...points, balances: [{ key: 'points', expires }], onInsufficientBalance })
    const first = await shop.process(person, { items: [{ unitPrice: 100 }] })
    service.advance(31 * dayMs)
    await shop.process(person, { items: [{ unitPrice: 60 }] })
    await shop.giveBack(first)
    expect(await shop.balance(person)).toEqual({ value, total: 60 })
    service.setTime(nearNoon())
  })

  test('that have expired by inactivity are not asked for again either', async () => {
    const expires = { inactivity: 'P30D' }
    const balances = [{ key: 'idle', expires }]
    const rules = [{ ...base, balance: 'idle' }]
    const person = await member({ ...points, balances, rules, onInsufficientBalance: 'negative' })
    const first = await shop.process(person, { items: [{ unitPrice: 100 }] })
    service.advance(31 * dayMs)
    await shop.giveBack(first)
    expect(await shop.balance(person, 'idle')).toEqual({ value: 0, total: 0 })
    service.setTime(nearNoon())
  })

  test('that are given back to an inactive balance are not told as restored', async () => {
    const balances = [{ key: 'lazy', expires: { inactivity: 'P30D' } }]
    const rules = [{ ...base, balance: 'lazy' }]
    const person = await member({ ...points, balances, rules, spend: { balance: 'lazy', worth: 0.01 } })
    await shop.process(person, { items: [{ unitPrice: 100 }] })
    const sale = await shop.process(person, { items: [{ unitPrice: 1 }], pointsToSpend: 100 })
    service.advance(31 * dayMs)
    expect(await shop.giveBack(sale)).toMatchObject({ pointsRestored: 0, refundAmount: 0 })
    expect((await shop.balance(person, 'lazy')).value).toBe(0)
    service.setTime(nearNoon())
  })

  test('of stacked factors are returned as one net change', async () => {
    const factor = (id: string, by: number) => ({ id, kind: 'multiply', balance: 'points', factor: by })
    const person = await member({ ...points, rules: [base, factor('half', 1.5), factor('tenth', 1.1)] })
    const sale = await shop.process(person, { items: [{ id: 'x', unitPrice: 1, quantity: 6 }] })
    const done = await shop.giveBack(sale, { items: [{ id: 'x', quantity: 1 }] })
    expect(done.executedActions.actions).toMatchObject([{ amount: -1, value: 8 }])
  })
})

describe('coupons', () => {
  test('go with the goods of another sale that paid for them', async () => {
    const person = await member(stamps)
    const nine = await shop.process(person, lattes(9))
    const [coupon] = granted(await shop.process(person, lattes(1)))
    const done = await shop.giveBack(nine)
    expect(done.executedActions.collectables.stamps).toEqual({ value: 1, total: 1 })
    expect([await statusOf(coupon), await active(person)]).toEqual([5, []])
  })

  test('that staff revoked are paid back first, whichever return comes first', async () => {
    const campaign = { ...stamps, rules: [{ ...stamp, products: ['latte'] }] }
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const person = await member(campaign)
      const first = await shop.process(person, lattes(10))
      await shop.post(`/v1/coupons/${granted(first)[0]}/revoke`, {})
      const [coupon] = granted(await shop.process(person, lattes(10)))
      const redeeming = await shop.process(person, lattes(1, { reward: coupon }))
      const sales = [first, redeeming]
      for (const index of order) await shop.giveBack(sales[index]!)
      expect({ order, status: await statusOf(coupon), held: await shop.balance(person, 'stamps') }).toEqual({
        order,
        status: 5,
        held: { value: 0, total: 10 },
      })
    }
  })

  test('for a total are not exchanged for fresh ones by buying and returning after they have expired', async () => {
    const person = await member({
      ...points,
      rewards: [{ ...free, validDays: 3 }],
      thresholds: [{ balance: 'points', at: 100, grant: 'free' }],
    })
    const old = await shop.process(person, { items: [{ id: 'a', unitPrice: 105 }] })
    service.advance(5 * dayMs)
    const items = [
      { id: 'a', unitPrice: 50 },
      { id: 'b', unitPrice: 50 },
    ]
    const sale = await shop.process(person, { items })
    const [fresh] = granted(sale)
    await shop.giveBack(sale, { items: [{ id: 'a', quantity: 1 }] })
    expect([await statusOf(granted(old)[0]), await statusOf(fresh)]).toEqual([4, 5])
    // A customer who has bought only this and the rest of the old sale would have a fresh one.
    const done = await shop.giveBack(old, { items: [{ id: 'a', quantity: 0.1 }] })
    expect(done.executedActions.actions).toContainEqual(
      expect.objectContaining({ type: 'restore_coupon', coupon: fresh }),
    )
    expect(await statusOf(fresh)).toBe(1)
    service.setTime(nearNoon())
  })

  test('for a total go when the total has fallen below it, whichever sale they are from', async () => {
    const five = { key: 'five', kind: 'amount_off', amount: 5 }
    const thresholds = [{ balance: 'points', at: 100, grant: 'five' }]
    const person = await member({ ...points, rewards: [five], thresholds })
    const large = await shop.process(person, { items: [{ unitPrice: 99 }] })
    const [coupon] = granted(await shop.process(person, { items: [{ unitPrice: 1 }] }))
    await shop.giveBack(large)
    expect(await statusOf(coupon)).toBe(5)
  })

  test.each([['goods first'], ['coupon first']])(
    'that were used come back only with what paid for them: %s',
    async (order) => {
      const person = await member(stamps)
      const bought = await shop.process(person, lattes(10))
      const [coupon] = granted(bought)
      const used = await shop.process(person, lattes(1, { reward: coupon }))
      for (const sale of order === 'goods first' ? [bought, used] : [used, bought]) await shop.giveBack(sale)
      expect(await shop.balance(person, 'stamps')).toEqual({ value: 0, total: 0 })
      expect([await statusOf(coupon), await active(person)]).toEqual([5, []])
    },
  )

  test('that have expired do not come back to life by a return', async () => {
    const person = await member({ ...stamps, rewards: [{ ...free, validDays: 2 }] })
    const sale = await shop.process(person, lattes(10))
    const [coupon] = granted(sale)
    service.advance(30 * dayMs)
    await shop.giveBack(sale, { items: [{ id: 'a', quantity: 1 }] })
    expect([await statusOf(coupon), await shop.balance(person, 'stamps')]).toEqual([
      4,
      { value: 0, total: 9 },
    ])
    expect(granted(await shop.process(person, lattes(1)))).toEqual([])
    service.setTime(nearNoon())
  })

  test('are not lost by returning parts of several sales', async () => {
    const five = { key: 'five', kind: 'amount_off', amount: 5 }
    const campaign = await shop.publish({
      ...points,
      rewards: [five],
      thresholds: [{ balance: 'points', at: 100, grant: 'five' }],
    })
    const [returner, keeper] = [await shop.register(campaign), await shop.register(campaign)]
    const halves = { items: [{ id: 'x', unitPrice: 50, quantity: 2 }] }
    const [first, second] = [await shop.process(returner, halves), await shop.process(returner, halves)]
    await shop.giveBack(first, { items: [{ id: 'x', quantity: 1 }] })
    await shop.giveBack(second, { items: [{ id: 'x', quantity: 1 }] })
    await shop.process(keeper, { items: [{ unitPrice: 50 }] })
    await shop.process(keeper, { items: [{ unitPrice: 50 }] })
    for (const person of [returner, keeper]) {
      expect([await shop.balance(person), (await active(person)).length]).toEqual([
        { value: 100, total: 100 },
        1,
      ])
      await shop.process(person, { items: [{ unitPrice: 100 }] })
      expect(await active(person)).toHaveLength(2)
    }
  })

  test('that a return has revoked are reinstated by one that gives back what paid for them', async () => {
    const person = await member({
      ...stamps,
      balances: [{ key: 'stamps' }],
      spend: { balance: 'stamps', worth: 1 },
    })
    await shop.process(person, lattes(3))
    const spent = await shop.process(person, { items: [{ unitPrice: 9 }], pointsToSpend: 3 })
    const other = await shop.process(person, lattes(9))
    const [coupon] = granted(other)
    expect(await shop.balance(person, 'stamps')).toMatchObject({ value: 0 })
    await shop.giveBack(other, { items: [{ id: 'a', quantity: 2 }] })
    expect([await statusOf(coupon), (await shop.balance(person, 'stamps')).value]).toEqual([5, 8])
    const done = await shop.giveBack(spent)
    expect(done.executedActions.actions).toContainEqual({ type: 'restore_coupon', coupon })
    expect([await statusOf(coupon), (await shop.balance(person, 'stamps')).value]).toEqual([1, 0])
  })
})

describe('a return is known beforehand', () => {
  const tried = (sale: Body, body: object = {}) =>
    shop.post(`/v1/transactions/${sale.id}/return/validate`, body)

  test('with the same reply, and nothing is written', async () => {
    const person = await member({
      ...stamps,
      ...spending,
      balances: [...stamps.balances, ...points.balances],
      rules: [stamp, base],
    })
    await shop.adjust(person, 'points', 200)
    const sale = await shop.process(person, { ...lattes(12), pointsToSpend: 100 })
    const body = { opaqueId: 'R-1', items: [{ id: 'a', quantity: 5 }], reason: 'Cold' }
    const before = await shop.get(`/v1/customers/${person.customer}`)
    const preview = await tried(sale, body)
    expect(await shop.get(`/v1/customers/${person.customer}`)).toEqual(before)
    const { id, createdAt, ...done } = await shop.giveBack(sale, body)
    expect([id, createdAt].every(Boolean)).toBe(true)
    expect(preview).toEqual(done)
    // The number is not checked, and what is left now counts.
    expect(await tried(sale, { ...body, items: undefined })).toMatchObject({
      items: [{ id: 'a', quantity: 7 }],
    })
  })

  test('and refused like the return', async () => {
    const person = await member(points)
    const sale = await shop.process(person, lattes(1))
    await refusal(
      `/v1/transactions/${sale.id}/return/validate`,
      { items: [{ id: 'a', quantity: 2 }] },
      'return_exceeds_sale',
    )
  })
})

describe('a sale without items', () => {
  test('comes back by amount, in pieces, with points and money in proportion', async () => {
    const person = await member(spending)
    await shop.adjust(person, 'points', 300)
    const sale = await shop.process(person, { amount: 30, pointsToSpend: 300 })
    expect(sale.totals.due).toBe(27)
    const part = await shop.giveBack(sale, { amount: 10 })
    expect(part).toMatchObject({ amount: 10, items: [], refundAmount: 9, pointsRestored: 100 })
    expect(await shop.balance(person)).toEqual({ value: 100 + 18, total: 18 })
    await refusal(`/v1/transactions/${sale.id}/return`, { amount: 20.01 }, 'return_exceeds_sale')
    const rest = await shop.giveBack(sale)
    expect(rest).toMatchObject({ amount: 20, refundAmount: 18, pointsRestored: 200 })
    expect(await shop.balance(person)).toEqual({ value: 300, total: 0 })
    expect((await shop.get(`/v1/transactions/${sale.id}`)).status).toBe(3)
    await refusal(`/v1/transactions/${sale.id}/return`, { amount: 1 }, 'return_exceeds_sale')
  })

  test.each([
    [{ amount: 0 }, 'amount'],
    [{ amount: 0.001 }, 'amount'],
    [{ amount: -1 }, 'amount'],
  ])('but not by %o', async (body, field) => {
    const person = await member(points)
    const sale = await shop.process(person, { amount: 30 })
    const error = await refusal(`/v1/transactions/${sale.id}/return`, body, '_invalid_payload')
    expect(error.description).toContain(field)
  })

  test('is the only one that does: one with items is returned by items', async () => {
    const person = await member(points)
    const sale = await shop.process(person, lattes(2))
    const error = await refusal(`/v1/transactions/${sale.id}/return`, { amount: 3 }, '_invalid_payload')
    expect(error.description).toContain('items')
  })
})
