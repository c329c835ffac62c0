/** Formats of our own, beside those of JSON Schema. */
export const formats = {
  /** Whoever signs in has an address. */
  'person-email': /^\s*[^\s@\p{Cc}\p{Cf}]{1,64}@[^\s@\p{Cc}\p{Cf}.]+(?:\.[^\s@\p{Cc}\p{Cf}.]+)+\s*$/u,
  /**
   * An address one could write to, or nothing. Whether it exists, only a message could tell. Without invisible
   * characters: two addresses that look the same would be two customers.
   */
  'customer-email': /^\s*$|^\s*[^\s@\p{Cc}\p{Cf}]{1,64}@[^\s@\p{Cc}\p{Cf}.]+(?:\.[^\s@\p{Cc}\p{Cf}.]+)+\s*$/u,
}
