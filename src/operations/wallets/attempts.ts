/**
 * Runs a group of wallet changes to completion: every change gets its result, its refusal or its error.
 *
 * The first attempt decides on what one round trip has read, without locks, and writes only if no wallet has
 * changed since. What that cannot settle is decided again under lock. Retries first check whether an earlier
 * attempt committed without our knowing.
 */
import type { Pool } from 'pg'
import {
  classifyError,
  isConnectionError,
  isLockTimeout,
  isUniqueViolation,
} from '../../database/classify-error.ts'
import { Refused } from '../../domain/refusal.ts'
import { countRetries, retryReasonOf } from '../../store/retry-counts.ts'
import { inTransaction, type Tenant, tenantOf } from '../../store/tenant.ts'

/** `lock idle` locks the wallets that are not locked and leaves the others for the next attempt. */
export type Mode = 'read' | 'lock idle' | 'lock'

const attempts: readonly Mode[] = ['read', 'lock idle', 'lock', 'lock']

/** After this time a 503 is better for the caller than another attempt. */
const maxRetryMs = 5_000

export interface Attempt {
  readonly mode: Mode
  /** Called before the message that may commit: from then on a lost connection leaves the outcome unknown. */
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
  /**
   * Load, decide, write; one outcome per job, in order. A refusal is an outcome, unless it applies to all
   * jobs.
   */
  run(tenant: Tenant, jobs: readonly Job[], attempt: Attempt): Promise<AttemptResult<Result>[]>
  /** Whether a retry finds what an earlier attempt has written; if not, an unknown outcome is not retried. */
  readonly isFindable: boolean
  /** Runs an attempt under lock, which has a connection to itself, when there is a place for it. */
  readonly underLock?: UnderLock | undefined
}

/** An attempt that is not patient waits for each lock briefly. None waits for its place longer than `latest`. */
export type UnderLock = <T>(latest: number, attempt: (isPatient: boolean) => Promise<T>) => Promise<T>

export async function runAttempts<Job, Result>(
  pool: Pool,
  org: number,
  jobs: readonly Job[],
  changes: Changes<Job, Result>,
  first: Mode = 'read',
): Promise<JobResult<Result>[]> {
  const outcomes = new Map<Job, JobResult<Result>>()
  const latest = performance.now() + maxRetryMs
  let left = jobs
  let lastError: unknown
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
      const settled = await runOnce(pool, org, left, changes, attempt, latest)
      left.forEach((job, i) => {
        const outcome = settled[i]!
        if (outcome.kind !== 'deferred') outcomes.set(job, outcome)
      })
      left = left.filter((job) => !outcomes.has(job))
      if (left.length > 0) countRetries(pool, 'conflict', left.length)
    } catch (error) {
      lastError = error
      const next = afterError(error, left.length, isCommitting && !changes.isFindable)
      if (next === 'one by one') {
        countRetries(pool, 'alone', left.length)
        for (const job of left)
          outcomes.set(job, (await runAttempts(pool, org, [job], changes, 'lock idle'))[0]!)
        left = []
      }
      if (next !== 'again' || performance.now() > latest) break
      countRetries(pool, retryReasonOf(error), left.length)
    }
  }
  return jobs.map(
    (job) => outcomes.get(job) ?? failed(lastError ?? new Refused('_unavailable', conflictMessage)),
  )
}

const conflictMessage = 'The customer is being modified concurrently. Retry.'

function runOnce<Job, Result>(
  pool: Pool,
  org: number,
  jobs: readonly Job[],
  changes: Changes<Job, Result>,
  attempt: Attempt,
  latest: number,
): Promise<AttemptResult<Result>[]> {
  const { underLock, run } = changes
  if (attempt.mode === 'read') return run(tenantOf(pool, org), jobs, attempt)
  // Retries are handled here, since we know whether the changes can be found.
  const runLocked = (isPatient: boolean) =>
    inTransaction(pool, org, (tenant) => run(tenant, jobs, attempt), { maxAttempts: 1, isPatient })
  if (!underLock) return runLocked(true)
  return underLock(latest, (isPatient) => {
    if (isPatient) countRetries(pool, 'locked', jobs.length)
    return runLocked(isPatient)
  })
}

/** What to do after an attempt has failed as a whole. */
function afterError(error: unknown, jobs: number, isUnknown: boolean): 'stop' | 'one by one' | 'again' {
  if (error instanceof Refused) return 'stop'
  // The statement itself failed: run the jobs one by one, so that only the failing one fails.
  if (classifyError(error) === 'other' && jobs > 1) return 'one by one'
  if (isConnectionError(error)) return isUnknown ? 'stop' : 'again'
  // A deadlock; or a receipt number or key that another process has just used, which the next load will see;
  // or a wallet that is locked.
  const isTransient = classifyError(error) === 'retry' || isUniqueViolation(error) || isLockTimeout(error)
  return isTransient ? 'again' : 'stop'
}
