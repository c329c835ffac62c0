import { afterAll, beforeAll, expect, test } from 'vitest'
import { times } from '../campaigns/shop.ts'
import { type Checkout, makeCheckout, ownSecrets, type Service, urlOf } from '../process/checkout.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let checkout: Checkout
let database: TestDatabase
let service: Service

beforeAll(async () => {
  ;[checkout, database] = await Promise.all([makeCheckout(), createTestDatabase()])
  service = await checkout.start({ ...ownSecrets, DATABASE_URL: urlOf(database.connection), WORKERS: '2' })
})
afterAll(async () => {
  await service.end('SIGTERM')
  await checkout.remove()
  await database.close()
})

test('two processes compare ten wrong passwords of an account together, not each', async () => {
  // Each on a connection of its own, which go to the processes in turn.
  const statuses = await Promise.all(
    times(40, async () => {
      const reply = await fetch(`${service.baseUrl}/auth/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', connection: 'close' },
        body: JSON.stringify({ email: 'ada@example.com', password: 'a wrong password' }),
      })
      return reply.status
    }),
  )
  const count = (status: number) => statuses.filter((one) => one === status).length
  expect(count(401) + count(429)).toBe(40)
  // More than the five of one process; all ten when each was asked five times at least.
  expect(count(401)).toBeGreaterThan(5)
  expect(count(401)).toBeLessThanOrEqual(10)
})
