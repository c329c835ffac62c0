/**
 * What a campaign gave to a balance in one basket, if it can expire: on its own, or with the whole balance by
 * inactivity (`neverExpires`). Whatever is in no lot never expires.
 */
export interface Lot {
  readonly key: string
  /** Version of the first ledger entry that collected it; identifies the lot together with the key. */
  readonly version: number
  readonly remaining: number
  readonly expiresAt: Date
  /**
   * Units lost by expiry, for which a return of the sale asks nothing. Below zero: units that a return has
   * already charged while they were used; they pay for that when they come back. Defaults to 0.
   */
  readonly expired?: number
  /** The lots that have paid for those units in their place, and get it back then. */
  readonly paidBy?: readonly LotTake[]
}

/** The expiry of a lot that expires only with its whole balance. */
export const neverExpires = new Date('9999-12-31T00:00:00Z')

/** Units taken from a lot, with what is needed to put them back where they came from. */
export type LotTake = readonly [key: string, version: number, units: number, expiresAtMs: number]
