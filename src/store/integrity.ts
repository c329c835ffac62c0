/**
 * Proves that nothing was lost, duplicated or spent twice. It reads only the database, in chunks, so that it
 * can check millions of entries without holding them in memory. Each function checks the customers after one
 * id and returns the last one checked.
 */
import { couponStatus } from '../domain/coupon.ts'
import type { CustomerId } from '../domain/ids.ts'
import { transactionStatus } from '../domain/transaction.ts'
import { idFrom, many, maybeOne, type Tenant, uuidOf } from './tenant.ts'

export interface Problem {
  readonly kind: 'balance' | 'coupon' | 'report'
  readonly customer?: CustomerId
  readonly description: string
}

export interface Piece {
  readonly balances: number
  readonly entries: number
  readonly problems: readonly Problem[]
  /** The last customer checked; undefined at the end. */
  readonly last?: CustomerId
}

const customersPerPiece = 2_000

/**
 * For each balance: the entries add up to the value, their versions run from 1 without a gap, each carries
 * the resulting balance, and the balance is at the last of them. Their changes of the shortfall add up to it.
 * The lots of a balance hold no more than its value. Where the oldest entries are archived, the others go on
 * from what these have left.
 */
const checkText = `
WITH customer AS (
  SELECT customer_id FROM wallets WHERE org_id = $1 AND ($2::uuid IS NULL OR customer_id > $2)
  ORDER BY customer_id LIMIT ${customersPerPiece}),
archived AS (
  SELECT a.* FROM archived_balances a JOIN customer c ON c.customer_id = a.customer_id WHERE a.org_id = $1),
entry AS (
  SELECT e.customer_id, e.key, e.version, e.amount, e.value_after, e.total_after, e.shortfall,
    coalesce(lag(e.value_after) OVER w, a.value, 0) AS value_before,
    coalesce(lag(e.version) OVER w, a.version, 0) AS version_before
  FROM ledger_entries e JOIN customer c ON c.customer_id = e.customer_id
  LEFT JOIN archived a ON a.customer_id = e.customer_id AND a.key = e.key WHERE e.org_id = $1
  WINDOW w AS (PARTITION BY e.customer_id, e.key ORDER BY e.version)),
summed AS (
  SELECT customer_id, key, count(*) AS entries, sum(amount) AS amount, max(version) AS version,
    coalesce(sum(shortfall), 0) AS shortfall,
    bool_and(version = version_before + 1) AS is_gapless,
    bool_and(value_after = value_before + amount) AS is_chained,
    (array_agg(total_after ORDER BY version DESC))[1] AS total
  FROM entry GROUP BY customer_id, key),
explained AS (
  SELECT coalesce(s.customer_id, a.customer_id) AS customer_id, coalesce(s.key, a.key) AS key, s.entries,
    coalesce(a.value, 0) + coalesce(s.amount, 0) AS amount, coalesce(s.version, a.version) AS version,
    coalesce(a.shortfall, 0) + coalesce(s.shortfall, 0) AS shortfall, coalesce(s.is_gapless, true) AS is_gapless,
    coalesce(s.is_chained, true) AS is_chained, coalesce(s.total, a.total) AS total
  FROM summed s FULL JOIN archived a ON a.customer_id = s.customer_id AND a.key = s.key),
lot AS (
  SELECT l.customer_id, l.key, sum(l.remaining) AS remaining FROM lots l JOIN customer c ON c.customer_id = l.customer_id
  WHERE l.org_id = $1 GROUP BY l.customer_id, l.key),
checked AS (
  SELECT coalesce(b.customer_id, s.customer_id) AS customer_id, coalesce(b.key, s.key) AS key, s.entries,
    CASE
      WHEN b.key IS NULL THEN 'entries without a balance'
      WHEN coalesce(s.amount, 0) <> b.value THEN format('the entries add up to %s, the balance is %s', coalesce(s.amount, 0), b.value)
      WHEN coalesce(s.version, 0) <> b.version THEN format('the newest entry is version %s, the balance is at %s', coalesce(s.version, 0), b.version)
      WHEN NOT coalesce(s.is_gapless, true) THEN 'a version is missing between its entries'
      WHEN NOT coalesce(s.is_chained, true) THEN 'an entry does not carry the balance after it'
      WHEN coalesce(s.total, 0) <> b.total THEN format('the newest entry has the total %s, the balance %s', coalesce(s.total, 0), b.total)
      WHEN coalesce(s.shortfall, 0) <> b.shortfall THEN format('the entries leave a shortfall of %s, the balance has %s', coalesce(s.shortfall, 0), b.shortfall)
      WHEN coalesce(l.remaining, 0) > greatest(b.value, 0) THEN format('its lots hold %s, the balance is %s', l.remaining, b.value)
      WHEN b.value < 0 AND NOT (b.key = ANY($3::text[])) THEN format('it is %s, and no campaign allows less than 0', b.value)
    END AS problem
  FROM (SELECT b.* FROM balances b JOIN customer c ON c.customer_id = b.customer_id WHERE b.org_id = $1) b
  FULL JOIN explained s ON s.customer_id = b.customer_id AND s.key = b.key
  LEFT JOIN lot l ON l.customer_id = b.customer_id AND l.key = b.key)
SELECT (SELECT max(customer_id::text) FROM customer) AS last, count(*) AS balances, coalesce(sum(entries), 0)::bigint AS entries,
  json_agg(json_build_array(customer_id, key, problem)) FILTER (WHERE problem IS NOT NULL) AS problems
FROM checked`

interface PieceRow {
  last: string | null
  balances: number
  entries: number
  problems: [string, string, string][] | null
}

/** `mayBeNegative` are the balances that some campaign allows to go below zero. */
export async function checkBalances(
  tenant: Tenant,
  after: CustomerId | undefined,
  mayBeNegative: readonly string[],
): Promise<Piece> {
  const row = await maybeOne<PieceRow>(tenant.db, checkText, [
    tenant.orgId,
    after ? uuidOf(after) : null,
    mayBeNegative,
  ])
  return {
    balances: row!.balances,
    entries: row!.entries,
    problems: (row!.problems ?? []).map(([customer, key, problem]) => ({
      kind: 'balance',
      customer: idFrom('cus', customer),
      description: `Balance "${key}": ${problem}.`,
    })),
    last: row!.last ? idFrom('cus', row!.last) : undefined,
  }
}

/**
 * A coupon is redeemed exactly while one sale that was not fully returned has redeemed it. What sales
 * redeemed is read from their packed results (`transaction-codec.ts`).
 */
export async function checkCoupons(tenant: Tenant): Promise<{ coupons: number; problems: Problem[] }> {
  const rows = await many<{
    coupons: number
    id: string | null
    customer_id: string | null
    sales: number
    status: number
  }>(
    tenant.db,
    `WITH redemption AS (
       SELECT coupon, count(*) AS sales FROM (
         SELECT (a->>1)::uuid AS coupon FROM transactions t, json_array_elements(t.result->3) a
         WHERE t.org_id = $1 AND t.status <> ${transactionStatus.returned} AND a->>0 = 'r'
         UNION ALL SELECT unnest(redeemed) FROM archived_transactions WHERE org_id = $1 AND redeemed IS NOT NULL) r
       GROUP BY 1)
     SELECT (SELECT count(*) FROM coupons WHERE org_id = $1) AS coupons, coalesce(c.id, r.coupon) AS id, c.customer_id,
       coalesce(r.sales, 0) AS sales, coalesce(c.status, 0) AS status
     FROM (SELECT id, customer_id, status FROM coupons WHERE org_id = $1) c FULL JOIN redemption r ON r.coupon = c.id
     WHERE coalesce(r.sales, 0) <> (CASE WHEN c.status = ${couponStatus.redeemed} THEN 1 ELSE 0 END)
     UNION ALL SELECT (SELECT count(*) FROM coupons WHERE org_id = $1), NULL, NULL, 0, 0`,
    [tenant.orgId],
  )
  return {
    coupons: rows[0]?.coupons ?? 0,
    problems: rows
      .filter((row) => row.id !== null)
      .map((row) => ({
        kind: 'coupon',
        customer: row.customer_id === null ? undefined : idFrom('cus', row.customer_id),
        description: `Coupon ${idFrom('cpn', row.id!)} has status ${row.status} and is redeemed in ${row.sales} sales.`,
      })),
  }
}

/**
 * No coupon that can be used stands for a multiple of its threshold that the total does not reach: a return
 * that lowers the total revokes it.
 */
export async function checkMultiples(tenant: Tenant): Promise<Problem[]> {
  const rows = await many<{ id: string; customer_id: string; reached: number; total: number }>(
    tenant.db,
    `SELECT p.id, p.customer_id, p.multiple * p.at AS reached, b.total
     FROM coupons p JOIN balances b ON b.org_id = p.org_id AND b.customer_id = p.customer_id AND b.key = p.balance_key
     WHERE p.org_id = $1 AND p.status = ${couponStatus.active} AND p.multiple * p.at > b.total`,
    [tenant.orgId],
  )
  return rows.map((row) => ({
    kind: 'coupon',
    customer: idFrom('cus', row.customer_id),
    description: `Coupon ${idFrom('cpn', row.id)} was granted at ${row.reached} units, the total is ${row.total}.`,
  }))
}

/** Compares the running sums of reports with the ledger and with what was archived of it. */
export async function checkDailySums(tenant: Tenant): Promise<Problem[]> {
  const rows = await many<{ measure: string; key: string; summed: number; counted: number }>(
    tenant.db,
    `WITH summed AS (
       SELECT measure, key, sum(amount) AS amount FROM daily_sums WHERE org_id = $1 AND key <> '' GROUP BY measure, key),
     counted AS (
       SELECT measure, key, sum(amount) AS amount FROM (
         SELECT kind AS measure, key, amount FROM ledger_entries WHERE org_id = $1
         UNION ALL SELECT kind, key, amount FROM archived_sums WHERE org_id = $1) e
       GROUP BY measure, key)
     SELECT measure, key, coalesce(s.amount, 0)::bigint AS summed, coalesce(c.amount, 0)::bigint AS counted
     FROM summed s FULL JOIN counted c USING (measure, key)
     WHERE coalesce(s.amount, 0) <> coalesce(c.amount, 0)`,
    [tenant.orgId],
  )
  return rows.map(({ measure, key, summed, counted }) => ({
    kind: 'report',
    description: `Reports count ${summed} of "${measure}" on balance "${key}", the ledger ${counted}.`,
  }))
}

export async function countCustomers(tenant: Tenant): Promise<number> {
  const row = await maybeOne<{ count: number }>(
    tenant.db,
    'SELECT count(*) AS count FROM wallets WHERE org_id = $1',
    [tenant.orgId],
  )
  return row!.count
}
