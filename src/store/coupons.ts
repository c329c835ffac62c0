/** Coupons. A coupon changes hands only under its customer's wallet lock, and every change demands the state it starts from. */
import { type Coupon, type CouponStatus, couponStatus, type Reward } from '../domain/coupon.ts'
import type { CampaignId, CouponId, CustomerId, TransactionId } from '../domain/ids.ts'
import { idsWithin } from './new-id.ts'
import { idFrom, many, maybeOne, type Scope, uuidOf, whereAll } from './scope.ts'

export interface CouponRecord extends Coupon {
  readonly customer: CustomerId
  readonly grantedBy?: TransactionId
  readonly redeemedBy?: TransactionId
  readonly createdAt: Date
}

interface CouponRow {
  id: string
  customer_id: string
  campaign_id: string
  status: CouponStatus
  reward: Reward
  expires_at: Date | null
  granted_by: string | null
  redeemed_by: string | null
  created_at: Date
}

const toCoupon = (row: CouponRow): CouponRecord => ({
  id: idFrom('cpn', row.id),
  customer: idFrom('cus', row.customer_id),
  campaign: idFrom('cmp', row.campaign_id),
  status: row.status,
  reward: row.reward,
  expiresAt: row.expires_at ?? undefined,
  grantedBy: row.granted_by ? idFrom('txn', row.granted_by) : undefined,
  redeemedBy: row.redeemed_by ? idFrom('txn', row.redeemed_by) : undefined,
  createdAt: row.created_at,
})

export async function findCoupon(scope: Scope, id: CouponId): Promise<CouponRecord | undefined> {
  const row = await maybeOne<CouponRow>(scope.db, 'SELECT * FROM coupons WHERE org_id = $1 AND id = $2', [
    scope.org,
    uuidOf(id),
  ])
  return row && toCoupon(row)
}

export async function listCouponsByIds(scope: Scope, ids: readonly CouponId[]): Promise<CouponRecord[]> {
  if (ids.length === 0) return []
  const rows = await many<CouponRow>(
    scope.db,
    'SELECT * FROM coupons WHERE org_id = $1 AND id = ANY($2::uuid[])',
    [scope.org, ids.map(uuidOf)],
  )
  return rows.map(toCoupon)
}

export interface CouponFilter {
  readonly customer?: CustomerId
  readonly campaign?: CampaignId
  /** As a reader sees it: an active coupon that has run out is expired. */
  readonly status?: CouponStatus
  /** Granted within. */
  readonly from?: Date
  readonly to?: Date
}

const hasRunOut = `status = ${couponStatus.active} AND expires_at <= $`
const conditionOf: Partial<Record<CouponStatus, string>> = {
  [couponStatus.active]: `status = ${couponStatus.active} AND (expires_at IS NULL OR expires_at > $)`,
  [couponStatus.expired]: `(status = ${couponStatus.expired} OR ${hasRunOut})`,
}
/** With the condition of their index, as in the list of transactions. */
const isRevoked = `status = $ AND status IN (${couponStatus.expired}, ${couponStatus.revoked})`

/** Newest first. */
export async function listCoupons(
  scope: Scope,
  filter: CouponFilter,
  page: { limit: number; after?: CouponId },
  now: Date,
): Promise<CouponRecord[]> {
  const { least, most } = idsWithin(filter)
  const timed = filter.status && conditionOf[filter.status]
  const where = whereAll(
    [
      ['id < $', page.after && uuidOf(page.after)],
      ['customer_id = $', filter.customer && uuidOf(filter.customer)],
      ['campaign_id = $', filter.campaign && uuidOf(filter.campaign)],
      timed
        ? [timed, now]
        : [filter.status === couponStatus.revoked ? isRevoked : 'status = $', filter.status],
      ['id >= $', least],
      ['created_at >= $', filter.from],
      ['id < $', most],
      ['created_at < $', filter.to],
    ],
    3,
  )
  const rows = await many<CouponRow>(
    scope.db,
    `SELECT * FROM coupons WHERE org_id = $1${where.text} ORDER BY id DESC LIMIT $2`,
    [scope.org, page.limit, ...where.values],
  )
  return rows.map(toCoupon)
}

export async function insertCoupon(scope: Scope, coupon: CouponRecord): Promise<void> {
  await scope.db.query(
    `INSERT INTO coupons (org_id, id, customer_id, campaign_id, status, reward, expires_at, granted_by, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)`,
    [
      scope.org,
      uuidOf(coupon.id),
      uuidOf(coupon.customer),
      uuidOf(coupon.campaign),
      coupon.status,
      JSON.stringify(coupon.reward),
      coupon.expiresAt ?? null,
      coupon.grantedBy ? uuidOf(coupon.grantedBy) : null,
      coupon.createdAt,
    ],
  )
}

/** Takes back every coupon that is still active; returns which. */
export async function revokeActiveCoupons(
  scope: Scope,
  customer: CustomerId,
  now: Date,
  only?: CouponId,
): Promise<CouponId[]> {
  const rows = await many<{ id: string }>(
    scope.db,
    `UPDATE coupons SET status = ${couponStatus.revoked}, updated_at = $3
     WHERE org_id = $1 AND customer_id = $2 AND status = ${couponStatus.active} AND ($4::uuid IS NULL OR id = $4)
     RETURNING id`,
    [scope.org, uuidOf(customer), now, only ? uuidOf(only) : null],
  )
  return rows.map((row) => idFrom('cpn', row.id))
}
