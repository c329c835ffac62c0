/**
 * An event as readers and receivers of webhooks see it: the type, the time and the data as Standard Webhooks has
 * them, and where it stands among the organization's events. The cursor names its organization, so that one that
 * was mixed up is refused instead of skipping events.
 */
import type { EventType, RecordedEvent } from '../../domain/event.ts'
import type { EventId, OrganizationId } from '../../domain/ids.ts'
import { type Mode, modeOf, type Organization } from '../../domain/organization.ts'

export interface EventView {
  readonly id: EventId
  readonly type: EventType
  readonly timestamp: string
  readonly position: number
  readonly cursor: string
  /** Whether it is about real customers. */
  readonly mode: Mode
  readonly data: Record<string, unknown>
}

export function toEventView(
  organization: Pick<Organization, 'id' | 'testOf'>,
  { id, type, at, position, data }: RecordedEvent,
): EventView {
  const cursor = toEventCursor(organization.id, position)
  return { id, type, timestamp: at.toISOString(), position, cursor, mode: modeOf(organization), data }
}

export const toEventCursor = (organization: OrganizationId, position: number): string =>
  `${position}-${markOf(organization)}`

/** The position of a cursor; undefined if it is none, or another organization's. */
export function parseEventCursor(organization: OrganizationId, cursor: string): number | undefined {
  const [, position, mark] = /^(0|[1-9]\d{0,14})-([0-9a-f]{8})$/.exec(cursor) ?? []
  return mark === markOf(organization) ? Number(position) : undefined
}

/** The end of an ID is random; its start is the same for organizations of the same minute. */
const markOf = (organization: OrganizationId) => organization.slice(-8)
