/** What campaigns of an organization say about all its customers, whatever card they hold. */

import type { Organization } from '../../domain/organization.ts'
import type { AttachedCampaign } from '../../engine/definition/compile-campaign.ts'
import { type Inactivity, inactivityOf } from '../../engine/steps/expire-balances.ts'
import { listPublishedCampaigns } from '../../store/campaigns.ts'
import type { Tenant } from '../../store/tenant.ts'
import type { CampaignCache } from './campaign-cache.ts'

/** Every campaign that was ever published, in its newest version. */
export async function loadPublishedCampaigns(
  { campaigns }: { readonly campaigns: CampaignCache },
  tenant: Tenant,
  organization: Organization,
): Promise<AttachedCampaign[]> {
  const published = await listPublishedCampaigns(tenant)
  const compiled = await campaigns.get(tenant, organization, published)
  return published.map((campaign, i) => ({ ...campaign, compiled: compiled[i]! }))
}

/** When balances go because their customer stayed away; the same for the till, the job and everybody else. */
export async function readInactivity(
  deps: { readonly campaigns: CampaignCache },
  tenant: Tenant,
  organization: Organization,
): Promise<Inactivity[]> {
  const published = await loadPublishedCampaigns(deps, tenant, organization)
  return inactivityOf(published.map(({ compiled }) => compiled))
}
