import { personEmail } from '../../domain/person.ts'

/** Custom formats, in addition to those of JSON Schema. */
export const formats = {
  'person-email': personEmail,
  /**
   * A plausible address, or nothing; only sending a message could tell whether it exists. Invisible
   * characters are not allowed: two addresses that look the same would be two customers.
   */
  'customer-email': /^\s*$|^\s*[^\s@\p{Cc}\p{Cf}]{1,64}@[^\s@\p{Cc}\p{Cf}.]+(?:\.[^\s@\p{Cc}\p{Cf}.]+)+\s*$/u,
}
