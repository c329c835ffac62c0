/**
 * Audit entries for the creation of the café: the requests that the operator and the owner would have made.
 */
import type { CampaignId } from '../domain/ids.ts'
import type { Organization } from '../domain/organization.ts'
import type { Actor } from '../operations/actor.ts'
import { type AuditNote, recordAudit } from '../operations/transact.ts'
import { listOwnConnections } from '../store/own-connections.ts'
import { listPeople } from '../store/people.ts'
import type { Tenant } from '../store/tenant.ts'
import { coffeeClub, looks } from './cafe.ts'

export async function noteOpening(
  own: Tenant,
  organization: Organization,
  campaign: CampaignId,
  now: Date,
): Promise<void> {
  const { orgId, id, name, country, currency, timezone } = organization
  const [connection] = await listOwnConnections(own, { limit: 1 })
  const people = await listPeople(own, { limit: 100 })
  const owner = people.find(({ role }) => role === 'owner')!
  const note = (by: Actor, action: string, subject: AuditNote['subject'], details?: object) =>
    recordAudit(own, { org: orgId, by, action, subject, details, isTruncated: false }, now)
  const byOperator = { kind: 'operator' } as const
  const byOwner = { kind: 'person', user: owner.user } as const
  const cafe = { kind: 'organization', id, name }
  const club = { kind: 'campaign', id: campaign, name: coffeeClub.name }
  const { integration, scopes } = connection!
  await note(byOperator, 'createOrganization', cafe, { name, country, currency, timezone })
  await note(
    byOperator,
    'createConnection',
    { kind: 'connection', id: connection!.id },
    { integration, scopes },
  )
  for (const { id, role } of people) {
    const action = role === 'owner' ? 'invitePersonToOrganization' : 'invitePerson'
    await note(role === 'owner' ? byOperator : byOwner, action, { kind: 'person', id }, { role })
  }
  await note(byOwner, 'patchOrganization', cafe, { color: looks.color })
  await note(byOwner, 'createCampaign', club, coffeeClub)
  await note(byOwner, 'publishCampaign', club)
}
