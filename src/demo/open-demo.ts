/**
 * The demo: in an empty database, a café with a published campaign, a connection with all scopes, three
 * people who sign in with one password, and its history since it opened. Its credentials are stored in the
 * data folder, since the database contains only their hashes.
 */

import { randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import { loadOrCreateSecrets, updateSecrets } from '../app/secrets-file.ts'
import type { CampaignId, OrganizationId } from '../domain/ids.ts'
import type { Organization } from '../domain/organization.ts'
import { actorOf } from '../operations/actor.ts'
import { createCampaign, publishCampaign } from '../operations/campaigns/manage-campaigns.ts'
import type { Deps } from '../operations/deps.ts'
import {
  createConnection,
  createIntegration,
  createOrganization,
  patchOrganization,
} from '../operations/organizations/manage-organizations.ts'
import { listCampaigns } from '../store/campaigns.ts'
import { findConnectionByCredentials, findIntegrationByKey } from '../store/credentials.ts'
import { deleteDemoOrganization } from '../store/delete-demo-organization.ts'
import {
  findDemoOrganization,
  findOrganization,
  hasOrganizations,
  lockDemo,
  lockOrganizations,
} from '../store/organizations.ts'
import { inTransaction, platformOrg, platformTenant, type Tenant } from '../store/tenant.ts'
import { coffeeClub, looks } from './cafe.ts'
import { consoleEmail, setDemoPeople } from './demo-people.ts'
import { type Filling, fillCafe, fillState, furnishCafe, markComplete, openingDay } from './fill-cafe.ts'
import { createInProcessClient } from './in-process-client.ts'
import { noteOpening } from './note-opening.ts'

export interface Demo {
  readonly apiKey: string
  readonly apiSecret: string
  readonly organizationId: OrganizationId
  readonly campaignId: CampaignId
  readonly consoleEmail: string
  /** Password of all people of the demo. */
  readonly consolePassword: string
}

export interface DemoOptions extends Filling {
  readonly dataDir: string
  /** How many days ago a new café opened; with 0 it is empty, and stays so. */
  readonly days: number
  /** The same dependencies on connections with asynchronous commit. */
  openAsyncCommitDeps(): Deps
  /** A pool of the table owner, without timeouts. */
  openOwnerPool(): Pool
  /** Replaces the present demo by a new one; without one, nothing happens. */
  readonly isReset?: boolean
}

export interface OpenDemo {
  readonly demo: Demo
  /** When the café opened, if it has a history. */
  readonly since?: Date
}

/**
 * The demo of this database: the existing one, a new one in an empty database, none among real merchants. A
 * partially filled one is dropped first. Processes that start concurrently take turns, so that none drops
 * what another is filling.
 */
export async function openDemo(deps: Deps, options: DemoOptions): Promise<OpenDemo | undefined> {
  const ownerPool = options.openOwnerPool()
  const open = async (tenant: Tenant) => {
    await lockDemo(tenant, () => deps.log.info({}, 'waiting for another process to fill the demo'))
    options.signal?.throwIfAborted()
    const isDropped = await dropDemo(ownerPool, options.isReset ? 'any' : 'partial')
    return options.isReset && !isDropped ? undefined : openWhole(deps, options)
  }
  try {
    // Not retried after an error: what was done so far is a partial demo, which the next start drops.
    return await inTransaction(ownerPool, platformOrg, open, { maxAttempts: 1 })
  } finally {
    await ownerPool.end()
  }
}

/** Runs as the table owner: the service's role is not allowed to delete ledger entries and transactions. */
async function dropDemo(ownerPool: Pool, which: 'any' | 'partial'): Promise<boolean> {
  return inTransaction(ownerPool, platformOrg, async (tenant) => {
    const organization = await findDemoOrganization(tenant)
    if (!organization) return false
    const own = tenant.as(organization.orgId)
    const isMeant = which === 'any' || (await fillState(own, organization)) === 'partial'
    if (isMeant) await deleteDemoOrganization(own)
    return isMeant
  })
}

async function openWhole(deps: Deps, options: DemoOptions): Promise<OpenDemo | undefined> {
  const demo = await prepareDemo(deps, options)
  if (!demo) return undefined
  const tenant = platformTenant(deps.pool)
  const organization = (await findOrganization(tenant, demo.organizationId))!
  const state = await fillState(tenant.as(organization.orgId), organization)
  if (state === 'empty') return { demo }
  if (state === 'partial') await fill(deps, organization, demo, options)
  return { demo, since: organization.createdAt }
}

async function fill(
  deps: Deps,
  organization: Organization,
  { apiKey, apiSecret, campaignId }: Demo,
  { openAsyncCommitDeps, ...filling }: DemoOptions,
): Promise<void> {
  const fast = openAsyncCommitDeps()
  try {
    const { send, close } = await createInProcessClient(fast)
    await fillCafe(fast, organization, campaignId, { send, apiKey, apiSecret }, filling).finally(close)
  } finally {
    await fast.pool.end()
  }
  await markComplete(deps, organization)
}

async function prepareDemo(real: Deps, { dataDir, days, isReset }: DemoOptions): Promise<Demo | undefined> {
  const stored = (await loadOrCreateSecrets(dataDir)).demo as Partial<Demo> | undefined
  const consolePassword = stored?.consolePassword ?? randomBytes(15).toString('base64url')
  return inTransaction(real.pool, platformOrg, async (tenant) => {
    await lockOrganizations(tenant)
    const found = await findDemoOrganization(tenant)
    if (!found && !isReset && (await hasOrganizations(tenant))) return undefined
    const deps = found || days === 0 ? real : openedBefore(real, days)
    const organization = found ?? (await createCafe(deps, tenant, days > 0))
    const own = tenant.as(organization.orgId)
    const campaignId =
      (await findDemoCampaign(own, stored?.campaignId)) ??
      (await publishDemoCampaign(deps, own, organization))
    const credentials = await findOrCreateCredentials(deps, tenant, organization.id, stored)
    await setDemoPeople(deps, own, consolePassword)
    if (!found) await noteOpening(own, organization, campaignId, deps.clock())
    const demo = {
      ...credentials,
      organizationId: organization.id,
      campaignId,
      consoleEmail,
      consolePassword,
    }
    await updateSecrets(dataDir, { demo })
    return demo
  })
}

const timezone = 'America/New_York'

/** Everything that a café starts with is as old as the café. */
function openedBefore(deps: Deps, days: number): Deps {
  const openedAt = openingDay(deps.clock(), days, timezone)
  return { ...deps, clock: () => openedAt }
}

async function createCafe(deps: Deps, tenant: Tenant, isFurnished: boolean): Promise<Organization> {
  const now = deps.clock()
  const region = { country: 'US', currency: 'USD', timezone }
  const { id, orgId } = await createOrganization(tenant, { name: 'Demo Café', ...region, isDemo: true }, now)
  if (isFurnished) await furnishCafe(tenant.as(orgId), now)
  return patchOrganization(tenant, id, looks, actorOf(undefined), now)
}

async function publishDemoCampaign(deps: Deps, own: Tenant, organization: Organization): Promise<CampaignId> {
  const now = deps.clock()
  const { id } = await createCampaign(own, organization, coffeeClub, now)
  await publishCampaign(own, organization, id, now)
  return id
}

/** The campaign of the previous start, or another one that works for scripts written for the demo. */
async function findDemoCampaign(
  own: Tenant,
  stored: CampaignId | undefined,
): Promise<CampaignId | undefined> {
  const published = await listCampaigns(own, { limit: 100, status: 'published' })
  const fitting = published.filter(({ draft }) => {
    const keys = (draft.balances as { key: string }[]).map(({ key }) => key)
    return keys.includes('points') && keys.includes('stamps')
  })
  return (fitting.find(({ id }) => id === stored) ?? fitting.at(-1))?.id
}

/** The stored credentials as far as they are still valid, or else new ones: hashes cannot be reversed. */
async function findOrCreateCredentials(
  deps: Deps,
  tenant: Tenant,
  organization: OrganizationId,
  { apiKey, apiSecret }: Partial<Demo> = {},
): Promise<Pick<Demo, 'apiKey' | 'apiSecret'>> {
  const { hash } = deps.credentials
  const now = deps.clock()
  if (apiKey && apiSecret) {
    const known = await findConnectionByCredentials(tenant, hash(apiKey), hash(apiSecret), now)
    if (known?.organization === organization) return { apiKey, apiSecret }
  }
  const known = apiKey && (await findIntegrationByKey(tenant, hash(apiKey), now))
  const integration = known
    ? { ...known, apiKey }
    : await createIntegration(tenant, deps.credentials, 'Demo till', now)
  const connection = await createConnection(
    tenant,
    deps.credentials,
    { organization, integration: integration.id, scopes: ['pos', 'manage'] },
    now,
  )
  return { apiKey: integration.apiKey, apiSecret: connection.apiSecret }
}
