/**
 * Background jobs: book expirations, and delete what need not be kept. One round covers all organizations;
 * between rounds there is a pause, which is longer after a failure.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { OrganizationId } from '../domain/ids.ts'
import type { Organization } from '../domain/organization.ts'
import { fillNameKeys } from '../operations/customers/fill-name-keys.ts'
import type { Deps } from '../operations/deps.ts'
import { forgetRequests } from '../operations/record-requests.ts'
import { expireWallets } from '../operations/wallets/expire-wallets.ts'
import { deleteOldReplies, repliesAtOnce } from '../store/idempotency.ts'
import { listOrganizations } from '../store/organizations.ts'
import { deleteForgottenGuesses } from '../store/password-guesses.ts'
import { platformOrg, platformTenant, tenantOf } from '../store/tenant.ts'

export interface Jobs {
  /** Stops after the current group of customers. */
  stop(): Promise<void>
}

export interface JobsOptions {
  readonly pauseMs?: number
}

const repliesKeptMs = 72 * 3_600_000
const organizationsAtOnce = 100

export function startJobs(deps: Deps, { pauseMs = 60_000 }: JobsOptions = {}): Jobs {
  const abort = new AbortController()
  const done = loop(deps, pauseMs, abort.signal)
  return {
    async stop() {
      abort.abort()
      await done
    },
  }
}

async function loop(deps: Deps, pauseMs: number, signal: AbortSignal): Promise<void> {
  let failures = 0
  let isFirst = true
  while (!signal.aborted) {
    try {
      await runRound(deps, { signal, isFirst })
      isFirst = false
      failures = 0
    } catch (error) {
      failures++
      deps.log.warn({ err: error }, 'background jobs failed, will retry')
    }
    const backOff = Math.min(2 ** failures, 10)
    // Jitter: rounds of several processes drift apart, so that they rarely look for the same work.
    await sleep(pauseMs * backOff * (0.5 + Math.random()), undefined, { signal }).catch(() => {})
  }
}

interface Round {
  readonly signal?: AbortSignal
  /** First round since the start: what an upgrade left to backfill is looked for once. */
  readonly isFirst?: boolean
}

/** One round over all organizations. Tests call it instead of waiting for the loop. */
export async function runRound(deps: Deps, { signal, isFirst = false }: Round = {}): Promise<void> {
  let after: OrganizationId | undefined
  do {
    const organizations = await listOrganizations(platformTenant(deps.pool), {
      limit: organizationsAtOnce,
      after,
    })
    for (const organization of organizations) {
      if (signal?.aborted) return
      const expired = await expireWallets(deps, organization, signal)
      if (expired > 0)
        deps.log.info({ organization: organization.id, customers: expired }, 'booked expirations')
      await forgetReplies(deps, organization.orgId)
      await forgetRequests(deps, organization.orgId)
      if (isFirst) await fillNames(deps, organization, signal)
    }
    after = organizations.length === organizationsAtOnce ? organizations.at(-1)?.id : undefined
  } while (after)
  await forgetReplies(deps, platformOrg)
  await deleteForgottenGuesses(platformTenant(deps.pool), deps.clock())
}

async function fillNames(deps: Deps, { id, orgId }: Organization, signal?: AbortSignal): Promise<void> {
  const filled = await fillNameKeys(deps, orgId, signal)
  if (filled > 0) deps.log.info({ organization: id, customers: filled }, 'backfilled customer search keys')
}

async function forgetReplies(deps: Deps, org: number): Promise<void> {
  const before = new Date(deps.clock().getTime() - repliesKeptMs)
  while ((await deleteOldReplies(tenantOf(deps.pool, org), before)) === repliesAtOnce);
}
