/**
 * The frame of every write that does not change a wallet: one database transaction that claims the
 * idempotency key, runs the work and stores the response. A refusal or a failure leaves nothing behind, not
 * even the key.
 */
import type { Pool } from 'pg'
import { isLockTimeout } from '../database/classify-error.ts'
import type { CustomerId } from '../domain/ids.ts'
import { Refused } from '../domain/refusal.ts'
import { type AuditEntry, type AuditSubject, insertAuditEntry } from '../store/audit-entries.ts'
import {
  findStoredReply,
  insertIdempotencyKey,
  type StoredReply,
  updateStoredReply,
} from '../store/idempotency.ts'
import { newId } from '../store/new-id.ts'
import { inTransaction, type Tenant } from '../store/tenant.ts'
import type { Actor } from './actor.ts'
import type { Fingerprint } from './fingerprint.ts'

/** What identifies a retry of a request. */
export interface WriteCall {
  /** Method and path: a key is only valid for these. */
  readonly route: string
  readonly key: string
  readonly fingerprint: Fingerprint
}

export interface Answer {
  readonly status: number
  readonly body: unknown
  /** The customer whose personal data the body contains; erasing the customer erases the stored response. */
  readonly customer?: CustomerId
}

/** Audit entry of a write. */
export interface AuditNote {
  /** The organization concerned; a request of the operator itself runs for the platform. */
  readonly org: number
  readonly by: Actor
  readonly action: string
  readonly subject?: AuditSubject
  readonly details?: unknown
  readonly isTruncated: boolean
}

export interface WriteResult extends Answer {
  readonly isReplay: boolean
}

export async function transact<T>(
  deps: { pool: Pool; clock: () => Date },
  org: number,
  /** Without it every request is a new one. */
  call: WriteCall | undefined,
  work: (tenant: Tenant) => Promise<T>,
  answer: (result: T) => Answer,
  audit: (result: T, body: unknown) => AuditNote | undefined = () => undefined,
): Promise<WriteResult> {
  /** The audit entry commits with the change, or neither does. */
  const run = async (tenant: Tenant): Promise<WriteResult> => {
    const result = await work(tenant)
    const answered = answer(result)
    await recordAudit(tenant, audit(result, answered.body), deps.clock())
    return { ...answered, isReplay: false }
  }
  if (!call) return inTransaction(deps.pool, org, run)
  const { route, key, fingerprint } = call
  return inTransaction(deps.pool, org, async (tenant) => {
    if (!(await claim(tenant, { route, key, fingerprint: fingerprint.value, now: deps.clock() }))) {
      return replay(tenant, call)
    }
    const answered = await run(tenant)
    await updateStoredReply(tenant, {
      route,
      key,
      status: answered.status,
      reply: JSON.stringify(answered.body),
      customer: answered.customer,
    })
    return answered
  })
}

export async function recordAudit(tenant: Tenant, note: AuditNote | undefined, now: Date): Promise<void> {
  if (note) await insertAuditEntry(tenant.as(note.org), toAuditEntry(note, now))
}

export function toAuditEntry(
  { by, action, subject, details, isTruncated }: AuditNote,
  now: Date,
): AuditEntry {
  const { kind: byKind, user } = by
  return { id: newId('aud', now), at: now, byKind, user, action, subject, details, isTruncated }
}

async function claim(tenant: Tenant, of: Parameters<typeof insertIdempotencyKey>[1]): Promise<boolean> {
  try {
    return await insertIdempotencyKey(tenant, of)
  } catch (error) {
    if (isLockTimeout(error)) throw new Refused('idempotency_key_in_use')
    throw error
  }
}

async function replay(tenant: Tenant, { route, key, fingerprint }: WriteCall): Promise<WriteResult> {
  const stored = await findStoredReply(tenant, route, key)
  // The other request was rolled back, or its response deleted, between our two statements.
  if (!stored) throw new Refused('idempotency_key_in_use')
  return replayOf(stored, fingerprint)
}

/** The response to an earlier request with the same key, provided that the bodies are the same. */
export function replayOf(stored: StoredReply, fingerprint: Fingerprint): WriteResult {
  if (!fingerprint.matches(stored.fingerprint)) throw new Refused('idempotency_key_reused')
  // Some responses have no body.
  if (stored.reply === undefined && stored.status === 204) return { status: 204, body: null, isReplay: true }
  if (stored.reply === undefined) throw new Refused('customer_not_found', 'The customer has been erased.')
  return { status: stored.status, body: stored.reply, isReplay: true }
}
