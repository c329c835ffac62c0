/**
 * The demo: in an empty database, a café with a published campaign and a connection that may do everything.
 * Its credentials are kept under the data folder, since the database holds only their hashes.
 */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CampaignId, OrganizationId } from './domain/ids.ts'
import type { Deps } from './operations/deps.ts'
import { createCampaign, publishCampaign } from './operations/manage-campaigns.ts'
import { createConnection, createIntegration, createOrganization } from './operations/manage-organizations.ts'
import { loadOrCreateSecrets, updateSecrets } from './secrets-file.ts'
import { listCampaigns } from './store/campaigns.ts'
import { findConnectionByCredentials } from './store/credentials.ts'
import { findDemoOrganization, hasOrganizations, lockOrganizations } from './store/organizations.ts'
import { inTransaction, platformOrg, type Scope } from './store/scope.ts'

export interface Demo {
  readonly apiKey: string
  readonly apiSecret: string
  readonly organizationId: OrganizationId
  readonly campaignId: CampaignId
}

const demoCampaign = {
  name: 'Coffee club',
  balances: [
    { key: 'points', name: 'Points' },
    { key: 'stamps', name: 'Stamps' },
  ],
  rules: [
    { id: 'base', kind: 'points_per_amount', balance: 'points', points: 10, per: 1 },
    {
      id: 'coffee',
      kind: 'collect_per_item',
      balance: 'stamps',
      amount: 1,
      products: ['espresso', 'latte', 'flat-white', 'cappuccino'],
    },
  ],
  rewards: [
    {
      key: 'free-coffee',
      name: 'Free coffee',
      kind: 'free_product',
      products: ['espresso', 'latte', 'flat-white', 'cappuccino'],
      validDays: 30,
    },
    { key: 'five-off', name: '5 off', kind: 'amount_off', amount: 5, validDays: 90 },
  ],
  thresholds: [
    { balance: 'stamps', at: 10, grant: 'free-coffee', consume: true },
    { balance: 'points', at: 1000, grant: 'five-off' },
  ],
  spend: { balance: 'points', worth: 0.01, min: 100, maxShare: 0.5 },
}

/** The demo of this database: the one there is, a new one in an empty database, none among real merchants. */
export async function prepareDemo(deps: Deps, dataDir: string): Promise<Demo | undefined> {
  const stored = (await loadOrCreateSecrets(dataDir)).demo as Partial<Demo> | undefined
  return inTransaction(deps.pool, platformOrg, async (scope) => {
    await lockOrganizations(scope.db)
    const organization = await findDemoOrganization(scope.db)
    if (!organization && (await hasOrganizations(scope.db))) return undefined
    const demo = organization
      ? await reuseDemo(deps, scope, organization.number, organization.id, stored)
      : await createDemo(deps, scope)
    await updateSecrets(dataDir, { demo })
    return demo
  })
}

async function createDemo(deps: Deps, scope: Scope): Promise<Demo> {
  const now = deps.clock()
  const organization = await createOrganization(
    scope,
    { name: 'Demo Café', country: 'US', currency: 'USD', timezone: 'America/New_York', isDemo: true },
    now,
  )
  const own = { db: scope.db, org: organization.number }
  const { id } = await createCampaign(own, organization, demoCampaign, now)
  await publishCampaign(own, organization, id, now)
  return { ...(await connect(deps, scope, organization.id)), organizationId: organization.id, campaignId: id }
}

/** With the credentials on file when they still count, else with new ones: the old cannot be read back. */
async function reuseDemo(
  deps: Deps,
  scope: Scope,
  org: number,
  organizationId: OrganizationId,
  stored: Partial<Demo> | undefined,
): Promise<Demo> {
  const [newest] = (
    await listCampaigns({ db: scope.db, org }, { limit: 100, status: 'published' })
  ).toReversed()
  const campaignId = stored?.campaignId ?? newest?.id
  if (!campaignId)
    throw new Error(
      'The demo organization has no published campaign. Start with DEMO=0, or empty the database.',
    )
  if (stored?.apiKey && stored.apiSecret) {
    const { apiKey, apiSecret } = stored
    const hash = deps.credentials.hash
    const known = await findConnectionByCredentials(scope.db, hash(apiKey), hash(apiSecret), deps.clock())
    if (known?.organization === organizationId) return { apiKey, apiSecret, organizationId, campaignId }
  }
  return { ...(await connect(deps, scope, organizationId)), organizationId, campaignId }
}

async function connect(deps: Deps, scope: Scope, organization: OrganizationId) {
  const now = deps.clock()
  const integration = await createIntegration(scope, deps.credentials, 'Demo till', now)
  const { apiSecret } = await createConnection(
    scope,
    deps.credentials,
    { organization, integration: integration.id, scopes: ['pos', 'manage'] },
    now,
  )
  return { apiKey: integration.apiKey, apiSecret }
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
