/**
 * What a return did to its sale. It is kept with the return, because every later return of the same sale is
 * decided on what earlier ones have counted, not on what the balance could cover at the time.
 */
import type { CampaignId } from './ids.ts'

/** A returned quantity of one line. */
export interface ReturnedItem {
  /** Id of the line. */
  readonly id: string
  readonly quantity: number
}

/** Units by balance key. */
export type Units = readonly (readonly [key: string, units: number])[]

/** Stored as JSON. */
export interface ReturnRecord {
  readonly items: readonly ReturnedItem[]
  /** The part of the payable amount that came back, if the sale has no lines. */
  readonly amountMinor?: number
  readonly isComplete: boolean
  readonly pointsRestored: number
  readonly refundMinor: number
  /** Amounts due back by rule; one may be negative where the rules of a balance are due in sum. */
  readonly usage: readonly (readonly [campaign: CampaignId, rule: string, units: number])[]
}

export function sumOf<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((sum, item) => sum + of(item), 0)
}
