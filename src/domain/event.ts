/**
 * Facts, named in the past tense with dots. Their data holds only ids, numbers and names of fields, never
 * personal data.
 */
export type EventType =
  | 'customer.created'
  | 'customer.changed'
  | 'customer.registered'
  | 'customer.erased'
  | 'card.replaced'
  | 'transaction.processed'
  | 'transaction.returned'
  | 'balance.adjusted'
  | 'balance.expired'
  | 'coupon.granted'
  | 'coupon.redeemed'
  | 'coupon.revoked'
  | 'coupon.expired'
  | 'tier.changed'
  | 'campaign.published'

export interface Fact {
  readonly type: EventType
  readonly data: Record<string, unknown>
}
