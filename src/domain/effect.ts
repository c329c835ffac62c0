import type { Reward } from './coupon.ts'
import type { CampaignId, CouponId } from './ids.ts'
import type { Movement } from './ledger-entry.ts'

/** What a basket does, as data. The engine decides effects; operations carry them out in this order. */
export type Effect =
  | {
      readonly kind: 'redeem_coupon'
      readonly coupon: CouponId
      /** The line it was redeemed for; absent at order level. */
      readonly line?: string
      /** What the reward is worth in this basket. */
      readonly discountMinor: number
      /**
       * Where its worth was taken off the price: the position of a line, or the order, whose reductions are
       * spread over the lines. Absent if the client's discounts include it, as in every sale booked before the
       * service took coupons off.
       */
      readonly takenFrom?: number | 'order'
    }
  | { readonly kind: 'spend_points'; readonly movement: Movement; readonly discountMinor: number }
  | {
      readonly kind: 'collect'
      readonly movement: Movement
      readonly campaign: CampaignId
      readonly rule: string
    }
  | {
      readonly kind: 'grant_coupon'
      readonly campaign: CampaignId
      readonly reward: Reward
      readonly expiresAt?: Date
      /** What a consuming threshold took from the balance. */
      readonly movement?: Movement
      readonly threshold: { readonly key: string; readonly at: number }
    }
  | { readonly kind: 'change_tier'; readonly campaign: CampaignId; readonly tier: string }
