/**
 * Campaigns as a caller may see them. For a till only published ones exist, without the unpublished changes of
 * their drafts.
 */
import type { Campaign, CampaignStatus } from '../../domain/campaign.ts'
import type { CampaignId } from '../../domain/ids.ts'
import { notFound } from '../../domain/refusal.ts'
import { listCampaigns, listVersions } from '../../store/campaigns.ts'
import type { Tenant } from '../../store/tenant.ts'
import type { Caller } from '../deps.ts'
import { getCampaign } from './manage-campaigns.ts'

export async function listVisibleCampaigns(
  tenant: Tenant,
  caller: Caller,
  status: CampaignStatus | undefined,
  page: { readonly limit: number; readonly after?: CampaignId },
): Promise<Campaign[]> {
  if (seesDrafts(caller)) return listCampaigns(tenant, { ...page, status })
  if (status !== undefined && status !== 'published') return []
  return asPublished(tenant, await listCampaigns(tenant, { ...page, status: 'published' }))
}

export async function getVisibleCampaign(
  tenant: Tenant,
  caller: Caller,
  id: CampaignId | undefined,
): Promise<Campaign> {
  const campaign = await getCampaign(tenant, id)
  if (seesDrafts(caller)) return campaign
  if (campaign.status !== 'published') throw notFound('campaign_not_found')
  const [published] = await asPublished(tenant, [campaign])
  return published!
}

const seesDrafts = ({ scopes }: Caller) => scopes.includes('manage')

async function asPublished(tenant: Tenant, campaigns: readonly Campaign[]): Promise<Campaign[]> {
  const versions = await listVersions(tenant, campaigns)
  return campaigns.map((campaign) => {
    const { definition } = versions.find((version) => version.campaign === campaign.id)!
    return { ...campaign, draft: definition, hasChanges: false }
  })
}
