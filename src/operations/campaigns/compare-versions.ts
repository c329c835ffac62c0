/** What differs between two versions of a campaign; unless told, between the newest one and the draft. */
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
  const wanted = [from, to].flatMap((one) => (one ? { id, version: one } : []))
  const versions = await listVersions(tenant, wanted)
  const definitionOf = (member: string, number: number) => {
    const found = versions.find((one) => one.version === number)
    if (!found) throw new Refused('_invalid_payload', `${member}: the campaign has no version ${number}.`)
    return found.definition
  }
  // Before the first version there is nothing: all of the draft is new.
  const before = from === 0 ? {} : definitionOf('from', from)
  const after = to === undefined ? draft : definitionOf('to', to)
  return { from, to, changes: definitionChanges(before, after) }
}
