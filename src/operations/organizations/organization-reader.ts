/**
 * Reads the organization of a token, and whether what opened the token is still valid, for the check before
 * every request. A canceled subscription and a revoked connection must take effect with the next request, so
 * each is answered by a query that began after it: of a remembered setup only the version is read, which costs
 * half as much. Requests that arrive together share one query.
 */
import type { Pool } from 'pg'
import QuickLRU from 'quick-lru'
import type { Organization } from '../../domain/organization.ts'
import { Refused } from '../../domain/refusal.ts'
import { connectionsForGroups } from '../../store/connections.ts'
import {
  isLive,
  listOwners,
  type OwnerState,
  type TokenCredentials,
  type TokenOwner,
} from '../../store/live-credentials.ts'
import { findSetupVersion } from '../../store/setup.ts'
import { platformTenant, tenantOf } from '../../store/tenant.ts'
import { createBatch } from '../batch.ts'
import type { Setup, SetupCache } from './setup-cache.ts'

export interface OrganizationReader {
  /** The organization; throws if it does not exist or is not subscribed, or if the token has ended. */
  readSubscribed(owner: TokenOwner): Promise<Organization>
  /** Throws if the token was found to have ended, without a query. Nothing that has ended becomes valid again. */
  refuseEnded(token: TokenCredentials): void
}

/** Tokens found to have ended; up to twice as many are kept. */
const keptEnded = 5_000

export function createOrganizationReader(
  pool: Pool,
  setupCache: SetupCache,
  clock: () => Date,
): OrganizationReader {
  const ended = new QuickLRU<string, true>({ maxSize: keptEnded })
  const readOwner = createBatch((owners: readonly TokenOwner[]) => readOwners(pool, owners, clock()), {
    maxRunning: 1,
    maxBatch: 10_000,
    maxWaiting: 20_000,
  })
  const readSetup = createBatch(
    async (questions: readonly number[], org): Promise<Setup[]> => {
      const tenant = tenantOf(pool, org)
      const setup = await setupCache.get(tenant, await findSetupVersion(tenant))
      return questions.map(() => setup)
    },
    {
      orgOf: (org) => org,
      maxRunning: 1,
      maxRunningInAll: connectionsForGroups(pool),
      maxBatch: 10_000,
      maxWaiting: 20_000,
    },
  )
  const readState = async (owner: TokenOwner): Promise<OwnerState | undefined> => {
    const known = setupCache.peek(owner.organization)
    if (!known) return readOwner(owner)
    const { organization, credentials } = await readSetup(known.organization.orgId)
    return { organization, isLive: isLive(credentials, owner.token, clock()) }
  }
  return {
    async readSubscribed(owner) {
      const state = await readState(owner)
      if (!state) throw new Refused('_unauthorized')
      if (!state.isLive) {
        ended.set(nameOf(owner.token), true)
        throw endedToken()
      }
      if (!state.organization.isSubscribed) throw new Refused('invalid_subscription')
      return state.organization
    },
    refuseEnded(token) {
      if (ended.has(nameOf(token))) throw endedToken()
    },
  }
}

export const endedTokenReason =
  'The connection, the API secret or the API key that opened this token has ended.'

const endedToken = () => new Refused('_unauthorized', endedTokenReason)

const nameOf = ({ secret, key }: TokenCredentials) => `${secret} ${key}`

/** Tills that share a connection are read once. */
async function readOwners(
  pool: Pool,
  owners: readonly TokenOwner[],
  now: Date,
): Promise<(OwnerState | undefined)[]> {
  const distinct = new Map(owners.map((owner) => [nameOf(owner.token), owner]))
  const states = await listOwners(platformTenant(pool), [...distinct.values()], now)
  const byName = new Map([...distinct.keys()].map((name, i) => [name, states[i]]))
  return owners.map(({ token }) => byName.get(nameOf(token)))
}
