/**
 * Caches the setup of organizations in this process, compiled for evaluation. Every basket reads the setup
 * version together with the customer, so that a change takes effect with the next basket, in every process;
 * the cache only saves reading everything again.
 */
import QuickLRU from 'quick-lru'
import type { BranchId, OrganizationId, UserId } from '../../domain/ids.ts'
import { mainBranch, type Organization } from '../../domain/organization.ts'
import { Refused } from '../../domain/refusal.ts'
import type { AttachedCampaign } from '../../engine/definition/compile-campaign.ts'
import { type Inactivity, inactivityOf } from '../../engine/steps/expire-balances.ts'
import { hasArchivedFiles } from '../../store/archived.ts'
import { listBalanceDefinitions } from '../../store/campaigns.ts'
import type { WorkKind } from '../../store/due-work.ts'
import { type LiveCredentials, listLiveCredentials } from '../../store/live-credentials.ts'
import { findOwnOrganization } from '../../store/organizations.ts'
import {
  findSetupVersion,
  type LoadedBranch,
  type LoadedUser,
  listBranches,
  listUsers,
} from '../../store/setup.ts'
import type { Tenant } from '../../store/tenant.ts'
import type { CampaignCache } from '../campaigns/campaign-cache.ts'
import { type LiveCampaign, loadPublishedCampaigns } from '../campaigns/published-campaigns.ts'
import { decimalsByKey } from '../wallets/expired-facts.ts'

export interface Setup {
  readonly version: number
  readonly organization: Organization
  /** Campaigns that can run on any card of the organization. */
  readonly live: readonly LiveCampaign[]
  /** The most rules that run on one card. */
  readonly mostRules: number
  /** Inactivity rules of the campaigns: a balance belongs to the customer, whichever card was used. */
  readonly inactivity: readonly Inactivity[]
  /**
   * Background work that nearly every basket makes due, of which the time is read with the basket. A change
   * that does not know the time asks for it anew, which is right and costs a statement.
   */
  readonly dueKinds: readonly WorkKind[]
  /** Whether sales of it were archived; once true, it stays so. */
  readonly hasArchive: boolean
  readonly decimals: ReadonlyMap<string, number>
  /** By our ID and by the client's. */
  readonly branches: ReadonlyMap<string, LoadedBranch>
  /** Users requested so far, by our ID and by the client's; undefined if the user does not exist. */
  readonly users: Map<string, LoadedUser | undefined>
  /** Valid secrets and keys, with their ends: a token that was opened with anything else has ended. */
  readonly credentials: LiveCredentials
}

export interface SetupCache {
  /** The cached setup; the caller must compare its version before relying on it. */
  peek(id: OrganizationId | number): Setup | undefined
  /** The current setup, read again if the cached one has another version. */
  get(tenant: Tenant, version: number | undefined): Promise<Setup>
}

/**
 * The most recently used are kept, up to twice as many. A setup is cached under both IDs of its organization.
 */
const keptSetups = 1_000
const keptUsers = 10_000

export function createSetupCache(campaigns: CampaignCache, clock: () => Date): SetupCache {
  const setups = new QuickLRU<number | OrganizationId, Setup>({ maxSize: 2 * keptSetups })
  return {
    peek: (id) => setups.get(id),
    async get(tenant, version) {
      const known = setups.get(tenant.orgId)
      if (known && known.version === version) return known
      const setup = await readSetup(campaigns, tenant, clock())
      setups.set(setup.organization.orgId, setup).set(setup.organization.id, setup)
      return setup
    },
  }
}

/** The version is read first: a concurrent change is read twice rather than missed. */
async function readSetup(campaigns: CampaignCache, tenant: Tenant, now: Date): Promise<Setup> {
  const version = await findSetupVersion(tenant)
  const organization = await findOwnOrganization(tenant)
  if (version === undefined || !organization) throw new Refused('_unauthorized')
  const live = await loadPublishedCampaigns({ campaigns }, tenant, organization)
  const inactivity = inactivityOf(live)
  return {
    version,
    organization,
    live,
    mostRules: mostRulesOf(live),
    inactivity,
    dueKinds: [
      ...(live.some(hasLots) ? (['expiry'] as const) : []),
      ...(inactivity.length > 0 ? (['inactivity'] as const) : []),
    ],
    hasArchive: await hasArchivedFiles(tenant),
    decimals: decimalsByKey(await listBalanceDefinitions(tenant)),
    branches: branchesByName(await listBranches(tenant)),
    users: new QuickLRU({ maxSize: keptUsers }),
    credentials: await listLiveCredentials(tenant, now),
  }
}

const hasLots = ({ compiled }: AttachedCampaign) =>
  compiled.balances.some(({ expiresAfter }) => expiresAfter !== undefined)

function mostRulesOf(live: readonly AttachedCampaign[]): number {
  const onCards = new Map<string, number>()
  for (const { id, status, compiled } of live) {
    if (status !== 'published') continue
    for (const card of [id, ...compiled.runsOn]) {
      onCards.set(card, (onCards.get(card) ?? 0) + compiled.rules.length)
    }
  }
  return [...onCards.values()].reduce((most, rules) => Math.max(most, rules), 0)
}

function branchesByName(branches: readonly LoadedBranch[]): Map<string, LoadedBranch> {
  const named = new Map<string, LoadedBranch>()
  for (const branch of branches) named.set(branch.id, branch).set(nameOf(branch.opaqueId), branch)
  return named
}

export type Users = ReadonlyMap<string, LoadedUser | undefined>

/** Users with these IDs, ours or the client's. Those requested before are cached. */
export async function findUsers(
  tenant: Tenant,
  { users: remembered }: Setup,
  ids: readonly UserId[],
  opaqueIds: readonly string[],
): Promise<Users> {
  const users = new Map<string, LoadedUser | undefined>()
  const missing = { ids: new Set<UserId>(), opaqueIds: new Set<string>() }
  for (const id of ids) {
    if (remembered.has(id)) users.set(id, remembered.get(id))
    else missing.ids.add(id)
  }
  for (const opaqueId of opaqueIds) {
    const name = nameOf(opaqueId)
    if (remembered.has(name)) users.set(name, remembered.get(name))
    else missing.opaqueIds.add(opaqueId)
  }
  if (missing.ids.size === 0 && missing.opaqueIds.size === 0) return users
  const found = await listUsers(tenant, [...missing.ids], [...missing.opaqueIds])
  const learn = (name: string, user: LoadedUser | undefined) => {
    users.set(name, user)
    remembered.set(name, user)
  }
  for (const id of missing.ids) learn(id, undefined)
  for (const opaqueId of missing.opaqueIds) learn(nameOf(opaqueId), undefined)
  for (const user of found) {
    learn(user.id, user)
    learn(nameOf(user.opaqueId), user)
  }
  return users
}

/** A client's own ID may look like one of ours. */
const nameOf = (opaqueId: string) => `=${opaqueId}`

export interface Reference<I> {
  readonly id: I
  readonly opaqueId: string
}

export interface References {
  readonly user?: Reference<UserId>
  readonly branch?: Reference<BranchId>
}

/**
 * The given user or else the caller, the given branch or else the caller's; undefined if not in the
 * directory.
 */
export function referencesOf(
  { branches }: Setup,
  users: Users,
  caller: UserId,
  named: { readonly user?: string; readonly branch?: string },
): References {
  const calling = users.get(caller)
  const user = named.user === undefined ? calling : users.get(nameOf(named.user))
  const home = calling?.branch
  const branch =
    named.branch === undefined && home ? branches.get(home) : branches.get(nameOf(named.branch ?? mainBranch))
  return { user, branch }
}
