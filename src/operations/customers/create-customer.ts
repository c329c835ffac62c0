/** Creates a customer without a card: profile and wallet, no balances yet. */
import { type Customer, customerStatus } from '../../domain/customer.ts'
import type { Organization } from '../../domain/organization.ts'
import { insertCustomer } from '../../store/customers.ts'
import { newId } from '../../store/new-id.ts'
import type { Tenant } from '../../store/tenant.ts'
import { recordFacts } from '../record-facts.ts'
import { type ProfileInput, toProfile, writeUnique } from './customer-profile.ts'

export async function createCustomer(
  tenant: Tenant,
  organization: Organization,
  input: ProfileInput,
  now: Date,
): Promise<Customer> {
  const profile = toProfile(input, organization)
  const customer: Customer = {
    ...profile,
    id: newId('cus', now),
    status: customerStatus.active,
    createdAt: now,
    updatedAt: now,
  }
  await writeUnique(tenant, profile, undefined, () => insertCustomer(tenant, customer))
  await recordFacts(
    tenant,
    organization,
    [{ type: 'customer.created', data: { customer: customer.id } }],
    now,
  )
  return customer
}
