/**
 * Sessions of people, by the hash of their cookie. A session is read with everything a request needs to know:
 * its person, and the organization as it is now.
 */
import type { BranchId, PersonId, UserId } from '../domain/ids.ts'
import { mainBranch, type Organization } from '../domain/organization.ts'
import type { Role } from '../domain/person.ts'
import { type OrganizationRow, organizationColumns, toOrganization } from './organizations.ts'
import { execute, idFrom, maybeOne, type PreparedStatement, prepared, type Tenant, uuidOf } from './tenant.ts'

export interface PersonSession {
  readonly hash: Buffer
  /** The one that the person works in: their own, or the test organization that they visit. */
  readonly organization: Organization
  /** The organization that the person and the session belong to. */
  readonly homeOrg: number
  readonly visits?: number
  readonly person: {
    readonly id: PersonId
    readonly email: string
    readonly name?: string
    readonly role: Role
  }
  readonly user: UserId
  readonly branch: BranchId
  readonly createdAt: Date
}

interface SessionRow extends OrganizationRow {
  person_id: string
  person_email: string
  person_name: string | null
  person_role: Role
  person_user: string
  person_branch: string
  session_created_at: Date
  session_visits: number | null
}

/** One statement, and so one round trip; it writes only when the last recorded use is old enough. */
const readSession: PreparedStatement = {
  name: 'person-session',
  text: `WITH touched AS (
      UPDATE person_sessions SET last_used_at = $3
      WHERE org_id = $1 AND hash = $2 AND created_at > $4 AND last_used_at > $5 AND last_used_at < $6)
    SELECT ${organizationColumns}, p.id AS person_id, l.email AS person_email, p.name AS person_name, p.role AS person_role,
      p.user_id AS person_user, coalesce(u.branch_id, b.id) AS person_branch, s.created_at AS session_created_at,
      s.visits AS session_visits
    FROM person_sessions s
    JOIN organizations o ON o.org_id = s.org_id
    JOIN people p ON p.org_id = s.org_id AND p.id = s.person_id
    JOIN person_logins l ON l.org_id = s.org_id AND l.person_id = s.person_id
    JOIN users u ON u.org_id = p.org_id AND u.id = p.user_id
    JOIN branches b ON b.org_id = p.org_id AND b.opaque_id = '${mainBranch}'
    WHERE s.org_id = $1 AND s.hash = $2 AND s.created_at > $4 AND s.last_used_at > $5 AND NOT p.is_blocked`,
}

export interface SessionTimes {
  readonly now: Date
  /** Sessions opened before this have ended. */
  readonly openedAfter: Date
  /** Sessions last used before this have ended too. */
  readonly usedAfter: Date
  /** The use is recorded if the last recorded one is before this. */
  readonly notedBefore: Date
}

export async function findPersonSession(
  tenant: Tenant,
  hash: Buffer,
  { now, openedAfter, usedAfter, notedBefore }: SessionTimes,
): Promise<PersonSession | undefined> {
  const values = [tenant.orgId, hash, now, openedAfter, usedAfter, notedBefore]
  const [row] = await prepared<SessionRow>(tenant.db, readSession, values)
  return (
    row && {
      hash,
      organization: toOrganization(row),
      homeOrg: tenant.orgId,
      visits: row.session_visits ?? undefined,
      person: {
        id: idFrom('psn', row.person_id),
        email: row.person_email,
        name: row.person_name ?? undefined,
        role: row.person_role,
      },
      user: idFrom('usr', row.person_user),
      branch: idFrom('brn', row.person_branch),
      createdAt: row.session_created_at,
    }
  )
}

export async function insertPersonSession(
  tenant: Tenant,
  session: { hash: Buffer; person: PersonId; now: Date },
): Promise<void> {
  await tenant.db.query(
    `INSERT INTO person_sessions (org_id, hash, person_id, created_at, last_used_at) VALUES ($1, $2, $3, $4, $4)`,
    [tenant.orgId, session.hash, uuidOf(session.person), session.now],
  )
}

/**
 * Keeps only the newest few sessions of a person: no one has more browsers, and forgotten sessions must end
 * at some point.
 */
export async function deleteOldPersonSessions(
  tenant: Tenant,
  person: PersonId,
  keep: number,
): Promise<number> {
  return execute(
    tenant.db,
    `DELETE FROM person_sessions WHERE org_id = $1 AND hash IN (
       SELECT hash FROM person_sessions WHERE org_id = $1 AND person_id = $2
       ORDER BY last_used_at DESC, hash OFFSET $3)`,
    [tenant.orgId, uuidOf(person), keep],
  )
}

export async function updateVisits(tenant: Tenant, hash: Buffer, visits: number | undefined): Promise<void> {
  await execute(tenant.db, 'UPDATE person_sessions SET visits = $3 WHERE org_id = $1 AND hash = $2', [
    tenant.orgId,
    hash,
    visits ?? null,
  ])
}

/** The person a session belongs to, even if it has ended. */
export async function findPersonOfSession(tenant: Tenant, hash: Buffer): Promise<PersonId | undefined> {
  const row = await maybeOne<{ person_id: string }>(
    tenant.db,
    'SELECT person_id FROM person_sessions WHERE org_id = $1 AND hash = $2',
    [tenant.orgId, hash],
  )
  return row && idFrom('psn', row.person_id)
}

/** Ends one session of a person, all, or all but one. The time the person was last seen is kept. */
export async function deletePersonSessions(
  tenant: Tenant,
  person: PersonId,
  which: { only?: Buffer; but?: Buffer } = {},
): Promise<void> {
  const id = uuidOf(person)
  await execute(
    tenant.db,
    `UPDATE people SET last_seen_at = greatest(last_seen_at, (
       SELECT max(last_used_at) FROM person_sessions WHERE org_id = $1 AND person_id = $2))
     WHERE org_id = $1 AND id = $2`,
    [tenant.orgId, id],
  )
  await execute(
    tenant.db,
    `DELETE FROM person_sessions WHERE org_id = $1 AND person_id = $2
       AND ($3::bytea IS NULL OR hash = $3) AND ($4::bytea IS NULL OR hash <> $4)`,
    [tenant.orgId, id, which.only ?? null, which.but ?? null],
  )
}
