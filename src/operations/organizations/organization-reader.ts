/**
 * Reads organizations for the check before every request. A canceled subscription must take effect with the
 * next request, so nothing is cached; but requests that arrive together share one query.
 */
import type { Pool } from 'pg'
import type { OrganizationId } from '../../domain/ids.ts'
import type { Organization } from '../../domain/organization.ts'
import { listOrganizationsByIds } from '../../store/organizations.ts'
import { platformTenant } from '../../store/tenant.ts'
import { createBatch } from '../batch.ts'

export type ReadOrganization = (id: OrganizationId) => Promise<Organization | undefined>

export function createOrganizationReader(pool: Pool): ReadOrganization {
  return createBatch(
    async (ids: readonly OrganizationId[]) => {
      const found = await listOrganizationsByIds(platformTenant(pool), [...new Set(ids)])
      const byId = new Map(found.map((organization) => [organization.id, organization]))
      return ids.map((id) => byId.get(id))
    },
    { maxRunning: 1, maxBatch: 10_000, maxWaiting: 20_000 },
  )
}
