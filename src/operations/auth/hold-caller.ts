/**
 * Checks the caller again inside the transaction that gives out or ends credentials, and keeps the caller as
 * found until it commits: a caller who was evicted in the meantime creates nothing, and a concurrent eviction
 * waits and then sees what was created before it.
 */
import type { ConnectionId, PersonId } from '../../domain/ids.ts'
import { Refused } from '../../domain/refusal.ts'
import { lockConnections, lockIntegrationKeys } from '../../store/credentials.ts'
import { findTokenEnd } from '../../store/live-credentials.ts'
import { lockPeople } from '../../store/people.ts'
import { findPersonSession } from '../../store/person-sessions.ts'
import { platformOrg, type Tenant } from '../../store/tenant.ts'
import type { Caller } from '../deps.ts'
import { endedTokenReason } from '../organizations/organization-reader.ts'

/** What the transaction is about to change, which is locked together with the caller, in the order of ids. */
export interface Subject {
  readonly connection?: ConnectionId
  readonly person?: PersonId
  /** All active owners, because one of them has to remain. */
  readonly owners?: boolean
}

const rotatedOut =
  'The secret or key that opened this token has been rotated and works only until its overlap ends. To ' +
  'create, rotate or revoke connections, get a token with the new one.'

export async function holdCaller(
  own: Tenant,
  caller: Caller,
  now: Date,
  subject: Subject = {},
): Promise<void> {
  if (caller.session) await holdPerson(own.as(caller.session.homeOrg), caller.session, subject)
  if (caller.token) await holdConnection(own, caller.token, now, subject)
}

async function holdPerson(
  own: Tenant,
  { hash, person }: NonNullable<Caller['session']>,
  subject: Subject,
): Promise<void> {
  const ids = subject.person ? [person.id, subject.person] : [person.id]
  await lockPeople(own, ids, { owners: subject.owners ?? false })
  const always = new Date(0)
  // Whether it has expired was checked with the request; here it matters whether it was ended.
  const times = { now: always, openedAfter: always, usedAfter: always, notedBefore: always }
  const session = await findPersonSession(own, hash, times)
  if (!session) throw new Refused('_unauthorized', 'The session has ended. Sign in again.')
  if (session.person.role !== person.role) throw new Refused('_forbidden', 'Your role has changed.')
}

async function holdConnection(
  own: Tenant,
  token: NonNullable<Caller['token']>,
  now: Date,
  subject: Subject,
): Promise<void> {
  const platform = own.as(platformOrg)
  const integration = await lockConnections(own, token.secret, subject.connection)
  if (integration) await lockIntegrationKeys(platform, integration, 'SHARE')
  const found = await findTokenEnd(platform, token, now)
  if (!found) throw new Refused('_unauthorized', endedTokenReason)
  // Who rotates a secret away from a thief must not lose the connection to them during the overlap.
  if (found.endsAt) throw new Refused('_forbidden', rotatedOut)
}
