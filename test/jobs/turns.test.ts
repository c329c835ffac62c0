import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runRound } from '../../src/jobs/run-jobs.ts'
import { wholeTurn } from '../../src/operations/turn.ts'
import { expireInactive, expireWallets } from '../../src/operations/wallets/expire-wallets.ts'
import { isFull } from '../support/full.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { openShop, type Shop } from '../support/shop.ts'
import { type Watched, watchStatements } from '../support/watch-statements.ts'

const now = new Date('2027-09-10T11:00:00Z')
const longAgo = new Date('2027-01-10T11:00:00Z')
const lately = new Date('2027-06-10T11:00:00Z')
const hourMs = 3_600_000

let service: TestService
let watch: (work: () => Promise<unknown>) => Promise<Watched>
let shop: Shop
let org: number

beforeAll(async () => {
  service = await startTestService()
  watch = watchStatements(service.deps.pool)
  service.holdTime()
})
beforeEach(async () => {
  service.setTime(now)
  shop = await openShop(service, { timezone: 'UTC', currency: 'EUR' })
  await shop.publish({
    name: 'Quiet',
    balances: [{ key: 'points', expires: { inactivity: 'P6M' } }],
    rules: [{ id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 }],
  })
  const { rows } = await service.database.pool.query('SELECT org_id FROM organizations WHERE id = $1', [
    shop.merchant.id.slice(4),
  ])
  org = rows[0].org_id
  await runRound(service.deps)
})
afterAll(() => service.close())

interface Holding {
  readonly lastActiveAt?: Date
  /** A coupon that has expired. */
  readonly hasCoupon?: boolean
  readonly points?: number
  /** The points have expired. */
  readonly hasLots?: boolean
}

async function addCustomers(
  count: number,
  { lastActiveAt, hasCoupon = false, hasLots = false, points = 0 }: Holding,
): Promise<void> {
  const { pool } = service.database
  const { rows } = await pool.query(
    `INSERT INTO customers (org_id, id, created_at, updated_at)
     SELECT $1, gen_random_uuid(), $2, $2 FROM generate_series(1, $3) RETURNING id`,
    [org, longAgo, count],
  )
  const ids = rows.map(({ id }) => id)
  const insert = (into: string, values: string, more: unknown[] = []) =>
    pool.query(`INSERT INTO ${into} SELECT $1::int, id, ${values} FROM unnest($2::uuid[]) AS c (id)`, [
      org,
      ids,
      ...more,
    ])
  await insert('wallets (org_id, customer_id, last_activity_at)', '$3::timestamptz', [lastActiveAt ?? null])
  await insert('balances (org_id, customer_id, key, value, total)', `'points', $3::bigint, $3::bigint`, [
    points,
  ])
  if (hasLots)
    await insert(
      'lots (org_id, customer_id, key, version, remaining, expires_at)',
      `'points', 1, $3::bigint, $4::timestamptz`,
      [points, lately],
    )
  if (!hasCoupon) return
  const { rows: campaigns } = await pool.query('SELECT id FROM campaigns WHERE org_id = $1', [org])
  await insert(
    'coupons (org_id, customer_id, id, campaign_id, status, reward, expires_at, created_at, updated_at)',
    `gen_random_uuid(), $3::uuid, 1, '{}', $4::timestamptz, $5::timestamptz, $5::timestamptz`,
    [campaigns[0].id, lately, longAgo],
  )
}

describe('a group of customers', () => {
  const roundTripsOf = async (customers: number) => {
    await addCustomers(customers, { hasCoupon: true })
    const { roundTrips } = await watch(async () => {
      expect(await expireWallets(service.deps, org, wholeTurn())).toEqual({ customers, next: undefined })
    })
    return roundTrips
  }

  test('waits for the database as often as a basket: twice', async () => {
    // One to find them, and one to find no more.
    expect(await roundTripsOf(200)).toBe(2 + 2)
    expect(await roundTripsOf(1)).toBe(2 + 2)
    expect(await roundTripsOf(1_000)).toBe(2 + 2 * 5)
  })
})

describe('a turn', () => {
  test('ends in the middle of an organization, and the next one does the rest', async () => {
    await addCustomers(500, { hasCoupon: true })
    let groups = 0
    const isOver = { mayContinue: () => ++groups <= 2 }
    const first = await expireWallets(service.deps, org, isOver)
    expect(first).toEqual({ customers: 400, next: now })
    expect(await expireWallets(service.deps, org, wholeTurn())).toEqual({ customers: 100 })
  })

  test.runIf(isFull)('resumes a walk through the wallets where the one before has ended', async () => {
    await addCustomers(4_500, { lastActiveAt: lately, points: 5 })
    await addCustomers(300, { lastActiveAt: longAgo, points: 5 })
    await addCustomers(100, { lastActiveAt: longAgo, points: 0 })
    const turn = (progress?: unknown) =>
      expireInactive(service.deps, org, { mayContinue: () => false, progress })
    const first = await turn()
    const next = await turn(first.progress)
    const last = await turn(next.progress)
    expect([first.next, next.next]).toEqual([now, now])
    expect(first.customers + next.customers + last.customers).toBe(300)
    // The end of the others' six months; not before an hour, had it been sooner.
    expect(last).toEqual({ customers: last.customers, next: new Date('2027-12-10T11:00:00Z') })
    const { rows } = await service.database.pool.query(
      'SELECT value, count(*)::int FROM balances WHERE org_id = $1 GROUP BY value ORDER BY value',
      [org],
    )
    expect(rows).toEqual([
      { value: 0, count: 400 },
      { value: 5, count: 4_500 },
    ])
  })

  test('walks through many wallets at most once an hour, and through a few whenever one is due', async () => {
    const soon = new Date(now.getTime() + 60_000)
    const sixMonthsBefore = new Date('2027-03-10T11:01:00Z')
    await addCustomers(10, { lastActiveAt: sixMonthsBefore, points: 5 })
    expect(await expireInactive(service.deps, org, wholeTurn())).toEqual({ customers: 0, next: soon })
    await addCustomers(2_500, { lastActiveAt: lately, points: 5 })
    const first = await expireInactive(service.deps, org, { mayContinue: () => false })
    const { progress } = first
    expect(await expireInactive(service.deps, org, { ...wholeTurn(), progress })).toEqual({
      customers: 0,
      next: new Date(now.getTime() + hourMs),
    })
  })
})

describe('a wallet that cannot be written', () => {
  /** The next entry of its ledger is already there. */
  async function spoilOne(): Promise<string> {
    const { pool } = service.database
    const { rows } = await pool.query(
      'SELECT customer_id, version FROM balances WHERE org_id = $1 AND value > 0 ORDER BY customer_id OFFSET 1 LIMIT 1',
      [org],
    )
    const [{ customer_id, version }] = rows
    await pool.query(
      `INSERT INTO ledger_entries (org_id, customer_id, key, version, kind, amount, value_after, total_after, wallet_version, created_at)
       VALUES ($1, $2, 'points', $3, 'adjust', 1, 1, 1, 1, $4)`,
      [org, customer_id, version + 1, now],
    )
    return customer_id
  }
  const holders = async () =>
    (
      await service.database.pool.query('SELECT customer_id FROM balances WHERE org_id = $1 AND value > 0', [
        org,
      ])
    ).rows

  test('keeps no other customer of the organization from an expiration, and is retried', async () => {
    await addCustomers(10, { lastActiveAt: longAgo, points: 5 })
    const spoiled = await spoilOne()
    const result = await expireInactive(service.deps, org, wholeTurn())
    expect(result).toEqual({ customers: 9, next: new Date(now.getTime() + hourMs) })
    expect(await holders()).toEqual([{ customer_id: spoiled }])
    expect(service.logged.at(-1)).toMatchObject({
      level: 'error',
      message: 'could not expire a balance',
      details: { organization: shop.merchant.id },
    })
  })

  test('fails the work after everything else is done', async () => {
    await addCustomers(10, { points: 5, hasLots: true })
    const spoiled = await spoilOne()
    await expect(expireWallets(service.deps, org, wholeTurn())).rejects.toMatchObject({ code: '23505' })
    expect(await holders()).toEqual([{ customer_id: spoiled }])
  })
})
