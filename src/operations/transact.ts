/**
 * The frame of every write that does not change a wallet: one database transaction that claims the
 * idempotency key, runs the work and stores the response. A refusal or a failure leaves nothing behind, not
 * even the key.
 */
import type { Pool } from 'pg'
import { isLockTimeout } from '../database/classify-error.ts'
import type { CustomerId } from '../domain/ids.ts'
import { type RefusalCode, Refused } from '../domain/refusal.ts'
import { type AuditEntry, type AuditSubject, insertAuditEntry } from '../store/audit-entries.ts'
import { upsertDueWork } from '../store/due-work.ts'
import {
  claimedKey,
  findStoredReply,
  isOfClaim,
  replyArming,
  type StoredReply,
  updateStoredReply,
} from '../store/idempotency.ts'
import { newId } from '../store/new-id.ts'
import { type Answers, ask, type Question, type Questions, together } from '../store/question.ts'
import { inTransaction, type Tenant } from '../store/tenant.ts'
import type { Actor } from './actor.ts'
import type { Caller, Deps } from './deps.ts'
import type { Fingerprint } from './fingerprint.ts'
import { refuseOnConstraint } from './refuse-on-constraint.ts'

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

/** A write that does not change a wallet. */
export interface Write<Q extends Questions, T> {
  /** What the work has to know first, queried in the message that begins the transaction and claims the key. */
  questions?(tenant: Tenant): Q
  work(tenant: Tenant, answers: Answers<Q>): Promise<T>
  /** Writes the audit entry as a part of the work, if it cannot be a statement of its own. */
  record?(tenant: Tenant, result: T, entry: AuditEntry): Promise<void>
  /** The refusals of constraints: statements that are sent with COMMIT violate them after the work is done. */
  readonly constraints?: Readonly<Record<string, RefusalCode>>
  /** It creates an organization, whose number only the coordinator of a cluster can give. */
  readonly needsCoordinator?: boolean
}

/** The response to a write, and its audit entry. */
export interface Reply<T> {
  /** Undefined if every request is a new one. */
  readonly call: WriteCall | undefined
  /** Undefined if no request was made. */
  readonly caller: Caller | undefined
  answer(result: T): Answer
  audit(result: T, body: unknown): AuditNote | undefined
}

/** Runs a write for which nobody waits. */
export async function runWrite<Q extends Questions, T>(
  pool: Pool,
  org: number,
  write: Write<Q, T>,
): Promise<T> {
  return inTransaction(pool, org, async (tenant) => {
    const { answers } = await begin(tenant, write, undefined)
    return write.work(tenant, answers)
  })
}

/** Runs a write for a request and returns its response: a new one, or the stored one for a retry. */
export async function transact<Q extends Questions, T>(
  deps: Pick<Deps, 'pool' | 'clock' | 'retention'>,
  org: number,
  write: Write<Q, T>,
  { call, answer, audit }: Reply<T>,
): Promise<WriteResult> {
  const run = async (tenant: Tenant): Promise<WriteResult> => {
    const claim = call && claimedKey(tenant, claimOf(call, deps.clock()))
    const { isClaimed, answers } = await begin(tenant, write, claim)
    if (call && !isClaimed) return replay(tenant, call)
    const result = await write.work(tenant, answers)
    const answered = answer(result)
    // The audit entry commits with the change, or neither does.
    const note = audit(result, answered.body)
    const now = deps.clock()
    if (write.record && note) await write.record(tenant, result, toAuditEntry(note, now))
    else await recordAudit(tenant, note, now)
    if (call) await keepReply(tenant, call, answered, deps)
    return { ...answered, isReplay: false }
  }
  const { constraints = {}, needsCoordinator } = write
  return refuseOnConstraint(constraints, () => inTransaction(deps.pool, org, run, { needsCoordinator }))
}

async function begin<Q extends Questions, T>(
  tenant: Tenant,
  { questions }: Write<Q, T>,
  claim: Question<boolean> | undefined,
): Promise<{ readonly isClaimed?: boolean; readonly answers: Answers<Q> }> {
  const asked = together(questions?.(tenant) ?? ({} as Q))
  // Nothing to wait for: the transaction begins with the first statement of the work.
  if (!claim && asked.steps.length === 0) return { answers: asked.read([]) }
  try {
    return await ask(tenant, { isClaimed: claim, answers: asked })
  } catch (error) {
    if (isLockTimeout(error) && isOfClaim(error)) throw new Refused('idempotency_key_in_use')
    throw error
  }
}

const claimOf = ({ route, key, fingerprint }: WriteCall, now: Date) => ({
  route,
  key,
  fingerprint: fingerprint.value,
  now,
})

async function keepReply(
  tenant: Tenant,
  { route, key }: WriteCall,
  { status, body, customer }: Answer,
  { clock, retention }: Pick<Deps, 'clock' | 'retention'>,
): Promise<void> {
  const now = clock()
  await updateStoredReply(tenant, { route, key, status, reply: JSON.stringify(body), customer })
  await upsertDueWork(tenant, [replyArming(now, retention.repliesMs)], now)
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
