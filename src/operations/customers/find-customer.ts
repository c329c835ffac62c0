/** Finds a customer by email in any case, by a card's barcode, or by phone number in any common format. */
import { type CustomerView, newestOf } from '../../domain/customer.ts'
import type { CardId } from '../../domain/ids.ts'
import type { Organization } from '../../domain/organization.ts'
import { phoneCandidates } from '../../domain/phone.ts'
import { notFound } from '../../domain/refusal.ts'
import type { LoadedView } from '../../store/customers.ts'
import type { Tenant } from '../../store/tenant.ts'
import type { Deps } from '../deps.ts'
import type { ReadCustomer } from './customer-reader.ts'
import { usableNow } from './customer-view.ts'

export interface FoundCustomer extends CustomerView {
  /** The card to use, if the customer was found by a barcode: the scanned one or its newest replacement. */
  readonly matchedCard?: CardId
}

export async function findCustomer(
  deps: Deps,
  tenant: Tenant,
  organization: Organization,
  query: string,
): Promise<FoundCustomer> {
  const now = deps.clock()
  const found = await lookUp(deps.readCustomer, organization, query)
  if (!found) throw notFound('customer_not_found')
  const { view, matchedCard } = found
  return { ...(await usableNow(deps, tenant, organization, view, now)), matchedCard }
}

async function lookUp(
  readCustomer: ReadCustomer,
  { orgId, country }: Organization,
  query: string,
): Promise<{ view: LoadedView; matchedCard?: CardId } | undefined> {
  const text = query.trim()
  if (text.includes('@')) {
    const view = await readCustomer({ org: orgId, kind: 'email', key: text })
    return view && { view }
  }
  if (/^\d+$/.test(text)) {
    const view = await readCustomer({ org: orgId, kind: 'barcode', key: text })
    const scanned = view?.cards.find(({ barcode }) => barcode === text)
    if (view && scanned) return { view, matchedCard: newestOf(scanned, view.cards).id }
  }
  for (const phone of phoneCandidates(query, country)) {
    const view = await readCustomer({ org: orgId, kind: 'phone', key: phone })
    if (view) return { view }
  }
  return undefined
}
