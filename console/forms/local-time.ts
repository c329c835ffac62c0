/** Converts between instants and the organization's local time, as `datetime-local` fields write it. */
import { toWallClock } from '../i18n/format.ts'

/**
 * The instant of a local time. When the clocks change, a skipped hour maps to the hour after it, and a
 * repeated hour to its first occurrence.
 */
export function fromWallClock(text: string, timeZone: string): Date {
  const wanted = Date.parse(`${text.slice(0, 16)}:00Z`)
  const offsetAt = (ms: number) => Date.parse(`${toWallClock(new Date(ms), timeZone)}:00Z`) - ms
  // The offsets a day before and a day after cover both sides of a clock change.
  const candidates = [wanted - offsetAt(wanted - 86_400_000), wanted - offsetAt(wanted + 86_400_000)]
  const right = candidates.filter((ms) => ms + offsetAt(ms) === wanted)
  return new Date(right.length > 0 ? Math.min(...right) : candidates[0]!)
}

const hasOffset = (text: string) => /(?:Z|[+-]\d\d:\d\d)$/.test(text)

/** Value of a time field: a local time unchanged, an instant converted to the organization's local time. */
export function momentToField(text: string, timeZone: string): string {
  if (!hasOffset(text)) return text.length === 10 ? `${text}T00:00` : text.slice(0, 16)
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? '' : toWallClock(at, timeZone)
}

/** Keeps the previous format, since start and end must either both be local or both be instants. */
export function fieldToMoment(field: string, before: string | undefined, timeZone: string): string {
  return before && hasOffset(before) ? fromWallClock(field, timeZone).toISOString() : field
}
