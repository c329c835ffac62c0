/** Tells of what happened outside of baskets: as events for readers, and in the running sums of the day. */
import type { Fact } from '../domain/event.ts'
import type { Organization } from '../domain/organization.ts'
import { localDay } from '../engine/local-time.ts'
import { addToDailySums, type DailyCount } from '../store/daily-sums.ts'
import { insertEvents } from '../store/events.ts'
import type { Scope } from '../store/scope.ts'

export async function recordFacts(
  scope: Scope,
  organization: Organization,
  facts: readonly Fact[],
  now: Date,
  moved: readonly DailyCount[] = [],
): Promise<void> {
  await insertEvents(scope, facts, now)
  const counts = facts.flatMap((fact): DailyCount[] => {
    const measure = counted[fact.type]
    return measure ? [{ measure, key: '', amount: 1 }] : []
  })
  await addToDailySums(scope, localDay(now, organization.timezone), [...counts, ...moved])
}

const counted: Partial<Record<Fact['type'], DailyCount['measure']>> = {
  'customer.created': 'customers',
  'customer.registered': 'cards',
  'transaction.returned': 'returns',
  'coupon.granted': 'coupons_granted',
  'coupon.expired': 'coupons_expired',
  'coupon.revoked': 'coupons_revoked',
}
