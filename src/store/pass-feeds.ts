/** How far the events of an organization have been looked at for its passes, and who does it. */
import { randomUUID } from 'node:crypto'
import { onEveryNode } from './due-work.ts'
import { execute, maybeOne, type Tenant } from './tenant.ts'

/** Organizations with changes of passes that nobody is sending. Runs as the platform; as for webhooks, numbers tell. */
export async function listDueFeeds(platform: Tenant, now: Date, limit: number): Promise<number[]> {
  const [, rows] = await platform.db.pipe([
    onEveryNode,
    {
      name: 'list-due-feeds',
      text: `SELECT f.org_id FROM pass_feeds f JOIN event_counters c ON c.org_id = f.org_id
             WHERE (f.position < c.last_position OR f.retry_at <= $1::timestamptz)
               AND (f.leased_until IS NULL OR f.leased_until <= now())
             ORDER BY random() LIMIT $2::integer`,
      values: [now.toISOString(), String(limit)],
    },
  ])
  return rows!.map(([org]) => Number(org))
}

/** Organizations whose customers have had passes. Runs as the platform. */
export async function listFeeds(platform: Tenant, limit: number): Promise<number[]> {
  const [, rows] = await platform.db.pipe([
    onEveryNode,
    {
      name: 'list-feeds',
      text: 'SELECT org_id FROM pass_feeds ORDER BY org_id LIMIT $1::integer',
      values: [String(limit)],
    },
  ])
  return rows!.map(([org]) => Number(org))
}

export interface LeasedFeed {
  readonly lease: string
  readonly position: number
}

/** Undefined if somebody else has it. It is due again at once if the lease is never released. */
export async function leaseFeed(
  tenant: Tenant,
  now: Date,
  leaseSeconds: number,
): Promise<LeasedFeed | undefined> {
  const lease = randomUUID()
  const row = await maybeOne<{ position: string }>(
    tenant.db,
    `UPDATE pass_feeds SET lease = $2, leased_until = now() + make_interval(secs => $3), retry_at = least(retry_at, $4)
     WHERE org_id = $1 AND (leased_until IS NULL OR leased_until <= now()) RETURNING position`,
    [tenant.orgId, lease, leaseSeconds, now],
  )
  return row && { lease, position: Number(row.position) }
}

/** Whether the lease still held; it is renewed. */
export async function updateFeedPosition(
  tenant: Tenant,
  { lease }: LeasedFeed,
  position: number,
  leaseSeconds: number,
): Promise<boolean> {
  const updated = await execute(
    tenant.db,
    `UPDATE pass_feeds SET position = $3, leased_until = now() + make_interval(secs => $4)
     WHERE org_id = $1 AND lease = $2`,
    [tenant.orgId, lease, position, leaseSeconds],
  )
  return updated === 1
}

/** A pass that is added meanwhile waits for the row, or is seen. */
export async function releaseFeed(tenant: Tenant, { lease }: LeasedFeed): Promise<void> {
  const org = String(tenant.orgId)
  await tenant.db.pipe([
    {
      name: 'lock-feed',
      text: 'SELECT 1 FROM pass_feeds WHERE org_id = $1::integer FOR NO KEY UPDATE',
      values: [org],
    },
    {
      name: 'release-feed',
      text: `UPDATE pass_feeds SET lease = NULL, leased_until = NULL,
               retry_at = (SELECT min(due_at) FROM passes WHERE org_id = $1::integer)
             WHERE org_id = $1::integer AND lease = $2::uuid`,
      values: [org, lease],
    },
  ])
}

/** Lets everything that waits be tried at once, after new keys. */
export async function updateFeedDue(tenant: Tenant, now: Date): Promise<void> {
  await tenant.db.query(
    'UPDATE pass_feeds SET retry_at = $2 WHERE org_id = $1 AND EXISTS (SELECT 1 FROM passes WHERE org_id = $1)',
    [tenant.orgId, now],
  )
  await tenant.db.query('UPDATE passes SET due_at = $2 WHERE org_id = $1 AND due_at IS NOT NULL', [
    tenant.orgId,
    now,
  ])
}
