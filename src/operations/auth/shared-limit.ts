/**
 * Limits that the database counts, for all processes together: for what is rare and must not be done often, such as
 * guessing a password or sending a code to somebody's phone.
 */
import type { Pool } from 'pg'
import { findPasswordGuesses, type GuessCost, insertPasswordGuess } from '../../store/password-guesses.ts'
import { platformTenant } from '../../store/tenant.ts'

/** Counts one attempt. If there were too many it does not count, and the seconds to wait are returned. */
export async function takeShared(
  pool: Pool,
  hash: Buffer,
  cost: GuessCost,
  now: Date,
): Promise<number | undefined> {
  const platform = platformTenant(pool)
  if (await insertPasswordGuess(platform, hash, cost, now)) return undefined
  const forgottenAt = await findPasswordGuesses(platform, hash)
  const left = ((forgottenAt ?? now).getTime() - now.getTime()) / 1_000
  return Math.max(1, Math.ceil(left - cost.seconds * (cost.atOnce - 1)))
}
