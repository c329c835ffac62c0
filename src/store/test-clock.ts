/** The clock of a test organization. Moving it and moving its background work along is one transaction. */
import { kindsInOwnTime } from './due-work.ts'
import { shifted } from './shifted.ts'
import { execute, many, type Tenant } from './tenant.ts'

export type KindInOwnTime = (typeof kindsInOwnTime)[number]

export interface WorkInOwnTime {
  readonly kind: KindInOwnTime
  /** When it is due, by the organization's clock. */
  readonly at?: Date
  /** Whether a process is doing it. */
  readonly isLeased: boolean
}

async function readWork(tenant: Tenant, lock: string): Promise<WorkInOwnTime[]> {
  const rows = await many<{ kind: KindInOwnTime; at: Date | null; is_leased: boolean }>(
    tenant.db,
    `SELECT kind, due_at + ahead_ms * interval '1 ms' AS at, coalesce(leased_until > now(), false) AS is_leased
     FROM due_work WHERE org_id = $1 AND kind = ANY($2::text[]) ORDER BY kind ${lock}`,
    [tenant.orgId, kindsInOwnTime],
  )
  return rows.map(({ kind, at, is_leased }) => ({ kind, at: at ?? undefined, isLeased: is_leased }))
}

export const listWorkInOwnTime = (tenant: Tenant): Promise<WorkInOwnTime[]> => readWork(tenant, '')

/** Nobody begins, ends or arms any of it until the transaction ends. */
export const lockWorkInOwnTime = (tenant: Tenant): Promise<WorkInOwnTime[]> => readWork(tenant, 'FOR UPDATE')

/**
 * What the work is due for stays the same, and so it is due earlier by the real clock. The organization, the version of
 * its setup, which tells every process about the new time, and the work are locked before, in this order.
 */
export async function updateAhead(tenant: Tenant, byMs: number): Promise<void> {
  const moved = await execute(
    tenant.db,
    'UPDATE organizations SET ahead_ms = ahead_ms + $2 WHERE org_id = $1 AND test_of IS NOT NULL',
    [tenant.orgId, byMs],
  )
  if (moved !== 1) throw new Error('Only the clock of a test organization can be set.')
  const by = "- $2::bigint * interval '1 ms'"
  await tenant.db.query(
    `UPDATE due_work SET ahead_ms = ahead_ms + $2::bigint, due_at = ${shifted('due_at', by)},
       armed_for = ${shifted('armed_for', by)}
     WHERE org_id = $1 AND kind = ANY($3::text[])`,
    [tenant.orgId, byMs, kindsInOwnTime],
  )
}
