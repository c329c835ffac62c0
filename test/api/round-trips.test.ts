import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Merchant,
  type Method,
  type Registered,
  startTestService,
  type TestService,
} from '../support/service.ts'

/** How often a request waits for the database once the process knows the organization. */
let service: TestService
let merchant: Merchant
let who: Registered
let roundTrips = 0

beforeAll(async () => {
  service = await startTestService()
  service.deps.pool.on('connect', (client) => {
    // The server says that it is ready once for each time that it was waited for.
    const { connection } = client as unknown as { connection: NodeJS.EventEmitter }
    connection.on('readyForQuery', () => roundTrips++)
  })
  merchant = await service.createMerchant()
  who = await merchant.register(await merchant.publishCampaign())
})
afterAll(() => service.close())

/** Round trips of a request that was sent before, on connections that are open. */
async function countRoundTrips(method: Method, path: string, body?: object): Promise<number> {
  await merchant.call(method, path, body)
  const before = roundTrips
  const { status } = await merchant.call(method, path, body)
  expect(status).toBeLessThan(300)
  return roundTrips - before
}

test.each([
  { method: 'POST', path: (): string => '/v1/transactions/process', count: 2 },
  { method: 'POST', path: (): string => '/v1/transactions/validate', count: 1 },
  { method: 'GET', path: (): string => `/v1/customers/${who.customer}`, count: 2 },
  { method: 'GET', path: (): string => `/v1/customers/${who.customer}/ledger`, count: 3 },
  { method: 'GET', path: (): string => '/v1/customers', count: 2 },
  { method: 'GET', path: (): string => '/v1/organization', count: 2 },
] as const)('$method $path waits for the database $count times', async ({ method, path, count }) => {
  const { customer, card } = who
  const body = method === 'POST' ? { customer, card, amount: 1 } : undefined
  expect(await countRoundTrips(method, path(), body)).toBe(count)
})
