/**
 * Webhooks: addresses of the merchant's own software that events are sent to, and when a delivery that failed is
 * tried again.
 */
import type { DeliveryId, EventId, WebhookId } from './ids.ts'

export const webhookStatus = { active: 1, paused: 2 } as const

/** Why a webhook is paused: by a person, after days of failures, or because its address answered 410 Gone. */
export type PauseReason = 'manual' | 'failing' | 'gone'

export interface Webhook {
  readonly id: WebhookId
  readonly url: string
  readonly description?: string
  /** Only events of these types; undefined for all. */
  readonly types?: readonly string[]
  readonly status: number
  readonly pausedBecause?: PauseReason
  /** Since when every attempt has failed. */
  readonly failingSince?: Date
  readonly createdAt: Date
  readonly updatedAt: Date
}

export const deliveryStatus = { pending: 1, delivered: 2, failed: 3 } as const

/** One attempt to deliver: the status of the response, or why there was none. */
export interface Attempt {
  readonly at: Date
  readonly durationMs: number
  readonly status?: number
  readonly error?: string
  /** The beginning of the response. */
  readonly response?: string
}

export interface Delivery {
  readonly id: DeliveryId
  readonly webhook: WebhookId
  readonly event: EventId
  readonly type: string
  readonly status: number
  readonly attempts: readonly Attempt[]
  /** When it is tried next, while it is pending. */
  readonly nextAttemptAt?: Date
  readonly createdAt: Date
}

/** What an attempt came to. */
export interface Outcome {
  readonly status?: number
  /** How long the receiver asked to be left alone. */
  readonly retryAfterMs?: number
  /** Nothing was sent, and never will be: the event is no longer kept. */
  readonly isEmpty?: boolean
}

const seconds = 1_000
const minutes = 60 * seconds
const hours = 60 * minutes

/** The pauses between attempts that the Standard Webhooks specification proposes. */
const retryPausesMs = [
  5 * seconds,
  5 * minutes,
  30 * minutes,
  2 * hours,
  5 * hours,
  10 * hours,
  14 * hours,
  20 * hours,
  24 * hours,
]
/** A receiver cannot ask for more. */
const longestPauseMs = 24 * hours
/** Deliveries that failed together are not tried again together: pauses are up to this much longer. */
const jitter = 0.2

export type AfterAttempt = { readonly kind: 'delivered' | 'failed' } | { readonly retryAt: Date }

/** What becomes of a delivery after its attempt of this number, counted from 1. `random` is from 0 to 1. */
export function afterAttempt(attempt: number, outcome: Outcome, now: Date, random: number): AfterAttempt {
  if (isSuccess(outcome)) return { kind: 'delivered' }
  const pause = retryPausesMs[attempt - 1]
  if (pause === undefined || isGone(outcome) || outcome.isEmpty) return { kind: 'failed' }
  const asked = Math.min(outcome.retryAfterMs ?? 0, longestPauseMs)
  return { retryAt: new Date(now.getTime() + Math.max(asked, pause) * (1 + jitter * random)) }
}

export const isSuccess = ({ status = 0 }: Outcome): boolean => status >= 200 && status < 300

/** The receiver says that the address is no longer there, and wants nothing more. */
export const isGone = ({ status }: Outcome): boolean => status === 410

/** A webhook is paused when everything has failed for so long. */
const failingLimitMs = 5 * 24 * hours

export function hasFailedForLong(failingSince: Date | undefined, now: Date): boolean {
  return failingSince !== undefined && now.getTime() - failingSince.getTime() >= failingLimitMs
}

/**
 * How long a webhook whose attempts all fail is left alone before the next one: a tenth of the time that it has been
 * failing, so that a receiver that restarts is noticed soon, and one that is gone costs little.
 */
export function pauseOfFailing(failingSince: Date, now: Date): number {
  return Math.min(Math.max((now.getTime() - failingSince.getTime()) / 10, 5 * seconds), 5 * minutes)
}
