/**
 * Times as definitions write them: timestamps, times of day and ISO 8601 durations, parsed strictly. Whatever
 * cannot be parsed is `undefined`; nothing is guessed, and the server's own time zone is never used.
 */

/** A point in time: an instant or, when written without an offset, local time of the organization. */
export interface Moment {
  readonly ms: number
  readonly isLocal: boolean
}

const timestampPattern =
  /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d:\d\d)?)?$/

/** `2027-01-01T00:00:00Z`, with any offset; without one, or as a bare date, it is local time. */
export function parseTimestamp(text: string): Moment | undefined {
  const match = timestampPattern.exec(text)
  if (match === null) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0))
  const date = new Date(Date.UTC(year!, month! - 1, day!))
  // A day that does not exist rolls over into the next month.
  if (month! < 1 || month! > 12 || date.getUTCDate() !== day || year! < 1970) return undefined
  if (hour! > 23 || minute! > 59 || second! > 59) return undefined
  const millisecond = match[7] === undefined ? 0 : Math.floor(Number(`0.${match[7]}`) * 1000)
  const ms = date.getTime() + ((hour! * 60 + minute!) * 60 + second!) * 1000 + millisecond
  const zone = match[8]
  if (zone === undefined) return { ms, isLocal: true }
  if (zone === 'Z') return { ms, isLocal: false }
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(4, 6))
  if (hours > 23 || minutes > 59) return undefined
  const offset = (hours * 60 + minutes) * 60_000
  return { ms: zone.startsWith('-') ? ms + offset : ms - offset, isLocal: false }
}

/** `08:30` as minutes since midnight. 24:00 is not a time: a window up to midnight ends at 00:00. */
export function parseTimeOfDay(text: string): number | undefined {
  const match = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text)
  return match === null ? undefined : Number(match[1]) * 60 + Number(match[2])
}

export interface Duration {
  readonly months: number
  readonly days: number
  readonly seconds: number
}

const durationPattern =
  /^P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/

/** A century: anything longer is a typing error, and dates stay far inside what a Date can hold. */
const longestMonths = 1200
const longestDays = 36_525

/** `P12M`, `P1Y6M`, `P90D`, `PT12H`; whole numbers, greater than zero and at most a hundred years. */
export function parseDuration(text: string): Duration | undefined {
  const match = durationPattern.exec(text)
  if (match === null) return undefined
  const [years, months, weeks, days, hours, minutes, seconds] = match
    .slice(1)
    .map((part) => Number(part ?? 0))
  const duration = {
    months: years! * 12 + months!,
    days: weeks! * 7 + days!,
    seconds: (hours! * 60 + minutes!) * 60 + seconds!,
  }
  const isNothing = duration.months === 0 && duration.days === 0 && duration.seconds === 0
  const isTooLong =
    duration.months > longestMonths || duration.days > longestDays || duration.seconds > longestDays * 86_400
  return isNothing || isTooLong ? undefined : duration
}
