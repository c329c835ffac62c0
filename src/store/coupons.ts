/** Reads coupons. They are part of the wallet and are written by `wallets/write.ts`. */
import type { WireRow } from '../database/pipeline.ts'
import { type Coupon, type CouponStatus, couponStatus, type Reward } from '../domain/coupon.ts'
import type { CampaignId, CouponId, CustomerId, TransactionId } from '../domain/ids.ts'
import { customerNameOf } from './customers.ts'
import { idsWithin } from './new-id.ts'
import { type Question, question } from './question.ts'
import { idFrom, many, maybeOne, type Tenant, uuidOf, whereAll } from './tenant.ts'
import { ms, toDate } from './wallets/load.ts'

export interface CouponRecord extends Coupon {
  readonly customer: CustomerId
  readonly grantedBy?: TransactionId
  readonly redeemedBy?: TransactionId
  readonly createdAt: Date
  /** When it was redeemed, booked as expired, or revoked. */
  readonly endedAt?: Date
}

/** A coupon with the name of its customer. */
export interface ListedCoupon extends CouponRecord {
  readonly customerName?: string
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
  updated_at: Date
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
  // A coupon that has ended never changes.
  endedAt: row.status === couponStatus.active ? undefined : row.updated_at,
})

export async function findCoupon(tenant: Tenant, id: CouponId): Promise<CouponRecord | undefined> {
  const row = await maybeOne<CouponRow>(tenant.db, 'SELECT * FROM coupons WHERE org_id = $1 AND id = $2', [
    tenant.orgId,
    uuidOf(id),
  ])
  return row && toCoupon(row)
}

/** What coupons are called, by their IDs. */
export async function listCouponNames(
  tenant: Tenant,
  ids: readonly CouponId[],
): Promise<Map<CouponId, string>> {
  if (ids.length === 0) return new Map()
  const rows = await many<{ id: string; name: string }>(
    tenant.db,
    `SELECT id, reward ->> 'name' AS name FROM coupons WHERE org_id = $1 AND id = ANY($2::uuid[])`,
    [tenant.orgId, [...new Set(ids)].map(uuidOf)],
  )
  return new Map(rows.map(({ id, name }) => [idFrom('cpn', id), name]))
}

/** The coupon that a change is decided on, as a question to ask together with its wallet. */
export function couponById({ orgId }: Tenant, id: CouponId): Question<CouponRecord | undefined> {
  return question(
    'load-coupon',
    `SELECT id, customer_id, campaign_id, status, reward, ${ms('expires_at')}, granted_by, redeemed_by,
       ${ms('created_at')}, ${ms('updated_at')}
     FROM coupons WHERE org_id = $1::integer AND id = $2::uuid`,
    [String(orgId), uuidOf(id)],
    ([row]) => row && readCoupon(row),
  )
}

function readCoupon(row: WireRow): CouponRecord {
  const [id, customer, campaign, status, reward, expires, grantedBy, redeemedBy, created, updated] = row
  return toCoupon({
    id: id!,
    customer_id: customer!,
    campaign_id: campaign!,
    status: Number(status) as CouponStatus,
    reward: JSON.parse(reward!),
    expires_at: toDate(expires) ?? null,
    granted_by: grantedBy!,
    redeemed_by: redeemedBy!,
    created_at: toDate(created)!,
    updated_at: toDate(updated)!,
  })
}

export interface CouponFilter {
  readonly customer?: CustomerId
  readonly campaign?: CampaignId
  /** The status to show: an active coupon past its expiry is expired. */
  readonly status?: CouponStatus
  /** Range of the time it was granted. */
  readonly from?: Date
  readonly to?: Date
  /** Range of the time it was redeemed, booked as expired, or revoked, as reports count them. */
  readonly endedFrom?: Date
  readonly endedTo?: Date
}

const { active, redeemed, expired, revoked } = couponStatus
const hasRunOut = `p.status = ${active} AND p.expires_at <= $`
const conditionOf: Partial<Record<CouponStatus, string>> = {
  [active]: `p.status = ${active} AND (p.expires_at IS NULL OR p.expires_at > $)`,
  [expired]: `(p.status = ${expired} OR ${hasRunOut})`,
}
/** Repeats the condition of the index, as in the list of transactions. */
const isRevoked = `p.status = $ AND p.status IN (${expired}, ${revoked})`
const hasEnded = `p.status IN (${redeemed}, ${expired}, ${revoked})`

/**
 * Always with both ends: for a range with one end the planner expects a third of all rows, and reads them
 * all.
 */
function endedWithin({ endedFrom, endedTo }: CouponFilter): { from: Date; to: Date } | undefined {
  if (!endedFrom && !endedTo) return undefined
  return { from: endedFrom ?? new Date(0), to: endedTo ?? new Date('9999-12-31') }
}

/** A coupon past its expiry that was not booked yet has no end so far, and no report counts it. */
function statusCondition({ status, endedFrom, endedTo }: CouponFilter, now: Date): [string, unknown] {
  const timed = status && conditionOf[status]
  if (endedFrom || endedTo) return ['p.status = $', status]
  return timed ? [timed, now] : [status === revoked ? isRevoked : 'p.status = $', status]
}

/** Coupons, newest first. */
export async function listCoupons(
  tenant: Tenant,
  filter: CouponFilter,
  page: { limit: number; after?: CouponId },
  now: Date,
): Promise<ListedCoupon[]> {
  const { least, most } = idsWithin(filter)
  const ended = endedWithin(filter)
  const where = whereAll(
    [
      ['p.id < $', page.after && uuidOf(page.after)],
      ['p.customer_id = $', filter.customer && uuidOf(filter.customer)],
      ['p.campaign_id = $', filter.campaign && uuidOf(filter.campaign)],
      statusCondition(filter, now),
      ['p.id >= $', least],
      ['p.created_at >= $', filter.from],
      ['p.id < $', most],
      ['p.created_at < $', filter.to],
      [`${hasEnded} AND p.updated_at >= $`, ended?.from],
      ['p.updated_at < $', ended?.to],
    ],
    3,
  )
  const rows = await many<CouponRow & { customer_name: string | null }>(
    tenant.db,
    `SELECT p.*, ${customerNameOf('p')} FROM coupons p WHERE p.org_id = $1${where.text} ORDER BY p.id DESC LIMIT $2`,
    [tenant.orgId, page.limit, ...where.values],
  )
  return rows.map((row) => ({ ...toCoupon(row), customerName: row.customer_name ?? undefined }))
}
