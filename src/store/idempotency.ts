/**
 * The first answers to calls that carried an `Idempotency-Key`. The row is written in the same database
 * transaction as the work: what did not commit is not remembered, and refusals roll it back with everything else.
 */
import type { CustomerId } from '../domain/ids.ts'
import { execute, maybeOne, type Scope, uuidOf } from './scope.ts'

export interface StoredReply {
  readonly fingerprint: Buffer
  readonly status: number
  /** Absent when erasing a customer has removed it. */
  readonly reply?: unknown
}

/**
 * Claims the key for this transaction. `false`: another call had it first; while that call is still running
 * this waits for it, up to the connection's lock timeout.
 */
export async function insertIdempotencyKey(
  scope: Scope,
  claim: { route: string; key: string; fingerprint: Buffer; now: Date },
): Promise<boolean> {
  const inserted = await execute(
    scope.db,
    `INSERT INTO idempotency_keys (org_id, route, key, fingerprint, status, created_at)
     VALUES ($1, $2, $3, $4, 0, $5) ON CONFLICT DO NOTHING`,
    [scope.org, claim.route, claim.key, claim.fingerprint, claim.now],
  )
  return inserted === 1
}

export async function findStoredReply(
  scope: Scope,
  route: string,
  key: string,
): Promise<StoredReply | undefined> {
  const row = await maybeOne<{ fingerprint: Buffer; status: number; reply: unknown }>(
    scope.db,
    'SELECT fingerprint, status, reply FROM idempotency_keys WHERE org_id = $1 AND route = $2 AND key = $3',
    [scope.org, route, key],
  )
  return row && { fingerprint: row.fingerprint, status: row.status, reply: row.reply ?? undefined }
}

export async function updateStoredReply(
  scope: Scope,
  answer: { route: string; key: string; status: number; reply: string; customer?: CustomerId },
): Promise<void> {
  await scope.db.query(
    `UPDATE idempotency_keys SET status = $4, reply = $5, customer_id = $6
     WHERE org_id = $1 AND route = $2 AND key = $3`,
    [
      scope.org,
      answer.route,
      answer.key,
      answer.status,
      answer.reply,
      answer.customer ? uuidOf(answer.customer) : null,
    ],
  )
}

/** Removes the answers that hold a customer's data; their keys stay known, so that a late repeat changes nothing. */
export async function eraseStoredReplies(scope: Scope, customer: CustomerId): Promise<void> {
  await scope.db.query('UPDATE idempotency_keys SET reply = NULL WHERE org_id = $1 AND customer_id = $2', [
    scope.org,
    uuidOf(customer),
  ])
}

export const repliesAtOnce = 1_000

/** Forgets answers older than the promised time, at most `repliesAtOnce` of them. */
export async function deleteOldReplies(scope: Scope, before: Date): Promise<number> {
  return execute(
    scope.db,
    `DELETE FROM idempotency_keys WHERE (org_id, route, key) IN (
       SELECT org_id, route, key FROM idempotency_keys WHERE org_id = $1 AND created_at < $2
       LIMIT ${repliesAtOnce} FOR UPDATE SKIP LOCKED)`,
    [scope.org, before],
  )
}
