/** Links to choose a password, by email: with an invitation, and for those who have forgotten theirs. */
import type { PersonId } from '../../domain/ids.ts'
import { hasMessageSince } from '../../store/messages.ts'
import { findLogin, lockPerson } from '../../store/people.ts'
import { inTransaction, platformTenant, type Tenant } from '../../store/tenant.ts'
import type { Deps } from '../deps.ts'
import { canEmail, orderMessage } from '../messages/order-messages.ts'
import { type Invitation, invitationUrl, invite, readEmail } from './manage-people.ts'

const resetMs = 3_600_000
/** A second link within this time would end the first, which is perhaps about to be used. */
const resetPauseMs = 300_000

/** Whether it is sent: only if the organization has set up a mail server. */
export async function emailInvitation(
  own: Tenant,
  { seal, publicUrl }: Deps,
  person: PersonId,
  { token }: Invitation,
  now: Date,
): Promise<boolean> {
  if (!(await canEmail(own))) return false
  const secret = invitationUrl(publicUrl(), token)
  await orderMessage(own, seal, { kind: 'invitation', channel: 'email', person, secret }, now)
  return true
}

/** Sends nothing to an address that nobody has, who is blocked, or who never had a password. */
export async function emailPasswordReset(deps: Deps, email: string): Promise<void> {
  const login = await findLogin(platformTenant(deps.pool), readEmail(email))
  if (!login) return
  const { org, person } = login
  await inTransaction(deps.pool, org, async (own) => {
    const now = deps.clock()
    const locked = await lockPerson(own, person)
    if (locked?.passwordHash === undefined || locked.isBlocked || !(await canEmail(own))) return
    const since = new Date(now.getTime() - resetPauseMs)
    if (await hasMessageSince(own, person, 'password_reset', since)) return
    const { token } = await invite(own, deps.credentials, person, now, resetMs)
    const secret = invitationUrl(deps.publicUrl(), token)
    await orderMessage(own, deps.seal, { kind: 'password_reset', channel: 'email', person, secret }, now)
  })
}
