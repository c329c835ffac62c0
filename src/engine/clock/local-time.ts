/**
 * Converts between instants and the organization's local time. Offsets come from the runtime's time zone data
 * and are cached per quarter of an hour, because no zone has changed its offset at any other moment for
 * decades and formatting a date costs more than the rest of a small basket.
 */
import type { Duration } from './iso-time.ts'

const quarterMs = 900_000
const dayMs = 86_400_000
const rememberedOffsets = 4096

interface Zone {
  readonly format: Intl.DateTimeFormat
  readonly offsets: Map<number, number>
}

const zones = new Map<string, Zone>()

/** How far local time is ahead of UTC at an instant. */
function offsetMs(at: number, timezone: string): number {
  const zone = zones.get(timezone) ?? openZone(timezone)
  const quarter = Math.floor(at / quarterMs)
  const known = zone.offsets.get(quarter)
  if (known !== undefined) return known
  const parts: Record<string, number> = {}
  for (const part of zone.format.formatToParts(quarter * quarterMs)) parts[part.type] = Number(part.value)
  const { year, month, day, hour, minute, second } = parts
  const offset = Date.UTC(year!, month! - 1, day!, hour!, minute!, second!) - quarter * quarterMs
  if (zone.offsets.size >= rememberedOffsets) zone.offsets.clear()
  zone.offsets.set(quarter, offset)
  return offset
}

function openZone(timezone: string): Zone {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  const zone = { format, offsets: new Map<number, number>() }
  zones.set(timezone, zone)
  return zone
}

/** Local time at an instant. */
export interface LocalTime {
  /** The local time in milliseconds, as if it were UTC. */
  readonly wallMs: number
  /** 0 is Monday. */
  readonly weekday: number
  readonly minute: number
}

export function localTime(at: Date, timezone: string): LocalTime {
  const wallMs = at.getTime() + offsetMs(at.getTime(), timezone)
  const day = Math.floor(wallMs / dayMs)
  // 1 January 1970 was a Thursday.
  const weekday = (((day + 3) % 7) + 7) % 7
  return { wallMs, weekday, minute: Math.floor((wallMs - day * dayMs) / 60_000) }
}

/** The local calendar day, such as `2026-03-29`; limits per day are counted by it. */
export function localDay(at: Date, timezone: string): string {
  return new Date(at.getTime() + offsetMs(at.getTime(), timezone)).toISOString().slice(0, 10)
}

/** The first instant of a calendar day, which is given as its midnight in UTC. */
export function startOfDay(dayMs: number, timezone: string): Date {
  return new Date(instantOf(dayMs, timezone))
}

/**
 * The instant at which clocks show a local time: the first one when clocks go back and show it twice, and
 * later by the size of the jump when clocks go forward and never show it.
 */
function instantOf(wallMs: number, timezone: string): number {
  const before = offsetMs(wallMs - dayMs, timezone)
  const after = offsetMs(wallMs + dayMs, timezone)
  const early = wallMs - Math.max(before, after)
  const late = wallMs - Math.min(before, after)
  if (early + offsetMs(early, timezone) === wallMs) return early
  if (late + offsetMs(late, timezone) === wallMs) return late
  return wallMs - before
}

export type PeriodEnd = 'day' | 'month' | 'year'

/** Adds a duration in local time (a month after January 31 is the last day of February), then rounds up. */
export function addDuration(at: Date, duration: Duration, timezone: string, endOf?: PeriodEnd): Date {
  const wall = new Date(at.getTime() + offsetMs(at.getTime(), timezone))
  const month = wall.getUTCFullYear() * 12 + wall.getUTCMonth() + duration.months
  const lastDay = new Date(Date.UTC(Math.floor(month / 12), (month % 12) + 1, 0)).getUTCDate()
  const day = Math.min(wall.getUTCDate(), lastDay)
  const timeOfDay = ((wall.getTime() % dayMs) + dayMs) % dayMs
  const date = Date.UTC(Math.floor(month / 12), month % 12, day + duration.days)
  if (endOf !== undefined) {
    return new Date(
      instantOf(endOfPeriod(new Date(date + timeOfDay + duration.seconds * 1000), endOf), timezone),
    )
  }
  const hasDateParts = duration.months !== 0 || duration.days !== 0
  const start = hasDateParts ? instantOf(date + timeOfDay, timezone) : at.getTime()
  return new Date(start + duration.seconds * 1000)
}

/** The first local time after the period, which is when anything valid in it expires. */
function endOfPeriod(wall: Date, period: PeriodEnd): number {
  const year = wall.getUTCFullYear()
  if (period === 'year') return Date.UTC(year + 1, 0, 1)
  if (period === 'month') return Date.UTC(year, wall.getUTCMonth() + 1, 1)
  return Date.UTC(year, wall.getUTCMonth(), wall.getUTCDate() + 1)
}
