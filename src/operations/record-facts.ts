/** Records what happened outside of wallets: as events, and in the running totals of the day. */
import type { Fact } from '../domain/event.ts'
import type { Organization } from '../domain/organization.ts'
import { localDay } from '../engine/clock/local-time.ts'
import { type DailyCount, dailySumsStep } from '../store/daily-sums.ts'
import { eventsSteps } from '../store/events.ts'
import type { Tenant } from '../store/tenant.ts'

export async function recordFacts(
  tenant: Tenant,
  organization: Organization,
  facts: readonly Fact[],
  now: Date,
): Promise<void> {
  const org = String(tenant.orgId)
  const counts = facts.flatMap((fact): DailyCount[] => {
    const measure = counted[fact.type]
    return measure ? [{ measure, key: '', amount: 1 }] : []
  })
  const sums = dailySumsStep(org, counts, localDay(now, organization.timezone))
  await tenant.db.pipeAtCommit([...(sums ? [sums] : []), ...eventsSteps(org, facts, now)])
}

const counted: Partial<Record<Fact['type'], DailyCount['measure']>> = {
  'customer.created': 'customers',
  'customer.registered': 'cards',
}
