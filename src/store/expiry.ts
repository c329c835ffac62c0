/** Finds what has expired but was not booked yet. */

import { couponStatus } from '../domain/coupon.ts'
import { customerStatus } from '../domain/customer.ts'
import type { CustomerId } from '../domain/ids.ts'
import { idFrom, many, type Tenant, uuidOf } from './tenant.ts'

/** Erased customers keep what they had: it cannot be used any more, and the sums stay unchanged. */
export async function listCustomersWithExpiredLots(
  tenant: Tenant,
  now: Date,
  limit: number,
): Promise<CustomerId[]> {
  return customers(
    tenant,
    `SELECT DISTINCT customer_id FROM (
       SELECT l.customer_id FROM lots l JOIN customers c ON c.org_id = l.org_id AND c.id = l.customer_id
       WHERE l.org_id = $1 AND l.remaining > 0 AND l.expires_at <= $2 AND c.status <> ${customerStatus.erased}
       ORDER BY l.expires_at LIMIT $3) l ORDER BY customer_id`,
    [now, limit],
  )
}

export async function listCustomersWithExpiredCoupons(
  tenant: Tenant,
  now: Date,
  limit: number,
): Promise<CustomerId[]> {
  return customers(
    tenant,
    `SELECT DISTINCT customer_id FROM (
       SELECT customer_id FROM coupons WHERE org_id = $1 AND status = ${couponStatus.active} AND expires_at <= $2
       ORDER BY expires_at LIMIT $3) c ORDER BY customer_id`,
    [now, limit],
  )
}

/**
 * The next customers without a basket since `before` who still hold one of the balances. There is no index on
 * the last activity, since it would make every basket pay for a job that runs once in a while; the job walks
 * through the wallets in key order instead.
 */
export async function listIdleCustomers(
  tenant: Tenant,
  keys: readonly string[],
  before: Date,
  page: { after?: CustomerId; limit: number },
): Promise<CustomerId[]> {
  return customers(
    tenant,
    `SELECT w.customer_id FROM wallets w
     WHERE w.org_id = $1 AND ($4::uuid IS NULL OR w.customer_id > $4) AND w.last_activity_at <= $3
       AND EXISTS (SELECT 1 FROM balances b WHERE b.org_id = $1 AND b.customer_id = w.customer_id
                   AND b.key = ANY($2::text[]) AND b.value > 0)
     ORDER BY w.customer_id LIMIT $5`,
    [keys, before, page.after ? uuidOf(page.after) : null, page.limit],
  )
}

async function customers(tenant: Tenant, text: string, values: unknown[]): Promise<CustomerId[]> {
  const rows = await many<{ customer_id: string }>(tenant.db, text, [tenant.orgId, ...values])
  return rows.map((row) => idFrom('cus', row.customer_id))
}
