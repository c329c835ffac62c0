/**
 * The demo: in an empty database, a café with a published campaign, a connection that may do everything, and three
 * people who sign in with one password. Its credentials are kept under the data folder, since the database holds
 * only their hashes. What happened in it since it opened is made in `demo/`.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadOrCreateSecrets, updateSecrets } from './app/secrets-file.ts'
import { openWithin } from './call-within.ts'
import { coffeeClub, looks } from './demo/cafe.ts'
import { closeStory, type Filling, fillCafe, furnishCafe, howFull, openingDay } from './demo/fill-cafe.ts'
import { noteOpening } from './demo/note-opening.ts'
import type { CampaignId, OrganizationId } from './domain/ids.ts'
import type { Organization } from './domain/organization.ts'
import { createCampaign, publishCampaign } from './operations/campaigns/manage-campaigns.ts'
import { setDemoPeople } from './operations/demo-people.ts'
import type { Deps } from './operations/deps.ts'
import {
  createConnection,
  createIntegration,
  createOrganization,
  patchOrganization,
} from './operations/organizations/manage-organizations.ts'
import { listCampaigns } from './store/campaigns.ts'
import { findConnectionByCredentials } from './store/credentials.ts'
import {
  findDemoOrganization,
  findOrganization,
  hasOrganizations,
  lockOrganizations,
} from './store/organizations.ts'
import { inTransaction, platformOrg, platformTenant, type Tenant } from './store/tenant.ts'

export interface Demo {
  readonly apiKey: string
  readonly apiSecret: string
  readonly organizationId: OrganizationId
  readonly campaignId: CampaignId
  readonly consoleEmail: string
  /** Of all people of the demo. */
  readonly consolePassword: string
}

export interface DemoOptions extends Filling {
  readonly dataDir: string
  /** How long ago a new café opened; with 0 it is bare, and stays so. */
  readonly days: number
  /** The same service on connections that do not wait for the disk. */
  openHasty(): Deps
}

export interface OpenDemo {
  readonly demo: Demo
  /** When the café opened, if it has a past. */
  readonly since?: Date
}

/**
 * The demo of this database: the one there is, a new one in an empty database, none among real merchants. One that
 * was left half filled is filled to the end.
 */
export async function openDemo(deps: Deps, options: DemoOptions): Promise<OpenDemo | undefined> {
  const demo = await prepareDemo(deps, options)
  if (!demo) return undefined
  const tenant = platformTenant(deps.pool)
  const organization = (await findOrganization(tenant, demo.organizationId))!
  const state = await howFull(tenant.as(organization.orgId))
  if (state === 'bare') return { demo }
  if (state === 'half') await fillToTheEnd(deps, organization, demo, options)
  return { demo, since: organization.createdAt }
}

async function fillToTheEnd(
  deps: Deps,
  organization: Organization,
  { apiKey, apiSecret, campaignId }: Demo,
  { openHasty, ...filling }: DemoOptions,
): Promise<void> {
  const hasty = openHasty()
  try {
    const { send, close } = await openWithin(hasty)
    await fillCafe(hasty, organization, campaignId, { send, apiKey, apiSecret }, filling).finally(close)
  } finally {
    await hasty.pool.end()
  }
  // Waits for the disk, and with it for everything before.
  await closeStory(deps, organization)
}

async function prepareDemo(real: Deps, { dataDir, days }: DemoOptions): Promise<Demo | undefined> {
  const stored = (await loadOrCreateSecrets(dataDir)).demo as Partial<Demo> | undefined
  return inTransaction(real.pool, platformOrg, async (tenant) => {
    await lockOrganizations(tenant)
    const organization = await findDemoOrganization(tenant)
    if (!organization && (await hasOrganizations(tenant))) return undefined
    const deps = organization || days === 0 ? real : openedBefore(real, days)
    const demo = organization
      ? await reuseDemo(deps, tenant, organization, stored)
      : await createDemo(deps, tenant, days > 0)
    const people = await prepareDemoPeople(deps, tenant, demo.organizationId, stored?.consolePassword)
    if (!organization) {
      const made = (await findDemoOrganization(tenant))!
      await noteOpening(tenant.as(made.orgId), made, demo.campaignId, deps.clock())
    }
    const whole = { ...demo, ...people }
    await updateSecrets(dataDir, { demo: whole })
    return whole
  })
}

const timezone = 'America/New_York'

/** Everything that a café of some days begins with is as old as it. */
function openedBefore(deps: Deps, days: number): Deps {
  const openedAt = openingDay(deps.clock(), days, timezone)
  return { ...deps, clock: () => openedAt }
}

type Till = Omit<Demo, 'consoleEmail' | 'consolePassword'>

async function createDemo(deps: Deps, tenant: Tenant, isFurnished: boolean): Promise<Till> {
  const now = deps.clock()
  const organization = await createOrganization(
    tenant,
    { name: 'Demo Café', country: 'US', currency: 'USD', timezone, isDemo: true },
    now,
  )
  await patchOrganization(tenant, organization.id, looks, now)
  const own = tenant.as(organization.orgId)
  if (isFurnished) await furnishCafe(own, now)
  const campaignId = await publishDemoCampaign(deps, own, organization)
  return { ...(await connect(deps, tenant, organization.id)), organizationId: organization.id, campaignId }
}

async function publishDemoCampaign(deps: Deps, own: Tenant, organization: Organization): Promise<CampaignId> {
  const now = deps.clock()
  const { id } = await createCampaign(own, organization, coffeeClub, now)
  await publishCampaign(own, organization, id, now)
  return id
}

/** The campaign named last time, or another one that a script written for the demo can work with. */
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

/** With the credentials on file when they still count, else with new ones: the old cannot be read back. */
async function reuseDemo(
  deps: Deps,
  tenant: Tenant,
  organization: Organization,
  stored: Partial<Demo> | undefined,
): Promise<Till> {
  const own = tenant.as(organization.orgId)
  const organizationId = organization.id
  const campaignId =
    (await findDemoCampaign(own, stored?.campaignId)) ?? (await publishDemoCampaign(deps, own, organization))
  if (stored?.apiKey && stored.apiSecret) {
    const { apiKey, apiSecret } = stored
    const hash = deps.credentials.hash
    const known = await findConnectionByCredentials(tenant, hash(apiKey), hash(apiSecret), deps.clock())
    if (known?.organization === organizationId) return { apiKey, apiSecret, organizationId, campaignId }
  }
  return { ...(await connect(deps, tenant, organizationId)), organizationId, campaignId }
}

async function connect(deps: Deps, tenant: Tenant, organization: OrganizationId) {
  const now = deps.clock()
  const integration = await createIntegration(tenant, deps.credentials, 'Demo till', now)
  const { apiSecret } = await createConnection(
    tenant,
    deps.credentials,
    { organization, integration: integration.id, scopes: ['pos', 'manage'] },
    now,
  )
  return { apiKey: integration.apiKey, apiSecret }
}

const consoleEmail = 'owner@demo.example'
const demoPeople = [
  { email: consoleEmail, name: 'Olivia Owner', role: 'owner' },
  { email: 'manager@demo.example', name: 'Max Manager', role: 'manager' },
  { email: 'cashier@demo.example', name: 'Casey Cashier', role: 'cashier' },
] as const

/** Who is missing is added, and the password on file is the one that counts, whatever was set meanwhile. */
async function prepareDemoPeople(deps: Deps, tenant: Tenant, organization: OrganizationId, stored?: string) {
  const consolePassword = stored ?? randomBytes(15).toString('base64url')
  const { orgId } = (await findOrganization(tenant, organization))!
  await setDemoPeople(deps, tenant.as(orgId), demoPeople, consolePassword)
  return { consoleEmail, consolePassword }
}

const fileIn = (dataDir: string) => join(dataDir, 'demo.json')

export async function removeDemoFile(dataDir: string): Promise<void> {
  await rm(fileIn(dataDir), { force: true })
}

/** Put in place whole: whoever waits for the file never reads half of it. */
export async function writeDemoFile(dataDir: string, content: object): Promise<void> {
  await mkdir(dataDir, { recursive: true })
  const temporary = `${fileIn(dataDir)}.${process.pid}`
  await writeFile(temporary, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 })
  await rename(temporary, fileIn(dataDir))
}
