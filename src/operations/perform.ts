/**
 * The spine of every write but the basket's: one database transaction that claims the idempotency key, runs
 * the work and records the answer. What was refused or failed leaves nothing behind, not even the key.
 */
import type { Pool } from 'pg'
import { isLockTimeout } from '../database/classify-error.ts'
import type { CustomerId } from '../domain/ids.ts'
import { Refused } from '../domain/refusal.ts'
import { findStoredReply, insertIdempotencyKey, updateStoredReply } from '../store/idempotency.ts'
import { inTransaction, type Scope } from '../store/scope.ts'
import { fingerprint } from './fingerprint.ts'

/** The call as far as repeating it is concerned. Without a key every call is a new one. */
export interface Call {
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

export interface Performed extends Answer {
  readonly isReplay: boolean
}

export async function perform<T>(
  deps: { pool: Pool; clock: () => Date },
  org: number,
  call: Call,
  work: (scope: Scope) => Promise<T>,
  answer: (result: T) => Answer,
): Promise<Performed> {
  const { key } = call
  if (key === undefined) {
    const result = await inTransaction(deps.pool, org, work)
    return { ...answer(result), isReplay: false }
  }
  const print = fingerprint(call.body)
  return inTransaction(deps.pool, org, async (scope) => {
    if (!(await claim(scope, { route: call.route, key, fingerprint: print, now: deps.clock() }))) {
      return replay(scope, call.route, key, print)
    }
    const answered = answer(await work(scope))
    await updateStoredReply(scope, {
      route: call.route,
      key,
      status: answered.status,
      reply: JSON.stringify(answered.body),
      customer: answered.customer,
    })
    return { ...answered, isReplay: false }
  })
}

async function claim(scope: Scope, of: Parameters<typeof insertIdempotencyKey>[1]): Promise<boolean> {
  try {
    return await insertIdempotencyKey(scope, of)
  } catch (error) {
    if (isLockTimeout(error)) throw new Refused('idempotency_key_in_use')
    throw error
  }
}

async function replay(scope: Scope, route: string, key: string, print: Buffer): Promise<Performed> {
  const stored = await findStoredReply(scope, route, key)
  // The other call was undone or forgotten between our two statements.
  if (!stored) throw new Refused('idempotency_key_in_use')
  if (!stored.fingerprint.equals(print)) throw new Refused('idempotency_key_reused')
  // Some answers never had a body.
  if (stored.reply === undefined && stored.status === 204) return { status: 204, body: null, isReplay: true }
  if (stored.reply === undefined)
    throw new Refused('customer_not_found', 'The customer of this answer was erased.')
  return { status: stored.status, body: stored.reply, isReplay: true }
}
