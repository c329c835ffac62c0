/** The event of changed consents. It names the purposes; what a customer agreed to is personal data. */
import { type Consents, changedConsents } from '../../domain/consents.ts'
import type { Fact } from '../../domain/event.ts'
import type { CustomerId } from '../../domain/ids.ts'
import { byOf, type Staff } from '../actor.ts'

export function consentFacts(
  customer: CustomerId,
  before: Consents | undefined,
  after: Consents | undefined,
  by: Staff,
): Fact[] {
  const purposes = changedConsents(before, after).map(([purpose]) => purpose)
  return purposes.length === 0
    ? []
    : [{ type: 'consent.changed', data: { customer, purposes, by: byOf(by) } }]
}
