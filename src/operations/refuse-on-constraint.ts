/**
 * Turns violations of known constraints into refusals: a concurrent request took the value between our check
 * and our write.
 */
import { constraintOf } from '../database/classify-error.ts'
import { type RefusalCode, Refused } from '../domain/refusal.ts'

/** Runs the work; a violation of one of these constraints becomes its refusal. */
export async function refuseOnConstraint<T>(
  refusals: Readonly<Record<string, RefusalCode>>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const code = refusals[constraintOf(error) ?? '']
    throw code ? new Refused(code) : error
  }
}
