/**
 * Failed passwords by account, one row for each account that has any. The row holds the moment at which all
 * failures are forgotten: an attempt moves it forward by its cost, and is allowed while the moment is not too
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
    `INSERT INTO password_guesses AS g (account, forgotten_at) VALUES ($1, $2::timestamptz + make_interval(secs => $3))
     ON CONFLICT (account) DO UPDATE SET forgotten_at = greatest(g.forgotten_at, $2) + make_interval(secs => $3)
     WHERE g.forgotten_at <= $2::timestamptz + make_interval(secs => $4)`,
    [account, now, seconds, seconds * (atOnce - 1)],
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
    'UPDATE password_guesses SET forgotten_at = forgotten_at - make_interval(secs => $2) WHERE account = $1',
    [account, seconds],
  )
}

/** When all failures are forgotten; undefined when there are none. */
export async function findPasswordGuesses(tenant: Tenant, account: Buffer): Promise<Date | undefined> {
  const row = await maybeOne<{ forgotten_at: Date }>(
    tenant.db,
    'SELECT forgotten_at FROM password_guesses WHERE account = $1',
    [account],
  )
  return row?.forgotten_at
}

export async function deleteForgottenGuesses(tenant: Tenant, now: Date): Promise<void> {
  await execute(tenant.db, 'DELETE FROM password_guesses WHERE forgotten_at <= $1', [now])
}
