/** Organizations for tests beside a live one: a copy of what it has set up, without its customers. */
import type { OrganizationId } from '../../domain/ids.ts'
import { modeOf, type Organization, type ShownOrganization } from '../../domain/organization.ts'
import { notFound, Refused } from '../../domain/refusal.ts'
import type { Connection } from '../../store/credentials.ts'
import { upsertDueWork } from '../../store/due-work.ts'
import { findOwnOrganization, findShownOrganization, lockOrganization } from '../../store/organizations.ts'
import { platformOrg, type Tenant } from '../../store/tenant.ts'
import {
  copyBranches,
  copyCampaigns,
  copyMessages,
  copyProducts,
  copySettings,
  deleteTestOrganization,
  insertWorkInOwnTime,
  listTestOrganizations,
} from '../../store/test-organizations.ts'
import type { Credentials } from '../auth/credentials.ts'
import { holdCaller } from '../auth/hold-caller.ts'
import type { Caller } from '../deps.ts'
import { nextReminders } from '../messages/make-reminders.ts'
import {
  createConnection,
  createIntegration,
  createOrganization,
} from '../organizations/manage-organizations.ts'
import type { Write } from '../transact.ts'

export const maxTestOrganizations = 10

/** What a test organization can get from its live one. Never customers, nor anything that is secret. */
const copies = {
  settings: copySettings,
  campaigns: copyCampaigns,
  branches: copyBranches,
  products: copyProducts,
  messages: copyMessages,
} as const

export type CopiedPart = keyof typeof copies

export const copiedParts = Object.keys(copies) as CopiedPart[]

export interface TestOrganizationInput {
  readonly name: string
  /** Everything, if left out. */
  readonly copy?: readonly CopiedPart[]
}

export interface NewTestOrganization {
  readonly organization: ShownOrganization
  readonly connection: Connection
  readonly apiKey: string
  readonly apiSecret: string
}

/** Creates it with a connection of its own. `live` is the tenant of the live organization. */
export async function createTestOrganization(
  live: Tenant,
  credentials: Credentials,
  { name, copy = copiedParts }: TestOrganizationInput,
  now: Date,
): Promise<NewTestOrganization> {
  const known = await findOwnOrganization(live)
  // Locked, so that of two requests the second counts what the first has created.
  const original = known && (await lockOrganization(live, known.id))
  if (!original) throw notFound('organization_not_found')
  refuseTest(original)
  if ((await listTestOrganizations(live)).length >= maxTestOrganizations) {
    throw new Refused('too_many_test_organizations')
  }
  const platform = live.as(platformOrg)
  const { country, currency, timezone, locale } = original
  const input = { name, country, currency, timezone, locale, testOf: live.orgId }
  const created = await createOrganization(platform, input, now)
  const own = live.as(created.orgId)
  await insertWorkInOwnTime(own)
  for (const part of copiedParts) if (copy.includes(part)) await copies[part](live, own)
  if (copy.includes('messages')) await upsertDueWork(own, [nextReminders(now, timezone)], now)
  const integration = await createIntegration(platform, credentials, name, now)
  const { apiSecret, ...connection } = await createConnection(
    platform,
    credentials,
    { organization: created.id, integration: integration.id, scopes: ['pos', 'manage'] },
    now,
  )
  const organization = await findShownOrganization(own, created)
  return { organization, connection, apiKey: integration.apiKey, apiSecret }
}

/** For a merchant, who is checked once more, since the response contains credentials. */
export async function addTestOrganization(
  live: Tenant,
  credentials: Credentials,
  caller: Caller,
  input: TestOrganizationInput,
  now: Date,
): Promise<NewTestOrganization> {
  refuseTest(caller.organization)
  await holdCaller(live, caller, now)
  return createTestOrganization(live, credentials, input, now)
}

export async function getTestOrganizations(
  live: Tenant,
  organization: Organization,
): Promise<Organization[]> {
  refuseTest(organization)
  return listTestOrganizations(live)
}

/** Deletes it with everything in it, forever. */
export function removeTestOrganization(
  organization: Organization,
  id: OrganizationId | undefined,
): Write<Record<never, never>, Organization> {
  return {
    async work(live) {
      refuseTest(organization)
      const found = (await listTestOrganizations(live)).find((test) => test.id === id)
      if (!found) throw notFound('test_organization_not_found')
      return found
    },
    // Both with the rights of the owner: on a cluster, two roles cannot change the same part in one transaction.
    async record(live, { orgId }, entry) {
      if (!(await deleteTestOrganization(live, orgId, entry))) throw notFound('test_organization_not_found')
    },
  }
}

function refuseTest(organization: Organization): void {
  if (modeOf(organization) === 'test') throw new Refused('live_organization_required')
}
