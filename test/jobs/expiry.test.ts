import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runRound } from '../../src/jobs/run-jobs.ts'
import { wholeTurn } from '../../src/operations/turn.ts'
import { expireWallets } from '../../src/operations/wallets/expire-wallets.ts'
import { startTestService, type TestService } from '../support/service.ts'
import {
  auditWithReturns,
  type Body,
  collected,
  openShop,
  type Person,
  type Shop,
  times,
} from '../support/shop.ts'

let service: TestService
let second: TestService
let shop: Shop

/** Both processes see the same time. */
function setTime(at: string): void {
  service.setTime(new Date(at))
  second.setTime(new Date(at))
}
const start = '2027-01-10T11:00:00Z'

beforeAll(async () => {
  service = await startTestService()
  second = await startTestService({ sharing: service })
  // Seconds before a moment and at it: the time of a test is what the test says.
  service.holdTime()
  second.holdTime()
  setTime(start)
  shop = await openShop(service, { timezone: 'Europe/Berlin', currency: 'EUR' })
})
beforeEach(() => setTime(start))
afterAll(async () => {
  expect(await auditWithReturns(service)).toEqual([])
  expect(await shop.integrity()).toMatchObject({ ok: true, problems: [] })
  await second.close()
  await service.close()
})

const runJob = () => runRound(service.deps)
const perEuro = (id = 'base', more: object = {}) => ({
  id,
  kind: 'points_per_amount',
  balance: 'points',
  points: 1,
  per: 1,
  ...more,
})
const expiringClub = (expires: object | undefined, more: object = {}) => ({
  name: 'Expiring',
  balances: [{ key: 'points', ...(expires && { expires }) }],
  rules: [perEuro()],
  spend: { balance: 'points', worth: 0.01 },
  ...more,
})
const memberOf = async (expires: object | undefined, more: object = {}) =>
  shop.register(await shop.publish(expiringClub(expires, more)))
const expiring = async (person: Person) => (await shop.view(person)).expiring
const kinds = async (person: Person) =>
  (await shop.ledger(person)).map(({ kind, amount }: Body) => [kind, amount])

describe('when a lot expires', () => {
  test.each([
    {
      expires: { after: 'P12M', endOf: 'month' },
      at: '2027-01-10T11:00:00Z',
      gone: '2028-01-31T23:00:00.000Z',
    },
    // Already February in Berlin, and 2028 has a 29th.
    {
      expires: { after: 'P12M', endOf: 'month' },
      at: '2027-01-31T23:30:00Z',
      gone: '2028-02-29T23:00:00.000Z',
    },
    // The end of March is in summer time.
    {
      expires: { after: 'P2M', endOf: 'month' },
      at: '2027-01-10T11:00:00Z',
      gone: '2027-03-31T22:00:00.000Z',
    },
    { expires: { after: 'P1M' }, at: '2027-01-31T11:00:00Z', gone: '2027-02-28T11:00:00.000Z' },
    {
      expires: { after: 'P10D', endOf: 'day' },
      at: '2027-01-10T11:00:00Z',
      gone: '2027-01-20T23:00:00.000Z',
    },
    {
      expires: { after: 'P1Y', endOf: 'year' },
      at: '2027-01-10T11:00:00Z',
      gone: '2028-12-31T23:00:00.000Z',
    },
    // Noon stays noon on the wall although the clocks changed in between.
    { expires: { after: 'P3M' }, at: '2027-01-10T11:00:00Z', gone: '2027-04-10T10:00:00.000Z' },
  ])('$expires collected at $at is gone at $gone', async ({ expires, at, gone }) => {
    setTime(at)
    const person = await memberOf(expires)
    await shop.process(person, { amount: 10 })
    expect(await expiring(person)).toEqual([{ key: 'points', amount: 10, at: expect.any(String) }])
    const { at: shown } = (await expiring(person))[0]
    expect(shown).toBe(gone)
  })

  test('is decided by now and not by the time of the sale', async () => {
    setTime('2026-12-20T12:00:00Z')
    const person = await memberOf({ after: 'P1M', endOf: 'month' })
    setTime(start)
    await shop.process(person, { amount: 10, occurredAt: '2026-12-20T12:00:00Z' })
    expect(await expiring(person)).toEqual([{ key: 'points', amount: 10, at: '2027-02-28T23:00:00.000Z' }])
  })

  test('a lot keeps the rule of the version that gave it', async () => {
    const campaign = await shop.publish(expiringClub({ after: 'P1M', endOf: 'month' }))
    const person = await shop.register(campaign)
    await shop.process(person, { amount: 10 })
    await shop.republish(campaign, {
      balances: [{ key: 'points', expires: { after: 'P6M', endOf: 'month' } }],
    })
    await shop.process(person, { amount: 5 })
    await shop.republish(campaign, { balances: [{ key: 'points' }] })
    await shop.process(person, { amount: 3 })
    expect(await expiring(person)).toEqual([
      { key: 'points', amount: 10, at: '2027-02-28T23:00:00.000Z' },
      { key: 'points', amount: 5, at: '2027-07-31T22:00:00.000Z' },
    ])
    setTime('2030-01-01T00:00:00Z')
    await runJob()
    expect(await shop.balance(person)).toEqual({ value: 3, total: 18 })
  })

  test('lots of several campaigns on one balance keep their own rule each', async () => {
    const own = await shop.publish(expiringClub({ after: 'P12M', endOf: 'month' }))
    await shop.publish({
      ...expiringClub({ after: 'P1M', endOf: 'month' }, { rules: [perEuro('guest', { points: 2 })] }),
      runsOn: [own],
    })
    const person = await shop.register(own)
    await shop.process(person, { amount: 10 })
    expect(await expiring(person)).toEqual([
      { key: 'points', amount: 20, at: '2027-02-28T23:00:00.000Z' },
      { key: 'points', amount: 10, at: '2028-01-31T23:00:00.000Z' },
    ])
  })
})

describe('what is spent', () => {
  test('expires soonest first, whatever was collected first; what never expires goes last', async () => {
    const campaign = await shop.publish(expiringClub({ after: 'P12M', endOf: 'month' }))
    const person = await shop.register(campaign)
    await shop.adjust(person, 'points', 100)
    await shop.process(person, { amount: 10 })
    await shop.republish(campaign, {
      balances: [{ key: 'points', expires: { after: 'P1M', endOf: 'month' } }],
    })
    await shop.process(person, { amount: 20 })

    const soon = { key: 'points', at: '2027-02-28T23:00:00.000Z' }
    const later = { key: 'points', at: '2028-01-31T23:00:00.000Z' }
    const spend = (pointsToSpend: number) =>
      shop.process(person, { amount: 5, discountedAmount: 5, pointsToSpend })
    await shop.republish(campaign, { rules: [] })
    await spend(15)
    expect(await expiring(person)).toEqual([
      { ...soon, amount: 5 },
      { ...later, amount: 10 },
    ])
    await spend(8)
    expect(await expiring(person)).toEqual([{ ...later, amount: 7 }])
    await shop.adjust(person, 'points', -3)
    expect(await expiring(person)).toEqual([{ ...later, amount: 4 }])
    await spend(50)
    expect(await expiring(person)).toEqual([])
    expect((await shop.balance(person)).value).toBe(54)
  })

  test('a threshold consumes what expires first too', async () => {
    const person = await memberOf(
      { after: 'P1M', endOf: 'month' },
      {
        rewards: [{ key: 'gift', kind: 'amount_off', amount: 1 }],
        thresholds: [{ balance: 'points', at: 15, grant: 'gift', consume: true }],
      },
    )
    await shop.process(person, { amount: 10 })
    setTime('2027-02-10T11:00:00Z')
    await shop.process(person, { amount: 10 })
    expect(await expiring(person)).toEqual([{ key: 'points', amount: 5, at: '2027-03-31T22:00:00.000Z' }])
  })
})

describe('what has expired and no job has noticed', () => {
  let person: Person
  let barcode: string
  beforeEach(async () => {
    person = await memberOf({ after: 'P1M', endOf: 'month' })
    barcode = (await shop.view(person)).cards[0].barcode
    await shop.process(person, { amount: 40 })
    await shop.adjust(person, 'points', 7)
    setTime('2027-02-10T11:00:00Z')
    await shop.process(person, { amount: 20 })
  })

  test('is in no view from the very moment on, and `expiring` no longer names it', async () => {
    const find = async () => (await shop.get(`/v1/customers/find?q=${barcode}`)).collectables.points
    setTime('2027-02-28T22:59:50Z')
    expect(await find()).toEqual({ value: 67, total: 60 })
    expect(await expiring(person)).toHaveLength(2)
    setTime('2027-02-28T23:00:00Z')
    expect(await find()).toEqual({ value: 27, total: 60 })
    expect(await shop.balance(person)).toEqual({ value: 27, total: 60 })
    expect(await expiring(person)).toEqual([{ key: 'points', amount: 20, at: '2027-03-31T22:00:00.000Z' }])
    const listed = (await shop.get('/v1/customers?limit=100')).data.find(
      ({ id }: Body) => id === person.customer,
    )
    expect(listed.collectables.points).toEqual({ value: 27, total: 60 })
  })

  test('cannot be spent or adjusted away', async () => {
    setTime('2027-03-01T11:00:00Z')
    expect(await shop.refused(person, { amount: 100, pointsToSpend: 28 })).toBe('insufficient_points')
    const reply = await shop.call('POST', `/v1/customers/${person.customer}/adjustments`, {
      key: 'points',
      amount: -28,
      reason: 'too much',
    })
    expect([reply.status, reply.body.message]).toEqual([400, 'insufficient_points'])
    expect(await shop.process(person, { amount: 1, pointsToSpend: 27 })).toMatchObject({ pointsSpent: 27 })
  })

  test('is booked by the next basket, with an entry and an event, and the job finds nothing more', async () => {
    setTime('2027-03-01T11:00:00Z')
    const sale = await shop.process(person, { amount: 3 })
    expect(sale.executedActions.collectables.points).toEqual({ value: 30, total: 63 })
    expect((await kinds(person)).slice(-2)).toEqual([
      ['expire', -40],
      ['collect', 3],
    ])
    await runJob()
    expect(await kinds(person)).toHaveLength(5)
    expect(await shop.events('balance.expired', person)).toEqual([
      { customer: person.customer, key: 'points', amount: 40 },
    ])
  })

  test('is booked by an adjustment, with an entry and an event', async () => {
    setTime('2027-03-01T11:00:00Z')
    await shop.adjust(person, 'points', 5)
    expect((await kinds(person)).slice(-2)).toEqual([
      ['expire', -40],
      ['adjust', 5],
    ])
    expect(await shop.events('balance.expired', person)).toEqual([
      { customer: person.customer, key: 'points', amount: 40 },
    ])
  })

  test('is booked by a return, with an entry and an event', async () => {
    const sale = await shop.process(person, { amount: 2 })
    setTime('2027-03-01T11:00:00Z')
    await shop.giveBack(sale)
    expect((await kinds(person)).slice(-2)).toEqual([
      ['expire', -40],
      ['return', -2],
    ])
    expect(await shop.events('balance.expired', person)).toEqual([
      { customer: person.customer, key: 'points', amount: 40 },
    ])
  })
})

describe('the job', () => {
  test('takes expired lots off with one entry and one event, leaves the total, and run again does nothing', async () => {
    const person = await memberOf({ after: 'P1M', endOf: 'month' })
    await shop.process(person, { amount: 10 })
    await shop.process(person, { amount: 5 })
    setTime('2027-02-28T22:59:50Z')
    await runJob()
    expect(await kinds(person)).toHaveLength(2)
    setTime('2027-02-28T23:00:00Z')
    await runJob()
    await runJob()
    expect(await shop.ledger(person)).toMatchObject([
      { kind: 'collect', amount: 10 },
      { kind: 'collect', amount: 5 },
      { kind: 'expire', amount: -15, value: 0, total: 15, version: 3 },
    ])
    expect(await shop.balance(person)).toEqual({ value: 0, total: 15 })
    expect(await shop.events('balance.expired', person)).toEqual([
      { customer: person.customer, key: 'points', amount: 15 },
    ])
  })

  test('in two processes at once, over many customers, takes off once', async () => {
    const campaign = await shop.publish(
      expiringClub(
        { after: 'P1M', endOf: 'month' },
        {
          rewards: [{ key: 'gift', kind: 'amount_off', amount: 1, validDays: 10 }],
          thresholds: [{ balance: 'points', at: 10, grant: 'gift' }],
        },
      ),
    )
    const people = await Promise.all(times(30, () => shop.register(campaign)))
    await Promise.all(people.map((person) => shop.process(person, { amount: 12 })))
    setTime('2027-03-01T11:00:00Z')
    // As if leases were lost, two more do the same work.
    const org = (
      await service.database.pool.query('SELECT org_id FROM organizations WHERE id = $1', [
        shop.merchant.id.slice(4),
      ])
    ).rows[0].org_id
    await Promise.all([
      runRound(service.deps),
      runRound(second.deps),
      expireWallets(service.deps, org, wholeTurn()),
      expireWallets(second.deps, org, wholeTurn()),
    ])
    for (const person of people) {
      expect(await kinds(person)).toEqual([
        ['collect', 12],
        ['expire', -12],
      ])
      expect(await shop.events('balance.expired', person)).toHaveLength(1)
      expect(await shop.events('coupon.expired', person)).toHaveLength(1)
    }
  })

  test('racing with baskets that spend, nothing is spent and expired', async () => {
    const campaign = await shop.publish(expiringClub({ after: 'P1M', endOf: 'month' }))
    const people = await Promise.all(times(10, () => shop.register(campaign)))
    await Promise.all(people.map((person) => shop.process(person, { amount: 100 })))
    setTime('2027-02-10T11:00:00Z')
    await Promise.all(people.map((person) => shop.process(person, { amount: 50 })))
    setTime('2027-03-01T11:00:00Z')
    const spends = people.map((person) =>
      shop.call('POST', '/v1/transactions/process', {
        ...person,
        items: [{ amount: 0.4 }],
        pointsToSpend: 40,
      }),
    )
    await Promise.all([runRound(service.deps), runRound(second.deps), ...spends])
    for (const person of people) {
      expect(await shop.balance(person)).toEqual({ value: 10, total: 150 })
      const expired = (await shop.ledger(person)).filter(({ kind }: Body) => kind === 'expire')
      expect(expired.map(({ amount }: Body) => amount)).toEqual([-100])
      expect(await shop.events('balance.expired', person)).toHaveLength(1)
    }
  })

  test('takes off for blocked customers as well', async () => {
    const person = await memberOf({ after: 'P1M', endOf: 'month' })
    await shop.process(person, { amount: 10 })
    await shop.post(`/v1/customers/${person.customer}/block`)
    setTime('2027-03-01T11:00:00Z')
    await runJob()
    expect(await kinds(person)).toEqual([
      ['collect', 10],
      ['expire', -10],
    ])
  })

  test('what expired is in the reports of the day it was taken off', async () => {
    const own = await openShop(service, { timezone: 'Europe/Berlin' })
    const person = await own.register(await own.publish(expiringClub({ after: 'P1M', endOf: 'month' })))
    await own.process(person, { amount: 10 })
    setTime('2027-02-28T23:30:00Z')
    await runJob()
    const { data } = await own.get('/v1/reports/daily?from=2027-02-28&to=2027-03-01')
    expect(data).toMatchObject([
      { day: '2027-02-28', expired: {}, outstanding: { points: 10 } },
      { day: '2027-03-01', expired: { points: 10 }, outstanding: { points: 0 } },
    ])
  })
})

describe('inactivity', () => {
  const quiet = { inactivity: 'P6M' }
  // All campaigns of an organization that share a balance have a say, so each test has its own organization.
  let shop: Shop
  const memberOf = async (expires: object) => shop.register(await shop.publish(expiringClub(expires)))
  const kinds = async (person: Person) =>
    (await shop.ledger(person)).map(({ kind, amount }: Body) => [kind, amount])
  beforeEach(async () => {
    shop = await openShop(service, { timezone: 'Europe/Berlin', currency: 'EUR' })
  })

  test('takes the whole balance, adjustments included, six months after the last basket and not a moment before', async () => {
    const person = await memberOf(quiet)
    await shop.process(person, { amount: 10 })
    setTime('2027-03-10T11:00:00Z')
    await shop.process(person, { amount: 5 })
    await shop.adjust(person, 'points', 7)
    setTime('2027-09-10T09:59:00Z')
    await runJob()
    expect((await shop.balance(person)).value).toBe(22)
    setTime('2027-09-10T10:01:00Z')
    await Promise.all([runRound(service.deps), runRound(second.deps)])
    await runJob()
    expect((await kinds(person)).slice(2)).toEqual([
      ['adjust', 7],
      ['expire', -22],
    ])
    expect(await shop.balance(person)).toEqual({ value: 0, total: 15 })
    expect(await shop.events('balance.expired', person)).toEqual([
      { customer: person.customer, key: 'points', amount: 22 },
    ])
  })

  test('a basket in time keeps everything for six months more', async () => {
    const person = await memberOf(quiet)
    await shop.process(person, { amount: 10 })
    setTime('2027-07-09T11:00:00Z')
    await shop.process(person, { amount: 0 })
    setTime('2028-01-08T11:00:00Z')
    await runJob()
    expect((await shop.balance(person)).value).toBe(10)
  })

  test('begins anew with what staff gives, also for a customer who never came', async () => {
    const [never, gone] = [await memberOf(quiet), await memberOf(quiet)]
    await shop.process(gone, { amount: 10 })
    setTime('2028-01-10T11:00:00Z')
    for (const person of [never, gone]) await shop.adjust(person, 'points', 5)
    // A correction downwards is no reason to keep it longer.
    setTime('2028-05-10T11:00:00Z')
    for (const person of [never, gone]) await shop.adjust(person, 'points', -1)
    await runJob()
    for (const person of [never, gone]) expect((await shop.balance(person)).value).toBe(4)
    setTime('2028-07-10T11:00:00Z')
    await runJob()
    for (const person of [never, gone]) expect((await shop.balance(person)).value).toBe(0)
  })

  test('counts at the till although no job has run: nothing can be spent, and the basket starts anew', async () => {
    const person = await memberOf(quiet)
    await shop.process(person, { amount: 10 })
    setTime('2027-07-10T10:01:00Z')
    expect(await shop.refused(person, { amount: 10, pointsToSpend: 1 })).toBe('insufficient_points')
    const sale = await shop.process(person, { amount: 4 })
    expect(collected(sale)).toEqual({ base: 4 })
    expect(await kinds(person)).toEqual([
      ['collect', 10],
      ['expire', -10],
      ['collect', 4],
    ])
    expect(await shop.events('balance.expired', person)).toHaveLength(1)
  })

  test('a month is over after a short February too', async () => {
    setTime('2027-02-01T11:00:00Z')
    const person = await memberOf({ inactivity: 'P1M' })
    await shop.process(person, { amount: 10 })
    setTime('2027-03-01T11:01:00Z')
    await runJob()
    expect(await kinds(person)).toEqual([
      ['collect', 10],
      ['expire', -10],
    ])
  })

  test('of two campaigns on one balance the longest counts', async () => {
    const own = await shop.publish(expiringClub({ inactivity: 'P1M' }))
    await shop.publish({ ...expiringClub({ inactivity: 'P3M' }, { rules: [] }), runsOn: [own] })
    const person = await shop.register(own)
    await shop.process(person, { amount: 10 })
    setTime('2027-04-10T09:59:00Z')
    await runJob()
    expect((await shop.balance(person)).value).toBe(10)
    setTime('2027-04-10T10:01:00Z')
    await runJob()
    expect((await shop.balance(person)).value).toBe(0)
  })

  test('job and till agree where a campaign that is not on the card has more patience', async () => {
    const person = await memberOf({ inactivity: 'P1M' })
    await shop.publish({ ...expiringClub({ inactivity: 'P3M' }), rules: [] })
    await shop.process(person, { amount: 10 })
    setTime('2027-03-10T11:00:00Z')
    await runJob()
    expect((await shop.balance(person)).value).toBe(10)
    expect(await shop.process(person, { amount: 1, pointsToSpend: 10 })).toMatchObject({ pointsSpent: 10 })
  })

  test('of an archived campaign no longer counts beside another one: at the till, in views and in the job', async () => {
    const person = await memberOf({ inactivity: 'P1M' })
    const former = await shop.publish({ ...expiringClub({ inactivity: 'P3M' }), rules: [] })
    await shop.process(person, { amount: 10 })
    setTime('2027-02-10T11:00:00Z')
    expect((await shop.balance(person)).value).toBe(10)
    await shop.post(`/v1/campaigns/${former}/archive`)
    expect((await shop.balance(person)).value).toBe(0)
    expect(await shop.refused(person, { amount: 1, pointsToSpend: 10 })).toBe('insufficient_points')
    await runJob()
    expect(await kinds(person)).toEqual([
      ['collect', 10],
      ['expire', -10],
    ])
  })

  test('is in no view although no job has run: `value` is what can be used now', async () => {
    const person = await memberOf(quiet)
    await shop.process(person, { amount: 10 })
    const { barcode } = (await shop.view(person)).cards[0]
    const views = async () => [
      await shop.view(person),
      await shop.get(`/v1/customers/find?q=${barcode}`),
      ...(await shop.get('/v1/customers')).data,
    ]
    const points = async () => (await views()).map((view) => view.collectables.points)
    setTime('2027-07-10T09:59:00Z')
    expect(await points()).toEqual(times(3, () => ({ value: 10, total: 10 })))
    const [{ key, amount, at }] = (await shop.view(person)).expiring
    expect([key, amount, at.slice(0, 16)]).toEqual(['points', 10, '2027-07-10T10:00'])
    setTime('2027-07-10T10:01:00Z')
    expect(await points()).toEqual(times(3, () => ({ value: 0, total: 10 })))
    expect((await shop.view(person)).expiring).toEqual([])
  })
})

describe('a coupon', () => {
  const gifts = {
    rewards: [
      { key: 'gift', kind: 'amount_off', amount: 5, validDays: 30 },
      { key: 'for-ever', kind: 'amount_off', amount: 1 },
    ],
    thresholds: [
      { balance: 'points', at: 10, grant: 'gift' },
      { balance: 'points', at: 11, grant: 'for-ever' },
    ],
  }

  test('expires after its days: gone for tills at once, with status 4 and one event after the job', async () => {
    const person = await memberOf(undefined, gifts)
    const sale = await shop.process(person, { amount: 15 })
    const byReward = Object.fromEntries(sale.executedActions.coupons.map((c: Body) => [c.reward.key, c]))
    const { gift } = byReward
    expect(byReward['for-ever']).not.toHaveProperty('expiresAt')
    expect(gift.expiresAt).toBe('2027-02-09T11:00:00.000Z')

    setTime('2027-02-09T10:59:30Z')
    expect((await shop.view(person)).coupons).toHaveLength(2)
    await runJob()
    expect((await shop.coupon(gift.id)).status).toBe(1)

    setTime('2027-02-09T11:01:00Z')
    expect((await shop.view(person)).coupons).toMatchObject([{ id: byReward['for-ever'].id }])
    expect((await shop.coupon(gift.id)).status).toBe(4)
    expect(await shop.refused(person, { amount: 10, reward: gift.id })).toBe('coupon_expired')
    expect(await shop.events('coupon.expired', person)).toEqual([])

    await Promise.all([runRound(service.deps), runRound(second.deps)])
    await runJob()
    expect((await shop.coupon(gift.id)).status).toBe(4)
    expect(await shop.events('coupon.expired', person)).toEqual([
      { customer: person.customer, coupon: gift.id },
    ])
    expect(await shop.refused(person, { amount: 10, reward: gift.id })).toBe('coupon_expired')
    setTime('2037-01-01T00:00:00Z')
    await runJob()
    expect((await shop.coupon(byReward['for-ever'].id)).status).toBe(1)
  })

  test('that was used does not expire', async () => {
    const person = await memberOf(undefined, gifts)
    const sale = await shop.process(person, { amount: 10 })
    const [{ id }] = sale.executedActions.coupons
    await shop.process(person, { amount: 10, reward: id })
    setTime('2027-03-01T11:00:00Z')
    await runJob()
    expect((await shop.coupon(id)).status).toBe(3)
    const list = await shop.get(`/v1/customers/${person.customer}/coupons?limit=100`)
    expect(list.data.find((item: Body) => item.id === id).status).toBe(3)
  })
})
