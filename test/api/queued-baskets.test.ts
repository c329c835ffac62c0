import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { effort } from '../support/full.ts'
import { nearNoon, startTestService, type TestService } from '../support/service.ts'
import {
  auditWithReturns,
  type Body,
  collected,
  granted,
  openShop,
  type Person,
  type Shop,
} from '../support/shop.ts'

// Baskets of one customer that wait for each other are decided one on top of the other and written together. What
// comes of them must be what came of them one by one.

let service: TestService
let shop: Shop
let campaign: string

beforeAll(async () => {
  service = await startTestService()
  service.setTime(nearNoon())
  shop = await openShop(service)
  campaign = await shop.publish({
    name: 'Everything',
    balances: [{ key: 'points', expires: { after: 'P30D' } }, { key: 'stamps' }],
    rules: [
      { id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1, limits: { perDay: 40 } },
      {
        id: 'cake',
        kind: 'collect_per_item',
        balance: 'stamps',
        amount: 1,
        products: ['cake'],
        limits: { perCustomer: 9 },
      },
    ],
    rewards: [{ key: 'two-off', kind: 'amount_off', amount: 2 }],
    thresholds: [{ balance: 'stamps', at: 3, grant: 'two-off', consume: true }],
    spend: { balance: 'points', worth: 0.05 },
  })
})
afterAll(async () => {
  expect(await auditWithReturns(service)).toEqual([])
  expect(await shop.integrity()).toMatchObject({ ok: true, problems: [] })
  await service.close()
})

interface Plan {
  readonly amount: number
  readonly cakes: number
  readonly pointsToSpend: number
  readonly usesCoupon: boolean
  readonly receipt: number
  readonly isNewProduct: boolean
}

const plan = fc.record({
  amount: fc.integer({ min: 0, max: 30 }),
  cakes: fc.nat({ max: 3 }),
  pointsToSpend: fc.oneof(fc.constant(0), fc.nat({ max: 60 })),
  usesCoupon: fc.boolean(),
  receipt: fc.nat({ max: 12 }),
  isNewProduct: fc.boolean(),
})

let runs = 0

async function openWallet(): Promise<{ person: Person; coupon: string }> {
  const person = await shop.register(campaign)
  const first = await shop.process(person, { items: [{ product: 'cake', quantity: 3, unitPrice: 5 }] })
  return { person, coupon: granted(first)[0]! }
}

function basketOf(one: Plan, name: string, coupon: string) {
  return {
    opaqueId: `${name}-${one.receipt}`,
    pointsToSpend: one.pointsToSpend,
    ...(one.usesCoupon && { reward: coupon }),
    items: [
      { product: one.isNewProduct ? `new-${name}-${one.receipt}` : 'tea', unitPrice: one.amount },
      ...(one.cakes > 0 ? [{ product: 'cake', quantity: one.cakes, unitPrice: 1 }] : []),
    ],
  }
}

const comesTo = ({ status, body }: { status: number; body: Body }) =>
  status === 201
    ? {
        collected: collected(body),
        spent: body.pointsSpent,
        payable: body.payableAmount,
        granted: granted(body).length,
        balances: body.executedActions.collectables,
      }
    : { refused: body.message }

test('baskets that wait for each other come to what they come to one by one', async () => {
  const property = fc.asyncProperty(fc.array(plan, { minLength: 2, maxLength: 12 }), async (plans) => {
    const run = ++runs
    const [queued, single] = [await openWallet(), await openWallet()]
    const send =
      ({ person, coupon }: typeof queued, name: string) =>
      (item: Plan) =>
        shop.call('POST', '/v1/transactions/process', { ...person, ...basketOf(item, name, coupon) })
    const atOnce = await Promise.all(plans.map(send(queued, `queued-${run}`)))
    const oneByOne = []
    for (const one of plans) oneByOne.push(await send(single, `single-${run}`)(one))
    expect(atOnce.map(comesTo)).toEqual(oneByOne.map(comesTo))
    const wallet = async ({ person }: typeof queued) => (await shop.view(person)).collectables
    expect(await wallet(queued)).toEqual(await wallet(single))
  })
  await fc.assert(property, { numRuns: 12 * effort })
})
