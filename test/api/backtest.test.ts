import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService } from '../support/service.ts'
import { type Body, openShop, type Person, type Shop } from '../support/shop.ts'

const base = { id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 }
const definition = {
  name: 'Club',
  balances: [{ key: 'points', decimals: 1 }],
  rules: [base],
  rewards: [{ key: 'five', kind: 'amount_off', amount: 5 }],
  thresholds: [{ balance: 'points', at: 50, grant: 'five' }],
  spend: { balance: 'points', worth: 0.02 },
}
const twice = [{ ...base, points: 2 }]

/** The deadline of a call. */
const maxCallMs = 2_000

let service: TestService
let shop: Shop
let campaign: string
let people: Person[]
let transactions: string[]

beforeAll(async () => {
  service = await startTestService({ maxCallMs })
  service.holdTime()
  shop = await openShop(service)
  campaign = await shop.publish(definition)
  transactions = []
  for (const day of ['2026-06-01', '2026-06-02', '2026-06-03']) {
    service.setTime(new Date(`${day}T10:00:00Z`))
    people ??= [await shop.register(campaign), await shop.register(campaign)]
    const [regular, other] = people as [Person, Person]
    transactions.push((await shop.process(regular, { amount: 30 })).id)
    if (day === '2026-06-02') transactions.push((await shop.process(other, { amount: 10 })).id)
  }
})
afterAll(() => service.close())

const backtest = async (body: object = {}, id = campaign): Promise<Body> => {
  const { progress, result } = await shop.post(`/v1/campaigns/${id}/backtest`, body)
  expect(progress.at(-1).done).toBe(progress.at(-1).of)
  return result
}

test('says what the draft would have given and cost, by day and by group; nothing is written', async () => {
  await shop.call('PATCH', `/v1/campaigns/${campaign}`, { rules: twice })
  const tables = [
    'transactions',
    'ledger_entries',
    'events',
    'daily_sums',
    'coupons',
    'wallets',
    'audit_entries',
  ]
  const counts = tables.map((table) => `(SELECT count(*) FROM ${table})`)
  const count = async () =>
    (await service.database.pool.query(`SELECT ${counts.join(' + ')} AS rows`)).rows[0].rows
  const before = await count()
  const result = await backtest({ from: '2026-06-01', to: '2026-06-03' })
  expect(result).toMatchObject({
    from: '2026-06-01',
    to: '2026-06-03',
    cards: 'own',
    sales: 4,
    customers: 2,
    payableAmount: 100,
    given: { collected: { points: 100 }, coupons: 1, rewards: { five: 1 }, cost: 7 },
    wouldGive: { collected: { points: 200 }, coupons: 3, rewards: { five: 3 }, cost: 19 },
    leftOut: { returned: 0, otherCards: 0, refused: 0 },
  })
  expect(result.days.map(({ day, sales }: Body) => [day, sales])).toEqual([
    ['2026-06-01', 1],
    ['2026-06-02', 2],
    ['2026-06-03', 1],
  ])
  const visits = result.groups.filter(({ by }: Body) => by === 'visits')
  expect(visits).toMatchObject([{ name: 'new', sales: 4 }])
  // The first and the third visit of the regular reach one more coupon.
  expect(result.rows[0]).toMatchObject({
    transaction: transactions[0],
    given: { coupons: 0 },
    wouldGive: { coupons: 1 },
    rules: [{ rule: 'base', key: 'points', given: 30, wouldGive: 60 }],
  })
  expect(await count()).toBe(before)
})

test('what was published would have given what it gave', async () => {
  const result = await backtest({ from: '2026-06-01', to: '2026-06-03', definition })
  expect(result.wouldGive).toEqual(result.given)
  expect(result.rows).toEqual([])
})

test('points are worth what the campaign pays for them, whatever another one does', async () => {
  const days = { from: '2026-06-01', to: '2026-06-03', definition }
  const { given } = await backtest(days)
  const now = service.deps.clock()
  // Newer than the campaign, which was created before the clock was set.
  service.setTime(new Date(Date.now() + 60_000))
  const spend = { balance: 'points', worth: 0.001 }
  const id = await shop.publish({ name: 'Bar', balances: definition.balances, spend })
  service.setTime(now)
  const beside = await backtest(days)
  expect(beside.given).toEqual(given)
  expect(beside.wouldGive).toEqual(given)
  await shop.call('POST', `/v1/campaigns/${id}/archive`)
})

test('takes only the days of the range, by default the last thirty', async () => {
  expect((await backtest({ from: '2026-06-02', to: '2026-06-02' })).sales).toBe(2)
  expect(await backtest()).toMatchObject({ from: '2026-05-05', to: '2026-06-03', sales: 4 })
  expect((await backtest({ from: '2026-05-01', to: '2026-05-31' })).sales).toBe(0)
})

test('a campaign that was never published is tried on every card, whatever its first day', async () => {
  const { body } = await shop.call('POST', '/v1/campaigns', {
    name: 'Christmas',
    startsAt: '2026-12-01',
    balances: [{ key: 'stars' }],
    rules: [{ id: 'star', kind: 'collect_per_visit', balance: 'stars', amount: 1 }],
    rewards: [{ key: 'tenth', kind: 'percent_off', percent: 10 }],
    thresholds: [{ balance: 'stars', at: 3, grant: 'tenth', consume: true }],
  })
  const result = await backtest({ from: '2026-06-01' }, body.id)
  expect(result).toMatchObject({
    cards: 'all',
    given: { collected: {}, coupons: 0, cost: 0 },
    // A tenth of an average basket of 25.
    wouldGive: { collected: { stars: 4 }, coupons: 1, cost: 2.5 },
  })
  expect((await backtest({ from: '2026-06-01', cards: 'own' }, body.id)).leftOut.otherCards).toBe(4)
})

test('a sale that came back is left out, and so is nothing else', async () => {
  const [, other] = people as [Person, Person]
  const { id } = await shop.process(other, { amount: 20 })
  await shop.post(`/v1/transactions/${id}/return`, {})
  const result = await backtest({ from: '2026-06-01' })
  expect([result.sales, result.leftOut.returned]).toEqual([4, 1])
})

test.each([
  ['a range the wrong way round', { from: '2026-06-03', to: '2026-06-01' }, '_invalid_payload'],
  ['a day that is none', { from: 'yesterday' }, '_invalid_payload'],
  ['cards that are none', { cards: 'some' }, '_invalid_payload'],
  [
    'a definition that cannot work',
    { definition: { ...definition, rules: [{ ...base, balance: 'none' }] } },
    'invalid_campaign_definition',
  ],
])('%s is refused before anything is read', async (_what, body, code) => {
  const reply = await shop.call('POST', `/v1/campaigns/${campaign}/backtest`, body)
  expect([reply.status, reply.body.message]).toEqual([400, code])
})

test('a till may not, and other organizations see nothing of it', async () => {
  const till = await shop.merchant.connect(['pos'])
  expect((await till('POST', `/v1/campaigns/${campaign}/backtest`, {})).status).toBe(403)
  const stranger = await openShop(service)
  expect((await stranger.call('POST', `/v1/campaigns/${campaign}/backtest`, {})).status).toBe(404)
})

test('shows its progress while it goes on, and has no deadline once it has begun', async () => {
  const url = await service.app.listen({ port: 0, host: '127.0.0.1' })
  const holder = await service.database.pool.connect()
  try {
    // The sales cannot be read, but they can be counted.
    await holder.query('BEGIN; LOCK TABLE cards IN ACCESS EXCLUSIVE MODE')
    const response = await fetch(`${url}/v1/campaigns/${campaign}/backtest`, {
      method: 'POST',
      headers: { authorization: `Bearer ${shop.merchant.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ from: '2026-06-01' }),
    })
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    while (!text.includes('}')) text += (await reader.read()).value
    expect(text).toBe('{"progress":[{"done":0,"of":5}')
    await sleep(maxCallMs + 500)
    await holder.query('ROLLBACK')
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value
    expect(JSON.parse(text)).toMatchObject({
      progress: [{ done: 0 }, { done: 5, of: 5 }],
      result: { sales: 4 },
    })
  } finally {
    holder.release(true)
  }
})
