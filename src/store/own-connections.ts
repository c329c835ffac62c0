/** The connections of one organization, as it sees them itself, and who could use them. */
import type { ConnectionId, PersonId, UserId } from '../domain/ids.ts'
import { type Connection, type ConnectionRow, columns, connections, toConnection } from './credentials.ts'
import { idFrom, many, maybeOne, type Tenant, uuidOf } from './tenant.ts'

/** A connection as the organization sees it: with the name of its user and the time of its last request. */
export interface OwnConnection extends Connection {
  readonly name?: string
  readonly lastUsedAt?: Date
  /** The user that its newest secret was shown to; undefined for an operator. */
  readonly issuedTo?: UserId
}

interface OwnConnectionRow extends ConnectionRow {
  name: string | null
  last_used_at: Date | null
  issued_to: string | null
}

const toOwnConnection = (row: OwnConnectionRow): OwnConnection => ({
  ...toConnection(row),
  name: row.name ?? undefined,
  lastUsedAt: row.last_used_at ?? undefined,
  issuedTo: row.issued_to ? idFrom('usr', row.issued_to) : undefined,
})

// Tokens are recorded when they are issued, and live for an hour; the request log is more precise, as far
// back as it goes.
const ownColumns = `SELECT ${columns}, u.name, greatest(c.last_used_at, r.at) AS last_used_at,
  (SELECT s.issued_to FROM connection_secrets s WHERE s.org_id = $1 AND s.connection_id = c.id
   ORDER BY s.created_at DESC, s.id DESC LIMIT 1) AS issued_to FROM ${connections}
  JOIN users u ON u.org_id = c.org_id AND u.id = c.user_id
  LEFT JOIN (SELECT user_id, max(at) AS at FROM http_requests WHERE org_id = $1 GROUP BY user_id) r
    ON r.user_id = c.user_id`

/** Connections, newest first. */
export async function listOwnConnections(
  tenant: Tenant,
  page: { limit: number; after?: ConnectionId },
): Promise<OwnConnection[]> {
  const rows = await many<OwnConnectionRow>(
    tenant.db,
    `${ownColumns} WHERE c.org_id = $1 AND ($2::uuid IS NULL OR c.id < $2) ORDER BY c.id DESC LIMIT $3`,
    [tenant.orgId, page.after ? uuidOf(page.after) : null, page.limit],
  )
  return rows.map(toOwnConnection)
}

/**
 * SQL: the secrets that the holder $4, a person or a connection, has been shown, and those that were shown to
 * a connection while its secret was one of them: who has a secret can make connections with it. A secret that
 * ended counts for what was made before that. One that ended without an overlap does not tell when; it was
 * when the next one was created.
 */
const shownSecrets = `WITH RECURSIVE shown AS (
  SELECT s.id, s.connection_id, s.created_at, s.expires_at FROM connection_secrets s
  WHERE s.org_id = $1 AND s.issued_to IN (SELECT user_id FROM people WHERE org_id = $1 AND id = $4
    UNION ALL SELECT user_id FROM connections WHERE org_id = $1 AND id = $4)
  UNION
  SELECT s.id, s.connection_id, s.created_at, s.expires_at FROM shown
  JOIN connections c ON c.org_id = $1 AND c.id = shown.connection_id
  JOIN connection_secrets s ON s.org_id = $1 AND s.issued_to = c.user_id AND s.created_at >= shown.created_at
  WHERE shown.expires_at IS NULL OR shown.expires_at > s.created_at OR NOT EXISTS (
    SELECT 1 FROM connection_secrets n WHERE n.org_id = $1 AND n.connection_id = shown.connection_id
      AND n.created_at > shown.created_at AND n.created_at < s.created_at))`

/**
 * Connections that are not revoked and have a valid secret that the holder was shown, directly or through the
 * connections made with such a secret; newest first.
 */
export async function listConnectionsShownTo(
  tenant: Tenant,
  holder: PersonId | ConnectionId,
  now: Date,
  page: { limit: number; after?: ConnectionId },
): Promise<OwnConnection[]> {
  const rows = await many<OwnConnectionRow>(
    tenant.db,
    `${shownSecrets} ${ownColumns} WHERE c.org_id = $1 AND ($2::uuid IS NULL OR c.id < $2) AND c.revoked_at IS NULL
       AND c.id IN (SELECT connection_id FROM shown WHERE expires_at IS NULL OR expires_at > $5)
     ORDER BY c.id DESC LIMIT $3`,
    [tenant.orgId, page.after ? uuidOf(page.after) : null, page.limit, uuidOf(holder), now],
  )
  return rows.map(toOwnConnection)
}

/** Locked until the transaction ends, so that no new secret is created while the connection is revoked. */
export async function lockOwnConnection(
  tenant: Tenant,
  id: ConnectionId,
): Promise<OwnConnection | undefined> {
  const row = await maybeOne<OwnConnectionRow>(
    tenant.db,
    `${ownColumns} WHERE c.org_id = $1 AND c.id = $2 FOR NO KEY UPDATE OF c`,
    [tenant.orgId, uuidOf(id)],
  )
  return row && toOwnConnection(row)
}
