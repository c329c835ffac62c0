/** Other systems that send their sales to the service, and what becomes of what they send. */
import type { CampaignId, CustomerId, ReceivedId, ReturnId, SourceId, TransactionId, UserId } from './ids.ts'

/** Systems that messages come from: `json` is any other, with a mapping that its merchant writes. */
export const sourceKinds = ['square', 'shopify', 'json'] as const

export type SourceKind = (typeof sourceKinds)[number]

export const sourceStatus = { active: 1, paused: 2 } as const

/** Square has a service for tests beside the real one. */
export type SourceEnvironment = 'production' | 'sandbox'

export interface Source {
  readonly id: SourceId
  readonly kind: SourceKind
  readonly name: string
  readonly status: number
  /** Whose card is used; undefined for the only one that a customer has. */
  readonly campaign?: CampaignId
  /** Whether unknown customers are registered into the campaign. */
  readonly registersCustomers: boolean
  /** Whose sales these are. */
  readonly user: UserId
  readonly hasSecret: boolean
  readonly hasAccessToken: boolean
  readonly environment?: SourceEnvironment
  readonly signatureHeader?: string
  readonly mapping?: string
  readonly lastReceivedAt?: Date
  /** When something came whose signature did not match. */
  readonly lastRejectedAt?: Date
  readonly createdAt: Date
  readonly updatedAt: Date
}

export const receivedStatus = { pending: 1, recorded: 2, ignored: 3, failed: 4 } as const

export interface ReceivedProblem {
  readonly code: string
  readonly text: string
}

export interface Received {
  readonly id: ReceivedId
  readonly source: SourceId
  /** What the sender calls it. */
  readonly eventId?: string
  readonly topic?: string
  readonly status: number
  readonly attempts: number
  /** While it is pending. */
  readonly nextAttemptAt?: Date
  readonly customer?: CustomerId
  readonly transaction?: TransactionId
  readonly return?: ReturnId
  readonly problem?: ReceivedProblem
  readonly receivedAt: Date
}

/** Why a sale or a return was not recorded, besides the refusals of the contract and what adapters say. */
export const receivedProblems = {
  not_a_customer: 'Nobody among the customers has this card, ID, email address or phone number.',
  no_card: 'The customer has no card of the campaign that the source is for.',
  several_cards: 'The customer has several cards: choose the campaign that the source is for.',
  other_currency: 'The amounts are in another currency than that of the organization.',
  already_recorded: 'It was recorded before.',
  sale_unknown: 'The sale that it belongs to was not recorded.',
  mapping_failed: 'The mapping failed.',
  mapping_too_slow: 'The mapping took too long.',
  invalid_mapping_result: 'The mapping returned something else than a sale or a return.',
  no_access_token: 'The order cannot be fetched: the source has no access token.',
  vendor_unreachable: 'The order could not be fetched; it is tried again.',
  vendor_refused: 'The sender did not give out the order. Check the access token and its permissions.',
  secret_unreadable: 'The access token cannot be read with the secrets of this installation: set it again.',
  internal_error: 'It failed for a reason of ours. Look into the log of the service.',
} as const satisfies Record<string, string>

export type ReceivedProblemCode = keyof typeof receivedProblems

const seconds = 1_000
const minutes = 60 * seconds
const hours = 60 * minutes

const pauses = [10 * seconds, minutes, 5 * minutes, 30 * minutes, 2 * hours, 12 * hours]

export const maxAttempts = pauses.length + 1

/** When the next attempt is made after so many; undefined when that was the last. */
export function nextAttemptAfter(attempts: number, now: Date): Date | undefined {
  const pause = pauses[attempts - 1]
  return pause === undefined ? undefined : new Date(now.getTime() + pause)
}
