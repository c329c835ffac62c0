import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Id } from '../../src/domain/ids.ts'
import { runRound } from '../../src/jobs/run-jobs.ts'
import { uuidOf } from '../../src/store/tenant.ts'
import { productionLimits, startTestService, type TestService } from '../support/service.ts'
import {
  auditWithReturns,
  type Body,
  granted,
  openShop,
  type Person,
  type Shop,
  times,
} from '../support/shop.ts'

let service: TestService
let second: TestService
let shop: Shop

const club = {
  name: 'Reported',
  balances: [{ key: 'points', decimals: 1, expires: { after: 'P1D' } }, { key: 'stamps' }],
  rules: [
    { id: 'base', kind: 'points_per_amount', balance: 'points', points: 0.5, per: 1 },
    { id: 'stamp', kind: 'collect_per_item', balance: 'stamps', amount: 1 },
  ],
  rewards: [{ key: 'gift', kind: 'amount_off', amount: 1, validDays: 1 }],
  thresholds: [{ balance: 'stamps', at: 2, grant: 'gift', consume: true }],
  spend: { balance: 'points', worth: 0.1 },
}

beforeAll(async () => {
  service = await startTestService(productionLimits)
  second = await startTestService({ ...productionLimits, sharing: service })
  // Ten seconds before midnight are too few for a busy computer.
  service.holdTime()
  second.holdTime()
})
afterAll(async () => {
  expect(await auditWithReturns(service)).toEqual([])
  expect(await shop.integrity()).toMatchObject({ ok: true, problems: [] })
  await second.close()
  await service.close()
})

function setTime(at: string): void {
  service.setTime(new Date(at))
  second.setTime(new Date(at))
}
const summary = (from: string, to: string) => shop.get(`/v1/reports/summary?from=${from}&to=${to}`)
const daily = async (from: string, to: string): Promise<Body[]> =>
  (await shop.get(`/v1/reports/daily?from=${from}&to=${to}`)).data

/** Three local days in New York with a bit of everything, two seconds and one hour around midnight. */
async function threeDays(): Promise<void> {
  const items = (quantity: number) => ({ items: [{ quantity, unitPrice: 10 }] })
  setTime('2027-05-03T16:00:00Z')
  shop = await openShop(service, { timezone: 'America/New_York' })
  const campaign = await shop.publish(club)
  const [ann, bob] = [await shop.register(campaign), await shop.register(campaign)]
  const first = await shop.process(ann, items(3))
  await shop.adjust(ann, 'points', 10.5)
  // 23:59:50 on the same local day, although the next one in UTC.
  setTime('2027-05-04T03:59:50Z')
  await shop.process(bob, items(5), { on: second })

  setTime('2027-05-04T04:00:00Z')
  await shop.post('/v1/customers', { data: {} })
  await shop.process(ann, { ...items(1), pointsToSpend: 20, reward: granted(first)[0] })
  // An occurrence on the day before counts on the day it was processed.
  await shop.process(bob, { ...items(1), occurredAt: '2027-05-03T17:00:00Z' }, { on: second })
  await shop.giveBack(first, { items: [{ id: '1', quantity: 1 }] })

  setTime('2027-05-06T12:00:00Z')
  await runRound(service.deps)
  const { id } = await shop.post('/v1/coupons', { customer: bob.customer, campaign, reward: 'gift' })
  await shop.post(`/v1/coupons/${id}/revoke`)
}

test('a day is the organization’s day, and each thing counts on the day it was done', async () => {
  await threeDays()
  const none = { granted: 0, redeemed: 0, expired: 0, revoked: 0 }
  const days = await daily('2027-05-02', '2027-05-06')
  expect(days.map(({ day }) => day)).toEqual(times(5, (i) => `2027-05-0${i + 2}`))
  expect(days[0]).toMatchObject({ customers: 0, cards: 0, transactions: 0, collected: {}, coupons: none })
  expect(days[1]).toMatchObject({
    customers: 2,
    activeCustomers: 2,
    cards: 2,
    transactions: 2,
    returns: 0,
    collected: { points: 40, stamps: 8 },
    spent: {},
    consumed: { stamps: 6 },
    adjusted: { points: 10.5 },
    expired: {},
    outstanding: { points: 50.5, stamps: 2 },
    coupons: { ...none, granted: 3 },
  })
  expect(days[2]).toMatchObject({
    customers: 1,
    activeCustomers: 2,
    cards: 0,
    transactions: 2,
    returns: 1,
    // Of 10, a coupon takes 1 off and points pay 2: 7 are paid with money.
    collected: { points: 8.5, stamps: 2 },
    spent: { points: 20 },
    // The stamp that comes back had been consumed for the coupon of the other sale.
    coupons: { granted: 2, redeemed: 1, expired: 0, revoked: 1 },
  })
  expect(days[3]).toMatchObject({ transactions: 0, collected: {}, outstanding: days[2]!.outstanding })
  // Neither a return nor a coupon is a sale.
  expect(days.map(({ activeCustomers }) => activeCustomers)).toEqual([0, 2, 2, 0, 0])
  expect(days[4]!.coupons).toEqual({ granted: 1, redeemed: 0, expired: 3, revoked: 1 })
  expect(days[4]!.expired.points).toBeGreaterThan(0)
})

test('the summary is the sum of its days, and what is outstanding is that of the last one', async () => {
  const add = (days: Body[], pick: (day: Body) => Record<string, number>) => {
    const sums: Record<string, number> = {}
    for (const day of days) {
      for (const [key, amount] of Object.entries(pick(day))) {
        sums[key] = Math.round(((sums[key] ?? 0) + amount) * 10) / 10
      }
    }
    return sums
  }
  for (const [from, to] of [
    ['2027-05-01', '2027-05-06'],
    ['2027-05-03', '2027-05-03'],
    ['2027-05-04', '2027-05-05'],
  ] as const) {
    const days = await daily(from, to)
    const whole = await summary(from, to)
    expect(whole).toMatchObject({ from, to })
    for (const measure of ['collected', 'spent', 'consumed', 'expired', 'adjusted', 'returned']) {
      expect(whole[measure], `${measure} ${from}`).toEqual(add(days, (day) => day[measure]))
    }
    expect(whole.coupons).toEqual(add(days, (day) => day.coupons))
    const counts = ({ customers, cards, transactions, returns }: Body) => ({
      customers,
      cards,
      transactions,
      returns,
    })
    expect(counts(whole)).toEqual(add(days, counts))
    expect(whole.outstanding).toEqual(days.at(-1)!.outstanding)
  }
})

test('reports equal what is counted from ledger, coupons and transactions', async () => {
  const { pool } = service.database
  const org = (
    await pool.query('SELECT org_id FROM organizations WHERE id = $1', [uuidOf(shop.merchant.id as Id)])
  ).rows[0].org_id
  const count = async (sql: string) => Number((await pool.query(sql, [org])).rows[0].count)
  const whole = await summary('2027-01-01', '2027-12-31')
  const byKind: Record<string, [string, number]> = {
    collect: ['collected', 1],
    spend: ['spent', -1],
    consume: ['consumed', -1],
    expire: ['expired', -1],
    adjust: ['adjusted', 1],
    return: ['returned', 1],
  }
  const { rows } = await pool.query(
    `SELECT kind, key, sum(amount)::int AS amount FROM ledger_entries WHERE org_id = $1 GROUP BY kind, key`,
    [org],
  )
  expect(new Set(rows.map((row) => row.kind))).toEqual(new Set(Object.keys(byKind)))
  const counted: Record<string, Record<string, number>> = {}
  for (const { kind, key, amount } of rows) {
    const [measure, sign] = byKind[kind]!
    counted[measure] = { ...counted[measure], [key]: (sign * amount) / (key === 'points' ? 10 : 1) }
  }
  for (const [measure, sums] of Object.entries(counted)) expect(whole[measure], measure).toEqual(sums)
  expect(whole).toMatchObject({
    customers: await count('SELECT count(*) FROM customers WHERE org_id = $1'),
    cards: await count('SELECT count(*) FROM cards WHERE org_id = $1'),
    transactions: await count('SELECT count(*) FROM transactions WHERE org_id = $1'),
    returns: await count('SELECT count(*) FROM returns WHERE org_id = $1'),
  })
  expect(whole.coupons).toEqual({
    granted: await count('SELECT count(*) FROM coupons WHERE org_id = $1'),
    redeemed: await count('SELECT count(*) FROM coupons WHERE org_id = $1 AND status = 3'),
    expired: await count('SELECT count(*) FROM coupons WHERE org_id = $1 AND status = 4'),
    revoked: await count('SELECT count(*) FROM coupons WHERE org_id = $1 AND status = 5'),
  })
  const balances = await pool.query(
    'SELECT key, sum(value)::int AS value FROM balances WHERE org_id = $1 GROUP BY key',
    [org],
  )
  expect(whole.outstanding).toEqual(
    Object.fromEntries(balances.rows.map(({ key, value }) => [key, value / (key === 'points' ? 10 : 1)])),
  )
})

test('a customer who comes again is one active customer of the range, and one of each day', async () => {
  expect(await summary('2027-05-03', '2027-05-06')).toMatchObject({ transactions: 4, activeCustomers: 2 })
  expect(await summary('2027-05-05', '2027-05-06')).toMatchObject({ transactions: 0, activeCustomers: 0 })
  const { pool } = service.database
  for (const [from, to, start, end] of [
    ['2027-01-01', '2027-12-31', '2027-01-01T05:00:00Z', '2028-01-01T05:00:00Z'],
    ['2027-05-03', '2027-05-03', '2027-05-03T04:00:00Z', '2027-05-04T04:00:00Z'],
    ['2027-05-04', '2027-05-04', '2027-05-04T04:00:00Z', '2027-05-05T04:00:00Z'],
  ] as const) {
    const { rows } = await pool.query(
      `SELECT count(DISTINCT customer_id)::int AS count FROM transactions t JOIN organizations o USING (org_id)
       WHERE o.id = $1 AND t.created_at >= $2 AND t.created_at < $3`,
      [uuidOf(shop.merchant.id as Id), start, end],
    )
    expect((await summary(from, to)).activeCustomers).toBe(rows[0].count)
  }
})

test('the last day there is can be asked for', async () => {
  const last = await shop.get('/v1/reports/daily?to=9999-12-31')
  expect(last.data).toHaveLength(30)
  expect(last.data.at(-1)).toMatchObject({ day: '9999-12-31', transactions: 0, activeCustomers: 0 })
  expect((await shop.get('/v1/reports/summary?to=9999-12-31')).activeCustomers).toBe(0)
})

test('nothing is lost of what many customers do at once in two instances', async () => {
  setTime('2027-08-02T12:00:00Z')
  const campaign = await shop.publish(club)
  const people: Person[] = await Promise.all(times(15, () => shop.register(campaign)))
  await Promise.all(
    people.flatMap((person) =>
      times(3, (i) => shop.process(person, { items: [{ amount: 10 }] }, { on: i % 2 ? second : service })),
    ),
  )
  expect(await summary('2027-08-02', '2027-08-02')).toMatchObject({
    customers: 15,
    activeCustomers: 15,
    cards: 15,
    transactions: 45,
    collected: { points: 225, stamps: 45 },
    consumed: { stamps: 30 },
    coupons: { granted: 15 },
  })
})

test('without a range it is the last thirty days; a wrong one is refused', async () => {
  const { from, to } = await shop.get('/v1/reports/summary')
  expect([from, to]).toEqual(['2027-07-04', '2027-08-02'])
  expect((await shop.get('/v1/reports/daily')).data).toHaveLength(30)
  for (const query of ['from=2027-02-30', 'from=x', 'from=2027-05-02&to=2027-05-01', 'from=1900-01-01']) {
    for (const report of ['summary', 'daily']) {
      const reply = await shop.call('GET', `/v1/reports/${report}?${query}`)
      expect([reply.status, reply.body.message], query).toEqual([400, '_invalid_payload'])
    }
  }
})

test('reports are for those who manage, and of their own organization', async () => {
  const stranger = await openShop(service)
  expect(await stranger.get('/v1/reports/summary')).toMatchObject({
    customers: 0,
    transactions: 0,
    collected: {},
  })
  const till = await shop.merchant.connect(['pos'])
  for (const path of ['/v1/reports/summary', '/v1/reports/daily', '/v1/integrity']) {
    expect((await till('GET', path)).status).toBe(403)
  }
})
