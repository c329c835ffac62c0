/**
 * Time ranges as clients write them: each end is a day in the organization's time zone, or an instant. A last
 * day is inclusive; an instant is exclusive.
 */
import { Refused } from '../../domain/refusal.ts'
import { startOfDay } from '../../engine/clock/local-time.ts'

export interface TimeRange {
  readonly from?: Date
  /** Exclusive end. */
  readonly to?: Date
}

const dayMs = 86_400_000
const instantPattern = /^(\d{4}-\d\d-\d\d)[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d(?::?\d\d)?)$/

export function toTimeRange(given: { from?: string; to?: string }, timezone: string): TimeRange {
  return { from: read('from', given.from, 0, timezone), to: read('to', given.to, 1, timezone) }
}

type Ends<N extends string, T> = { readonly [K in `${N}From` | `${N}To`]?: T }

/** Parses a range with prefixed names, such as `endedFrom` and `endedTo`. */
export function toNamedRange<N extends string>(
  name: N,
  given: Ends<N, string>,
  timezone: string,
): Ends<N, Date> {
  const [from, to] = [`${name}From`, `${name}To`] as const
  const range = { [from]: read(from, given[from], 0, timezone), [to]: read(to, given[to], 1, timezone) }
  return range as Ends<N, Date>
}

function read(field: string, text: string | undefined, days: number, timezone: string): Date | undefined {
  if (text === undefined) return undefined
  if (isDay(text)) return startOfDay(Date.parse(text) + days * dayMs, timezone)
  const day = instantPattern.exec(text)?.[1]
  // A leap second matches the pattern, but a `Date` cannot hold it.
  const instant = new Date(text)
  if (day === undefined || !isDay(day) || Number.isNaN(instant.getTime())) {
    throw new Refused(
      '_invalid_payload',
      `${field}: must be a day, such as 2026-03-14, or a time, such as 2026-03-14T09:26:53Z.`,
    )
  }
  return instant
}

/** Whether the text is a valid calendar day; days before 1970 are not accepted. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < '1970-01-01') return false
  return !Number.isNaN(Date.parse(text)) && toDay(Date.parse(text)) === text
}

const toDay = (ms: number) => new Date(ms).toISOString().slice(0, 10)

export function dayAfter(day: string, days: number): string {
  return toDay(Date.parse(day) + days * dayMs)
}
