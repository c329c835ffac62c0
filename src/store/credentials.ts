/**
 * Integrations and their keys, connections and their secrets. Only keyed hashes are stored; several are valid
 * at the same time while a rotation overlaps. A secret belongs to one connection, that is to one integration
 * and one organization, which is why a pair is looked up together or not at all.
 */
import type { ConnectionId, IntegrationId, KeyId, OrganizationId, SecretId, UserId } from '../domain/ids.ts'
import type { ScopeName } from '../domain/organization.ts'
import type { TokenCredentials } from './live-credentials.ts'
import { execute, idFrom, many, maybeOne, type Tenant, uuidOf } from './tenant.ts'

export interface Integration {
  readonly id: IntegrationId
  readonly name: string
  readonly createdAt: Date
}

export interface Connection {
  readonly id: ConnectionId
  readonly integration: IntegrationId
  readonly organization: OrganizationId
  readonly org: number
  readonly user: UserId
  readonly scopes: readonly ScopeName[]
  readonly createdAt: Date
  readonly revokedAt?: Date
}

interface IntegrationRow {
  id: string
  name: string
  created_at: Date
}

const toIntegration = (row: IntegrationRow): Integration => ({
  id: idFrom('int', row.id),
  name: row.name,
  createdAt: row.created_at,
})

export interface ConnectionRow {
  id: string
  integration_id: string
  organization_id: string
  org_id: number
  user_id: string
  scopes: ScopeName[]
  created_at: Date
  revoked_at: Date | null
}

export const toConnection = (row: ConnectionRow): Connection => ({
  id: idFrom('con', row.id),
  integration: idFrom('int', row.integration_id),
  organization: idFrom('org', row.organization_id),
  org: row.org_id,
  user: idFrom('usr', row.user_id),
  scopes: row.scopes,
  createdAt: row.created_at,
  revokedAt: row.revoked_at ?? undefined,
})

export const columns = `c.id, c.integration_id, o.id AS organization_id, c.org_id, c.user_id, c.scopes, c.created_at, c.revoked_at`
export const connections = 'connections c JOIN organizations o ON o.org_id = c.org_id'
const connectionColumns = `${columns} FROM ${connections}`

export async function insertIntegration(tenant: Tenant, integration: Integration): Promise<void> {
  await tenant.db.query('INSERT INTO integrations (id, name, created_at) VALUES ($1, $2, $3)', [
    uuidOf(integration.id),
    integration.name,
    integration.createdAt,
  ])
}

export async function findIntegration(tenant: Tenant, id: IntegrationId): Promise<Integration | undefined> {
  const row = await maybeOne<IntegrationRow>(tenant.db, 'SELECT * FROM integrations WHERE id = $1', [
    uuidOf(id),
  ])
  return row && toIntegration(row)
}

/** The integration that the key belongs to, if the key is valid now. */
export async function findIntegrationByKey(
  tenant: Tenant,
  keyHash: Buffer,
  now: Date,
): Promise<Integration | undefined> {
  const row = await maybeOne<IntegrationRow>(
    tenant.db,
    `SELECT i.* FROM integrations i JOIN integration_keys k ON k.integration_id = i.id
     WHERE k.hash = $1 AND (k.expires_at IS NULL OR k.expires_at > $2)`,
    [keyHash, now],
  )
  return row && toIntegration(row)
}

export async function listIntegrations(
  tenant: Tenant,
  page: { limit: number; after?: IntegrationId },
): Promise<Integration[]> {
  const rows = await many<IntegrationRow>(
    tenant.db,
    'SELECT * FROM integrations WHERE ($1::uuid IS NULL OR id > $1) ORDER BY id LIMIT $2',
    [page.after ? uuidOf(page.after) : null, page.limit],
  )
  return rows.map(toIntegration)
}

/**
 * Locks the keys of an integration until the transaction ends: while one is rotated no organization is
 * connected, so none that uses the integration is missed.
 */
export async function lockIntegrationKeys(
  tenant: Tenant,
  id: IntegrationId,
  mode: 'UPDATE' | 'SHARE',
): Promise<void> {
  await tenant.db.query(`SELECT id FROM integration_keys WHERE integration_id = $1 ORDER BY id FOR ${mode}`, [
    uuidOf(id),
  ])
}

export async function insertIntegrationKey(
  tenant: Tenant,
  integration: IntegrationId,
  key: { id: KeyId; hash: Buffer },
  now: Date,
): Promise<void> {
  await tenant.db.query(
    'INSERT INTO integration_keys (hash, id, integration_id, created_at) VALUES ($1, $2, $3, $4)',
    [key.hash, uuidOf(key.id), uuidOf(integration), now],
  )
}

/** SQL: `expires_at` of a credential that ends at `endsAt`. Without an overlap no clock that is behind saves it. */
const endOf = (endsAt: string, now: string) =>
  `least(expires_at, ${endsAt}, CASE WHEN ${endsAt} <= ${now} THEN created_at END)`

/** Sets the keys that are valid now to expire at `endsAt`; a key that expires sooner keeps its expiry. */
export async function updateKeysExpiry(
  tenant: Tenant,
  integration: IntegrationId,
  { endsAt, now }: { endsAt: Date; now: Date },
): Promise<void> {
  await tenant.db.query(
    `UPDATE integration_keys SET expires_at = ${endOf('$2::timestamptz', '$3::timestamptz')}
     WHERE integration_id = $1 AND (expires_at IS NULL OR expires_at > $3)`,
    [uuidOf(integration), endsAt, now],
  )
}

export async function insertConnection(
  tenant: Tenant,
  connection: Pick<Connection, 'id' | 'integration' | 'user' | 'scopes' | 'createdAt'>,
): Promise<void> {
  await tenant.db.query(
    `INSERT INTO connections (org_id, id, integration_id, scopes, user_id, created_at)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [
      tenant.orgId,
      uuidOf(connection.id),
      uuidOf(connection.integration),
      connection.scopes,
      uuidOf(connection.user),
      connection.createdAt,
    ],
  )
}

/** Connections that were not revoked. */
export async function countActiveConnections(tenant: Tenant): Promise<number> {
  const row = await maybeOne<{ count: number }>(
    tenant.db,
    'SELECT count(*)::int AS count FROM connections WHERE org_id = $1 AND revoked_at IS NULL',
    [tenant.orgId],
  )
  return row!.count
}

export async function findConnection(tenant: Tenant, id: ConnectionId): Promise<Connection | undefined> {
  const row = await maybeOne<ConnectionRow>(tenant.db, `SELECT ${connectionColumns} WHERE c.id = $1`, [
    uuidOf(id),
  ])
  return row && toConnection(row)
}

export async function listConnections(
  tenant: Tenant,
  page: { limit: number; after?: ConnectionId },
): Promise<Connection[]> {
  const rows = await many<ConnectionRow>(
    tenant.db,
    `SELECT ${connectionColumns} WHERE c.org_id = $1 AND ($2::uuid IS NULL OR c.id > $2) ORDER BY c.id LIMIT $3`,
    [tenant.orgId, page.after ? uuidOf(page.after) : null, page.limit],
  )
  return rows.map(toConnection)
}

/**
 * Locks the connection of the secret and another one, in the order of their ids, until the transaction ends;
 * returns the integration of the first.
 */
export async function lockConnections(
  tenant: Tenant,
  secret: SecretId,
  other: ConnectionId | undefined,
): Promise<IntegrationId | undefined> {
  const rows = await many<{ integration_id: string; is_first: boolean }>(
    tenant.db,
    `SELECT c.integration_id, s.connection_id = c.id AS is_first FROM connections c
     JOIN connection_secrets s ON s.org_id = c.org_id AND s.id = $2
     WHERE c.org_id = $1 AND (c.id = s.connection_id OR c.id = $3::uuid)
     ORDER BY c.id FOR NO KEY UPDATE OF c`,
    [tenant.orgId, uuidOf(secret), other ? uuidOf(other) : null],
  )
  const first = rows.find((row) => row.is_first)
  return first && idFrom('int', first.integration_id)
}

export async function updateConnectionRevoked(tenant: Tenant, id: ConnectionId, now: Date): Promise<void> {
  await execute(tenant.db, 'UPDATE connections SET revoked_at = $3 WHERE org_id = $1 AND id = $2', [
    tenant.orgId,
    uuidOf(id),
    now,
  ])
}

/** At most once a minute: tills that sign in together must not wait for each other's update. */
export async function updateConnectionUsed(tenant: Tenant, id: ConnectionId, now: Date): Promise<void> {
  await execute(
    tenant.db,
    `UPDATE connections SET last_used_at = $3 WHERE org_id = $1 AND id = $2
       AND (last_used_at IS NULL OR last_used_at < $3::timestamptz - interval '1 minute')`,
    [tenant.orgId, uuidOf(id), now],
  )
}

/** `issuedTo` is the user that the secret is shown to; undefined for an operator. */
export async function insertConnectionSecret(
  tenant: Tenant,
  connection: ConnectionId,
  secret: { id: SecretId; hash: Buffer; issuedTo?: UserId },
  now: Date,
): Promise<void> {
  await tenant.db.query(
    `INSERT INTO connection_secrets (hash, id, org_id, connection_id, issued_to, created_at)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [
      secret.hash,
      uuidOf(secret.id),
      tenant.orgId,
      uuidOf(connection),
      secret.issuedTo ? uuidOf(secret.issuedTo) : null,
      now,
    ],
  )
}

/**
 * Sets the secrets that are valid now to expire at `endsAt`, and all but the newest few of them now: every
 * process remembers what is valid, so there has to be a bound. One that expires sooner keeps its expiry.
 */
export async function endConnectionSecrets(
  tenant: Tenant,
  connection: ConnectionId,
  { endsAt, now, keep }: { endsAt: Date; now: Date; keep: number },
): Promise<void> {
  await execute(
    tenant.db,
    `UPDATE connection_secrets s SET expires_at = CASE WHEN valid.n <= $5 THEN valid.ends_at ELSE s.created_at END
     FROM (SELECT hash, row_number() OVER (ORDER BY created_at DESC, hash) AS n,
         ${endOf('$3::timestamptz', '$4::timestamptz')} AS ends_at
       FROM connection_secrets
       WHERE org_id = $1 AND connection_id = $2 AND (expires_at IS NULL OR expires_at > $4)) valid
     WHERE s.org_id = $1 AND s.hash = valid.hash`,
    [tenant.orgId, uuidOf(connection), endsAt, now, keep],
  )
}

/** The connection of a key and a secret that belong together and are both valid now. */
export async function findConnectionByCredentials(
  tenant: Tenant,
  keyHash: Buffer,
  secretHash: Buffer,
  now: Date,
): Promise<(Connection & { credentials: TokenCredentials }) | undefined> {
  const row = await maybeOne<ConnectionRow & { secret: string; key: string }>(
    tenant.db,
    `SELECT ${columns}, s.id AS secret, k.id AS key FROM ${connections}
     JOIN connection_secrets s ON s.org_id = c.org_id AND s.connection_id = c.id
     JOIN integration_keys k ON k.integration_id = c.integration_id
     WHERE s.hash = $1 AND (s.expires_at IS NULL OR s.expires_at > $3)
       AND k.hash = $2 AND (k.expires_at IS NULL OR k.expires_at > $3)`,
    [secretHash, keyHash, now],
  )
  return (
    row && {
      ...toConnection(row),
      credentials: { secret: idFrom('sec', row.secret), key: idFrom('key', row.key) },
    }
  )
}
