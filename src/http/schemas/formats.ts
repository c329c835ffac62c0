/** Formats of our own, beside those of JSON Schema. */
export const formats = {
  /** An address one could write to, or nothing. Whether it exists, only a message could tell. */
  'customer-email': /^\s*$|^\s*[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}.]+(?:\.[^\s@\p{Cc}.]+)+\s*$/u,
}
