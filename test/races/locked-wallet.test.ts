import { afterAll, beforeAll, expect, test } from 'vitest'
import { audit } from '../support/audit.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { coffeeClub, startTestService, type TestService } from '../support/service.ts'
import { openShop, type Person, type Shop, tally, times } from '../support/shop.ts'

/** A wallet that somebody else holds for longer than a basket waits. */
let service: TestService
let impatient: TestService
let shop: Shop

beforeAll(async () => {
  service = await startTestService()
  impatient = await startTestService({ sharing: service, lockTimeoutMs: 500, writers: 1 })
  shop = await openShop(service)
})
afterAll(async () => {
  expect(await audit(service.database.pool)).toEqual([])
  await impatient.close()
  await service.close()
})

const pay = ({ customer, card }: Person, basket: object) =>
  shop.call('POST', '/v1/transactions/process', { customer, card, ...basket }, { on: impatient })

test.each([
  { baskets: 'baskets', basket: { amount: 1 } },
  { baskets: 'baskets with a new product', basket: { items: [{ product: 'new', unitPrice: 1 }] } },
])('of many $baskets at once only the one whose wallet somebody else holds fails', async ({ basket }) => {
  const campaign = await shop.publish(coffeeClub)
  const people = await Promise.all(times(30, () => shop.register(campaign)))
  const held = people[7]!
  const holder = await service.database.pool.connect()
  await holder.query('BEGIN')
  const key = [held.customer.slice(4)]
  const { rows } = await holder.query('SELECT org_id FROM wallets WHERE customer_id = $1', key)
  await holder.query(
    `SELECT FROM wallets WHERE org_id = ${rows[0].org_id} AND customer_id = $1 FOR UPDATE`,
    key,
  )
  const replies = await Promise.all(people.map((person) => pay(person, basket)))
  await holder.query('ROLLBACK')
  holder.release()
  expectRefusal(replies[7]!, 503, '_unavailable')
  expect(tally(replies)).toEqual({ 201: 29, '503 _unavailable': 1 })
  expect((await pay(held, basket)).status).toBe(201)
  for (const person of people) expect((await shop.balance(person)).value).toBe(1)
})
