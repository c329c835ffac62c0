/**
 * How a group of wallet changes is brought to its end: every change gets its result, its refusal or its fault.
 *
 * The first attempt decides on what one round trip read, without locks, and writes only if no wallet has changed
 * since. What that cannot settle is decided again under lock. Every attempt but the first looks for what an earlier
 * one may have written without our hearing of it.
 */
import type { Pool } from 'pg'
import {
  classifyError,
  isConnectionError,
  isLockTimeout,
  isUniqueViolation,
} from '../../database/classify-error.ts'
import { Refused } from '../../domain/refusal.ts'
import { inTransaction, type Tenant, tenantOf } from '../../store/tenant.ts'

/** `lock idle` locks the wallets that nobody else holds and leaves the others for the next attempt. */
export type Mode = 'read' | 'lock idle' | 'lock'

const attempts: readonly Mode[] = ['read', 'lock idle', 'lock', 'lock']

/** Beyond this a caller is better served by a 503 than by one more attempt. */
const maxRetryMs = 5_000

export interface Attempt {
  readonly mode: Mode
  /** To be called before the message that may commit: from then on a lost connection leaves the outcome unknown. */
  beginToCommit(): void
}

export type JobResult<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'failed'; readonly error: unknown }

/** Deferred: to be decided again, under lock. */
export type AttemptResult<Result> = JobResult<Result> | { readonly kind: 'deferred' }

export const done = <Result>(result: Result) => ({ kind: 'done', result }) as const
export const failed = (error: unknown) => ({ kind: 'failed', error }) as const
export const deferred = { kind: 'deferred' } as const

export interface Changes<Job, Result> {
  /** Load, decide, write; one outcome per job, in order. A refusal is an outcome, unless it is that of all. */
  run(tenant: Tenant, jobs: readonly Job[], attempt: Attempt): Promise<AttemptResult<Result>[]>
  /** Whether a repeat finds what an earlier attempt has written; if not, an unknown outcome is not tried again. */
  readonly isFindable: boolean
}

export async function runAttempts<Job, Result>(
  pool: Pool,
  org: number,
  jobs: readonly Job[],
  changes: Changes<Job, Result>,
  first: Mode = 'read',
): Promise<JobResult<Result>[]> {
  const outcomes = new Map<Job, JobResult<Result>>()
  const startedAt = performance.now()
  let left = jobs
  let fault: unknown
  for (const mode of attempts.slice(attempts.indexOf(first))) {
    if (left.length === 0) break
    let isCommitting = false
    const attempt: Attempt = {
      mode,
      beginToCommit: () => {
        isCommitting = true
      },
    }
    try {
      const settled = await runOnce(pool, org, left, changes, attempt)
      left.forEach((job, i) => {
        const outcome = settled[i]!
        if (outcome.kind !== 'deferred') outcomes.set(job, outcome)
      })
      left = left.filter((job) => !outcomes.has(job))
    } catch (error) {
      fault = error
      const next = afterError(error, left.length, isCommitting && !changes.isFindable)
      if (next === 'one by one') {
        for (const job of left)
          outcomes.set(job, (await runAttempts(pool, org, [job], changes, 'lock idle'))[0]!)
        left = []
      }
      if (next !== 'again' || performance.now() - startedAt > maxRetryMs) break
    }
  }
  return jobs.map((job) => outcomes.get(job) ?? failed(fault ?? new Refused('_unavailable', busy)))
}

const busy = 'The customer is being changed by others. Repeat the call.'

function runOnce<Job, Result>(
  pool: Pool,
  org: number,
  jobs: readonly Job[],
  changes: Changes<Job, Result>,
  attempt: Attempt,
): Promise<AttemptResult<Result>[]> {
  if (attempt.mode === 'read') return changes.run(tenantOf(pool, org), jobs, attempt)
  // Trying again is our own business: we know whether the changes can be found.
  return inTransaction(pool, org, (tenant) => changes.run(tenant, jobs, attempt), { maxAttempts: 1 })
}

/** What follows when an attempt fails as a whole. */
function afterError(error: unknown, jobs: number, isUnknown: boolean): 'stop' | 'one by one' | 'again' {
  if (error instanceof Refused) return 'stop'
  // The statement itself failed: run one by one, only the culprit fails.
  if (classifyError(error) === 'other' && jobs > 1) return 'one by one'
  if (isConnectionError(error)) return isUnknown ? 'stop' : 'again'
  // A deadlock; or a receipt number or key that another process has just used, which the next load will see; or a
  // wallet that somebody else holds.
  const mayPass = classifyError(error) === 'retry' || isUniqueViolation(error) || isLockTimeout(error)
  return mayPass ? 'again' : 'stop'
}
