import type { EventId } from './ids.ts'

/**
 * Facts, named in the past tense with dots, and what each of them says. Their data holds only ids, numbers and
 * names of fields, never personal data. What is about a customer has its id as `customer`, by which readers
 * filter. A new type needs an entry here and its schema in `http/schemas/events.ts`; the compiler asks for that.
 */
export const eventTypes = {
  'customer.created': 'A customer was created.',
  'customer.changed': 'A customer was changed: the names of the fields, without their values.',
  'customer.registered': 'A customer got a card of a campaign.',
  'customer.erased': 'The personal data of a customer was erased.',
  'consent.changed': 'A customer gave or withdrew a consent: get the customer to see which ones hold now.',
  'card.changed': 'A card was blocked or unblocked, or its wallet page got another URL or none.',
  'card.replaced': 'A card was replaced with a new one.',
  'transaction.processed': 'A sale was booked.',
  'transaction.returned': 'A sale was returned, or a part of it.',
  'balance.adjusted': 'A balance was changed by hand.',
  'balance.expired': 'A part of a balance expired.',
  'coupon.granted': 'A customer got a coupon.',
  'coupon.redeemed': 'A coupon was redeemed.',
  'coupon.revoked': 'A coupon was taken back.',
  'coupon.expired': 'A coupon expired.',
  'tier.changed': 'A customer reached a tier, or lost one.',
  'pass.added': 'A customer put the card into the wallet of a phone.',
  'pass.removed': 'A customer removed the card from the wallet of a phone, or the phone is gone.',
  'import.finished':
    'A file was imported. There is no event for each of its rows: list the customers instead.',
  'organization.changed':
    'Settings of the organization were changed: the names of the fields, without their values.',
  'campaign.published': 'A version of a campaign was published.',
  'message.sent': 'A message was taken by the mail server or the SMS provider.',
  'message.failed': 'A message could not be sent, or nobody can say whether it was.',
  'message.bounced': 'A message came back. Nothing is sent to its address until that changes.',
  'webhook.paused': 'A webhook was paused, after five days of failures or because its address is gone.',
  'connection.revoked': 'A connection was ended, with all its tokens.',
} as const satisfies Record<string, string>

export type EventType = keyof typeof eventTypes

export interface Fact {
  readonly type: EventType
  readonly data: Record<string, unknown>
}

/** A fact that is written. */
export interface RecordedEvent extends Fact {
  readonly id: EventId
  /** Counts up for the organization, without gaps and in the order of the commits. */
  readonly position: number
  readonly at: Date
}
