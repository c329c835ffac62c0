/** What the campaigns of an organization define for all its customers, whatever card they have. */

import type { Organization } from '../../domain/organization.ts'
import type { AttachedCampaign } from '../../engine/definition/compile-campaign.ts'
import { listPublishedCampaigns } from '../../store/campaigns.ts'
import type { Tenant } from '../../store/tenant.ts'
import type { CampaignCache } from './campaign-cache.ts'

/** With the name that merchants and customers see, which a draft may have changed. */
export interface LiveCampaign extends AttachedCampaign {
  readonly name: string
}

/** Every campaign that was ever published, in its newest version. */
export async function loadPublishedCampaigns(
  { campaigns }: { readonly campaigns: CampaignCache },
  tenant: Tenant,
  organization: Organization,
): Promise<LiveCampaign[]> {
  const published = await listPublishedCampaigns(tenant)
  const compiled = await campaigns.get(tenant, organization, published)
  return published.map((campaign, i) => ({ ...campaign, compiled: compiled[i]! }))
}
