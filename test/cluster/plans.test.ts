/**
 * What a till asks, planned on a cluster: each statement works on one part of the tables, on the server that has it.
 * Statements are taken from calls as they are made, with their values. Which plans they have is kept with the runs of
 * the tests (TEST_RECORD), because the guide quotes it.
 */
import type { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { saveEntries } from '../../bench/save-results.ts'
import { appRole } from '../../src/database/app-role.ts'
import { createClient } from '../../src/database/pool.ts'
import { inTransaction } from '../../src/store/tenant.ts'
import { isOnCluster } from '../support/cluster.ts'
import { coffeeClub, startTestService, type TestService } from '../support/service.ts'
import { openShop, type Person, type Shop } from '../support/shop.ts'
import { describeTarget } from '../support/test-target.ts'
import { onStatement, type Sent } from '../support/watch-statements.ts'

/** How many statements of a call there are, by the number of parts of the tables that they work on. */
export interface PlannedCall {
  /** On what every server has, or only the coordinator. */
  readonly none: number
  readonly one: number
  readonly several: number
}

describe.runIf(isOnCluster)('each statement of a till goes to one part of the tables', () => {
  let service: TestService
  let shop: Shop
  let person: Person
  let campaign: string
  let planner: Client
  const asked: Sent[] = []
  const planned: Record<string, PlannedCall> = {}

  beforeAll(async () => {
    service = await startTestService()
    onStatement(service.deps.pool, (sent) => void asked.push(sent))
    shop = await openShop(service)
    campaign = await shop.publish(coffeeClub)
    person = await shop.register(campaign)
    await shop.adjust(person, 'points', 1_000)
    const { rows } = await service.database.pool.query('SELECT org_id FROM organizations WHERE id = $1', [
      shop.merchant.id.slice(4),
    ])
    planner = createClient(service.database.connection, { role: appRole, isDistributed: true })
    await planner.connect()
    await planner.query(`SET loyalty_wallet.org = ${rows[0].org_id}`)
  })

  afterAll(async () => {
    const record = process.env.TEST_RECORD
    // Or a test was not asked for, or failed before it was planned.
    if (record && Object.keys(planned).length === calls.length) {
      const { versions } = await describeTarget({ database: process.env.TEST_DATABASE_URL })
      saveEntries('plans', { [record]: { versions, calls: planned } })
    }
    await planner.end()
    await service.close()
  })

  const latte = { product: 'latte', quantity: 1, unitPrice: 3.5 }
  const sale = (more: object = {}) => ({ ...person, items: [latte], ...more })
  const grant = async (): Promise<string> =>
    (await shop.post('/v1/coupons', { customer: person.customer, campaign, reward: 'five-off' })).id
  const profile = { data: { fullname: 'Ada', phone: '+12025550123', email: 'ada@example.org' } }

  const calls: [
    call: string,
    prepare: () => Promise<unknown>,
    make: (prepared: never) => Promise<unknown>,
  ][] = [
    [
      'a token',
      async () => ({ 'x-api-key': shop.merchant.apiKey, 'x-api-secret': shop.merchant.apiSecret }),
      (headers) => service.call('POST', '/auth/token', { headers }),
    ],
    [
      'a registration',
      async () => {},
      () => shop.post('/v1/customers/register', { campaignId: campaign, customer: profile }),
    ],
    ['a look-up by phone', async () => {}, () => shop.get('/v1/customers/find?q=%2B12025550123')],
    [
      'a look-up by barcode',
      async () => (await shop.view(person)).cards[0].barcode,
      (barcode) => shop.get(`/v1/customers/find?q=${barcode}`),
    ],
    ['a preview', async () => {}, () => shop.post('/v1/transactions/validate', sale({ pointsToSpend: 100 }))],
    [
      'a sale with a receipt number, a coupon and points',
      grant,
      (reward) =>
        shop.post(
          '/v1/transactions/process',
          sale({ items: [{ ...latte, quantity: 9 }], opaqueId: 'receipt', reward, pointsToSpend: 100 }),
        ),
    ],
    [
      'a sale with a new product, branch and user',
      async () => {},
      () =>
        shop.post(
          '/v1/transactions/process',
          sale({ items: [{ ...latte, product: 'new' }], branch: 'north', user: 'ada' }),
        ),
    ],
    [
      'a return',
      async () => shop.post('/v1/transactions/process', sale({ items: [{ ...latte, quantity: 12 }] })),
      ({ id }: { id: string }) => shop.post(`/v1/transactions/${id}/return`, {}),
    ],
    ['an adjustment', async () => {}, () => shop.adjust(person, 'points', 5)],
    ['a coupon issued by hand', async () => {}, grant],
    ['a customer', async () => {}, () => shop.view(person)],
    ['a sale by its receipt number', async () => {}, () => shop.get('/v1/transactions?opaqueId=receipt')],
  ]

  test.each(calls)('%s', async (call, prepare, make) => {
    const prepared = await prepare()
    asked.length = 0
    await make(prepared as never)
    const several: string[] = []
    const counts = { none: 0, one: 0, several: 0 }
    for (const sent of asked.filter(({ text }) => !text.startsWith('SET '))) {
      const parts = countParts(await plan(planner, sent))
      counts[parts === 0 ? 'none' : parts === 1 ? 'one' : 'several']++
      if (parts > 1) several.push(`${parts} parts: ${sent.text}`)
    }
    planned[call] = counts
    expect(several).toEqual([])
    // Or nothing was watched.
    expect(counts.one).toBeGreaterThan(0)
  })

  test('a statement that goes to more than one fails in all tests on a cluster', async () => {
    const everywhere = inTransaction(service.deps.pool, 1, ({ db }) =>
      db.query('SELECT count(*) FROM sessions'),
    )
    await expect(everywhere).rejects.toThrow(/multi-task query/)
  })
})

async function plan(client: Client, { text, values }: Sent): Promise<unknown> {
  const { rows } = await client.query(`EXPLAIN (FORMAT JSON) ${text}`, values as unknown[])
  return rows[0]['QUERY PLAN']
}

/** The most parts that any piece of a plan works on. */
function countParts(plan: unknown): number {
  if (typeof plan !== 'object' || plan === null) return 0
  return Math.max(
    0,
    ...Object.entries(plan).map(([name, value]) =>
      name === 'Task Count' ? Number(value) : countParts(value),
    ),
  )
}
