import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Checkout, makeCheckout, ownSecrets, type Service, urlOf } from '../support/checkout.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { times } from '../support/shop.ts'

let checkout: Checkout
let database: TestDatabase
let service: Service

beforeAll(async () => {
  ;[checkout, database] = await Promise.all([makeCheckout(), createTestDatabase()])
  service = await checkout.start({
    ...ownSecrets,
    DATABASE_URL: urlOf(database.connection),
    WORKERS: '4',
    TRUST_PROXY: '1',
  })
})
afterAll(async () => {
  await service.end('SIGTERM')
  await checkout.remove()
  await database.close()
})

test('four processes compare ten wrong passwords of an account together, not each', async () => {
  // Each on a connection of its own, which go to the processes in turn, and as if from addresses of their own.
  const startedAt = performance.now()
  const statuses = await Promise.all(
    times(40, async (i) => {
      const reply = await fetch(`${service.baseUrl}/auth/session`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          connection: 'close',
          'x-forwarded-for': `10.9.0.${i}`,
          'x-forwarded-proto': 'https',
        },
        body: JSON.stringify({ email: 'ada@example.com', password: 'a wrong password' }),
      })
      return reply.status
    }),
  )
  const count = (status: number) => statuses.filter((item) => item === status).length
  expect(count(401) + count(429)).toBe(40)
  // One more is forgiven every ten seconds, should it take that long.
  const forgiven = Math.floor((performance.now() - startedAt) / 10_000)
  expect(count(401)).toBeGreaterThanOrEqual(10)
  expect(count(401)).toBeLessThanOrEqual(10 + forgiven)
  const { rows } = await database.pool.query('SELECT * FROM password_guesses')
  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toContain('ada')
})

test('the metrics of any of them count the background work of the process that starts them', async () => {
  const read = async () =>
    (await fetch(`${service.baseUrl}/metrics`, { headers: { connection: 'close' } })).text()
  await expect.poll(read).toMatch(/^jobs_runs_total\{kind="guesses"\} 1$/m)
})
