/**
 * Reads the organization of a token, and whether what opened the token is still valid, for the check before
 * every request. A canceled subscription and a revoked connection must take effect with the next request, so
 * nothing valid is cached; but requests that arrive together share one query.
 */
import type { Pool } from 'pg'
import QuickLRU from 'quick-lru'
import type { Organization } from '../../domain/organization.ts'
import { Refused } from '../../domain/refusal.ts'
import {
  listOwners,
  type OwnerState,
  type TokenCredentials,
  type TokenOwner,
} from '../../store/live-credentials.ts'
import { platformTenant } from '../../store/tenant.ts'
import { createBatch } from '../batch.ts'

export interface OrganizationReader {
  /** The organization; throws if it does not exist or is not subscribed, or if the token has ended. */
  readSubscribed(owner: TokenOwner): Promise<Organization>
  /** Throws if the token was found to have ended, without a query. Nothing that has ended becomes valid again. */
  refuseEnded(token: TokenCredentials): void
}

/** Tokens found to have ended; up to twice as many are kept. */
const keptEnded = 5_000

export function createOrganizationReader(pool: Pool, clock: () => Date): OrganizationReader {
  const ended = new QuickLRU<string, true>({ maxSize: keptEnded })
  const readOwner = createBatch((owners: readonly TokenOwner[]) => readOwners(pool, owners, clock()), {
    maxRunning: 1,
    maxBatch: 10_000,
    maxWaiting: 20_000,
  })
  return {
    async readSubscribed(owner) {
      const state = await readOwner(owner)
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
