/**
 * Sends to one webhook what is due, for one turn. The webhook is leased, so that one process at a time sends to it,
 * and a slow one holds up only itself. New events become deliveries together with the position that says so, and a
 * delivery is finished only when its response is written: whatever ends a turn in the middle, the next one goes on,
 * and what was sent without being noted is sent again under the same ID.
 */
import type { LimitFunction } from 'p-limit'
import type { EventType } from '../../domain/event.ts'
import type { WebhookId } from '../../domain/ids.ts'
import { modeOf, type Organization } from '../../domain/organization.ts'
import {
  type Attempt,
  afterAttempt,
  deliveryStatus,
  hasFailedForLong,
  isGone,
  isSuccess,
  type Outcome,
  type PauseReason,
  pauseOfFailing,
} from '../../domain/webhook.ts'
import { insertEvents, listEvents } from '../../store/events.ts'
import { findOwnOrganization } from '../../store/organizations.ts'
import { listActiveOwners } from '../../store/people.ts'
import { inTransaction, type Tenant, tenantOf } from '../../store/tenant.ts'
import {
  insertDeliveries,
  listDueDeliveries,
  type PendingDelivery,
  updateAttempts,
} from '../../store/webhook-deliveries.ts'
import {
  countPending,
  type LeasedWebhook,
  leaseWebhook,
  listWebhookSecrets,
  releaseWebhook,
  updateHealth,
  updatePosition,
} from '../../store/webhooks.ts'
import { traceHeaders } from '../../tracing/spans.ts'
import type { Deps } from '../deps.ts'
import { toEventView } from '../events/event-view.ts'
import { canEmail, orderMessage } from '../messages/order-messages.ts'
import { ownTimeIn } from '../organizations/time-of.ts'
import type { Send } from '../outbound/send.ts'
import { signatureHeaders } from '../outbound/sign.ts'
import { placeOf, testType } from './manage-webhooks.ts'

export interface DeliveryTools {
  readonly deps: Deps
  readonly send: Send
  /** Runs what needs a connection to the database: most of them are for requests. */
  readonly inTurn: LimitFunction
  readonly signal: AbortSignal
}

export const leaseSeconds = 60
const turnMs = 10_000
/** Deliveries that a webhook gets at a time; one that fails gets a single one, which tells whether it works again. */
const sentAtOnce = 10
const eventsAtOnce = 100
/** Pending deliveries of a webhook. What is beyond waits as events, whose number is not bounded by anything. */
const maxPending = { working: 10_000, failing: 100 }

interface SigningKey {
  readonly key: Buffer
  readonly expiresAt?: Date
}

interface Turn {
  readonly tenant: Tenant
  readonly organization: Organization
  readonly webhook: LeasedWebhook
  readonly keys: readonly SigningKey[]
}

/** Does nothing if somebody else sends to the webhook. */
export async function deliverTurn(tools: DeliveryTools, org: number, id: WebhookId): Promise<void> {
  const { deps, inTurn, signal } = tools
  const tenant = tenantOf(deps.pool, org)
  const turn = await inTurn(() => openTurn(deps, tenant, id))
  if (!turn) return
  const endsAt = performance.now() + turnMs
  let { failingSince, position } = turn.webhook
  let [isFull, isPaused] = [false, false]
  let holdUntil: Date | undefined
  try {
    while (!isPaused && !signal.aborted && performance.now() < endsAt) {
      const isFailing = failingSince !== undefined
      const found = await inTurn(() => takeUp(deps, turn, position, isFailing))
      position = found.position
      isFull = found.isFull
      if (found.due.length === 0) break
      const sent = await Promise.all(found.due.map((delivery) => attempt(tools, turn, delivery)))
      // Cut off by our own end, not by the receiver.
      const counted = sent.filter(({ outcome }) => isSuccess(outcome) || !signal.aborted)
      const noted = await inTurn(() => note(deps, turn, failingSince, counted))
      failingSince = noted.failingSince
      isPaused = noted.isPaused
      if (failingSince !== undefined && !counted.some(({ outcome }) => isSuccess(outcome))) {
        const now = deps.clock()
        holdUntil = new Date(now.getTime() + pauseOfFailing(failingSince, now))
        break
      }
    }
  } finally {
    await inTurn(() => releaseWebhook(tenant, turn.webhook, { holdUntil, isFull }))
  }
}

async function openTurn(deps: Deps, tenant: Tenant, id: WebhookId): Promise<Turn | undefined> {
  const webhook = await leaseWebhook(tenant, id, deps.clock(), leaseSeconds)
  if (!webhook) return undefined
  const organization = await findOwnOrganization(tenant)
  const secrets = await listWebhookSecrets(tenant, id, deps.clock())
  const keys = secrets.flatMap(({ sealed, expiresAt }) => {
    const key = deps.seal.open(sealed, placeOf(id))
    return key ? [{ key, expiresAt }] : []
  })
  if (!organization?.isSubscribed || keys.length === 0) {
    // Nothing can be signed with secrets of another installation; a rotation gives it a new one.
    const reason = keys.length === 0 ? 'its secret cannot be read, rotate it' : 'no subscription'
    deps.log.warn({ webhook: id, reason }, 'a webhook cannot be sent to')
    const holdUntil = new Date(deps.clock().getTime() + 3_600_000)
    await releaseWebhook(tenant, webhook, { holdUntil, isFull: false })
    return undefined
  }
  return { tenant, organization, webhook, keys }
}

/** Makes deliveries of new events, as far as there is room, and returns those that are due. */
async function takeUp(
  { pool, clock, log }: Deps,
  { tenant, webhook }: Turn,
  position: number,
  isFailing: boolean,
): Promise<{ due: PendingDelivery[]; position: number; isFull: boolean }> {
  const now = clock()
  const pending = await countPending(tenant, webhook)
  if (pending === undefined) return { due: [], position, isFull: false }
  const room = (isFailing ? maxPending.failing : maxPending.working) - pending
  let until = position
  if (room > 0) {
    until = await inTransaction(pool, tenant.orgId, async (within) => {
      const types = webhook.types as EventType[] | undefined
      const limit = Math.min(room, eventsAtOnce)
      const listed = await listEvents(within, { types }, { after: position, limit })
      if (listed.until === position) return position
      if (listed.oldest > position + 1) {
        log.warn({ webhook: webhook.id }, 'events were deleted before they were sent to a webhook')
      }
      await insertDeliveries(within, webhook.id, listed.events, now)
      if (await updatePosition(within, webhook, listed.until, leaseSeconds)) return listed.until
      throw new Error('The lease of the webhook has ended.')
    })
  }
  const due = await listDueDeliveries(tenant, webhook.id, now, isFailing ? 1 : sentAtOnce)
  return { due, position: until, isFull: room <= 0 }
}

interface Sent {
  readonly delivery: PendingDelivery
  readonly attempt: Attempt
  readonly outcome: Outcome
}

async function attempt({ deps, send }: DeliveryTools, turn: Turn, delivery: PendingDelivery): Promise<Sent> {
  const now = deps.clock()
  const content = contentOf(turn, delivery)
  if (!content) {
    const attempt = { at: now, durationMs: 0, error: 'The event is no longer kept.' }
    return { delivery, attempt, outcome: { isEmpty: true } }
  }
  const body = JSON.stringify(content)
  const keys = turn.keys.flatMap(({ key, expiresAt }) => (expiresAt && expiresAt <= now ? [] : [key]))
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Loyalty-Wallet-Webhooks/1',
    ...traceHeaders(),
    ...(modeOf(turn.organization) === 'test' && { 'loyalty-wallet-mode': 'test' }),
    ...signatureHeaders({ id: delivery.event, body }, keys, now),
  }
  const { retryAfterMs, ...made } = await send({ url: turn.webhook.url, headers, body }, now)
  return { delivery, attempt: made, outcome: { status: made.status, retryAfterMs } }
}

function contentOf({ organization, webhook }: Turn, { isTest, recorded, createdAt, event }: PendingDelivery) {
  if (recorded) return toEventView(organization, recorded)
  if (!isTest) return undefined
  return {
    id: event,
    type: testType,
    timestamp: createdAt.toISOString(),
    mode: modeOf(organization),
    data: { webhook: webhook.id },
  }
}

/** Writes what came of the attempts, and whether the webhook works. */
async function note(
  deps: Deps,
  { tenant, webhook }: Turn,
  before: Date | undefined,
  sent: readonly Sent[],
): Promise<{ failingSince?: Date; isPaused: boolean }> {
  const now = deps.clock()
  for (const { outcome } of sent) count(deps, isSuccess(outcome) ? 'delivered' : 'failed')
  // What could not be sent says nothing about the receiver.
  const answered = sent.filter(({ outcome }) => !outcome.isEmpty)
  const isWorking = answered.some(({ outcome }) => isSuccess(outcome))
  const failingSince = isWorking ? undefined : (before ?? (answered.length > 0 ? now : undefined))
  const pausedBecause = reasonToPause(sent, failingSince, now)
  await inTransaction(deps.pool, tenant.orgId, async (within) => {
    await updateAttempts(
      within,
      sent.map(({ delivery, attempt, outcome }) => {
        const after = afterAttempt(delivery.attempts + 1, outcome, now, Math.random())
        const retryAt = 'retryAt' in after ? after.retryAt : undefined
        const status = 'retryAt' in after ? deliveryStatus.pending : deliveryStatus[after.kind]
        return { delivery: delivery.id, before: delivery.attempts, attempt, status, retryAt }
      }),
    )
    const isSame = before?.getTime() === failingSince?.getTime()
    if (isSame && !pausedBecause) return
    if (await updateHealth(within, webhook, { failingSince, pausedBecause }, now)) {
      if (!pausedBecause) return
      deps.log.warn({ webhook: webhook.id, because: pausedBecause }, 'a webhook was paused')
      const data = { webhook: webhook.id, because: pausedBecause }
      await insertEvents(within, [{ type: 'webhook.paused', data }], await ownTimeIn(now, within))
      await tellOwners(deps, within, webhook, now)
    }
  })
  return { failingSince, isPaused: pausedBecause !== undefined }
}

/** Only the host is named: the rest of an address may contain a secret. */
async function tellOwners({ seal }: Deps, tenant: Tenant, { url }: LeasedWebhook, now: Date): Promise<void> {
  if (!(await canEmail(tenant))) return
  const data = { url: new URL(url).host }
  for (const person of await listActiveOwners(tenant)) {
    await orderMessage(tenant, seal, { kind: 'webhook_paused', channel: 'email', person, data }, now)
  }
}

function reasonToPause(
  sent: readonly Sent[],
  failingSince: Date | undefined,
  now: Date,
): PauseReason | undefined {
  if (sent.some(({ outcome }) => isGone(outcome))) return 'gone'
  return hasFailedForLong(failingSince, now) ? 'failing' : undefined
}

function count({ workCounts: { attempts } }: Deps, outcome: 'delivered' | 'failed'): void {
  attempts.set(outcome, (attempts.get(outcome) ?? 0) + 1)
}
