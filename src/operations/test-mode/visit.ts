/**
 * Working in a test organization without another password: the session of a person stays in the live organization, and
 * notes which test organization it visits. Role, block and sign-out are those of the live one, and count at once.
 */
import type { OrganizationId } from '../../domain/ids.ts'
import { mainBranch } from '../../domain/organization.ts'
import { notFound, Refused } from '../../domain/refusal.ts'
import { findBranchByOpaqueId, insertDirectoryEntry } from '../../store/directory.ts'
import { newId } from '../../store/new-id.ts'
import { findOwnOrganization } from '../../store/organizations.ts'
import { type PersonSession, updateVisits } from '../../store/person-sessions.ts'
import { listUsers } from '../../store/setup.ts'
import { inTransaction, type Tenant, tenantOf } from '../../store/tenant.ts'
import { listTestOrganizations } from '../../store/test-organizations.ts'
import type { Deps } from '../deps.ts'

const mayVisit = ({ person: { role } }: PersonSession) => role !== 'cashier'

/** The session as it is in the organization that it visits, if it still can. */
export async function enterVisited(
  { pool }: Pick<Deps, 'pool'>,
  session: PersonSession,
): Promise<PersonSession> {
  if (session.visits === undefined || !mayVisit(session)) return session
  const tenant = tenantOf(pool, session.visits)
  const organization = await findOwnOrganization(tenant)
  if (!organization || organization.testOf !== session.homeOrg) return session
  const user = await findVisitor(tenant, session)
  const branch = await findBranchByOpaqueId(tenant, mainBranch)
  return user && branch ? { ...session, organization, user: user.id, branch } : session
}

/** The user that what the person does there is recorded under. */
const findVisitor = async (tenant: Tenant, { person }: PersonSession) =>
  (await listUsers(tenant, [], [person.id]))[0]

/** Goes to a test organization, or back. */
export async function visit(
  deps: Deps,
  session: PersonSession,
  id: OrganizationId | undefined,
): Promise<PersonSession> {
  const home = tenantOf(deps.pool, session.homeOrg)
  const isBack = (await findOwnOrganization(home))?.id === id
  if (!isBack && !mayVisit(session)) {
    throw new Refused('_forbidden', 'Only owners and managers can work in test organizations.')
  }
  const test = isBack ? undefined : (await listTestOrganizations(home)).find((each) => each.id === id)
  if (!isBack && !test) throw notFound('test_organization_not_found')
  if (test) await addVisitor(deps, test.orgId, session)
  await inTransaction(deps.pool, session.homeOrg, (tenant) => updateVisits(tenant, session.hash, test?.orgId))
  return { ...session, visits: test?.orgId }
}

async function addVisitor({ pool, clock }: Deps, org: number, session: PersonSession): Promise<void> {
  const { person } = session
  await inTransaction(pool, org, async (tenant) => {
    if (await findVisitor(tenant, session)) return
    const now = clock()
    const branch = await findBranchByOpaqueId(tenant, mainBranch)
    const user = { id: newId('usr', now), opaqueId: person.id, name: person.name ?? person.email, branch }
    await insertDirectoryEntry(tenant, 'users', { ...user, createdAt: now })
  })
}
