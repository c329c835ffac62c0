/**
 * Customers as tills and merchants see them: `value` is what can be used now. The store subtracts lots past
 * their date; expiration by inactivity and tiers are applied here with the engine's own rules, because only
 * campaigns define them.
 */
import { type CustomerView, isLive } from '../../domain/customer.ts'
import { type CustomerId, parseId } from '../../domain/ids.ts'
import type { Organization } from '../../domain/organization.ts'
import { phoneCandidates } from '../../domain/phone.ts'
import { notFound } from '../../domain/refusal.ts'
import type { AttachedCampaign } from '../../engine/definition/compile-campaign.ts'
import { type Inactivity, inactiveAt, inactivityOf } from '../../engine/steps/expire-balances.ts'
import { campaignsOnCards, tiersHeld } from '../../engine/steps/tiers.ts'
import {
  type CustomerFilter,
  findCustomerView,
  hasCustomer,
  type LoadedView,
  listCustomerViews,
  type ViewWithCampaigns,
} from '../../store/customers.ts'
import type { Tenant } from '../../store/tenant.ts'
import type { Deps } from '../deps.ts'
import { timeOf } from '../organizations/time-of.ts'

export async function getCustomerView(
  deps: Deps,
  tenant: Tenant,
  organization: Organization,
  id: CustomerId | undefined,
): Promise<CustomerView> {
  const now = timeOf(deps, organization)
  const view = id && (await findCustomerView(tenant, id, now))
  if (!view) throw notFound('customer_not_found')
  const campaigns = await campaignsOf(deps, tenant, organization, view)
  return withCampaigns(view, campaigns, now, organization.timezone)
}

/** Checks the customer whose list is requested. */
export async function getCustomerId(tenant: Tenant, text: string): Promise<CustomerId> {
  const id = parseId('cus', text)
  if (!id || !(await hasCustomer(tenant, id))) throw notFound('customer_not_found')
  return id
}

export async function listCustomers(
  deps: Deps,
  tenant: Tenant,
  organization: Organization,
  filter: Omit<CustomerFilter, 'phones'>,
  page: { limit: number; after?: CustomerId },
): Promise<CustomerView[]> {
  const now = timeOf(deps, organization)
  const { text = '' } = filter
  const asked = {
    ...filter,
    text: text.trim() || undefined,
    phones: phoneCandidates(text, organization.country),
  }
  const views = await listCustomerViews(tenant, asked, page, now)
  const [first] = views
  if (!first) return []
  const campaigns = await campaignsOf(deps, tenant, organization, first)
  return views.map((view) => withCampaigns(view, campaigns, now, organization.timezone))
}

/** Needs no round trip: the versions came with the view, and the cache has them compiled. */
async function campaignsOf(
  deps: Deps,
  tenant: Tenant,
  organization: Organization,
  { campaigns }: ViewWithCampaigns,
): Promise<AttachedCampaign[]> {
  const compiled = await deps.campaigns.get(tenant, organization, campaigns)
  return campaigns.map((campaign, i) => ({ compiled: compiled[i]!, ...campaign }))
}

/** What a customer can use now, with the campaigns of the organization as they are. */
export function withCampaigns(
  view: LoadedView,
  campaigns: readonly AttachedCampaign[],
  now: Date,
  timezone: string,
): CustomerView {
  const cards = view.cards.filter(isLive).map(({ campaign }) => campaign)
  const tiers = tiersHeld(campaignsOnCards({ campaigns, cards }, now, timezone), view.balances)
  const { lastActivityAt } = view
  if (lastActivityAt === undefined) return { tiers, ...view }
  const inactivity = inactivityOf(campaigns)
  if (inactivity.length === 0) return { tiers, ...view }
  return { tiers, ...view, ...withInactivity(view, lastActivityAt, inactivity, now, timezone) }
}

function withInactivity(
  view: LoadedView,
  lastActivityAt: Date,
  inactivity: readonly Inactivity[],
  now: Date,
  timezone: string,
): Pick<CustomerView, 'balances' | 'expiring'> {
  let { expiring } = view
  const balances = view.balances.map((balance) => {
    const { key, decimals, value } = balance
    const at = value > 0 ? inactiveAt(key, lastActivityAt, inactivity, timezone) : undefined
    if (at === undefined) return balance
    // Lots that would expire later expire with the balance.
    expiring = expiring.filter((part) => part.key !== key || part.at < at)
    if (at <= now) {
      expiring = expiring.filter((part) => part.key !== key)
      return { ...balance, value: 0 }
    }
    const sooner = expiring.reduce((sum, part) => (part.key === key ? sum + part.amount : sum), 0)
    if (value > sooner) expiring = [...expiring, { key, decimals, amount: value - sooner, at }]
    return balance
  })
  expiring = expiring.toSorted((a, b) => a.at.getTime() - b.at.getTime() || (a.key < b.key ? -1 : 1))
  return { balances, expiring }
}
