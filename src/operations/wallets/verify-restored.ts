/**
 * Verifies every organization of a database that is being restored, inside the transaction that restores it:
 * what does not agree is found before anyone can see it.
 */
import type { ClientBase } from 'pg'
import type { OrganizationId } from '../../domain/ids.ts'
import type { Organization } from '../../domain/organization.ts'
import { listOrganizations } from '../../store/organizations.ts'
import { platformOrg, tenantInside } from '../../store/tenant.ts'
import { isPepperOf } from '../auth/recognize-pepper.ts'
import { createCampaignCache } from '../campaigns/campaign-cache.ts'
import { type LedgerReport, verifyLedger } from './verify-ledger.ts'

export interface VerifiedOrganization extends LedgerReport {
  readonly organization: Organization
}

const pageSize = 100

/** `onProgress` gets the number of customers checked and the total, of each organization. */
export async function verifyRestored(
  client: ClientBase,
  onProgress: (done: number, of: number) => void,
): Promise<VerifiedOrganization[]> {
  const cache = createCampaignCache()
  const platform = tenantInside(client, platformOrg)
  const verified: VerifiedOrganization[] = []
  let after: OrganizationId | undefined
  do {
    const page = await listOrganizations(platform, { limit: pageSize, after })
    for (const organization of page) {
      const report = await verifyLedger(cache, platform.as(organization.orgId), organization, onProgress)
      verified.push({ organization, ...report })
    }
    after = page.length === pageSize ? page.at(-1)!.id : undefined
  } while (after !== undefined)
  return verified
}

/** Whether the pepper is the one that the restored credentials were made with; undefined if there are none. */
export function isPepperOfRestored(client: ClientBase, pepper: string): Promise<boolean | undefined> {
  return isPepperOf(tenantInside(client, platformOrg).db, pepper)
}
