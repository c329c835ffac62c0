/** Creates a customer without a card: profile and wallet, no balances yet. */
import { recordConsents } from '../../domain/consents.ts'
import { type Customer, customerStatus } from '../../domain/customer.ts'
import type { Organization } from '../../domain/organization.ts'
import { insertCustomer } from '../../store/customers.ts'
import { newId } from '../../store/new-id.ts'
import type { Tenant } from '../../store/tenant.ts'
import { byOf, type Staff } from '../actor.ts'
import { recordFacts } from '../record-facts.ts'
import { type ProfileInput, toProfile, writeUnique } from './customer-profile.ts'

export async function createCustomer(
  tenant: Tenant,
  organization: Organization,
  input: ProfileInput,
  by: Staff,
  now: Date,
): Promise<Customer> {
  const profile = toProfile(input, organization)
  const customer: Customer = {
    ...profile,
    consentHistory: recordConsents([], undefined, profile.consents, { at: now, via: by.kind }),
    id: newId('cus', now),
    status: customerStatus.active,
    createdAt: now,
    updatedAt: now,
  }
  await writeUnique(tenant, profile, undefined, () => insertCustomer(tenant, customer))
  await recordFacts(
    tenant,
    organization,
    [{ type: 'customer.created', data: { customer: customer.id, by: byOf(by) } }],
    now,
  )
  return customer
}
