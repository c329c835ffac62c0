import type { Pool } from 'pg'
import type { UserId } from '../domain/ids.ts'
import type { Organization } from '../domain/organization.ts'
import type { TokenCredentials } from '../store/live-credentials.ts'
import type { PersonSession } from '../store/person-sessions.ts'
import type { Tracer } from '../tracing/tracer.ts'
import { type AccessTokens, createAccessTokens } from './auth/access-tokens.ts'
import { type Credentials, createCredentials } from './auth/credentials.ts'
import { createDevices, type Devices } from './auth/devices.ts'
import { createEarlierTokens, type EarlierTokens } from './auth/earlier-tokens.ts'
import { createGuessLimit, type GuessLimit } from './auth/guess-limit.ts'
import { createPasswords, type Passwords } from './auth/passwords.ts'
import { type CampaignCache, createCampaignCache } from './campaigns/campaign-cache.ts'
import { createCustomerReader, type ReadCustomer } from './customers/customer-reader.ts'
import { createProfileReads, type ProfileReads } from './customers/profile-reads.ts'
import { type Challenges, createChallenges } from './enrollment/challenges.ts'
import { createEnrollmentLimits, type EnrollmentLimits } from './enrollment/enrollment-limits.ts'
import { createUnsubscribeTokens, type UnsubscribeTokens } from './messages/unsubscribe-tokens.ts'
import { createSetupCache, type SetupCache } from './organizations/setup-cache.ts'
import { type Addresses, createAddresses, type Range } from './outbound/addresses.ts'
import { createGoogleClient, type GoogleClient } from './passes/google-client.ts'
import { type PassInstallation, publicHosts } from './passes/installation.ts'
import type { ReplicaReads } from './replica-reads.ts'
import { createSeal, type Seal } from './seal.ts'
import { createMappingRunner, type MappingRunner } from './sources/run-mapping.ts'
import { createSourceTokens, type SourceTokens } from './sources/source-tokens.ts'
import { type SquareHosts, squareHosts } from './sources/square-client.ts'
import { createWalletSessions, type WalletSessions } from './wallet-page/wallet-sessions.ts'
import { createPassTokens, createWalletTokens, type WalletTokens } from './wallet-page/wallet-tokens.ts'
import { createWorkCounts, type WorkCounts } from './work-counts.ts'

/** Dependencies of the operations. */
export interface Deps {
  readonly pool: Pool
  readonly clock: () => Date
  readonly credentials: Credentials
  readonly accessTokens: AccessTokens
  readonly earlierTokens: EarlierTokens
  readonly refreshTokenTtlMs: number
  readonly campaigns: CampaignCache
  readonly setupCache: SetupCache
  readonly readCustomer: ReadCustomer
  readonly profileReads: ProfileReads
  readonly guesses: GuessLimit
  readonly passwords: Passwords
  readonly devices: Devices
  readonly walletTokens: WalletTokens
  readonly walletSessions: WalletSessions
  readonly unsubscribeTokens: UnsubscribeTokens
  readonly passTokens: WalletTokens
  readonly challenges: Challenges
  readonly enrollmentLimits: EnrollmentLimits
  /** What the operator has set for passes. */
  readonly passes: PassInstallation
  readonly googleClient: GoogleClient
  readonly sourceTokens: SourceTokens
  /** Runs what merchants have written. */
  readonly mappings: MappingRunner
  /** Where Square's API is. */
  readonly squareHosts: SquareHosts
  readonly retention: Retention
  readonly seal: Seal
  /** Where webhooks may be sent to, and which mail servers may be used. */
  readonly addresses: Addresses
  readonly workCounts: WorkCounts
  /** Public URL of the service, without a trailing slash: the base of the links we create. */
  readonly publicUrl: () => string
  readonly log: Log
  /** Set if there is a read replica. */
  readonly replica?: ReplicaReads
  /** Set if spans are exported. */
  readonly tracer?: Tracer
}

/** How long what only grows is kept, in milliseconds. */
export interface Retention {
  readonly eventsMs: number
  readonly deliveriesMs: number
  readonly messagesMs: number
  readonly requestsMs: number
  readonly repliesMs: number
}

const dayMs = 86_400_000

export interface DepsOptions {
  readonly pool: Pool
  readonly clock?: () => Date
  readonly jwtSecret: string
  readonly otherJwtSecret?: string
  readonly credentialPepper: string
  readonly accessTokenTtlSeconds: number
  readonly refreshTokenTtlSeconds: number
  /** Defaults to that of the settings, as do the others. */
  readonly eventRetentionDays?: number
  readonly requestRetentionDays?: number
  readonly replyRetentionDays?: number
  /** Number of processes that handle requests, which share the limits. */
  readonly workers?: number
  readonly deliveryRetentionDays?: number
  readonly messageRetentionDays?: number
  /** Addresses that webhooks may be sent to besides those on the internet. */
  readonly webhookRanges?: readonly Range[]
  /** Keys for passes, and where Apple's and Google's services are. */
  readonly passes?: PassInstallation
  /** Where Square's API is, for tests. */
  readonly squareHosts?: SquareHosts
  /** A function, because the URL is known only once the service listens. */
  readonly publicUrl: () => string
  readonly log: Log
  readonly tracer?: Tracer
}

/** Creates the dependencies, once per process; tests provide their own clock. */
export function createDeps({
  pool,
  clock = () => new Date(),
  log,
  workers = 1,
  ...options
}: DepsOptions): Deps {
  const campaigns = createCampaignCache()
  const credentials = createCredentials(options.credentialPepper)
  const setupCache = createSetupCache(campaigns, clock)
  const passes = options.passes ?? { hosts: publicHosts }
  const passwords = createPasswords(options.credentialPepper, workers)
  return {
    pool,
    clock,
    credentials,
    accessTokens: createAccessTokens(
      options.jwtSecret,
      options.accessTokenTtlSeconds,
      options.otherJwtSecret,
    ),
    earlierTokens: createEarlierTokens(pool),
    refreshTokenTtlMs: options.refreshTokenTtlSeconds * 1000,
    campaigns,
    setupCache,
    readCustomer: createCustomerReader(pool, setupCache, clock),
    profileReads: createProfileReads({ pool, clock, log }),
    guesses: createGuessLimit({ pool, clock, credentials, workers, inTurn: passwords.inTurn }),
    passwords,
    devices: createDevices(options.credentialPepper),
    walletTokens: createWalletTokens(options.credentialPepper),
    walletSessions: createWalletSessions(options.credentialPepper),
    unsubscribeTokens: createUnsubscribeTokens(options.credentialPepper),
    passTokens: createPassTokens(options.credentialPepper),
    challenges: createChallenges(options.credentialPepper),
    enrollmentLimits: createEnrollmentLimits({ pool, clock, credentials }),
    passes,
    googleClient: createGoogleClient(passes.hosts, clock),
    sourceTokens: createSourceTokens(options.credentialPepper),
    mappings: createMappingRunner(),
    squareHosts: options.squareHosts ?? squareHosts,
    retention: {
      eventsMs: (options.eventRetentionDays ?? 90) * dayMs,
      deliveriesMs: (options.deliveryRetentionDays ?? 30) * dayMs,
      messagesMs: (options.messageRetentionDays ?? 90) * dayMs,
      requestsMs: (options.requestRetentionDays ?? 7) * dayMs,
      repliesMs: (options.replyRetentionDays ?? 3) * dayMs,
    },
    seal: createSeal(options.credentialPepper),
    addresses: createAddresses(options.webhookRanges ?? []),
    workCounts: createWorkCounts(),
    publicUrl: options.publicUrl,
    log,
    tracer: options.tracer,
  }
}

/** The part of a logger that we need; pino implements it. */
export interface Log {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** The caller: an organization, the user that acts for it, and the scopes of that user. */
export interface Caller {
  readonly organization: Organization
  readonly user: UserId
  /** What the user represents: a connection, which is identified by that user, or a signed-in person. */
  readonly kind: 'connection' | 'person'
  readonly scopes: readonly string[]
  /** What opened the token of a connection. The demo's history has none: no request was made. */
  readonly token?: TokenCredentials
  /** The session of a person. */
  readonly session?: Pick<PersonSession, 'hash' | 'person' | 'homeOrg'>
  /** The organization comes from the cache; the operation checks whether it is still current. */
  readonly isRemembered?: boolean
}
