/**
 * Tasks of the platform operator: organizations, integrations, connections, and the rotation of credentials.
 */

import { isDeepStrictEqual } from 'node:util'
import type { IntegrationId, OrganizationId, UserId } from '../../domain/ids.ts'
import { mainBranch, type ScopeName, type ShownOrganization } from '../../domain/organization.ts'
import { isCountry } from '../../domain/phone.ts'
import { notFound, Refused } from '../../domain/refusal.ts'
import {
  type Connection,
  countActiveConnections,
  findIntegration,
  type Integration,
  insertConnection,
  insertConnectionSecret,
  insertIntegration,
  insertIntegrationKey,
  lockIntegrationKeys,
  updateKeysExpiry,
} from '../../store/credentials.ts'
import { findBranchByOpaqueId, insertDirectoryEntry } from '../../store/directory.ts'
import { upsertDueWork } from '../../store/due-work.ts'
import { insertEvents } from '../../store/events.ts'
import { newId } from '../../store/new-id.ts'
import {
  findOrganization,
  insertOrganization,
  lockOrganization,
  type OrganizationPatch,
  updateOrganization,
} from '../../store/organizations.ts'
import { updateSetupVersions } from '../../store/setup.ts'
import type { Tenant } from '../../store/tenant.ts'
import { type Actor, byOf } from '../actor.ts'
import type { Credentials } from '../auth/credentials.ts'
import { nextLook } from '../events/delete-old-events.ts'
import { ownTimeOf } from './time-of.ts'

export interface OrganizationInput {
  readonly name: string
  readonly country?: string
  readonly currency?: string
  readonly timezone?: string
  readonly locale?: string
  readonly isDemo?: boolean
  /** The live organization that a test organization belongs to. */
  readonly testOf?: number
}

export async function createOrganization(
  tenant: Tenant,
  input: OrganizationInput,
  now: Date,
): Promise<ShownOrganization> {
  checkRegion(input)
  const organization = await insertOrganization(tenant, {
    id: newId('org', now),
    name: input.name,
    country: input.country ?? 'US',
    currency: input.currency ?? 'USD',
    timezone: input.timezone ?? 'UTC',
    locale: input.locale ?? 'en',
    isDemo: input.isDemo ?? false,
    testOf: input.testOf,
    createdAt: now,
  })
  const own = tenant.as(organization.orgId)
  await insertDirectoryEntry(own, 'branches', {
    id: newId('brn', now),
    opaqueId: mainBranch,
    name: 'Main',
    createdAt: now,
  })
  await upsertDueWork(own, [nextLook(now)], now)
  return organization
}

/** Refuses values that the runtime does not know; otherwise a wrong time zone would fail at the till. */
function checkRegion(input: OrganizationPatch & { currency?: string }): void {
  const { country, currency, timezone, locale } = input
  if (country !== undefined && !isCountry(country)) {
    throw new Refused('_invalid_payload', `country: "${country}" is not an ISO 3166-1 country code.`)
  }
  if (currency !== undefined && !Intl.supportedValuesOf('currency').includes(currency)) {
    throw new Refused('_invalid_payload', `currency: "${currency}" is not an ISO 4217 currency code.`)
  }
  if (timezone !== undefined && !isKnown(() => new Intl.DateTimeFormat('en', { timeZone: timezone }))) {
    throw new Refused('_invalid_payload', `timezone: "${timezone}" is not an IANA time zone.`)
  }
  if (locale !== undefined && !isKnown(() => Intl.getCanonicalLocales(locale))) {
    throw new Refused('_invalid_payload', `locale: "${locale}" is not a BCP 47 language tag.`)
  }
}

function isKnown(attempt: () => unknown): boolean {
  try {
    attempt()
    return true
  } catch {
    return false
  }
}

/** Where the API has another name. */
const apiNames: Partial<Record<keyof OrganizationPatch, string>> = { isSubscribed: 'subscription' }

export async function patchOrganization(
  tenant: Tenant,
  id: OrganizationId | undefined,
  patch: OrganizationPatch,
  by: Actor,
  now: Date,
): Promise<ShownOrganization> {
  checkRegion(patch)
  const before = id && (await lockOrganization(tenant, id))
  const organization = before && (await updateOrganization(tenant, before.id, patch, now))
  if (!organization) throw notFound('organization_not_found')
  // The ends of days, and so of periods without a visit, may be earlier now.
  if (patch.timezone !== undefined) {
    const at = ownTimeOf(now, organization)
    await upsertDueWork(tenant.as(organization.orgId), [{ kind: 'inactivity', at }], at)
  }
  const fields = Object.keys(patch) as (keyof OrganizationPatch)[]
  const changed = fields.filter((field) => !isDeepStrictEqual(before[field], organization[field]))
  if (changed.length > 0) {
    const data = { changed: changed.map((field) => apiNames[field] ?? field), by: byOf(by) }
    const facts = [{ type: 'organization.changed', data }] as const
    await insertEvents(tenant.as(organization.orgId), facts, ownTimeOf(now, organization))
  }
  return organization
}

export async function createIntegration(
  tenant: Tenant,
  credentials: Credentials,
  name: string,
  now: Date,
): Promise<Integration & { apiKey: string }> {
  const integration = { id: newId('int', now), name, createdAt: now }
  const apiKey = credentials.create('lwk')
  await insertIntegration(tenant, integration)
  await insertKey(tenant, credentials, integration.id, apiKey, now)
  return { ...integration, apiKey }
}

const insertKey = (
  tenant: Tenant,
  credentials: Credentials,
  integration: IntegrationId,
  apiKey: string,
  now: Date,
) => insertIntegrationKey(tenant, integration, { id: newId('key', now), hash: credentials.hash(apiKey) }, now)

/** Maximum of active connections per organization; revoked ones do not count. */
export const maxConnections = 100

export async function createConnection(
  tenant: Tenant,
  credentials: Credentials,
  input: {
    organization: OrganizationId | undefined
    integration: IntegrationId | undefined
    scopes?: readonly ScopeName[]
    /** The user that the secret is shown to. */
    issuedTo?: UserId
  },
  now: Date,
): Promise<Connection & { apiSecret: string }> {
  const organization = input.organization && (await findOrganization(tenant, input.organization))
  if (!organization) throw notFound('organization_not_found')
  const integration = input.integration && (await findIntegration(tenant, input.integration))
  if (!integration) throw new Refused('integration_not_found')
  await lockIntegrationKeys(tenant, integration.id, 'SHARE')
  const own = tenant.as(organization.orgId)
  const id = newId('con', now)
  const user = newId('usr', now)
  const branch = await findBranchByOpaqueId(own, mainBranch)
  const connection = {
    id,
    integration: integration.id,
    organization: organization.id,
    org: organization.orgId,
    user,
    scopes: input.scopes ?? (['pos'] as const),
    createdAt: now,
  }
  const apiSecret = credentials.create('lws')
  await insertDirectoryEntry(own, 'users', {
    id: user,
    opaqueId: id,
    name: integration.name,
    branch,
    createdAt: now,
  })
  await insertConnection(own, connection)
  const secret = { id: newId('sec', now), hash: credentials.hash(apiSecret), issuedTo: input.issuedTo }
  await insertConnectionSecret(own, id, secret, now)
  // Checked last: inserting the user locks the organization's setup version, so of two concurrent inserts the
  // second sees the first.
  if ((await countActiveConnections(own)) > maxConnections) throw new Refused('too_many_connections')
  return { ...connection, apiSecret }
}

/** Tokens opened with the old key end with it, in every organization that is connected. */
export async function rotateIntegrationKey(
  tenant: Tenant,
  credentials: Credentials,
  id: IntegrationId | undefined,
  overlapSeconds: number,
  now: Date,
): Promise<Integration & { apiKey: string }> {
  const integration = id && (await findIntegration(tenant, id))
  if (!integration) throw notFound('integration_not_found')
  await lockIntegrationKeys(tenant, integration.id, 'UPDATE')
  const apiKey = credentials.create('lwk')
  const endsAt = new Date(now.getTime() + overlapSeconds * 1000)
  await updateKeysExpiry(tenant, integration.id, { endsAt, now })
  await insertKey(tenant, credentials, integration.id, apiKey, now)
  await updateSetupVersions(tenant, integration.id)
  return { ...integration, apiKey }
}
