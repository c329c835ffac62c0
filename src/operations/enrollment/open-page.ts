/** The public page of a campaign, which anyone can open: it names no customer, and shows what all may know. */
import { consentWords } from '../../domain/consent-words.ts'
import type { EnrollmentPage } from '../../domain/enrollment.ts'
import type { Language } from '../../domain/language.ts'
import { type Channel, channels } from '../../domain/message.ts'
import type { ShownOrganization } from '../../domain/organization.ts'
import { hasEnded } from '../../engine/rules/rule-conditions.ts'
import { findNamedPage } from '../../store/enrollment-pages.ts'
import { findShownOrganization } from '../../store/organizations.ts'
import { listSenders } from '../../store/senders.ts'
import { findSetupVersion } from '../../store/setup.ts'
import { platformTenant, type Tenant, tenantOf } from '../../store/tenant.ts'
import type { LiveCampaign } from '../campaigns/published-campaigns.ts'
import type { Deps } from '../deps.ts'
import type { Setup } from '../organizations/setup-cache.ts'
import { timeOf } from '../organizations/time-of.ts'
import type { ChallengeOf } from './challenges.ts'

export type NamedPage = EnrollmentPage & { readonly org: number }

/** Names that cannot exist are not looked up. */
export async function findPage({ pool }: Deps, shortName: string): Promise<NamedPage | undefined> {
  return /^[a-z0-9-]{3,40}$/.test(shortName) ? findNamedPage(platformTenant(pool), shortName) : undefined
}

export interface OpenPage {
  readonly tenant: Tenant
  readonly page: NamedPage
  readonly setup: Setup
  readonly organization: ShownOrganization
  readonly campaign: LiveCampaign
  readonly isOpen: boolean
  /** What messages can be sent by. */
  readonly senders: readonly Channel[]
  /** By language. */
  readonly consent: Readonly<Record<Language, string>>
}

/** Undefined if the campaign was never published, or if the organization has no subscription. */
export async function openPage(deps: Deps, page: NamedPage): Promise<OpenPage | undefined> {
  const tenant = tenantOf(deps.pool, page.org)
  const setup = await deps.setupCache.get(tenant, await findSetupVersion(tenant))
  const campaign = setup.live.find(({ id }) => id === page.campaign)
  if (!campaign || !setup.organization.isSubscribed) return undefined
  const organization = await findShownOrganization(tenant, setup.organization)
  const set = (await listSenders(tenant)).map(({ channel }) => channel)
  const isRunning =
    campaign.status === 'published' &&
    !hasEnded(campaign.compiled, timeOf(deps, organization), organization.timezone)
  return {
    tenant,
    page,
    setup,
    organization,
    campaign,
    isOpen: page.mode !== 'off' && isRunning,
    senders: channels.filter((channel) => set.includes(channel)),
    consent: consentWords(organization.name, organization.contact),
  }
}

export const challengeOf = ({ page: { org, shortName }, consent }: OpenPage): ChallengeOf => ({
  org,
  shortName,
  wording: consent,
})
