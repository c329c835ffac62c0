import type { Pool } from 'pg'
import type { UserId } from '../domain/ids.ts'
import type { Organization } from '../domain/organization.ts'
import { type AccessTokens, createAccessTokens } from './auth/access-tokens.ts'
import { type Credentials, createCredentials } from './auth/credentials.ts'
import { createGuessLimit, type GuessLimit } from './auth/guess-limit.ts'
import { createPasswords, type Passwords } from './auth/passwords.ts'
import { type CampaignCache, createCampaignCache } from './campaigns/campaign-cache.ts'
import { createCustomerReader, type ReadCustomer } from './customers/customer-reader.ts'
import { createSetupCache, type SetupCache } from './organizations/setup-cache.ts'
import { createWalletTokens, type WalletTokens } from './wallet-page/wallet-tokens.ts'

/** What the operations stand on. */
export interface Deps {
  readonly pool: Pool
  readonly clock: () => Date
  readonly credentials: Credentials
  readonly accessTokens: AccessTokens
  readonly refreshTokenTtlMs: number
  readonly campaigns: CampaignCache
  readonly setupCache: SetupCache
  readonly readCustomer: ReadCustomer
  readonly guesses: GuessLimit
  readonly passwords: Passwords
  readonly walletTokens: WalletTokens
  /** The address people reach the service under, without a slash at the end: where the links we give out lead. */
  readonly publicUrl: () => string
  readonly log: Log
}

export interface DepsOptions {
  readonly pool: Pool
  readonly clock?: () => Date
  readonly jwtSecret: string
  readonly credentialPepper: string
  readonly accessTokenTtlSeconds: number
  readonly refreshTokenTtlSeconds: number
  /** How many processes answer calls; what is limited is shared out. */
  readonly workers?: number
  /** Known once the service listens, so it is asked for with every link. */
  readonly publicUrl: () => string
  readonly log: Log
}

/** Wired once for each process; tests bring a clock of their own. */
export function createDeps({
  pool,
  clock = () => new Date(),
  log,
  workers = 1,
  ...options
}: DepsOptions): Deps {
  const campaigns = createCampaignCache()
  const credentials = createCredentials(options.credentialPepper)
  const passwords = createPasswords(options.credentialPepper, workers)
  return {
    pool,
    clock,
    credentials,
    accessTokens: createAccessTokens(options.jwtSecret, options.accessTokenTtlSeconds),
    refreshTokenTtlMs: options.refreshTokenTtlSeconds * 1000,
    campaigns,
    setupCache: createSetupCache(campaigns),
    readCustomer: createCustomerReader(pool, clock),
    guesses: createGuessLimit({ pool, clock, credentials, workers, inTurn: passwords.inTurn }),
    passwords,
    walletTokens: createWalletTokens(options.credentialPepper),
    publicUrl: options.publicUrl,
    log,
  }
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
  /** Whom the user stands for: a connection, which is known by that user, or a person who signed in. */
  readonly kind: 'connection' | 'person'
  readonly scopes: readonly string[]
  /** The organization is as this process remembers it; the work reads whether that is still so. */
  readonly isRemembered?: boolean
}
