/**
 * Published campaign versions, made ready for evaluation once. A version never changes after it was written,
 * so it may be kept; which version counts is read from the database with every basket.
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
  /** The compiled versions, in the order asked for. */
  get(tenant: Tenant, organization: Organization, wanted: readonly VersionKey[]): Promise<CompiledCampaign[]>
}

/** The most recently used are kept, up to twice as many. */
const keptVersions = 1_000

export function createCampaignCache(): CampaignCache {
  const cache = new QuickLRU<string, CompiledCampaign>({ maxSize: keptVersions })
  // Campaign ids are unique over all organizations, so the id and the version are enough of a key.
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
      // Gathered apart from the cache, which others may empty while we wait, and which may be smaller than the wish.
      const found = new Map<string, CompiledCampaign>()
      for (const one of wanted) {
        const held = cache.get(keyOf(one))
        if (held) found.set(keyOf(one), held)
      }
      const missing = wanted.filter((one) => !found.has(keyOf(one)))
      if (missing.length > 0) {
        for (const [key, compiled] of await load(tenant, organization, missing)) {
          cache.set(key, compiled)
          found.set(key, compiled)
        }
      }
      return wanted.map((one) => {
        const compiled = found.get(keyOf(one))
        if (!compiled) throw new Error(`campaign ${one.id} has no version ${one.version}`)
        return compiled
      })
    },
  }
}
