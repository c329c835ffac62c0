/**
 * Messages to customers and to those who work for the merchant: which kinds there are, and when one that could not
 * be sent is tried again.
 */
import type { EventType } from './event.ts'
import type { CardId, CustomerId, MessageId, PersonId } from './ids.ts'

export const channels = ['email', 'sms'] as const
export type Channel = (typeof channels)[number]

/**
 * What a code is for. `contact` confirms an address that the customer does not have yet. The others come from one that
 * they have: `change` allows changes of the profile for a while, `download` and `erase` one such thing.
 */
export type CodePurpose = 'contact' | 'change' | 'download' | 'erase'

/** A value that a text may contain, as `{name}`. */
export type Placeholder =
  | 'greeting'
  | 'name'
  | 'merchant'
  | 'campaign'
  | 'link'
  | 'reward'
  | 'amount'
  | 'date'
  | 'code'
  | 'action'
  | 'url'

interface MessageKindTraits {
  /** `given`: an address that somebody names. */
  readonly to: 'customer' | 'person' | 'given'
  /** Needs the customer's consent, and can be unsubscribed from. */
  readonly isMarketing?: true
  /** Sent by itself, once the merchant has switched it on: after an event, or found every day. */
  readonly automatic?: 'event' | 'daily'
  readonly event?: EventType
  /** How many days before or after, if the merchant does not say. */
  readonly days?: number
  readonly placeholders: readonly Placeholder[]
}

/** What every text to a customer may contain. */
const aboutCustomer = ['greeting', 'name', 'merchant', 'link'] as const

export const messageKinds = {
  card_link: { to: 'customer', placeholders: [...aboutCustomer, 'campaign'] },
  verification_code: { to: 'customer', placeholders: ['greeting', 'name', 'merchant', 'code', 'action'] },
  card_opened: {
    to: 'customer',
    automatic: 'event',
    event: 'customer.registered',
    placeholders: [...aboutCustomer, 'campaign'],
  },
  reward_earned: {
    to: 'customer',
    isMarketing: true,
    automatic: 'event',
    event: 'coupon.granted',
    placeholders: [...aboutCustomer, 'reward', 'date'],
  },
  coupon_expiring: {
    to: 'customer',
    isMarketing: true,
    automatic: 'daily',
    days: 7,
    placeholders: [...aboutCustomer, 'reward', 'date'],
  },
  points_expiring: {
    to: 'customer',
    isMarketing: true,
    automatic: 'daily',
    days: 14,
    placeholders: [...aboutCustomer, 'amount', 'date'],
  },
  birthday: {
    to: 'customer',
    isMarketing: true,
    automatic: 'daily',
    placeholders: aboutCustomer,
  },
  not_seen: {
    to: 'customer',
    isMarketing: true,
    automatic: 'daily',
    days: 60,
    placeholders: aboutCustomer,
  },
  invitation: { to: 'person', placeholders: ['greeting', 'name', 'merchant', 'link'] },
  password_reset: { to: 'person', placeholders: ['greeting', 'name', 'merchant', 'link'] },
  test: { to: 'given', placeholders: ['greeting', 'merchant'] },
  webhook_paused: { to: 'person', placeholders: ['greeting', 'name', 'merchant', 'link', 'url'] },
} as const satisfies Record<string, MessageKindTraits>

export type MessageKind = keyof typeof messageKinds

export const traitsOf = (kind: MessageKind): MessageKindTraits => messageKinds[kind]

export const isMessageKind = (text: string): text is MessageKind => Object.hasOwn(messageKinds, text)

/** Kinds that a merchant switches on and off. */
export const automaticKinds = (Object.keys(messageKinds) as MessageKind[]).filter(
  (kind) => traitsOf(kind).automatic !== undefined,
)

/** Without it a customer gets no message that is marketing. */
export const marketingPurpose = 'marketing'

/**
 * `sending` while an attempt is under way. `unknown` if nobody can say whether it arrived, such as after a crash in
 * the middle of it: it is not sent again unless somebody says so.
 */
export const messageStatus = { pending: 1, sending: 2, sent: 3, failed: 4, unknown: 5, bounced: 6 } as const

/** Why a message was not sent, or came back: codes for programs and translations, and the words of the log. */
export const messageFailures = {
  customer_erased: 'The customer has been erased.',
  customer_blocked: 'The customer is blocked.',
  no_address: 'The customer has no such address any more.',
  address_bounced: 'An earlier message to this address came back. It is not used until it changes.',
  no_consent: 'The customer has not consented to such messages.',
  no_card: 'The customer has no card that can be shown.',
  coupon_over: 'The coupon can no longer be used.',
  person_removed: 'The person has been removed.',
  only_email: 'Only email is sent to people who sign in.',
  no_longer_kept: 'The address, the code or the link is no longer kept: ask for a new one.',
  no_sender: 'No sender is set up for this channel.',
  interrupted: 'The service stopped in the middle of the attempt.',
  secret_unreadable:
    'The password of the sender cannot be read with the secrets of this installation: set it again.',
  login_refused: 'The mail server does not accept the user and password.',
  sender_refused: 'The mail server does not take messages from this sender.',
  message_refused: 'The mail server or the provider refused the message.',
  try_later: 'The mail server asked to try again later.',
  address_invalid: 'The address is not valid.',
  not_confirmed: 'The connection ended before the mail server confirmed the message.',
  not_allowed: 'The mail server is not on the public internet. The operator can allow its range.',
  no_safe_connection: 'There is no safe connection to the mail server.',
  unreachable: 'The mail server or the provider cannot be reached.',
  provider_failed: 'The provider answered with an error.',
  bounced: 'The message came back: the address cannot be reached.',
} as const satisfies Record<string, string>

export type MessageFailure = keyof typeof messageFailures

export interface Message {
  readonly id: MessageId
  readonly kind: MessageKind
  readonly channel: Channel
  readonly customer?: CustomerId
  readonly card?: CardId
  readonly person?: PersonId
  readonly data: MessageData
  readonly status: number
  readonly attempts: readonly MessageAttempt[]
  readonly nextAttemptAt?: Date
  readonly sentAt?: Date
  readonly clickedAt?: Date
  readonly createdAt: Date
}

/** IDs and numbers that the text refers to. */
export interface MessageData {
  readonly coupon?: string
  /** What expires, as it is written on receipts. */
  readonly amount?: string
  readonly at?: string
  readonly url?: string
  /** What a code is for. */
  readonly purpose?: CodePurpose
}

export interface MessageAttempt {
  readonly at: Date
  /** Older attempts have only the words. */
  readonly code?: MessageFailure
  readonly error?: string
  /** What the mail server or the provider said. */
  readonly response?: string
  /** Keyed hash of the address, to know whether it is still the same when the message comes back. */
  readonly address?: string
}

export type SendResult =
  | { readonly kind: 'sent'; readonly response?: string }
  /** Not this message, now or later. */
  | {
      readonly kind: 'refused'
      readonly code: MessageFailure
      readonly error: string
      readonly response?: string
    }
  /** Certainly not sent; `isSenderFault` if no other message could be sent either. */
  | {
      readonly kind: 'deferred'
      readonly code: MessageFailure
      readonly error: string
      readonly response?: string
      readonly retryAfterMs?: number
      readonly isSenderFault?: boolean
    }
  /** It may have been sent. */
  | { readonly kind: 'unknown'; readonly code: MessageFailure; readonly error: string }

const minutes = 60_000
const hours = 60 * minutes
const retryPausesMs = [1 * minutes, 5 * minutes, 20 * minutes, 1 * hours, 3 * hours, 8 * hours, 24 * hours]
const longestPauseMs = 24 * hours
/** Messages that failed together are not tried again together: pauses are up to this much longer. */
const jitter = 0.2

export interface AfterSending {
  readonly status: number
  readonly retryAt?: Date
}

/** What becomes of a message after an attempt. A test is not tried again. `random` is from 0 to 1. */
export function afterSending(
  { kind, attempts }: Pick<Message, 'kind' | 'attempts'>,
  result: SendResult,
  now: Date,
  random: number,
): AfterSending {
  if (result.kind === 'sent') return { status: messageStatus.sent }
  if (result.kind === 'unknown') return { status: messageStatus.unknown }
  const pause = kind === 'test' ? undefined : retryPausesMs[attempts.length]
  if (result.kind === 'refused' || pause === undefined) return { status: messageStatus.failed }
  const asked = Math.min(result.retryAfterMs ?? 0, longestPauseMs)
  const retryAt = new Date(now.getTime() + Math.max(asked, pause) * (1 + jitter * random))
  return { status: messageStatus.pending, retryAt }
}

/** The settings of a mail server. */
export interface EmailSettings {
  readonly host: string
  readonly port: number
  /** `tls` from the first byte, `starttls` before anything is said, `none` only within the operator's network. */
  readonly security: 'tls' | 'starttls' | 'none'
  readonly user?: string
  readonly from: string
  readonly replyTo?: string
}

/** The settings of what sends SMS: an address that takes a signed request for each. */
export interface SmsSettings {
  readonly url: string
}

export interface Sender {
  readonly channel: Channel
  readonly settings: EmailSettings | SmsSettings
  /** Whether it has a password, or a key. */
  readonly hasSecret: boolean
  readonly perHour: number
  readonly failingSince?: Date
  readonly lastError?: string
  readonly createdAt: Date
  readonly updatedAt: Date
}
