import type { Pool } from 'pg'
import type { UserId } from '../domain/ids.ts'
import type { Organization } from '../domain/organization.ts'
import type { AccessTokens } from './access-tokens.ts'
import type { CampaignCache } from './campaign-cache.ts'
import type { Credentials } from './credentials.ts'

/** What the operations stand on. Wired once in `serve.ts`, and by tests with a clock of their own. */
export interface Deps {
  readonly pool: Pool
  readonly clock: () => Date
  readonly credentials: Credentials
  readonly accessTokens: AccessTokens
  readonly refreshTokenTtlMs: number
  readonly campaigns: CampaignCache
  readonly log: Log
}

/** What we need of a logger; pino is one. */
export interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** Who calls: an organization, the user that acts for it, and what that user may do. */
export interface Caller {
  readonly organization: Organization
  readonly user: UserId
  readonly scopes: readonly string[]
}
