import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { effort, isFull } from '../support/full.ts'
import { nearNoon, startTestService, type TestService } from '../support/service.ts'
import { auditWithReturns, type Body, openShop, type Person, type Shop } from '../support/shop.ts'

let service: TestService
let shop: Shop
const seed = Number(process.env.TEST_SEED ?? Date.now() % 2 ** 31)

beforeAll(async () => {
  service = await startTestService()
  service.setTime(nearNoon())
  shop = await openShop(service, { timezone: 'Europe/Berlin', currency: 'EUR' })
  console.log(`definitions property: TEST_SEED=${seed}`)
})
afterAll(async () => {
  const problems = await auditWithReturns(service)
  expect(problems.filter((problem) => !problem.startsWith('a balance is below zero'))).toEqual([])
  expect(await shop.integrity()).toMatchObject({ ok: true, problems: [] })
  await service.close()
})

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
/** Mostly what makes sense, now and then what does not. */
const mostly = <T>(good: T[], bad: T[]) =>
  fc.oneof(
    { weight: 60, arbitrary: fc.constantFrom(...good) },
    { weight: 1, arbitrary: fc.constantFrom(...bad) },
  )
/** Numbers that balances of 0, 2 and 6 decimals can hold; what they cannot hold is refused. */
const holds: Record<string, number[]> = {
  b0: [1, 5, 50, 1000],
  b2: [1, 0.5, 0.01, 99.99],
  b6: [1, 0.000001, 3.333333, 100],
}
const units = (key: string) => mostly(holds[key]!, [0, -1, 1e18, 0.0000001])
const balance = fc.constantFrom('b0', 'b2', 'b6')
const products = fc.subarray(['a', 'b', 'c'], { minLength: 1 })
const start = mostly(['2026-01-01', '2026-06-01T00:00:00Z', '0001-01-01'], ['soon', '2026-13-01'])
const end = mostly(['2030-01-01', '2026-11-15T00:00:00Z', '9999-12-31'], ['late', '0000-00-00'])
const period = fc.constantFrom('none', 'start', 'end')
const when = fc.record(
  {
    days: mostly([['mon', 'tue'], ['sun'], ['wed', 'thu', 'fri', 'sat', 'sun']], [['noday'], ['mon', 'mon']]),
    from: mostly(['00:00', '22:00'], ['24:00', '9']),
    to: mostly(['02:00', '23:59'], ['25:00']),
    branches: fc.constant(['main']),
    minAmount: mostly([0, 10, 0.01, 1e10], [-1, 0.001]),
    products,
    categories: fc.constant(['z']),
    firstTransaction: fc.boolean(),
    tiers: mostly([['t']], [['unknown']]),
  },
  { requiredKeys: [], noNullPrototype: true },
)
const rule = balance.chain((key) =>
  fc
    .record({
      kind: mostly(['points_per_amount', 'collect_per_item', 'collect_per_visit', 'multiply'], ['cashback']),
      balance: mostly([key], ['unknown']),
      number: units(key),
      per: mostly([1, 0.01, 7.77, 1e10], [0, 0.001]),
      factor: mostly([1, 1.5, 1000, 1.0001], [0.5, 1001]),
      products: maybe(products),
      when: maybe(when),
      limits: maybe(
        fc.record(
          { perTransaction: units(key), perDay: units(key), perCustomer: units(key), total: units(key) },
          { requiredKeys: [], noNullPrototype: true },
        ),
      ),
    })
    .map(({ kind, number, per, factor, products, ...shared }) => {
      if (kind === 'points_per_amount') return { ...shared, kind, points: number, per, products }
      if (kind === 'collect_per_item') return { ...shared, kind, amount: number, products }
      return kind === 'multiply' ? { ...shared, kind, factor } : { ...shared, kind, amount: number }
    }),
)
const expires = mostly<object | undefined>(
  [
    undefined,
    { after: 'P1M', endOf: 'month' },
    { after: 'P100Y', endOf: 'year' },
    { after: 'PT1S' },
    { inactivity: 'P6M' },
    { inactivity: 'P100Y' },
  ],
  [{ after: 'P10000Y' }, { after: 'P0D' }, { endOf: 'day' }, {}],
)
const definition = fc
  .record({
    expires: fc.tuple(expires, expires, expires),
    period,
    start,
    end,
    rules: fc.array(rule, { maxLength: 4 }),
    thresholds: fc.uniqueArray(
      balance.chain((key) =>
        fc.record({
          balance: fc.constant(key),
          at: units(key),
          grant: mostly(['free', 'off', 'percent'], ['none']),
          consume: fc.boolean(),
        }),
      ),
      { maxLength: 3, selector: ({ balance, at, grant }) => `${balance} ${at} ${grant}` },
    ),
    spend: maybe(
      fc.record({
        balance,
        worth: mostly([0.01, 0.000001, 1e6], [0, 1e7]),
        maxShare: mostly([0, 0.333333, 1], [1.1]),
        earns: fc.boolean(),
      }),
    ),
    tier: mostly([0, 1, 50], [-1, 0.5]),
    onInsufficientBalance: mostly(['floor', 'negative', 'reject'], ['explode']),
  })
  .map(({ expires, period, start, end, tier, ...shared }) => ({
    name: 'ü'.repeat(100),
    balances: [
      { key: 'b0', expires: expires[0] },
      { key: 'b2', decimals: 2, expires: expires[1] },
      { key: 'b6', decimals: 6, expires: expires[2] },
    ],
    rewards: [
      { key: 'free', kind: 'free_product', products: ['a'], validDays: 36_500 },
      { key: 'off', kind: 'amount_off', amount: 1e9, validDays: 1 },
      { key: 'percent', kind: 'percent_off', percent: 0.0001 },
    ],
    tiers: [{ key: 't', balance: 'b0', from: tier }],
    ...(period === 'start' && { startsAt: start }),
    ...(period === 'end' && { endsAt: end }),
    ...shared,
  }))
const basket = fc.record(
  {
    items: fc.array(
      fc.record(
        {
          product: fc.constantFrom('a', 'b', 'z'),
          quantity: fc.constantFrom(1, 2, 0.000001, 1e6, 3.333333),
          unitPrice: fc.constantFrom(0, 0.000001, 9.99, 10_000),
          amount: fc.constantFrom(0, 0.005, 5e9, 1e10),
          discountAmount: fc.constantFrom(0, 1, 1e10),
        },
        { requiredKeys: ['product'] },
      ),
      { maxLength: 3 },
    ),
    amount: fc.constantFrom(0, 0.004, 100, 1e10),
    discountedAmount: fc.constantFrom(0, 5, 1e10),
    pointsToSpend: fc.constantFrom(0, 0, 0, 0, 0, 0, 1, 0.01, 0.000001, 9e15),
    occurredAt: fc.constantFrom('2026-03-29T00:59:59Z', '2026-03-29T01:00:00Z', '2026-10-25T00:30:00Z'),
  },
  { requiredKeys: [] },
)

test('no definition that was accepted makes a till’s call fail: every basket, preview and return is answered', {
  timeout: 300_000 * effort,
}, async () => {
  const seen = { refused: 0, accepted: 0, sold: 0, returned: 0 }
  expect((await shop.call('PATCH', '/v1/organization', { maxBackdateDays: 365 })).status).toBe(200)
  await fc.assert(
    fc.asyncProperty(definition, fc.array(basket, { minLength: 3, maxLength: 3 }), async (drawn, baskets) => {
      const body = JSON.parse(JSON.stringify(drawn))
      // The card is as old as the oldest of the sales, which are sent late.
      service.setTime(new Date('2026-03-29T00:00:00Z'))
      const created = await shop.call('POST', '/v1/campaigns', body)
      if (created.status !== 201) {
        seen.refused++
        expect(created.body).toMatchObject({ statuscode: 400, message: 'invalid_campaign_definition' })
        // The place is named before the reason.
        expect(created.body.description).toMatch(/^[a-zA-Z]+(\[\d+\])?(\.[a-zA-Z]+(\[\d+\])?)*: ./)
        return
      }
      seen.accepted++
      const { id } = created.body
      expect((await shop.call('POST', `/v1/campaigns/${id}/publish`)).status).toBe(200)
      const registered = await shop.call('POST', '/v1/customers/register', {
        campaignId: id,
        customer: { data: {} },
      })
      if (registered.status !== 201) {
        expect(registered.body.message).toBe('invalid_campaign')
        return
      }
      const person: Person = { customer: registered.body.id, card: registered.body.cards[0].id }
      service.setTime(new Date('2026-10-26T12:00:00Z'))
      for (const order of baskets) await sellAndReturn(id, person, order, seen)
    }),
    { seed, numRuns: (isFull ? 60 : 30) * effort, endOnFailure: true },
  )
  console.log('definitions property:', JSON.stringify(seen))
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0)
})

async function sellAndReturn(
  id: string,
  person: Person,
  order: object,
  seen: { sold: number; returned: number },
) {
  const preview = await shop.call('POST', `/v1/campaigns/${id}/preview`, order)
  const validated = await shop.call('POST', '/v1/transactions/validate', { ...person, ...order })
  const sale = await shop.call('POST', '/v1/transactions/process', { ...person, ...order })
  for (const reply of [preview, validated, sale]) {
    if (reply.status > 201)
      expect(reply.body.message, reply.text).toMatch(/^(_invalid_payload|\w*points\w*)$/)
  }
  expect(validated.status === 200).toBe(sale.status === 201)
  if (sale.status !== 201) return
  seen.sold++
  for (const { value, total } of Object.values<Body>(sale.body.executedActions.collectables)) {
    expect(total).toBeGreaterThanOrEqual(0)
    expect(value).toBeLessThanOrEqual(total)
  }
  const back = await shop.call('POST', `/v1/transactions/${sale.body.id}/return`, {})
  if (back.status !== 201) expect(back.body.message, back.text).toBe('insufficient_points')
  else seen.returned++
}

test('the order of lines does not matter, and splitting a line mints nothing', {
  timeout: 300_000 * effort,
}, async () => {
  const campaign = await shop.publish({
    name: 'Split',
    balances: [{ key: 'points' }, { key: 'stamps' }],
    rules: [
      { id: 'base', kind: 'points_per_amount', balance: 'points', points: 3, per: 0.7 },
      { id: 'some', kind: 'points_per_amount', balance: 'points', points: 1, per: 3, products: ['a'] },
      { id: 'item', kind: 'collect_per_item', balance: 'stamps', amount: 1, products: ['a', 'b'] },
      { id: 'more', kind: 'multiply', balance: 'points', factor: 1.37 },
    ],
  })
  const person = await shop.register(campaign)
  const item = fc.record({
    product: fc.constantFrom('a', 'b', 'c'),
    quantity: fc.constantFrom(1, 2, 4, 0.5, 1.5),
    amount: fc.integer({ min: 0, max: 5000 }).map((cents) => cents / 100),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(item, { minLength: 1, maxLength: 5 }),
      fc.constantFrom(0, 0.01, 7.77),
      fc.integer({ min: 0, max: 100 }),
      async (items, discountAmount, share) => {
        const given = async (lines: object[]) => {
          const reply = await shop.post('/v1/transactions/validate', {
            ...person,
            items: lines,
            discountAmount,
          })
          return reply.executedActions.collectables
        }
        const whole = await given(items)
        expect(await given(items.toReversed())).toEqual(whole)
        const split = items.flatMap((line) => {
          const cents = Math.round(line.amount * 100)
          const part = Math.floor((cents * share) / 100)
          return [
            { ...line, quantity: line.quantity / 2, amount: part / 100 },
            { ...line, quantity: line.quantity / 2, amount: (cents - part) / 100 },
          ]
        })
        expect(await given(split)).toEqual(whole)
      },
    ),
    { seed, numRuns: (isFull ? 40 : 20) * effort, endOnFailure: true },
  )
})
