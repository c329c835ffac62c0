/**
 * Manages who can sign in to the console of an organization. A person is invited with a link that the inviter
 * shares, and that is emailed if the organization has a mail server; the same kind resets a forgotten password.
 */
import { emailKey } from '../../domain/customer.ts'
import type { OrganizationId, PersonId, UserId } from '../../domain/ids.ts'
import { mainBranch } from '../../domain/organization.ts'
import { type Person, type Role, statusOfPerson } from '../../domain/person.ts'
import { notFound, Refused } from '../../domain/refusal.ts'
import {
  findBranchByOpaqueId,
  insertDirectoryEntry,
  lockDirectoryEntry,
  updateDirectoryEntry,
} from '../../store/directory.ts'
import { newId } from '../../store/new-id.ts'
import { findOrganization } from '../../store/organizations.ts'
import {
  countPeople,
  deletePerson,
  findLogin,
  findPerson,
  insertPerson,
  type Login,
  lockActiveOwners,
  lockLapsedPerson,
  lockPerson,
  updateInvitation,
  updatePerson,
} from '../../store/people.ts'
import { deletePersonSessions } from '../../store/person-sessions.ts'
import { platformOrg, type Tenant } from '../../store/tenant.ts'
import type { Actor } from '../actor.ts'
import { refuseOnConstraint } from '../refuse-on-constraint.ts'
import { recordAudit } from '../transact.ts'
import type { Credentials } from './credentials.ts'
import { revokeConnectionsOf } from './manage-connections.ts'

const invitationMs = 7 * 24 * 3_600_000
/** Maximum per organization: far more than any has, and a bound for a client that adds people in a loop. */
const maxPeople = 1_000

export interface Invitation {
  readonly token: string
  readonly expiresAt: Date
}

export interface PersonInput {
  readonly email: string
  readonly name?: string
  readonly role: Role
}

/** Email addresses are stored in the form in which they are compared. */
export const readEmail = (text: string) => emailKey(text.trim())

/** URL of the link. The token is in the fragment, which browsers do not send to servers. */
export const invitationUrl = (publicUrl: string, token: string) => `${publicUrl}/console/join#${token}`

export async function createPerson(own: Tenant, input: PersonInput, now: Date): Promise<Person> {
  const id = newId('psn', now)
  const user = newId('usr', now)
  const { name, role } = input
  const email = readEmail(input.email)
  // Otherwise full-width letters, for example, would be a second address that looks like the first.
  if (email !== email.normalize('NFKC')) {
    throw new Refused('_invalid_payload', 'email: must be written in ordinary letters (Unicode NFKC).')
  }
  await freeAddress(own, email, now)
  const branch = await findBranchByOpaqueId(own, mainBranch)
  await insertDirectoryEntry(own, 'users', { id: user, opaqueId: id, name, branch, createdAt: now })
  await refuseOnConstraint({ person_logins_pkey: 'existing_person_with_email' }, () =>
    insertPerson(own, { id, email, name, role, user, createdAt: now }),
  )
  // Checked last: inserting the user locks the organization's setup version, so of two concurrent inserts the
  // second sees the first.
  if ((await countPeople(own)) > maxPeople) throw new Refused('too_many_people')
  return getPerson(own, id)
}

/**
 * A person who was invited, never joined and whose link has expired is removed, in whichever organization:
 * otherwise a mistyped address, or one invited out of spite, would never be available to its owner. That
 * organization's audit log records it.
 */
async function freeAddress(own: Tenant, email: string, now: Date): Promise<void> {
  const login = await findLogin(own.as(platformOrg), email)
  const theirs = login && own.as(login.org)
  if (!theirs || !(await lockLapsedPerson(theirs, login.person, now))) return
  await forgetPerson(theirs, await getPerson(theirs, login.person), now)
  await recordAudit(
    theirs,
    {
      org: login.org,
      // Not the inviter, who may belong to another organization.
      by: { kind: 'operator' },
      action: 'endInvitation',
      subject: { kind: 'person', id: login.person },
      isTruncated: false,
    },
    now,
  )
}

export async function invitePerson(
  own: Tenant,
  credentials: Credentials,
  input: PersonInput,
  now: Date,
): Promise<Person & { invitation: Invitation }> {
  const person = await createPerson(own, input, now)
  return { ...person, invitation: await invite(own, credentials, person.id, now) }
}

/** Invites a person for the operator, who names the organization. */
export async function invitePersonTo(
  tenant: Tenant,
  credentials: Credentials,
  id: OrganizationId | undefined,
  input: PersonInput,
  now: Date,
): Promise<Person & { invitation: Invitation; org: number }> {
  const organization = id && (await findOrganization(tenant, id))
  if (!organization) throw notFound('organization_not_found')
  const org = organization.orgId
  return { ...(await invitePerson(tenant.as(org), credentials, input, now)), org }
}

/** Creates a new link. The previous one ends immediately, the password and the sessions when it is used. */
export async function renewInvitation(
  own: Tenant,
  credentials: Credentials,
  id: PersonId | undefined,
  now: Date,
): Promise<Invitation> {
  const person = await holdPerson(own, id)
  return invite(own, credentials, person.id, now)
}

/** Creates a new link for the operator, who names the person by email address. */
export async function renewInvitationOf(
  tenant: Tenant,
  credentials: Credentials,
  email: string,
  now: Date,
): Promise<Invitation & Login> {
  const login = await findLogin(tenant, readEmail(email))
  if (!login) throw new Refused('person_not_found', 'No person has this email address.')
  return { ...login, ...(await renewInvitation(tenant.as(login.org), credentials, login.person, now)) }
}

/** Creates a link. The one before it ends at once. */
export async function invite(
  own: Tenant,
  credentials: Credentials,
  id: PersonId,
  now: Date,
  validMs = invitationMs,
): Promise<Invitation> {
  const token = credentials.createFor('lwi', own.orgId)
  const expiresAt = new Date(now.getTime() + validMs)
  await updateInvitation(own, id, { hash: credentials.hash(token), expiresAt }, now)
  return { token, expiresAt }
}

export interface PersonPatch {
  readonly name?: string | null
  readonly role?: Role
  readonly status?: 'active' | 'blocked'
  /** Together with blocking: also revokes the connections whose secrets the person knows. */
  readonly revokeConnections?: boolean
}

/** `by` is the actor of what is done along with the change. */
export async function patchPerson(
  own: Tenant,
  id: PersonId | undefined,
  patch: PersonPatch,
  now: Date,
  by: Actor = { kind: 'operator' },
): Promise<Person> {
  if (patch.revokeConnections && patch.status !== 'blocked') {
    throw new Refused('_invalid_payload', 'revokeConnections: requires `status` "blocked".')
  }
  const owners = await lockActiveOwners(own)
  const before = await holdPerson(own, id)
  const { role = before.role, name = before.name } = patch
  const isBlocked = patch.status === undefined ? before.isBlocked : patch.status === 'blocked'
  if (role !== 'owner' || isBlocked) refuseLastOwner(owners, before)
  await updatePerson(own, { id: before.id, name: name ?? undefined, role, isBlocked }, now)
  if (patch.name !== undefined) await renameUser(own, before.user, patch.name ?? undefined, now)
  if (isBlocked) await deletePersonSessions(own, before.id)
  if (patch.revokeConnections) await revokeConnectionsOf(own, before.id, by, now)
  return getPerson(own, before.id)
}

export async function removePerson(
  own: Tenant,
  id: PersonId | undefined,
  now: Date,
  { revokeConnections, by }: { readonly revokeConnections: boolean; readonly by: Actor },
): Promise<Person> {
  const owners = await lockActiveOwners(own)
  const person = await holdPerson(own, id)
  refuseLastOwner(owners, person)
  if (revokeConnections) await revokeConnectionsOf(own, person.id, by, now)
  await forgetPerson(own, person, now)
  return person
}

/** The user stays in the directory, since sales refer to it; its name is removed. */
async function forgetPerson(own: Tenant, { id, user }: Person, now: Date): Promise<void> {
  await deletePerson(own, id)
  await renameUser(own, user, undefined, now)
}

export async function signOutPerson(own: Tenant, id: PersonId | undefined): Promise<Person> {
  const person = await holdPerson(own, id)
  await deletePersonSessions(own, person.id)
  return person
}

/** The user that a person acts as has the name of the person. */
export async function renameUser(
  own: Tenant,
  user: UserId,
  name: string | undefined,
  now: Date,
): Promise<void> {
  const entry = await lockDirectoryEntry(own, 'users', user)
  if (entry) await updateDirectoryEntry(own, 'users', { ...entry, name, updatedAt: now })
}

async function getPerson(own: Tenant, id: PersonId): Promise<Person> {
  return (await findPerson(own, id))!
}

/** Reads the person and locks it against other changes until the transaction ends. */
async function holdPerson(own: Tenant, id: PersonId | undefined): Promise<Person> {
  if (!id || !(await lockPerson(own, id))) throw notFound('person_not_found')
  return getPerson(own, id)
}

/** There must always be an owner who can invite others. */
function refuseLastOwner(owners: readonly PersonId[], person: Person): void {
  if (statusOfPerson(person) !== 'active' || person.role !== 'owner') return
  if (owners.some((id) => id !== person.id)) return
  throw new Refused('last_owner')
}
