/**
 * Signing in and out. A session is a random token in a cookie, of which only a hash is stored; it starts with
 * the internal ID of its organization, so that only that one is searched. The person, their role and the
 * organization's subscription are read with every request.
 */
import type { PersonId } from '../../domain/ids.ts'
import { scopesOf } from '../../domain/person.ts'
import { Refused } from '../../domain/refusal.ts'
import { findOwnOrganization } from '../../store/organizations.ts'
import {
  findInvited,
  findLogin,
  findPasswordHash,
  findPerson,
  lockPerson,
  updateInvited,
  updateLastSeen,
  updatePassword,
} from '../../store/people.ts'
import {
  deleteOldPersonSessions,
  deletePersonSessions,
  findPersonOfSession,
  findPersonSession,
  insertPersonSession,
  type PersonSession,
} from '../../store/person-sessions.ts'
import { inTransaction, platformOrg, platformTenant, type Tenant, tenantOf } from '../../store/tenant.ts'
import type { Deps } from '../deps.ts'
import { enterVisited } from '../test-mode/visit.ts'
import { organizationIn } from './credentials.ts'
import { readEmail, renameUser } from './manage-people.ts'
import { checkPassword } from './passwords.ts'

const hour = 3_600_000
const idleMs = 12 * hour
const longestMs = 30 * 24 * hour
/** The last use is recorded once a minute at most; otherwise every request would write. */
const noteEveryMs = 60_000
const maxSessions = 20

/** How long a browser keeps the cookie; whether the session is still valid is decided here. */
export const cookieSeconds = longestMs / 1000

/** When the session expires if this request is its last. */
export function expiryOf({ createdAt }: PersonSession, now: Date): Date {
  return new Date(Math.min(now.getTime() + idleMs, createdAt.getTime() + longestMs))
}

export interface OpenedSession {
  readonly token: string
  /** Marks of the browser, for its next sign-in. */
  readonly device: string
  readonly session: PersonSession
}

/** The session of a cookie; undefined if it does not exist or has ended, or if its person is blocked. */
export async function findSession(deps: Deps, token: string, now: Date): Promise<PersonSession | undefined> {
  const org = organizationIn('lwp', token)
  if (org === undefined) return undefined
  const before = (ms: number) => new Date(now.getTime() - ms)
  const session = await findPersonSession(tenantOf(deps.pool, org), deps.credentials.hash(token), {
    now,
    openedAfter: before(longestMs),
    usedAfter: before(idleMs),
    notedBefore: before(noteEveryMs),
  })
  return session && enterVisited(deps, session)
}

/** An owner manages people at home only: a test organization has none. */
export const scopesIn = ({ organization, homeOrg, person: { role } }: PersonSession) =>
  scopesOf(organization.orgId === homeOrg ? role : 'manager')

/** An ID that no person has: an unknown email address takes as long as a known one. */
const nobody: PersonId = `psn_${'0'.repeat(32)}`

/** Where a sign-in comes from: the address, and the marks that the browser sent. */
interface Origin {
  readonly address: string
  readonly device?: string
}

export async function signIn(
  deps: Deps,
  given: { readonly email: string; readonly password: string },
  from: Origin,
): Promise<OpenedSession> {
  const email = readEmail(given.email)
  const device = deps.devices.read(from.device, email, deps.clock())
  return deps.guesses.tryPassword({ account: email, address: from.address, device }, async () => {
    const login = await findLogin(platformTenant(deps.pool), email)
    const org = login?.org ?? platformOrg
    const person = login?.person ?? nobody
    const passwordHash = await findPasswordHash(tenantOf(deps.pool, org), person)
    if (!(await deps.passwords.matches(given.password, passwordHash))) return undefined
    return inTransaction(deps.pool, org, async (tenant) => {
      // If the password was changed or the person blocked during the comparison, no session is opened.
      const locked = await lockPerson(tenant, person)
      if (locked?.passwordHash !== passwordHash || locked?.isBlocked) return undefined
      return openSession(deps, tenant, person, from)
    })
  })
}

async function openSession(
  deps: Deps,
  tenant: Tenant,
  person: PersonId,
  from: Origin,
): Promise<OpenedSession> {
  if (!(await findOwnOrganization(tenant))?.isSubscribed) throw new Refused('invalid_subscription')
  const now = deps.clock()
  const token = deps.credentials.createFor('lwp', tenant.orgId)
  await updateLastSeen(tenant, person, now)
  // Before the new session is inserted: if the clock went back, that one would be the oldest.
  await deleteOldPersonSessions(tenant, person, maxSessions - 1)
  await insertPersonSession(tenant, { hash: deps.credentials.hash(token), person, now })
  const session = await findPersonSession(tenant, deps.credentials.hash(token), {
    now,
    openedAfter: new Date(0),
    usedAfter: new Date(0),
    notedBefore: new Date(0),
  })
  return { token, device: deps.devices.add(from.device, session!.person.email, now), session: session! }
}

/** Succeeds even if the session has ended or never existed. */
export async function signOut({ pool, credentials }: Deps, token: string): Promise<void> {
  const org = organizationIn('lwp', token)
  if (org === undefined) return
  const hash = credentials.hash(token)
  const person = await findPersonOfSession(tenantOf(pool, org), hash)
  if (!person) return
  await inTransaction(pool, org, async (tenant) => {
    await lockPerson(tenant, person)
    await deletePersonSessions(tenant, person, { only: hash })
  })
}

export async function signOutEverywhere({ pool }: Deps, session: PersonSession): Promise<void> {
  await inTransaction(pool, session.homeOrg, async (tenant) => {
    await lockPerson(tenant, session.person.id)
    await deletePersonSessions(tenant, session.person.id)
  })
}

/** Changes the password, and ends all other sessions of the person and an open link. */
export async function changePassword(
  deps: Deps,
  { organization, homeOrg, person, hash }: PersonSession,
  { currentPassword, password }: { readonly currentPassword: string; readonly password: string },
  address: string,
): Promise<void> {
  await checkPassword(password, { ...person, organization: organization.name })
  // Counted for the session: guesses of others must not keep the person from changing the password.
  const by = { account: person.email, address, device: hash.toString('base64') }
  await deps.guesses.tryPassword(by, async () => {
    const passwordHash = await findPasswordHash(tenantOf(deps.pool, homeOrg), person.id)
    if (!(await deps.passwords.matches(currentPassword, passwordHash))) return undefined
    const next = await deps.passwords.hash(password)
    return inTransaction(deps.pool, homeOrg, async (tenant) => {
      const locked = await lockPerson(tenant, person.id)
      if (locked?.passwordHash !== passwordHash || locked?.isBlocked) return undefined
      await updatePassword(tenant, person.id, next, deps.clock())
      await deletePersonSessions(tenant, person.id, { but: hash })
      return true
    })
  })
}

/** Joins, or sets a new password: uses up the link, and ends every session of the old password. */
export async function acceptInvitation(
  deps: Deps,
  { token, name, password }: { readonly token: string; readonly name?: string; readonly password: string },
  from: Origin,
): Promise<OpenedSession> {
  const now = deps.clock()
  const org = organizationIn('lwi', token)
  const hash = deps.credentials.hash(token)
  const invited = org === undefined ? undefined : await findInvited(tenantOf(deps.pool, org), hash, now)
  if (org === undefined || !invited) {
    throw deps.guesses.foreignToken(from.address) ?? new Refused('invalid_invitation')
  }
  const own = tenantOf(deps.pool, org)
  const known = await findPerson(own, invited)
  const organization = await findOwnOrganization(own)
  if (!known || !organization) throw new Refused('invalid_invitation')
  await checkPassword(password, {
    email: known.email,
    name: name ?? known.name,
    organization: organization.name,
  })
  const passwordHash = await deps.passwords.inTurn(() => deps.passwords.hash(password))
  return inTransaction(deps.pool, org, async (tenant) => {
    const person = await updateInvited(tenant, hash, { passwordHash, name }, now)
    if (!person) throw new Refused('invalid_invitation')
    await deletePersonSessions(tenant, person)
    const opened = await openSession(deps, tenant, person, from)
    if (name !== undefined) await renameUser(tenant, opened.session.user, name, now)
    return opened
  })
}
