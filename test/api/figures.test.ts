/** Every number of the reports leads to a list: the rows of the list are what was counted. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runRound } from '../../src/jobs/run-jobs.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import {
  coffeeClub,
  type Merchant,
  type Registered,
  startTestService,
  type TestService,
} from '../support/service.ts'

let service: TestService
let merchant: Merchant
let call: Merchant['call']
let campaign: string
let ann: Registered
let bob: Registered

// Clocks in New York go forward in the night to the 14th: that day has 23 hours.
const days = ['2027-03-12', '2027-03-13', '2027-03-14', '2027-03-15']
const rewards = [
  { key: 'short', name: 'Short', kind: 'amount_off', amount: 1, validDays: 1 },
  { key: 'five-off', name: '5 off', kind: 'amount_off', amount: 5 },
]

beforeAll(async () => {
  service = await startTestService()
  service.holdTime()
  service.setTime(new Date('2027-03-12T12:00:00-05:00'))
  merchant = await service.createMerchant({ timezone: 'America/New_York' })
  call = merchant.call
  const thresholds = [{ balance: 'stamps', at: 10, grant: 'five-off', consume: true }]
  campaign = await merchant.publishCampaign({ ...coffeeClub, rewards, thresholds })
  ann = await register({ fullname: 'Ann', phone: '+12025550123' })
})
afterAll(() => service.close())

async function at(time: string): Promise<void> {
  service.setTime(new Date(time))
  call = await merchant.signIn()
}

async function register(data: object = {}): Promise<Registered> {
  const { status, body } = await call('POST', '/v1/customers/register', {
    campaignId: campaign,
    customer: { data },
  })
  expect(status).toBe(201)
  return { customer: body.id, card: body.cards[0].id, barcode: body.cards[0].barcode }
}

const sell = async ({ customer, card }: Registered, more: object = {}) => {
  const items = [{ product: 'latte', quantity: 10, amount: 300 }]
  const sale = await call('POST', '/v1/transactions/process', { customer, card, items, ...more })
  expect(sale.status).toBe(201)
  return sale.body
}

const issue = async ({ customer }: Registered, reward: string): Promise<string> =>
  (await call('POST', '/v1/coupons', { customer, campaign, reward })).body.id

// biome-ignore lint/suspicious/noExplicitAny: rows are read the way a client would.
async function rowsOf(path: string, query: Record<string, string>): Promise<any[]> {
  const rows: object[] = []
  let cursor: string | undefined
  do {
    const text = new URLSearchParams({ ...query, limit: '2', ...(cursor && { cursor }) })
    const { status, body } = await call('GET', `/v1/${path}?${text}`)
    expect(status).toBe(200)
    rows.push(...body.data)
    cursor = body.nextCursor
  } while (cursor)
  return rows
}

/** What the lists hold of some days, in the words of a report. */
async function countLists(from: string, to: string) {
  const ended = { endedFrom: from, endedTo: to }
  const spenders = await rowsOf('transactions', { from, to, spent: 'points' })
  const counts = {
    transactions: (await rowsOf('transactions', { from, to })).length,
    customers: (await rowsOf('customers', { from, to })).length,
    activeCustomers: (await rowsOf('customers', { activeFrom: from, activeTo: to })).length,
    spent: spenders.reduce((sum, { pointsSpent }) => sum + pointsSpent, 0),
    coupons: {
      granted: (await rowsOf('coupons', { from, to })).length,
      redeemed: (await rowsOf('coupons', { status: '3', ...ended })).length,
      expired: (await rowsOf('coupons', { status: '4', ...ended })).length,
      revoked: (await rowsOf('coupons', { status: '5', ...ended })).length,
    },
  }
  expect(spenders.every(({ pointsSpent }) => pointsSpent > 0)).toBe(true)
  const { redeemed, expired, revoked } = counts.coupons
  expect(await rowsOf('coupons', ended)).toHaveLength(redeemed + expired + revoked)
  return counts
}

/** Each day by itself and all together. */
async function expectAgreement() {
  const counted = []
  for (const [from, to] of [...days.map((day) => [day, day]), [days[0], days.at(-1)]] as [string, string][]) {
    const { body } = await call('GET', `/v1/reports/summary?from=${from}&to=${to}`)
    const { transactions, customers, activeCustomers, coupons, spent } = body
    const lists = await countLists(from, to)
    expect({ from, ...lists }).toEqual({
      from,
      transactions,
      customers,
      activeCustomers,
      spent: spent.points ?? 0,
      coupons,
    })
    counted.push(lists)
  }
  const { body } = await call('GET', `/v1/reports/summary?from=${days[0]}&to=${days.at(-1)}`)
  const holders = await rowsOf('customers', { holds: 'points' })
  expect(holders.reduce((sum, { collectables }) => sum + collectables.points.value, 0)).toBe(
    body.outstanding.points,
  )
  return counted
}

test('on both sides of midnight where the organization is, also of a day with 23 hours', async () => {
  const early = await issue(ann, 'short')
  await at('2027-03-12T23:59:30-05:00')
  await sell(ann)
  await at('2027-03-13T00:00:00-05:00')
  bob = await register({ email: 'bob@example.com' })
  await sell(ann, { pointsToSpend: 100, reward: early })
  await at('2027-03-13T23:59:30-05:00')
  await sell(bob)
  await at('2027-03-14T00:00:01-05:00')
  const revoked = await issue(bob, 'short')
  await at('2027-03-14T23:59:30-04:00')
  expect((await call('POST', `/v1/coupons/${revoked}/revoke`)).status).toBe(200)
  await sell(bob, { pointsToSpend: 150 })
  await at('2027-03-15T00:00:00-04:00')
  await sell(ann)
  const counted = await expectAgreement()
  expect(counted).toMatchObject([
    { transactions: 1, customers: 1, activeCustomers: 1, spent: 0, coupons: { granted: 2, redeemed: 0 } },
    { transactions: 2, customers: 1, activeCustomers: 2, spent: 100, coupons: { redeemed: 1 } },
    { transactions: 1, customers: 0, activeCustomers: 1, spent: 150, coupons: { revoked: 1 } },
    { transactions: 1, activeCustomers: 1, spent: 0, coupons: { granted: 1 } },
    { transactions: 5, customers: 2, activeCustomers: 2, spent: 250 },
  ])
})

test('after a return, which undoes that a coupon was redeemed', async () => {
  const [coupon] = await rowsOf('coupons', { status: '1', customer: bob.customer })
  const sale = await sell(bob, { reward: coupon.id, pointsToSpend: 100 })
  expect((await expectAgreement())[3]!.coupons.redeemed).toBe(1)
  await at('2027-03-15T10:00:00-04:00')
  expect((await call('POST', `/v1/transactions/${sale.id}/return`)).status).toBe(201)
  // The sale is still one of the day, and so are the points it spent.
  expect((await expectAgreement())[3]).toMatchObject({
    transactions: 2,
    spent: 100,
    coupons: { redeemed: 0 },
  })
  await sell(bob, { reward: coupon.id })
  expect((await expectAgreement())[3]!.coupons.redeemed).toBe(1)
  const old = (await rowsOf('transactions', { to: days[1]!, customer: ann.customer }))[0]
  expect((await call('POST', `/v1/transactions/${old.id}/return`)).status).toBe(201)
  expect((await expectAgreement())[1]!.coupons.redeemed).toBe(0)
})

test('with coupons that expire, before and after the job has booked it', async () => {
  await issue(ann, 'short')
  await at('2027-03-16T23:59:00-04:00')
  days.push('2027-03-16', '2027-03-17')
  expect((await expectAgreement()).at(-1)!.coupons.expired).toBe(0)
  await at('2027-03-17T00:00:01-04:00')
  const runOut = await rowsOf('coupons', { status: '4' })
  expect(runOut.length).toBeGreaterThan(0)
  expect((await expectAgreement()).at(-1)!.coupons.expired).toBe(0)
  await runRound(service.deps)
  const counted = await expectAgreement()
  expect(counted.at(-1)!.coupons.expired).toBe(runOut.length)
  expect(counted[5]!.coupons.expired).toBe(runOut.length)
  expect(await rowsOf('coupons', { status: '1', endedFrom: days[0]! })).toEqual([])
})

test('lists call customers by what is known of them, until they are erased', async () => {
  const carl = await register()
  await sell(carl)
  const names = async (path: string) =>
    new Map((await rowsOf(path, {})).map(({ customer, customerName }) => [customer, customerName]))
  const known = [
    [ann.customer, 'Ann'],
    [bob.customer, 'bob@example.com'],
    [carl.customer, undefined],
  ] as const
  for (const path of ['transactions', 'coupons']) {
    const found = await names(path)
    expect(known.map(([id]) => [id, found.get(id)])).toEqual(known)
  }
  const [sale] = await rowsOf('transactions', { customer: ann.customer })
  expect(sale).toEqual((await call('GET', `/v1/transactions/${sale.id}`)).body)
  await call('PATCH', `/v1/customers/${ann.customer}`, { data: { fullname: null } })
  expect((await names('coupons')).get(ann.customer)).toBe('+12025550123')
  await call('POST', `/v1/customers/${ann.customer}/erase`)
  for (const path of ['transactions', 'coupons']) {
    const rows = (await rowsOf(path, {})).filter(({ customer }) => customer === ann.customer)
    expect(rows.length).toBeGreaterThan(0)
    for (const row of rows) expect(row).not.toHaveProperty('customerName')
  }
})

test('a till, which may see customers one at a time, gets no list of their names', async () => {
  const till = await merchant.connect(['pos'])
  const { data } = (await till('GET', '/v1/transactions')).body
  expect(data.length).toBeGreaterThan(0)
  for (const row of data) expect(row).not.toHaveProperty('customerName')
  expectRefusal(await till('GET', '/v1/transactions?spent=points'), 403, '_forbidden')
  const { id } = data.find(({ customer }: { customer: string }) => customer === bob.customer)
  expect((await till('GET', `/v1/transactions/${id}`)).body.customerName).toBe('bob@example.com')
})

test('a sale is answered without the name, and the request log keeps none', async () => {
  const dora = await register({ fullname: 'Dora Secret' })
  expect(await sell(dora)).not.toHaveProperty('customerName')
  // The log keeps so many at once; from here on there is room.
  await service.flushRequests()
  expect((await call('GET', '/v1/transactions')).text).toContain('Dora Secret')
  await service.flushRequests()
  const { body } = await call('GET', '/v1/requests?limit=1')
  const kept = (await call('GET', `/v1/requests/${body.data[0].id}`)).text
  expect(kept).toContain('customerName')
  expect(kept).not.toContain('Dora Secret')
})

test('ranges that cannot be read are refused by their name, and a balance nobody has finds nobody', async () => {
  for (const [path, member] of [
    ['coupons', 'endedFrom'],
    ['coupons', 'endedTo'],
    ['customers', 'activeFrom'],
    ['customers', 'activeTo'],
  ] as const) {
    const refused = await call('GET', `/v1/${path}?${member}=2027-02-30`)
    expectRefusal(refused, 400, '_invalid_payload', new RegExp(`^${member}: `))
  }
  expectRefusal(await call('GET', '/v1/transactions?spent='), 400, '_invalid_payload')
  expect(await rowsOf('customers', { holds: 'nothing' })).toEqual([])
  expect(await rowsOf('transactions', { spent: 'stamps' })).toEqual([])
})

test('a return takes off what was redeemed where it was counted, also when the time zone is another by then', async () => {
  service.setTime(new Date('2027-03-20T20:00:00-04:00'))
  const moving = await service.createMerchant({ timezone: 'America/New_York' })
  const club = await moving.publishCampaign({ ...coffeeClub, rewards, thresholds: [] })
  const { customer, card } = await moving.register(club)
  const issued = await moving.call('POST', '/v1/coupons', { customer, campaign: club, reward: 'five-off' })
  const basket = { customer, card, amount: 30, reward: issued.body.id }
  const sale = await moving.call('POST', '/v1/transactions/process', basket)
  const redeemed = async () =>
    (await moving.call('GET', '/v1/reports/daily?from=2027-03-20&to=2027-03-21')).body.data.map(
      (day: { coupons: { redeemed: number } }) => day.coupons.redeemed,
    )
  expect(await redeemed()).toEqual([1, 0])
  await moving.call('PATCH', '/v1/organization', { timezone: 'Europe/Berlin' })
  expect((await moving.call('POST', `/v1/transactions/${sale.body.id}/return`)).status).toBe(201)
  expect(await redeemed()).toEqual([0, 0])
})
