/**
 * The time by the clock of an organization: the real one, except in a test organization whose clock has been set
 * forward. Everything that customers and staff would call the date goes by it: sales, expiry, campaigns, reminders,
 * days, and when something happened. What protects the service, and what its operator relies on, goes by the real
 * clock (`deps.clock`): tokens, sessions, limits, leases, retention and signatures. A test lists who may use that one.
 */
import type { Organization } from '../../domain/organization.ts'
import { markAhead } from '../../store/new-id.ts'
import { findOwnOrganization } from '../../store/organizations.ts'
import type { Tenant } from '../../store/tenant.ts'

interface Clock {
  readonly clock: () => Date
}

export function timeOf({ clock }: Clock, organization: Pick<Organization, 'aheadMs'>): Date {
  return ownTimeOf(clock(), organization)
}

/** What the organization's clock shows at a moment of the real one. */
export function ownTimeOf(real: Date, { aheadMs }: Pick<Organization, 'aheadMs'>): Date {
  return aheadMs === 0 ? real : markAhead(new Date(real.getTime() + aheadMs))
}

/** For what knows only the tenant; costs a query. */
export async function timeIn({ clock }: Clock, tenant: Tenant): Promise<Date> {
  return ownTimeIn(clock(), tenant)
}

/** For events about what goes by the real clock: events are in the order of time. */
export async function ownTimeIn(real: Date, tenant: Tenant): Promise<Date> {
  return ownTimeOf(real, (await findOwnOrganization(tenant)) ?? { aheadMs: 0 })
}
