/** Compares two versions of a campaign; by default, the newest version and the draft. */
import type { Campaign } from '../../domain/campaign.ts'
import { Refused } from '../../domain/refusal.ts'
import { type Change, definitionChanges } from '../../engine/definition/definition-changes.ts'
import { listVersions } from '../../store/campaigns.ts'
import type { Tenant } from '../../store/tenant.ts'

export async function compareVersions(
  tenant: Tenant,
  { id, version, draft }: Campaign,
  { from = version, to }: { from?: number; to?: number },
): Promise<{ from: number; to?: number; changes: Change[] }> {
  const wanted = [from, to].flatMap((number) => (number ? { id, version: number } : []))
  const versions = await listVersions(tenant, wanted)
  const definitionOf = (field: string, number: number) => {
    const found = versions.find(({ version }) => version === number)
    if (!found) throw new Refused('_invalid_payload', `${field}: the campaign has no version ${number}.`)
    return found.definition
  }
  // Without a published version, all of the draft is new.
  const before = from === 0 ? {} : definitionOf('from', from)
  const after = to === undefined ? draft : definitionOf('to', to)
  return { from, to, changes: definitionChanges(before, after) }
}
