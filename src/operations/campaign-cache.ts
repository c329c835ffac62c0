/**
 * Published campaign versions, made ready for evaluation once. A version never changes after it was written,
 * so it may be kept; which version counts is read from the database with every basket.
 */

import type { CampaignId } from '../domain/ids.ts'
import type { Organization } from '../domain/organization.ts'
import { type CompiledCampaign, compileCampaign } from '../engine/compile-campaign.ts'
import { listVersions } from '../store/campaigns.ts'
import type { Scope } from '../store/scope.ts'

interface VersionKey {
  readonly id: CampaignId
  readonly version: number
}

export interface CampaignCache {
  /** The compiled versions, in the order asked for. */
  get(scope: Scope, organization: Organization, wanted: readonly VersionKey[]): Promise<CompiledCampaign[]>
}

const maxCached = 2_000

export function createCampaignCache(): CampaignCache {
  const cache = new Map<string, CompiledCampaign>()
  // Campaign ids are unique over all organizations, so the id and the version are enough of a key.
  const keyOf = ({ id, version }: VersionKey) => `${id}:${version}`

  async function load(
    scope: Scope,
    organization: Organization,
    missing: readonly VersionKey[],
  ): Promise<void> {
    for (const { campaign, version, definition } of await listVersions(scope, missing)) {
      if (cache.size >= maxCached) cache.delete(cache.keys().next().value!)
      cache.set(keyOf({ id: campaign, version }), compileCampaign(definition, organization))
    }
  }

  return {
    async get(scope, organization, wanted) {
      const missing = wanted.filter((one) => !cache.has(keyOf(one)))
      if (missing.length > 0) await load(scope, organization, missing)
      return wanted.map((one) => {
        const compiled = cache.get(keyOf(one))
        if (!compiled) throw new Error(`campaign ${one.id} has no version ${one.version}`)
        return compiled
      })
    },
  }
}
