import type { PoolClient } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Id } from '../../src/domain/ids.ts'
import { runRound } from '../../src/jobs/run-jobs.ts'
import { uuidOf } from '../../src/store/tenant.ts'
import { nearNoon, productionLimits, startTestService, type TestService } from '../support/service.ts'
import {
  auditWithReturns,
  type Body,
  granted,
  openShop,
  type Person,
  type Shop,
  tally,
  times,
} from '../support/shop.ts'

let service: TestService
let second: TestService
let shop: Shop
let campaign: string

const club = {
  name: 'Storm',
  balances: [{ key: 'points', expires: { after: 'P1M', endOf: 'month' } }, { key: 'stamps' }],
  rules: [
    { id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 },
    {
      id: 'stamp',
      kind: 'collect_per_item',
      balance: 'stamps',
      amount: 1,
      limits: { perDay: 50, total: 500 },
    },
  ],
  rewards: [{ key: 'gift', kind: 'amount_off', amount: 5, validDays: 10 }],
  thresholds: [
    { balance: 'stamps', at: 5, grant: 'gift', consume: true },
    { balance: 'points', at: 100, grant: 'gift' },
  ],
  spend: { balance: 'points', worth: 0.01 },
}

beforeAll(async () => {
  service = await startTestService(productionLimits)
  second = await startTestService({ ...productionLimits, sharing: service })
  for (const one of [service, second]) one.setTime(nearNoon())
  shop = await openShop(service)
  campaign = await shop.publish(club)
})
afterAll(async () => {
  await second.close()
  await service.close()
})

test('an organization without anything is in order', async () => {
  const empty = await openShop(service)
  expect(await empty.integrity()).toEqual({
    ok: true,
    checked: { customers: 0, balances: 0, entries: 0, coupons: 0 },
    problems: [],
  })
})

test('after a storm of everything at once everything adds up, with no deadlock and no 5xx', async () => {
  const people = await Promise.all(times(8, () => shop.register(campaign)))
  const sales = await Promise.all(
    people.map((person) => shop.process(person, { items: [{ quantity: 6, unitPrice: 20 }] })),
  )
  const call = (i: number, path: string, body: object) =>
    shop.call('POST', path, body, { on: i % 2 ? second : service })
  const replies = await Promise.all(
    times(160, (i) => {
      const person = people[i % people.length]!
      const sale = sales[i % sales.length]!
      const basket = { ...person, items: [{ quantity: 1, unitPrice: 7 }] }
      switch (Math.floor(i / people.length) % 7) {
        case 0:
          return call(i, `/v1/transactions/${sale.id}/return`, { items: [{ id: '1', quantity: 1 }] })
        case 1:
          return call(i, '/v1/transactions/process', { ...basket, pointsToSpend: 10 })
        case 2:
          return call(i, '/v1/transactions/process', { ...basket, reward: granted(sale)[0] })
        case 3:
          return call(i, `/v1/customers/${person.customer}/adjustments`, {
            key: 'points',
            amount: -3,
            reason: 'x',
          })
        case 4:
          return call(i, '/v1/coupons', { customer: person.customer, campaign, reward: 'gift' })
        case 5:
          return call(i, `/v1/coupons/${granted(sale)[1]}/revoke`, {})
        default:
          return call(i, '/v1/transactions/process', basket)
      }
    }),
  )
  const answers = tally(replies)
  for (const answer of Object.keys(answers)) {
    expect(answer).toMatch(
      /^20[01]$|^400 (return_exceeds_sale|insufficient_points|points_above_share|coupon_\w+)$/,
    )
  }
  expect(answers['201']).toBeGreaterThan(80)
  service.advance(70 * 86_400_000)
  second.advance(70 * 86_400_000)
  await Promise.all([
    runRound(service.deps),
    runRound(second.deps),
    ...people.map((person) => shop.process(person, { amount: 5 })),
  ])
  const { pool } = service.database
  const count = async (table: string) =>
    Number(
      (
        await pool.query(
          `SELECT count(*) FROM ${table} JOIN organizations o USING (org_id) WHERE o.id = $1`,
          [uuidOf(shop.merchant.id as Id)],
        )
      ).rows[0].count,
    )
  expect(await shop.integrity()).toEqual({
    ok: true,
    checked: {
      customers: await count('wallets'),
      balances: await count('balances'),
      entries: await count('ledger_entries'),
      coupons: await count('coupons'),
    },
    problems: [],
  })
  expect(await auditWithReturns(service)).toEqual([])
})

describe('a planted fault is found', () => {
  /** A customer with a sale, a used coupon and lots, in an organization of its own. */
  async function plant(
    sql: string,
    values: (of: { person: Person; sale: Body }) => unknown[],
  ): Promise<Body> {
    const own = await openShop(service)
    const person = await own.register(await own.publish(club))
    const sale = await own.process(person, { items: [{ quantity: 6, unitPrice: 20 }] })
    await own.process(person, { amount: 5, reward: granted(sale)[0] })
    await own.adjust(person, 'stamps', 4)
    expect(await own.integrity()).toMatchObject({ ok: true, problems: [] })
    const { rowCount } = await service.database.pool.query(sql, values({ person, sale }))
    expect(rowCount).toBeGreaterThan(0)
    const found = await own.integrity()
    expect(found.ok).toBe(false)
    // Another organization does not notice.
    expect(await shop.integrity()).toMatchObject({ ok: true })
    return { ...found, person, sale }
  }
  const customer = ({ person }: { person: Person }) => [uuidOf(person.customer as Id)]

  const faults: { fault: string; sql: string; kind: string }[] = [
    {
      fault: 'a changed balance',
      sql: `UPDATE balances SET value = value + 1 WHERE customer_id = $1 AND key = 'points'`,
      kind: 'balance',
    },
    {
      fault: 'a changed total',
      sql: `UPDATE balances SET total = total + 1 WHERE customer_id = $1 AND key = 'points'`,
      kind: 'balance',
    },
    {
      fault: 'a deleted entry',
      sql: `DELETE FROM ledger_entries WHERE customer_id = $1 AND key = 'points' AND version = 1`,
      kind: 'balance',
    },
    {
      fault: 'the newest entry deleted together with its amount',
      sql: `WITH gone AS (DELETE FROM ledger_entries WHERE customer_id = $1 AND key = 'stamps' AND kind = 'adjust' RETURNING amount)
            UPDATE balances SET value = value - amount FROM gone WHERE customer_id = $1 AND key = 'stamps'`,
      kind: 'balance',
    },
    {
      fault: 'an entry that was changed and evened out in another',
      sql: `UPDATE ledger_entries SET amount = amount + CASE version WHEN 1 THEN 1 ELSE -1 END
            WHERE customer_id = $1 AND key = 'points' AND version IN (1, 2)`,
      kind: 'balance',
    },
    {
      fault: 'a deleted balance',
      sql: `DELETE FROM balances WHERE customer_id = $1 AND key = 'stamps'`,
      kind: 'balance',
    },
    {
      fault: 'lots that hold more than the balance',
      sql: `UPDATE lots SET remaining = remaining + 100000 WHERE customer_id = $1`,
      kind: 'balance',
    },
    {
      fault: 'a shortfall without an entry',
      sql: `UPDATE balances SET shortfall = shortfall + 1 WHERE customer_id = $1 AND key = 'points'`,
      kind: 'balance',
    },
    {
      fault: 'a coupon for a multiple that the total does not reach',
      sql: `UPDATE coupons SET balance_key = 'points', at = 100, multiple = 7 WHERE customer_id = $1 AND status = 1`,
      kind: 'coupon',
    },
    {
      fault: 'a redemption that was forgotten',
      sql: `UPDATE coupons SET status = 1, redeemed_by = NULL WHERE customer_id = $1 AND status = 3`,
      kind: 'coupon',
    },
    {
      fault: 'a doubled redemption',
      sql: `INSERT INTO transactions (org_id, id, customer_id, card_id, user_id, branch_id, status, occurred_at, created_at, basket, result)
            SELECT t.org_id, gen_random_uuid(), t.customer_id, t.card_id, t.user_id, t.branch_id, t.status, t.occurred_at, t.created_at, t.basket, t.result
            FROM transactions t JOIN coupons c ON c.org_id = t.org_id AND c.redeemed_by = t.id WHERE t.customer_id = $1`,
      kind: 'coupon',
    },
    {
      fault: 'a running sum of the reports that does not follow the ledger',
      sql: `UPDATE daily_sums d SET amount = d.amount + 1 FROM customers c
            WHERE c.id = $1 AND d.org_id = c.org_id AND d.measure = 'collect' AND d.key = 'points'`,
      kind: 'report',
    },
  ]
  test.each(faults)('$fault', async ({ sql, kind }) => {
    const { problems, person } = await plant(sql, customer)
    const found = problems.filter((problem: Body) => problem.kind === kind)
    expect(found, JSON.stringify(problems)).not.toHaveLength(0)
    for (const { description } of found) expect(description).not.toBe('')
    if (kind !== 'report') expect(found[0].customer).toBe(person.customer)
  })

  test('a balance below zero where no campaign allows it, although its entries add up', async () => {
    const own = await openShop(service)
    const person = await own.register(await own.publish(club))
    await withClient(async (client) => {
      const id = [uuidOf(person.customer as Id)]
      await client.query(
        `INSERT INTO ledger_entries (org_id, customer_id, key, version, wallet_version, kind, amount, value_after, total_after, created_at)
         SELECT org_id, customer_id, key, 1, 1, 'adjust', -5, -5, 0, now() FROM balances WHERE customer_id = $1 AND key = 'stamps'`,
        id,
      )
      await client.query(
        `UPDATE balances SET value = -5, version = 1 WHERE customer_id = $1 AND key = 'stamps'`,
        id,
      )
    })
    const { ok, problems } = await own.integrity()
    expect(ok).toBe(false)
    expect(problems).toContainEqual({
      kind: 'balance',
      customer: person.customer,
      description: expect.stringMatching(/stamps.*-5/),
    })
  })

  test('and one below zero where a campaign allows it is in order', async () => {
    const own = await openShop(service)
    const person = await own.register(await own.publish({ ...club, onInsufficientBalance: 'negative' }))
    const sale = await own.process(person, { items: [{ amount: 50 }] })
    await own.adjust(person, 'points', -50)
    await own.giveBack(sale)
    expect((await own.balance(person)).value).toBe(-50)
    expect(await own.integrity()).toMatchObject({ ok: true, problems: [] })
  })

  test('also when a later version no longer allows it, or a guest campaign brought the balance', async () => {
    const own = await openShop(service)
    const host = await own.publish({ ...club, onInsufficientBalance: 'negative' })
    await own.publish({
      name: 'Guest',
      balances: [{ key: 'stars' }],
      rules: [{ id: 'stars', kind: 'collect_per_visit', balance: 'stars', amount: 10 }],
      runsOn: [host],
    })
    const person = await own.register(host)
    const sale = await own.process(person, { items: [{ amount: 50 }] })
    await own.adjust(person, 'stars', -10)
    await own.adjust(person, 'points', -50)
    await own.giveBack(sale)
    await own.republish(host, { onInsufficientBalance: 'floor' })
    expect(await own.balance(person)).toEqual({ value: -50, total: 0 })
    expect(await own.integrity()).toMatchObject({ ok: true, problems: [] })
  })

  async function withClient(work: (client: PoolClient) => Promise<void>): Promise<void> {
    const client = await service.database.pool.connect()
    try {
      await work(client)
    } finally {
      client.release()
    }
  }
})
