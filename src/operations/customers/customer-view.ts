/**
 * Customers as tills and merchants see them: `value` is what can be used now. The store subtracts lots past
 * their date; expiration by inactivity is applied here with the engine's own rule, because only campaigns
 * define it.
 */
import type { CustomerView } from '../../domain/customer.ts'
import { type CustomerId, parseId } from '../../domain/ids.ts'
import type { Organization } from '../../domain/organization.ts'
import { phoneCandidates } from '../../domain/phone.ts'
import { notFound } from '../../domain/refusal.ts'
import { type Inactivity, inactiveAt, inactivityOf } from '../../engine/steps/expire-balances.ts'
import {
  type CustomerFilter,
  findCustomerView,
  hasCustomer,
  type LoadedView,
  listCustomerViews,
} from '../../store/customers.ts'
import type { Tenant } from '../../store/tenant.ts'
import type { Deps } from '../deps.ts'

export async function getCustomerView(
  deps: Deps,
  tenant: Tenant,
  organization: Organization,
  id: CustomerId | undefined,
): Promise<CustomerView> {
  const now = deps.clock()
  const view = id && (await findCustomerView(tenant, id, now))
  if (!view) throw notFound('customer_not_found')
  return usableNow(deps, tenant, organization, view, now)
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
  const now = deps.clock()
  const { text = '' } = filter
  const asked = {
    ...filter,
    text: text.trim() || undefined,
    phones: phoneCandidates(text, organization.country),
  }
  const views = await listCustomerViews(tenant, asked, page, now)
  return Promise.all(views.map((view) => usableNow(deps, tenant, organization, view, now)))
}

/** Needs no round trip: the versions came with the view, and the cache has them compiled. */
export async function usableNow(
  deps: Deps,
  tenant: Tenant,
  organization: Organization,
  view: LoadedView,
  now: Date,
): Promise<CustomerView> {
  if (view.lastActivityAt === undefined) return view
  const inactivity = inactivityOf(await deps.campaigns.get(tenant, organization, view.campaigns))
  return inactivity.length === 0 ? view : withInactivity(view, inactivity, now, organization.timezone)
}

function withInactivity(
  view: LoadedView,
  inactivity: readonly Inactivity[],
  now: Date,
  timezone: string,
): CustomerView {
  let { expiring } = view
  const balances = view.balances.map((balance) => {
    const { key, decimals, value } = balance
    const at = value > 0 ? inactiveAt(key, view.lastActivityAt!, inactivity, timezone) : undefined
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
  return { ...view, balances, expiring }
}
