/**
 * What is made of a message from another system: a sale or a return in the terms of our own contract, or nothing,
 * with the reason.
 */

/** What the message knows about the customer. Any part may be enough to find them. */
export interface Who {
  /** The card, as it was scanned or typed. */
  readonly barcode?: string
  /** The ID that the other system has for the customer. */
  readonly opaqueId?: string
  readonly email?: string
  readonly phone?: string
  readonly fullname?: string
}

export interface ItemMade {
  readonly id?: string
  readonly product?: string
  readonly name?: string
  readonly category?: string
  readonly quantity?: number
  readonly unitPrice?: number
  readonly amount?: number
  readonly discountAmount?: number
  readonly discountedAmount?: number
}

export interface SaleMade {
  readonly type: 'sale'
  /** The receipt number. */
  readonly opaqueId: string
  readonly who: Who
  readonly currency?: string
  readonly branch?: string
  readonly user?: string
  readonly occurredAt?: string
  readonly items?: readonly ItemMade[]
  readonly amount?: number
  readonly discountAmount?: number
  readonly discountedAmount?: number
  readonly metaData?: Readonly<Record<string, unknown>>
  /** What came back in the same message: an exchange is one order of Square. */
  readonly also?: readonly ReturnMade[]
}

export interface ReturnMade {
  readonly type: 'return'
  /** The receipt number of the sale. */
  readonly sale: string
  /** The number of the return. */
  readonly opaqueId: string
  readonly currency?: string
  /** Without items and amount, everything that has not been returned. */
  readonly items?: readonly { readonly id: string; readonly quantity: number }[]
  readonly amount?: number
  readonly reason?: string
  /** Returns of other sales in the same message. */
  readonly also?: readonly ReturnMade[]
}

export interface NothingMade {
  readonly type: 'nothing'
  readonly reason: NothingReason
  /** The field that could not be read, in the words of the sender: `line_items[0].price`. */
  readonly field?: string
}

export type Made = SaleMade | ReturnMade | NothingMade

/** Why nothing was made of a message. Only `unreadable` is a fault; all others are as they should be. */
export const nothingReasons = {
  other_topic: 'The message is about something other than a sale or a return.',
  not_paid: 'The order is not paid or not completed yet; it is recorded when it is.',
  canceled: 'The order was canceled before it was recorded.',
  refunded: 'The order was refunded as a whole before it was recorded.',
  test_order: 'The order is a test of the shop, not a sale.',
  empty_order: 'The order has no items.',
  amount_refund: 'Money was refunded without naming items, so it is not known what came back.',
  unlinked_return: 'The return does not name the sale that it belongs to.',
  no_customer: 'The order names neither a customer nor a card.',
  not_mapped: 'The mapping returned nothing for this message.',
  unreadable: 'The message does not have the shape that its topic promises.',
} as const satisfies Record<string, string>

export type NothingReason = keyof typeof nothingReasons
