/**
 * People and their email addresses. Every change of a person locks the person's row first and the sessions
 * after it, so that a sign-in and a password change, or two demotions, cannot miss each other.
 */
import type { PersonId } from '../domain/ids.ts'
import type { Person, Role } from '../domain/person.ts'
import { execute, idFrom, many, maybeOne, type Tenant, uuidOf } from './tenant.ts'

interface PersonRow {
  id: string
  email: string
  name: string | null
  role: Role
  is_blocked: boolean
  has_password: boolean
  user_id: string
  last_seen_at: Date | null
  created_at: Date
}

const toPerson = (row: PersonRow): Person => ({
  id: idFrom('psn', row.id),
  email: row.email,
  name: row.name ?? undefined,
  role: row.role,
  isBlocked: row.is_blocked,
  hasPassword: row.has_password,
  user: idFrom('usr', row.user_id),
  lastSeenAt: row.last_seen_at ?? undefined,
  createdAt: row.created_at,
})

const personColumns = `p.id, l.email, p.name, p.role, p.is_blocked, p.password_hash IS NOT NULL AS has_password, p.user_id,
  greatest(p.last_seen_at, (SELECT max(s.last_used_at) FROM person_sessions s WHERE s.org_id = $1 AND s.person_id = p.id))
    AS last_seen_at, p.created_at
  FROM people p JOIN person_logins l ON l.org_id = p.org_id AND l.person_id = p.id`

/** People in the order in which they were added. */
export async function listPeople(
  tenant: Tenant,
  page: { limit: number; after?: PersonId },
): Promise<Person[]> {
  const rows = await many<PersonRow>(
    tenant.db,
    `SELECT ${personColumns} WHERE p.org_id = $1 AND ($2::uuid IS NULL OR p.id > $2) ORDER BY p.id LIMIT $3`,
    [tenant.orgId, page.after ? uuidOf(page.after) : null, page.limit],
  )
  return rows.map(toPerson)
}

export async function countPeople(tenant: Tenant): Promise<number> {
  const row = await maybeOne<{ count: number }>(
    tenant.db,
    'SELECT count(*)::int AS count FROM people WHERE org_id = $1',
    [tenant.orgId],
  )
  return row!.count
}

export async function findPerson(tenant: Tenant, id: PersonId): Promise<Person | undefined> {
  const row = await maybeOne<PersonRow>(
    tenant.db,
    `SELECT ${personColumns} WHERE p.org_id = $1 AND p.id = $2`,
    [tenant.orgId, uuidOf(id)],
  )
  return row && toPerson(row)
}

/**
 * The current name of the actor in a log row (`by_kind`, `user_id`). For a person it is their own name, which
 * only owners can change: a manager of the directory must not be able to alter who did what. People of the live
 * organization are users in its test organizations.
 */
export const nameOfUser = (row: string) => `CASE WHEN ${row}.by_kind = 'person'
      AND (SELECT o.test_of IS NULL FROM organizations o WHERE o.org_id = $1)
    THEN (SELECT p.name FROM people p WHERE p.org_id = $1 AND p.user_id = ${row}.user_id)
    ELSE (SELECT u.name FROM users u WHERE u.org_id = $1 AND u.id = ${row}.user_id) END`

/** What a password is compared with, and whether the person may sign in. */
export interface PersonLock {
  readonly passwordHash?: string
  readonly isBlocked: boolean
}

/** Locks the person against concurrent changes until the transaction ends. */
export async function lockPerson(tenant: Tenant, id: PersonId): Promise<PersonLock | undefined> {
  const row = await maybeOne<{ password_hash: string | null; is_blocked: boolean }>(
    tenant.db,
    'SELECT password_hash, is_blocked FROM people WHERE org_id = $1 AND id = $2 FOR NO KEY UPDATE',
    [tenant.orgId, uuidOf(id)],
  )
  return row && { passwordHash: row.password_hash ?? undefined, isBlocked: row.is_blocked }
}

/** Locks these people, and every active owner if asked to, in the order of their ids. */
export async function lockPeople(
  tenant: Tenant,
  ids: readonly PersonId[],
  { owners }: { owners: boolean },
): Promise<void> {
  await tenant.db.query(
    `SELECT id FROM people WHERE org_id = $1 AND (id = ANY($2::uuid[])
       OR $3 AND role = 'owner' AND NOT is_blocked AND password_hash IS NOT NULL)
     ORDER BY id FOR NO KEY UPDATE`,
    [tenant.orgId, ids.map(uuidOf), owners],
  )
}

/**
 * Locks a person who never had a password and whose link has expired; false for any other person, or one who
 * is gone.
 */
export async function lockLapsedPerson(tenant: Tenant, id: PersonId, now: Date): Promise<boolean> {
  const row = await maybeOne(
    tenant.db,
    `SELECT id FROM people WHERE org_id = $1 AND id = $2 AND password_hash IS NULL AND invitation_expires_at <= $3
     FOR UPDATE`,
    [tenant.orgId, uuidOf(id), now],
  )
  return row !== undefined
}

/**
 * Locks all owners who can sign in, in a fixed order, and returns them. Of two concurrent transactions the
 * second sees what the first has done.
 */
export async function lockActiveOwners(tenant: Tenant): Promise<PersonId[]> {
  const rows = await many<{ id: string }>(
    tenant.db,
    `SELECT id FROM people
     WHERE org_id = $1 AND role = 'owner' AND NOT is_blocked AND password_hash IS NOT NULL
     ORDER BY id FOR NO KEY UPDATE`,
    [tenant.orgId],
  )
  return rows.map((row) => idFrom('psn', row.id))
}

export async function listActiveOwners(tenant: Tenant): Promise<PersonId[]> {
  const rows = await many<{ id: string }>(
    tenant.db,
    `SELECT id FROM people WHERE org_id = $1 AND role = 'owner' AND NOT is_blocked AND password_hash IS NOT NULL
     ORDER BY id`,
    [tenant.orgId],
  )
  return rows.map((row) => idFrom('psn', row.id))
}

/** The person an email address belongs to. */
export interface Login {
  readonly org: number
  readonly person: PersonId
}

/** Runs as the platform, before the organization is known. */
export async function findLogin(tenant: Tenant, email: string): Promise<Login | undefined> {
  const row = await maybeOne<{ org_id: number; person_id: string }>(
    tenant.db,
    'SELECT org_id, person_id FROM person_logins WHERE email = $1',
    [email],
  )
  return row && { org: row.org_id, person: idFrom('psn', row.person_id) }
}

export async function findPasswordHash(tenant: Tenant, id: PersonId): Promise<string | undefined> {
  const row = await maybeOne<{ password_hash: string | null }>(
    tenant.db,
    'SELECT password_hash FROM people WHERE org_id = $1 AND id = $2 AND NOT is_blocked',
    [tenant.orgId, uuidOf(id)],
  )
  return row?.password_hash ?? undefined
}

export type NewPerson = Pick<Person, 'id' | 'email' | 'name' | 'role' | 'user' | 'createdAt'>

export async function insertPerson(tenant: Tenant, person: NewPerson): Promise<void> {
  await tenant.db.query(
    `INSERT INTO people (org_id, id, name, role, user_id, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $6)`,
    [
      tenant.orgId,
      uuidOf(person.id),
      person.name ?? null,
      person.role,
      uuidOf(person.user),
      person.createdAt,
    ],
  )
  await tenant.db.query('INSERT INTO person_logins (email, org_id, person_id) VALUES ($1, $2, $3)', [
    person.email,
    tenant.orgId,
    uuidOf(person.id),
  ])
}

/** The fields of a person that can be changed. */
export async function updatePerson(
  tenant: Tenant,
  person: Pick<Person, 'id' | 'name' | 'role' | 'isBlocked'>,
  now: Date,
): Promise<void> {
  await tenant.db.query(
    `UPDATE people SET name = $3, role = $4, is_blocked = $5, updated_at = $6 WHERE org_id = $1 AND id = $2`,
    [tenant.orgId, uuidOf(person.id), person.name ?? null, person.role, person.isBlocked, now],
  )
}

export async function updateInvitation(
  tenant: Tenant,
  id: PersonId,
  invitation: { hash: Buffer; expiresAt: Date },
  now: Date,
): Promise<void> {
  await tenant.db.query(
    `UPDATE people SET invitation_hash = $3, invitation_expires_at = $4, updated_at = $5
     WHERE org_id = $1 AND id = $2`,
    [tenant.orgId, uuidOf(id), invitation.hash, invitation.expiresAt, now],
  )
}

export async function findInvited(tenant: Tenant, hash: Buffer, now: Date): Promise<PersonId | undefined> {
  const row = await maybeOne<{ id: string }>(
    tenant.db,
    `SELECT id FROM people
     WHERE org_id = $1 AND invitation_hash = $2 AND invitation_expires_at > $3 AND NOT is_blocked`,
    [tenant.orgId, hash, now],
  )
  return row && idFrom('psn', row.id)
}

/** Uses a link up: of any number of concurrent uses, one succeeds. */
export async function updateInvited(
  tenant: Tenant,
  hash: Buffer,
  change: { passwordHash: string; name?: string },
  now: Date,
): Promise<PersonId | undefined> {
  const row = await maybeOne<{ id: string }>(
    tenant.db,
    `UPDATE people SET password_hash = $4, name = coalesce($5, name), invitation_hash = NULL,
       invitation_expires_at = NULL, updated_at = $3
     WHERE org_id = $1 AND invitation_hash = $2 AND invitation_expires_at > $3 AND NOT is_blocked
     RETURNING id`,
    [tenant.orgId, hash, now, change.passwordHash, change.name ?? null],
  )
  return row && idFrom('psn', row.id)
}

/** A new password also ends a link that was still open. */
export async function updatePassword(
  tenant: Tenant,
  id: PersonId,
  passwordHash: string,
  now: Date,
): Promise<void> {
  await tenant.db.query(
    `UPDATE people SET password_hash = $3, invitation_hash = NULL, invitation_expires_at = NULL, updated_at = $4
     WHERE org_id = $1 AND id = $2`,
    [tenant.orgId, uuidOf(id), passwordHash, now],
  )
}

export async function updateLastSeen(tenant: Tenant, id: PersonId, now: Date): Promise<void> {
  await tenant.db.query('UPDATE people SET last_seen_at = $3 WHERE org_id = $1 AND id = $2', [
    tenant.orgId,
    uuidOf(id),
    now,
  ])
}

export async function deletePerson(tenant: Tenant, id: PersonId): Promise<void> {
  const values = [tenant.orgId, uuidOf(id)]
  await execute(tenant.db, 'DELETE FROM person_sessions WHERE org_id = $1 AND person_id = $2', values)
  await execute(tenant.db, 'DELETE FROM person_logins WHERE org_id = $1 AND person_id = $2', values)
  await execute(tenant.db, 'DELETE FROM people WHERE org_id = $1 AND id = $2', values)
}
