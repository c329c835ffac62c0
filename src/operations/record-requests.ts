/**
 * Stores the recent requests of an organization, so that integrators can see what they sent and what they
 * got. It is a window and not a history: only the newest, and none older than the setting says.
 */
import {
  deleteRequestsBefore,
  findOldestRequest,
  type HttpRequest,
  insertHttpRequests,
  requestsAtOnce,
} from '../store/http-requests.ts'
import { newId } from '../store/new-id.ts'
import { tenantOf } from '../store/tenant.ts'
import type { Deps } from './deps.ts'
import type { Turn } from './turn.ts'

const keptRequests = 2_000

export type AnsweredCall = Omit<HttpRequest, 'id'>

/** Adds completed requests, oldest first, and deletes the oldest ones beyond the limit. */
export async function recordRequests(
  { pool, retention }: Pick<Deps, 'pool' | 'retention'>,
  org: number,
  calls: readonly AnsweredCall[],
): Promise<void> {
  await insertHttpRequests(
    tenantOf(pool, org),
    calls.map((call) => ({ ...call, id: newId('req', call.at) })),
    keptRequests,
    { kind: 'requests', at: keptUntil(calls[0]!.at, retention.requestsMs) },
  )
}

const keptUntil = (at: Date, keptMs: number) => new Date(at.getTime() + keptMs)

/**
 * Deletes old requests of organizations without new ones; for others, every write does. Returns when the next
 * is too old.
 */
export async function forgetRequests(
  { pool, clock, retention }: Pick<Deps, 'pool' | 'clock' | 'retention'>,
  org: number,
  { mayContinue }: Pick<Turn, 'mayContinue'>,
): Promise<Date | undefined> {
  const now = clock()
  const tenant = tenantOf(pool, org)
  const before = new Date(now.getTime() - retention.requestsMs)
  while ((await deleteRequestsBefore(tenant, before)) === requestsAtOnce) {
    if (!mayContinue()) return now
  }
  const oldest = await findOldestRequest(tenant)
  return oldest && keptUntil(oldest, retention.requestsMs)
}
