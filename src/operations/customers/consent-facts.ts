/** How changed consents are told: in the customer's history, and in events. */
import {
  type ConsentSource,
  type Consents,
  type ConsentTold,
  changedConsents,
} from '../../domain/consents.ts'
import type { Fact } from '../../domain/event.ts'
import type { CustomerId } from '../../domain/ids.ts'
import { marketingPurpose } from '../../domain/message.ts'
import { findContact } from '../../store/organizations.ts'
import type { Tenant } from '../../store/tenant.ts'
import { byOf } from '../actor.ts'

/** Who works with our pages shows the merchant's words; what another till shows is not known. */
export async function consentsTold(
  tenant: Tenant,
  via: ConsentSource,
  consents: object | undefined,
  at: Date,
): Promise<ConsentTold> {
  if (consents === undefined || via === 'connection') return { at, via }
  const { consentText } = await findContact(tenant)
  return { at, via, wordings: { [marketingPurpose]: consentText } }
}

/** Which consents they are is personal, and events stay when a customer is erased. */
export function consentFacts(
  customer: CustomerId,
  before: Consents | undefined,
  after: Consents | undefined,
  by: Parameters<typeof byOf>[0],
): Fact[] {
  if (changedConsents(before, after).length === 0) return []
  return [{ type: 'consent.changed', data: { customer, by: byOf(by) } }]
}
