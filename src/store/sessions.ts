/**
 * Token families. A family knows only its newest refresh token; rotation replaces it with one conditional
 * update, so that of any number of simultaneous refreshes exactly one succeeds and the newest stays valid.
 */
import type { ConnectionId, SessionId, UserId } from '../domain/ids.ts'
import { execute, idFrom, maybeOne, type Tenant, uuidOf } from './tenant.ts'

export interface Session {
  readonly id: SessionId
  readonly connection: ConnectionId
  readonly secretHash: Buffer
  readonly refreshHash: Buffer
  readonly expiresAt: Date
  readonly createdAt: Date
}

export async function insertSession(tenant: Tenant, session: Session): Promise<void> {
  await tenant.db.query(
    `INSERT INTO sessions (org_id, id, connection_id, secret_hash, refresh_hash, expires_at, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [
      tenant.orgId,
      uuidOf(session.id),
      uuidOf(session.connection),
      session.secretHash,
      session.refreshHash,
      session.expiresAt,
      session.createdAt,
    ],
  )
}

export interface RotatedSession {
  readonly connection: ConnectionId
  readonly user: UserId
  readonly scopes: readonly string[]
}

/**
 * Rotates the refresh token if `old` is the family's newest, unexpired, and the secret that opened it is
 * still valid.
 */
export async function updateSessionRefresh(
  tenant: Tenant,
  id: SessionId,
  rotation: { oldHash: Buffer; newHash: Buffer; expiresAt: Date; now: Date },
): Promise<RotatedSession | undefined> {
  const row = await maybeOne<{ connection_id: string; user_id: string; scopes: string[] }>(
    tenant.db,
    `UPDATE sessions s SET refresh_hash = $4, expires_at = $5
     FROM connections c, connection_secrets cs
     WHERE s.org_id = $1 AND s.id = $2 AND s.refresh_hash = $3 AND s.expires_at > $6
       AND c.org_id = s.org_id AND c.id = s.connection_id
       AND cs.hash = s.secret_hash AND (cs.expires_at IS NULL OR cs.expires_at > $6)
     RETURNING s.connection_id, c.user_id, c.scopes`,
    [tenant.orgId, uuidOf(id), rotation.oldHash, rotation.newHash, rotation.expiresAt, rotation.now],
  )
  return (
    row && {
      connection: idFrom('con', row.connection_id),
      user: idFrom('usr', row.user_id),
      scopes: row.scopes,
    }
  )
}

/**
 * Deletes families whose refresh token has expired; a bounded number at a time, called when new ones are
 * opened.
 */
export async function deleteExpiredSessions(tenant: Tenant, now: Date): Promise<number> {
  return execute(
    tenant.db,
    `DELETE FROM sessions WHERE (org_id, id) IN (
       SELECT org_id, id FROM sessions WHERE org_id = $1 AND expires_at <= $2 LIMIT 10 FOR UPDATE SKIP LOCKED)`,
    [tenant.orgId, now],
  )
}
