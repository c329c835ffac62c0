import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { audit } from '../support/audit.ts'
import { startTestService, type TestService } from '../support/service.ts'
import {
  type Body,
  collected,
  openShop,
  type Person,
  registerEarlier,
  type Shop,
  skipped,
} from '../support/shop.ts'

let service: TestService
let shop: Shop

beforeAll(async () => {
  service = await startTestService()
  shop = await openShop(service, { timezone: 'Europe/Berlin', currency: 'EUR' })
})
afterEach(() => service.setTime(new Date()))
afterAll(async () => {
  expect(await audit(service.database.pool)).toEqual([])
  expect(await shop.integrity()).toMatchObject({ ok: true, problems: [] })
  await service.close()
})

const visit = (id: string, more: object = {}) => ({
  id,
  kind: 'collect_per_visit',
  balance: 'points',
  amount: 5,
  ...more,
})
const perEuro = (id: string, more: object = {}) => ({
  id,
  kind: 'points_per_amount',
  balance: 'points',
  points: 1,
  per: 1,
  ...more,
})
const perItem = (id: string, more: object = {}) => ({
  id,
  kind: 'collect_per_item',
  balance: 'stamps',
  amount: 1,
  ...more,
})
const times = (id: string, factor: number, more: object = {}) => ({
  id,
  kind: 'multiply',
  balance: 'points',
  factor,
  ...more,
})
const campaignOf = (rules: object[], more: object = {}) => ({
  name: 'Rules',
  balances: [{ key: 'points' }, { key: 'stamps' }],
  rules,
  ...more,
})
const memberOf = async (rules: object[], more: object = {}) =>
  shop.register(await shop.publish(campaignOf(rules, more)))

describe('when', () => {
  const cases: { condition: string; when: object; holds: object[]; fails: object[]; reason: string }[] = [
    {
      condition: 'days, on the local calendar',
      when: { days: ['tue', 'sat'] },
      // 22:30 UTC on Monday is Tuesday in Berlin.
      holds: [{ occurredAt: '2026-06-01T22:30:00Z' }, { occurredAt: '2026-06-06T10:00:00Z' }],
      fails: [{ occurredAt: '2026-06-01T21:30:00Z' }, { occurredAt: '2026-06-02T22:30:00Z' }],
      reason: 'day',
    },
    {
      condition: 'from and to on the local clock, the end excluded',
      when: { from: '08:00', to: '11:00' },
      holds: [{ occurredAt: '2026-06-02T06:00:00Z' }, { occurredAt: '2026-06-02T08:59:59Z' }],
      fails: [{ occurredAt: '2026-06-02T05:59:59Z' }, { occurredAt: '2026-06-02T09:00:00Z' }],
      reason: 'time',
    },
    {
      condition: 'from later than to, over midnight',
      when: { from: '22:00', to: '02:00' },
      holds: [{ occurredAt: '2026-06-02T20:00:00Z' }, { occurredAt: '2026-06-02T23:59:00Z' }],
      fails: [{ occurredAt: '2026-06-02T19:59:00Z' }, { occurredAt: '2026-06-03T00:00:00Z' }],
      reason: 'time',
    },
    {
      condition: 'startsAt, included, and endsAt, excluded',
      when: { startsAt: '2026-06-01T10:00:00Z', endsAt: '2026-06-02T10:00:00Z' },
      holds: [{ occurredAt: '2026-06-01T10:00:00Z' }, { occurredAt: '2026-06-02T09:59:59Z' }],
      fails: [{ occurredAt: '2026-06-01T09:59:59Z' }, { occurredAt: '2026-06-02T10:00:00Z' }],
      reason: 'window',
    },
    {
      condition: 'branches',
      when: { branches: ['store-12', 'main'] },
      holds: [{ branch: 'store-12' }, {}],
      fails: [{ branch: 'store-13' }],
      reason: 'branch',
    },
    {
      condition: 'minAmount of the payable amount, included',
      when: { minAmount: 20 },
      holds: [{ amount: 20 }, { amount: 25, discountAmount: 5 }, { amount: 5, discountedAmount: 20 }],
      fails: [{ amount: 19.99 }, { amount: 25, discountAmount: 5.01 }],
      reason: 'min_amount',
    },
    {
      condition: 'products: at least one such line',
      when: { products: ['latte', 'tea'] },
      holds: [
        {
          items: [
            { product: 'cake', amount: 1 },
            { product: 'tea', amount: 1 },
          ],
        },
      ],
      fails: [{ items: [{ product: 'cake', amount: 1 }] }, { amount: 5 }],
      reason: 'products',
    },
    {
      condition: 'categories: at least one such line',
      when: { categories: ['drinks'] },
      holds: [
        {
          items: [
            { category: 'food', amount: 1 },
            { category: 'drinks', amount: 1 },
          ],
        },
      ],
      fails: [{ items: [{ category: 'food', amount: 1 }] }, { items: [{ product: 'drinks', amount: 1 }] }],
      reason: 'categories',
    },
  ]
  test.each(cases)('$condition', async ({ when, holds, fails, reason }) => {
    const times = { opened: '2026-06-01T00:00:00Z', now: '2026-06-07T12:00:00Z' }
    const person = await registerEarlier(service, times, () => memberOf([visit('rule', { when })]))
    for (const basket of holds) {
      expect(collected(await shop.process(person, { amount: 1, ...basket })), JSON.stringify(basket)).toEqual(
        {
          rule: 5,
        },
      )
    }
    for (const basket of fails) {
      const sale = await shop.process(person, { amount: 1, ...basket })
      expect(collected(sale), JSON.stringify(basket)).toEqual({})
      expect(sale.executedActions.skipped).toEqual([
        { campaign: expect.stringMatching(/^cmp_/), rule: 'rule', reason },
      ])
    }
  })

  test('all conditions must hold', async () => {
    const person = await memberOf([
      visit('rule', { when: { branches: ['a'], minAmount: 10, products: ['x'] } }),
    ])
    const items = [{ product: 'x', amount: 10 }]
    expect(collected(await shop.process(person, { branch: 'a', items }))).toEqual({ rule: 5 })
    expect(skipped(await shop.process(person, { branch: 'b', items }))).toEqual({ rule: 'branch' })
    const cheap = [{ product: 'x', amount: 9 }]
    expect(skipped(await shop.process(person, { branch: 'a', items: cheap }))).toEqual({ rule: 'min_amount' })
    const other = [{ product: 'y', amount: 10 }]
    expect(skipped(await shop.process(person, { branch: 'a', items: other }))).toEqual({ rule: 'products' })
  })

  test('minAmount looks at the amount before points', async () => {
    const person = await memberOf([visit('rule', { when: { minAmount: 20 } })], {
      spend: { balance: 'points', worth: 0.1 },
    })
    await shop.adjust(person, 'points', 100)
    const sale = await shop.process(person, { amount: 20, pointsToSpend: 100 })
    expect(sale).toMatchObject({ payableAmount: 20, pointsDiscount: 10 })
    expect(collected(sale)).toEqual({ rule: 5 })
  })
})

describe('the first transaction', () => {
  const welcome = [
    visit('welcome', { amount: 50, when: { firstTransaction: true } }),
    visit('again', { amount: 1, when: { firstTransaction: false } }),
  ]

  test('is the first basket of the customer and no other', async () => {
    const person = await memberOf(welcome)
    const first = await shop.process(person, { amount: 1 })
    expect([collected(first), skipped(first)]).toEqual([{ welcome: 50 }, { again: 'first_transaction' }])
    const next = await shop.process(person, { amount: 1 })
    expect([collected(next), skipped(next)]).toEqual([{ again: 1 }, { welcome: 'first_transaction' }])
  })

  test('is paid once when twenty first baskets race', async () => {
    const person = await memberOf(welcome)
    const sales = await Promise.all(Array.from({ length: 20 }, () => shop.process(person, { amount: 1 })))
    expect(sales.filter((sale) => collected(sale).welcome === 50)).toHaveLength(1)
    expect((await shop.balance(person)).value).toBe(50 + 19)
  })

  test('is not used up by a validate or a refused basket', async () => {
    const person = await memberOf(welcome)
    await shop.post('/v1/transactions/validate', { ...person, amount: 1 })
    expect(await shop.refused(person, { amount: 1, pointsToSpend: 5 })).toBe('points_not_spendable')
    expect(collected(await shop.process(person, { amount: 1 }))).toEqual({ welcome: 50 })
  })
})

describe('what a rule pays', () => {
  test('an amount is counted over the lines and rounded down once, whichever way a line is split', async () => {
    const person = await memberOf([perEuro('base', { points: 2, per: 3 })])
    const whole = await shop.process(person, { items: [{ amount: 10 }] })
    const split = await shop.process(person, { items: Array.from({ length: 8 }, () => ({ amount: 1.25 })) })
    expect([collected(whole), collected(split)]).toEqual([{ base: 6 }, { base: 6 }])
    const tooLittle = await shop.process(person, { items: [{ amount: 2.99 }] })
    expect(skipped(tooLittle)).toEqual({ base: 'amount' })
  })

  test('discounts of lines and of the order come off first; an order-level one is spread over the lines', async () => {
    const person = await memberOf([perEuro('all'), perEuro('half', { products: ['a'] })])
    const items = [
      { product: 'a', amount: 40, discountAmount: 10 },
      { product: 'b', amount: 70, discountedAmount: 30 },
    ]
    expect(collected(await shop.process(person, { items }))).toEqual({ all: 60, half: 30 })
    expect(collected(await shop.process(person, { items, discountAmount: 15 }))).toEqual({
      all: 45,
      half: 22,
    })
    expect(collected(await shop.process(person, { items, discountedAmount: 20 }))).toEqual({
      all: 20,
      half: 10,
    })
    // An order that costs more than its lines does not make lines larger.
    expect(collected(await shop.process(person, { items, discountedAmount: 90 }))).toEqual({
      all: 60,
      half: 30,
    })
  })

  test('whole quantities count, added up over the lines', async () => {
    const person = await memberOf([perItem('stamp', { products: ['bread'] })])
    const half = { product: 'bread', quantity: 0.5, unitPrice: 4 }
    expect(collected(await shop.process(person, { items: [half, half, half] }))).toEqual({ stamp: 1 })
    expect(skipped(await shop.process(person, { items: [half] }))).toEqual({ stamp: 'quantity' })
    const other = { product: 'milk', quantity: 10, unitPrice: 1 }
    const sale = await shop.process(person, { items: [{ ...half, quantity: 2.9 }, other] })
    expect(collected(sale)).toEqual({ stamp: 2 })
    expect(skipped(await shop.process(person, { items: [other] }))).toEqual({ stamp: 'products' })
  })

  test('a visit needs a line or an amount above 0', async () => {
    const person = await memberOf([visit('visit')])
    expect(collected(await shop.process(person, { items: [{ product: 'gift' }] }))).toEqual({ visit: 5 })
    expect(collected(await shop.process(person, { amount: 0.01 }))).toEqual({ visit: 5 })
    for (const nothing of [{}, { items: [] }, { amount: 0 }]) {
      expect(skipped(await shop.process(person, nothing))).toEqual({ visit: 'amount' })
    }
  })

  test('the part paid with points collects nothing, unless the campaign says so', async () => {
    const spend = { balance: 'points', worth: 0.05 }
    for (const [earns, given] of [
      [false, 15],
      [true, 20],
    ] as const) {
      const person = await memberOf([perEuro('base')], { spend: { ...spend, earns } })
      await shop.adjust(person, 'points', 100)
      const sale = await shop.process(person, { items: [{ amount: 20 }], pointsToSpend: 100 })
      expect(collected(sale)).toEqual({ base: given })
    }
  })
})

describe('multiply', () => {
  test('works on what the other rules of its campaign gave to its balance, wherever it is written', async () => {
    const person = await memberOf([
      times('double', 2),
      perEuro('base'),
      visit('visit'),
      perItem('stamp', { amount: 3 }),
    ])
    const sale = await shop.process(person, { items: [{ amount: 10 }] })
    expect(collected(sale)).toEqual({ base: 10, visit: 5, stamp: 3, double: 15 })
    expect(sale.executedActions.collectables).toEqual({
      points: { value: 30, total: 30 },
      stamps: { value: 3, total: 3 },
    })
  })

  test('several factors multiply and the result is rounded down once', async () => {
    const person = await memberOf([perEuro('base'), times('a', 1.5), times('b', 1.5)])
    await shop.process(person, { amount: 5 })
    // 5 × 1.5 × 1.5 = 11.25
    expect((await shop.balance(person)).value).toBe(11)
  })

  test('has its own conditions, and says so when there is nothing to multiply', async () => {
    const person = await memberOf([
      perEuro('base', { when: { minAmount: 10 } }),
      times('double', 2, { when: { branches: ['store-12'] } }),
    ])
    expect(skipped(await shop.process(person, { amount: 20 }))).toEqual({ double: 'branch' })
    expect(skipped(await shop.process(person, { amount: 5, branch: 'store-12' }))).toEqual({
      base: 'min_amount',
      double: 'nothing_to_multiply',
    })
    expect(collected(await shop.process(person, { amount: 20, branch: 'store-12' }))).toEqual({
      base: 20,
      double: 20,
    })
  })

  test('does not touch what another campaign gave to the same balance', async () => {
    const own = await shop.publish(campaignOf([perEuro('base'), times('double', 2)]))
    await shop.publish({ ...campaignOf([visit('other', { amount: 100 })]), runsOn: [own] })
    const sale = await shop.process(await shop.register(own), { amount: 10 })
    expect(collected(sale)).toEqual({ base: 10, double: 10, other: 100 })
  })
})

describe('categories', () => {
  let person: Person
  beforeAll(async () => {
    await shop.post('/v1/products', { opaqueId: 'espresso', name: 'Espresso', category: 'coffee' })
    await shop.post('/v1/products', { opaqueId: 'muffin', name: 'Muffin' })
    person = await memberOf([perEuro('coffee', { categories: ['coffee'] })])
  })

  test('come from the line', async () => {
    const items = [
      { category: 'coffee', amount: 4 },
      { category: 'cake', amount: 10 },
    ]
    expect(collected(await shop.process(person, { items }))).toEqual({ coffee: 4 })
  })

  test('come from the directory where the line has none', async () => {
    const items = [
      { product: 'espresso', amount: 3 },
      { product: 'muffin', amount: 10 },
    ]
    expect(collected(await shop.process(person, { items }))).toEqual({ coffee: 3 })
    expect(skipped(await shop.process(person, { items: [items[1]] }))).toEqual({ coffee: 'categories' })
  })

  test('of the line win over the directory', async () => {
    const items = [{ product: 'espresso', category: 'gift', amount: 3 }]
    expect(skipped(await shop.process(person, { items }))).toEqual({ coffee: 'categories' })
  })

  test('changed in the directory count for the next basket', async () => {
    const product = await shop.post('/v1/products', { opaqueId: 'mocha' })
    const items = [{ product: 'mocha', amount: 6 }]
    expect(skipped(await shop.process(person, { items }))).toEqual({ coffee: 'categories' })
    await shop.call('PATCH', `/v1/products/${product.id}`, { category: 'coffee' })
    expect(collected(await shop.process(person, { items }))).toEqual({ coffee: 6 })
  })

  test('a line that has a product and a category of the rule counts once', async () => {
    const both = await memberOf([perEuro('either', { products: ['espresso'], categories: ['coffee'] })])
    const items = [{ product: 'espresso', amount: 3 }, { category: 'coffee', amount: 4 }, { amount: 5 }]
    expect(collected(await shop.process(both, { items }))).toEqual({ either: 7 })
  })
})

describe('time', () => {
  test('a campaign collects from its start to its end, by the time of the sale', async () => {
    const window = { startsAt: '2026-03-01T00:00:00Z', endsAt: '2099-04-01T00:00:00Z' }
    const times = { opened: '2026-02-28T00:00:00Z', now: '2026-03-02T00:00:00Z' }
    const person = await registerEarlier(service, times, () => memberOf([perEuro('base')], window))
    const on = (occurredAt: string) => shop.process(person, { amount: 5, occurredAt })
    expect(skipped(await on('2026-02-28T23:59:59Z'))).toEqual({ base: 'campaign_window' })
    expect(collected(await on('2026-03-01T00:00:00Z'))).toEqual({ base: 5 })
  })

  test('an ended campaign collects and grants nothing, takes nobody, and still lets points be spent', async () => {
    const shortLived = await openShop(service)
    const campaign = await shortLived.publish({
      ...campaignOf([perEuro('base')], { spend: { balance: 'points', worth: 0.01 } }),
      endsAt: new Date(service.deps.clock().getTime() + 60_000).toISOString(),
    })
    const person = await shortLived.register(campaign)
    await shortLived.process(person, { amount: 50 })
    service.advance(60_000)
    const late = await shortLived.process(person, { amount: 50, pointsToSpend: 20 })
    expect([skipped(late), late.pointsSpent]).toEqual([{ base: 'campaign_window' }, 20])
    const reply = await shortLived.call('POST', '/v1/customers/register', {
      campaignId: campaign,
      customer: { data: {} },
    })
    expect([reply.status, reply.body.message]).toEqual([400, 'invalid_campaign'])
    // A sale of before, sent late, still collects.
    const offline = new Date(service.deps.clock().getTime() - 120_000).toISOString()
    expect(collected(await shortLived.process(person, { amount: 7, occurredAt: offline }))).toEqual({
      base: 7,
    })
  })

  test('bare dates are local days', async () => {
    const june = visit('june', { when: { startsAt: '2026-06-01', endsAt: '2026-07-01' } })
    const times = { opened: '2026-05-31T00:00:00Z', now: '2026-06-02T00:00:00Z' }
    const person = await registerEarlier(service, times, () => memberOf([june]))
    const on = (occurredAt: string) => shop.process(person, { amount: 1, occurredAt })
    expect(skipped(await on('2026-05-31T21:59:59Z'))).toEqual({ june: 'window' })
    expect(collected(await on('2026-05-31T22:00:00Z'))).toEqual({ june: 5 })
    service.setTime(new Date('2026-07-01T00:00:00Z'))
    expect(collected(await on('2026-06-30T21:59:59Z'))).toEqual({ june: 5 })
    expect(skipped(await on('2026-06-30T22:00:00Z'))).toEqual({ june: 'window' })
  })

  test('windows follow the wall clock when it jumps forward in spring', async () => {
    // Berlin, 29 March 2026: 01:59:59 is followed by 03:00:00.
    const rules = [
      visit('night', { when: { from: '01:30', to: '02:30' } }),
      visit('morning', { when: { from: '03:00', to: '04:00' } }),
      visit('sunday', { when: { days: ['sun'] } }),
    ]
    const times = { opened: '2026-03-28T00:00:00Z', now: '2026-03-30T00:00:00Z' }
    const person = await registerEarlier(service, times, () => memberOf(rules))
    const on = async (occurredAt: string) =>
      Object.keys(collected(await shop.process(person, { amount: 1, occurredAt })))
    expect(await on('2026-03-28T22:59:00Z')).toEqual([])
    expect(await on('2026-03-28T23:00:00Z')).toEqual(['sunday'])
    expect(await on('2026-03-29T00:45:00Z')).toEqual(['night', 'sunday'])
    expect(await on('2026-03-29T01:00:00Z')).toEqual(['morning', 'sunday'])
    expect(await on('2026-03-29T01:59:00Z')).toEqual(['morning', 'sunday'])
    expect(await on('2026-03-29T02:00:00Z')).toEqual(['sunday'])
    expect(await on('2026-03-29T21:59:00Z')).toEqual(['sunday'])
    expect(await on('2026-03-29T22:00:00Z')).toEqual([])
  })

  test('windows follow the wall clock when it shows an hour twice in autumn', async () => {
    // Berlin, 25 October 2026: 02:59:59 is followed by 02:00:00.
    const rules = [
      visit('night', { when: { from: '02:00', to: '03:00' } }),
      visit('sunday', { when: { days: ['sun'] }, limits: { perDay: 12 } }),
    ]
    const times = { opened: '2026-10-24T00:00:00Z', now: '2026-10-26T00:00:00Z' }
    const person = await registerEarlier(service, times, () => memberOf(rules))
    const on = async (occurredAt: string) => collected(await shop.process(person, { amount: 1, occurredAt }))
    expect(await on('2026-10-24T22:00:00Z')).toEqual({ sunday: 5 })
    expect(await on('2026-10-25T00:30:00Z')).toEqual({ night: 5, sunday: 5 })
    // The second 02:30 is the same local day of 25 hours: its limit is not a new one.
    expect(await on('2026-10-25T01:30:00Z')).toEqual({ night: 5, sunday: 2 })
    expect(await on('2026-10-25T02:00:00Z')).toEqual({})
    expect(await on('2026-10-25T22:59:00Z')).toEqual({})
  })

  test('a changed time zone counts for the next basket', async () => {
    const mover = await openShop(service, { timezone: 'UTC' })
    const campaign = await mover.publish(
      campaignOf([visit('early', { when: { from: '08:00', to: '09:00' } })]),
    )
    const times = { opened: '2026-06-01T00:00:00Z', now: '2026-06-03T00:00:00Z' }
    const person = await registerEarlier(service, times, () => mover.register(campaign))
    const at = { amount: 1, occurredAt: '2026-06-02T08:30:00Z' }
    expect(collected(await mover.process(person, at))).toEqual({ early: 5 })
    expect((await mover.call('PATCH', '/v1/organization', { timezone: 'Asia/Tokyo' })).status).toBe(200)
    expect(skipped(await mover.process(person, at))).toEqual({ early: 'time' })
    expect(collected(await mover.process(person, { ...at, occurredAt: '2026-06-01T23:30:00Z' }))).toEqual({
      early: 5,
    })
  })

  test('a sale may lie five minutes ahead and no more', async () => {
    const person = await memberOf([visit('visit')])
    const ahead = (ms: number) => new Date(service.deps.clock().getTime() + ms).toISOString()
    await shop.process(person, { amount: 1, occurredAt: ahead(4 * 60_000) })
    expect(await shop.refused(person, { amount: 1, occurredAt: ahead(6 * 60_000) })).toBe('_invalid_payload')
  })
})

describe('several campaigns on one card', () => {
  const giver = (name: string, runsOn?: string[]) => ({
    name,
    balances: [{ key: 'points' }],
    rules: [visit(name)],
    ...(runsOn && { runsOn }),
  })
  const order = (sale: Body) => sale.executedActions.actions.map((action: { rule: string }) => action.rule)

  test('run in the order: the own one first, then the others by id, however they were published', async () => {
    // Created before the card's own campaign, so that its id is smaller.
    const early = await shop.post('/v1/campaigns', giver('early'))
    const own = await shop.publish(giver('own'))
    const third = await shop.post('/v1/campaigns', giver('third', [own]))
    const fourth = await shop.publish(giver('fourth', [own]))
    await shop.post(`/v1/campaigns/${third.id}/publish`)
    await shop.republish(early.id, { runsOn: [own] })
    const person = await shop.register(own)
    const sale = await shop.process(person, { amount: 1 })
    expect(order(sale)).toEqual(['own', 'early', 'third', 'fourth'])
    const { campaigns } = await shop.get(`/v1/transactions/${sale.id}`)
    expect(campaigns.map(({ id }: { id: string }) => id)).toEqual([own, early.id, third.id, fourth])
    expect([early.id, third.id, fourth].toSorted()).toEqual([early.id, third.id, fourth])
  })

  test('one that does not name the campaign of the card does not run', async () => {
    const [own, other] = [await shop.publish(giver('own')), await shop.publish(giver('other'))]
    await shop.publish(giver('guest', [other]))
    const person = await shop.register(own)
    expect(order(await shop.process(person, { amount: 1 }))).toEqual(['own'])
    const second = await shop.register(other, person.customer)
    expect(order(await shop.process(second, { amount: 1 }))).toEqual(['other', 'guest'])
  })

  test('only published ones run along; a paused guest is gone, a paused host still lets guests run', async () => {
    const own = await shop.publish(giver('own'))
    const guest = await shop.publish(giver('guest', [own]))
    await shop.post('/v1/campaigns', giver('draft', [own]))
    const person = await shop.register(own)
    await shop.post(`/v1/campaigns/${guest}/pause`)
    expect(order(await shop.process(person, { amount: 1 }))).toEqual(['own'])
    await shop.post(`/v1/campaigns/${guest}/publish`)
    await shop.post(`/v1/campaigns/${own}/pause`)
    const sale = await shop.process(person, { amount: 1 })
    expect([order(sale), skipped(sale)]).toEqual([['guest'], { own: 'paused' }])
  })

  test('a campaign brings a balance that the customer did not have', async () => {
    const own = await shop.publish(giver('own'))
    const person = await shop.register(own)
    await shop.publish({
      name: 'Stars',
      balances: [{ key: 'stars', decimals: 1 }],
      rules: [{ id: 'stars', kind: 'collect_per_visit', balance: 'stars', amount: 1.5 }],
      rewards: [{ key: 'gift', kind: 'amount_off', amount: 1 }],
      thresholds: [{ balance: 'stars', at: 3, grant: 'gift', consume: true }],
      runsOn: [own],
    })
    expect((await shop.view(person)).collectables).toEqual({ points: { value: 0, total: 0 } })
    const first = await shop.process(person, { amount: 1 })
    expect(first.executedActions.collectables).toEqual({
      points: { value: 5, total: 5 },
      stars: { value: 1.5, total: 1.5 },
    })
    expect(first.executedActions.progress).toEqual([{ key: 'stars', have: 1.5, need: 3, reward: 'gift' }])
    const next = await shop.process(person, { amount: 1 })
    expect(next.executedActions.coupons).toHaveLength(1)
    expect((await shop.view(person)).collectables.stars).toEqual({ value: 0, total: 3 })
  })

  test('the new balance is opened once when baskets race', async () => {
    const own = await shop.publish(giver('own'))
    const person = await shop.register(own)
    await shop.publish({
      name: 'Hearts',
      balances: [{ key: 'hearts' }],
      rules: [{ id: 'hearts', kind: 'collect_per_visit', balance: 'hearts', amount: 1 }],
      runsOn: [own],
    })
    await Promise.all(Array.from({ length: 20 }, () => shop.process(person, { amount: 1 })))
    expect(await shop.balance(person, 'hearts')).toEqual({ value: 20, total: 20 })
  })

  test('the points of a card come from its own campaign only', async () => {
    const own = await shop.publish(giver('own'))
    await shop.publish({ ...giver('guest', [own]), spend: { balance: 'points', worth: 1 } })
    const person = await shop.register(own)
    await shop.process(person, { amount: 1 })
    expect(await shop.refused(person, { amount: 10, pointsToSpend: 5 })).toBe('points_not_spendable')
  })
})

describe('thresholds', () => {
  const stamps = (thresholds: object[], more: object = {}) =>
    campaignOf([perItem('stamp'), perEuro('base')], {
      rewards: [
        { key: 'small', kind: 'amount_off', amount: 1 },
        { key: 'big', kind: 'amount_off', amount: 5 },
      ],
      thresholds,
      ...more,
    })
  const rewards = (sale: Body) =>
    sale.executedActions.coupons.map((coupon: { reward: { key: string } }) => coupon.reward.key)

  test('consuming takes as often as it fits: 25 stamps at 10 are two coupons and 5 left', async () => {
    const person = await shop.register(
      await shop.publish(stamps([{ balance: 'stamps', at: 10, grant: 'small', consume: true }])),
    )
    const sale = await shop.process(person, { items: [{ quantity: 25 }] })
    expect(rewards(sale)).toEqual(['small', 'small'])
    expect(await shop.balance(person, 'stamps')).toEqual({ value: 5, total: 25 })
    expect(sale.executedActions.progress).toEqual([{ key: 'stamps', have: 5, need: 10, reward: 'small' }])
  })

  test('without consume a coupon is granted for each multiple that the total passes in this basket', async () => {
    const person = await shop.register(
      await shop.publish(stamps([{ balance: 'points', at: 100, grant: 'big' }])),
    )
    expect(rewards(await shop.process(person, { amount: 99 }))).toEqual([])
    expect(rewards(await shop.process(person, { amount: 1 }))).toEqual(['big'])
    expect(rewards(await shop.process(person, { amount: 99 }))).toEqual([])
    expect(rewards(await shop.process(person, { amount: 201 }))).toEqual(['big', 'big', 'big'])
    expect(await shop.balance(person)).toEqual({ value: 400, total: 400 })
  })

  test('the highest comes first', async () => {
    const person = await shop.register(
      await shop.publish(
        stamps([
          { balance: 'stamps', at: 5, grant: 'small', consume: true },
          { balance: 'stamps', at: 12, grant: 'big', consume: true },
        ]),
      ),
    )
    expect(rewards(await shop.process(person, { items: [{ quantity: 18 }] }))).toEqual(['big', 'small'])
    expect((await shop.balance(person, 'stamps')).value).toBe(1)
  })

  test('only campaigns attached to the card look', async () => {
    const own = await shop.publish(campaignOf([perItem('stamp')]))
    await shop.publish(stamps([{ balance: 'stamps', at: 1, grant: 'small', consume: true }]))
    const person = await shop.register(own)
    expect(rewards(await shop.process(person, { items: [{ quantity: 9 }] }))).toEqual([])
  })
})
