/** A customer stops messages from the link in one of them: the consent is withdrawn, and the history says how. */

import { recordConsents } from '../../domain/consents.ts'
import { marketingPurpose } from '../../domain/message.ts'
import type { Organization } from '../../domain/organization.ts'
import { hasCustomer, lockCustomer, updateProfile } from '../../store/customers.ts'
import { insertEvents } from '../../store/events.ts'
import { findOwnOrganization } from '../../store/organizations.ts'
import { inTransaction, tenantOf } from '../../store/tenant.ts'
import type { Deps } from '../deps.ts'
import { timeIn } from '../organizations/time-of.ts'
import type { UnsubscribeKey } from './unsubscribe-tokens.ts'

/** Whose messages they are; undefined if the customer is not known any more. */
export async function findUnsubscribe(
  { pool }: Deps,
  { org, customer }: UnsubscribeKey,
): Promise<Organization | undefined> {
  const tenant = tenantOf(pool, org)
  return (await hasCustomer(tenant, customer)) ? findOwnOrganization(tenant) : undefined
}

export async function unsubscribe(deps: Deps, { org, customer }: UnsubscribeKey): Promise<void> {
  await inTransaction(deps.pool, org, async (tenant) => {
    const now = await timeIn(deps, tenant)
    const before = await lockCustomer(tenant, customer)
    if (before?.consents?.[marketingPurpose] !== true) return
    const consents = { ...before.consents, [marketingPurpose]: false }
    const consentHistory = recordConsents(before.consentHistory ?? [], before.consents, consents, {
      at: now,
      via: 'message',
    })
    await updateProfile(tenant, customer, { ...before, consents, consentHistory }, now)
    const by = { kind: 'customer' }
    await insertEvents(
      tenant,
      [
        { type: 'customer.changed', data: { customer, changed: ['consents'], by } },
        { type: 'consent.changed', data: { customer, by } },
      ],
      now,
    )
  })
}
