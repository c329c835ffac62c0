/** Deliveries of events to webhooks: those that are pending, and the log of those that are not. */
import type { EventType, RecordedEvent } from '../domain/event.ts'
import type { DeliveryId, EventId, WebhookId } from '../domain/ids.ts'
import { type Attempt, type Delivery, deliveryStatus } from '../domain/webhook.ts'
import { firstIdAt, newId } from './new-id.ts'
import { jsons, numbers, texts, times, uuids } from './pg-arrays.ts'
import { execute, idFrom, many, maybeOne, type Tenant, uuidOf, whereAll } from './tenant.ts'
import { countChanges } from './wallets/change.ts'

/** What is to be sent; without a position it is a test. */
export interface ToDeliver {
  readonly id: EventId
  readonly type: string
  readonly position?: number
}

/** Due at once. Returns their ids. */
export async function insertDeliveries(
  tenant: Tenant,
  webhook: WebhookId,
  events: readonly ToDeliver[],
  now: Date,
): Promise<DeliveryId[]> {
  const ids = events.map(() => newId('dlv', now))
  if (events.length === 0) return ids
  await tenant.db.pipe([
    {
      name: 'insert-deliveries',
      text: `INSERT INTO webhook_deliveries (org_id, id, webhook_id, event_id, type, position, status, next_attempt_at, created_at)
SELECT o.org_id, r.id, $2::uuid, r.event_id, r.type, r.position, ${deliveryStatus.pending}, $3::timestamptz, $3::timestamptz
FROM setup_versions o, unnest($4::uuid[], $5::uuid[], $6::text[], $7::bigint[]) AS r (id, event_id, type, position)
WHERE o.org_id = $1::integer`,
      values: [
        String(tenant.orgId),
        uuidOf(webhook),
        now.toISOString(),
        uuids(ids),
        uuids(events.map(({ id }) => id)),
        texts(events.map(({ type }) => type)),
        numbers(events.map(({ position }) => position)),
      ],
    },
  ])
  return ids
}

/** A pending delivery with its event; undefined if the event is no longer kept, and for a test. */
export interface PendingDelivery {
  readonly id: DeliveryId
  readonly event: EventId
  readonly type: string
  readonly createdAt: Date
  readonly attempts: number
  readonly isTest: boolean
  readonly recorded?: RecordedEvent
}

export async function listDueDeliveries(
  tenant: Tenant,
  webhook: WebhookId,
  now: Date,
  limit: number,
): Promise<PendingDelivery[]> {
  const rows = await many<{
    id: string
    event_id: string
    type: EventType
    position: string | null
    created_at: Date
    attempts: number
    at: Date | null
    data: Record<string, unknown> | null
  }>(
    tenant.db,
    `SELECT d.id, d.event_id, d.type, d.position, d.created_at, jsonb_array_length(d.attempts) AS attempts,
       e.created_at AS at, e.data
     FROM webhook_deliveries d LEFT JOIN events e ON e.org_id = $1 AND e.position = d.position
     WHERE d.org_id = $1 AND d.webhook_id = $2 AND d.status = ${deliveryStatus.pending} AND d.next_attempt_at <= $3
     ORDER BY d.next_attempt_at, d.id LIMIT $4`,
    [tenant.orgId, uuidOf(webhook), now, limit],
  )
  return rows.map((row) => {
    const event = idFrom('evt', row.event_id)
    const { type } = row
    const recorded = row.at &&
      row.data && { id: event, type, at: row.at, position: Number(row.position), data: row.data }
    return {
      id: idFrom('dlv', row.id),
      event,
      type,
      createdAt: row.created_at,
      attempts: row.attempts,
      isTest: row.position === null,
      recorded: recorded ?? undefined,
    }
  })
}

export interface AttemptMade {
  readonly delivery: DeliveryId
  /** Attempts before this one: a delivery that somebody else has tried meanwhile is left as it is. */
  readonly before: number
  readonly attempt: Attempt
  readonly status: number
  readonly retryAt?: Date
}

export async function updateAttempts(tenant: Tenant, made: readonly AttemptMade[]): Promise<void> {
  await tenant.db.pipe([
    {
      name: 'update-deliveries',
      text: countChanges(`UPDATE webhook_deliveries d SET attempts = d.attempts || r.attempt::jsonb, status = r.status, next_attempt_at = r.retry_at
FROM unnest($2::uuid[], $3::integer[], $4::json[], $5::smallint[], $6::timestamptz[]) AS r (id, before, attempt, status, retry_at)
WHERE d.org_id = $1::integer AND d.id = r.id AND d.status = ${deliveryStatus.pending} AND jsonb_array_length(d.attempts) = r.before`),
      values: [
        String(tenant.orgId),
        uuids(made.map(({ delivery }) => delivery)),
        numbers(made.map(({ before }) => before)),
        jsons(made.map(({ attempt }) => attempt)),
        numbers(made.map(({ status }) => status)),
        times(made.map(({ retryAt }) => retryAt)),
      ],
    },
  ])
}

// The log ---------------------------------------------------------------------------------------------------

interface DeliveryRow {
  id: string
  webhook_id: string
  event_id: string
  type: string
  status: number
  attempts: (Omit<Attempt, 'at'> & { at: string })[]
  next_attempt_at: Date | null
  created_at: Date
}

const columns = 'id, webhook_id, event_id, type, status, attempts, next_attempt_at, created_at'

const toDelivery = (row: DeliveryRow): Delivery => ({
  id: idFrom('dlv', row.id),
  webhook: idFrom('whk', row.webhook_id),
  event: idFrom('evt', row.event_id),
  type: row.type,
  status: row.status,
  attempts: row.attempts.map((attempt) => ({ ...attempt, at: new Date(attempt.at) })),
  nextAttemptAt: row.next_attempt_at ?? undefined,
  createdAt: row.created_at,
})

/** Newest first. */
export async function listDeliveries(
  tenant: Tenant,
  webhook: WebhookId,
  filter: { readonly status?: number },
  page: { limit: number; after?: DeliveryId },
): Promise<Delivery[]> {
  const where = whereAll(
    [
      ['status = $', filter.status],
      ['id < $', page.after && uuidOf(page.after)],
    ],
    4,
  )
  const rows = await many<DeliveryRow>(
    tenant.db,
    `SELECT ${columns} FROM webhook_deliveries WHERE org_id = $1 AND webhook_id = $2${where.text}
     ORDER BY id DESC LIMIT $3`,
    [tenant.orgId, uuidOf(webhook), page.limit, ...where.values],
  )
  return rows.map(toDelivery)
}

export interface DeliveryWithPosition extends Delivery {
  readonly position?: number
}

export async function findDelivery(
  tenant: Tenant,
  id: DeliveryId,
): Promise<DeliveryWithPosition | undefined> {
  const row = await maybeOne<DeliveryRow & { position: string | null }>(
    tenant.db,
    `SELECT ${columns}, position FROM webhook_deliveries WHERE org_id = $1 AND id = $2`,
    [tenant.orgId, uuidOf(id)],
  )
  return row && { ...toDelivery(row), position: row.position === null ? undefined : Number(row.position) }
}

export const deliveriesAtOnce = 1_000
/** One that is still pending when it is old belongs to a webhook that was paused or deleted. */
const pendingKeptMs = 30 * 86_400_000

/** The number deleted. */
export async function deleteOldDeliveries(tenant: Tenant, before: Date): Promise<number> {
  return execute(
    tenant.db,
    `DELETE FROM webhook_deliveries WHERE org_id = $1 AND id = ANY (ARRAY(
       SELECT id FROM webhook_deliveries WHERE org_id = $1 AND id < $2
         AND (status <> ${deliveryStatus.pending} OR id < $3)
       ORDER BY id LIMIT ${deliveriesAtOnce}))`,
    [tenant.orgId, firstIdAt(before), firstIdAt(new Date(before.getTime() - pendingKeptMs))],
  )
}

export async function hasDeliveries(tenant: Tenant): Promise<boolean> {
  const row = await maybeOne(tenant.db, 'SELECT 1 FROM webhook_deliveries WHERE org_id = $1 LIMIT 1', [
    tenant.orgId,
  ])
  return row !== undefined
}
