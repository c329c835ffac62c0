/** Ranges of local days and the preceding range for comparison. Days are strings such as 2026-03-14. */
import { dayIn } from '../../i18n/format.ts'
import type { Filters } from '../../ui/lists/filters.ts'

export interface DayRange {
  /** First and last day, both inclusive. */
  readonly from: string
  readonly to: string
}

export const lengths = ['7', '30', '90'] as const
type Length = (typeof lengths)[number]

const dayMs = 86_400_000

export function shiftDay(day: string, days: number): string {
  return new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10)
}

export const lengthOf = ({ from, to }: DayRange): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1

const isDay = (text: string | undefined): text is string =>
  text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))

const isLength = (text: string | undefined): text is Length => lengths.includes(text as Length)

/** The range from the URL. Defaults to 30 days up to yesterday, since today is not a whole day yet. */
export function readRange(
  { days, from, to }: Filters,
  timeZone: string,
): { readonly choice: Length | 'custom'; readonly range: DayRange } {
  const today = dayIn(timeZone)
  if (isDay(from) || isDay(to)) {
    const end = isDay(to) ? to : today
    return { choice: 'custom', range: { from: isDay(from) ? from : shiftDay(end, -29), to: end } }
  }
  const choice = isLength(days) ? days : '30'
  return { choice, range: { from: shiftDay(today, -Number(choice)), to: shiftDay(today, -1) } }
}

/** The preceding range of the same length. */
export function rangeBefore(range: DayRange): DayRange {
  return { from: shiftDay(range.from, -lengthOf(range)), to: shiftDay(range.from, -1) }
}
