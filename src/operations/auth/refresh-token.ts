/**
 * Refreshes a token. The refresh token sent becomes invalid immediately; replaying it is refused and logged,
 * but the newest token of the family stays valid: a till that lost a response must not be locked out by its
 * own retry.
 */
import { Refused } from '../../domain/refusal.ts'
import { updateConnectionUsed } from '../../store/credentials.ts'
import { findOrganization } from '../../store/organizations.ts'
import { updateSessionRefresh } from '../../store/sessions.ts'
import { platformTenant, tenantOf } from '../../store/tenant.ts'
import type { Deps } from '../deps.ts'
import { idsForLog, type RequestRef } from '../request-ref.ts'
import type { TokenPair } from './issue-token.ts'

export async function refreshToken(
  deps: Deps,
  accessToken: string,
  oldToken: string,
  request: RequestRef & { readonly ip: string },
): Promise<TokenPair> {
  const now = deps.clock()
  const verification = await deps.accessTokens.verifyIgnoringExpiry(accessToken)
  if (!verification.ok) {
    const tooMany = deps.guesses.foreignToken(request.ip)
    throw tooMany ?? new Refused('_invalid_refresh_token', 'The access token was not issued by this service.')
  }
  const { organization: organizationId, session, user } = verification.claims
  const organization = await findOrganization(platformTenant(deps.pool), organizationId)
  if (!organization) throw new Refused('_invalid_refresh_token')
  // Before the rotation, so that an organization without a subscription does not use up its tokens.
  if (!organization.isSubscribed) throw new Refused('invalid_subscription')

  const next = deps.credentials.create('lwr')
  const tenant = tenantOf(deps.pool, organization.orgId)
  const rotated = await updateSessionRefresh(tenant, session, {
    oldHash: deps.credentials.hash(oldToken),
    newHash: deps.credentials.hash(next),
    expiresAt: new Date(now.getTime() + deps.refreshTokenTtlMs),
    now,
  })
  if (!rotated) {
    deps.log.warn(
      {
        ...idsForLog(request),
        security: 'refresh_token_refused',
        organization: organizationId,
        session,
        user,
      },
      'refresh refused',
    )
    throw new Refused('_invalid_refresh_token')
  }
  await updateConnectionUsed(tenant, rotated.connection, now)
  const { token, expiresAtMs } = await deps.accessTokens.sign(
    {
      organization: organizationId,
      user: rotated.user,
      session,
      scopes: rotated.scopes,
      credentials: rotated.credentials,
    },
    now,
  )
  return { accessToken: token, expiresAtMs, refreshToken: next }
}
