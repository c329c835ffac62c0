/**
 * What a return did to its sale: kept with the return, because every later return of the same sale is decided
 * on what earlier ones have counted and not on what the balance could bear at the time.
 */
import type { CampaignId, CouponId } from './ids.ts'

/** A quantity of one line that comes back. */
export interface ReturnedItem {
  /** Id of the line. */
  readonly id: string
  readonly quantity: number
}

/** Units by the key of their balance. */
export type Units = readonly (readonly [key: string, units: number])[]

/** Kept as JSON. */
export interface ReturnRecord {
  readonly items: readonly ReturnedItem[]
  readonly isComplete: boolean
  readonly pointsRestored: number
  readonly refundMinor: number
  /** Due back by balance, whether or not the balance held it. */
  readonly taken: Units
  readonly revoked: readonly CouponId[]
  /** Given back by balance, of what revoked coupons had consumed. */
  readonly unconsumed: Units
  /** By rule, for its counters. */
  readonly usage: readonly (readonly [campaign: CampaignId, rule: string, units: number])[]
}

export function unitsOf(units: Units, key: string): number {
  return sumOf(units, ([owner, amount]) => (owner === key ? amount : 0))
}

export function sumOf<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0)
}
