/** Organizations whose wallets somebody holds must not keep others waiting, whatever those sell. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { audit } from '../support/audit.ts'
import { isOnCluster } from '../support/cluster.ts'
import { coffeeClub, productionLimits, startTestService, type TestService } from '../support/service.ts'
import { openShop, type Person, type Shop, times } from '../support/shop.ts'

const blockedOrganizations = 24
const tillsOfEach = 2

interface Till {
  readonly shop: Shop
  readonly person: Person
}

let service: TestService
let blocked: Till[]
let free: Till
/** Of the free one. */
let campaign: string

const limited = {
  ...coffeeClub,
  rules: coffeeClub.rules.map((rule) => ({ ...rule, limits: { total: 1_000_000 } })),
}

beforeAll(async () => {
  service = await startTestService(productionLimits)
  const open = async (definition: object, tills: number): Promise<Till[]> => {
    const shop = await openShop(service)
    campaign = await shop.publish(definition)
    return Promise.all(times(tills, async () => ({ shop, person: await shop.register(campaign) })))
  }
  blocked = (await Promise.all(times(blockedOrganizations, () => open(coffeeClub, tillsOfEach)))).flat()
  free = (await open(limited, 1))[0]!
})
afterAll(async () => {
  expect(await audit(service.database.pool)).toEqual([])
  await service.close()
})

const sell = ({ shop, person }: Till, product: string) =>
  shop.call('POST', '/v1/transactions/process', {
    ...person,
    items: [{ product, quantity: 1, unitPrice: 3.5 }],
  })

/** How many statements have waited for a lock for longer than a brief attempt does. */
const patientWaits = async (): Promise<number> => {
  const { rows } = await service.database.pool.query(
    `SELECT count(*)::int AS waits FROM pg_stat_activity
     WHERE datname = current_database() AND wait_event_type = 'Lock' AND query_start < now() - interval '300 ms'`,
  )
  return rows[0].waits
}

const blockedBy = async (pid: number): Promise<number> => {
  const { rows } = await service.database.pool.query(
    'SELECT count(*)::int AS blocked FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))',
    [pid],
  )
  return rows[0].blocked
}

// On a cluster every group has a connection to itself.
test.skipIf(isOnCluster)('nobody waits for the locks of other organizations', async () => {
  const holder = await service.database.pool.connect()
  const took: number[] = []
  const answered = new Set<number>()
  let isHeld = true
  let waiting: Promise<unknown> = Promise.resolve()
  try {
    await holder.query('BEGIN')
    await holder.query(
      `SELECT FROM wallets w JOIN customers c ON c.org_id = w.org_id AND c.id = w.customer_id
       WHERE c.id = ANY($1) FOR UPDATE OF w`,
      [blocked.map(({ person }) => person.customer.slice(4))],
    )
    waiting = Promise.all(
      blocked.map(async (till) => {
        // A till repeats what was not answered.
        while (isHeld) answered.add((await sell(till, 'latte')).status)
      }),
    )
    await expect.poll(patientWaits, { timeout: 10_000 }).toBeGreaterThan(2)
    // The rule's limit for all customers is decided under lock, and so is a product that is new.
    for (let i = 0; i < 40; i++) {
      const start = performance.now()
      expect((await sell(free, i % 2 === 0 ? 'latte' : `new-${i}`)).status).toBe(201)
      took.push(performance.now() - start)
    }
    await expect.poll(() => [...answered], { timeout: 15_000 }).toEqual([503])
  } finally {
    isHeld = false
    await holder.query('ROLLBACK')
    holder.release()
    await waiting
  }
  // A lock is waited for three seconds, and 48 groups wait.
  expect(Math.max(...took)).toBeLessThan(3_000)
  expect(took.toSorted((a, b) => a - b)[35]).toBeLessThan(1_000)
  for (const till of blocked) expect((await sell(till, 'latte')).status).toBe(201)
})

// On a cluster these rows would have to be locked with their organization.
test.skipIf(isOnCluster)(
  'a held wallet and a contended limit keep no other customers from paying',
  async () => {
    const people = await Promise.all(times(12, () => free.shop.register(campaign)))
    // From the first sale on there is a row that counts the uses of the limit.
    expect((await sell({ ...free, person: people[0]! }, 'latte')).status).toBe(201)
    const holder = await service.database.pool.connect()
    const contender = await service.database.pool.connect()
    try {
      await holder.query('BEGIN')
      await holder.query(
        `SELECT FROM wallets w JOIN customers c ON c.org_id = w.org_id AND c.id = w.customer_id
       WHERE c.id = $1 FOR UPDATE OF w`,
        [people[5]!.customer.slice(4)],
      )
      await contender.query('BEGIN')
      const { rows } = await contender.query('SELECT pg_backend_pid() AS pid FROM rule_usage FOR UPDATE')
      const replies = Promise.all(people.map((person) => sell({ ...free, person }, 'latte')))
      await expect.poll(() => blockedBy(rows[0].pid)).toBeGreaterThan(0)
      await contender.query('COMMIT')
      const statuses = (await replies).map(({ status }) => status)
      expect(statuses).toEqual(times(12, (i) => (i === 5 ? 503 : 201)))
    } finally {
      await contender.query('ROLLBACK')
      await holder.query('ROLLBACK')
      contender.release()
      holder.release()
    }
    expect((await sell({ ...free, person: people[5]! }, 'latte')).status).toBe(201)
  },
)
