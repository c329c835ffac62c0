import { personEmail } from '../../domain/person.ts'

/** Formats of our own, beside those of JSON Schema. */
export const formats = {
  'person-email': personEmail,
  /**
   * An address one could write to, or nothing. Whether it exists, only a message could tell. Without invisible
   * characters: two addresses that look the same would be two customers.
   */
  'customer-email': /^\s*$|^\s*[^\s@\p{Cc}\p{Cf}]{1,64}@[^\s@\p{Cc}\p{Cf}.]+(?:\.[^\s@\p{Cc}\p{Cf}.]+)+\s*$/u,
}
