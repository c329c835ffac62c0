/** Finds the customer a till means: an e-mail in any case, a card's barcode, or a phone in any usual spelling. */
import type { CustomerView } from '../domain/customer.ts'
import type { Organization } from '../domain/organization.ts'
import { phoneCandidates } from '../domain/phone.ts'
import { Refused } from '../domain/refusal.ts'
import { findCustomerViewBy, type LoadedView } from '../store/customers.ts'
import type { Scope } from '../store/scope.ts'
import { usableNow } from './customer-view.ts'
import type { Deps } from './deps.ts'

export async function findCustomer(
  deps: Deps,
  scope: Scope,
  organization: Organization,
  query: string,
): Promise<CustomerView> {
  const now = deps.clock()
  const found = await lookUp(scope, organization, query, now)
  if (!found) throw new Refused('customer_not_found', undefined, 'path')
  return usableNow(deps, scope, organization, found, now)
}

async function lookUp(
  scope: Scope,
  organization: Organization,
  query: string,
  now: Date,
): Promise<LoadedView | undefined> {
  const text = query.trim()
  if (text.includes('@')) return findCustomerViewBy(scope, { email: text }, now)
  if (/^\d+$/.test(text)) {
    const byBarcode = await findCustomerViewBy(scope, { barcode: text }, now)
    if (byBarcode) return byBarcode
  }
  for (const phone of phoneCandidates(query, organization.country)) {
    const byPhone = await findCustomerViewBy(scope, { phone }, now)
    if (byPhone) return byPhone
  }
  return undefined
}
