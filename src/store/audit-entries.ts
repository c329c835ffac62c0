/**
 * Who changed what. Append-only: the service's role can neither change nor delete an entry, so entries hold
 * no personal data that a customer could ask to have erased.
 */
import type { Step } from '../database/pipeline.ts'
import type { AuditEntryId, CustomerId, UserId } from '../domain/ids.ts'
import { customerNameOf } from './customers.ts'
import { nameOfUser } from './people.ts'
import { idFrom, many, type Tenant, uuidOf } from './tenant.ts'

export interface AuditEntry {
  readonly id: AuditEntryId
  readonly at: Date
  readonly byKind: string
  /** Absent for an operator. */
  readonly user?: UserId
  readonly action: string
  readonly subject?: AuditSubject
  readonly details?: unknown
  readonly isTruncated: boolean
}

export interface AuditSubject {
  readonly kind: string
  readonly id: string
  /** The name it had at the time. */
  readonly name?: string
}

/** Written in the same message or transaction as the change it describes. */
export function auditEntryStep({ orgId }: Tenant, entry: AuditEntry): Step {
  return {
    name: 'write-audit-entry',
    text: `INSERT INTO audit_entries (org_id, id, at, by_kind, user_id, action, subject_kind, subject_id, subject_name,
             details, is_truncated)
           VALUES ($1::integer, $2::uuid, $3::timestamptz, $4::text, $5::uuid, $6::text, $7::text, $8::text, $9::text,
             $10::json, $11::boolean)`,
    values: [
      String(orgId),
      uuidOf(entry.id),
      entry.at.toISOString(),
      entry.byKind,
      entry.user ? uuidOf(entry.user) : null,
      entry.action,
      entry.subject?.kind ?? null,
      entry.subject?.id ?? null,
      entry.subject?.name ?? null,
      entry.details === undefined ? null : JSON.stringify(entry.details),
      String(entry.isTruncated),
    ],
  }
}

export async function insertAuditEntry(tenant: Tenant, entry: AuditEntry): Promise<void> {
  await tenant.db.pipeAtCommit([auditEntryStep(tenant, entry)])
}

interface AuditRow {
  id: string
  at: Date
  by_kind: string
  user_id: string | null
  by_name: string | null
  action: string
  subject_kind: string | null
  subject_id: string | null
  subject_name: string | null
  customer_id: string | null
  customer_name: string | null
  details: unknown
  is_truncated: boolean
}

/** An entry as read, with the current name of the person or of the connection's user. */
export interface ListedAuditEntry extends AuditEntry {
  readonly byName?: string
  readonly subject?: AuditSubject & {
    /** Whose card or coupon it is. */
    readonly customer?: CustomerId
    readonly customerName?: string
  }
}

const toEntry = (row: AuditRow): ListedAuditEntry => ({
  id: idFrom('aud', row.id),
  at: row.at,
  byKind: row.by_kind,
  user: row.user_id ? idFrom('usr', row.user_id) : undefined,
  byName: row.by_name ?? undefined,
  action: row.action,
  subject:
    row.subject_kind && row.subject_id
      ? {
          kind: row.subject_kind,
          id: row.subject_id,
          name: row.subject_name ?? undefined,
          customer: row.customer_id ? idFrom('cus', row.customer_id) : undefined,
          customerName: row.customer_name ?? undefined,
        }
      : undefined,
  details: row.details ?? undefined,
  isTruncated: row.is_truncated,
})

export interface AuditFilter {
  /** Matches any part of the action, or of the id or name of the changed object. */
  readonly text?: string
  readonly user?: UserId
  readonly byKind?: string
  readonly from?: Date
  readonly to?: Date
}

/** The UUID in the id of the subject, if that is of this kind. */
const subjectOf = (kind: string, prefix: string) =>
  `CASE WHEN a.subject_kind = '${kind}' THEN substr(a.subject_id, ${prefix.length + 1})::uuid END`

/** Entries, newest first. Entries keep no personal data: whose card it is, is looked up. */
export async function listAuditEntries(
  tenant: Tenant,
  { text, user, byKind, from, to }: AuditFilter,
  page: { limit: number; after?: AuditEntryId },
): Promise<ListedAuditEntry[]> {
  const rows = await many<AuditRow>(
    tenant.db,
    `SELECT a.*, ${nameOfUser('a')} AS by_name, coalesce(a.subject_name, held.ending) AS subject_name,
       held.customer_id, ${customerNameOf('held')}
     FROM audit_entries a
     LEFT JOIN LATERAL (
       SELECT customer_id, right(barcode, 4) AS ending FROM cards
       WHERE org_id = $1 AND id = ${subjectOf('card', 'card_')}
       UNION ALL
       SELECT customer_id, NULL FROM coupons WHERE org_id = $1 AND id = ${subjectOf('coupon', 'cpn_')}
     ) held ON true
     WHERE a.org_id = $1 AND ($3::uuid IS NULL OR a.id < $3)
       AND ($4::text IS NULL OR strpos(lower(a.action), lower($4)) > 0
         OR strpos(a.subject_id, lower($4)) > 0 OR strpos(lower(a.subject_name), lower($4)) > 0)
       AND ($5::uuid IS NULL OR a.user_id = $5) AND ($6::text IS NULL OR a.by_kind = $6)
       AND ($7::timestamptz IS NULL OR a.at >= $7) AND ($8::timestamptz IS NULL OR a.at < $8)
     ORDER BY a.id DESC LIMIT $2`,
    [
      tenant.orgId,
      page.limit,
      page.after ? uuidOf(page.after) : null,
      text ?? null,
      user ? uuidOf(user) : null,
      byKind ?? null,
      from ?? null,
      to ?? null,
    ],
  )
  return rows.map(toEntry)
}
