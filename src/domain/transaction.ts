import type { Basket, Line } from './basket.ts'
import type { Effect } from './effect.ts'
import type {
  BranchId,
  CampaignId,
  CardId,
  CouponId,
  CustomerId,
  ReturnId,
  TransactionId,
  UserId,
} from './ids.ts'
import type { Movement } from './ledger-entry.ts'
import type { LotTake } from './lot.ts'
import type { ReturnedItem, ReturnRecord, Units } from './return-record.ts'
import type { SkipReason } from './skip-reason.ts'
import type { RuleUsage } from './wallet.ts'
import type { Warning } from './warning.ts'

/** Where an archived sale is: the number of the file, and when it was written. */
export interface ArchivedIn {
  readonly file: number
  readonly at: Date
}

export const transactionStatus = { processed: 1, partlyReturned: 2, returned: 3 } as const

type Grant = Extract<Effect, { kind: 'grant_coupon' }>

/** An effect that was carried out, with the ids of what it created; can be stored as JSON. */
export type Action =
  | Exclude<Effect, Grant>
  | (Omit<Grant, 'expiresAt'> & {
      /** The coupon it created; absent in a preview, which creates none. */
      readonly coupon?: CouponId
      /** ISO 8601. */
      readonly expiresAt?: string
    })

/**
 * What a basket did and why, in whole units; kept with the transaction so that it can always be explained.
 */
export interface TransactionResult {
  /** The order's amount as the client counts it; defaults to the sum of the lines. */
  readonly amountMinor: number
  /** The amount to pay after discounts and coupons, before points. */
  readonly payableMinor: number
  readonly pointsDiscountMinor: number
  readonly actions: readonly Action[]
  readonly skipped: readonly {
    readonly campaign: CampaignId
    readonly rule: string
    readonly reason: SkipReason
  }[]
  readonly progress: readonly {
    readonly key: string
    readonly have: number
    readonly need: number
    readonly reward: string
  }[]
  /** All balances of the customer after the basket. */
  readonly balances: readonly {
    readonly key: string
    readonly decimals: number
    readonly value: number
    readonly total: number
  }[]
  /** The campaign versions it ran on, in order. */
  readonly campaigns: readonly { readonly id: CampaignId; readonly version: number }[]
  readonly context: SaleContext
  /** Stored, so that a replay has those of the first response; absent when there are none. */
  readonly warnings?: readonly Warning[]
}

/** The facts a decision was based on, small and storable as JSON, so that a return can recompute the sale. */
export interface SaleContext {
  readonly currencyDecimals: number
  readonly timezone: string
  /** Balances before the basket and after expiry: key, value, total. */
  readonly balances: readonly (readonly [key: string, value: number, total: number])[]
  readonly isFirst: boolean
  /** Attached campaigns that were paused or archived. */
  readonly paused?: readonly CampaignId[]
  readonly usage?: readonly RuleUsage[]
  /** The lots that points were spent from. */
  readonly spentFrom?: readonly LotTake[]
}

/** The basket as it is stored: as sent, without the parts that have columns of their own. */
export interface StoredBasket
  extends Pick<
    Basket,
    'amount' | 'discountAmount' | 'discountedAmount' | 'coupons' | 'couponsIncluded' | 'pointsToSpend'
  > {
  readonly lines: readonly Line[]
  /** Categories from the directory for products of lines that were sent without one, by line id. */
  readonly categories?: Readonly<Record<string, string>>
  readonly metaData?: Record<string, unknown>
}

export interface Transaction {
  readonly id: TransactionId
  readonly status: number
  readonly opaqueId?: string
  readonly customer: CustomerId
  readonly card: CardId
  readonly user: UserId
  readonly userOpaqueId: string
  readonly branch: BranchId
  readonly branchOpaqueId: string
  readonly occurredAt: Date
  readonly createdAt: Date
  readonly basket: StoredBasket
  readonly result: TransactionResult
}

/** What a return did, as it is stored; can be stored as JSON. */
export interface SaleReturnResult {
  readonly pointsRestored: number
  /** The balance that points were spent from; absent when none were. */
  readonly pointsKey?: string
  readonly refundMinor: number
  readonly movements: readonly Movement[]
  /** What paid an older shortfall, by balance. */
  readonly settled?: Units
  readonly revokedCoupons: readonly CouponId[]
  readonly restoredCoupons: readonly CouponId[]
  readonly balances: TransactionResult['balances']
  /** The tiers that changed, each with what is left, if anything; absent in returns stored without them. */
  readonly tiersChanged?: readonly { readonly campaign: CampaignId; readonly tier?: string }[]
  /** What later returns of the same sale are decided on. */
  readonly record: ReturnRecord
}

/** Returned goods of one sale. */
export interface SaleReturn {
  readonly id: ReturnId
  readonly transaction: TransactionId
  /** Position among the returns of the sale, from 1. */
  readonly number: number
  readonly opaqueId?: string
  readonly reason?: string
  readonly items: readonly ReturnedItem[]
  readonly result: SaleReturnResult
  readonly createdAt: Date
}
