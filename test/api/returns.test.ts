import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Id } from '../../src/domain/ids.ts'
import { runRound } from '../../src/jobs/run-jobs.ts'
import { uuidOf } from '../../src/store/tenant.ts'
import { effort } from '../support/full.ts'
import { nearNoon, productionLimits, startTestService, type TestService } from '../support/service.ts'
import {
  auditWithReturns,
  type Body,
  collected,
  granted,
  holdings,
  openShop,
  type Person,
  type Shop,
  skipped,
  tally,
  times,
} from '../support/shop.ts'

let service: TestService
let second: TestService
let shop: Shop

beforeAll(async () => {
  service = await startTestService(productionLimits)
  second = await startTestService({ ...productionLimits, sharing: service })
  for (const one of [service, second]) one.setTime(nearNoon())
  shop = await openShop(service, { timezone: 'Europe/Berlin', currency: 'EUR' })
})
afterAll(async () => {
  const problems = await auditWithReturns(service)
  // Balances below zero are what the policy `negative` is for; the integrity check knows who may have them.
  expect(problems.filter((problem) => !problem.startsWith('a balance is below zero'))).toEqual([])
  expect(await shop.integrity()).toMatchObject({ ok: true, problems: [] })
  await second.close()
  await service.close()
})

const perEuro = (more: object = {}) => ({
  id: 'base',
  kind: 'points_per_amount',
  balance: 'points',
  points: 1,
  per: 1,
  ...more,
})
const club = (more: object = {}) => ({
  name: 'Club',
  balances: [{ key: 'points' }, { key: 'stamps' }],
  rules: [
    perEuro(),
    { id: 'stamp', kind: 'collect_per_item', balance: 'stamps', amount: 1, products: ['latte'] },
  ],
  rewards: [
    { key: 'free-coffee', kind: 'free_product', products: ['latte'], validDays: 30 },
    { key: 'five-off', kind: 'amount_off', amount: 5 },
  ],
  thresholds: [
    { balance: 'stamps', at: 10, grant: 'free-coffee', consume: true },
    { balance: 'points', at: 500, grant: 'five-off' },
  ],
  spend: { balance: 'points', worth: 0.01 },
  ...more,
})
const memberOf = async (more: object = {}) => shop.register(await shop.publish(club(more)))
const line = (id: string, quantity = 1) => ({ items: [{ id, quantity }] })
const returning = (sale: Body, body: object = {}, headers?: Record<string, string>) =>
  shop.call('POST', `/v1/transactions/${sale.id}/return`, body, { headers })
const refusedReturn = async (sale: Body, body: object = {}) => {
  const reply = await returning(sale, body)
  return reply.status < 400 ? `returned ${reply.text}` : `${reply.status} ${reply.body.message}`
}
const statusOf = async (sale: Body) => (await shop.get(`/v1/transactions/${sale.id}`)).status
const lattes = (quantity: number) => [{ product: 'latte', quantity, unitPrice: 3 }]
const movements = async (person: Person) =>
  (await shop.ledger(person)).map(({ kind, key, amount }: Body) => `${kind} ${key} ${amount}`)

describe('a whole return', () => {
  test('takes back what was collected and gives back what was spent, in one net entry per balance', async () => {
    const person = await memberOf()
    await shop.adjust(person, 'points', 200)
    const before = await holdings(service, person)
    const sale = await shop.process(person, { items: lattes(4), pointsToSpend: 150 })
    expect(collected(sale)).toEqual({ base: 10, stamp: 4 })
    const reply = await returning(sale, { reason: 'Cold' })
    expect(reply.status).toBe(201)
    expect(reply.body).toMatchObject({
      id: expect.stringMatching(/^ret_/),
      transaction: sale.id,
      reason: 'Cold',
      items: [{ id: '1', quantity: 4 }],
      pointsRestored: 150,
      refundAmount: 10.5,
      executedActions: {
        collectables: { points: { value: 200, total: 0 }, stamps: { value: 0, total: 0 } },
      },
    })
    expect((await movements(person)).slice(-2).toSorted()).toEqual(['return points 140', 'return stamps -4'])
    expect(await statusOf(sale)).toBe(3)
    expect(await holdings(service, person)).toEqual(before)
    expect(await shop.events('transaction.returned', person)).toEqual([
      { transaction: sale.id, return: reply.body.id, customer: person.customer },
    ])
  })

  test('can be made once: nothing is left then', async () => {
    const person = await memberOf()
    for (const basket of [{ items: lattes(2) }, { amount: 20 }, {}]) {
      const sale = await shop.process(person, basket)
      await shop.giveBack(sale)
      expect(await refusedReturn(sale)).toBe('400 return_exceeds_sale')
      expect(await refusedReturn(sale, line('1'))).toBe('400 return_exceeds_sale')
    }
    expect(await shop.balance(person)).toEqual({ value: 0, total: 0 })
  })

  test('of a sale without lines takes everything', async () => {
    const person = await memberOf()
    const sale = await shop.process(person, { amount: 20, discountAmount: 5 })
    expect(await refusedReturn(sale, line('1'))).toBe('400 return_exceeds_sale')
    expect(await shop.giveBack(sale)).toMatchObject({ refundAmount: 15, pointsRestored: 0, items: [] })
    expect(await shop.balance(person)).toEqual({ value: 0, total: 0 })
  })

  test('keeps the answer of the sale, and shows the return beside it', async () => {
    const person = await memberOf()
    const sale = await shop.process(person, { items: lattes(2), opaqueId: 'shown' })
    const half = await shop.giveBack(sale, { ...line('1'), opaqueId: 'shown-1' })
    const rest = await shop.giveBack(sale, { opaqueId: 'shown-2' })
    const shown = await shop.get(`/v1/transactions/${sale.id}`)
    expect(shown.executedActions).toEqual(sale.executedActions)
    expect(shown.returns).toEqual([half, rest])
    expect(await shop.get('/v1/transactions?opaqueId=shown')).toEqual({ data: [shown] })
    // The first answer again, also after the goods came back.
    const again = await shop.call('POST', '/v1/transactions/process', {
      ...person,
      items: lattes(2),
      opaqueId: 'shown',
    })
    expect([again.body, again.headers['idempotent-replayed']]).toEqual([sale, 'true'])
  })
})

describe('a return by line', () => {
  const basket = {
    items: [
      { id: 'coffee', product: 'latte', quantity: 3, unitPrice: 3.5 },
      { id: 'cake', product: 'cake', amount: 4.75 },
      { id: 'beans', product: 'beans', quantity: 2, unitPrice: 12.4 },
    ],
  }
  const parts = [
    { id: 'coffee', quantity: 1 },
    { id: 'cake', quantity: 1 },
    { id: 'beans', quantity: 1 },
    { id: 'coffee', quantity: 2 },
    { id: 'beans', quantity: 1 },
  ]

  test('computes the sale again without what came back', async () => {
    const person = await memberOf()
    const sale = await shop.process(person, basket)
    expect(collected(sale)).toEqual({ base: 40, stamp: 3 })
    const first = await shop.giveBack(sale, line('coffee', 2))
    expect(first).toMatchObject({
      refundAmount: 7,
      pointsRestored: 0,
      items: [{ id: 'coffee', quantity: 2 }],
    })
    // 33.05 are left.
    expect(first.executedActions.collectables).toEqual({
      points: { value: 33, total: 33 },
      stamps: { value: 1, total: 1 },
    })
    expect(await statusOf(sale)).toBe(2)
    const next = await shop.giveBack(sale, {
      items: [
        { id: 'cake', quantity: 1 },
        { id: 'beans', quantity: 1 },
      ],
    })
    expect(next).toMatchObject({ refundAmount: 17.15 })
    expect(await shop.balance(person)).toEqual({ value: 15, total: 15 })
  })

  test('in any order comes to the same, and all parts together to the whole', async () => {
    const campaign = await shop.publish(club())
    const orders = [parts, parts.toReversed(), [parts[3]!, parts[0]!, parts[4]!, parts[1]!, parts[2]!]]
    for (const order of orders) {
      const person = await shop.register(campaign)
      const before = await holdings(service, person)
      const sale = await shop.process(person, basket)
      let refunded = 0
      for (const part of order) {
        const done = await shop.giveBack(sale, { items: [part] })
        refunded += Math.round(done.refundAmount * 100)
      }
      expect(refunded).toBe(4005)
      expect(await statusOf(sale)).toBe(3)
      expect(await holdings(service, person)).toEqual(before)
    }
  })

  test('without items takes what is left', async () => {
    const person = await memberOf()
    const sale = await shop.process(person, basket)
    await shop.giveBack(sale, line('beans'))
    const rest = await shop.giveBack(sale)
    expect(rest.items).toEqual([
      { id: 'coffee', quantity: 3 },
      { id: 'cake', quantity: 1 },
      { id: 'beans', quantity: 1 },
    ])
    expect(rest.refundAmount).toBe(27.65)
    expect(await shop.balance(person)).toEqual({ value: 0, total: 0 })
  })

  test('of more than is left, of an unknown line or of no quantity is refused and changes nothing', async () => {
    const person = await memberOf()
    const sale = await shop.process(person, basket)
    await shop.giveBack(sale, line('coffee', 2))
    const before = [await holdings(service, person), await shop.get(`/v1/transactions/${sale.id}`)]
    for (const items of [
      [{ id: 'coffee', quantity: 2 }],
      [{ id: 'coffee', quantity: 1.000001 }],
      [
        { id: 'cake', quantity: 1 },
        { id: 'coffee', quantity: 0.5 },
        { id: 'coffee', quantity: 0.6 },
      ],
      [{ id: 'tea', quantity: 1 }],
    ]) {
      expect(await refusedReturn(sale, { items })).toBe('400 return_exceeds_sale')
    }
    for (const quantity of [0, -1, '1', null, 0.0000001]) {
      expect(await refusedReturn(sale, { items: [{ id: 'cake', quantity }] })).toBe('400 _invalid_payload')
    }
    expect([await holdings(service, person), await shop.get(`/v1/transactions/${sale.id}`)]).toEqual(before)
  })

  test('of an unknown sale or of another organization is not found', async () => {
    const person = await memberOf()
    const sale = await shop.process(person, basket)
    const stranger = await openShop(service)
    const reply = await stranger.call('POST', `/v1/transactions/${sale.id}/return`, {})
    expect([reply.status, reply.body.message]).toEqual([404, 'transaction_not_found'])
    expect(await refusedReturn({ id: 'txn_0' })).toBe('404 transaction_not_found')
  })

  test('fractional quantities', async () => {
    const person = await memberOf({
      rules: [perEuro(), { id: 'kilo', kind: 'collect_per_item', balance: 'stamps', amount: 1 }],
    })
    const sale = await shop.process(person, { items: [{ id: 'nuts', quantity: 2.5, unitPrice: 8 }] })
    expect(collected(sale)).toEqual({ base: 20, kilo: 2 })
    // 1.8 kg are left: 14.40 and one whole kilo.
    expect(await shop.giveBack(sale, line('nuts', 0.7))).toMatchObject({
      refundAmount: 5.6,
      executedActions: { collectables: { points: { value: 14 }, stamps: { value: 1 } } },
    })
    // 0.9 kg are left: 7.20 and none.
    await shop.giveBack(sale, line('nuts', 0.9))
    expect(await shop.balance(person, 'stamps')).toEqual({ value: 0, total: 0 })
    expect(await shop.balance(person)).toEqual({ value: 7, total: 7 })
    expect(await shop.giveBack(sale)).toMatchObject({
      items: [{ id: 'nuts', quantity: 0.9 }],
      refundAmount: 7.2,
    })
    expect(await shop.balance(person)).toEqual({ value: 0, total: 0 })
  })

  test('discounts of a line go with it, an order-level discount in proportion', async () => {
    const person = await memberOf()
    const sale = await shop.process(person, {
      items: [
        { id: 'a', amount: 40, discountAmount: 10 },
        { id: 'b', amount: 10 },
      ],
      discountAmount: 10,
    })
    expect(collected(sale)).toEqual({ base: 30 })
    // 40 payable on the lines, 30 for the order: line b costs 7.50, and 22.50 are left.
    expect(await shop.giveBack(sale, line('b'))).toMatchObject({ refundAmount: 7.5 })
    expect(await shop.balance(person)).toEqual({ value: 22, total: 22 })
    expect(await shop.giveBack(sale, line('a'))).toMatchObject({ refundAmount: 22.5 })
    expect(await shop.balance(person)).toEqual({ value: 0, total: 0 })
  })

  test('what the rest of the basket no longer deserves goes too', async () => {
    const person = await memberOf({
      rules: [
        perEuro(),
        { id: 'big', kind: 'collect_per_visit', balance: 'points', amount: 50, when: { minAmount: 30 } },
        { id: 'double', kind: 'multiply', balance: 'points', factor: 2, when: { products: ['promo'] } },
      ],
    })
    const sale = await shop.process(person, {
      items: [
        { id: 'a', amount: 20 },
        { id: 'b', product: 'promo', amount: 10 },
        { id: 'c', amount: 5 },
      ],
    })
    expect(collected(sale)).toEqual({ base: 35, big: 50, double: 85 })
    await shop.giveBack(sale, line('c'))
    expect((await shop.balance(person)).value).toBe((30 + 50) * 2)
    await shop.giveBack(sale, line('b'))
    expect((await shop.balance(person)).value).toBe(20)
  })

  test('the category that a line had when it was sold counts, whatever the directory says now', async () => {
    const product = await shop.post('/v1/products', { opaqueId: 'scone', category: 'bakery' })
    const person = await memberOf({ rules: [perEuro({ categories: ['bakery'] })] })
    const sale = await shop.process(person, { items: [{ product: 'scone', quantity: 3, unitPrice: 4 }] })
    expect(collected(sale)).toEqual({ base: 12 })
    await shop.call('PATCH', `/v1/products/${product.id}`, { category: 'other' })
    await shop.giveBack(sale, line('1'))
    expect(await shop.balance(person)).toEqual({ value: 8, total: 8 })
  })
})

describe('points that were spent', () => {
  test('come back pro rata to the payable amount, rounded down, the rest with the last return', async () => {
    const person = await memberOf()
    await shop.adjust(person, 'points', 100)
    const sale = await shop.process(person, {
      items: [{ quantity: 3, unitPrice: 10 }],
      pointsToSpend: 100,
    })
    // 29 of 30 are paid with money.
    expect(collected(sale)).toEqual({ base: 29 })
    const returns = []
    for (let i = 0; i < 3; i++) returns.push(await shop.giveBack(sale, line('1')))
    expect(returns.map((made) => made.pointsRestored)).toEqual([33, 33, 34])
    const refunds = returns.map((made) => Math.round(made.refundAmount * 100))
    expect(refunds.reduce((sum, cents) => sum + cents, 0)).toBe(2900)
    for (const cents of refunds) expect(Math.abs(cents - 2900 / 3)).toBeLessThan(1)
    expect(await shop.balance(person)).toEqual({ value: 100, total: 0 })
  })

  test('come back to the lots they came from, with their expiry dates', async () => {
    const campaign = await shop.publish(
      club({ balances: [{ key: 'points', expires: { after: 'P1M', endOf: 'month' } }, { key: 'stamps' }] }),
    )
    const person = await shop.register(campaign)
    await shop.process(person, { amount: 60 })
    await shop.republish(campaign, {
      balances: [{ key: 'points', expires: { after: 'P12M', endOf: 'month' } }, { key: 'stamps' }],
    })
    await shop.process(person, { amount: 50 })
    await shop.adjust(person, 'points', 40)
    const before = await holdings(service, person)
    const { expiring } = await shop.view(person)
    expect(expiring.map(({ amount }: Body) => amount)).toEqual([60, 50])

    const sale = await shop.process(person, { items: [{ quantity: 2, unitPrice: 5 }], pointsToSpend: 130 })
    const half = await shop.giveBack(sale, line('1'))
    expect(half.pointsRestored).toBe(65)
    await shop.giveBack(sale, line('1'))
    expect((await shop.view(person)).expiring).toEqual(expiring)
    expect(await holdings(service, person)).toEqual(before)
  })

  test('come back to a lot that has expired since and are gone with it', async () => {
    const own = await openShop(service, { timezone: 'Europe/Berlin' })
    const person = await own.register(
      await own.publish(
        club({ balances: [{ key: 'points', expires: { after: 'P1D' } }, { key: 'stamps' }] }),
      ),
    )
    await own.process(person, { amount: 100 })
    await own.adjust(person, 'points', 20)
    const sale = await own.process(person, { items: [{ amount: 0.5 }], pointsToSpend: 50 })
    service.advance(2 * 86_400_000)
    expect((await own.balance(person)).value).toBe(20)
    expect(await own.giveBack(sale)).toMatchObject({ pointsRestored: 0 })
    expect(await own.balance(person)).toEqual({ value: 20, total: 100 })
    expect(await own.integrity()).toMatchObject({ ok: true })
    service.setTime(nearNoon())
  })

  test('and points collected in the same sale make one net change', async () => {
    const person = await memberOf()
    await shop.adjust(person, 'points', 500)
    const sale = await shop.process(person, { items: [{ quantity: 2, unitPrice: 10 }], pointsToSpend: 500 })
    expect(collected(sale)).toEqual({ base: 15 })
    const done = await shop.giveBack(sale, line('1'))
    // 250 come back and 8 of the 15 go: 7.50 of money are left to earn 7.
    expect(done.executedActions.collectables.points).toEqual({ value: 257, total: 7 })
    expect((await movements(person)).at(-1)).toBe('return points 242')
  })
})

describe('coupons granted by the sale', () => {
  test('that no longer would be are revoked when unused, and what they consumed comes back', async () => {
    const person = await memberOf()
    const sale = await shop.process(person, { items: lattes(25) })
    const [first, last] = granted(sale)
    expect((await shop.balance(person, 'stamps')).value).toBe(5)
    const done = await shop.giveBack(sale, line('1', 6))
    // 19 are left: one coupon and 9 stamps.
    expect(await shop.balance(person, 'stamps')).toEqual({ value: 9, total: 19 })
    expect([(await shop.coupon(first!)).status, (await shop.coupon(last!)).status].toSorted()).toEqual([1, 5])
    expect(done.executedActions.actions).toContainEqual({ type: 'revoke_coupon', coupon: last })
    expect(await shop.events('coupon.revoked', person)).toEqual([{ coupon: last, customer: person.customer }])
    expect(await shop.refused(person, { items: lattes(1), reward: last })).toBe('coupon_revoked')
    await shop.giveBack(sale)
    expect(await shop.balance(person, 'stamps')).toEqual({ value: 0, total: 0 })
    expect((await shop.view(person)).coupons).toEqual([])
  })

  test.each(['before', 'after'])(
    'that expired unused stay expired, whether the sale came back %s the job noticed',
    async (order) => {
      const own = await openShop(service)
      const person = await own.register(await own.publish(club()))
      const sale = await own.process(person, { items: lattes(10) })
      const [coupon] = granted(sale)
      service.advance(31 * 86_400_000)
      if (order === 'after') await runRound(service.deps)
      await own.giveBack(sale)
      expect(await own.balance(person, 'stamps')).toEqual({ value: 0, total: 0 })
      expect((await own.coupon(coupon!)).status).toBe(4)
      await runRound(service.deps)
      const from = new Date(service.deps.clock().getTime() - 40 * 86_400_000).toISOString().slice(0, 10)
      const { coupons } = await own.get(`/v1/reports/summary?from=${from}`)
      expect(coupons).toMatchObject({ expired: 1, revoked: 0 })
      service.setTime(nearNoon())
    },
  )

  test('stay when they were used, with what they consumed', async () => {
    const person = await memberOf()
    const sale = await shop.process(person, { items: lattes(13) })
    const [coupon] = granted(sale)
    await shop.process(person, { items: [{ product: 'latte', reward: coupon }] })
    expect(await shop.balance(person, 'stamps')).toEqual({ value: 4, total: 14 })
    await shop.giveBack(sale)
    // 13 go, 10 of them were consumed for good: the 4 that are there are all that can be taken.
    expect(await shop.balance(person, 'stamps')).toEqual({ value: 0, total: 1 })
    expect((await shop.coupon(coupon!)).status).toBe(3)
  })

  test('of one threshold are alike: of two, one used, a return that leaves one revokes the unused one', async () => {
    const person = await memberOf()
    const sale = await shop.process(person, { items: lattes(20) })
    const [first, last] = granted(sale)
    await shop.process(person, { items: [{ product: 'latte', reward: last }] })
    await shop.giveBack(sale, line('1', 5))
    expect([(await shop.coupon(first!)).status, (await shop.coupon(last!)).status]).toEqual([5, 3])
    // 0 + 1 of the other sale + 10 back − 5 gone.
    expect(await shop.balance(person, 'stamps')).toEqual({ value: 6, total: 16 })
  })

  test('a threshold multiple whose coupon was used is not granted again', async () => {
    const person = await memberOf()
    const sale = await shop.process(person, { amount: 500 })
    const [coupon] = granted(sale)
    await shop.process(person, { amount: 6, reward: coupon })
    await shop.giveBack(sale)
    expect(await shop.balance(person)).toEqual({ value: 1, total: 1 })
    const again = await shop.process(person, { amount: 600 })
    expect(granted(again)).toEqual([])
    expect(again.executedActions.progress).toContainEqual({
      key: 'points',
      have: 101,
      need: 500,
      reward: 'five-off',
    })
    expect(granted(await shop.process(person, { amount: 400 }))).toHaveLength(1)
  })

  test('a threshold multiple whose coupon was revoked is granted again', async () => {
    const person = await memberOf()
    const sale = await shop.process(person, { amount: 500 })
    await shop.giveBack(sale)
    expect(granted(await shop.process(person, { amount: 500 }))).toHaveLength(1)
  })

  test('a threshold multiple of which no coupon is out any more is granted again, however the sale came back', async () => {
    const person = await memberOf({ thresholds: [{ balance: 'points', at: 60, grant: 'five-off' }] })
    const sale = await shop.process(person, { items: [{ amount: 20 }, { amount: 110 }] })
    expect(granted(sale)).toHaveLength(2)
    await shop.process(person, { amount: 30 })
    await shop.giveBack(sale, line('1'))
    await shop.giveBack(sale, line('2'))
    expect(await shop.balance(person)).toEqual({ value: 30, total: 30 })
    expect((await shop.view(person)).coupons).toEqual([])
    expect(granted(await shop.process(person, { amount: 40 }))).toHaveLength(1)
  })

  test('buying and bringing back over and over makes no coupons', async () => {
    const person = await memberOf()
    for (let i = 0; i < 5; i++) {
      const sale = await shop.process(person, { items: [{ product: 'latte', quantity: 10, unitPrice: 60 }] })
      const coupons = granted(sale)
      // The first round's gift is used: its multiple is not granted again, its stamps are.
      if (i === 0) {
        const gift = sale.executedActions.coupons.find((coupon: Body) => coupon.reward.key === 'five-off')
        await shop.process(person, { amount: 5, discountedAmount: 0, reward: gift.id })
      } else expect(coupons).toHaveLength(1)
      await shop.giveBack(sale)
    }
    expect((await shop.view(person)).coupons).toEqual([])
    expect((await shop.view(person)).collectables).toEqual({
      points: { value: 0, total: 0 },
      stamps: { value: 0, total: 0 },
    })
  })
})

describe('coupons redeemed on the sale', () => {
  const withCoupon = async () => {
    const person = await memberOf()
    const [coupon] = granted(await shop.process(person, { items: lattes(10) }))
    const before = await shop.coupon(coupon!)
    expect(before.expiresAt).toBeDefined()
    const sale = await shop.process(person, {
      items: [
        { product: 'latte', amount: 3, reward: coupon },
        { product: 'cake', amount: 4 },
      ],
    })
    return { person, coupon: coupon!, before, sale }
  }

  test('come back with their expiry when the whole sale is returned, and can be used again', async () => {
    const { person, coupon, before, sale } = await withCoupon()
    await shop.giveBack(sale, line('1'))
    expect((await shop.coupon(coupon)).status).toBe(3)
    expect(await shop.refused(person, { items: lattes(1), reward: coupon })).toBe('coupon_already_redeemed')
    const done = await shop.giveBack(sale, line('2'))
    expect(done.executedActions.actions).toContainEqual({ type: 'restore_coupon', coupon })
    expect(await shop.coupon(coupon)).toEqual(before)
    expect((await shop.view(person)).coupons.map(({ id }: Body) => id)).toEqual([coupon])
    await shop.process(person, { items: lattes(1), reward: coupon })
    expect((await shop.coupon(coupon)).status).toBe(3)
  })

  test('come back expired when their time has passed in between', async () => {
    const { person, coupon, sale } = await withCoupon()
    service.advance(31 * 86_400_000)
    await shop.giveBack(sale)
    expect((await shop.coupon(coupon)).status).toBe(4)
    expect(await shop.refused(person, { items: lattes(1), reward: coupon })).toBe('coupon_expired')
    service.setTime(nearNoon())
  })
})

describe('a first visit', () => {
  const welcome = {
    rules: [
      {
        id: 'welcome',
        kind: 'collect_per_visit',
        balance: 'points',
        amount: 50,
        when: { firstTransaction: true },
      },
    ],
  }

  test('stays the first one, even if it came back whole', async () => {
    const person = await memberOf(welcome)
    const sale = await shop.process(person, { items: lattes(2) })
    await shop.giveBack(sale, line('1'))
    expect(await shop.balance(person)).toEqual({ value: 50, total: 50 })
    expect(skipped(await shop.process(person, { amount: 1 }))).toEqual({ welcome: 'first_transaction' })
    await shop.giveBack(sale)
    expect(await shop.balance(person)).toEqual({ value: 0, total: 0 })
    expect(skipped(await shop.process(person, { amount: 1 }))).toEqual({ welcome: 'first_transaction' })

    const other = await memberOf(welcome)
    await shop.giveBack(await shop.process(other, { amount: 1 }))
    expect(skipped(await shop.process(other, { amount: 1 }))).toEqual({ welcome: 'first_transaction' })
  })

  test('keeps its gift while a part of it is kept, also when other sales came after it', async () => {
    const person = await memberOf(welcome)
    const sale = await shop.process(person, { items: lattes(2) })
    await shop.process(person, { amount: 1 })
    await shop.giveBack(sale, line('1'))
    expect(await shop.balance(person)).toEqual({ value: 50, total: 50 })
  })
})

describe('when the balance is too small', () => {
  const spentAway = async (policy?: string) => {
    const person = await memberOf(policy ? { onInsufficientBalance: policy } : {})
    const sale = await shop.process(person, { items: [{ quantity: 2, unitPrice: 50 }] })
    await shop.adjust(person, 'points', -70)
    return { person, sale }
  }

  test.each([undefined, 'floor'])(
    '%s: it stops at 0, and the total goes down all the same',
    async (policy) => {
      const { person, sale } = await spentAway(policy)
      const half = await shop.giveBack(sale, line('1'))
      expect(half.executedActions.collectables.points).toEqual({ value: 0, total: 50 })
      // What was collected since pays for the second half, and for no more than that.
      await shop.process(person, { amount: 80 })
      await shop.giveBack(sale)
      expect(await shop.balance(person)).toEqual({ value: 30, total: 80 })
    },
  )

  test('negative: it goes below zero, and collecting fills it up', async () => {
    const { person, sale } = await spentAway('negative')
    await shop.giveBack(sale)
    expect(await shop.balance(person)).toEqual({ value: -70, total: 0 })
    expect(await shop.refused(person, { amount: 10, pointsToSpend: 1 })).toBe('insufficient_points')
    await shop.process(person, { amount: 100 })
    expect(await shop.balance(person)).toEqual({ value: 30, total: 100 })
  })

  test('reject: the return is refused and nothing at all has changed', async () => {
    const { person, sale } = await spentAway('reject')
    const before = await holdings(service, person)
    expect(await refusedReturn(sale)).toBe('400 insufficient_points')
    expect([await holdings(service, person), await statusOf(sale)]).toEqual([before, 1])
    // What the balance can bear can come back.
    await shop.adjust(person, 'points', 20)
    await shop.giveBack(sale, line('1'))
    expect(await shop.balance(person)).toEqual({ value: 0, total: 50 })
  })

  test('the net change decides: points that come back pay for those that go', async () => {
    const person = await memberOf({ onInsufficientBalance: 'reject' })
    await shop.adjust(person, 'points', 100)
    const sale = await shop.process(person, { items: [{ amount: 61 }], pointsToSpend: 100 })
    await shop.adjust(person, 'points', -60)
    expect(await shop.giveBack(sale)).toMatchObject({ pointsRestored: 100 })
    expect(await shop.balance(person)).toEqual({ value: 40, total: 0 })
  })
})

test('goods can be brought back on blocked and replaced cards, and by a blocked customer', async () => {
  const person = await memberOf()
  const sale = await shop.process(person, { items: lattes(4) })
  await shop.post(`/v1/cards/${person.card}/block`)
  await shop.giveBack(sale, line('1'))
  await shop.post(`/v1/cards/${person.card}/unblock`)
  await shop.post(`/v1/cards/${person.card}/replace`)
  await shop.giveBack(sale, line('1'))
  await shop.post(`/v1/customers/${person.customer}/block`)
  await shop.giveBack(sale)
  expect(await shop.balance(person)).toEqual({ value: 0, total: 0 })
})

describe('a repeated return', () => {
  test('under the same key is made once and answered the same; another body is refused', async () => {
    const person = await memberOf()
    const sale = await shop.process(person, { items: lattes(4) })
    const key = { 'idempotency-key': 'return-1' }
    const first = await returning(sale, line('1'), key)
    const again = await returning(sale, line('1'), key)
    expect([again.status, again.body]).toEqual([201, first.body])
    expect(again.headers['idempotent-replayed']).toBe('true')
    const other = await returning(sale, line('1', 2), key)
    expect([other.status, other.body.message]).toEqual([422, 'idempotency_key_reused'])
    expect(await shop.balance(person, 'stamps')).toEqual({ value: 3, total: 3 })
  })

  test('under the same number is made once for ever; another body or sale gets 409', async () => {
    const person = await memberOf()
    const [sale, other] = [
      await shop.process(person, { items: lattes(4) }),
      await shop.process(person, { items: lattes(4) }),
    ]
    const body = { ...line('1'), opaqueId: 'R-1' }
    const first = await returning(sale, body)
    const again = await returning(sale, body)
    expect([again.status, again.body]).toEqual([201, first.body])
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(await refusedReturn(sale, { ...line('1', 2), opaqueId: 'R-1' })).toBe(
      '409 transaction_already_exists',
    )
    expect(await refusedReturn(other, body)).toBe('409 transaction_already_exists')
    expect((await returning(other, body)).body).toMatchObject({
      description: expect.stringContaining(first.body.id),
      transaction: sale.id,
    })
    // What is ignored makes no difference.
    expect((await returning(sale, { ...body, attempt: 2 })).body).toEqual(first.body)
    // Also when nothing is left of the sale by now.
    await shop.giveBack(sale)
    expect((await returning(sale, body)).body).toEqual(first.body)
    expect((await shop.get(`/v1/transactions/${sale.id}`)).returns).toHaveLength(2)
  })

  test('20 at once under one number, over two instances, are one return', async () => {
    const person = await memberOf()
    const sale = await shop.process(person, { items: lattes(20) })
    const body = { ...line('1'), opaqueId: 'R-race' }
    const replies = await Promise.all(
      times(20, (i) =>
        shop.call('POST', `/v1/transactions/${sale.id}/return`, body, { on: i % 2 ? second : service }),
      ),
    )
    expect(tally(replies)).toEqual({ 201: 20 })
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1)
    expect((await shop.balance(person, 'stamps')).total).toBe(19)
  })

  test('one number used for two customers at once is one return and one 409', async () => {
    const people = [await memberOf(), await memberOf()]
    const sales = await Promise.all(people.map((person) => shop.process(person, { items: lattes(2) })))
    const replies = await Promise.all(sales.map((sale) => returning(sale, { opaqueId: 'R-two' })))
    expect(tally(replies)).toEqual({ 201: 1, '409 transaction_already_exists': 1 })
  })
})

describe('returns at the same time', () => {
  test('20 of one line of 7 give back exactly 7, over two instances', async () => {
    const person = await memberOf()
    await shop.adjust(person, 'points', 100)
    const before = await holdings(service, person)
    const sale = await shop.process(person, { items: lattes(7), pointsToSpend: 100 })
    const replies = await Promise.all(
      times(20, (i) =>
        shop.call('POST', `/v1/transactions/${sale.id}/return`, line('1'), { on: i % 2 ? second : service }),
      ),
    )
    expect(tally(replies)).toEqual({ 201: 7, '400 return_exceeds_sale': 13 })
    const restored = replies.map(({ status, body }) => (status === 201 ? body.pointsRestored : 0))
    expect(restored.reduce((sum, points) => sum + points, 0)).toBe(100)
    expect(await holdings(service, person)).toEqual(before)
    expect(await statusOf(sale)).toBe(3)
  })

  test('with sales of the same customer: nothing is lost, doubled or refused for want of a lock', async () => {
    const person = await memberOf()
    const sales = await Promise.all(times(10, () => shop.process(person, { items: lattes(3) })))
    const replies = await Promise.all([
      ...sales.map((sale, i) =>
        shop.call('POST', `/v1/transactions/${sale.id}/return`, line('1', 2), {
          on: i % 2 ? second : service,
        }),
      ),
      ...times(15, (i) =>
        shop.call(
          'POST',
          '/v1/transactions/process',
          { ...person, items: [{ product: 'tea', amount: 2 }] },
          { on: i % 2 ? second : service },
        ),
      ),
    ])
    expect(tally(replies)).toEqual({ 201: 25 })
    expect(await shop.balance(person)).toEqual({ value: 10 * 3 + 15 * 2, total: 10 * 3 + 15 * 2 })
    expect((await shop.balance(person, 'stamps')).total).toBe(10)
  })

  test('a coupon is either used or revoked, never both', async () => {
    for (let round = 0; round < 6; round++) {
      const person = await memberOf()
      const sale = await shop.process(person, { items: lattes(10) })
      const [coupon] = granted(sale)
      const [use] = await Promise.all([
        shop.call('POST', '/v1/transactions/process', {
          ...person,
          items: [{ product: 'latte', amount: 3, reward: coupon }],
        }),
        shop.giveBack(sale),
      ])
      const isUsed = use.status === 201
      if (!isUsed) expect(use.body.message).toBe('coupon_revoked')
      expect((await shop.coupon(coupon!)).status).toBe(isUsed ? 3 : 5)
      expect(await shop.balance(person, 'stamps')).toEqual({ value: 0, total: isUsed ? 1 : 0 })
    }
  })
})

describe('properties', () => {
  const seed = Number(process.env.TEST_SEED ?? Date.now() % 2 ** 31)
  /** More of them finds more, for those who have the time. */
  const rich = (policy: string) => ({
    name: 'Rich',
    onInsufficientBalance: policy,
    balances: [
      { key: 'points', expires: { after: 'P12M', endOf: 'month' } },
      { key: 'stamps', expires: { after: 'P6M', endOf: 'month' } },
    ],
    rules: [
      perEuro({ limits: { perDay: 400, perCustomer: 900 } }),
      { id: 'stamp', kind: 'collect_per_item', balance: 'stamps', amount: 1, products: ['a', 'b'] },
      {
        id: 'hello',
        kind: 'collect_per_visit',
        balance: 'points',
        amount: 20,
        when: { firstTransaction: true },
      },
      { id: 'big', kind: 'collect_per_visit', balance: 'points', amount: 7, when: { minAmount: 40 } },
      { id: 'silver', kind: 'multiply', balance: 'points', factor: 1.5, when: { tiers: ['silver'] } },
      { id: 'promo', kind: 'multiply', balance: 'points', factor: 1.25, when: { products: ['c'] } },
    ],
    tiers: [{ key: 'silver', balance: 'points', from: 120 }],
    rewards: [
      { key: 'gift', kind: 'amount_off', amount: 5, validDays: 60 },
      { key: 'bonus', kind: 'percent_off', percent: 10 },
    ],
    thresholds: [
      { balance: 'stamps', at: 4, grant: 'gift', consume: true },
      { balance: 'points', at: 60, grant: 'bonus' },
    ],
    spend: { balance: 'points', worth: 0.05, maxShare: 0.8 },
  })
  let card: Record<string, string>
  beforeAll(async () => {
    card = {}
    for (const policy of ['floor', 'reject', 'negative']) {
      const id = await shop.publish(rich(policy))
      card[policy] = id
      await shop.publish({
        name: 'Guest',
        runsOn: [id],
        balances: [{ key: 'points' }],
        rules: [
          { ...perEuro({ points: 2, per: 7, products: ['b'] }), id: 'guest', limits: { total: 100_000 } },
        ],
      })
    }
  })

  const item = fc.record({
    product: fc.constantFrom('a', 'b', 'c', 'd'),
    quantity: fc.constantFrom(1, 1, 2, 3, 5, 0.5, 1.25, 2.333333),
    unitPrice: fc.constantFrom(1, 2.5, 3.33, 9.99, 20, 0),
  })
  const basket = fc.record({
    items: fc.array(item, { minLength: 1, maxLength: 4 }),
    reduction: fc.constantFrom(0, 0, 1, 3.37),
    share: fc.constantFrom(0, 0, 0.3, 1),
    usesCoupon: fc.boolean(),
  })
  /** Which line each next return takes, and how much of what is left of it. */
  const steps = fc.array(fc.tuple(fc.nat(3), fc.constantFrom(1, 1, 0.5, 0.3)), { maxLength: 6 })

  interface Drawn {
    items: { product: string; quantity: number; unitPrice: number }[]
    reduction: number
    share: number
    usesCoupon: boolean
  }

  async function sell(person: Person, drawn: Drawn): Promise<Body> {
    const view = await shop.view(person)
    const points = Math.floor(view.collectables.points.value * drawn.share)
    const order = {
      items: drawn.items,
      ...(drawn.reduction > 0 && { discountAmount: drawn.reduction }),
      ...(drawn.usesCoupon && view.coupons[0] && { reward: view.coupons[0].id }),
    }
    // Points may be too many for the basket, and a coupon worth nothing in it.
    const { reward: _, ...bare } = { reward: undefined, ...order }
    for (const tried of [{ ...order, pointsToSpend: points }, order]) {
      const reply = await shop.call('POST', '/v1/transactions/process', { ...person, ...tried })
      if (reply.status === 201) return reply.body
    }
    return shop.process(person, bare)
  }

  /** Returns parts of a sale as drawn, then the rest. */
  function returnsOf(sale: Body, drawn: Drawn, order: [number, number][]) {
    const left = drawn.items.map(({ quantity }) => Math.round(quantity * 1e6))
    const parts = order.flatMap(([at, share]) => {
      const position = at % left.length
      const taken = Math.floor(left[position]! * share)
      left[position]! -= taken
      return taken > 0 ? [{ items: [{ id: String(position + 1), quantity: taken / 1e6 }] }] : []
    })
    const isOver = left.every((quantity) => quantity === 0)
    return [...parts, ...(isOver ? [] : [{}])].map((body) => ({ sale, body }))
  }

  test('a sale and any sequence of returns of everything leave the wallet as it was before the sale', {
    timeout: 300_000 * effort,
  }, async () => {
    console.log(`returns property: TEST_SEED=${seed}`)
    await fc.assert(
      fc.asyncProperty(
        fc.array(basket, { maxLength: 2 }),
        basket,
        steps,
        fc.constantFrom('floor', 'reject', 'negative'),
        async (history, drawn, order, policy) => {
          const person = await shop.register(card[policy]!)
          for (const earlier of history) await sell(person, earlier)
          const before = await holdings(service, person)
          const sale = await sell(person, drawn)
          for (const { body } of returnsOf(sale, drawn, order)) await shop.giveBack(sale, body)
          expect(await holdings(service, person)).toEqual(before)
          expect(await statusOf(sale)).toBe(3)
        },
      ),
      { seed, numRuns: 20 * effort, endOnFailure: true },
    )
  })

  test('several sales that come back in parts and in any order leave nothing, where balances may go below zero', {
    timeout: 300_000 * effort,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(basket, steps), { minLength: 2, maxLength: 3 }),
        fc.infiniteStream(fc.nat(100)),
        async (drawn, dice) => {
          const person = await shop.register(card.negative!)
          const before = await holdings(service, person)
          const queues = []
          // Nothing is used in between: no coupon is redeemed and no points are spent.
          for (const [one, order] of drawn) {
            const unused = { ...one, share: 0, usesCoupon: false }
            queues.push(returnsOf(await sell(person, unused), unused, order))
          }
          while (queues.some((queue) => queue.length > 0)) {
            const open = queues.filter((queue) => queue.length > 0)
            const { sale, body } = open[dice.next().value! % open.length]!.shift()!
            await shop.giveBack(sale, body)
          }
          expect(await holdings(service, person)).toEqual(before)
        },
      ),
      { seed, numRuns: 12 * effort, endOnFailure: true },
    )
  })

  test('parts of a sale never come to more than the whole, in points, stamps or money', {
    timeout: 300_000 * effort,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(basket, steps, async (drawn, order) => {
        const person = await shop.register(card.floor!)
        await shop.adjust(person, 'points', 200)
        const sale = await sell(person, drawn)
        let [cents, points] = [0, 0]
        for (const { body } of returnsOf(sale, drawn, order)) {
          const done = await shop.giveBack(sale, body)
          expect(done.refundAmount).toBeGreaterThanOrEqual(0)
          cents += Math.round(done.refundAmount * 100)
          points += done.pointsRestored
        }
        expect(cents).toBe(Math.round((sale.payableAmount - sale.pointsDiscount) * 100))
        expect(points).toBe(sale.pointsSpent)
      }),
      { seed, numRuns: 12 * effort, endOnFailure: true },
    )
    const { rows } = await service.database.pool.query(
      'SELECT used FROM rule_usage WHERE campaign_id = $1 AND used < 0',
      [uuidOf(card.floor as Id)],
    )
    expect(rows).toEqual([])
  })
})
