/**
 * The wallet page of a card, for anyone who has its URL. The token is verified first; only a valid one is
 * looked up in the database, where it must still be the current one of the card.
 */
import { type Card, type CustomerView, cardStatus, customerStatus, isLive } from '../../domain/customer.ts'
import type { BranchId, CampaignId } from '../../domain/ids.ts'
import type { Organization, ShownOrganization } from '../../domain/organization.ts'
import type { Transaction } from '../../domain/transaction.ts'
import { localTime } from '../../engine/clock/local-time.ts'
import type { AttachedCampaign, CompiledSpend } from '../../engine/definition/compile-campaign.ts'
import { whyNotRunning } from '../../engine/rules/rule-conditions.ts'
import { type Progress, progressOf } from '../../engine/steps/progress.ts'
import { listCampaignNames } from '../../store/campaigns.ts'
import { findReplacement } from '../../store/cards.ts'
import { listBranchNames, listProductNames } from '../../store/directory.ts'
import { listKeptMultiples } from '../../store/ledger.ts'
import { findShownOrganization } from '../../store/organizations.ts'
import { findSetupVersion } from '../../store/setup.ts'
import { type Tenant, tenantOf } from '../../store/tenant.ts'
import { listTransactions } from '../../store/transactions.ts'
import { attachedTo } from '../baskets/decide.ts'
import { getCustomerView } from '../customers/customer-view.ts'
import type { Deps } from '../deps.ts'
import type { Setup } from '../organizations/setup-cache.ts'
import { timeOf } from '../organizations/time-of.ts'
import { listAddresses, type OwnAddresses } from './own-addresses.ts'
import type { WalletKey } from './wallet-tokens.ts'

export interface OpenWallet {
  readonly organization: Organization
  /** The current card: that of the URL, or its replacement. Blocked as well if the customer is. */
  readonly card: Card
}

/** Undefined if the URL is not that of a live card, or if the organization has no subscription. */
export async function openWalletPage(deps: Deps, token: string): Promise<OpenWallet | undefined> {
  const key = deps.walletTokens.read(token)
  return key && openWalletOf(deps, key)
}

/** Opens the wallet for a token that has already been verified. */
export async function openWalletOf(deps: Deps, key: WalletKey): Promise<OpenWallet | undefined> {
  const opened = await enterWallet(deps, key)
  return opened && { organization: opened.setup.organization, card: opened.card }
}

/** With what further questions about the customer need. */
export async function enterWallet(deps: Deps, { org, card: id, version }: WalletKey) {
  if (version === 0) return undefined
  const tenant = tenantOf(deps.pool, org)
  const found = await findReplacement(tenant, id, version)
  if (!found || !isLive(found.card)) return undefined
  const isBlocked = found.customerStatus === customerStatus.blocked
  const card = isBlocked ? { ...found.card, status: cardStatus.blocked } : found.card
  const setup = await deps.setupCache.get(tenant, await findSetupVersion(tenant))
  return setup.organization.isSubscribed ? { tenant, card, setup } : undefined
}

export interface WalletPage extends OpenWallet, OwnAddresses {
  readonly organization: ShownOrganization
  readonly view: CustomerView
  /** Names of balances, by key. */
  readonly balanceNames: ReadonlyMap<string, string>
  /** Keys of the balances of the card's own campaign, in its order. */
  readonly ownBalances: readonly string[]
  /** Names of the campaigns of other balances, by key. */
  readonly otherCampaigns: ReadonlyMap<string, string>
  readonly progress: readonly (Progress & { readonly rewardName: string })[]
  readonly campaignNames: ReadonlyMap<CampaignId, string>
  readonly branchNames: ReadonlyMap<BranchId, string>
  /** Names of the coupons' products, by opaque ID. */
  readonly productNames: ReadonlyMap<string, string>
  /** Recent visits, newest first. */
  readonly visits: readonly Transaction[]
  readonly hasMoreVisits: boolean
  /** The balance that can be spent with the card, and what it is worth. */
  readonly spend?: CompiledSpend
}

const shownVisits = 10

export async function readWallet(deps: Deps, key: WalletKey): Promise<WalletPage | undefined> {
  const opened = await enterWallet(deps, key)
  if (!opened) return undefined
  const { tenant, card, setup } = opened
  const { organization } = setup
  const view = await getCustomerView(deps, tenant, organization, card.customer)
  // One more than is shown tells whether there are others.
  const latest = await listTransactions(tenant, { customer: card.customer }, { limit: shownVisits + 1 })
  const visits = latest.slice(0, shownVisits)
  const attached = attachedTo(card.campaign, setup.live)
  return {
    organization: await findShownOrganization(tenant, organization),
    card,
    view,
    visits,
    ...(await listAddresses(tenant, view.customer, deps.clock())),
    hasMoreVisits: latest.length > shownVisits,
    spend: attached[0]?.compiled.spend,
    balanceNames: balanceNames(setup, attached),
    ...ownersOf(view, card, setup),
    progress: await readProgress(deps, tenant, view, attached, organization),
    campaignNames: await listCampaignNames(
      tenant,
      view.coupons.map(({ campaign }) => campaign),
    ),
    branchNames: await listBranchNames(
      tenant,
      visits.map(({ branch }) => branch),
    ),
    productNames: await listProductNames(
      tenant,
      view.coupons.flatMap(({ reward }) => (reward.kind === 'free_product' ? reward.products : [])),
    ),
  }
}

/** Names from the card's own campaign take precedence over those of other campaigns. */
function balanceNames({ live }: Setup, attached: readonly AttachedCampaign[]): Map<string, string> {
  const names = new Map<string, string>()
  for (const { compiled } of [...attached, ...live])
    for (const { key, name } of compiled.balances) if (!names.has(key)) names.set(key, name)
  return names
}

/** Campaigns that the balances belong to: a customer may have collected with other cards, too. */
function ownersOf({ balances }: CustomerView, { campaign }: Card, { live }: Setup) {
  const keysOf = ({ compiled }: AttachedCampaign) => compiled.balances.map(({ key }) => key)
  const ownBalances = live.filter(({ id }) => id === campaign).flatMap(keysOf)
  const otherCampaigns = new Map<string, string>()
  for (const { key } of balances) {
    const owner = ownBalances.includes(key)
      ? undefined
      : live.find((attached) => keysOf(attached).includes(key))
    if (owner) otherCampaigns.set(key, owner.compiled.name)
  }
  return { ownBalances, otherCampaigns }
}

/** Progress as on the next receipt, for the campaigns that run on the card now. */
async function readProgress(
  deps: Deps,
  tenant: Tenant,
  { customer, balances }: CustomerView,
  attached: readonly AttachedCampaign[],
  organization: Organization,
) {
  const now = timeOf(deps, organization)
  const local = localTime(now, organization.timezone)
  const kept = await listKeptMultiples(tenant, customer.id)
  const held = balances.map((balance) => ({ ...balance, version: 0 }))
  return attached
    .filter((campaign) => whyNotRunning(campaign, now, local) === undefined)
    .flatMap((campaign) =>
      progressOf([campaign], held, kept).map((progress) => ({
        ...progress,
        rewardName: campaign.compiled.rewards.get(progress.reward)?.reward.name ?? progress.reward,
      })),
    )
}
