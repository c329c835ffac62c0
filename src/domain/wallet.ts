import type { Coupon } from './coupon.ts'
import type { CampaignId } from './ids.ts'
import type { Lot } from './lot.ts'

/**
 * What a customer holds, in whole units of each balance (a balance with two decimals counts in hundredths).
 * `value` can be used now; `total` is everything collected, less what returns took back.
 */
export interface Balance {
  readonly key: string
  readonly value: number
  readonly total: number
  /** Version of the newest ledger entry of this balance; gapless from 1. */
  readonly version: number
  /**
   * What returns could not take back because it had been used, and `floor` has forgiven. Whatever later
   * returns give back pays it first; new sales do not. Defaults to 0.
   */
  readonly shortfall?: number
}

/** What one rule has already given, in units of its balance, for limits that span several baskets. */
export interface RuleUsage {
  readonly campaign: CampaignId
  readonly rule: string
  /** Units given to this customer on the basket's local day. */
  readonly day: number
  /** Units ever given to this customer. */
  readonly customer: number
  /** Units given to all customers. */
  readonly total: number
}

/** A threshold on `total`; it is the same across versions of its campaign. */
export interface Threshold {
  readonly campaign: CampaignId
  /** Key of the balance. */
  readonly key: string
  readonly at: number
  /** Key of the reward. */
  readonly reward: string
}

/**
 * A threshold whose coupons are out up to `multiple`, although a return has since lowered `total` below it.
 * Each multiple is granted once, so passing it again grants nothing.
 */
export interface KeptMultiple extends Threshold {
  readonly multiple: number
}

/** The part of `total` that was collected so long ago that coupons granted then have expired. */
export interface AgedTotal extends Threshold {
  readonly total: number
  /** The last moment of that time. */
  readonly until: Date
}

export interface Wallet {
  readonly balances: readonly Balance[]
  readonly lots: readonly Lot[]
  /**
   * The customer's coupons that the basket names; one that is missing here does not exist for this customer.
   * For a return, all coupons that it can change.
   */
  readonly coupons: readonly Coupon[]
  /** Rules without an entry have given nothing yet. */
  readonly usage: readonly RuleUsage[]
  /**
   * Number of baskets before this one that had a line or an amount above 0, returned or not. Only whether it is 0
   * matters: that basket is the customer's first.
   */
  readonly transactionCount: number
  /** When the last basket was processed or staff gave something; for balances that expire by inactivity. */
  readonly lastActivityAt?: Date
  readonly keptMultiples?: readonly KeptMultiple[]
}
