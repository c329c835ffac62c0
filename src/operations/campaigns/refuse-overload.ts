/**
 * Bounds what one organization can make the service keep and compute, where a campaign is written or
 * published. What was accepted before stays valid, and its sales continue.
 */
import type { CampaignSize } from '../../domain/campaign.ts'
import type { CampaignId } from '../../domain/ids.ts'
import { Refused } from '../../domain/refusal.ts'
import { toSentence } from '../../domain/validation-error.ts'
import { findOverload, sizeOf } from '../../engine/definition/card-load.ts'
import { getPublishedSize, listCampaignSizes } from '../../store/campaigns.ts'
import type { Tenant } from '../../store/tenant.ts'

/** Refuses a definition that adds to a card which then has too much. `drafted` was accepted before. */
export async function refuseOverload(
  tenant: Tenant,
  id: CampaignId,
  definition: Record<string, unknown>,
  drafted?: Record<string, unknown>,
): Promise<void> {
  const running = await listCampaignSizes(tenant)
  const isOwn = (campaign: CampaignSize) => campaign.id === id
  const accepted = [...running.filter(isOwn), ...(drafted ? [sizeOf(id, drafted)] : [])]
  const others = running.filter((campaign) => !isOwn(campaign))
  const overload = findOverload(sizeOf(id, definition), accepted, others)
  if (overload) throw new Refused('invalid_campaign_definition', toSentence(overload))
}

/** Every process keeps them compiled, also those of archived campaigns, whose cards can still spend. */
const maxPublished = { campaigns: 2_000, bytes: 16 * 1024 * 1024 }

/** Refuses a publication with which the organization would have published too much. */
export async function refuseHoard(
  tenant: Tenant,
  id: CampaignId,
  definition: Record<string, unknown>,
): Promise<void> {
  const { otherCampaigns, otherBytes, ownBytes } = await getPublishedSize(tenant, id)
  if (ownBytes === 0 && otherCampaigns >= maxPublished.campaigns) {
    throw new Refused(
      'invalid_campaign_definition',
      `The organization has published ${otherCampaigns} campaigns, archived ones included, and can have at most ${maxPublished.campaigns}. Publish a new version of one of them instead.`,
    )
  }
  const bytes = Buffer.byteLength(JSON.stringify(definition))
  if (otherBytes + bytes <= maxPublished.bytes || bytes <= ownBytes) return
  throw new Refused(
    'invalid_campaign_definition',
    `All published campaigns together, archived ones included, would have ${toMb(otherBytes + bytes)} MB, and can have at most ${toMb(maxPublished.bytes)} MB. Publish smaller versions of some of them first.`,
  )
}

const toMb = (bytes: number) => (bytes / 1024 / 1024).toFixed(1)
