/** Opens a customer without a card: profile and wallet, no balances yet. */
import { type Customer, customerStatus } from '../../domain/customer.ts'
import type { Organization } from '../../domain/organization.ts'
import { insertCustomer } from '../../store/customers.ts'
import { newId } from '../../store/new-id.ts'
import type { Scope } from '../../store/scope.ts'
import { recordFacts } from '../record-facts.ts'
import { type ProfileInput, toProfile, writeUnique } from './customer-profile.ts'

export async function createCustomer(
  scope: Scope,
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
  await writeUnique(scope, profile, undefined, () => insertCustomer(scope, customer))
  await recordFacts(scope, organization, [{ type: 'customer.created', data: { customer: customer.id } }], now)
  return customer
}
