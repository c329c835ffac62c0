import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { nearNoon, productionLimits, startTestService, type TestService } from '../support/service.ts'
import {
  auditWithReturns,
  collected,
  openShop,
  type Person,
  registerEarlier,
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
  shop = await openShop(service, { timezone: 'America/New_York' })
})
afterEach(() => service.setTime(nearNoon()))
afterAll(async () => {
  expect(await auditWithReturns(service)).toEqual([])
  expect(await shop.integrity()).toMatchObject({ ok: true, problems: [] })
  await second.close()
  await service.close()
})

const perEuro = (limits: object) => ({
  name: 'Limited',
  balances: [{ key: 'points' }],
  rules: [{ id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1, limits }],
})
const perVisit = (amount: number, limits: object) => ({
  name: 'Limited visits',
  balances: [{ key: 'points' }],
  rules: [{ id: 'visit', kind: 'collect_per_visit', balance: 'points', amount, limits }],
})

test('perTransaction cuts what one basket gets and leaves the next one alone', async () => {
  const person = await shop.register(await shop.publish(perEuro({ perTransaction: 10 })))
  expect(collected(await shop.process(person, { amount: 25 }))).toEqual({ base: 10 })
  expect(collected(await shop.process(person, { amount: 7 }))).toEqual({ base: 7 })
  expect(await shop.balance(person)).toEqual({ value: 17, total: 17 })
})

test('perDay cuts the last payment of the local day, then skips with `limit`, and starts anew at local midnight', async () => {
  const campaign = await shop.publish(perEuro({ perDay: 10 }))
  const days = { opened: '2026-06-03T12:00:00Z', now: '2026-06-05T12:00:00Z' }
  const person = await registerEarlier(service, days, () => shop.register(campaign))
  // 23:30 on 3 June in New York, although it is 4 June in UTC already.
  const evening = { occurredAt: '2026-06-04T03:30:00Z' }
  expect(collected(await shop.process(person, { amount: 6, ...evening }))).toEqual({ base: 6 })
  const noon = { occurredAt: '2026-06-03T16:00:00Z' }
  expect(collected(await shop.process(person, { amount: 6, ...noon }))).toEqual({ base: 4 })
  const full = await shop.process(person, { amount: 6, ...evening })
  expect(collected(full)).toEqual({})
  expect(skipped(full)).toEqual({ base: 'limit' })
  const nextDay = { occurredAt: '2026-06-04T04:00:00Z' }
  expect(collected(await shop.process(person, { amount: 6, ...nextDay }))).toEqual({ base: 6 })
})

test('perDay counts each customer by itself', async () => {
  const campaign = await shop.publish(perEuro({ perDay: 10 }))
  for (const person of [await shop.register(campaign), await shop.register(campaign)]) {
    expect(collected(await shop.process(person, { amount: 50 }))).toEqual({ base: 10 })
  }
})

test('perCustomer holds over days and customers do not share it', async () => {
  const campaign = await shop.publish(perEuro({ perCustomer: 15 }))
  const may = { opened: '2026-05-01T00:00:00Z', now: '2026-05-04T00:00:00Z' }
  const one = await registerEarlier(service, may, () => shop.register(campaign))
  const other = await shop.register(campaign)
  const days = ['2026-05-01', '2026-05-02', '2026-05-03']
  const given = []
  for (const day of days) {
    given.push(collected(await shop.process(one, { amount: 10, occurredAt: `${day}T12:00:00Z` })).base ?? 0)
  }
  expect(given).toEqual([10, 5, 0])
  expect(collected(await shop.process(other, { amount: 10 }))).toEqual({ base: 10 })
})

test('the smallest of several limits counts', async () => {
  const limits = { perTransaction: 8, perDay: 12, perCustomer: 15, total: 1000 }
  const campaign = await shop.publish(perEuro(limits))
  const may = { opened: '2026-05-01T00:00:00Z', now: '2026-05-04T00:00:00Z' }
  const person = await registerEarlier(service, may, () => shop.register(campaign))
  const on = (day: string) => shop.process(person, { amount: 10, occurredAt: `${day}T12:00:00Z` })
  const given = []
  for (const day of ['2026-05-01', '2026-05-01', '2026-05-02', '2026-05-03']) {
    given.push(collected(await on(day)).base ?? 0)
  }
  expect(given).toEqual([8, 4, 3, 0])
})

test('a limit counts what the rule itself gives, not what a multiplier adds to it', async () => {
  const person = await shop.register(
    await shop.publish({
      ...perEuro({ perCustomer: 10 }),
      rules: [
        ...perEuro({ perCustomer: 10 }).rules,
        { id: 'double', kind: 'multiply', balance: 'points', factor: 2, limits: { perCustomer: 12 } },
      ],
    }),
  )
  expect(collected(await shop.process(person, { amount: 7 }))).toEqual({ base: 7, double: 7 })
  expect(collected(await shop.process(person, { amount: 7 }))).toEqual({ base: 3, double: 3 })
  const last = await shop.process(person, { amount: 7 })
  expect(skipped(last)).toEqual({ base: 'limit', double: 'nothing_to_multiply' })
})

test('limits are in units of a balance with decimals', async () => {
  const person = await shop.register(
    await shop.publish({
      name: 'Cashback',
      balances: [{ key: 'cash', decimals: 2 }],
      rules: [
        {
          id: 'back',
          kind: 'points_per_amount',
          balance: 'cash',
          points: 0.05,
          per: 1,
          limits: { perCustomer: 1.52 },
        },
      ],
    }),
  )
  expect(collected(await shop.process(person, { amount: 30 }))).toEqual({ back: 1.5 })
  expect(collected(await shop.process(person, { amount: 30 }))).toEqual({ back: 0.02 })
})

test('validate shows what a limit leaves and uses nothing of it', async () => {
  const person = await shop.register(await shop.publish(perVisit(60, { total: 100 })))
  const basket = { ...person, amount: 1 }
  for (const given of [60, 60]) {
    expect(collected(await shop.post('/v1/transactions/validate', basket))).toEqual({ visit: given })
  }
  await shop.process(person, { amount: 1 })
  expect(collected(await shop.post('/v1/transactions/validate', basket))).toEqual({ visit: 40 })
  expect(collected(await shop.process(person, { amount: 1 }))).toEqual({ visit: 40 })
  expect(skipped(await shop.post('/v1/transactions/validate', basket))).toEqual({ visit: 'limit' })
})

describe('a total of 100', () => {
  const given = async (people: readonly Person[]) => {
    const values = await Promise.all(people.map((person) => shop.balance(person)))
    return values.map(({ value }) => value)
  }
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0)
  const race = async (people: readonly Person[], basket: object) => {
    const replies = await Promise.all(
      people.map(({ customer, card }, i) =>
        shop.call(
          'POST',
          '/v1/transactions/process',
          { customer, card, ...basket },
          { on: i % 2 ? second : service },
        ),
      ),
    )
    expect(tally(replies)).toEqual({ 201: people.length })
    return replies
  }
  const registerMany = async (campaign: string, count: number) =>
    Promise.all(times(count, () => shop.register(campaign)))

  test('pays exactly 100 to a hundred racing baskets of 7 on one instance', async () => {
    const people = await registerMany(await shop.publish(perVisit(7, { total: 100 })), 100)
    const replies = await Promise.all(people.map((person) => shop.process(person, { amount: 1 })))
    const values = await given(people)
    expect(sum(values)).toBe(100)
    // Fourteen whole payments, the last cut to what is left, and nothing for the rest.
    expect(values.toSorted((a, b) => b - a).slice(0, 16)).toEqual([...times(14, () => 7), 2, 0])
    expect(replies.filter((sale) => skipped(sale).visit === 'limit')).toHaveLength(85)
  })

  test('pays exactly 100 to a hundred racing baskets of 7 spread over two instances', async () => {
    const people = await registerMany(await shop.publish(perVisit(7, { total: 100 })), 100)
    await race(people, { amount: 1 })
    expect(sum(await given(people))).toBe(100)
  })

  test('pays exactly 100 where every racing basket could have all of it', async () => {
    const people = await registerMany(await shop.publish(perEuro({ total: 100 })), 40)
    await race(people, { amount: 100 })
    expect((await given(people)).filter((value) => value > 0)).toEqual([100])
  })

  test('is held by every one of several rules and campaigns in one basket', async () => {
    const own = await shop.publish({
      ...perVisit(3, { total: 50 }),
      rules: [
        ...perVisit(3, { total: 50 }).rules,
        { id: 'more', kind: 'collect_per_visit', balance: 'points', amount: 2, limits: { total: 31 } },
      ],
    })
    const people = await registerMany(own, 40)
    await shop.publish({ ...perVisit(5, { total: 23 }), runsOn: [own] })
    await race(people, { amount: 1 })
    expect(sum(await given(people))).toBe(50 + 31 + 23)
  })

  test('is not used up by baskets that are refused', async () => {
    const people = await registerMany(await shop.publish(perVisit(10, { total: 100 })), 20)
    const replies = await Promise.all(
      people.map(({ customer, card }, i) =>
        shop.call('POST', '/v1/transactions/process', {
          customer,
          card,
          amount: 1,
          ...(i % 2 && { pointsToSpend: 5 }),
        }),
      ),
    )
    expect(tally(replies)).toEqual({ 201: 10, '400 points_not_spendable': 10 })
    expect(sum(await given(people))).toBe(100)
  })

  test('is not used up by a repeated basket', async () => {
    const [person] = await registerMany(await shop.publish(perVisit(10, { total: 100 })), 1)
    const body = { ...person, amount: 1, opaqueId: 'limit-repeat' }
    await Promise.all(
      times(20, (i) => shop.post('/v1/transactions/process', body, { on: i % 2 ? second : service })),
    )
    expect((await shop.balance(person!)).value).toBe(10)
    expect(collected(await shop.process(person!, { amount: 1 }))).toEqual({ visit: 10 })
  })
})

test('perCustomer and perDay hold for one customer racing on two instances', async () => {
  const person = await shop.register(await shop.publish(perVisit(7, { perDay: 30, perCustomer: 100 })))
  const replies = await Promise.all(
    times(20, (i) => shop.process(person, { amount: 1 }, { on: i % 2 ? second : service })),
  )
  expect(replies).toHaveLength(20)
  expect((await shop.balance(person)).value).toBe(30)
})

describe('a return gives back of the limits what it takes back', () => {
  test('perDay of the day of the sale, and perCustomer', async () => {
    const campaign = await shop.publish(perEuro({ perDay: 10, perCustomer: 15 }))
    const june = { opened: '2026-06-01T00:00:00Z', now: '2026-06-03T00:00:00Z' }
    const person = await registerEarlier(service, june, () => shop.register(campaign))
    const monday = { occurredAt: '2026-06-01T16:00:00Z' }
    const sale = await shop.process(person, { items: [{ amount: 8 }, { amount: 2 }], ...monday })
    expect(skipped(await shop.process(person, { amount: 5, ...monday }))).toEqual({ base: 'limit' })
    await shop.giveBack(sale, { items: [{ id: '1', quantity: 1 }] })
    expect(collected(await shop.process(person, { amount: 9, ...monday }))).toEqual({ base: 8 })
    // 2 left of the first sale and 8 now: 5 of perCustomer are left on another day.
    const tuesday = { occurredAt: '2026-06-02T16:00:00Z' }
    expect(collected(await shop.process(person, { amount: 9, ...tuesday }))).toEqual({ base: 5 })
  })

  test('total, for whoever comes next', async () => {
    const campaign = await shop.publish(perEuro({ total: 100 }))
    const [one, other] = [await shop.register(campaign), await shop.register(campaign)]
    const sale = await shop.process(one, { items: [{ amount: 60 }, { amount: 40 }] })
    expect(skipped(await shop.process(other, { amount: 10 }))).toEqual({ base: 'limit' })
    await shop.giveBack(sale, { items: [{ id: '2', quantity: 1 }] })
    expect(collected(await shop.process(other, { amount: 30 }))).toEqual({ base: 30 })
    await shop.giveBack(sale)
    expect(collected(await shop.process(other, { amount: 200 }))).toEqual({ base: 70 })
  })

  test('what a limit had cut is not given back beyond what was paid', async () => {
    const campaign = await shop.publish(perEuro({ total: 50 }))
    const [one, other] = [await shop.register(campaign), await shop.register(campaign)]
    const sale = await shop.process(one, { items: [{ quantity: 10, unitPrice: 8 }] })
    expect(collected(sale)).toEqual({ base: 50 })
    // 56 worth of goods are still there and earn the full 50.
    await shop.giveBack(sale, { items: [{ id: '1', quantity: 3 }] })
    expect((await shop.balance(one)).value).toBe(50)
    expect(skipped(await shop.process(other, { amount: 10 }))).toEqual({ base: 'limit' })
    await shop.giveBack(sale)
    expect(await shop.balance(one)).toEqual({ value: 0, total: 0 })
    expect(collected(await shop.process(other, { amount: 80 }))).toEqual({ base: 50 })
  })

  test('returns racing with baskets leave neither more nor less than the total', async () => {
    const campaign = await shop.publish(perVisit(5, { total: 100 }))
    const people = await Promise.all(times(20, () => shop.register(campaign)))
    const sales = await Promise.all(people.map((person) => shop.process(person, { amount: 1 })))
    const others = await Promise.all(times(20, () => shop.register(campaign)))
    await Promise.all([
      ...sales
        .slice(0, 10)
        .map((sale, i) =>
          shop.post(`/v1/transactions/${sale.id}/return`, {}, { on: i % 2 ? second : service }),
        ),
      ...others.map((person, i) => shop.process(person, { amount: 1 }, { on: i % 2 ? second : service })),
    ])
    // Whatever order they came in, what is still free now goes to the next ones and no more.
    const late = await Promise.all(times(30, () => shop.register(campaign)))
    for (const person of late) await shop.process(person, { amount: 1 })
    const values = await Promise.all([...people, ...others, ...late].map((person) => shop.balance(person)))
    expect(values.reduce((all, { value }) => all + value, 0)).toBe(100)
  })
})
