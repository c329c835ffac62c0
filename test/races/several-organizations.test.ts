import { afterAll, beforeAll, expect, test } from 'vitest'
import { audit } from '../support/audit.ts'
import { isOnCluster } from '../support/cluster.ts'
import { coffeeClub, type Reply, startTestService, type TestService } from '../support/service.ts'
import { countShared } from '../support/shared-transactions.ts'
import { openShop, type Person, type Shop, tally, times } from '../support/shop.ts'

/** Organizations whose sales and look-ups share messages to the database, also with a second instance. */
let services: TestService[]
let shops: { shop: Shop; people: Person[] }[]

beforeAll(async () => {
  const service = await startTestService()
  services = [service, await startTestService({ sharing: service })]
  shops = []
  for (let i = 0; i < 10; i++) {
    const shop = await openShop(service)
    const campaign = await shop.publish(coffeeClub)
    shops.push({ shop, people: await Promise.all(times(3, () => shop.register(campaign))) })
  }
})
afterAll(async () => {
  expect(await audit(services[0]!.database.pool)).toEqual([])
  for (const service of services.toReversed()) await service.close()
})

const pay = (at: number, person: number, basket: object, on = services[0]!): Promise<Reply> => {
  const { shop, people } = shops[at]!
  const { customer, card } = people[person]!
  return shop.call('POST', '/v1/transactions/process', { customer, card, ...basket }, { on })
}

const pointsOf = async (at: number, person: number) =>
  (await shops[at]!.shop.balance(shops[at]!.people[person]!, 'points')).value

// On a cluster, nodes do not tell which transaction has written a row.
const countSharedSoFar = async () => (isOnCluster ? 0 : countShared(services[0]!.database.pool))

test('sales of ten organizations with the same receipt numbers: each is recorded once, for its own customer', async () => {
  const before = await countSharedSoFar()
  const replies = await Promise.all(
    times(10, (at) =>
      Promise.all(
        // Each receipt twice, once at each instance, and one customer in every second sale.
        times(24, (i) =>
          pay(at, i % 4 < 2 ? 0 : 1, { amount: at + 1, opaqueId: `same-${i >> 1}` }, services[i % 2]!),
        ),
      ),
    ),
  )
  for (const [at, own] of replies.entries()) {
    expect(tally(own)).toEqual({ 201: 24 })
    expect(new Set(own.map(({ body }) => body.id)).size).toBe(12)
    expect(await pointsOf(at, 0)).toBe(6 * (at + 1))
    expect(await pointsOf(at, 1)).toBe(6 * (at + 1))
  }
  if (!isOnCluster) expect(await countSharedSoFar()).toBeGreaterThan(before)
})

test('one organization that refuses, conflicts and waits does not change what the others get', async () => {
  const before = await Promise.all(times(10, (at) => pointsOf(at, 2)))
  const holder = await services[0]!.database.pool.connect()
  const key = [shops[0]!.people[2]!.customer.slice(4)]
  await holder.query('BEGIN')
  const { rows } = await holder.query('SELECT org_id FROM wallets WHERE customer_id = $1', key)
  await holder.query(
    `SELECT FROM wallets WHERE org_id = ${rows[0].org_id} AND customer_id = $1 FOR UPDATE`,
    key,
  )
  const held = pay(0, 2, { amount: 1 })
  const replies = await Promise.all(
    times(9, (at) =>
      Promise.all(
        times(12, (i) => {
          const basket = i % 3 === 0 ? { amount: 1, pointsToSpend: 100_000 } : { amount: 1 }
          return pay(at + 1, 2, basket, services[i % 2]!)
        }),
      ),
    ),
  )
  for (const own of replies) expect(tally(own)).toEqual({ 201: 8, '400 insufficient_points': 4 })
  await holder.query('ROLLBACK')
  holder.release()
  expect((await held).status).toBe(201)
  const after = await Promise.all(times(10, (at) => pointsOf(at, 2)))
  expect(after).toEqual(before.map((points, at) => points + (at === 0 ? 1 : 8)))
})

test('look-ups and previews at the same moment show each organization its own customers only', async () => {
  const answers = await Promise.all(
    shops.flatMap(({ shop, people }, at) =>
      people.flatMap(({ customer, card }) => [
        shop.call('GET', `/v1/customers/${customer}`).then(({ body }) => [body.id, customer]),
        shop
          .call('POST', '/v1/transactions/validate', { customer, card, amount: at + 1 })
          .then(({ body }) => [body.totals.due, at + 1]),
        shops[(at + 1) % 10]!.shop.call('POST', '/v1/transactions/validate', {
          customer,
          card,
          amount: 1,
        }).then(({ body }) => [body.message, 'customer_not_found']),
      ]),
    ),
  )
  for (const [answer, expected] of answers) expect(answer).toBe(expected)
})
