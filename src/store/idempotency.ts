/**
 * The first responses to requests that carried an `Idempotency-Key`. The row is written in the same database
 * transaction as the work: what did not commit is not remembered, and a refusal rolls it back with everything
 * else.
 */
import { failedStep, type Step } from '../database/pipeline.ts'
import type { CustomerId } from '../domain/ids.ts'
import type { Arming } from './due-work.ts'
import { type Question, question } from './question.ts'
import { execute, maybeOne, type Tenant, uuidOf } from './tenant.ts'

export interface StoredReply {
  readonly fingerprint: Buffer
  readonly status: number
  /** Absent when erasing a customer has removed it. */
  readonly reply?: unknown
}

/**
 * Claims the key for this transaction. `false` means that another request claimed it first; while that
 * request is still running, this waits for it, up to the connection's lock timeout.
 */
export function claimedKey(
  { orgId }: Tenant,
  claim: { route: string; key: string; fingerprint: Buffer; now: Date },
): Question<boolean> {
  return question(
    'claim-key',
    `INSERT INTO idempotency_keys (org_id, route, key, fingerprint, status, created_at)
     VALUES ($1::integer, $2::text, $3::text, decode($4::text, 'hex'), 0, $5::timestamptz)
     ON CONFLICT DO NOTHING RETURNING 1`,
    [String(orgId), claim.route, claim.key, claim.fingerprint.toString('hex'), claim.now.toISOString()],
    (rows) => rows.length === 1,
  )
}

/** Whether it was the claim that failed, and not another statement of its message. */
export const isOfClaim = (error: unknown) => failedStep(error)?.name?.startsWith('claim-key') ?? false

export async function findStoredReply(
  tenant: Tenant,
  route: string,
  key: string,
): Promise<StoredReply | undefined> {
  const row = await maybeOne<{ fingerprint: Buffer; status: number; reply: unknown }>(
    tenant.db,
    'SELECT fingerprint, status, reply FROM idempotency_keys WHERE org_id = $1 AND route = $2 AND key = $3',
    [tenant.orgId, route, key],
  )
  return row && { fingerprint: row.fingerprint, status: row.status, reply: row.reply ?? undefined }
}

/** The response to an earlier request with the key, queried together with what the work is decided on. */
export function storedReply(
  { orgId }: Tenant,
  route: string,
  key: string,
): Question<StoredReply | undefined> {
  return question(
    'load-reply',
    `SELECT encode(fingerprint, 'hex'), status, reply FROM idempotency_keys
     WHERE org_id = $1::integer AND route = $2::text AND key = $3::text`,
    [String(orgId), route, key],
    ([row]) =>
      row && {
        fingerprint: Buffer.from(row[0]!, 'hex'),
        status: Number(row[1]),
        reply: row[2] ? JSON.parse(row[2]) : undefined,
      },
  )
}

/** Stores a response, in the message that writes what it describes. It fails if the key is taken. */
export function insertReply(
  { orgId }: Tenant,
  answer: {
    readonly route: string
    readonly key: string
    readonly fingerprint: Buffer
    readonly status: number
    readonly reply: string
    readonly customer?: CustomerId
    readonly now: Date
  },
): Step {
  return {
    name: 'write-reply',
    text: `INSERT INTO idempotency_keys (org_id, route, key, fingerprint, status, reply, customer_id, created_at)
           VALUES ($1::integer, $2::text, $3::text, decode($4::text, 'hex'), $5::smallint, $6::json, $7::uuid, $8::timestamptz)`,
    values: [
      String(orgId),
      answer.route,
      answer.key,
      answer.fingerprint.toString('hex'),
      String(answer.status),
      answer.reply,
      answer.customer ? uuidOf(answer.customer) : null,
      answer.now.toISOString(),
    ],
  }
}

/** Stores the response under the key that the transaction has claimed, when it commits. */
export async function updateStoredReply(
  tenant: Tenant,
  answer: { route: string; key: string; status: number; reply: string; customer?: CustomerId },
): Promise<void> {
  await tenant.db.pipeAtCommit([
    {
      name: 'write-claimed-reply',
      text: `UPDATE idempotency_keys SET status = $4::smallint, reply = $5::json, customer_id = $6::uuid
             WHERE org_id = $1::integer AND route = $2::text AND key = $3::text`,
      values: [
        String(tenant.orgId),
        answer.route,
        answer.key,
        String(answer.status),
        answer.reply,
        answer.customer ? uuidOf(answer.customer) : null,
      ],
    },
  ])
}

/** A response that is stored now has to be deleted some day. */
export const replyArming = (now: Date, keptMs: number): Arming => ({
  kind: 'replies',
  at: new Date(now.getTime() + keptMs),
})

export const repliesAtOnce = 1_000

/** Deletes responses older than the guaranteed period, at most `repliesAtOnce` of them. */
export async function deleteOldReplies(tenant: Tenant, before: Date): Promise<number> {
  return execute(
    tenant.db,
    `DELETE FROM idempotency_keys WHERE org_id = $1 AND (route, key) IN (
       SELECT route, key FROM idempotency_keys WHERE org_id = $1 AND created_at < $2
       LIMIT ${repliesAtOnce} FOR UPDATE SKIP LOCKED)`,
    [tenant.orgId, before],
  )
}

/** When the oldest response was stored. */
export async function findOldestReply(tenant: Tenant): Promise<Date | undefined> {
  const row = await maybeOne<{ created_at: Date }>(
    tenant.db,
    'SELECT created_at FROM idempotency_keys WHERE org_id = $1 ORDER BY created_at LIMIT 1',
    [tenant.orgId],
  )
  return row?.created_at
}
