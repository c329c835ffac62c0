/**
 * Notices a pepper that is not the one the credentials in the database were hashed with. Nothing else would: every
 * key, secret and refresh token would just be refused, and what is made with the wrong one would never work.
 */
import { scryptSync, timingSafeEqual } from 'node:crypto'
import type { Pool } from 'pg'
import { findDemoOrganization } from '../../store/organizations.ts'
import { findPepperMark, insertPepperMark, updatePepperMark } from '../../store/pepper-marks.ts'
import { inTransaction, platformOrg, platformTenant, type Queryable } from '../../store/tenant.ts'

export class WrongPepperError extends Error {
  constructor() {
    super(
      'CREDENTIAL_PEPPER (or JWT_SECRET, which it follows unless it is set) is not the one that the credentials in this database were made with: every API key, API secret and refresh token would be refused. Set it to the former value. If that is lost, run "loyalty-wallet adopt-pepper" and make new keys and secrets.',
    )
  }
}

/** Whether the pepper is the one of this database; undefined when none has been used on it yet. */
export async function isPepperOf(db: Queryable, pepper: string): Promise<boolean | undefined> {
  const mark = await findPepperMark(db)
  return mark && timingSafeEqual(mark, markOf(pepper))
}

/** Marks a database that has no mark. Throws when it has that of another pepper. */
export async function recognizePepper(pool: Pool, pepper: string, now: Date): Promise<void> {
  await inTransaction(pool, platformOrg, async ({ db }) => {
    // Two may come at once, so what counts is what is there afterwards.
    if (!(await findPepperMark(db))) await insertPepperMark(db, markOf(pepper), now)
    if (!(await isPepperOf(db, pepper))) throw new WrongPepperError()
  })
}

/** Gives up the credentials that were made with another pepper. */
export async function adoptPepper(pool: Pool, pepper: string, now: Date): Promise<void> {
  await inTransaction(pool, platformOrg, async ({ db }) => {
    await insertPepperMark(db, markOf(pepper), now)
    await updatePepperMark(db, markOf(pepper), now)
  })
}

/** The same for the database of a demo, which makes itself new credentials; false for any other. */
export async function adoptPepperOfDemo(pool: Pool, pepper: string, now: Date): Promise<boolean> {
  const demo = await findDemoOrganization(platformTenant(pool))
  if (!demo) return false
  await adoptPepper(pool, pepper, now)
  return true
}

/** Some 50 ms, once in the life of a process: whoever has a copy of the database needs as long for each guess. */
function markOf(pepper: string): Buffer {
  return scryptSync(pepper, 'loyalty-wallet credential pepper', 32)
}
