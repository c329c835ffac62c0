/**
 * Published campaign versions, made ready for evaluation once. A version never changes after it was written,
 * so it may be kept; which version counts is read from the database with every basket.
 */

import type { CampaignId } from '../../domain/ids.ts'
import type { Organization } from '../../domain/organization.ts'
import { type CompiledCampaign, compileCampaign } from '../../engine/definition/compile-campaign.ts'
import { listVersions } from '../../store/campaigns.ts'
import type { Scope } from '../../store/scope.ts'

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

  async function load(scope: Scope, organization: Organization, missing: readonly VersionKey[]) {
    const versions = await listVersions(scope, missing)
    return versions.map(({ campaign, version, definition }) => {
      const compiled = compileCampaign(definition, organization)
      return [keyOf({ id: campaign, version }), compiled] as const
    })
  }

  /** The newest use is kept longest. */
  function keep(key: string, compiled: CompiledCampaign): void {
    cache.delete(key)
    if (cache.size >= maxCached) cache.delete(cache.keys().next().value!)
    cache.set(key, compiled)
  }

  return {
    async get(scope, organization, wanted) {
      // Gathered apart from the cache, which others may empty while we wait, and which may be smaller than the wish.
      const found = new Map<string, CompiledCampaign>()
      for (const one of wanted) {
        const held = cache.get(keyOf(one))
        if (held) found.set(keyOf(one), held)
      }
      const missing = wanted.filter((one) => !found.has(keyOf(one)))
      if (missing.length > 0)
        for (const [key, one] of await load(scope, organization, missing)) found.set(key, one)
      const result = wanted.map((one) => {
        const compiled = found.get(keyOf(one))
        if (!compiled) throw new Error(`campaign ${one.id} has no version ${one.version}`)
        return compiled
      })
      wanted.forEach((one, i) => {
        keep(keyOf(one), result[i]!)
      })
      return result
    },
  }
}
