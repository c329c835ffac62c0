/**
 * The spine of every write that moves nothing in a wallet: one database transaction that claims the idempotency key, runs
 * the work and records the answer. What was refused or failed leaves nothing behind, not even the key.
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
import { fingerprint } from './fingerprint.ts'

/** The call as far as repeating it is concerned. Without a key every call is a new one. */
export interface WriteCall {
  /** Method and path: a key counts for these only. */
  readonly route: string
  readonly key?: string
  readonly body: unknown
}

export interface Answer {
  readonly status: number
  readonly body: unknown
  /** Whose personal data the body holds; erasing that customer erases the stored answer. */
  readonly customer?: CustomerId
}

/** What the audit log says of a write. */
export interface AuditNote {
  /** The organization it concerns; an operator's call works for the platform. */
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
  call: WriteCall,
  work: (tenant: Tenant) => Promise<T>,
  answer: (result: T) => Answer,
  audit: (result: T, body: unknown) => AuditNote | undefined = () => undefined,
): Promise<WriteResult> {
  const { key } = call
  /** The audit entry commits with the change, or neither does. */
  const run = async (tenant: Tenant): Promise<WriteResult> => {
    const result = await work(tenant)
    const answered = answer(result)
    await recordAudit(tenant, audit(result, answered.body), deps.clock())
    return { ...answered, isReplay: false }
  }
  if (key === undefined) return inTransaction(deps.pool, org, run)
  const print = fingerprint(call.body)
  return inTransaction(deps.pool, org, async (tenant) => {
    if (!(await claim(tenant, { route: call.route, key, fingerprint: print, now: deps.clock() }))) {
      return replay(tenant, call.route, key, print)
    }
    const answered = await run(tenant)
    await updateStoredReply(tenant, {
      route: call.route,
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

async function replay(tenant: Tenant, route: string, key: string, print: Buffer): Promise<WriteResult> {
  const stored = await findStoredReply(tenant, route, key)
  // The other call was undone or forgotten between our two statements.
  if (!stored) throw new Refused('idempotency_key_in_use')
  return replayOf(stored, print)
}

/** The answer to an earlier call with the same key, if the call was the same too. */
export function replayOf(stored: StoredReply, print: Buffer): WriteResult {
  if (!stored.fingerprint.equals(print)) throw new Refused('idempotency_key_reused')
  // Some answers never had a body.
  if (stored.reply === undefined && stored.status === 204) return { status: 204, body: null, isReplay: true }
  if (stored.reply === undefined)
    throw new Refused('customer_not_found', 'The customer of this answer was erased.')
  return { status: stored.status, body: stored.reply, isReplay: true }
}
