/**
 * What a merchant does with the connections of its own organization. Nobody gives away more than he has: a caller
 * makes no connection, and gets no secret of one, whose scopes go beyond the caller's.
 */
import type { ConnectionId } from '../../domain/ids.ts'
import type { ScopeName } from '../../domain/organization.ts'
import { Refused } from '../../domain/refusal.ts'
import {
  type Connection,
  endConnectionSecrets,
  findConnection,
  insertConnectionSecret,
  lockOwnConnection,
  type OwnConnection,
  updateConnectionRevoked,
} from '../../store/credentials.ts'
import { platformOrg, type Tenant } from '../../store/tenant.ts'
import type { Caller } from '../deps.ts'
import { createConnection, createIntegration } from '../organizations/manage-organizations.ts'
import type { Credentials } from './credentials.ts'

/** Software of the merchant's own: an integration of that name and the connection to it, with both credentials. */
export async function addConnection(
  tenant: Tenant,
  credentials: Credentials,
  caller: Caller,
  { name, scopes = ['pos'] }: { name: string; scopes?: readonly ScopeName[] },
  now: Date,
): Promise<OwnConnection & { apiKey: string; apiSecret: string }> {
  checkScopes(caller, scopes)
  // Integrations belong to the platform.
  const platform = tenant.as(platformOrg)
  const integration = await createIntegration(platform, credentials, name, now)
  const input = { organization: caller.organization.id, integration: integration.id, scopes }
  const connection = await createConnection(platform, credentials, input, now)
  return { ...connection, name, apiKey: integration.apiKey }
}

/** `caller` is who gets the secret. */
export async function rotateOwnConnection(
  tenant: Tenant,
  credentials: Credentials,
  id: ConnectionId | undefined,
  overlapSeconds: number,
  now: Date,
  caller?: Caller,
): Promise<OwnConnection & { apiSecret: string }> {
  const connection = id && (await lockOwnConnection(tenant, id))
  if (!connection) throw new Refused('connection_not_found', undefined, 'path')
  if (caller) checkScopes(caller, connection.scopes)
  if (connection.revokedAt) throw new Refused('connection_revoked')
  const apiSecret = credentials.create('lws')
  await endConnectionSecrets(tenant, connection.id, new Date(now.getTime() + overlapSeconds * 1000))
  await insertConnectionSecret(tenant, connection.id, credentials.hash(apiSecret), now)
  return { ...connection, apiSecret }
}

/** The same for an operator, who knows a connection by its id alone and may have any scope. */
export async function rotateConnectionSecret(
  tenant: Tenant,
  credentials: Credentials,
  id: ConnectionId | undefined,
  overlapSeconds: number,
  now: Date,
): Promise<Connection & { apiSecret: string }> {
  const connection = id && (await findConnection(tenant, id))
  if (!connection) throw new Refused('connection_not_found', undefined, 'path')
  return rotateOwnConnection(tenant.as(connection.org), credentials, connection.id, overlapSeconds, now)
}

/** For good. Refresh tokens count only as long as the secret that opened them, so they end as well. */
export async function revokeConnection(
  tenant: Tenant,
  id: ConnectionId | undefined,
  now: Date,
): Promise<OwnConnection> {
  const connection = id && (await lockOwnConnection(tenant, id))
  if (!connection) throw new Refused('connection_not_found', undefined, 'path')
  if (connection.revokedAt) return connection
  await endConnectionSecrets(tenant, connection.id, now)
  await updateConnectionRevoked(tenant, connection.id, now)
  return { ...connection, revokedAt: now }
}

function checkScopes(caller: Caller, scopes: readonly ScopeName[]): void {
  const missing = scopes.filter((scope) => !caller.scopes.includes(scope))
  if (missing.length === 0) return
  throw new Refused('_forbidden', `You have not the scope "${missing.join('" and "')}" yourself.`)
}
