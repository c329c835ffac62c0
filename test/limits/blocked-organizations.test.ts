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

const limited = {
  ...coffeeClub,
  rules: coffeeClub.rules.map((rule) => ({ ...rule, limits: { total: 1_000_000 } })),
}

beforeAll(async () => {
  service = await startTestService(productionLimits)
  const open = async (definition: object, tills: number): Promise<Till[]> => {
    const shop = await openShop(service)
    const campaign = await shop.publish(definition)
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

// On a cluster every group has a connection to itself.
test.skipIf(isOnCluster)('nobody waits for the locks of other organizations', async () => {
  const holder = await service.database.pool.connect()
  await holder.query('BEGIN')
  await holder.query(
    'SELECT FROM wallets w JOIN customers c ON c.org_id = w.org_id AND c.id = w.customer_id WHERE c.id = ANY($1) FOR UPDATE OF w',
    [blocked.map(({ person }) => person.customer.slice(4))],
  )
  let isHeld = true
  const waiting = Promise.all(
    blocked.map(async (till) => {
      // A till repeats what was not answered.
      while (isHeld) if ((await sell(till, 'latte')).status === 201) return
    }),
  )
  const took: number[] = []
  // The rule's limit for all customers is decided under lock, and so is a product that is new.
  for (let i = 0; i < 40; i++) {
    const start = performance.now()
    expect((await sell(free, i % 2 === 0 ? 'latte' : `new-${i}`)).status).toBe(201)
    took.push(performance.now() - start)
  }
  isHeld = false
  await holder.query('ROLLBACK')
  holder.release()
  await waiting
  // Far below the three seconds that a lock is waited for.
  expect(Math.max(...took)).toBeLessThan(1_500)
})
