/**
 * Ranges of time as clients write them: each end is a day in the organization's time zone, or an instant. A last
 * day belongs to the range; an instant ends it.
 */
import { Refused } from '../../domain/refusal.ts'
import { startOfDay } from '../../engine/clock/local-time.ts'

export interface TimeRange {
  readonly from?: Date
  /** The first moment that no longer belongs to it. */
  readonly to?: Date
}

const dayMs = 86_400_000
const instantPattern = /^(\d{4}-\d\d-\d\d)[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d(?::?\d\d)?)$/

export function toTimeRange(given: { from?: string; to?: string }, timezone: string): TimeRange {
  return { from: read('from', given.from, 0, timezone), to: read('to', given.to, 1, timezone) }
}

type Ends<N extends string, T> = { readonly [K in `${N}From` | `${N}To`]?: T }

/** The same of a range with a name of its own: `endedFrom` and `endedTo`. */
export function toNamedRange<N extends string>(
  name: N,
  given: Ends<N, string>,
  timezone: string,
): Ends<N, Date> {
  const [from, to] = [`${name}From`, `${name}To`] as const
  const range = { [from]: read(from, given[from], 0, timezone), [to]: read(to, given[to], 1, timezone) }
  return range as Ends<N, Date>
}

function read(member: string, text: string | undefined, days: number, timezone: string): Date | undefined {
  if (text === undefined) return undefined
  if (isDay(text)) return startOfDay(Date.parse(text) + days * dayMs, timezone)
  const day = instantPattern.exec(text)?.[1]
  // A leap second has the right form too, but no date can hold it.
  const instant = new Date(text)
  if (day === undefined || !isDay(day) || Number.isNaN(instant.getTime())) {
    throw new Refused(
      '_invalid_payload',
      `${member}: must be a day, such as 2026-03-14, or a time, such as 2026-03-14T09:26:53Z.`,
    )
  }
  return instant
}

/** Whether the text is a day that the calendar has; before 1970 there is nothing to ask for. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < '1970-01-01') return false
  return !Number.isNaN(Date.parse(text)) && toDay(Date.parse(text)) === text
}

const toDay = (ms: number) => new Date(ms).toISOString().slice(0, 10)

export function dayAfter(day: string, days: number): string {
  return toDay(Date.parse(day) + days * dayMs)
}
