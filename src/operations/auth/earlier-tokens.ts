/**
 * Access tokens of versions before tokens named what opened them: their session knows it. Each is looked up
 * once, which costs two round trips; from then on it is checked like any other.
 */
import type { Pool } from 'pg'
import QuickLRU from 'quick-lru'
import type { SessionId } from '../../domain/ids.ts'
import { findCredentialsOfSession, type TokenCredentials } from '../../store/live-credentials.ts'
import { findOrganization } from '../../store/organizations.ts'
import { platformTenant, tenantOf } from '../../store/tenant.ts'
import type { TokenClaims } from './access-tokens.ts'

export interface EarlierTokens {
  /** Undefined if the session is gone. */
  findCredentials(claims: TokenClaims): Promise<TokenCredentials | undefined>
}

/** Up to twice as many are kept. */
const keptSessions = 5_000

export function createEarlierTokens(pool: Pool): EarlierTokens {
  const known = new QuickLRU<SessionId, TokenCredentials>({ maxSize: keptSessions })
  return {
    async findCredentials({ session, organization: id }) {
      const found = known.get(session)
      if (found) return found
      const organization = await findOrganization(platformTenant(pool), id)
      const credentials =
        organization && (await findCredentialsOfSession(tenantOf(pool, organization.orgId), session))
      if (credentials) known.set(session, credentials)
      return credentials
    },
  }
}
