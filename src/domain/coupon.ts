import type { CampaignId, CouponId } from './ids.ts'

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
}

/** The status to show: an active coupon past its expiry is expired, whether or not the job has booked it. */
export function couponStatusAt(coupon: Pick<Coupon, 'status' | 'expiresAt'>, now: Date): CouponStatus {
  const isPast = coupon.expiresAt !== undefined && coupon.expiresAt.getTime() <= now.getTime()
  return coupon.status === couponStatus.active && isPast ? couponStatus.expired : coupon.status
}
