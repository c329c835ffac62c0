import type { Pool, PoolClient } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { adminToken, startTestService, type TestService } from '../support/service.ts'
import { auditStorm, type Evidence } from './audit-storm.ts'
import type { Answered, LogLine } from './call-log.ts'
import { openMerchant } from './merchant.ts'
import { createSender, type Outgoing } from './send.ts'

// An auditor that finds nothing may be one that does not look. Each of these does one kind of harm to a database
// or a log that was in order, the way no working service could, and the auditor has to find it.

let service: TestService
let organization: string
/** The log of the story, and the one of it that a test may change. */
let told: LogLine[]
let lines: LogLine[]

beforeAll(async () => {
  service = await startTestService()
  const baseUrl = await service.app.listen({ port: 0, host: '127.0.0.1' })
  const merchant = await openMerchant(baseUrl, adminToken)
  organization = merchant.organization
  lines = []
  const send = createSender({ baseUrls: [baseUrl], ...merchant })
  const record = async (call: string, out: Outgoing) => {
    const { operation, route, receipt, key } = out
    lines.push({ kind: 'sent', at: 1_000, call, attempt: 1, operation, route, receipt, key })
    const answer = await send(out, `${call}.1`, 0)
    lines.push({ kind: 'answered', at: 1_010, call, attempt: 1, ...answer })
    return answer
  }
  await tellStory(record, merchant.campaign)
  told = lines
})

beforeEach(() => {
  lines = [...told]
})

afterAll(() => service.close())

/** Two customers; sales that grant coupons, one that redeems one, one that comes back, one that is refused. */
async function tellStory(
  record: (call: string, out: Outgoing) => Promise<Partial<Answered>>,
  campaignId: string,
): Promise<void> {
  const register = async (call: string) => {
    const path = '/v1/customers/register'
    const body = { campaignId, customer: { data: {} } }
    return record(call, { operation: 'register', route: path, path, key: `K-${call}`, body })
  }
  const { customer, card } = await register('first')
  await register('second')
  const path = '/v1/transactions/process'
  const sell = (call: string, item: object) => {
    const body = {
      customer,
      card,
      opaqueId: `R-${call}`,
      items: [{ product: 'latte', unitPrice: 3.5, ...item }],
    }
    return record(call, { operation: 'sale', route: path, path, receipt: `R-${call}`, body })
  }
  const granting = await sell('sale-1', { quantity: 5 })
  await sell('sale-2', { quantity: 3 })
  const coupon = granting.actions!.find(({ type }) => type === 'grant_coupon')!.coupon!
  await sell('sale-3', { quantity: 1, discountedAmount: 0, reward: coupon })
  const taken = await sell('sale-4', { quantity: 1 })
  const returning = `/v1/transactions/${taken.id}/return`
  await record('return-1', {
    operation: 'return',
    route: returning,
    path: returning,
    receipt: 'R-return-1',
    body: { opaqueId: 'R-return-1' },
  })
  await sell('refused', { quantity: 1, discountedAmount: 0, reward: coupon })
}

async function findProblems(other: Partial<Evidence> = {}): Promise<string> {
  const { pool } = service.database
  const evidence = { pool, organization, calls: lines, serviceLog: '', deadlineMs: 5_000, ...other }
  return (await auditStorm(evidence)).problems.join('\n')
}

/** Shows the auditor what an open transaction sees, so that the harm can be undone afterwards. */
function insideOf(client: PoolClient): Pool {
  return {
    connect: async () => ({ query: (...query: [string]) => client.query(...query), release: () => {} }),
  } as unknown as Pool
}

const saleTwo = `(SELECT id FROM transactions WHERE opaque_id = 'R-sale-2')`
const newestStamps = `key = 'stamps' AND version = (SELECT max(version) FROM ledger_entries WHERE key = 'stamps')`

/** Changes what the log says of a call's answer. */
function forge(call: string, change: Partial<Answered>): void {
  lines = lines.map((line) =>
    line.kind === 'answered' && line.call === call ? { ...line, ...change } : line,
  )
}

describe('in the database', () => {
  test.each([
    {
      harm: 'a lost entry',
      sql: `DELETE FROM ledger_entries WHERE ${newestStamps}`,
      finds: /a balance is not the sum of its entries/,
    },
    {
      harm: 'a lost entry that the balance was made to fit',
      sql: `WITH gone AS (DELETE FROM ledger_entries WHERE transaction_id = ${saleTwo} AND key = 'points' RETURNING *)
      UPDATE balances b SET value = b.value - g.amount FROM gone g
      WHERE b.customer_id = g.customer_id AND b.key = g.key`,
      finds: /^sale-2: said 100 points, and the ledger moved 0$/m,
    },
    {
      harm: 'a coupon redeemed by a second sale',
      sql: `INSERT INTO events (org_id, position, id, type, data, created_at)
      SELECT org_id, 1000 + position, gen_random_uuid(), type,
        json_build_object('coupon', data ->> 'coupon', 'transaction', 'txn_' || replace(${saleTwo}::text, '-', '')),
        created_at
      FROM events WHERE type = 'coupon.redeemed'`,
      finds: /a coupon was redeemed by more or fewer sales than one/,
    },
    {
      harm: 'a skipped version',
      sql: `WITH newest AS (UPDATE ledger_entries SET version = version + 1 WHERE ${newestStamps} RETURNING *)
      UPDATE balances b SET version = n.version FROM newest n WHERE b.customer_id = n.customer_id AND b.key = n.key`,
      finds: /the versions of a balance have a gap/,
    },
    {
      harm: 'a doubled transaction',
      sql: `DROP INDEX transactions_opaque_id_unique;
      INSERT INTO transactions SELECT (t).* FROM (SELECT jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid())) AS t
        FROM transactions s WHERE opaque_id = 'R-sale-2') copies`,
      finds:
        /a receipt number or key has two transactions[\s\S]*^sale-2: acknowledged[\s\S]*^4 sales were acknowledged, and 5/m,
    },
    {
      harm: 'a sale that was done twice under two numbers',
      sql: `INSERT INTO transactions SELECT (t).* FROM (SELECT jsonb_populate_record(s,
        jsonb_build_object('id', gen_random_uuid(), 'opaque_id', 'another')) AS t
        FROM transactions s WHERE opaque_id = 'R-sale-2') copies`,
      finds: /^4 sales were acknowledged, and 5 are there$/m,
    },
    {
      harm: 'an acknowledged sale that is gone',
      sql: `DELETE FROM transactions WHERE id = ${saleTwo}`,
      finds: /^sale-2: acknowledged as \w+, and nothing is there$/m,
    },
    {
      harm: 'an acknowledged return that is gone',
      sql: 'DELETE FROM returns',
      finds: /^return-1: acknowledged as \w+, and nothing is there$/m,
    },
    {
      harm: 'a customer nobody registered',
      sql: `INSERT INTO customers (org_id, id, created_at, updated_at)
      SELECT org_id, gen_random_uuid(), now(), now() FROM organizations`,
      finds: /^2 customers were acknowledged, and 3 are there$/m,
    },
    {
      harm: 'a missing event of a sale',
      sql: `DELETE FROM events WHERE type = 'transaction.processed'
      AND data ->> 'transaction' = 'txn_' || replace(${saleTwo}::text, '-', '')`,
      finds: /a transaction was told more or less than once/,
    },
    {
      harm: 'a doubled event of a return',
      sql: `INSERT INTO events (org_id, position, id, type, data, created_at)
      SELECT org_id, 1000 + position, gen_random_uuid(), type, data, created_at FROM events WHERE type = 'transaction.returned'`,
      finds: /a return was told more or less than once/,
    },
    {
      harm: 'an event under another number',
      sql: `UPDATE events SET position = 1000 + position WHERE type = 'transaction.returned'`,
      finds: /the events of an organization are not numbered without gaps/,
    },
    {
      harm: 'a missing event of a card',
      sql: `DELETE FROM events WHERE type = 'customer.registered'`,
      finds: /a card was told to be opened more or less than once/,
    },
    {
      harm: 'a balance below zero',
      sql: `UPDATE balances SET value = -1 WHERE key = 'stamps'`,
      finds: /a balance is below zero/,
    },
    {
      harm: 'a ledger against the order of its wallet',
      sql: `UPDATE ledger_entries SET wallet_version = 99 WHERE version = 1 AND key = 'points'`,
      finds: /the versions of a balance run against those of its wallet/,
    },
    {
      harm: 'a coupon that ends before it begins',
      sql: `UPDATE coupons SET expires_at = created_at - interval '1 hour'`,
      finds: /a coupon ends before it begins/,
    },
  ])('finds $harm', async ({ sql, finds }) => {
    const client = await service.database.pool.connect()
    try {
      await client.query('BEGIN')
      await client.query(sql)
      expect(await findProblems({ pool: insideOf(client) })).toMatch(finds)
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
  })
})

test('counts a doubled transaction as such, and a missing one as lost', async () => {
  const client = await service.database.pool.connect()
  const count = async (sql: string) => {
    await client.query('BEGIN')
    try {
      await client.query(`DROP INDEX transactions_opaque_id_unique; ${sql}`)
      const pool = insideOf(client)
      return (await auditStorm({ pool, organization, calls: lines, serviceLog: '', deadlineMs: 5_000 })).tally
    } finally {
      await client.query('ROLLBACK')
    }
  }
  try {
    const renamed = `UPDATE transactions SET opaque_id = 'R-sale-2' WHERE opaque_id = 'R-sale-1'`
    expect(await count(renamed)).toMatchObject({ lost: 2, doubled: 1 })
    const gone = `UPDATE transactions SET opaque_id = 'another' WHERE opaque_id = 'R-sale-2'`
    expect(await count(gone)).toMatchObject({ lost: 1, doubled: 0 })
  } finally {
    client.release()
  }
})

describe('in the logs', () => {
  test('finds nothing where nothing is wrong, and counts what there is', async () => {
    const { pool } = service.database
    const audited = await auditStorm({ pool, organization, calls: lines, serviceLog: '', deadlineMs: 5_000 })
    expect(audited.problems).toEqual([])
    expect(audited.tally).toEqual({
      sent: 8,
      acknowledged: 7,
      refused: 1,
      unknown: 0,
      resentAndFound: 0,
      lost: 0,
      doubled: 0,
      answers503: 0,
      slowestMs: 10,
    })
  })

  test.each([
    {
      harm: 'two sales that were told they redeemed one coupon',
      log: () => {
        const redeeming = lines.find(
          (line): line is Answered => line.kind === 'answered' && line.call === 'sale-3',
        )!
        const redeemed = redeeming.actions!.filter(({ type }) => type === 'redeem_coupon')
        forge('sale-2', { actions: redeemed })
      },
      finds: /^cpn_\w+ was redeemed by sale-2 and sale-3$/m,
    },
    {
      harm: 'a refusal of what was done',
      log: () => forge('sale-2', { status: 400, code: 'insufficient_points' }),
      finds: /^sale-2: refused, yet \w+ is there$/m,
    },
    {
      harm: 'two answers that name two transactions',
      log: () =>
        lines.push({
          kind: 'answered',
          at: 1_020,
          call: 'sale-2',
          attempt: 1,
          status: 201,
          isReplay: true,
          id: 'txn_0',
        }),
      finds: /^sale-2: answered as \w+ and 0$/m,
    },
    {
      harm: 'a call that never got an answer that settles it',
      log: () => forge('refused', { status: 503, retryAfter: '1' }),
      finds: /^refused: sent 1 times and never settled$/m,
    },
    {
      harm: 'a 500',
      log: () => forge('refused', { status: 500 }),
      finds: /^refused.1: answered 500$/m,
    },
    {
      harm: 'a 503 that does not say when to come back',
      log: () => forge('refused', { status: 503 }),
      finds: /^refused.1: 503 without Retry-After$/m,
    },
    {
      harm: 'a 503 that the service kept to itself',
      log: () => forge('refused', { status: 503, retryAfter: '1' }),
      finds: /^refused.1: 503 is not logged$/m,
    },
    {
      harm: 'an answer that came too late',
      log: () => forge('sale-1', { at: 1_000 + 5_001 }),
      finds: /^sale-1.1: answered 201 after 5001 ms$/m,
    },
  ])('finds $harm', async ({ log, finds }) => {
    log()
    expect(await findProblems()).toMatch(finds)
  })

  test('a 503 that the service logged is none it kept to itself', async () => {
    forge('refused', { status: 503, retryAfter: '1' })
    expect(
      await findProblems({
        serviceLog: '{"level":40,"reqId":"refused.1","msg":"the database is not available"}',
      }),
    ).not.toMatch(/is not logged/)
  })
})
