/** What this process knows about background work, for its metrics. */
import type { SendResult } from '../domain/message.ts'
import type { WalletKind } from '../domain/wallet-pass.ts'
import type { DueCount, WorkKind } from '../store/due-work.ts'
import type { WebhookFigures } from '../store/webhooks.ts'

export interface WorkCounts {
  /** What was due when this process last looked. */
  due: readonly DueCount[]
  /** When that was; 1970 if it has not looked yet. */
  seenAt: Date
  readonly runs: Map<WorkKind, number>
  readonly failures: Map<WorkKind, number>
  /** All webhooks, when this process last counted. */
  webhooks?: WebhookFigures
  /** Attempts to deliver to webhooks, by what came of them. */
  readonly attempts: Map<'delivered' | 'failed', number>
  /** Attempts to send messages, by what came of them. */
  readonly messages: Map<SendResult['kind'], number>
  /** Passes that were told of a change, and those that could not be, by wallet. */
  readonly passes: Readonly<Record<'sent' | 'failed', Map<WalletKind, number>>>
}

export function createWorkCounts(): WorkCounts {
  return {
    due: [],
    seenAt: new Date(0),
    runs: new Map(),
    failures: new Map(),
    attempts: new Map(),
    messages: new Map(),
    passes: { sent: new Map(), failed: new Map() },
  }
}
