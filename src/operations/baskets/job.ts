/** A basket on its way, from the request to the transaction it became or the preview of it. */
import type { Basket } from '../../domain/basket.ts'
import type { CardId, CustomerId, TransactionId } from '../../domain/ids.ts'
import type { Transaction } from '../../domain/transaction.ts'
import type { Caller } from '../deps.ts'

/** A basket as a client sends it, before anything in it is known to exist. */
export interface BasketRequest {
  readonly customer: CustomerId | undefined
  readonly card: CardId | undefined
  readonly user?: string
  readonly branch?: string
  readonly opaqueId?: string
  readonly basket: Omit<Basket, 'branch' | 'occurredAt'>
  readonly occurredAt?: Date
  readonly metaData?: Record<string, unknown>
}

export interface Repeat {
  readonly idempotencyKey?: string
  /** Fingerprint of the request body; tells a repeat from another basket under the same key or receipt number. */
  readonly fingerprint?: Buffer
}

export interface BasketJob extends Repeat {
  /** Known in advance, so that a repeat after a lost answer finds its first try. */
  readonly id: TransactionId
  readonly caller: Caller
  readonly request: BasketRequest & { readonly customer: CustomerId; readonly card: CardId }
}

export interface Processed {
  readonly transaction: Transaction
  readonly isReplay: boolean
}

/** A transaction that was not made: it has no id, and its references may not exist yet. */
export type Preview = Omit<Transaction, 'id' | 'user' | 'branch' | 'userOpaqueId' | 'branchOpaqueId'> &
  Partial<Pick<Transaction, 'user' | 'branch' | 'userOpaqueId' | 'branchOpaqueId'>> & {
    /** The most points that may pay for the basket; undefined when the card lets none be spent. */
    readonly spendable?: { readonly balance: string; readonly most: number }
  }
