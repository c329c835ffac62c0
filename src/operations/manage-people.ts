/**
 * Who may sign in to the console of an organization. We send no mail: a person is invited with a link that the
 * one who invites hands over, and the same kind of link sets a forgotten password anew.
 */
import { emailKey } from '../domain/customer.ts'
import type { OrganizationId, PersonId } from '../domain/ids.ts'
import { mainBranch } from '../domain/organization.ts'
import { type Person, type Role, statusOfPerson } from '../domain/person.ts'
import { Refused } from '../domain/refusal.ts'
import {
  findBranchByOpaqueId,
  insertDirectoryEntry,
  lockDirectoryEntry,
  updateDirectoryEntry,
} from '../store/directory.ts'
import { newId } from '../store/new-id.ts'
import { findOrganization } from '../store/organizations.ts'
import {
  deletePerson,
  findLogin,
  findPerson,
  insertPerson,
  type Login,
  lockActiveOwners,
  lockPerson,
  updateInvitation,
  updatePerson,
} from '../store/people.ts'
import { deletePersonSessions } from '../store/person-sessions.ts'
import type { Scope } from '../store/scope.ts'
import type { Credentials } from './credentials.ts'

const invitationMs = 7 * 24 * 3_600_000

export interface Invitation {
  readonly token: string
  readonly expiresAt: Date
}

export interface PersonInput {
  readonly email: string
  readonly name?: string
  readonly role: Role
}

/** E-mail addresses are kept as they are compared. */
export const readEmail = (text: string) => emailKey(text.trim())

/** Where the link leads. The token stands behind the #, which browsers keep to themselves. */
export const invitationUrl = (publicUrl: string, token: string) => `${publicUrl}/console/join#${token}`

export async function createPerson(own: Scope, input: PersonInput, now: Date): Promise<Person> {
  const id = newId('psn', now)
  const user = newId('usr', now)
  const { name, role } = input
  const branch = await findBranchByOpaqueId(own, mainBranch)
  await insertDirectoryEntry(own, 'users', { id: user, opaqueId: id, name, branch, createdAt: now })
  try {
    await insertPerson(own, { id, email: readEmail(input.email), name, role, user, createdAt: now })
  } catch (error) {
    const { constraint } = error as { constraint?: string }
    throw constraint === 'person_logins_pkey' ? new Refused('existing_person_with_email') : error
  }
  return getPerson(own, id)
}

export async function invitePerson(
  own: Scope,
  credentials: Credentials,
  input: PersonInput,
  now: Date,
): Promise<Person & { invitation: Invitation }> {
  const person = await createPerson(own, input, now)
  return { ...person, invitation: await invite(own, credentials, person.id, now) }
}

/** The same for the operator, who names the organization. */
export async function invitePersonTo(
  scope: Scope,
  credentials: Credentials,
  id: OrganizationId | undefined,
  input: PersonInput,
  now: Date,
): Promise<Person & { invitation: Invitation; org: number }> {
  const organization = id && (await findOrganization(scope, id))
  if (!organization) throw new Refused('organization_not_found', undefined, 'path')
  const org = organization.number
  return { ...(await invitePerson(scope.as(org), credentials, input, now)), org }
}

/** A new link; the one before it ends at once, the password and the sessions when the new one is used. */
export async function renewInvitation(
  own: Scope,
  credentials: Credentials,
  id: PersonId | undefined,
  now: Date,
): Promise<Invitation> {
  const person = await holdPerson(own, id)
  return invite(own, credentials, person.id, now)
}

/** The same for the operator, who knows the person by its address. */
export async function renewInvitationOf(
  scope: Scope,
  credentials: Credentials,
  email: string,
  now: Date,
): Promise<Invitation & Login> {
  const login = await findLogin(scope, readEmail(email))
  if (!login) throw new Refused('person_not_found', 'Nobody signs in with this e-mail address.')
  return { ...login, ...(await renewInvitation(scope.as(login.org), credentials, login.person, now)) }
}

async function invite(own: Scope, credentials: Credentials, id: PersonId, now: Date): Promise<Invitation> {
  const token = credentials.createFor('lwi', own.org)
  const expiresAt = new Date(now.getTime() + invitationMs)
  await updateInvitation(own, id, { hash: credentials.hash(token), expiresAt }, now)
  return { token, expiresAt }
}

export interface PersonPatch {
  readonly name?: string | null
  readonly role?: Role
  readonly status?: 'active' | 'blocked'
}

export async function patchPerson(
  own: Scope,
  id: PersonId | undefined,
  patch: PersonPatch,
  now: Date,
): Promise<Person> {
  const owners = await lockActiveOwners(own)
  const before = await holdPerson(own, id)
  const { role = before.role, name = before.name } = patch
  const isBlocked = patch.status === undefined ? before.isBlocked : patch.status === 'blocked'
  if (role !== 'owner' || isBlocked) refuseLastOwner(owners, before)
  await updatePerson(own, { id: before.id, name: name ?? undefined, role, isBlocked }, now)
  if (patch.name !== undefined) await renameUser(own, before.id, now)
  if (isBlocked) await deletePersonSessions(own, before.id)
  return getPerson(own, before.id)
}

export async function removePerson(own: Scope, id: PersonId | undefined): Promise<Person> {
  const owners = await lockActiveOwners(own)
  const person = await holdPerson(own, id)
  refuseLastOwner(owners, person)
  await deletePerson(own, person.id)
  return person
}

export async function signOutPerson(own: Scope, id: PersonId | undefined): Promise<Person> {
  const person = await holdPerson(own, id)
  await deletePersonSessions(own, person.id)
  return person
}

/** The user that a person acts through is called what the person is. */
export async function renameUser(own: Scope, id: PersonId, now: Date): Promise<void> {
  const { user, name } = await getPerson(own, id)
  const entry = await lockDirectoryEntry(own, 'users', user)
  if (entry) await updateDirectoryEntry(own, 'users', { ...entry, name, updatedAt: now })
}

async function getPerson(own: Scope, id: PersonId): Promise<Person> {
  return (await findPerson(own, id))!
}

/** The person as it is, held against other changes until the transaction ends. */
async function holdPerson(own: Scope, id: PersonId | undefined): Promise<Person> {
  if (!id || !(await lockPerson(own, id))) throw new Refused('person_not_found', undefined, 'path')
  return getPerson(own, id)
}

/** Somebody must be left who can let others in. */
function refuseLastOwner(owners: readonly PersonId[], person: Person): void {
  if (statusOfPerson(person) !== 'active' || person.role !== 'owner') return
  if (owners.some((id) => id !== person.id)) return
  throw new Refused('last_owner')
}
