import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { isFull, someOf } from '../support/full.ts'
import type { Registered } from '../support/service.ts'
import { many, startTwoInstances, type TwoInstances } from '../support/two-instances.ts'

/**
 * Points are never minted by rounding: not by small baskets, not by splitting, not by spending bit by bit. In
 * `src/engine/rounding.test.ts` the engine is asked for ten thousand baskets and for every split.
 */
let two: TwoInstances

vi.setConfig({ testTimeout: 120_000 })

beforeAll(async () => {
  two = await startTwoInstances()
})
afterAll(async () => {
  expect(await two.problems()).toEqual([])
  await two.close()
})

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

test('baskets of 0.01 give what whole cents give and not a fraction more', async () => {
  const campaign = await two.merchant.publishCampaign({
    name: 'Cents',
    balances: [
      { key: 'exact', decimals: 2 },
      { key: 'whole' },
      { key: 'more' },
      { key: 'thirds', decimals: 2 },
    ],
    rules: [
      { id: 'exact', kind: 'points_per_amount', balance: 'exact', points: 0.01, per: 0.01 },
      { id: 'whole', kind: 'points_per_amount', balance: 'whole', points: 1, per: 0.02 },
      { id: 'more', kind: 'points_per_amount', balance: 'more', points: 1, per: 0.01 },
      { id: 'half', kind: 'multiply', balance: 'more', factor: 1.99 },
      { id: 'thirds', kind: 'points_per_amount', balance: 'thirds', points: 0.03, per: 0.03 },
    ],
  })
  const tills = isFull ? 50 : 10
  const people = await many(tills, () => two.merchant.register(campaign))
  // Each till with a customer of its own and one basket after the other.
  const statuses = await many(tills, async (till) => {
    const own: number[] = []
    for (let i = 0; i < 20; i++) own.push((await two.pay(people[till]!, { amount: 0.01 })).status)
    return own
  })
  expect(statuses.flat().filter((status) => status !== 201)).toEqual([])
  for (const who of people) {
    expect((await two.view(who)).collectables).toEqual({
      exact: { value: 0.2, total: 0.2 },
      whole: { value: 0, total: 0 },
      more: { value: 20, total: 20 },
      thirds: { value: 0, total: 0 },
    })
  }
})

/** All ways to write a number as a sum, the largest part first: 4, 3+1, 2+2, 2+1+1, 1+1+1+1. */
function partitions(whole: number, largest = whole): number[][] {
  if (whole === 0) return [[]]
  return Array.from({ length: Math.min(whole, largest) }, (_, i) => i + 1).flatMap((part) =>
    partitions(whole - part, part).map((rest) => [part, ...rest]),
  )
}

test('a line that is split gives what the line gave, with discounts, multipliers and points spent', async () => {
  const campaign = await two.merchant.publishCampaign({
    name: 'Split',
    balances: [{ key: 'points' }, { key: 'fine', decimals: 2 }, { key: 'stamps' }],
    rules: [
      { id: 'base', kind: 'points_per_amount', balance: 'points', points: 3, per: 0.07 },
      { id: 'some', kind: 'points_per_amount', balance: 'fine', points: 0.05, per: 0.03, products: ['a'] },
      { id: 'item', kind: 'collect_per_item', balance: 'stamps', amount: 2, products: ['a'] },
      { id: 'more', kind: 'multiply', balance: 'points', factor: 1.37 },
    ],
    spend: { balance: 'points', worth: 0.003 },
  })
  const who = await two.merchant.register(campaign)
  await two.give(who, 1_000)
  const given = async (cents: readonly number[], order: object) => {
    const { status, body } = await two.call('POST', '/v1/transactions/validate', {
      customer: who.customer,
      card: who.card,
      ...order,
      // The other line shares in the order's discount, so that the split one has a fraction of it.
      items: [
        ...cents.map((n) => ({ product: 'a', quantity: n / 8, amount: n / 100 })),
        { product: 'b', amount: 0.1 },
      ],
    })
    expect(status).toBe(200)
    return body.executedActions.collectables
  }
  const orders = [{}, { discountAmount: 0.05 }, { discountAmount: 0.01, pointsToSpend: 11 }]
  const splits = partitions(17).filter((_, i) => i % (isFull ? 3 : 30) === 0)
  for (const order of orders) {
    const whole = await given([17], order)
    for (const parts of splits) expect([parts, await given(parts, order)]).toEqual([parts, whole])
  }
})

test('a basket split into baskets never gives more than the whole', async () => {
  const campaign = await two.merchant.publishCampaign({
    name: 'Baskets',
    balances: [{ key: 'points' }],
    rules: [
      { id: 'base', kind: 'points_per_amount', balance: 'points', points: 3, per: 0.07 },
      { id: 'more', kind: 'multiply', balance: 'points', factor: 1.5 },
    ],
  })
  const total = async (who: Registered) => (await two.view(who)).collectables.points.total
  const buy = async (cents: readonly number[]) => {
    const who = await two.merchant.register(campaign)
    for (const one of cents) await two.pay(who, { amount: one / 100 })
    return total(who)
  }
  const whole = await buy([21])
  expect(whole).toBe(13)
  for (const parts of partitions(21).filter((_, i) => i % (isFull ? 20 : 60) === 0)) {
    expect([parts, (await buy(parts)) <= whole]).toEqual([parts, true])
  }
})

test('points spent bit by bit are never worth more than together, nor do they come back as more', async () => {
  const campaign = await two.merchant.publishCampaign({
    name: 'Worth',
    balances: [{ key: 'points' }],
    spend: { balance: 'points', worth: 0.017 },
  })
  const who = await two.merchant.register(campaign)
  await two.give(who, 1_000)
  const worth = async (points: readonly number[]) => {
    const sales = []
    for (const pointsToSpend of points) {
      sales.push((await two.pay(who, { pointsToSpend, items: [{ quantity: 3, amount: 1 }] })).body)
    }
    // A third of the basket comes back three times.
    const back = []
    for (const { id } of [...sales, ...sales, ...sales]) {
      const reply = await two.call('POST', `/v1/transactions/${id}/return`, {
        items: [{ id: '1', quantity: 1 }],
      })
      back.push(reply.body)
    }
    expect(sum(back.map((item) => item.pointsRestored))).toBe(sum(points))
    expect((await two.view(who)).collectables.points.value).toBe(1_000)
    return Math.round(sum(sales.map((sale) => sale.pointsDiscount)) * 100)
  }
  const whole = await worth([6])
  expect(whole).toBe(10)
  for (const parts of someOf(partitions(6), 3, 0))
    expect([parts, (await worth(parts)) <= whole]).toEqual([parts, true])
})
