/** Reads what it is decided on which old sales can be archived. `archive.ts` archives them. */
import { couponStatus } from '../../domain/coupon.ts'
import { customerStatus } from '../../domain/customer.ts'
import { firstIdAt, idsWithin } from '../new-id.ts'
import { many, maybeOne, type Tenant } from '../tenant.ts'

/** The oldest entries of a balance, up to a version, and what they leave. */
export interface ArchivedBalance {
  readonly customer: string
  readonly key: string
  readonly version: number
  readonly value: number
  readonly total: number
  readonly shortfall: number
  /** The part of the total that came from sales. */
  readonly sold: number
  readonly soldUntil?: Date
}

export interface OldSale {
  readonly id: string
  readonly customer: string
  readonly createdAt: Date
  /** It was returned, in whole or in part, after the date. */
  readonly isReturnedLately: boolean
  /** A coupon that it granted can still be used. */
  readonly hasUsableCoupon: boolean
}

export interface OldEntry {
  readonly customer: string
  readonly key: string
  readonly version: number
  readonly walletVersion: number
  readonly kind: string
  readonly amount: number
  readonly valueAfter: number
  readonly totalAfter: number
  readonly shortfall: number
  readonly sale?: string
  /** There are units left in the lot that it opened. */
  readonly hasOpenLot: boolean
}

/** Up to when the sales of a customer count as aged for all thresholds on the total of a balance. */
export interface AgedUntil {
  readonly customer: string
  readonly key: string
  readonly until: Date
}

/** What it is decided on which sales of some customers can be archived. */
export interface Histories {
  readonly wallets: readonly { customer: string; version: number; isErased: boolean }[]
  readonly archived: readonly ArchivedBalance[]
  readonly sales: readonly OldSale[]
  /** In the order of their versions. */
  readonly entries: readonly OldEntry[]
  readonly aged: readonly AgedUntil[]
}

/** Estimated by their ids: a few around the date may belong to the other side. */
export async function countOldSales(tenant: Tenant, before: Date): Promise<number> {
  const row = await maybeOne<{ count: number }>(
    tenant.db,
    'SELECT count(*) AS count FROM transactions WHERE org_id = $1 AND id < $2',
    [tenant.orgId, firstIdAt(before)],
  )
  return row!.count
}

/** The next customers with sales from before the date, and how many they have. */
export async function listCustomersWithOldSales(
  tenant: Tenant,
  before: Date,
  { after = firstIdAt(new Date(0)), limit }: { readonly after?: string; readonly limit: number },
): Promise<{ customer: string; sales: number }[]> {
  return many(
    tenant.db,
    `SELECT customer_id AS customer, count(*) AS sales FROM transactions
     WHERE org_id = $1 AND id < $2 AND customer_id > $3
     GROUP BY customer_id ORDER BY customer_id LIMIT $4`,
    [tenant.orgId, firstIdAt(before), after, limit],
  )
}

/** The versions of the wallets are read first, so that a change between two of the statements is noticed. */
export async function listHistories(
  tenant: Tenant,
  customers: readonly string[],
  { before, now }: { readonly before: Date; readonly now: Date },
): Promise<Histories> {
  const ask = <R extends object>(text: string, ...values: unknown[]) =>
    many<R & Record<string, unknown>>(tenant.db, text, [tenant.orgId, customers, ...values]) as Promise<R[]>
  const wallets = await ask<Histories['wallets'][number]>(
    `SELECT w.customer_id AS customer, w.version, c.status = ${customerStatus.erased} AS "isErased"
       FROM wallets w JOIN customers c ON c.org_id = $1 AND c.id = w.customer_id
       WHERE w.org_id = $1 AND w.customer_id = ANY($2::uuid[]) ORDER BY w.customer_id`,
  )
  const sales = await ask<OldSale>(
    `SELECT t.id, t.customer_id AS customer, t.created_at AS "createdAt",
         EXISTS (SELECT 1 FROM returns r WHERE r.org_id = $1 AND r.transaction_id = t.id AND r.created_at >= $3)
           AS "isReturnedLately",
         EXISTS (SELECT 1 FROM coupons c WHERE c.org_id = $1 AND c.customer_id = t.customer_id
           AND c.status = ${couponStatus.active} AND c.granted_by = t.id) AS "hasUsableCoupon"
       FROM transactions t
       WHERE t.org_id = $1 AND t.customer_id = ANY($2::uuid[]) AND t.id < $4 AND t.created_at < $3 ORDER BY t.id`,
    before,
    idsWithin({ to: before }).most,
  )
  return {
    wallets,
    sales,
    archived: await ask(
      `SELECT customer_id AS customer, key, version, value, total, shortfall, sold, sold_until AS "soldUntil"
       FROM archived_balances WHERE org_id = $1 AND customer_id = ANY($2::uuid[])`,
    ),
    entries: await ask(
      `SELECT e.customer_id AS customer, e.key, e.version, e.wallet_version AS "walletVersion", e.kind, e.amount,
         e.value_after AS "valueAfter", e.total_after AS "totalAfter", coalesce(e.shortfall, 0) AS shortfall,
         e.transaction_id AS sale, coalesce(l.remaining, 0) > 0 AS "hasOpenLot"
       FROM ledger_entries e LEFT JOIN lots l
         ON l.org_id = $1 AND l.customer_id = e.customer_id AND l.key = e.key AND l.version = e.version
       WHERE e.org_id = $1 AND e.customer_id = ANY($2::uuid[]) AND (e.created_at < $3 OR e.transaction_id = ANY($4::uuid[]))
       ORDER BY e.customer_id, e.key, e.version`,
      before,
      sales.map(({ id }) => id),
    ),
    aged: await ask(
      `SELECT customer_id AS customer, balance_key AS key, CASE WHEN min(expires_at) <= $3 THEN greatest(
           max(created_at) FILTER (WHERE expires_at <= $3),
           $3::timestamptz - (array_agg(expires_at - created_at ORDER BY id DESC))[1])
         ELSE min(created_at) END AS until
       FROM coupons WHERE org_id = $1 AND customer_id = ANY($2::uuid[]) AND balance_key IS NOT NULL AND consumed IS NULL
       GROUP BY customer_id, balance_key, campaign_id, at, reward ->> 'key' HAVING min(expires_at) IS NOT NULL`,
      now,
    ),
  }
}
