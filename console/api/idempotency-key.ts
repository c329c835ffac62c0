/**
 * Random text that makes sending the same thing twice safe. Not `randomUUID`, which browsers offer only over HTTPS: a
 * service may be reached under a plain address in the shop's own network.
 */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

export interface IdempotencyHeaders {
  readonly 'idempotency-key': string
}

/** A key of their own for one call. */
export function idempotencyHeaders(): IdempotencyHeaders {
  return { 'idempotency-key': newIdempotencyKey() }
}
