/** What campaigns of an organization say about all its customers, whatever card they hold. */

import type { Organization } from '../../domain/organization.ts'
import type { AttachedCampaign } from '../../engine/definition/compile-campaign.ts'
import { type Inactivity, inactivityOf } from '../../engine/steps/expire-balances.ts'
import { listPublishedCampaigns } from '../../store/campaigns.ts'
import type { Scope } from '../../store/scope.ts'
import type { CampaignCache } from './campaign-cache.ts'

/** Every campaign that was ever published, in its newest version. */
export async function publishedCampaigns(
  { campaigns }: { readonly campaigns: CampaignCache },
  scope: Scope,
  organization: Organization,
): Promise<AttachedCampaign[]> {
  const published = await listPublishedCampaigns(scope)
  const compiled = await campaigns.get(scope, organization, published)
  return published.map((campaign, i) => ({ ...campaign, compiled: compiled[i]! }))
}

/** When balances go because their customer stayed away; the same for the till, the job and everybody else. */
export async function readInactivity(
  deps: { readonly campaigns: CampaignCache },
  scope: Scope,
  organization: Organization,
): Promise<Inactivity[]> {
  const published = await publishedCampaigns(deps, scope, organization)
  return inactivityOf(published.map(({ compiled }) => compiled))
}
