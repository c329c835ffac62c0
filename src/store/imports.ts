/**
 * Imports and the pieces that they were sent in. They say what came of each row by its number, never what was in it.
 */
import type { CampaignId, ImportId, UserId } from '../domain/ids.ts'
import type { ImportCounts, ImportKind, ProblemCode, RowProblem } from '../domain/import.ts'
import type { Step } from './question.ts'
import { execute, idFrom, many, maybeOne, type Tenant, uuidOf, whereAll } from './tenant.ts'

export interface NewImport {
  readonly id: ImportId
  readonly kind: ImportKind
  readonly campaign?: CampaignId
  readonly isDryRun: boolean
  readonly updatesExisting: boolean
  readonly countsTowardTotal: boolean
  readonly fileName?: string
  readonly fileHash?: string
  readonly columns?: Record<string, string>
  readonly user: UserId
  readonly createdAt: Date
}

export interface Import extends NewImport {
  readonly counts: ImportCounts
  /** Every row up to this one is done; 0 if none is. */
  readonly lastRow: number
  readonly finishedAt?: Date
}

interface ImportDbRow {
  id: string
  kind: ImportKind
  campaign_id: string | null
  is_dry_run: boolean
  updates_existing: boolean
  counts_toward_total: boolean
  file_name: string | null
  file_hash: string | null
  columns: Record<string, string> | null
  user_id: string
  created_at: Date
  finished_at: Date | null
  created: number
  updated: number
  unchanged: number
  rejected: number
  last_row: number
}

const toImport = (row: ImportDbRow): Import => ({
  id: idFrom('imp', row.id),
  kind: row.kind,
  campaign: row.campaign_id ? idFrom('cmp', row.campaign_id) : undefined,
  isDryRun: row.is_dry_run,
  updatesExisting: row.updates_existing,
  countsTowardTotal: row.counts_toward_total,
  fileName: row.file_name ?? undefined,
  fileHash: row.file_hash ?? undefined,
  columns: row.columns ?? undefined,
  user: idFrom('usr', row.user_id),
  createdAt: row.created_at,
  finishedAt: row.finished_at ?? undefined,
  counts: { created: row.created, updated: row.updated, unchanged: row.unchanged, rejected: row.rejected },
  lastRow: row.last_row,
})

/**
 * With the sums over its pieces. Pieces are sent side by side, so one may be missing between others: the last row is
 * that before the first gap.
 */
const selectImport = `SELECT i.*, s.* FROM imports i LEFT JOIN LATERAL (
    SELECT coalesce(sum(created), 0)::integer AS created, coalesce(sum(updated), 0)::integer AS updated,
      coalesce(sum(unchanged), 0)::integer AS unchanged, coalesce(sum(rejected), 0)::integer AS rejected,
      CASE WHEN min(first_row) = 1 THEN min(last_row) FILTER (WHERE has_gap) ELSE 0 END AS last_row
    FROM (SELECT c.*, lead(first_row) OVER w IS DISTINCT FROM last_row + 1 AS has_gap FROM import_chunks c
          WHERE c.org_id = $1 AND c.import_id = i.id WINDOW w AS (ORDER BY first_row)) pieces
  ) s ON true`

export async function insertImport(tenant: Tenant, added: NewImport): Promise<void> {
  await tenant.db.query(
    `INSERT INTO imports (org_id, id, kind, campaign_id, is_dry_run, updates_existing, counts_toward_total, file_name,
       file_hash, columns, user_id, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      tenant.orgId,
      uuidOf(added.id),
      added.kind,
      added.campaign ? uuidOf(added.campaign) : null,
      added.isDryRun,
      added.updatesExisting,
      added.countsTowardTotal,
      added.fileName ?? null,
      added.fileHash ?? null,
      added.columns ? JSON.stringify(added.columns) : null,
      uuidOf(added.user),
      added.createdAt,
    ],
  )
}

export async function findImport(tenant: Tenant, id: ImportId): Promise<Import | undefined> {
  const row = await maybeOne<ImportDbRow>(tenant.db, `${selectImport} WHERE i.org_id = $1 AND i.id = $2`, [
    tenant.orgId,
    uuidOf(id),
  ])
  return row && toImport(row)
}

export interface ImportFilter {
  readonly kind?: ImportKind
  readonly fileHash?: string
  readonly isFinished?: boolean
  readonly isDryRun?: boolean
}

/** Imports, newest first. */
export async function listImports(
  tenant: Tenant,
  filter: ImportFilter,
  page: { limit: number; after?: ImportId },
): Promise<Import[]> {
  const { text, values } = whereAll(
    [
      ['i.id < $', page.after && uuidOf(page.after)],
      ['i.kind = $', filter.kind],
      ['i.file_hash = $', filter.fileHash],
      ['(i.finished_at IS NOT NULL) = $', filter.isFinished],
      ['i.is_dry_run = $', filter.isDryRun],
    ],
    3,
  )
  const rows = await many<ImportDbRow>(
    tenant.db,
    `${selectImport} WHERE i.org_id = $1${text} ORDER BY i.id DESC LIMIT $2`,
    [tenant.orgId, page.limit, ...values],
  )
  return rows.map(toImport)
}

/** Whether this is what has finished it. Waits for rows that are being written. */
export async function updateFinishedImport(tenant: Tenant, id: ImportId, now: Date): Promise<boolean> {
  const text = 'UPDATE imports SET finished_at = $3 WHERE org_id = $1 AND id = $2 AND finished_at IS NULL'
  return (await execute(tenant.db, text, [tenant.orgId, uuidOf(id), now])) === 1
}

// Pieces ----------------------------------------------------------------------------------------------------

export interface ImportChunk {
  readonly firstRow: number
  readonly lastRow: number
  readonly fingerprint: Buffer
  readonly counts: ImportCounts
  readonly rejected: readonly RejectedRow[]
}

type PackedRow = [row: number, problems: [field: string, code: ProblemCode, otherRow?: number][]]

export interface RejectedRow {
  readonly row: number
  readonly problems: readonly RowProblem[]
}

const unpack = ([row, problems]: PackedRow): RejectedRow => ({
  row,
  problems: problems.map(([field, code, otherRow]) => ({
    field,
    code,
    ...(otherRow !== undefined && { otherRow }),
  })),
})

function pack(rejected: readonly RejectedRow[]): PackedRow[] {
  return rejected.map(({ row, problems }) => [
    row,
    problems.map(({ field, code, otherRow }) =>
      otherRow === undefined ? [field, code] : [field, code, otherRow],
    ),
  ])
}

export interface OpenImport extends NewImport {
  readonly isFinished: boolean
  /** What came of these rows when they were sent before. */
  readonly earlier?: ImportChunk
}

/** Locks the import against being finished until the transaction ends. */
export async function lockOpenImport(
  tenant: Tenant,
  id: ImportId,
  firstRow: number,
): Promise<OpenImport | undefined> {
  const row = await maybeOne<ImportDbRow>(
    tenant.db,
    'SELECT * FROM imports WHERE org_id = $1 AND id = $2 FOR SHARE',
    [tenant.orgId, uuidOf(id)],
  )
  if (!row) return undefined
  const chunk = await maybeOne<{
    last_row: number
    fingerprint: Buffer
    created: number
    updated: number
    unchanged: number
    rejected: number
    problems: PackedRow[]
  }>(tenant.db, 'SELECT * FROM import_chunks WHERE org_id = $1 AND import_id = $2 AND first_row = $3', [
    tenant.orgId,
    uuidOf(id),
    firstRow,
  ])
  return {
    ...toImport(row),
    isFinished: row.finished_at !== null,
    earlier: chunk && {
      firstRow,
      lastRow: chunk.last_row,
      fingerprint: chunk.fingerprint,
      counts: {
        created: chunk.created,
        updated: chunk.updated,
        unchanged: chunk.unchanged,
        rejected: chunk.rejected,
      },
      rejected: chunk.problems.map(unpack),
    },
  }
}

/** Fails if the same rows have just been written by another request: the retry then finds what came of them. */
export function insertImportChunk({ orgId }: Tenant, id: ImportId, chunk: ImportChunk): Step {
  const { created, updated, unchanged, rejected } = chunk.counts
  return {
    name: 'write-import-chunk',
    text: `INSERT INTO import_chunks (org_id, import_id, first_row, last_row, fingerprint, created, updated, unchanged,
             rejected, problems)
           VALUES ($1::integer, $2::uuid, $3::integer, $4::integer, $5::bytea, $6::integer, $7::integer, $8::integer,
             $9::integer, $10::json)`,
    values: [
      String(orgId),
      uuidOf(id),
      String(chunk.firstRow),
      String(chunk.lastRow),
      chunk.fingerprint,
      String(created),
      String(updated),
      String(unchanged),
      String(rejected),
      JSON.stringify(pack(chunk.rejected)),
    ],
  }
}

/** The rows after this one that were rejected, in their order. */
export async function listRejectedRows(
  tenant: Tenant,
  id: ImportId,
  page: { afterRow: number; limit: number },
): Promise<RejectedRow[]> {
  const rows = await many<{ rejected: PackedRow }>(
    tenant.db,
    `SELECT r.rejected FROM import_chunks c, json_array_elements(c.problems) AS r (rejected)
     WHERE c.org_id = $1 AND c.import_id = $2 AND c.last_row > $3 AND (r.rejected ->> 0)::integer > $3
     ORDER BY c.first_row, (r.rejected ->> 0)::integer LIMIT $4`,
    [tenant.orgId, uuidOf(id), page.afterRow, page.limit],
  )
  return rows.map(({ rejected }) => unpack(rejected))
}
