import type { CampaignId, CustomerId, TransactionId } from './ids.ts'
import type { Transaction } from './transaction.ts'

/** A sale of the past, to try a campaign on. */
export interface PastSale
  extends Pick<
    Transaction,
    'id' | 'customer' | 'status' | 'branchOpaqueId' | 'occurredAt' | 'createdAt' | 'basket' | 'result'
  > {
  /** The campaign of the card. */
  readonly own: CampaignId
}

/** What a campaign gave, in units of each balance. */
export interface GivenFigures {
  readonly collected: Readonly<Record<string, number>>
  readonly coupons: number
  /** The coupons by the key of their reward. */
  readonly rewards: Readonly<Record<string, number>>
  readonly costMinor: number
  /** Coupons for products that nobody bought in the range: nothing is known of their worth. */
  readonly couponsWithoutWorth: number
}

/** What was given, and what would have been. */
export interface GivenComparison {
  readonly given: GivenFigures
  readonly wouldGive: GivenFigures
}

export interface SalesComparison extends GivenComparison {
  readonly sales: number
  readonly payableMinor: number
}

export type BacktestGroupKind = 'visits' | 'tier' | 'branch'

export interface BacktestRow extends GivenComparison {
  readonly transaction: TransactionId
  readonly customer: CustomerId
  readonly occurredAt: Date
  readonly payableMinor: number
  readonly rules: readonly RuleComparison[]
}

/** What a rule gave and would have given, in units of its balance. */
export interface RuleComparison {
  readonly rule: string
  readonly key: string
  given: number
  wouldGive: number
}

export interface BacktestResult extends SalesComparison {
  readonly customers: number
  /** By local day, oldest first. */
  readonly days: readonly (SalesComparison & { readonly day: string })[]
  readonly groups: readonly (SalesComparison & { readonly by: BacktestGroupKind; readonly name: string })[]
  /** Those with the largest difference, largest first. */
  readonly rows: readonly BacktestRow[]
  readonly leftOut: {
    /** Sales that were returned as a whole. */
    readonly returned: number
    /** Sales with cards that the campaign does not run on. */
    readonly otherCards: number
    /** Sales that the campaign would have refused, because a balance would have become too large. */
    readonly refused: number
  }
  /** Sales in which the customer would have had too few points for what was spent. */
  readonly salesShortOfPoints: number
}
