import { Refused } from '../../domain/refusal.ts'

/** A time the schema has accepted. A leap second has the right form too, but no date can hold it. */
export function readTime(member: string, text: string): Date {
  const time = new Date(text)
  if (Number.isNaN(time.getTime())) throw new Refused('_invalid_payload', `${member}: there is no such time.`)
  return time
}
