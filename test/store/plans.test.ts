/**
 * What the service asks, planned as the service's role and as one whom row level security does not bind: the
 * policies must not cost an index. Statements are taken from calls as they are made, so none is written down twice.
 */
import type { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { appRole } from '../../src/database/app-role.ts'
import { createClient } from '../../src/database/pool.ts'
import { runRound } from '../../src/jobs/run-jobs.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { onStatement } from '../support/watch-statements.ts'

let service: TestService
const asked = new Map<string, number>()

beforeAll(async () => {
  service = await startTestService()
  onStatement(service.deps.pool, ({ text, values = [] }) => {
    if (values.length > 0) asked.set(text, values.length)
  })
  await makeCalls()
})
afterAll(() => service.close())

async function makeCalls(): Promise<void> {
  const merchant = await service.createMerchant()
  const campaign = await merchant.publishCampaign()
  const { customer, card, barcode } = await merchant.register(campaign, {
    phone: '+12025550123',
    email: 'a@example.com',
  })
  const { rows } = await service.database.pool.query('SELECT org_id FROM customers')
  // Enough of everything that an index is worth taking.
  await service.database.pool.query(
    `WITH c AS (INSERT INTO customers (org_id, id, phone, created_at, updated_at)
       SELECT $1, gen_random_uuid(), 'p' || n, now(), now() FROM generate_series(1, 3000) n RETURNING id),
     w AS (INSERT INTO wallets (org_id, customer_id) SELECT $1, id FROM c),
     k AS (INSERT INTO cards (org_id, id, customer_id, campaign_id, barcode, created_at, updated_at)
       SELECT $1, gen_random_uuid(), c.id, m.id, c.id, now(), now() FROM c, campaigns m),
     b AS (INSERT INTO balances (org_id, customer_id, key) SELECT $1, id, 'points' FROM c)
     INSERT INTO coupons (org_id, id, customer_id, campaign_id, status, reward, created_at, updated_at)
       SELECT $1, gen_random_uuid(), c.id, m.id, 4, '{}', now(), now() FROM c, campaigns m`,
    [rows[0].org_id],
  )
  // In the order of their ids, as they are in life.
  await service.database.pool.query(
    `INSERT INTO customers (org_id, id, fullname, name_key, created_at, updated_at)
     SELECT $1, lpad(to_hex(n), 32, '0')::uuid, 'Name ' || n, 'name ' || n, now(), now() FROM generate_series(1, 20000) n`,
    [rows[0].org_id],
  )
  await service.database.pool.query('ANALYZE')
  const basket = { customer, card, opaqueId: 'r-1', items: [{ product: 'latte', quantity: 12, amount: 40 }] }
  const succeed = async (...call: Parameters<typeof merchant.call>) => {
    const { status, body } = await merchant.call(...call)
    if (status >= 300) throw new Error(`${call[0]} ${call[1]}: ${JSON.stringify(body)}`)
    return body
  }
  await succeed('POST', '/v1/transactions/validate', basket)
  const sale = await succeed('POST', '/v1/transactions/process', basket)
  await succeed('POST', '/v1/transactions/process', {
    customer,
    card,
    items: [{ product: 'latte', amount: 4 }],
  })
  await succeed('POST', `/v1/transactions/${sale.id}/return`, {})
  for (const path of [
    `/v1/customers/${customer}`,
    `/v1/customers?q=a@example.com`,
    `/v1/customers?q=${barcode}`,
    `/v1/customers/${customer}/ledger`,
    `/v1/transactions?opaqueId=r-1`,
    `/v1/transactions?customer=${customer}`,
    '/v1/transactions?status=3',
    '/v1/coupons?status=5',
    '/v1/coupons?status=3&endedFrom=2026-01-01',
    '/v1/coupons?endedTo=2026-01-01',
    '/v1/transactions?spent=points',
    '/v1/customers?activeFrom=2026-01-01',
    '/v1/customers?holds=points',
    '/v1/customers?q=M%C3%BCller',
  ]) {
    await succeed('GET', path)
  }
  await service.database.pool.query("UPDATE due_work SET due_at = now() - interval '1 second'")
  await runRound(service.deps)
}

interface PlanNode {
  'Node Type': string
  Alias?: string
  'Index Cond'?: string
  Plans?: PlanNode[]
}

/** How many columns of an index are searched by, for each table that a statement names. */
function searchedColumns(
  node: PlanNode,
  found = new Map<string, number>(),
  heap?: string,
): Map<string, number> {
  const alias = node.Alias ?? heap
  if (alias !== undefined && /Index|Seq Scan/.test(node['Node Type'])) {
    const columns = node['Index Cond']?.match(/\(\(*\w+ (?:=|<|>|<=|>=) /g)?.length ?? 0
    found.set(alias, Math.max(found.get(alias) ?? 0, columns))
  }
  const inside = node['Node Type'] === 'Bitmap Heap Scan' ? node.Alias : undefined
  for (const child of node.Plans ?? []) searchedColumns(child, found, inside)
  return found
}

async function plan(client: Client, text: string, parameters: number): Promise<PlanNode> {
  await client.query(`PREPARE it AS ${text}`)
  try {
    const values = Array.from({ length: parameters }, () => 'NULL').join(', ')
    const { rows } = await client.query(`EXPLAIN (FORMAT JSON) EXECUTE it (${values})`)
    return rows[0]['QUERY PLAN'][0].Plan
  } finally {
    await client.query('DEALLOCATE it')
  }
}

test('what is rare is found by the index that was made for it, and names along the list', async () => {
  const client = createClient(service.database.connection, { role: appRole })
  await client.connect()
  try {
    const planOf = async (asking: RegExp) => {
      const [text, parameters] = [...asked].find(([text]) => asking.test(text))!
      return JSON.stringify(await plan(client, text, parameters))
    }
    expect(await planOf(/ t\.status = \$/)).toContain('"transactions_returned"')
    expect(await planOf(/'pointsToSpend'\) IS NOT NULL/)).toContain('"transactions_spent"')
    expect(await planOf(/ p\.status = \$\d AND p\.status IN \(4, 5\)/)).toContain('"coupons_ended"')
    expect(await planOf(/ p\.status = \$\d .*updated_at >= \$/)).toContain('"coupons_ended_at"')
    expect(await planOf(/ p\.updated_at < \$/)).toContain('"coupons_ended_at"')
    // What is due, among the work of all organizations, and what expires next.
    expect(await planOf(/FROM due_work\s+WHERE due_at <= /)).toContain('"due_work_due_at"')
    expect(await planOf(/least\(\(SELECT l\.expires_at/)).toMatch(/"lots_expires_at".*"coupons_expires_at"/)
    // Newest first until the page is full, instead of all of them and then the newest.
    expect(await planOf(/name_key LIKE/)).toMatch(/"Scan Direction":"Backward","Index Name":"customers_pkey"/)
  } finally {
    await client.end()
  }
})

test('the policies leave every statement the indexes it has without them', async () => {
  const { rows } = await service.database.pool.query('SELECT org_id FROM organizations')
  const clients = [undefined, appRole].map((role) => createClient(service.database.connection, { role }))
  const [free, bound] = clients as [Client, Client]
  const worse: string[] = []
  let tables = 0
  try {
    for (const client of clients) {
      await client.connect()
      await client.query(`SET loyalty_wallet.org = ${rows[0].org_id}`)
    }
    for (const [text, parameters] of asked) {
      const before = searchedColumns(await plan(free, text, parameters))
      const after = searchedColumns(await plan(bound, text, parameters))
      for (const [alias, columns] of before) {
        tables++
        if ((after.get(alias) ?? 0) < columns)
          worse.push(`${alias}: ${after.get(alias)} of ${columns} columns in ${text}`)
      }
    }
  } finally {
    for (const client of clients) await client.end()
  }
  expect(worse).toEqual([])
  expect([asked.size > 40, tables > 80]).toEqual([true, true])
})
