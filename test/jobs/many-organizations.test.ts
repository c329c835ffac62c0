import { afterAll, beforeAll, expect, test } from 'vitest'
import { runRound } from '../../src/jobs/run-jobs.ts'
import { isFull } from '../support/full.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { openShop, type Person, type Shop } from '../support/shop.ts'
import { type Watched, watchStatements } from '../support/watch-statements.ts'

const organizations = isFull ? 100_000 : 20_000
const due = isFull ? 1_000 : 200
const start = new Date('2027-01-10T11:00:00Z')
const monthEnd = new Date('2027-02-28T23:00:00Z')

let service: TestService
let second: TestService
let watch: (work: () => Promise<unknown>) => Promise<Watched>

beforeAll(async () => {
  service = await startTestService()
  second = await startTestService({ sharing: service })
  watch = watchStatements(service.deps.pool)
  for (const one of [service, second]) one.holdTime()
  setTime(start)
  await insertOrganizations()
})
afterAll(async () => {
  await second.close()
  await service.close()
})

function setTime(at: Date): void {
  service.setTime(at)
  second.setTime(at)
}

/** Each with something that becomes due, one after the other from a year on. */
async function insertOrganizations(): Promise<void> {
  const { pool } = service.database
  const first = 1_000_000
  const numbers = `generate_series(${first}, ${first + organizations - 1}) AS n`
  await pool.query(
    `INSERT INTO organizations (org_id, id, name, country, currency, timezone, locale, created_at, updated_at)
     OVERRIDING SYSTEM VALUE
     SELECT n, gen_random_uuid(), 'Many', 'DE', 'EUR', 'Europe/Berlin', 'de', now(), now() FROM ${numbers}`,
  )
  await pool.query(`INSERT INTO setup_versions (org_id) SELECT n FROM ${numbers}`)
  await pool.query(
    `INSERT INTO due_work (org_id, kind, due_at)
     SELECT n, 'expiry', timestamptz '2028-01-10' + (n - ${first}) * interval '1 minute' FROM ${numbers}`,
  )
}

interface Customer {
  readonly shop: Shop
  readonly person: Person
}

async function sell(): Promise<Customer> {
  const shop = await openShop(service, { timezone: 'Europe/Berlin', currency: 'EUR' })
  const campaign = await shop.publish({
    name: 'Expiring',
    balances: [{ key: 'points', expires: { after: 'P1M', endOf: 'month' } }],
    rules: [{ id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 }],
  })
  const person = await shop.register(campaign)
  await shop.process(person, { amount: 10 })
  return { shop, person }
}

test(`among ${organizations} organizations, what is due for five of them is found and done, once`, async () => {
  const customers: Customer[] = []
  while (customers.length < 5) customers.push(await sell())
  // What publishing and the platform have to do.
  await runRound(service.deps)
  setTime(monthEnd)
  const { statements } = await watch(() => Promise.all([runRound(service.deps), runRound(second.deps)]))
  await runRound(service.deps)
  for (const { shop, person } of customers) {
    expect((await shop.ledger(person)).map(({ kind }: { kind: string }) => kind)).toEqual([
      'collect',
      'expire',
    ])
    expect(await shop.events('balance.expired', person)).toHaveLength(1)
  }
  // Five organizations, and what the platform has to do, at some twenty statements each.
  expect(statements.length).toBeLessThan(7 * 40)

  const idle = await watch(() => runRound(service.deps))
  expect(idle.statements).toHaveLength(1)
  expect(idle.roundTrips).toBe(1)
})

test(`${due} that become due at once are each done once by two processes`, async () => {
  // The first is due at midnight, and one more each minute.
  setTime(new Date(Date.parse('2028-01-10T00:00:00Z') + due * 60_000 - 1_000))
  const runs = () =>
    [service, second].reduce((sum, { deps }) => sum + (deps.workCounts.runs.get('expiry') ?? 0), 0)
  const before = runs()
  await Promise.all([runRound(service.deps), runRound(second.deps)])
  expect(runs() - before).toBe(due)
  const { rows } = await service.database.pool.query(
    'SELECT count(*)::int AS left FROM due_work WHERE org_id >= 1000000 AND due_at IS NOT NULL',
  )
  expect(rows).toEqual([{ left: organizations - due }])
})
