/** Tells the background work when balances will have been inactive for too long. */
import { inactiveAt } from '../../engine/steps/expire-balances.ts'
import type { Arming } from '../../store/due-work.ts'
import type { Setup } from '../organizations/setup-cache.ts'

/** For wallets that were last active at this time, whichever of the balances they hold. */
export function idleArmings(
  { inactivity, organization }: Pick<Setup, 'inactivity' | 'organization'>,
  since: Date,
): Arming[] {
  if (inactivity.length === 0) return []
  const ends = inactivity.map(({ key }) =>
    inactiveAt(key, since, inactivity, organization.timezone)!.getTime(),
  )
  return [{ kind: 'inactivity', at: new Date(Math.min(...ends)) }]
}
