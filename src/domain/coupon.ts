import type { CampaignId, CouponId } from './ids.ts'
import type { LotTake } from './lot.ts'

/**
 * What a coupon is good for; copied into the coupon when it is granted, so that later versions cannot change
 * it.
 */
export type Reward = {
  readonly key: string
  readonly name: string
} & (
  | { readonly kind: 'free_product'; readonly products: readonly string[] }
  | { readonly kind: 'amount_off'; readonly amount: number }
  | { readonly kind: 'percent_off'; readonly percent: number; readonly maxAmount?: number }
)

/** 2 is set aside for a "reserved" status. */
export const couponStatus = { active: 1, redeemed: 3, expired: 4, revoked: 5 } as const
export type CouponStatus = (typeof couponStatus)[keyof typeof couponStatus]

export interface Coupon {
  readonly id: CouponId
  readonly status: CouponStatus
  readonly reward: Reward
  readonly campaign: CampaignId
  readonly expiresAt?: Date
  /** Known for returns. */
  readonly grantedAt?: Date
  /** Absent for a coupon that was given by hand. */
  readonly origin?: CouponOrigin
  /** Whether it was a return that revoked it; a later return may reinstate it. */
  readonly isTakenBack?: boolean
}

/**
 * The threshold that granted a coupon, and what the coupon stands for there. A threshold is the same across
 * versions by campaign, balance, `at` and reward.
 */
export interface CouponOrigin {
  /** Key of the balance. */
  readonly key: string
  readonly at: number
  /**
   * The multiple of `at` that it stands for, if the threshold looks at the total; absent as soon as it was
   * given up or revoked by a return, which frees the multiple.
   */
  readonly multiple?: number
  /** What the threshold consumed for it. */
  readonly consumed?: Consumed
}

export interface Consumed {
  readonly units: number
  /** The lots that it was taken from; the rest was in no lot. */
  readonly from: readonly LotTake[]
  /** The part that has paid for returns after the coupon expired or was revoked by hand. */
  readonly settled: number
}

/** The status to show: an active coupon past its expiry is expired, whether or not the job has booked it. */
export function couponStatusAt(coupon: Pick<Coupon, 'status' | 'expiresAt'>, now: Date): CouponStatus {
  const isPast = coupon.expiresAt !== undefined && coupon.expiresAt.getTime() <= now.getTime()
  return coupon.status === couponStatus.active && isPast ? couponStatus.expired : coupon.status
}
