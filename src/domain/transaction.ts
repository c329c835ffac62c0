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
import type { ReturnedItem, ReturnRecord } from './return-record.ts'
import type { KeptMultiple, LotTake, RuleUsage } from './wallet.ts'

export const transactionStatus = { processed: 1, partlyReturned: 2, returned: 3 } as const

type Grant = Extract<Effect, { kind: 'grant_coupon' }>

/** An effect that was carried out: with the ids of what it made, and safe to keep as JSON. */
export type Action =
  | Exclude<Effect, Grant>
  | (Omit<Grant, 'expiresAt'> & {
      /** The coupon it made; absent in a preview, in which there is none yet. */
      readonly coupon?: CouponId
      /** ISO 8601. */
      readonly expiresAt?: string
    })

/** What a basket did and why, in whole units; kept with the transaction so that it can always be explained. */
export interface TransactionResult {
  readonly amountMinor: number
  readonly payableMinor: number
  readonly pointsDiscountMinor: number
  readonly actions: readonly Action[]
  readonly skipped: readonly {
    readonly campaign: CampaignId
    readonly rule: string
    readonly reason: string
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
}

/** What the decision rested on, small and safe as JSON, so that a return can compute the sale again. */
export interface SaleContext {
  readonly currencyDecimals: number
  readonly timezone: string
  /** Before the basket, after expiry: key, value, total. */
  readonly balances: readonly (readonly [key: string, value: number, total: number])[]
  readonly isFirst: boolean
  /** Attached campaigns that were paused or archived. */
  readonly paused?: readonly CampaignId[]
  readonly usage?: readonly RuleUsage[]
  readonly keptMultiples?: readonly KeptMultiple[]
  /** The lots that points were spent from, and that thresholds consumed from. */
  readonly spentFrom?: readonly LotTake[]
  readonly consumedFrom?: readonly LotTake[]
}

/** The basket as it is kept: as sent, without what stands in columns of its own. */
export interface StoredBasket
  extends Pick<Basket, 'amount' | 'discountAmount' | 'discountedAmount' | 'coupons' | 'pointsToSpend'> {
  readonly lines: readonly Line[]
  /** Categories the directory had for the products of lines that were sent without one, by line id. */
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

/** What a return did, as it is kept: safe as JSON. */
export interface SaleReturnResult {
  readonly pointsRestored: number
  /** The balance points were spent from, absent when none were. */
  readonly pointsKey?: string
  readonly refundMinor: number
  readonly movements: readonly Movement[]
  readonly revokedCoupons: readonly CouponId[]
  readonly restoredCoupons: readonly CouponId[]
  readonly balances: TransactionResult['balances']
  /** What later returns of the same sale are decided on. */
  readonly record: ReturnRecord
}

/** Goods of one sale that came back. */
export interface SaleReturn {
  readonly id: ReturnId
  readonly transaction: TransactionId
  /** From 1, in the order in which they happened. */
  readonly number: number
  readonly opaqueId?: string
  readonly reason?: string
  readonly items: readonly ReturnedItem[]
  readonly result: SaleReturnResult
  readonly createdAt: Date
}
