import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runRound } from '../../src/jobs/run-jobs.ts'
import {
  lockDueWork,
  updateDoneWork,
  updateFailedWork,
  upsertDueWork,
  type WorkKind,
} from '../../src/store/due-work.ts'
import { inTransaction, type Tenant, tenantOf } from '../../src/store/tenant.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { openShop, type Person, type Shop, times } from '../support/shop.ts'
import { type Watched, watchStatements } from '../support/watch-statements.ts'

const start = new Date('2027-01-10T11:00:00Z')
/** When what is collected at the start expires. */
const monthEnd = new Date('2027-02-28T23:00:00Z')
const minuteMs = 60_000
const leaseSeconds = 60

let service: TestService
let second: TestService
let watch: (work: () => Promise<unknown>) => Promise<Watched>

beforeAll(async () => {
  service = await startTestService()
  second = await startTestService({ sharing: service })
  watch = watchStatements(service.deps.pool)
  for (const one of [service, second]) one.holdTime()
})
beforeEach(async () => {
  setTime(start)
  await Promise.all([runRound(service.deps), runRound(second.deps)])
})
afterAll(async () => {
  await second.close()
  await service.close()
})

function setTime(at: Date): void {
  service.setTime(at)
  second.setTime(at)
}
const later = (at: Date, ms: number) => new Date(at.getTime() + ms)

const club = {
  name: 'Expiring',
  balances: [{ key: 'points', expires: { after: 'P1M', endOf: 'month' } }],
  rules: [{ id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 }],
  spend: { balance: 'points', worth: 0.01 },
}

interface Place {
  readonly shop: Shop
  readonly campaign: string
  readonly person: Person
  readonly org: number
  readonly tenant: Tenant
}

async function openPlace(): Promise<Place> {
  const shop = await openShop(service, { timezone: 'Europe/Berlin', currency: 'EUR' })
  const campaign = await shop.publish(club)
  const person = await shop.register(campaign)
  // The process knows the organization from here on.
  await shop.call('POST', '/v1/transactions/validate', { ...person, amount: 10 })
  const { rows } = await service.database.pool.query('SELECT org_id FROM organizations WHERE id = $1', [
    shop.merchant.id.slice(4),
  ])
  // Publishing has armed the look for inactive balances.
  await runRound(service.deps)
  const org = rows[0].org_id
  return { shop, campaign, person, org, tenant: tenantOf(service.deps.pool, org) }
}

const rowOf = async ({ org }: Pick<Place, 'org'>, kind: WorkKind = 'expiry') =>
  (await service.database.pool.query('SELECT * FROM due_work WHERE org_id = $1 AND kind = $2', [org, kind]))
    .rows[0]
const ledgerKinds = async ({ shop, person }: Place) =>
  (await shop.ledger(person)).map(({ kind }: { kind: string }) => kind)
const armings = ({ statements }: Watched) =>
  statements.filter((text) => text.startsWith('INSERT INTO due_work')).length
const runsOf = (kind: WorkKind) =>
  [service, second].reduce((sum, { deps }) => sum + (deps.workCounts.runs.get(kind) ?? 0), 0)

async function insertWork(orgs: readonly number[], kind: WorkKind, at: Date): Promise<void> {
  await service.database.pool.query(
    `INSERT INTO due_work (org_id, kind, due_at) SELECT org_id, $2, $3 FROM unnest($1::int[]) AS o (org_id)`,
    [orgs, kind, at],
  )
}
/** Organizations that have nothing but work. */
let nextOrg = 1_000_000
const newOrgs = (count: number) => times(count, () => nextOrg++)

describe('of all processes', () => {
  test('one does a piece of work, however many look for it at once', async () => {
    const before = runsOf('requests')
    await insertWork(newOrgs(150), 'requests', start)
    await Promise.all([service, second, service, second].map(({ deps }) => runRound(deps)))
    await runRound(service.deps)
    expect(runsOf('requests') - before).toBe(150)
  })

  test('one takes it, also if all try in the same moment', async () => {
    const [org] = newOrgs(1)
    await insertWork([org!], 'requests', start)
    const tries = await Promise.all(
      times(20, (i) =>
        lockDueWork(tenantOf([service, second][i % 2]!.deps.pool, org!), 'requests', start, 60),
      ),
    )
    expect(tries.filter((leased) => leased !== undefined)).toHaveLength(1)
  })

  test('another one takes over when the lease has ended, and what the first still reports changes nothing', async () => {
    const place = await openPlace()
    await place.shop.process(place.person, { amount: 10 })
    setTime(monthEnd)
    const killed = (await lockDueWork(place.tenant, 'expiry', monthEnd, leaseSeconds))!
    await runRound(second.deps)
    expect(await ledgerKinds(place)).toEqual(['collect'])
    expect(await rowOf(place)).toMatchObject({ lease: killed.lease, attempts: 1, due_at: monthEnd })

    await service.database.pool.query(
      `UPDATE due_work SET leased_until = now() - interval '1 second' WHERE lease = $1`,
      [killed.lease],
    )
    await runRound(second.deps)
    expect(await ledgerKinds(place)).toEqual(['collect', 'expire'])
    const done = await rowOf(place)
    expect(done).toMatchObject({ lease: null, attempts: 0, due_at: null })
    expect(await updateDoneWork(place.tenant, killed, { next: start }, monthEnd)).toBe(false)
    expect(await updateFailedWork(place.tenant, killed, { retryAt: start, error: 'late' })).toBe(false)
    expect(await rowOf(place)).toEqual(done)
  })

  test('the clock of the database ends a lease, whatever the processes believe', async () => {
    const [org] = newOrgs(1)
    await insertWork([org!], 'requests', start)
    const tenant = tenantOf(service.deps.pool, org!)
    expect(await lockDueWork(tenant, 'requests', start, leaseSeconds)).toBeDefined()
    const farAhead = later(start, 365 * 86_400_000)
    expect(await lockDueWork(tenant, 'requests', farAhead, leaseSeconds)).toBeUndefined()
  })
})

describe('a basket', () => {
  test('arms the expiry of what it gives once, and then sends no statement for it, in either process', async () => {
    const { shop, person, org } = await openPlace()
    const sell = (on = service) => shop.process(person, { amount: 10 }, { on })
    const first = await watch(() => sell())
    expect([armings(first), first.roundTrips]).toEqual([1, 2])
    expect(await rowOf({ org })).toMatchObject({ due_at: monthEnd, armed_for: monthEnd })
    const next = await watch(() => sell())
    expect([armings(next), next.roundTrips]).toEqual([0, 2])
    const before = await rowOf({ org })
    await sell(second)
    expect(await rowOf({ org })).toEqual(before)
  })

  test('that gives what expires earlier makes the work due earlier', async () => {
    const { shop, person, org } = await openPlace()
    await shop.process(person, { amount: 10 })
    const short = { ...club, balances: [{ key: 'points', expires: { after: 'P1D' } }] }
    const guest = await shop.register(await shop.publish(short))
    await shop.process(guest, { amount: 10 })
    expect((await rowOf({ org })).due_at).toEqual(later(start, 86_400_000))
  })

  test('that is rolled back arms nothing, and the next one does', async () => {
    const { shop, person, org } = await openPlace()
    const failing = inTransaction(service.deps.pool, org, async (tenant) => {
      await upsertDueWork(tenant, [{ kind: 'expiry', at: monthEnd }], start)
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect(await rowOf({ org })).toBeUndefined()
    await shop.process(person, { amount: 10 })
    expect(await rowOf({ org })).toMatchObject({ due_at: monthEnd })
  })

  test('does not rely on a time at which the job may begin before it has committed', async () => {
    const { shop, person, org } = await openPlace()
    await shop.process(person, { amount: 10 })
    setTime(later(monthEnd, -minuteMs))
    const sent = await watch(() => shop.process(person, { amount: 10 }))
    expect(armings(sent)).toBe(1)
    expect(await rowOf({ org })).toMatchObject({ due_at: monthEnd, armed_for: monthEnd })
  })

  test('while the job works is not forgotten: what it gave is due when the job is done', async () => {
    const { shop, person, org, tenant } = await openPlace()
    await shop.process(person, { amount: 10 })
    setTime(monthEnd)
    const leased = (await lockDueWork(tenant, 'expiry', monthEnd, leaseSeconds))!
    // The job has looked for the next expiry before the basket, and found none.
    await shop.process(person, { amount: 10 })
    expect(await updateDoneWork(tenant, leased, {}, monthEnd)).toBe(true)
    const nextMonthEnd = new Date('2027-04-30T22:00:00Z')
    expect((await rowOf({ org })).due_at).toEqual(nextMonthEnd)
    // Once more before the lease of the next run: it keeps what has not passed.
    setTime(nextMonthEnd)
    await runRound(service.deps)
    expect((await rowOf({ org })).due_at).toBeNull()
  })

  test('that has armed and not committed makes the job wait for it, and see what it gave', async () => {
    const { shop, person, org } = await openPlace()
    await shop.process(person, { amount: 10 })
    setTime(monthEnd)
    const { pool } = service.database
    const isArming = async () =>
      (
        await pool.query(
          `SELECT 1 FROM due_work WHERE org_id = $1 AND kind = 'expiry' FOR UPDATE SKIP LOCKED`,
          [org],
        )
      ).rowCount === 0
    const holder = await pool.connect()
    let [sale, round]: Promise<unknown>[] = []
    try {
      // Events come last: the basket has done everything else.
      await holder.query('BEGIN')
      await holder.query('SELECT 1 FROM event_counters WHERE org_id = $1 FOR UPDATE', [org])
      sale = shop.process(person, { amount: 7 })
      await expect.poll(isArming).toBe(true)
      round = runRound(second.deps)
      await expect.poll(() => second.deps.pool.totalCount - second.deps.pool.idleCount).toBeGreaterThan(0)
    } finally {
      await holder.query('COMMIT')
      holder.release()
    }
    await Promise.all([sale, round])
    await runRound(second.deps)
    expect((await rowOf({ org })).due_at).toEqual(new Date('2027-04-30T22:00:00Z'))
    expect(await shop.balance(person)).toEqual({ value: 7, total: 17 })
  })

  test('after the clock was set back finds what the job has moved, in both processes', async () => {
    const { shop, person, org } = await openPlace()
    await shop.process(person, { amount: 10 })
    await shop.process(person, { amount: 10 }, { on: second })
    setTime(new Date('2030-01-01T00:00:00Z'))
    await runRound(service.deps)
    expect((await rowOf({ org })).due_at).toBeNull()
    setTime(start)
    await shop.process(person, { amount: 10 }, { on: second })
    expect((await rowOf({ org })).due_at).toEqual(monthEnd)
    setTime(monthEnd)
    await runRound(second.deps)
    expect((await shop.balance(person)).value).toBe(0)
  })
})

describe('an idempotent response', () => {
  const daysMs = (days: number) => days * 86_400_000
  const keysOf = async (org: number) =>
    (await service.database.pool.query('SELECT key FROM idempotency_keys WHERE org_id = $1', [org])).rowCount

  test.each(['an adjustment', 'a registration'])(
    'of %s is deleted after 72 hours, and nothing looks for it before',
    async (what) => {
      const { shop, campaign, person, org } = await openPlace()
      const headers = { 'idempotency-key': 'once' }
      const body =
        what === 'an adjustment'
          ? {
              path: `/v1/customers/${person.customer}/adjustments`,
              of: { key: 'points', amount: 5, reason: 'x' },
            }
          : { path: '/v1/customers/register', of: { campaignId: campaign, customer: { data: {} } } }
      expect((await shop.call('POST', body.path, body.of, { headers })).status).toBe(201)
      expect((await rowOf({ org }, 'replies')).due_at).toEqual(later(start, daysMs(3)))
      const before = runsOf('replies')
      setTime(later(start, daysMs(3) - minuteMs))
      await runRound(service.deps)
      expect(await keysOf(org)).toBe(1)
      setTime(later(start, daysMs(3) + 1))
      await runRound(service.deps)
      expect(await keysOf(org)).toBe(0)
      expect((await rowOf({ org }, 'replies')).due_at).toBeNull()
      // That of the organization, and those of the platform, which are looked for every hour.
      expect(runsOf('replies') - before).toBeLessThanOrEqual(3)
    },
  )
})

describe('work that fails', () => {
  const isOf = (org: string) => (entry: object) => (entry as { organization?: string }).organization === org

  test('is retried later and later, says so, and holds up nobody', async () => {
    const [broken, sound] = [await openPlace(), await openPlace()]
    await sound.shop.process(sound.person, { amount: 10 })
    setTime(monthEnd)
    await insertWork([broken.org], 'names', start)
    const setProgress = (progress: object | null) =>
      service.database.pool.query(`UPDATE due_work SET progress = $2 WHERE org_id = $1 AND kind = 'names'`, [
        broken.org,
        progress,
      ])
    await setProgress({ after: 'cus_nonsense', skipped: 0 })

    const failures = () => service.deps.workCounts.failures.get('names') ?? 0
    const before = failures()
    await runRound(service.deps)
    expect(await ledgerKinds(sound)).toEqual(['collect', 'expire'])
    expect(await rowOf(broken, 'names')).toMatchObject({
      ...{ attempts: 1, lease: null, leased_until: null, last_error: 'error 22P02' },
      due_at: later(monthEnd, minuteMs),
    })
    const [logged] = service.logged.filter(({ details }) => isOf(broken.shop.merchant.id)(details))
    expect(logged).toMatchObject({ level: 'error', message: 'due work failed, will retry' })
    expect(logged!.details).toMatchObject({ kind: 'names', attempt: 1, retryAt: later(monthEnd, minuteMs) })

    await runRound(service.deps)
    expect(failures() - before).toBe(1)
    setTime(later(monthEnd, minuteMs))
    await runRound(service.deps)
    expect(await rowOf(broken, 'names')).toMatchObject({ attempts: 2, due_at: later(monthEnd, 3 * minuteMs) })
    const { text } = await service.call('GET', '/metrics')
    expect(text).toContain(`jobs_failures_total{kind="names"} ${failures()}`)
    expect(text).toMatch(/jobs_runs_total\{kind="expiry"\} \d+/)
    expect(text).toMatch(/jobs_due\{kind="names"\} 1\n/)
    expect(text).toMatch(/jobs_overdue_seconds\{kind="names"\} 0\n/)

    await setProgress(null)
    setTime(later(monthEnd, 3 * minuteMs))
    await runRound(service.deps)
    expect(await rowOf(broken, 'names')).toMatchObject({ attempts: 0, last_error: null, due_at: null })
  })
})

test('work that is armed for now begins again, although a turn has left off in the middle', async () => {
  const { org, tenant } = await openPlace()
  const arm = (at: Date) =>
    inTransaction(service.deps.pool, org, (within) =>
      upsertDueWork(within, [{ kind: 'inactivity', at }], start),
    )
  const progress = { after: 'cus_00000000000000000000000000000001' }
  const takeTurn = async (meanwhile: () => Promise<unknown>) => {
    const leased = (await lockDueWork(tenant, 'inactivity', start, leaseSeconds))!
    await meanwhile()
    expect(await updateDoneWork(tenant, leased, { next: start, progress }, start)).toBe(true)
    return (await rowOf({ org }, 'inactivity')).progress
  }
  await arm(start)
  expect(await takeTurn(() => arm(later(start, 30 * minuteMs)))).toEqual(progress)
  expect(await takeTurn(() => arm(start))).toBeNull()
  expect(await takeTurn(async () => {})).toEqual(progress)
  await arm(start)
  expect((await rowOf({ org }, 'inactivity')).progress).toBeNull()
})
