/** Facts for readers and webhooks, written in the same database transaction as what they describe. */
import type { Step } from '../database/pipeline.ts'
import type { EventType, Fact, RecordedEvent } from '../domain/event.ts'
import type { CustomerId } from '../domain/ids.ts'
import { onEveryNode } from './due-work.ts'
import { newId } from './new-id.ts'
import { jsons, numbers, texts, uuids } from './pg-arrays.ts'
import { idFrom, many, type Tenant, whereAll } from './tenant.ts'

/**
 * Numbers the events and writes them. The counter's row is locked until the transaction ends, so these steps
 * come last: a reader who has seen a position has seen every one before it.
 */
export function eventsSteps(org: string, facts: readonly Fact[], now: Date): Step[] {
  if (facts.length === 0) return []
  return [
    {
      name: 'count-events',
      text: 'UPDATE event_counters SET last_position = last_position + $2::integer WHERE org_id = $1::integer',
      values: [org, String(facts.length)],
      isLast: true,
    },
    {
      name: 'write-events',
      text: `INSERT INTO events (org_id, position, created_at, id, type, data)
SELECT c.org_id, c.last_position - $2::integer + r.n, $3::timestamptz, r.id, r.type, r.data
FROM event_counters c, unnest($4::uuid[], $5::text[], $6::json[]) WITH ORDINALITY AS r (id, type, data, n)
WHERE c.org_id = $1::integer`,
      values: [
        org,
        String(facts.length),
        now.toISOString(),
        uuids(facts.map(() => newId('evt', now))),
        texts(facts.map((fact) => fact.type)),
        jsons(facts.map((fact) => fact.data)),
      ],
      isLast: true,
    },
  ]
}

export async function insertEvents(tenant: Tenant, facts: readonly Fact[], now: Date): Promise<void> {
  await tenant.db.pipeAtCommit(eventsSteps(String(tenant.orgId), facts, now))
}

/** An event's data is small, but a list has a bound in bytes all the same. */
const maxListBytes = 1024 * 1024
/**
 * How many events a list goes through for those that it asks for. No index leads to the events of a type or a
 * customer: it would be written with every basket, and a reader passes each event once.
 */
const maxPassed = 10_000

export interface EventFilter {
  readonly types?: readonly EventType[]
  readonly customer?: CustomerId
}

/** The positions of the oldest event that is kept, or would be, and of the newest one ever written. */
export interface EventRange {
  readonly oldest: number
  readonly newest: number
}

export interface ListedEvents extends EventRange {
  readonly events: readonly RecordedEvent[]
  /** Everything up to this position was looked at; the next list starts after it. */
  readonly until: number
}

export async function findEventRange(tenant: Tenant): Promise<EventRange> {
  const [row] = await many<{ oldest: number; newest: number }>(
    tenant.db,
    'SELECT oldest_position AS oldest, last_position AS newest FROM event_counters WHERE org_id = $1',
    [tenant.orgId],
  )
  return row!
}

/** The newest position of each of these organizations. Runs as the platform. */
export async function listNewestEvents(
  platform: Tenant,
  orgs: readonly number[],
): Promise<Map<number, number>> {
  const [, rows] = await platform.db.pipe([
    onEveryNode,
    {
      name: 'list-newest-events',
      text: 'SELECT org_id, last_position FROM event_counters WHERE org_id = ANY($1::integer[])',
      values: [numbers(orgs)],
    },
  ])
  return new Map(rows!.map(([org, position]) => [Number(org), Number(position)]))
}

interface EventRow {
  oldest: number
  newest: number
  id: string | null
  type: EventType
  at: Date
  position: number
  data: Record<string, unknown>
  bytes: number
}

/**
 * Events after a position, in order; from the oldest on if that is newer. One statement, so that the range and the
 * events are of one moment: what a caller is not told to be deleted is there.
 */
export async function listEvents(
  tenant: Tenant,
  { types, customer }: EventFilter,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<ListedEvents> {
  const where = whereAll(
    [
      ['type = ANY($::text[])', types],
      ["data ->> 'customer' = $", customer],
    ],
    5,
  )
  const rows = await many<EventRow>(
    tenant.db,
    `SELECT c.oldest_position AS oldest, c.last_position AS newest, e.*
     FROM event_counters c LEFT JOIN LATERAL (
       SELECT id, type, created_at AS at, position, data, octet_length(data::text) AS bytes FROM events
       WHERE org_id = $1 AND position > greatest($2, c.oldest_position - 1)
         AND position <= greatest($2, c.oldest_position - 1) + $4${where.text}
       ORDER BY position LIMIT $3
     ) e ON true
     WHERE c.org_id = $1 ORDER BY e.position`,
    [tenant.orgId, after, limit, maxPassed, ...where.values],
  )
  const { oldest, newest } = rows[0]!
  const found = rows.filter(({ id }) => id !== null)
  const events = fitting(found).map(toEvent)
  const isCut = events.length === limit || events.length < found.length
  const passed = Math.min(newest, Math.max(after, oldest - 1) + maxPassed)
  return { events, oldest, newest, until: isCut ? events.at(-1)!.position : Math.max(after, passed) }
}

/** The first one is always among them: a reader would not get past it otherwise. */
function fitting(rows: readonly EventRow[]): readonly EventRow[] {
  let bytes = 0
  const end = rows.findIndex((row, i) => {
    bytes += row.bytes
    return i > 0 && bytes > maxListBytes
  })
  return end === -1 ? rows : rows.slice(0, end)
}

const toEvent = (row: EventRow): RecordedEvent => ({
  id: idFrom('evt', row.id!),
  type: row.type,
  position: row.position,
  at: row.at,
  data: row.data,
})

/** What was recorded after a position: how many of each type, and the first and the last of them. */
export async function countEventsAfter(tenant: Tenant, after: number) {
  const rows = await many<{ type: EventType; count: number; first: number; last: number }>(
    tenant.db,
    `SELECT type, count(*)::int AS count, min(position) AS first, max(position) AS last FROM events
     WHERE org_id = $1 AND position > $2 GROUP BY type ORDER BY type`,
    [tenant.orgId, after],
  )
  const ends = [...rows.map(({ first }) => first), ...rows.map(({ last }) => last)]
  const found = await many<{ id: string; position: number }>(
    tenant.db,
    'SELECT id, position FROM events WHERE org_id = $1 AND position = ANY($2::bigint[])',
    [tenant.orgId, rows.length > 0 ? [Math.min(...ends), Math.max(...ends)] : []],
  )
  const idAt = (position: number) => {
    const event = found.find((each) => each.position === position)
    return event && idFrom('evt', event.id)
  }
  return {
    events: rows.map(({ type, count }) => ({ type, count })),
    firstEvent: idAt(Math.min(...ends)),
    lastEvent: idAt(Math.max(...ends)),
  }
}

/** The position of the first event at that time or later; the next one if there is none. */
export async function findPositionAt(tenant: Tenant, time: Date): Promise<number> {
  const { oldest, newest } = await findEventRange(tenant)
  let [least, most] = [oldest, newest + 1]
  // No index leads there, but positions are in the order of time.
  while (least < most) {
    const middle = Math.floor((least + most) / 2)
    const [row] = await many<{ at: Date }>(
      tenant.db,
      'SELECT created_at AS at FROM events WHERE org_id = $1 AND position = $2',
      [tenant.orgId, middle],
    )
    if (row && row.at >= time) most = middle
    else least = middle + 1
  }
  return least
}

/** Notes that older events have left. Like taking numbers, it comes last: it locks the counter. */
export const oldestEventStep = (org: string, position: number): Step => ({
  name: 'move-oldest-event',
  text: `UPDATE event_counters SET oldest_position = greatest(oldest_position, $2::bigint)
         WHERE org_id = $1::integer`,
  values: [org, String(position)],
  isLast: true,
})

/**
 * Deletes the oldest events, up to the first that is not older than this, and at most so many; returns how many. They
 * leave in the order of their positions, and together with the new position of the oldest: a reader never finds a gap.
 */
export async function deleteEventsBefore(tenant: Tenant, before: Date, limit: number): Promise<number> {
  const [row] = await many<{ oldest: number; kept: number }>(
    tenant.db,
    `SELECT c.oldest_position AS oldest, coalesce(
       (SELECT min(e.position) FROM (
         SELECT position, created_at FROM events WHERE org_id = $1 AND position >= c.oldest_position
         ORDER BY position LIMIT $3) e
        WHERE e.created_at >= $2),
       least(c.oldest_position + $3, c.last_position + 1)) AS kept
     FROM event_counters c WHERE c.org_id = $1`,
    [tenant.orgId, before, limit],
  )
  if (!row || row.oldest === row.kept) return 0
  const org = String(tenant.orgId)
  await tenant.db.pipe([
    {
      name: 'delete-events',
      text: 'DELETE FROM events WHERE org_id = $1::integer AND position >= $2::bigint AND position < $3::bigint',
      values: [org, String(row.oldest), String(row.kept)],
    },
    oldestEventStep(org, row.kept),
  ])
  return row.kept - row.oldest
}
