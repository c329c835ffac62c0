/** Webhooks of an organization, their secrets, and which of them have something to send. */
import { randomUUID } from 'node:crypto'
import type { WebhookId } from '../domain/ids.ts'
import { deliveryStatus, type PauseReason, type Webhook, webhookStatus } from '../domain/webhook.ts'
import { onEveryNode } from './due-work.ts'
import { newId } from './new-id.ts'
import { execute, idFrom, many, maybeOne, type Tenant, uuidOf } from './tenant.ts'

interface WebhookRow {
  id: string
  url: string
  description: string | null
  types: string[] | null
  status: number
  paused_because: PauseReason | null
  failing_since: Date | null
  created_at: Date
  updated_at: Date
}

const columns = 'id, url, description, types, status, paused_because, failing_since, created_at, updated_at'

const toWebhook = (row: WebhookRow): Webhook => ({
  id: idFrom('whk', row.id),
  url: row.url,
  description: row.description ?? undefined,
  types: row.types ?? undefined,
  status: row.status,
  pausedBecause: row.paused_because ?? undefined,
  failingSince: row.failing_since ?? undefined,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

/** It gets what happens from now on. */
export async function insertWebhook(tenant: Tenant, webhook: Webhook): Promise<void> {
  const { id, url, description, types, status, createdAt } = webhook
  await tenant.db.query(
    `INSERT INTO webhooks (org_id, id, url, description, types, status, created_at, updated_at, position)
     SELECT org_id, $2, $3, $4, $5, $6, $7, $7, last_position FROM event_counters WHERE org_id = $1`,
    [tenant.orgId, uuidOf(id), url, description ?? null, types ?? null, status, createdAt],
  )
}

/** Newest first. */
export async function listWebhooks(
  tenant: Tenant,
  page: { limit: number; after?: WebhookId },
): Promise<Webhook[]> {
  const rows = await many<WebhookRow>(
    tenant.db,
    `SELECT ${columns} FROM webhooks WHERE org_id = $1 AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
    [tenant.orgId, page.after ? uuidOf(page.after) : null, page.limit],
  )
  return rows.map(toWebhook)
}

export async function countWebhooks(tenant: Tenant): Promise<number> {
  const row = await maybeOne<{ count: number }>(
    tenant.db,
    'SELECT count(*)::int AS count FROM webhooks WHERE org_id = $1',
    [tenant.orgId],
  )
  return row!.count
}

export async function findWebhook(tenant: Tenant, id: WebhookId): Promise<Webhook | undefined> {
  const row = await maybeOne<WebhookRow>(
    tenant.db,
    `SELECT ${columns} FROM webhooks WHERE org_id = $1 AND id = $2`,
    [tenant.orgId, uuidOf(id)],
  )
  return row && toWebhook(row)
}

/** Locked until the transaction ends. */
export async function lockWebhook(tenant: Tenant, id: WebhookId): Promise<Webhook | undefined> {
  const row = await maybeOne<WebhookRow>(
    tenant.db,
    `SELECT ${columns} FROM webhooks WHERE org_id = $1 AND id = $2 FOR NO KEY UPDATE`,
    [tenant.orgId, uuidOf(id)],
  )
  return row && toWebhook(row)
}

/** A change is a new beginning: what failed before does not hold it up. */
export async function updateWebhook(tenant: Tenant, webhook: Webhook): Promise<void> {
  const { id, url, description, types, status, pausedBecause, failingSince, updatedAt } = webhook
  await tenant.db.query(
    `UPDATE webhooks SET url = $3, description = $4, types = $5, status = $6, paused_because = $7, failing_since = $8,
       updated_at = $9, hold_until = NULL WHERE org_id = $1 AND id = $2`,
    [
      ...[tenant.orgId, uuidOf(id), url, description ?? null, types ?? null],
      ...[status, pausedBecause ?? null, failingSince ?? null, updatedAt],
    ],
  )
}

/** Its deliveries are no longer shown, and are deleted when they are old. */
export async function deleteWebhook(tenant: Tenant, id: WebhookId): Promise<boolean> {
  return (
    (await execute(tenant.db, 'DELETE FROM webhooks WHERE org_id = $1 AND id = $2', [
      tenant.orgId,
      uuidOf(id),
    ])) === 1
  )
}

// Secrets ---------------------------------------------------------------------------------------------------

/** The earlier secrets sign until `earlierUntil`; those that have expired are deleted. */
export async function insertWebhookSecret(
  tenant: Tenant,
  id: WebhookId,
  sealed: Buffer,
  now: Date,
  earlierUntil: Date,
): Promise<void> {
  const key = [tenant.orgId, uuidOf(id)]
  await tenant.db.query(
    'UPDATE webhook_secrets SET expires_at = least(expires_at, $3) WHERE org_id = $1 AND webhook_id = $2',
    [...key, earlierUntil],
  )
  await tenant.db.query(
    'DELETE FROM webhook_secrets WHERE org_id = $1 AND webhook_id = $2 AND expires_at <= $3',
    [...key, now],
  )
  await tenant.db.query(
    'INSERT INTO webhook_secrets (org_id, webhook_id, id, sealed) VALUES ($1, $2, $3, $4)',
    [...key, uuidOf(newId('sec', now)), sealed],
  )
}

export interface WebhookSecret {
  readonly sealed: Buffer
  readonly expiresAt?: Date
}

/** Those that are valid, the newest first. */
export async function listWebhookSecrets(tenant: Tenant, id: WebhookId, now: Date): Promise<WebhookSecret[]> {
  const rows = await many<{ sealed: Buffer; expires_at: Date | null }>(
    tenant.db,
    `SELECT sealed, expires_at FROM webhook_secrets WHERE org_id = $1 AND webhook_id = $2 AND (expires_at IS NULL OR expires_at > $3)
     ORDER BY id DESC`,
    [tenant.orgId, uuidOf(id), now],
  )
  return rows.map(({ sealed, expires_at }) => ({ sealed, expiresAt: expires_at ?? undefined }))
}

// Sending ---------------------------------------------------------------------------------------------------

/** Lets a process find the webhook at once. Comes after what it is to find. */
export async function armWebhook(tenant: Tenant, id: WebhookId, now: Date): Promise<void> {
  await tenant.db.query(
    'UPDATE webhooks SET retry_at = least(retry_at, $3), hold_until = NULL WHERE org_id = $1 AND id = $2',
    [tenant.orgId, uuidOf(id), now],
  )
}

export interface DueWebhook {
  readonly org: number
  readonly id: WebhookId
  /** Whether the last attempt has failed. */
  readonly isFailing: boolean
}

/**
 * Webhooks with something to send that nobody is sending to: at most `limit` of those that fail and of those that do
 * not, and at most `perOrganization` of each organization's. Runs as the platform.
 *
 * Nobody has to say that there is something new: events are numbered, so comparing two numbers tells. It costs as
 * much as there are webhooks, and writers of events nothing.
 */
export async function listDueWebhooks(
  platform: Tenant,
  now: Date,
  { perOrganization, limit }: { readonly perOrganization: number; readonly limit: number },
): Promise<DueWebhook[]> {
  // In two statements: a cluster cannot number across organizations where their rows are.
  const ask = (isFailing: boolean) => ({
    name: 'list-due-webhooks',
    text: `SELECT org_id, id FROM (
             SELECT w.org_id, w.id, random() AS chance,
               row_number() OVER (PARTITION BY w.org_id ORDER BY random()) AS n
             FROM webhooks w JOIN event_counters c ON c.org_id = w.org_id
             WHERE w.status = ${webhookStatus.active} AND (w.failing_since IS NOT NULL) = $4::boolean
               AND (w.position < c.last_position OR w.retry_at <= $1::timestamptz)
               AND (w.hold_until IS NULL OR w.hold_until <= $1::timestamptz)
               AND (w.leased_until IS NULL OR w.leased_until <= now())) due
           WHERE n <= $2::integer ORDER BY n, chance LIMIT $3::integer`,
    values: [now.toISOString(), String(perOrganization), String(limit), String(isFailing)],
  })
  const [, failing, working] = await platform.db.pipe([onEveryNode, ask(true), ask(false)])
  const toDue = (isFailing: boolean) => (row: readonly (string | null)[]) => ({
    org: Number(row[0]),
    id: idFrom('whk', row[1]!),
    isFailing,
  })
  // Those that fail first: there is always room for others beside them.
  return [...failing!.map(toDue(true)), ...working!.map(toDue(false))]
}

export interface LeasedWebhook extends Webhook {
  readonly lease: string
  readonly position: number
}

/**
 * Undefined if somebody else sends to it, or if it was paused or deleted. It is due again at once if the lease is never
 * released: a process that dies leaves deliveries that nothing else would lead to.
 */
export async function leaseWebhook(
  tenant: Tenant,
  id: WebhookId,
  now: Date,
  leaseSeconds: number,
): Promise<LeasedWebhook | undefined> {
  const lease = randomUUID()
  const row = await maybeOne<WebhookRow & { position: string }>(
    tenant.db,
    `UPDATE webhooks SET lease = $3, leased_until = now() + make_interval(secs => $4), retry_at = least(retry_at, $5)
     WHERE org_id = $1 AND id = $2 AND status = ${webhookStatus.active}
       AND (leased_until IS NULL OR leased_until <= now())
     RETURNING ${columns}, position`,
    [tenant.orgId, uuidOf(id), lease, leaseSeconds, now],
  )
  return row && { ...toWebhook(row), lease, position: Number(row.position) }
}

/** Its pending deliveries; undefined if it was changed, paused or deleted, or if somebody else sends to it now. */
export async function countPending(
  tenant: Tenant,
  { id, lease, updatedAt }: LeasedWebhook,
): Promise<number | undefined> {
  const row = await maybeOne<{ count: number }>(
    tenant.db,
    `SELECT (SELECT count(*) FROM webhook_deliveries WHERE org_id = $1 AND webhook_id = $2
               AND status = ${deliveryStatus.pending})::int AS count
     FROM webhooks WHERE org_id = $1 AND id = $2 AND lease = $3 AND updated_at = $4`,
    [tenant.orgId, uuidOf(id), lease, updatedAt],
  )
  return row?.count
}

/** Whether the lease still held; it is renewed. */
export async function updatePosition(
  tenant: Tenant,
  { id, lease }: LeasedWebhook,
  position: number,
  leaseSeconds: number,
): Promise<boolean> {
  const updated = await execute(
    tenant.db,
    `UPDATE webhooks SET position = $4, leased_until = now() + make_interval(secs => $5)
     WHERE org_id = $1 AND id = $2 AND lease = $3`,
    [tenant.orgId, uuidOf(id), lease, position, leaseSeconds],
  )
  return updated === 1
}

export interface WebhookHealth {
  readonly failingSince?: Date
  readonly pausedBecause?: PauseReason
}

/** False if the webhook was paused, changed or deleted meanwhile, or if somebody else sends to it now. */
export async function updateHealth(
  tenant: Tenant,
  { id, lease, updatedAt }: LeasedWebhook,
  { failingSince, pausedBecause }: WebhookHealth,
  now: Date,
): Promise<boolean> {
  const updated = await execute(
    tenant.db,
    `UPDATE webhooks SET failing_since = $4, paused_because = $5, status = $6, 
       updated_at = CASE WHEN $5::text IS NULL THEN updated_at ELSE $7 END
     WHERE org_id = $1 AND id = $2 AND lease = $3 AND updated_at = $8 AND status = ${webhookStatus.active}`,
    [
      ...[tenant.orgId, uuidOf(id), lease, failingSince ?? null, pausedBecause ?? null],
      ...[pausedBecause ? webhookStatus.paused : webhookStatus.active, now, updatedAt],
    ],
  )
  return updated === 1
}

/** When pending deliveries are due, and nothing is sent before `holdUntil`; if `isFull`, not before the first of them. */
export async function releaseWebhook(
  tenant: Tenant,
  { id, lease }: LeasedWebhook,
  { holdUntil, isFull }: { readonly holdUntil?: Date; readonly isFull: boolean },
): Promise<void> {
  const key = [String(tenant.orgId), uuidOf(id)]
  await tenant.db.pipe([
    {
      // Before the next statement sees the deliveries: one that is being added waits, or is seen.
      name: 'lock-webhook',
      text: 'SELECT 1 FROM webhooks WHERE org_id = $1::integer AND id = $2::uuid FOR NO KEY UPDATE',
      values: key,
    },
    {
      name: 'release-webhook',
      text: `UPDATE webhooks SET lease = NULL, leased_until = NULL, retry_at = d.next,
               hold_until = CASE WHEN $5::boolean THEN greatest($4::timestamptz, d.next) ELSE $4::timestamptz END
             FROM (SELECT min(next_attempt_at) AS next FROM webhook_deliveries
                   WHERE org_id = $1::integer AND webhook_id = $2::uuid AND status = ${deliveryStatus.pending}) d
             WHERE org_id = $1::integer AND id = $2::uuid AND lease = $3::uuid`,
      values: [...key, lease, holdUntil?.toISOString() ?? null, String(isFull)],
    },
  ])
}

export interface WebhookFigures {
  readonly active: number
  readonly waiting: number
  readonly failing: number
  readonly paused: number
  /** Events that active webhooks have not looked at, of all of them together. */
  readonly behind: number
}

/** Runs as the platform. */
export async function findWebhookFigures(platform: Tenant, now: Date): Promise<WebhookFigures> {
  const isActive = `w.status = ${webhookStatus.active}`
  const [, rows] = await platform.db.pipe([
    onEveryNode,
    {
      name: 'webhook-figures',
      text: `SELECT count(*) FILTER (WHERE ${isActive}),
               count(*) FILTER (WHERE ${isActive} AND (w.position < c.last_position OR w.retry_at <= $1::timestamptz)),
               count(*) FILTER (WHERE ${isActive} AND w.failing_since IS NOT NULL),
               count(*) FILTER (WHERE NOT ${isActive}),
               coalesce(sum(c.last_position - w.position) FILTER (WHERE ${isActive}), 0)
             FROM webhooks w JOIN event_counters c ON c.org_id = w.org_id`,
      values: [now.toISOString()],
    },
  ])
  const [active, waiting, failing, paused, behind] = rows![0]!.map(Number)
  return { active: active!, waiting: waiting!, failing: failing!, paused: paused!, behind: behind! }
}
