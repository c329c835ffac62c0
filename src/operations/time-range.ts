/**
 * Ranges of time as clients write them: each end is a day in the organization's time zone, or an instant. A last
 * day belongs to the range; an instant ends it.
 */
import { Refused } from '../domain/refusal.ts'
import { startOfDay } from '../engine/local-time.ts'

export interface TimeRange {
  readonly from?: Date
  /** The first moment that no longer belongs to it. */
  readonly to?: Date
}

const dayMs = 86_400_000
const instantPattern = /^(\d{4}-\d\d-\d\d)[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d(?::?\d\d)?)$/

export function toTimeRange(given: { from?: string; to?: string }, timezone: string): TimeRange {
  const read = (member: 'from' | 'to', days: number) => {
    const text = given[member]
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
  return { from: read('from', 0), to: read('to', 1) }
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
