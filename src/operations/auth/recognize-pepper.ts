/**
 * Detects a pepper other than the one the credentials in the database were hashed with. Nothing else would:
 * every key, secret and refresh token would simply be refused, and new ones would stop working with the right
 * pepper.
 */
import { scryptSync, timingSafeEqual } from 'node:crypto'
import type { Pool } from 'pg'
import { findDemoOrganization } from '../../store/organizations.ts'
import { findPepperMark, insertPepperMark, updatePepperMark } from '../../store/pepper-marks.ts'
import { inTransaction, platformOrg, platformTenant, type Queryable } from '../../store/tenant.ts'

export class WrongPepperError extends Error {
  constructor() {
    super(
      'CREDENTIAL_PEPPER (which defaults to JWT_SECRET) is not the one that the credentials in this database were made with: every API key, API secret and refresh token would be refused. Set it to the previous value. If that is lost, run "loyalty-wallet adopt-pepper" and create new keys and secrets.',
    )
  }
}

/** Whether the pepper matches this database; undefined if none has been used with it yet. */
export async function isPepperOf(db: Queryable, pepper: string): Promise<boolean | undefined> {
  const mark = await findPepperMark(db)
  return mark && timingSafeEqual(mark, markOf(pepper))
}

/** Marks a database that has no mark. Throws if it has the mark of another pepper. */
export async function recognizePepper(pool: Pool, pepper: string, now: Date): Promise<void> {
  await inTransaction(pool, platformOrg, async ({ db }) => {
    // Two processes may do this concurrently, so what counts is the mark that is there afterwards.
    if (!(await findPepperMark(db))) await insertPepperMark(db, markOf(pepper), now)
    if (!(await isPepperOf(db, pepper))) throw new WrongPepperError()
  })
}

/** Adopts the pepper: credentials made with another one stop working. */
export async function adoptPepper(pool: Pool, pepper: string, now: Date): Promise<void> {
  await inTransaction(pool, platformOrg, async ({ db }) => {
    await insertPepperMark(db, markOf(pepper), now)
    await updatePepperMark(db, markOf(pepper), now)
  })
}

/** Adopts the pepper for a demo database, which gets new credentials; returns false for any other. */
export async function adoptPepperOfDemo(pool: Pool, pepper: string, now: Date): Promise<boolean> {
  const demo = await findDemoOrganization(platformTenant(pool))
  if (!demo) return false
  await adoptPepper(pool, pepper, now)
  return true
}

/**
 * Takes about 50 ms, once per process: an attacker with a copy of the database needs as long for each guess.
 */
function markOf(pepper: string): Buffer {
  return scryptSync(pepper, 'loyalty-wallet credential pepper', 32)
}
