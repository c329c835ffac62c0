/**
 * Keeps the last calls of an organization, so that those who build on us can see what they sent and what they got.
 * A window and not a history: the newest of them, and none older than a week.
 */
import { deleteRequestsBefore, type HttpRequest, insertHttpRequests } from '../store/http-requests.ts'
import { newId } from '../store/new-id.ts'
import { tenantOf } from '../store/tenant.ts'
import type { Deps } from './deps.ts'

const keptRequests = 2_000
const keptMs = 7 * 24 * 3_600_000

export type AnsweredCall = Omit<HttpRequest, 'id'>

/** Adds calls that were answered, oldest first; the oldest of all that are too many go with it. */
export async function recordRequests(
  { pool }: Pick<Deps, 'pool'>,
  org: number,
  calls: readonly AnsweredCall[],
): Promise<void> {
  await insertHttpRequests(
    tenantOf(pool, org),
    calls.map((call) => ({ ...call, id: newId('req', call.at) })),
    keptRequests,
  )
}

/** For organizations that nobody calls any more: nothing else would take their old calls away. */
export async function forgetRequests({ pool, clock }: Pick<Deps, 'pool' | 'clock'>, org: number) {
  await deleteRequestsBefore(tenantOf(pool, org), new Date(clock().getTime() - keptMs))
}
