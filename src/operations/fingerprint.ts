import { hash } from 'node:crypto'

/** Tells whether a request is a retry of an earlier one. */
export interface Fingerprint {
  /** To be stored with what the request does. */
  readonly value: Buffer
  /** Whether the stored fingerprint is that of the same request. */
  matches(stored: Buffer | undefined): boolean
}

/**
 * Fingerprint of a request by its `meaning`: the parsed body without what makes no difference. Up to version
 * 0.1.0 the body was stored as it was `sent`. Receipt numbers are valid forever, so a retry of a sale from
 * then is still compared in that way as well.
 */
export function fingerprintOf(meaning: unknown, sent: unknown = meaning): Fingerprint {
  const value = hashOf(meaning)
  return {
    value,
    matches: (stored) => stored !== undefined && (stored.equals(value) || stored.equals(hashOf(sent))),
  }
}

/** The order of properties does not matter, everything else does. */
function hashOf(body: unknown): Buffer {
  return hash('sha256', canonical(body), 'buffer').subarray(0, 16)
}

function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  let text = ''
  if (Array.isArray(value)) {
    for (const item of value) text += `${canonical(item)},`
    return `[${text}]`
  }
  for (const key of Object.keys(value).sort()) {
    text += `${JSON.stringify(key)}:${canonical((value as Record<string, unknown>)[key])},`
  }
  return `{${text}}`
}
