/**
 * Deletes events that are older than they are kept, in batches: a batch locks the organization's counter, which every
 * writer needs, for a moment only. It is due again every day, whether there is something to delete or not, so that
 * nothing has to be written for it with each event and a shorter retention takes effect soon.
 */
import type { Arming, WorkDone } from '../../store/due-work.ts'
import { deleteEventsBefore } from '../../store/events.ts'
import { tenantOf } from '../../store/tenant.ts'
import type { Deps } from '../deps.ts'
import type { Turn } from '../turn.ts'

const atOnce = 1_000
const dayMs = 86_400_000

export async function deleteOldEvents(
  { pool, clock, retention }: Pick<Deps, 'pool' | 'clock' | 'retention'>,
  org: number,
  { mayContinue }: Pick<Turn, 'mayContinue'>,
): Promise<WorkDone> {
  const now = clock()
  const tenant = tenantOf(pool, org)
  const before = new Date(now.getTime() - retention.eventsMs)
  while ((await deleteEventsBefore(tenant, before, atOnce)) === atOnce) {
    if (!mayContinue()) return { next: now }
  }
  return { next: nextLook(now).at }
}

/** When to look for old events again. */
export const nextLook = (now: Date): Arming => ({ kind: 'events', at: new Date(now.getTime() + dayMs) })
