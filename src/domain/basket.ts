import type { CouponId } from './ids.ts'

/**
 * One basket for one customer interaction, in the client's own numbers. Amounts stay as they were sent:
 * they are stored and given back unchanged, and turned into exact minor units only where they are computed with.
 */
export interface Basket {
  readonly lines: readonly Line[]
  readonly amount?: number
  readonly discountAmount?: number
  readonly discountedAmount?: number
  /** Coupons redeemed for the order as a whole. */
  readonly coupons: readonly CouponId[]
  readonly pointsToSpend: number
  /** When the sale happened; rules look at this, balances and expiry look at now. */
  readonly occurredAt: Date
  /** Opaque id of the branch, the default already filled in. */
  readonly branch: string
}

export interface Line {
  readonly id: string
  readonly product?: string
  readonly name?: string
  /** As sent, else the category the directory has for the product. */
  readonly category?: string
  readonly quantity: number
  readonly unitPrice?: number
  readonly amount?: number
  readonly discountAmount?: number
  readonly discountedAmount?: number
  /** Coupons redeemed for this line. */
  readonly coupons: readonly CouponId[]
}
