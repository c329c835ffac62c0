/**
 * What organizations have set up, remembered in this process and made ready for evaluation. Every basket reads
 * the number of changes together with the customer, so that a change counts from the next basket on, in every
 * process; what is remembered only saves reading it all again.
 */
import type { BranchId, OrganizationId, UserId } from '../domain/ids.ts'
import { mainBranch, type Organization } from '../domain/organization.ts'
import { Refused } from '../domain/refusal.ts'
import type { AttachedCampaign } from '../engine/compile-campaign.ts'
import { type Inactivity, inactivityOf } from '../engine/expire-balances.ts'
import type { Scope } from '../store/scope.ts'
import { type LoadedBranch, type LoadedUser, listBranches, listUsers, loadSetup } from '../store/setup.ts'
import type { CampaignCache } from './campaign-cache.ts'

export interface Setup {
  readonly version: number
  readonly organization: Organization
  /** The campaigns that could run on some card of the organization. */
  readonly live: readonly AttachedCampaign[]
  /** Of all campaigns: a balance belongs to the customer, whichever card was shown. */
  readonly inactivity: readonly Inactivity[]
  readonly decimals: ReadonlyMap<string, number>
  /** By our id and by the client's. */
  readonly branches: ReadonlyMap<string, LoadedBranch>
  /** Those asked for so far, by our id and by the client's; undefined: there is no such user. */
  readonly users: Map<string, LoadedUser | undefined>
}

export interface Setups {
  /** As it was when it was last read here; whoever relies on it compares its version. */
  remembered(id: OrganizationId): Setup | undefined
  /** The setup as it is now, when what is remembered has another version. */
  current(scope: Scope, version: number | undefined): Promise<Setup>
}

const maxSetups = 2_000
const maxUsers = 20_000

export function createSetups(campaigns: CampaignCache): Setups {
  const byNumber = new Map<number, Setup>()
  const byId = new Map<OrganizationId, Setup>()

  function keep(setup: Setup): void {
    const { number, id } = setup.organization
    const oldest = byNumber.size >= maxSetups && !byNumber.has(number) && byNumber.values().next().value
    if (oldest) {
      byNumber.delete(oldest.organization.number)
      byId.delete(oldest.organization.id)
    }
    byNumber.set(number, setup)
    byId.set(id, setup)
  }

  return {
    remembered: (id) => byId.get(id),
    async current(scope, version) {
      const known = byNumber.get(scope.org)
      if (known && known.version === version) return known
      const loaded = await loadSetup(scope)
      if (!loaded) throw new Refused('_unauthorized')
      const { organization, decimals } = loaded
      const compiled = await campaigns.get(scope, organization, loaded.campaigns)
      const setup: Setup = {
        version: loaded.version,
        organization,
        live: loaded.campaigns.map((campaign, i) => ({
          id: campaign.id,
          version: campaign.version,
          status: campaign.isPublished ? 'published' : 'paused',
          compiled: compiled[i]!,
        })),
        inactivity: inactivityOf(compiled),
        decimals,
        branches: branchesByName(await listBranches(scope)),
        users: new Map(),
      }
      keep(setup)
      return setup
    },
  }
}

function branchesByName(branches: readonly LoadedBranch[]): Map<string, LoadedBranch> {
  const named = new Map<string, LoadedBranch>()
  for (const branch of branches) named.set(branch.id, branch).set(nameOf(branch.opaqueId), branch)
  return named
}

/** Makes sure that these users have been asked for. */
export async function findUsers(
  scope: Scope,
  { users }: Setup,
  ids: readonly UserId[],
  opaqueIds: readonly string[],
): Promise<void> {
  const isNew = (key: string) => !users.has(key)
  const newIds = [...new Set(ids.filter((id) => isNew(id)))]
  const newOpaqueIds = [...new Set(opaqueIds.filter((id) => isNew(nameOf(id))))]
  if (newIds.length === 0 && newOpaqueIds.length === 0) return
  const found = await listUsers(scope, newIds, newOpaqueIds)
  if (users.size > maxUsers) users.clear()
  for (const id of newIds) users.set(id, undefined)
  for (const id of newOpaqueIds) users.set(nameOf(id), undefined)
  for (const user of found) {
    users.set(user.id, user)
    users.set(nameOf(user.opaqueId), user)
  }
}

/** A client's own id may look like one of ours. */
const nameOf = (opaqueId: string) => `=${opaqueId}`

export interface Reference<I> {
  readonly id: I
  readonly opaqueId: string
}

export interface References {
  readonly user?: Reference<UserId>
  readonly branch?: Reference<BranchId>
}

/** The user named or else the caller, the branch named or else the caller's; undefined where the directory has none. */
export function referencesOf(
  { users, branches }: Setup,
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
