/**
 * The latest requests of an organization. Secrets and personal data were removed before they get here; rows
 * are written in batches, outside the request, and the oldest are deleted when there are too many.
 */
import type { RequestId, UserId } from '../domain/ids.ts'
import { type Arming, armSteps } from './due-work.ts'
import { nameOfUser } from './people.ts'
import { execute, idFrom, many, maybeOne, type Tenant, uuidOf } from './tenant.ts'

export interface HttpRequest {
  readonly id: RequestId
  /** The X-Request-Id of the request. */
  readonly requestId: string
  readonly at: Date
  readonly method: string
  readonly path: string
  readonly route: string
  readonly status: number
  readonly durationUs: number
  readonly byKind: string
  readonly user: UserId
  readonly errorCode?: string
  readonly query?: unknown
  readonly requestBody?: unknown
  readonly replyBody?: unknown
  readonly isTruncated: boolean
}

/** A request as read, with the current name of the person or of the connection's user. */
export interface ListedRequest extends HttpRequest {
  readonly byName?: string
}

/**
 * Deletes older rows in the same statement, so that the log holds only the newest `keep`, apart from what
 * another process writes concurrently. Ids ascend with time, so the newest row to delete is found from the
 * end.
 */
export async function insertHttpRequests(
  tenant: Tenant,
  requests: readonly HttpRequest[],
  keep: number,
  arming: Arming,
): Promise<void> {
  const rows = requests.map(({ id, user, ...request }) => ({
    ...request,
    id: uuidOf(id),
    user: uuidOf(user),
  }))
  const org = String(tenant.orgId)
  await tenant.db.pipe([
    {
      name: 'delete-surplus-requests',
      text: `DELETE FROM http_requests WHERE org_id = $1::integer AND id <= (
        SELECT id FROM http_requests WHERE org_id = $1::integer ORDER BY id DESC OFFSET $2::integer LIMIT 1)`,
      values: [org, String(keep - rows.length)],
    },
    {
      name: 'write-requests',
      text: `INSERT INTO http_requests (org_id, id, request_id, at, method, path, route, status, duration_us, by_kind,
        user_id, error_code, query, request_body, reply_body, is_truncated)
      SELECT o.org_id, r.* FROM setup_versions o, json_to_recordset($2::json) AS r (id uuid, "requestId" text,
        at timestamptz, method text, path text, route text, status smallint, "durationUs" integer, "byKind" text,
        "user" uuid, "errorCode" text, query json, "requestBody" json, "replyBody" json, "isTruncated" boolean)
      WHERE o.org_id = $1::integer`,
      values: [org, JSON.stringify(rows)],
    },
    ...armSteps(tenant, [arming], { now: requests.at(-1)!.at }),
  ])
}

export const requestsAtOnce = 1_000

/** Deletes the oldest, at most `requestsAtOnce` of them. */
export async function deleteRequestsBefore(tenant: Tenant, before: Date): Promise<number> {
  return execute(
    tenant.db,
    `DELETE FROM http_requests WHERE org_id = $1 AND id IN (
       SELECT id FROM http_requests WHERE org_id = $1 AND at < $2 ORDER BY id LIMIT ${requestsAtOnce})`,
    [tenant.orgId, before],
  )
}

/** When the oldest request was made: ids ascend with time. */
export async function findOldestRequest(tenant: Tenant): Promise<Date | undefined> {
  const row = await maybeOne<{ at: Date }>(
    tenant.db,
    'SELECT at FROM http_requests WHERE org_id = $1 ORDER BY id LIMIT 1',
    [tenant.orgId],
  )
  return row?.at
}

interface RequestRow {
  id: string
  request_id: string
  at: Date
  method: string
  path: string
  route: string
  status: number
  duration_us: number
  by_kind: string
  user_id: string
  by_name: string | null
  error_code: string | null
  query?: unknown
  request_body?: unknown
  reply_body?: unknown
  is_truncated: boolean
}

const toRequest = (row: RequestRow): ListedRequest => ({
  id: idFrom('req', row.id),
  requestId: row.request_id,
  at: row.at,
  method: row.method,
  path: row.path,
  route: row.route,
  status: row.status,
  durationUs: row.duration_us,
  byKind: row.by_kind,
  user: idFrom('usr', row.user_id),
  byName: row.by_name ?? undefined,
  errorCode: row.error_code ?? undefined,
  query: row.query ?? undefined,
  requestBody: row.request_body ?? undefined,
  replyBody: row.reply_body ?? undefined,
  isTruncated: row.is_truncated,
})

const columns = `r.id, r.request_id, r.at, r.method, r.path, r.route, r.status, r.duration_us, r.by_kind,
  r.user_id, ${nameOfUser('r')} AS by_name, r.error_code, r.is_truncated`

export interface RequestFilter {
  /** Range of the status code, the first inclusive and the second exclusive. */
  readonly status?: readonly [number, number]
  /** Matches any part of the path, the request id or the error code. */
  readonly text?: string
  readonly user?: UserId
  readonly from?: Date
  readonly to?: Date
}

/** Requests, newest first, without query and bodies. */
export async function listHttpRequests(
  tenant: Tenant,
  { status, text, user, from, to }: RequestFilter,
  page: { limit: number; after?: RequestId },
): Promise<ListedRequest[]> {
  const rows = await many<RequestRow>(
    tenant.db,
    `SELECT ${columns} FROM http_requests r
     WHERE r.org_id = $1 AND ($3::uuid IS NULL OR r.id < $3)
       AND ($4::int IS NULL OR (r.status >= $4 AND r.status < $5))
       AND ($6::text IS NULL OR strpos(lower(r.path), lower($6)) > 0
         OR strpos(lower(r.request_id), lower($6)) > 0 OR strpos(lower(r.error_code), lower($6)) > 0)
       AND ($7::uuid IS NULL OR r.user_id = $7)
       AND ($8::timestamptz IS NULL OR r.at >= $8) AND ($9::timestamptz IS NULL OR r.at < $9)
     ORDER BY r.id DESC LIMIT $2`,
    [
      tenant.orgId,
      page.limit,
      page.after ? uuidOf(page.after) : null,
      status?.[0] ?? null,
      status?.[1] ?? null,
      text ?? null,
      user ? uuidOf(user) : null,
      from ?? null,
      to ?? null,
    ],
  )
  return rows.map(toRequest)
}

/** A request by its id; with `user`, only if it is one of theirs. */
export async function findHttpRequest(
  tenant: Tenant,
  id: RequestId,
  user?: UserId,
): Promise<ListedRequest | undefined> {
  const [row] = await many<RequestRow>(
    tenant.db,
    `SELECT ${columns}, r.query, r.request_body, r.reply_body FROM http_requests r
     WHERE r.org_id = $1 AND r.id = $2 AND ($3::uuid IS NULL OR r.user_id = $3)`,
    [tenant.orgId, uuidOf(id), user ? uuidOf(user) : null],
  )
  return row && toRequest(row)
}
