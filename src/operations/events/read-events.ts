/**
 * Reads the events of an organization after a cursor. Positions have no gaps and become visible in order (decision
 * 0008), so a reader that keeps its cursor gets every event exactly once; what could make it skip some, a cursor
 * that is too old or not of this organization's events, is refused.
 */
import type { Organization } from '../../domain/organization.ts'
import { Refused } from '../../domain/refusal.ts'
import { type EventFilter, type EventRange, findEventRange, listEvents } from '../../store/events.ts'
import type { Tenant } from '../../store/tenant.ts'
import { type EventView, parseEventCursor, toEventCursor, toEventView } from './event-view.ts'

/** After which position to read; `oldest` for everything that is kept, `latest` for what is still to come. */
export type EventStart = number | 'oldest' | 'latest'

export interface EventsRead {
  readonly events: readonly EventView[]
  readonly cursor: string
  /** The position of the cursor. */
  readonly until: number
  readonly hasMore: boolean
}

export function parseEventStart({ id }: Organization, after: string | undefined): EventStart {
  if (after === undefined) return 'oldest'
  if (after === 'latest') return after
  const position = parseEventCursor(id, after)
  if (position === undefined) {
    throw new Refused(
      '_invalid_payload',
      "after: must be a cursor of this organization's events, or `latest`.",
    )
  }
  return position
}

export async function readEvents(
  tenant: Tenant,
  organization: Organization,
  start: EventStart,
  { limit, ...filter }: EventFilter & { readonly limit: number },
): Promise<EventsRead> {
  const { id } = organization
  if (start === 'latest') {
    const { newest } = await findEventRange(tenant)
    return { events: [], cursor: toEventCursor(id, newest), until: newest, hasMore: false }
  }
  const after = start === 'oldest' ? 0 : start
  const { events, until, ...range } = await listEvents(tenant, filter, { after, limit })
  if (start !== 'oldest') refuseOutside(range, start, toEventCursor(id, range.oldest - 1))
  return {
    events: events.map((event) => toEventView(organization, event)),
    cursor: toEventCursor(id, until),
    until,
    hasMore: until < range.newest,
  }
}

function refuseOutside({ oldest, newest }: EventRange, after: number, oldestCursor: string): void {
  if (after < oldest - 1) {
    const refused = new Refused('cursor_expired')
    refused.cursor = oldestCursor
    throw refused
  }
  // After the database was restored from a backup, say: the events that follow would have positions that the reader
  // has passed already.
  if (after > newest) {
    throw new Refused(
      '_invalid_payload',
      'after: is ahead of the newest event, so it comes from data that no longer exists. Compare your records with the current state, and start again with `latest`.',
    )
  }
}
