/** Whom messages can go to: customers who can be reached and, for marketing, have agreed to it. */
import { couponStatus } from '../domain/coupon.ts'
import { customerStatus } from '../domain/customer.ts'
import type { CouponId, CustomerId } from '../domain/ids.ts'
import { type Channel, marketingPurpose } from '../domain/message.ts'
import { idFrom, many, type Tenant, uuidOf } from './tenant.ts'

const hasConsented = `(c.consents ->> '${marketingPurpose}') = 'true'`
const isActive = `c.status = ${customerStatus.active}`

/** The first of the channels on which each of them can be reached; those who cannot be are left out. */
export async function listReachable(
  tenant: Tenant,
  customers: readonly CustomerId[],
  channels: readonly Channel[],
  isMarketing: boolean,
): Promise<Map<CustomerId, Channel>> {
  if (customers.length === 0 || channels.length === 0) return new Map()
  const rows = await many<{ id: string; email: boolean; sms: boolean }>(
    tenant.db,
    `SELECT c.id, c.email IS NOT NULL AND c.email_bounced_at IS NULL AS email,
       c.phone IS NOT NULL AND c.phone_bounced_at IS NULL AS sms FROM customers c
     WHERE c.org_id = $1 AND c.id = ANY($2::uuid[]) AND ${isActive} AND ($3 = false OR ${hasConsented})`,
    [tenant.orgId, [...new Set(customers)].map(uuidOf), isMarketing],
  )
  return new Map(
    rows.flatMap((row) => {
      const channel = channels.find((each) => row[each])
      return channel ? [[idFrom('cus', row.id), channel] as const] : []
    }),
  )
}

export interface ExpiringCoupon {
  readonly coupon: CouponId
  readonly customer: CustomerId
}

/** Coupons that can be used now and expire within the time. */
export async function listExpiringCoupons(
  tenant: Tenant,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<ExpiringCoupon[]> {
  const rows = await many<{ id: string; customer_id: string }>(
    tenant.db,
    `SELECT k.id, k.customer_id FROM coupons k JOIN customers c ON c.org_id = $1 AND c.id = k.customer_id
     WHERE k.org_id = $1 AND k.status = ${couponStatus.active} AND k.expires_at > $2 AND k.expires_at <= $3
       AND ${isActive} AND ${hasConsented}`,
    [tenant.orgId, from, to],
  )
  return rows.map((row) => ({ coupon: idFrom('cpn', row.id), customer: idFrom('cus', row.customer_id) }))
}

export interface ExpiringPoints {
  readonly customer: CustomerId
  readonly key: string
  readonly amount: number
  readonly decimals: number
  readonly at: Date
}

/** What expires within the time, by customer and balance, with the first time of it. */
export async function listExpiringPoints(
  tenant: Tenant,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<ExpiringPoints[]> {
  const rows = await many<{
    customer_id: string
    key: string
    amount: string
    decimals: number
    at: Date
  }>(
    tenant.db,
    `SELECT l.customer_id, l.key, sum(l.remaining) AS amount, d.decimals, min(l.expires_at) AS at
     FROM lots l JOIN balance_definitions d ON d.org_id = $1 AND d.key = l.key
       JOIN customers c ON c.org_id = $1 AND c.id = l.customer_id
     WHERE l.org_id = $1 AND l.remaining > 0 AND l.expires_at > $2 AND l.expires_at <= $3
       AND ${isActive} AND ${hasConsented}
     GROUP BY l.customer_id, l.key, d.decimals`,
    [tenant.orgId, from, to],
  )
  return rows.map(({ customer_id, key, amount, decimals, at }) => ({
    customer: idFrom('cus', customer_id),
    key,
    amount: Number(amount),
    decimals,
    at,
  }))
}

export interface LookedAt {
  readonly customer: CustomerId
  /** As the merchant wrote it. */
  readonly birthday?: string
  readonly lastActivityAt?: Date
}

/** Customers who agreed to marketing, in the order of their ids. */
export async function listConsenting(
  tenant: Tenant,
  page: { readonly after?: CustomerId; readonly limit: number },
): Promise<LookedAt[]> {
  const rows = await many<{ id: string; birthday: string | null; last_activity_at: Date | null }>(
    tenant.db,
    `SELECT c.id, c.meta_data ->> 'birthday' AS birthday, w.last_activity_at
     FROM customers c LEFT JOIN wallets w ON w.org_id = $1 AND w.customer_id = c.id
     WHERE c.org_id = $1 AND ($2::uuid IS NULL OR c.id > $2) AND ${isActive} AND ${hasConsented}
     ORDER BY c.id LIMIT $3`,
    [tenant.orgId, page.after ? uuidOf(page.after) : null, page.limit],
  )
  return rows.map((row) => ({
    customer: idFrom('cus', row.id),
    birthday: row.birthday ?? undefined,
    lastActivityAt: row.last_activity_at ?? undefined,
  }))
}

/** Nothing is sent to the address until it changes, or a code comes back from it. */
export async function updateBounced(
  tenant: Tenant,
  id: CustomerId,
  channel: Channel,
  now: Date,
): Promise<void> {
  const column = channel === 'email' ? 'email_bounced_at' : 'phone_bounced_at'
  await tenant.db.query(`UPDATE customers SET ${column} = $3 WHERE org_id = $1 AND id = $2`, [
    tenant.orgId,
    uuidOf(id),
    now,
  ])
}
