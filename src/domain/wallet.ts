import type { Coupon } from './coupon.ts'
import type { CampaignId } from './ids.ts'

/**
 * What a customer holds, in whole units of each balance (a balance with two decimals counts in hundredths).
 * `value` is what can be used now; `total` is what was collected and not taken back by a return.
 */
export interface Balance {
  readonly key: string
  readonly value: number
  readonly total: number
  /** Version of the newest ledger entry of this balance; gapless from 1. */
  readonly version: number
}

/** A part of a balance that expires on its own; what is in no lot never expires. */
export interface Lot {
  readonly key: string
  /** Version of the ledger entry that collected it; with the key it identifies the lot. */
  readonly version: number
  readonly remaining: number
  readonly expiresAt: Date
}

/** So many units were taken from a lot: what is needed to put them back where they came from. */
export type LotTake = readonly [key: string, version: number, units: number, expiresAtMs: number]

/** What one rule has already given, in units of its balance, for the limits that look beyond one basket. */
export interface RuleUsage {
  readonly campaign: CampaignId
  readonly rule: string
  /** To this customer on the basket's local day. */
  readonly day: number
  /** To this customer ever. */
  readonly customer: number
  /** To everybody. */
  readonly total: number
}

/**
 * A threshold on `total` up to whose multiple coupons are out, although a return has taken `total` below it: each
 * multiple is granted once, so passing it again grants nothing. A coupon that is revoked frees its multiple.
 */
export interface KeptMultiple {
  readonly campaign: CampaignId
  readonly key: string
  readonly at: number
  readonly reward: string
  readonly multiple: number
}

export interface Wallet {
  readonly balances: readonly Balance[]
  readonly lots: readonly Lot[]
  /** The coupons of this customer that the basket names; one that is missing here does not exist for this customer. */
  readonly coupons: readonly Coupon[]
  /** Rules without an entry have given nothing yet. */
  readonly usage: readonly RuleUsage[]
  /** Baskets processed before this one. */
  readonly transactionCount: number
  /** When the last basket was processed; balances that expire by inactivity look at it. */
  readonly lastActivityAt?: Date
  readonly keptMultiples?: readonly KeptMultiple[]
}
