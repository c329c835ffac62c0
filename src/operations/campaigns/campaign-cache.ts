/**
 * Caches published campaign versions, compiled for evaluation. A version never changes after it was written,
 * so it can be cached; which version applies is read from the database with every basket.
 */

import QuickLRU from 'quick-lru'
import type { CampaignId } from '../../domain/ids.ts'
import type { Organization } from '../../domain/organization.ts'
import { type CompiledCampaign, compileCampaign } from '../../engine/definition/compile-campaign.ts'
import { listVersions } from '../../store/campaigns.ts'
import type { Tenant } from '../../store/tenant.ts'

interface VersionKey {
  readonly id: CampaignId
  readonly version: number
}

export interface CampaignCache {
  /** The compiled versions, in the requested order. */
  get(tenant: Tenant, organization: Organization, wanted: readonly VersionKey[]): Promise<CompiledCampaign[]>
}

/** The most recently used are kept, up to twice as many. */
const keptVersions = 1_000

export function createCampaignCache(): CampaignCache {
  const cache = new QuickLRU<string, CompiledCampaign>({ maxSize: keptVersions })
  // Campaign IDs are unique across organizations, so the ID and the version are a sufficient key.
  const keyOf = ({ id, version }: VersionKey) => `${id}:${version}`

  async function load(tenant: Tenant, organization: Organization, missing: readonly VersionKey[]) {
    const versions = await listVersions(tenant, missing)
    return versions.map(({ campaign, version, definition }) => {
      const compiled = compileCampaign(definition, organization)
      return [keyOf({ id: campaign, version }), compiled] as const
    })
  }

  return {
    async get(tenant, organization, wanted) {
      // Collected outside the cache, which may evict entries while we wait, and may be smaller than the
      // request.
      const found = new Map<string, CompiledCampaign>()
      for (const version of wanted) {
        const cached = cache.get(keyOf(version))
        if (cached) found.set(keyOf(version), cached)
      }
      const missing = wanted.filter((version) => !found.has(keyOf(version)))
      if (missing.length > 0) {
        for (const [key, compiled] of await load(tenant, organization, missing)) {
          cache.set(key, compiled)
          found.set(key, compiled)
        }
      }
      return wanted.map(({ id, version }) => {
        const compiled = found.get(keyOf({ id, version }))
        if (!compiled) throw new Error(`campaign ${id} has no version ${version}`)
        return compiled
      })
    },
  }
}
