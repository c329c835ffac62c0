/**
 * How a merchant manages the connections of its own organization. Callers cannot grant scopes they do not
 * have: they can neither create a connection with more scopes than their own, nor get a secret for one.
 */
import type { ConnectionId, PersonId } from '../../domain/ids.ts'
import type { ScopeName } from '../../domain/organization.ts'
import { notFound, Refused } from '../../domain/refusal.ts'
import {
  type Connection,
  endConnectionSecrets,
  findConnection,
  insertConnectionSecret,
  updateConnectionRevoked,
} from '../../store/credentials.ts'
import { insertEvents } from '../../store/events.ts'
import { newId } from '../../store/new-id.ts'
import { listConnectionsShownTo, lockOwnConnection, type OwnConnection } from '../../store/own-connections.ts'
import { updateSetupVersion } from '../../store/setup.ts'
import { platformOrg, type Tenant } from '../../store/tenant.ts'
import { type Actor, actorOf, byOf } from '../actor.ts'
import type { Caller } from '../deps.ts'
import { createConnection, createIntegration, maxConnections } from '../organizations/manage-organizations.ts'
import { ownTimeIn } from '../organizations/time-of.ts'
import { recordAudit } from '../transact.ts'
import type { Credentials } from './credentials.ts'
import { holdCaller } from './hold-caller.ts'

/** Connects the merchant's own software: creates an integration and its connection, with both credentials. */
export async function addConnection(
  tenant: Tenant,
  credentials: Credentials,
  caller: Caller,
  { name, scopes = ['pos'] }: { name: string; scopes?: readonly ScopeName[] },
  now: Date,
): Promise<OwnConnection & { apiKey: string; apiSecret: string }> {
  checkScopes(caller, scopes)
  await holdCaller(tenant, caller, now)
  // Integrations belong to the platform.
  const platform = tenant.as(platformOrg)
  const integration = await createIntegration(platform, credentials, name, now)
  const { organization, user } = caller
  const input = { organization: organization.id, integration: integration.id, scopes, issuedTo: user }
  const connection = await createConnection(platform, credentials, input, now)
  return { ...connection, name, apiKey: integration.apiKey }
}

/** Secrets of a connection that are valid at a time, however long their overlaps. */
const maxSecrets = 10

/** `caller` is the one who gets the secret. Tokens opened with the old one end with it. */
export async function rotateOwnConnection(
  tenant: Tenant,
  credentials: Credentials,
  id: ConnectionId | undefined,
  overlapSeconds: number,
  now: Date,
  caller?: Caller,
): Promise<OwnConnection & { apiSecret: string }> {
  if (caller) await holdCaller(tenant, caller, now, { connection: id })
  const connection = id && (await lockOwnConnection(tenant, id))
  if (!connection) throw notFound('connection_not_found')
  if (caller) checkScopes(caller, connection.scopes)
  if (connection.revokedAt) throw new Refused('connection_revoked')
  const apiSecret = credentials.create('lws')
  const endsAt = new Date(now.getTime() + overlapSeconds * 1000)
  await endConnectionSecrets(tenant, connection.id, { endsAt, now, keep: maxSecrets - 1 })
  const secret = { id: newId('sec', now), hash: credentials.hash(apiSecret), issuedTo: caller?.user }
  await insertConnectionSecret(tenant, connection.id, secret, now)
  await updateSetupVersion(tenant)
  return { ...connection, apiSecret }
}

/** Rotates the secret for an operator, who names a connection by its ID alone and has every scope. */
export async function rotateConnectionSecret(
  tenant: Tenant,
  credentials: Credentials,
  id: ConnectionId | undefined,
  overlapSeconds: number,
  now: Date,
): Promise<Connection & { apiSecret: string }> {
  const connection = id && (await findConnection(tenant, id))
  if (!connection) throw notFound('connection_not_found')
  return rotateOwnConnection(tenant.as(connection.org), credentials, connection.id, overlapSeconds, now)
}

/** Revokes a connection and, if asked to, all that were made with it. */
export async function revokeConnection(
  tenant: Tenant,
  id: ConnectionId | undefined,
  caller: Caller,
  { revokeConnections = false }: { readonly revokeConnections?: boolean },
  now: Date,
): Promise<OwnConnection> {
  await holdCaller(tenant, caller, now, { connection: id })
  const connection = await endConnection(tenant, id, actorOf(caller), now)
  if (revokeConnections) await revokeConnectionsOf(tenant, connection.id, actorOf(caller), now)
  return connection
}

/** Ends it permanently. Tokens are valid only as long as the secret they came from, so they end, too. */
async function endConnection(
  tenant: Tenant,
  id: ConnectionId | undefined,
  by: Actor,
  now: Date,
): Promise<OwnConnection> {
  const connection = id && (await lockOwnConnection(tenant, id))
  if (!connection) throw notFound('connection_not_found')
  if (connection.revokedAt) return connection
  await endConnectionSecrets(tenant, connection.id, { endsAt: now, now, keep: 0 })
  await updateConnectionRevoked(tenant, connection.id, now)
  await updateSetupVersion(tenant)
  const data = { connection: connection.id, by: byOf(by) }
  await insertEvents(tenant, [{ type: 'connection.revoked', data }], await ownTimeIn(now, tenant))
  return { ...connection, revokedAt: now }
}

/**
 * Revokes every connection whose secret the person, or a client with a token of the connection, has been
 * shown and could still use, and what was made with these. The audit log has an entry for each.
 */
export async function revokeConnectionsOf(
  own: Tenant,
  holder: PersonId | ConnectionId,
  by: Actor,
  now: Date,
): Promise<void> {
  const found = await listConnectionsShownTo(own, holder, now, { limit: maxConnections })
  if (found.length === 0) return
  for (const { id } of found.reverse()) {
    const { name } = await endConnection(own, id, by, now)
    const subject = { kind: 'connection', id, name }
    await recordAudit(
      own,
      { org: own.orgId, by, action: 'revokeConnection', subject, isTruncated: false },
      now,
    )
  }
  // While we waited for one of them, it may have made another.
  await revokeConnectionsOf(own, holder, by, now)
}

function checkScopes(caller: Caller, scopes: readonly ScopeName[]): void {
  const missing = scopes.filter((scope) => !caller.scopes.includes(scope))
  if (missing.length === 0) return
  throw new Refused(
    '_forbidden',
    `You cannot grant the scope "${missing.join('" and "')}" because you do not have it.`,
  )
}
