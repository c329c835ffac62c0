/** Exchanges an API key and an organization's secret, which must match, for an access and a refresh token. */
import { Refused } from '../../domain/refusal.ts'
import { findConnectionByCredentials, updateConnectionUsed } from '../../store/credentials.ts'
import { newId } from '../../store/new-id.ts'
import { findOrganization } from '../../store/organizations.ts'
import { deleteOldSessions, insertSession } from '../../store/sessions.ts'
import { platformTenant, tenantOf } from '../../store/tenant.ts'
import type { Deps } from '../deps.ts'

export interface TokenPair {
  readonly accessToken: string
  readonly expiresAtMs: number
  readonly refreshToken: string
}

/** Maximum per connection: a till that asks for a token with each request must not fill the database. */
const maxSessions = 100

/** `address` is the IP address of the client: wrong pairs are counted by it and by their key. */
export async function issueToken(
  deps: Deps,
  apiKey: string,
  apiSecret: string,
  address = 'within this process',
): Promise<TokenPair> {
  const now = deps.clock()
  const keyHash = deps.credentials.hash(apiKey)
  const secretHash = deps.credentials.hash(apiSecret)
  const connection = await findConnectionByCredentials(platformTenant(deps.pool), keyHash, secretHash, now)
  if (!connection) throw deps.guesses.wrongCredentials(keyHash, address)
  const organization = await findOrganization(platformTenant(deps.pool), connection.organization)
  if (!organization?.isSubscribed) throw new Refused('invalid_subscription')

  const tenant = tenantOf(deps.pool, connection.org)
  const session = newId('ses', now)
  const refreshToken = deps.credentials.create('lwr')
  // Before the new session is inserted: if the clock went back, that one would be the oldest.
  await deleteOldSessions(tenant, connection.id, { keep: maxSessions - 1, now })
  await insertSession(tenant, {
    id: session,
    connection: connection.id,
    secretHash,
    key: connection.credentials.key,
    refreshHash: deps.credentials.hash(refreshToken),
    expiresAt: new Date(now.getTime() + deps.refreshTokenTtlMs),
    createdAt: now,
  })
  await updateConnectionUsed(tenant, connection.id, now)
  const { token, expiresAtMs } = await deps.accessTokens.sign(
    {
      organization: connection.organization,
      user: connection.user,
      session,
      scopes: connection.scopes,
      credentials: connection.credentials,
    },
    now,
  )
  return { accessToken: token, expiresAtMs, refreshToken }
}
