/**
 * Limits how many customers a cashier looks at. The role cannot list customers, but sales name them, and each
 * could be opened one after the other. Opening a customer again is free; managers and integrations are not
 * limited. It counts in this process only: several processes allow as many times more.
 */
import type { Pool } from 'pg'
import QuickLRU from 'quick-lru'
import type { CustomerId, UserId } from '../../domain/ids.ts'
import type { Organization } from '../../domain/organization.ts'
import { Refused } from '../../domain/refusal.ts'
import { insertAuditEntry } from '../../store/audit-entries.ts'
import { newId } from '../../store/new-id.ts'
import { tenantOf } from '../../store/tenant.ts'
import { createRateLimit, secondsToWait } from '../rate-limit.ts'
import { idsForLog, type RequestRef } from '../request-ref.ts'

interface Reader {
  readonly organization: Organization
  readonly user: UserId
  readonly kind: 'connection' | 'person'
  readonly scopes: readonly string[]
}

interface ReadsOptions {
  readonly pool: Pool
  readonly clock: () => Date
  readonly log: { warn(details: object, message: string): void }
}

export interface ProfileReads {
  /** Counts that the caller of a request gets to see the customer; throws if there were too many others. */
  count(request: RequestRef & { readonly caller: Reader }, customer: CustomerId): Promise<void>
}

/**
 * One new customer every two seconds, and sixty at once: a busy till serves one in ten seconds, and a few tills
 * may share one account.
 */
const perSecond = 0.5
const atOnce = 60
const hourMs = 3_600_000
/** So many different customers within an hour are noted in the audit log, once. */
const notable = 300
const maxPeople = 10_000

interface Hour {
  readonly startMs: number
  readonly customers: Set<CustomerId>
}

export function createProfileReads({ pool, clock, log }: ReadsOptions): ProfileReads {
  const limit = createRateLimit(perSecond, atOnce)
  const hours = new QuickLRU<string, Hour>({ maxSize: maxPeople })

  function hourOf(user: string, nowMs: number): Hour {
    const last = hours.get(user)
    if (last && nowMs - last.startMs < hourMs) return last
    const hour = { startMs: nowMs, customers: new Set<CustomerId>() }
    hours.set(user, hour)
    return hour
  }

  return {
    async count(request, customer) {
      const { kind, user, scopes, organization } = request.caller
      if (kind !== 'person' || scopes.includes('manage')) return
      const now = clock()
      const { customers } = hourOf(user, now.getTime())
      if (customers.has(customer)) return
      const bucket = limit.take(user, now.getTime())
      if (!bucket.isAllowed) {
        throw new Refused(
          '_too_many_requests',
          'You have opened many customers in a short time. Wait a moment, then continue.',
        ).after(secondsToWait(bucket, limit))
      }
      customers.add(customer)
      if (customers.size !== notable) return
      log.warn(
        { ...idsForLog(request), organization: organization.id, user, customers: notable },
        'a cashier read many customers',
      )
      await insertAuditEntry(tenantOf(pool, organization.orgId), {
        id: newId('aud', now),
        at: now,
        byKind: kind,
        user,
        action: 'readManyCustomers',
        details: { customers: notable, withinMinutes: hourMs / 60_000 },
        isTruncated: false,
      })
    },
  }
}
