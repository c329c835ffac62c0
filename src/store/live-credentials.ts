/**
 * Whether what opened a token is still valid. A token names its secret and its key; it ends with either of
 * them, and with the connection. Nothing here is ever extended: what has ended stays ended.
 */
import type { KeyId, OrganizationId, SecretId, SessionId } from '../domain/ids.ts'
import type { Organization } from '../domain/organization.ts'
import { type OrganizationRow, organizationColumns, toOrganization } from './organizations.ts'
import { idFrom, many, maybeOne, type PreparedStatement, prepared, type Tenant, uuidOf } from './tenant.ts'

/** The secret and the key that opened a token. */
export interface TokenCredentials {
  readonly secret: SecretId
  readonly key: KeyId
}

/** When each valid secret and key of an organization ends, in Unix milliseconds; Infinity if no end is set. */
export interface LiveCredentials {
  readonly secrets: ReadonlyMap<SecretId, number>
  readonly keys: ReadonlyMap<KeyId, number>
}

/** The time is compared as well: an overlap may be over although nothing has changed since it was read. */
export function isLive({ secrets, keys }: LiveCredentials, token: TokenCredentials, now: Date): boolean {
  const end = Math.min(secrets.get(token.secret) ?? 0, keys.get(token.key) ?? 0)
  return end > now.getTime()
}

/** The secrets of the organization's connections and the keys of their integrations. */
export async function listLiveCredentials(tenant: Tenant, now: Date): Promise<LiveCredentials> {
  const rows = await many<{ kind: 'secret' | 'key'; id: string; expires_at: Date | null }>(
    tenant.db,
    `SELECT 'secret' AS kind, s.id, s.expires_at FROM connection_secrets s
     JOIN connections c ON c.org_id = s.org_id AND c.id = s.connection_id
     WHERE s.org_id = $1 AND c.revoked_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > $2)
     UNION ALL
     SELECT 'key', k.id, k.expires_at FROM integration_keys k
     WHERE (k.expires_at IS NULL OR k.expires_at > $2) AND k.integration_id IN (
       SELECT integration_id FROM connections WHERE org_id = $1 AND revoked_at IS NULL)`,
    [tenant.orgId, now],
  )
  const of = (kind: 'secret' | 'key') =>
    rows.flatMap((row) =>
      row.kind === kind ? [{ id: row.id, end: row.expires_at?.getTime() ?? Infinity }] : [],
    )
  return {
    secrets: new Map(of('secret').map(({ id, end }) => [idFrom('sec', id), end])),
    keys: new Map(of('key').map(({ id, end }) => [idFrom('key', id), end])),
  }
}

/** SQL: whether the secret and the key in these columns are valid at `at`. */
const liveAt = (secret: string, key: string, at: string) => `
  EXISTS (SELECT 1 FROM connection_secrets s
    JOIN connections c ON c.org_id = s.org_id AND c.id = s.connection_id
    WHERE s.id = ${secret} AND c.revoked_at IS NULL AND (s.expires_at IS NULL OR s.expires_at > ${at}))
  AND EXISTS (SELECT 1 FROM integration_keys k
    WHERE k.id = ${key} AND (k.expires_at IS NULL OR k.expires_at > ${at}))`

export interface TokenOwner {
  readonly organization: OrganizationId
  readonly token: TokenCredentials
}

export interface OwnerState {
  readonly organization: Organization
  readonly isLive: boolean
}

const ownersOfTokens: PreparedStatement = {
  name: 'owners-of-tokens',
  text: `SELECT t.n::int AS n, ${organizationColumns}, ${liveAt('t.secret', 't.key', '$4')} AS is_live
    FROM unnest($1::uuid[], $2::uuid[], $3::uuid[]) WITH ORDINALITY AS t (id, secret, key, n)
    JOIN organizations o ON o.id = t.id`,
}

/** The organization of each token, as it is now, and whether the token is still valid; in the given order. */
export async function listOwners(
  platform: Tenant,
  owners: readonly TokenOwner[],
  now: Date,
): Promise<(OwnerState | undefined)[]> {
  const rows = await prepared<OrganizationRow & { n: number; is_live: boolean }>(
    platform.db,
    ownersOfTokens,
    [
      owners.map(({ organization }) => uuidOf(organization)),
      owners.map(({ token }) => uuidOf(token.secret)),
      owners.map(({ token }) => uuidOf(token.key)),
      now,
    ],
  )
  const byPosition = new Map(rows.map((row) => [row.n, row]))
  return owners.map((_, i) => {
    const row = byPosition.get(i + 1)
    return row && { organization: toOrganization(row), isLive: row.is_live }
  })
}

/**
 * When the secret and the key of a token end, undefined for a token that is not valid; `endsAt` is set while
 * one of them is being rotated out.
 */
export async function findTokenEnd(
  tenant: Tenant,
  token: TokenCredentials,
  now: Date,
): Promise<{ readonly endsAt?: Date } | undefined> {
  const row = await maybeOne<{ ends_at: Date | null }>(
    tenant.db,
    `SELECT least(secret.expires_at, key.expires_at) AS ends_at
     FROM connection_secrets secret, integration_keys key
     WHERE secret.id = $1 AND key.id = $2 AND ${liveAt('secret.id', 'key.id', '$3')}`,
    [uuidOf(token.secret), uuidOf(token.key), now],
  )
  return row && { endsAt: row.ends_at ?? undefined }
}

/**
 * SQL: the key that opened the session `s` of the connection `c`. Sessions of earlier versions do not know
 * it: of the keys that were valid then, the one that ends first counts.
 */
export const keyOfSession = `coalesce(s.key_id, (SELECT k.id FROM integration_keys k
  WHERE k.integration_id = c.integration_id AND k.created_at < s.created_at
    AND (k.expires_at IS NULL OR k.expires_at > s.created_at)
  ORDER BY k.expires_at NULLS LAST, k.id LIMIT 1))`

/** The credentials that opened a session, whether or not they are still valid. */
export async function findCredentialsOfSession(
  tenant: Tenant,
  session: SessionId,
): Promise<TokenCredentials | undefined> {
  const row = await maybeOne<{ secret: string; key: string | null }>(
    tenant.db,
    `SELECT cs.id AS secret, ${keyOfSession} AS key FROM sessions s
     JOIN connections c ON c.org_id = s.org_id AND c.id = s.connection_id
     JOIN connection_secrets cs ON cs.org_id = s.org_id AND cs.hash = s.secret_hash
     WHERE s.org_id = $1 AND s.id = $2`,
    [tenant.orgId, uuidOf(session)],
  )
  return row?.key ? { secret: idFrom('sec', row.secret), key: idFrom('key', row.key) } : undefined
}
