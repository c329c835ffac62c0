/** The event of changed consents. Which ones they are is personal, and events stay when a customer is erased. */
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
  if (changedConsents(before, after).length === 0) return []
  return [{ type: 'consent.changed', data: { customer, by: byOf(by) } }]
}
