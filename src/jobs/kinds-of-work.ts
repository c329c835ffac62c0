/**
 * What each kind of background work does in one turn, and when it is due next. A turn can be repeated at any
 * point: it may have been interrupted, or have been taken over by another process meanwhile.
 */
import { fillNameKeys } from '../operations/customers/fill-name-keys.ts'
import type { Deps } from '../operations/deps.ts'
import { deleteOldEvents, nextLook } from '../operations/events/delete-old-events.ts'
import { forgetRequests } from '../operations/record-requests.ts'
import { recordReceived } from '../operations/sources/record-received.ts'
import { workInOwnTime } from '../operations/test-mode/work-in-own-time.ts'
import type { Turn } from '../operations/turn.ts'
import { upsertDueWork, type WorkDone, type WorkKind } from '../store/due-work.ts'
import { deleteOldReplies, findOldestReply, repliesAtOnce } from '../store/idempotency.ts'
import { deleteOldMessages, messagesAtOnce } from '../store/messages.ts'
import { deleteForgottenGuesses, findNextForgotten } from '../store/password-guesses.ts'
import { deleteOldReceived, hasReceived, receivedAtOnce } from '../store/received-messages.ts'
import { countSources } from '../store/sources.ts'
import { inTransaction, platformOrg, tenantOf } from '../store/tenant.ts'
import { deleteOldDeliveries, deliveriesAtOnce, hasDeliveries } from '../store/webhook-deliveries.ts'
import { countWebhooks } from '../store/webhooks.ts'

export interface TurnDone extends WorkDone {
  /** For the log, if there was something to do. */
  readonly customers?: number
}

export type KindOfWork = (deps: Deps, org: number, turn: Turn) => Promise<TurnDone>

/** What has to be deleted some day is not deleted more often than this. */
const deletionPauseMs = 3_600_000
const guessesPauseMs = 60_000
const dayMs = 86_400_000

const notBefore = (now: Date, pauseMs: number, next: Date | undefined) =>
  next && new Date(Math.max(next.getTime(), now.getTime() + pauseMs))

export const kindsOfWork: Record<WorkKind, KindOfWork> = {
  ...workInOwnTime,
  names: fillNameKeys,
  events: deleteOldEvents,
  receiving: recordReceived,

  async replies({ pool, clock, retention }, org, { mayContinue }) {
    const now = clock()
    const tenant = tenantOf(pool, org)
    const before = new Date(now.getTime() - retention.repliesMs)
    while ((await deleteOldReplies(tenant, before)) === repliesAtOnce) {
      if (!mayContinue()) return { next: now }
    }
    const oldest = await findOldestReply(tenant)
    const next = oldest && new Date(oldest.getTime() + retention.repliesMs)
    // Nothing arms the platform's work, so it is always due again.
    return { next: notBefore(now, deletionPauseMs, next ?? (org === platformOrg ? now : undefined)) }
  },

  async deliveries({ pool, clock, retention }, org, { mayContinue }) {
    const now = clock()
    const tenant = tenantOf(pool, org)
    const before = new Date(now.getTime() - retention.deliveriesMs)
    while ((await deleteOldDeliveries(tenant, before)) === deliveriesAtOnce) {
      if (!mayContinue()) return { next: now }
    }
    while ((await deleteOldReceived(tenant, before)) === receivedAtOnce) {
      if (!mayContinue()) return { next: now }
    }
    // For as long as there may be new ones.
    const isUsed =
      (await countWebhooks(tenant)) > 0 ||
      (await hasDeliveries(tenant)) ||
      (await countSources(tenant)) > 0 ||
      (await hasReceived(tenant))
    return { next: isUsed ? new Date(now.getTime() + dayMs) : undefined }
  },

  async messages({ pool, clock, retention }, org, { mayContinue }) {
    const now = clock()
    const tenant = tenantOf(pool, org)
    const before = new Date(now.getTime() - retention.messagesMs)
    while ((await deleteOldMessages(tenant, before)) === messagesAtOnce) {
      if (!mayContinue()) return { next: now }
    }
    return { next: new Date(now.getTime() + dayMs) }
  },

  async requests(deps, org, turn) {
    const now = deps.clock()
    const next = await forgetRequests(deps, org, turn)
    // Nobody looks for the old events of an organization that an earlier version has created during an upgrade.
    if (org !== platformOrg) {
      await inTransaction(deps.pool, org, (tenant) => upsertDueWork(tenant, [nextLook(now)], now))
    }
    // The turn has ended before the work.
    if (next && next <= now) return { next: now }
    return { next: notBefore(now, deletionPauseMs, next) }
  },

  async guesses({ pool, clock }, org) {
    const now = clock()
    await deleteForgottenGuesses(tenantOf(pool, org), now)
    const next = await findNextForgotten(tenantOf(pool, org))
    return { next: notBefore(now, next ? guessesPauseMs : deletionPauseMs, next ?? now) }
  },
}
