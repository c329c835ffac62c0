/**
 * Stores the recent requests of an organization, so that integrators can see what they sent and what they
 * got. It is a window and not a history: only the newest, and none older than a week.
 */
import {
  deleteRequestsBefore,
  findOldestRequest,
  type HttpRequest,
  insertHttpRequests,
} from '../store/http-requests.ts'
import { newId } from '../store/new-id.ts'
import { tenantOf } from '../store/tenant.ts'
import type { Deps } from './deps.ts'

const keptRequests = 2_000
const keptMs = 7 * 24 * 3_600_000

export type AnsweredCall = Omit<HttpRequest, 'id'>

/** Adds completed requests, oldest first, and deletes the oldest ones beyond the limit. */
export async function recordRequests(
  { pool }: Pick<Deps, 'pool'>,
  org: number,
  calls: readonly AnsweredCall[],
): Promise<void> {
  await insertHttpRequests(
    tenantOf(pool, org),
    calls.map((call) => ({ ...call, id: newId('req', call.at) })),
    keptRequests,
    { kind: 'requests', at: keptUntil(calls[0]!.at) },
  )
}

const keptUntil = (at: Date) => new Date(at.getTime() + keptMs)

/**
 * Deletes old requests of organizations without new ones; for others, every write does. Returns when the next
 * is too old.
 */
export async function forgetRequests(
  { pool, clock }: Pick<Deps, 'pool' | 'clock'>,
  org: number,
): Promise<Date | undefined> {
  const tenant = tenantOf(pool, org)
  await deleteRequestsBefore(tenant, new Date(clock().getTime() - keptMs))
  const oldest = await findOldestRequest(tenant)
  return oldest && keptUntil(oldest)
}
