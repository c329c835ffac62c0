/** Hands out all customers, page by page. Who began to take them is noted: nothing else leaves the service at once. */
import type { CustomerId } from '../../domain/ids.ts'
import { insertAuditEntry } from '../../store/audit-entries.ts'
import { type ExportedCustomer, listExportedCustomers } from '../../store/export-customers.ts'
import { newId } from '../../store/new-id.ts'
import { type Tenant, tenantOf } from '../../store/tenant.ts'
import { actorOf } from '../actor.ts'
import type { Caller, Deps } from '../deps.ts'

export async function exportCustomers(
  deps: Deps,
  tenant: Tenant,
  caller: Caller,
  page: { readonly limit: number; readonly after?: CustomerId },
): Promise<ExportedCustomer[]> {
  const now = deps.clock()
  const customers = await listExportedCustomers(tenant, page, now)
  if (page.after === undefined) {
    const { kind: byKind, user } = actorOf(caller)
    // The page itself may come from a replica, which takes no writes.
    const primary = tenantOf(deps.pool, caller.organization.orgId)
    const id = newId('aud', now)
    await insertAuditEntry(primary, {
      id,
      at: now,
      byKind,
      user,
      action: 'exportCustomers',
      isTruncated: false,
    })
  }
  return customers
}
