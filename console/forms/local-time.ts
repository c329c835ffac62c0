/** Between instants and what the clock on the organization's wall says, as `datetime-local` fields write it. */
import { toWallClock } from '../i18n/format.ts'

/** The instant; an hour that the change of clocks skips is the one after, and of one that comes twice the first. */
export function fromWallClock(text: string, timeZone: string): Date {
  const wanted = Date.parse(`${text.slice(0, 16)}:00Z`)
  const offsetAt = (ms: number) => Date.parse(`${toWallClock(new Date(ms), timeZone)}:00Z`) - ms
  // Both sides of a change of clocks within a day are looked at.
  const candidates = [wanted - offsetAt(wanted - 86_400_000), wanted - offsetAt(wanted + 86_400_000)]
  const right = candidates.filter((ms) => ms + offsetAt(ms) === wanted)
  return new Date(right.length > 0 ? Math.min(...right) : candidates[0]!)
}

const hasOffset = (text: string) => /(?:Z|[+-]\d\d:\d\d)$/.test(text)

/** Value for a time field: a local time as is, an instant converted to the organization's local time. */
export function momentToField(text: string, timeZone: string): string {
  if (!hasOffset(text)) return text.length === 10 ? `${text}T00:00` : text.slice(0, 16)
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? '' : toWallClock(at, timeZone)
}

/** Written the way it was before: beginning and end must both be local or both be instants. */
export function fieldToMoment(field: string, before: string | undefined, timeZone: string): string {
  return before && hasOffset(before) ? fromWallClock(field, timeZone).toISOString() : field
}
