/**
 * The check of a caller whose organization came from the cache: what the request has just read says whether
 * it still holds. Routes with `readsSetup` leave it to their operation, which saves a round trip.
 */
import { Refused } from '../../domain/refusal.ts'
import { isLive } from '../../store/live-credentials.ts'
import type { Caller } from '../deps.ts'
import { endedTokenReason } from '../organizations/organization-reader.ts'
import type { Setup } from '../organizations/setup-cache.ts'

/** Throws if the organization is no longer subscribed, or if what opened the caller's token has ended. */
export function checkRemembered(
  setup: Setup,
  caller: Pick<Caller, 'token' | 'isRemembered'> | undefined,
  now: Date,
): void {
  if (!caller?.isRemembered || !caller.token) return
  if (!setup.organization.isSubscribed) throw new Refused('invalid_subscription')
  if (!isLive(setup.credentials, caller.token, now)) throw new Refused('_unauthorized', endedTokenReason)
}
