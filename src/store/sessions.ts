/**
 * Token families. A family knows only its newest refresh token; rotation replaces it with one conditional
 * update, so that of any number of simultaneous refreshes exactly one succeeds and the newest stays valid.
 */
import type { ConnectionId, KeyId, SessionId, UserId } from '../domain/ids.ts'
import { keyOfSession, type TokenCredentials } from './live-credentials.ts'
import { execute, idFrom, maybeOne, type Tenant, uuidOf } from './tenant.ts'

export interface Session {
  readonly id: SessionId
  readonly connection: ConnectionId
  readonly secretHash: Buffer
  readonly key: KeyId
  readonly refreshHash: Buffer
  readonly expiresAt: Date
  readonly createdAt: Date
}

export async function insertSession(tenant: Tenant, session: Session): Promise<void> {
  await tenant.db.query(
    `INSERT INTO sessions (org_id, id, connection_id, secret_hash, key_id, refresh_hash, expires_at, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      tenant.orgId,
      uuidOf(session.id),
      uuidOf(session.connection),
      session.secretHash,
      uuidOf(session.key),
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
  readonly credentials: TokenCredentials
}

interface RotatedRow {
  connection_id: string
  user_id: string
  scopes: string[]
  secret: string
  key_id: string
}

/**
 * Rotates the refresh token if `old` is the family's newest, unexpired, and the secret and the key that
 * opened it are still valid.
 */
export async function updateSessionRefresh(
  tenant: Tenant,
  id: SessionId,
  rotation: { oldHash: Buffer; newHash: Buffer; expiresAt: Date; now: Date },
): Promise<RotatedSession | undefined> {
  const row = await maybeOne<RotatedRow>(
    tenant.db,
    `UPDATE sessions s SET refresh_hash = $4, expires_at = $5, key_id = ${keyOfSession}
     FROM connections c, connection_secrets cs
     WHERE s.org_id = $1 AND s.id = $2 AND s.refresh_hash = $3 AND s.expires_at > $6
       AND c.org_id = s.org_id AND c.id = s.connection_id AND c.revoked_at IS NULL
       AND cs.hash = s.secret_hash AND (cs.expires_at IS NULL OR cs.expires_at > $6)
       AND EXISTS (SELECT 1 FROM integration_keys live
         WHERE live.id = ${keyOfSession} AND (live.expires_at IS NULL OR live.expires_at > $6))
     RETURNING s.connection_id, c.user_id, c.scopes, cs.id AS secret, s.key_id`,
    [tenant.orgId, uuidOf(id), rotation.oldHash, rotation.newHash, rotation.expiresAt, rotation.now],
  )
  return (
    row && {
      connection: idFrom('con', row.connection_id),
      user: idFrom('usr', row.user_id),
      scopes: row.scopes,
      credentials: { secret: idFrom('sec', row.secret), key: idFrom('key', row.key_id) },
    }
  )
}

/**
 * Deletes families whose refresh token has expired, and all but the newest of a connection; a bounded number
 * at a time, called when new ones are opened.
 */
export async function deleteOldSessions(
  tenant: Tenant,
  connection: ConnectionId,
  { keep, now }: { keep: number; now: Date },
): Promise<number> {
  return execute(
    tenant.db,
    `DELETE FROM sessions WHERE org_id = $1 AND id IN (
       SELECT id FROM sessions WHERE org_id = $1 AND id = ANY(ARRAY(
         (SELECT id FROM sessions WHERE org_id = $1 AND expires_at <= $2 LIMIT 10)
         UNION ALL
         (SELECT id FROM sessions WHERE org_id = $1 AND connection_id = $3
          ORDER BY expires_at DESC, id DESC OFFSET $4 LIMIT 1000)))
       FOR UPDATE SKIP LOCKED)`,
    [tenant.orgId, now, uuidOf(connection), keep],
  )
}
