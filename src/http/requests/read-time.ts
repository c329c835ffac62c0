import { Refused } from '../../domain/refusal.ts'

/**
 * Parses a time that the schema has accepted. A leap second passes the schema, but a `Date` cannot hold it.
 */
export function readTime(field: string, text: string): Date {
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new Refused('_invalid_payload', `${field}: is not a valid time.`)
  return time
}
