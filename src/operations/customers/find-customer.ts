/** Finds a customer by email in any case, by a card's barcode, or by phone number in any common format. */
import type { CustomerView } from '../../domain/customer.ts'
import type { Organization } from '../../domain/organization.ts'
import { phoneCandidates } from '../../domain/phone.ts'
import { notFound } from '../../domain/refusal.ts'
import type { LoadedView } from '../../store/customers.ts'
import type { Tenant } from '../../store/tenant.ts'
import type { Deps } from '../deps.ts'
import type { ReadCustomer } from './customer-reader.ts'
import { usableNow } from './customer-view.ts'

export async function findCustomer(
  deps: Deps,
  tenant: Tenant,
  organization: Organization,
  query: string,
): Promise<CustomerView> {
  const now = deps.clock()
  const found = await lookUp(deps.readCustomer, organization, query)
  if (!found) throw notFound('customer_not_found')
  return usableNow(deps, tenant, organization, found, now)
}

async function lookUp(
  readCustomer: ReadCustomer,
  { orgId, country }: Organization,
  query: string,
): Promise<LoadedView | undefined> {
  const text = query.trim()
  if (text.includes('@')) return readCustomer({ org: orgId, kind: 'email', key: text })
  if (/^\d+$/.test(text)) {
    const byBarcode = await readCustomer({ org: orgId, kind: 'barcode', key: text })
    if (byBarcode) return byBarcode
  }
  for (const phone of phoneCandidates(query, country)) {
    const byPhone = await readCustomer({ org: orgId, kind: 'phone', key: phone })
    if (byPhone) return byPhone
  }
  return undefined
}
