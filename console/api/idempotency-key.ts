/**
 * Random key that makes it safe to send the same request twice. `randomUUID` exists only over HTTPS, and a
 * shop may reach the service over plain HTTP in its own network.
 */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

export interface IdempotencyHeaders {
  readonly 'idempotency-key': string
}

/** Headers with a new key, for one request and its retries. */
export function idempotencyHeaders(): IdempotencyHeaders {
  return { 'idempotency-key': newIdempotencyKey() }
}
