import type { Pool, QueryConfig } from 'pg'

/**
 * Checks what must hold in any database, over all organizations: ledger entries explain the balances, coupons
 * are used once, and every transaction is counted, and has its event, exactly once.
 */
export async function audit(pool: Pool): Promise<string[]> {
  const problems: string[] = []
  const client = await pool.connect()
  try {
    // Unlike any request, these queries read everything at once, so they need statistics and full scans.
    await client.query('ANALYZE')
    await client.query('SET plan_cache_mode = auto; SET enable_seqscan = on; SET statement_timeout = 0')
    for (const [what, sql] of Object.entries(checks)) {
      const { rows } = await client.query({ text: sql, query_timeout: 60_000 } as QueryConfig)
      for (const row of rows.slice(0, 5)) problems.push(`${what}: ${JSON.stringify(row)}`)
      if (rows.length > 5) problems.push(`${what}: and ${rows.length - 5} more`)
    }
  } finally {
    client.release(true)
  }
  return problems
}

/** Each query finds rows that should not exist. */
const checks = {
  'a balance is not the sum of its entries': `
    SELECT b.org_id, b.customer_id, b.key, b.value, coalesce(sum(e.amount), 0) AS entries
    FROM balances b LEFT JOIN ledger_entries e USING (org_id, customer_id, key)
    GROUP BY b.org_id, b.customer_id, b.key HAVING b.value <> coalesce(sum(e.amount), 0)`,

  'the versions of a balance have a gap': `
    SELECT b.org_id, b.customer_id, b.key, b.version, count(e.version) AS entries, max(e.version) AS newest
    FROM balances b LEFT JOIN ledger_entries e USING (org_id, customer_id, key)
    GROUP BY b.org_id, b.customer_id, b.key
    HAVING b.version <> count(e.version) OR coalesce(max(e.version), 0) <> b.version
      OR coalesce(min(e.version), 1) <> 1`,

  'an entry does not carry the balance after it': `
    SELECT * FROM (
      SELECT org_id, customer_id, key, version, value_after,
        sum(amount) OVER (PARTITION BY org_id, customer_id, key ORDER BY version) AS running
      FROM ledger_entries) e
    WHERE value_after <> running`,

  'the newest entry does not carry the total': `
    SELECT b.org_id, b.customer_id, b.key, b.total, e.total_after
    FROM balances b JOIN ledger_entries e USING (org_id, customer_id, key, version)
    WHERE b.total <> e.total_after`,

  'an entry has no balance': `
    SELECT e.* FROM ledger_entries e LEFT JOIN balances b USING (org_id, customer_id, key)
    WHERE b.key IS NULL`,

  'an entry belongs to no transaction there is': `
    SELECT e.* FROM ledger_entries e
    LEFT JOIN transactions t ON t.org_id = e.org_id AND t.id = e.transaction_id AND t.customer_id = e.customer_id
    WHERE e.transaction_id IS NOT NULL AND t.id IS NULL`,

  'a balance is below zero, and no card of the customer allows it': `
    SELECT b.org_id, b.customer_id, b.key, b.value FROM balances b WHERE b.value < 0 AND NOT EXISTS (
      SELECT FROM cards c JOIN campaign_versions v USING (org_id, campaign_id)
      WHERE c.org_id = b.org_id AND c.customer_id = b.customer_id
        AND v.definition ->> 'onInsufficientBalance' = 'negative')`,

  'lots hold more than their balance': `
    SELECT b.org_id, b.customer_id, b.key, b.value, sum(l.remaining) AS lots
    FROM balances b JOIN lots l USING (org_id, customer_id, key)
    GROUP BY b.org_id, b.customer_id, b.key HAVING sum(l.remaining) > greatest(b.value, 0)`,

  'a coupon was redeemed by more or fewer sales than one': `
    SELECT c.org_id, c.id, c.status, count(t.id) AS sales FROM coupons c
    LEFT JOIN events e ON e.org_id = c.org_id AND e.type = 'coupon.redeemed'
      AND e.data ->> 'coupon' = 'cpn_' || replace(c.id::text, '-', '')
    LEFT JOIN transactions t ON t.org_id = c.org_id AND t.customer_id = c.customer_id AND t.status <> 3
      AND e.data ->> 'transaction' = 'txn_' || replace(t.id::text, '-', '')
    GROUP BY c.org_id, c.id HAVING count(t.id) <> CASE WHEN c.status = 3 THEN 1 ELSE 0 END`,

  'a coupon names another sale than the one that redeemed it': `
    SELECT c.org_id, c.id, c.redeemed_by FROM coupons c WHERE c.status = 3 AND NOT EXISTS (
      SELECT 1 FROM events e WHERE e.org_id = c.org_id AND e.type = 'coupon.redeemed'
        AND e.data ->> 'coupon' = 'cpn_' || replace(c.id::text, '-', '')
        AND e.data ->> 'transaction' = 'txn_' || replace(c.redeemed_by::text, '-', ''))`,

  'a coupon was told to be granted more or less than once': `
    SELECT c.org_id, c.id, count(e.id) AS events FROM coupons c
    LEFT JOIN events e ON e.org_id = c.org_id AND e.type = 'coupon.granted'
      AND e.data ->> 'coupon' = 'cpn_' || replace(c.id::text, '-', '')
    GROUP BY c.org_id, c.id HAVING count(e.id) <> 1`,

  'a transaction was told more or less than once': `
    SELECT t.org_id, t.id, count(e.id) AS events FROM transactions t
    LEFT JOIN events e ON e.org_id = t.org_id AND e.type = 'transaction.processed'
      AND e.data ->> 'transaction' = 'txn_' || replace(t.id::text, '-', '')
    GROUP BY t.org_id, t.id HAVING count(e.id) <> 1`,

  'an event tells of a transaction there is not': `
    SELECT e.org_id, e.data FROM events e
    LEFT JOIN transactions t ON t.org_id = e.org_id
      AND e.data ->> 'transaction' = 'txn_' || replace(t.id::text, '-', '')
    WHERE e.type = 'transaction.processed' AND t.id IS NULL`,

  'the events of an organization are not numbered without gaps': `
    SELECT c.org_id, c.oldest_position, c.last_position, count(e.id) AS events, max(e.position) AS last
    FROM event_counters c LEFT JOIN events e ON e.org_id = c.org_id GROUP BY c.org_id
    HAVING count(e.id) <> c.last_position - c.oldest_position + 1
      OR coalesce(min(e.position), c.oldest_position) <> c.oldest_position
      OR coalesce(max(e.position), c.last_position) <> c.last_position`,

  'a wallet miscounts the baskets with a line or an amount': `
    SELECT w.org_id, w.customer_id, w.transaction_count, count(t.id) AS transactions
    FROM wallets w LEFT JOIN transactions t
      ON t.org_id = w.org_id AND t.customer_id = w.customer_id AND ((t.basket -> 'lines') IS NOT NULL
        OR (t.result -> 0 ->> 0)::bigint > 0 OR (t.result -> 0 ->> 1)::bigint > 0)
    GROUP BY w.org_id, w.customer_id HAVING w.transaction_count <> count(t.id)`,

  'a customer has no wallet': `
    SELECT c.org_id, c.id FROM customers c
    LEFT JOIN wallets w ON w.org_id = c.org_id AND w.customer_id = c.id WHERE w.customer_id IS NULL`,

  'a customer was told to be created more than once': `
    SELECT c.org_id, c.id, count(e.id) AS events FROM customers c
    JOIN events e ON e.org_id = c.org_id AND e.type = 'customer.created'
      AND e.data ->> 'customer' = 'cus_' || replace(c.id::text, '-', '')
    GROUP BY c.org_id, c.id HAVING count(e.id) <> 1`,

  'a customer was not told to be created, and not imported either': `
    SELECT c.org_id, count(*) AS customers, coalesce(min(i.imported), 0) AS imported FROM customers c
    LEFT JOIN (SELECT p.org_id, sum(p.created) AS imported FROM import_chunks p JOIN imports m ON m.org_id = p.org_id
        AND m.id = p.import_id AND m.kind = 'customers' AND NOT m.is_dry_run GROUP BY p.org_id) i ON i.org_id = c.org_id
    WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.org_id = c.org_id AND e.type = 'customer.created'
      AND e.data ->> 'customer' = 'cus_' || replace(c.id::text, '-', ''))
    GROUP BY c.org_id HAVING count(*) <> coalesce(min(i.imported), 0)`,

  'an idempotency key was kept without an answer': `
    SELECT org_id, route, key FROM idempotency_keys WHERE status = 0`,
}
