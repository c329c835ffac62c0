/** How customers can enroll themselves into a campaign: whether at all, and at which address. */
import { type EnrollmentMode, type EnrollmentPage, suggestShortNames } from '../../domain/enrollment.ts'
import type { CampaignId } from '../../domain/ids.ts'
import type { Organization } from '../../domain/organization.ts'
import { notFound, Refused } from '../../domain/refusal.ts'
import { findCampaign, lockCampaign } from '../../store/campaigns.ts'
import { findEnrollmentPage, listTakenNames, upsertEnrollmentPage } from '../../store/enrollment-pages.ts'
import { platformOrg, type Tenant } from '../../store/tenant.ts'
import { refuseOnConstraint } from '../refuse-on-constraint.ts'

/** Without a short name there is no page yet. */
export interface Enrollment extends Pick<EnrollmentPage, 'campaign' | 'mode'> {
  readonly shortName?: string
  /** A name that is free, where there is none yet. */
  readonly suggestion?: string
}

export async function readEnrollment(
  tenant: Tenant,
  organization: Organization,
  id: CampaignId | undefined,
): Promise<Enrollment> {
  const campaign = id && (await findCampaign(tenant, id))
  if (!campaign) throw notFound('campaign_not_found')
  const page = await findEnrollmentPage(tenant, campaign.id)
  if (page) return page
  const suggestion = await suggest(tenant, organization, campaign)
  return { campaign: campaign.id, mode: 'off', suggestion }
}

export async function patchEnrollment(
  tenant: Tenant,
  organization: Organization,
  id: CampaignId | undefined,
  patch: { readonly shortName?: string; readonly mode?: EnrollmentMode },
  now: Date,
): Promise<Enrollment> {
  const campaign = id && (await lockCampaign(tenant, id))
  if (!campaign) throw notFound('campaign_not_found')
  const before = await findEnrollmentPage(tenant, campaign.id)
  const shortName = patch.shortName ?? before?.shortName ?? (await suggest(tenant, organization, campaign))
  const mode = patch.mode ?? before?.mode ?? 'off'
  if (shortName !== before?.shortName) await refuseTaken(tenant, organization, campaign, shortName)
  const page: EnrollmentPage = { shortName, campaign: campaign.id, mode }
  // Another request may take the name meanwhile.
  await refuseOnConstraint({ enrollment_pages_pkey: 'short_name_taken' }, () =>
    upsertEnrollmentPage(tenant, page, now),
  )
  return page
}

interface Named {
  readonly id: CampaignId
  readonly name: string
}

async function refuseTaken(
  tenant: Tenant,
  organization: Organization,
  campaign: Named,
  shortName: string,
): Promise<void> {
  const [taken] = await listTakenNames(tenant.as(platformOrg), [shortName])
  if (!taken) return
  const free = await suggest(tenant, organization, campaign)
  throw new Refused('short_name_taken', `shortName: "${shortName}" is taken. "${free}" is free.`)
}

async function suggest(tenant: Tenant, organization: Organization, { id, name }: Named): Promise<string> {
  const names = suggestShortNames(organization.name, name, id)
  const taken = await listTakenNames(tenant.as(platformOrg), names)
  const isFree = (each: string) => taken.every(({ shortName }) => shortName !== each)
  return names.find(isFree) ?? names.at(-1)!
}
