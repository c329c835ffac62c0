/** Finds what has expired but was not booked yet, and when something expires next. */

import type { WireRow } from '../database/pipeline.ts'
import { couponStatus } from '../domain/coupon.ts'
import { customerStatus } from '../domain/customer.ts'
import type { CustomerId } from '../domain/ids.ts'
import { texts } from './pg-arrays.ts'
import { ask, type Question, question } from './question.ts'
import { idFrom, type Tenant, uuidOf } from './tenant.ts'

const ms = (column: string) => `(date_part('epoch', ${column}) * 1000)::bigint`

// Erased customers keep what they had: it cannot be used any more, and the sums stay unchanged. A sub-select
// and not a join, so that lots are read in the order of their expiry, and no more of them than are needed.
const expiring = (comparison: string) => ({
  lots: `FROM lots l
     WHERE l.org_id = $1::integer AND l.remaining > 0 AND l.expires_at ${comparison} $2::timestamptz
       AND (SELECT c.status FROM customers c WHERE c.org_id = $1::integer AND c.id = l.customer_id) <> ${customerStatus.erased}
     ORDER BY l.expires_at`,
  coupons: `FROM coupons
     WHERE org_id = $1::integer AND status = ${couponStatus.active} AND expires_at ${comparison} $2::timestamptz
     ORDER BY expires_at`,
})
const past = expiring('<=')
const future = expiring('>')

/** Customers with lots or coupons that have expired, the first to expire first, in the order of their ids. */
export function expiredCustomers({ orgId }: Tenant, now: Date, limit: number): Question<CustomerId[]> {
  return question(
    'expired-customers',
    `SELECT DISTINCT customer_id FROM (
       (SELECT l.customer_id ${past.lots} LIMIT $3::integer)
       UNION ALL (SELECT customer_id ${past.coupons} LIMIT $3::integer)) x ORDER BY customer_id`,
    [String(orgId), now.toISOString(), String(limit)],
    (rows) => rows.map(([customer]) => idFrom('cus', customer!)),
  )
}

/** When the next lot or coupon expires, after now. */
export function nextExpiry({ orgId }: Tenant, now: Date): Question<Date | undefined> {
  return question(
    'next-expiry',
    `SELECT ${ms(`least((SELECT l.expires_at ${future.lots} LIMIT 1), (SELECT expires_at ${future.coupons} LIMIT 1))`)}`,
    [String(orgId), now.toISOString()],
    ([row]) => (row?.[0] ? new Date(Number(row[0])) : undefined),
  )
}

/** A balance of a customer, and the last time that the customer was active. */
export interface HeldSince {
  readonly customer: CustomerId
  readonly key: string
  readonly since: Date
}

export interface IdlePage {
  /** Those whose customers were not active since `before`. */
  readonly idle: readonly HeldSince[]
  /** The earliest activity of the others, for each balance. */
  readonly others: readonly Omit<HeldSince, 'customer'>[]
  /** The last customer of the page; undefined if there are no more pages. */
  readonly last?: CustomerId
}

/**
 * The next page of an organization's wallets, as far as they hold one of the balances. There is no index on
 * the last activity, since it would make every basket pay for a job that runs once in a while; the job walks
 * through the wallets in key order instead, and no page takes longer than its number of wallets. `OFFSET 0`
 * keeps the planner from comparing each wallet of the page with all balances.
 */
export async function listIdlePage(
  tenant: Tenant,
  keys: readonly string[],
  before: Date,
  page: { readonly after?: CustomerId; readonly limit: number },
): Promise<IdlePage> {
  const idlePage = question(
    page.after ? 'next-idle-page' : 'first-idle-page',
    `WITH page AS MATERIALIZED (
       SELECT customer_id, last_activity_at FROM wallets
       WHERE org_id = $1::integer${page.after ? ' AND customer_id > $5::uuid' : ''} ORDER BY customer_id LIMIT $4::integer),
     held AS MATERIALIZED (
       SELECT p.customer_id, p.last_activity_at, b.key
       FROM page p CROSS JOIN LATERAL (
         SELECT key FROM balances WHERE org_id = $1::integer AND customer_id = p.customer_id
           AND key = ANY($2::text[]) AND value > 0 OFFSET 0) b)
     SELECT 'idle', customer_id, key, ${ms('last_activity_at')} FROM held WHERE last_activity_at <= $3::timestamptz
     UNION ALL SELECT 'others', NULL, key, ${ms('min(last_activity_at)')} FROM held
       WHERE last_activity_at > $3::timestamptz GROUP BY key
     UNION ALL (SELECT 'last', customer_id, NULL, NULL FROM page ORDER BY customer_id OFFSET $4::integer - 1)`,
    [
      String(tenant.orgId),
      texts(keys),
      before.toISOString(),
      String(page.limit),
      ...(page.after ? [uuidOf(page.after)] : []),
    ],
    (rows): IdlePage => {
      const of = (kind: string) => rows.filter(([first]) => first === kind)
      const held = ([, , key, since]: WireRow) => ({ key: key!, since: new Date(Number(since)) })
      return {
        idle: of('idle').map((row) => ({ ...held(row), customer: idFrom('cus', row[1]!) })),
        others: of('others').map(held),
        last: of('last').map((row) => idFrom('cus', row[1]!))[0],
      }
    },
  )
  return (await ask(tenant, { idlePage })).idlePage
}
