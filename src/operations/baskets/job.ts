/** A basket in processing, from the request to its transaction or preview. */
import type { Basket } from '../../domain/basket.ts'
import type { CardId, CustomerId, TransactionId } from '../../domain/ids.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { Caller } from '../deps.ts'
import type { Fingerprint } from '../fingerprint.ts'

/** A basket as a client sends it, before anything in it is known to exist. */
export interface BasketRequest {
  readonly customer: CustomerId | undefined
  readonly card: CardId | undefined
  /** A scanned card, sent instead of `customer` and `card`. */
  readonly barcode?: string
  readonly user?: string
  readonly branch?: string
  readonly opaqueId?: string
  readonly basket: Omit<Basket, 'branch' | 'occurredAt'>
  readonly occurredAt?: Date
  readonly metaData?: Record<string, unknown>
}

export interface Repeat {
  readonly idempotencyKey?: string
  /** Tells a retry from another basket with the same key or receipt number. */
  readonly fingerprint?: Fingerprint
}

export interface BasketJob extends Repeat {
  /** Known in advance, so that a retry after a lost response finds the first attempt. */
  readonly id: TransactionId
  readonly caller: Caller
  readonly request: BasketRequest & { readonly customer: CustomerId; readonly card: CardId }
}

export interface Processed {
  readonly transaction: Transaction
  readonly isReplay: boolean
}

/** A transaction that was not created: it has no ID, and its references may not exist yet. */
export type Preview = Omit<Transaction, 'id' | 'user' | 'branch' | 'userOpaqueId' | 'branchOpaqueId'> &
  Partial<Pick<Transaction, 'user' | 'branch' | 'userOpaqueId' | 'branchOpaqueId'>> & {
    /** Maximum number of points for this basket; undefined if the card does not allow spending points. */
    readonly spendable?: { readonly balance: string; readonly most: number }
  }
