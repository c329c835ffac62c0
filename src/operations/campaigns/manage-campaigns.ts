/**
 * Writes, publishes, pauses and archives campaigns. A definition is checked as a whole whenever it is
 * written, and again when it is published, since what it refers to may have changed in between; a published
 * campaign can therefore never fail at a till.
 */

import type { Campaign, CampaignStatus } from '../../domain/campaign.ts'
import type { CampaignId } from '../../domain/ids.ts'
import type { Organization } from '../../domain/organization.ts'
import { notFound, Refused } from '../../domain/refusal.ts'
import { toSentence } from '../../domain/validation-error.ts'
import type { CampaignDefinition } from '../../engine/definition/campaign-definition.ts'
import { checkDefinition } from '../../engine/definition/check-definition.ts'
import { definitionChanges } from '../../engine/definition/definition-changes.ts'
import {
  findCampaign,
  insertBalanceDefinitions,
  insertCampaign,
  insertCampaignVersion,
  listBalanceDefinitions,
  listCampaignIds,
  listVersions,
  lockCampaign,
  updateCampaign,
} from '../../store/campaigns.ts'
import { upsertDueWork } from '../../store/due-work.ts'
import { insertEvents } from '../../store/events.ts'
import { newId } from '../../store/new-id.ts'
import type { Tenant } from '../../store/tenant.ts'
import { nextLook } from '../events/delete-old-events.ts'
import { mergePatch } from '../merge-patch.ts'
import { refuseHoard, refuseOverload } from './refuse-overload.ts'

export async function getCampaign(tenant: Tenant, id: CampaignId | undefined): Promise<Campaign> {
  const campaign = id && (await findCampaign(tenant, id))
  if (!campaign) throw notFound('campaign_not_found')
  return campaign
}

async function lockOrRefuse(tenant: Tenant, id: CampaignId | undefined): Promise<Campaign> {
  const campaign = id && (await lockCampaign(tenant, id))
  if (!campaign) throw notFound('campaign_not_found')
  return campaign
}

export async function createCampaign(
  tenant: Tenant,
  organization: Organization,
  definition: Record<string, unknown>,
  now: Date,
): Promise<Campaign> {
  const id = newId('cmp', now)
  await refuseBadDefinition(tenant, organization, definition, id)
  await refuseOverload(tenant, id, definition)
  const campaign: Campaign = {
    id,
    name: definition.name as string,
    status: 'draft',
    version: 0,
    draft: definition,
    hasChanges: true,
    createdAt: now,
    updatedAt: now,
  }
  await insertCampaign(tenant, campaign)
  return campaign
}

/** Changes the draft. A published campaign keeps running unchanged until it is published again. */
export async function patchCampaign(
  tenant: Tenant,
  organization: Organization,
  id: CampaignId | undefined,
  patch: Record<string, unknown>,
  now: Date,
): Promise<Campaign> {
  const before = await lockOrRefuse(tenant, id)
  if (before.status === 'archived') throw new Refused('invalid_campaign', archivedMessage)
  const draft = mergePatch(before.draft, patch) as Record<string, unknown>
  await refuseBadDefinition(tenant, organization, draft, before.id)
  await refuseOverload(tenant, before.id, draft, before.draft)
  const isPublished = before.version > 0
  const campaign: Campaign = {
    ...before,
    name: isPublished ? before.name : (draft.name as string),
    draft,
    hasChanges: await differsFromPublished(tenant, before, draft),
    updatedAt: now,
  }
  await updateCampaign(tenant, campaign)
  return campaign
}

const archivedMessage = 'The campaign is archived. Create a new one from its definition.'

async function differsFromPublished(
  tenant: Tenant,
  { id, version }: Campaign,
  draft: unknown,
): Promise<boolean> {
  const [published] = version === 0 ? [] : await listVersions(tenant, [{ id, version }])
  return !published || definitionChanges(published.definition, draft).length > 0
}

/** Makes the draft the next version, effective with the next basket; a paused campaign resumes. */
export async function publishCampaign(
  tenant: Tenant,
  organization: Organization,
  id: CampaignId | undefined,
  now: Date,
): Promise<Campaign> {
  const before = await lockOrRefuse(tenant, id)
  if (before.status === 'archived') {
    throw new Refused('invalid_campaign', archivedMessage)
  }
  // Before the checks, because it locks the organization's setup until the end: of two campaigns publishing
  // the same new balance the second sees the first's decimals, and of two that are too much together on one
  // card the second is refused.
  await insertBalanceDefinitions(tenant, balancesOf(before.draft))
  await refuseBadDefinition(tenant, organization, before.draft, before.id)
  await refuseOverload(tenant, before.id, before.draft)
  if (!before.hasChanges) {
    const campaign: Campaign = { ...before, status: 'published', updatedAt: now }
    await changeInactivity(tenant, campaign, now)
    return campaign
  }
  await refuseHoard(tenant, before.id, before.draft)
  const campaign: Campaign = {
    ...before,
    name: before.draft.name as string,
    status: 'published',
    version: before.version + 1,
    hasChanges: false,
    updatedAt: now,
  }
  await insertCampaignVersion(tenant, {
    campaign: campaign.id,
    version: campaign.version,
    definition: campaign.draft,
    publishedAt: now,
  })
  await changeInactivity(tenant, campaign, now)
  await insertEvents(
    tenant,
    [{ type: 'campaign.published', data: { campaign: campaign.id, version: campaign.version } }],
    now,
  )
  return campaign
}

function balancesOf(definition: Record<string, unknown>): { key: string; name: string; decimals: number }[] {
  const balances = (definition as CampaignDefinition).balances
  return balances.map(({ key, name, decimals }) => ({ key, name: name ?? key, decimals: decimals ?? 0 }))
}

/** Paused: no registrations, and nothing is collected. Archived: the same, permanently. */
export async function stopCampaign(
  tenant: Tenant,
  id: CampaignId | undefined,
  status: Extract<CampaignStatus, 'paused' | 'archived'>,
  now: Date,
): Promise<Campaign> {
  const before = await lockOrRefuse(tenant, id)
  if (before.status === status) return before
  if (before.status === 'archived') throw new Refused('invalid_campaign', 'The campaign is archived.')
  if (status === 'paused' && before.status === 'draft') {
    throw new Refused('invalid_campaign', 'The campaign has never been published, so it cannot be paused.')
  }
  const campaign: Campaign = { ...before, status, updatedAt: now }
  await changeInactivity(tenant, campaign, now)
  return campaign
}

/** Writes a campaign whose rules begin or end to count: balances may be inactive by the new ones already. */
async function changeInactivity(tenant: Tenant, campaign: Campaign, now: Date): Promise<void> {
  await updateCampaign(tenant, campaign)
  // The version before events were deleted may have created the organization, while the service was upgraded.
  await upsertDueWork(tenant, [{ kind: 'inactivity', at: now }, nextLook(now)], now)
}

/** Checks every definition that is stored, published or tried. */
export async function refuseBadDefinition(
  tenant: Tenant,
  organization: Organization,
  definition: Record<string, unknown>,
  self: CampaignId,
): Promise<void> {
  const [problem] = checkDefinition(definition, {
    currencyDecimals: organization.currencyDecimals,
    knownBalances: await listBalanceDefinitions(tenant),
    knownCampaigns: await listCampaignIds(tenant),
    self,
  })
  if (!problem) return
  const code = problem.kind === 'syntax' ? '_invalid_payload' : 'invalid_campaign_definition'
  throw new Refused(code, toSentence(problem, 'definition'))
}
