/** Counts what was tried again because of the database, for the metrics of a process. */
import type { Pool } from 'pg'
import { isConnectionError, isLockTimeout, isUniqueViolation } from '../database/classify-error.ts'

/**
 * `conflict`: a wallet, product or shared limit had changed since it was read. `alone`: a statement failed, and each
 * change of its group runs by itself. The others name the error.
 */
export const retryReasons = ['conflict', 'alone', 'connection', 'locked', 'duplicate', 'deadlock'] as const

export type RetryReason = (typeof retryReasons)[number]

const countsOfPools = new WeakMap<Pool, Map<RetryReason, number>>()

export function countRetries(pool: Pool, reason: RetryReason, changes = 1): void {
  const counts = countsOfPools.get(pool) ?? new Map<RetryReason, number>()
  countsOfPools.set(pool, counts)
  counts.set(reason, (counts.get(reason) ?? 0) + changes)
}

/** How many changes were tried again since the pool was opened, by reason. */
export function listRetries(pool: Pool): [reason: RetryReason, changes: number][] {
  const counts = countsOfPools.get(pool)
  return retryReasons.map((reason) => [reason, counts?.get(reason) ?? 0])
}

export function retryReasonOf(error: unknown): RetryReason {
  if (isConnectionError(error)) return 'connection'
  if (isLockTimeout(error)) return 'locked'
  return isUniqueViolation(error) ? 'duplicate' : 'deadlock'
}
