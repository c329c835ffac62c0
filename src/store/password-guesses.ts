/**
 * Failed passwords by account, and other attempts that are limited over all processes; one row for each account that
 * has any, by a hash. The row holds the moment at which all of them are forgotten: an attempt moves it forward by its cost, and is allowed while the moment is not too
 * far ahead. One statement decides and counts, so that concurrent attempts, in any number of processes, never
 * exceed the limit.
 */
import { execute, maybeOne, type Tenant } from './tenant.ts'

export interface GuessCost {
  readonly seconds: number
  /** How many attempts are allowed at once when there were no failures before. */
  readonly atOnce: number
}

/** Counts an attempt; false means that there were too many, and this one was not counted. */
export async function insertPasswordGuess(
  tenant: Tenant,
  account: Buffer,
  { seconds, atOnce }: GuessCost,
  now: Date,
): Promise<boolean> {
  const counted = await execute(
    tenant.db,
    `INSERT INTO password_guesses AS g (account, forgotten_at_ms) VALUES ($1, $2::bigint + $3::bigint)
     ON CONFLICT (account) DO UPDATE SET forgotten_at_ms = greatest(g.forgotten_at_ms, $2::bigint) + $3::bigint
     WHERE g.forgotten_at_ms <= $2::bigint + $4::bigint`,
    [account, now.getTime(), seconds * 1_000, seconds * 1_000 * (atOnce - 1)],
  )
  return counted === 1
}

/** Reverts the count of an attempt that turned out to be correct. */
export async function updatePasswordGuess(
  tenant: Tenant,
  account: Buffer,
  { seconds }: GuessCost,
): Promise<void> {
  await execute(
    tenant.db,
    'UPDATE password_guesses SET forgotten_at_ms = forgotten_at_ms - $2::bigint WHERE account = $1',
    [account, seconds * 1_000],
  )
}

/** When all failures are forgotten; undefined when there are none. */
export async function findPasswordGuesses(tenant: Tenant, account: Buffer): Promise<Date | undefined> {
  const row = await maybeOne<{ forgotten_at_ms: number }>(
    tenant.db,
    'SELECT forgotten_at_ms FROM password_guesses WHERE account = $1',
    [account],
  )
  return row && new Date(row.forgotten_at_ms)
}

export async function deleteForgottenGuesses(tenant: Tenant, now: Date): Promise<void> {
  await execute(tenant.db, 'DELETE FROM password_guesses WHERE forgotten_at_ms <= $1', [now.getTime()])
}

/** When the next failures are forgotten; undefined when there are none. */
export async function findNextForgotten(tenant: Tenant): Promise<Date | undefined> {
  const row = await maybeOne<{ next: number | null }>(
    tenant.db,
    'SELECT min(forgotten_at_ms) AS next FROM password_guesses',
    [],
  )
  return row?.next ? new Date(row.next) : undefined
}
