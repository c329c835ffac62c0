/** What campaigns of an organization say about all its customers, whatever card they hold. */

import type { Organization } from '../domain/organization.ts'
import type { CompiledCampaign } from '../engine/compile-campaign.ts'
import { type Inactivity, inactivityOf } from '../engine/expire-balances.ts'
import { listPublishedCampaigns } from '../store/campaigns.ts'
import type { Scope } from '../store/scope.ts'
import type { Deps } from './deps.ts'

/** Every campaign that was ever published, in its newest version. */
export async function publishedCampaigns(
  deps: Deps,
  scope: Scope,
  organization: Organization,
): Promise<CompiledCampaign[]> {
  return deps.campaigns.get(scope, organization, await listPublishedCampaigns(scope))
}

/** When balances go because their customer stayed away; the same for the till, the job and everybody else. */
export async function readInactivity(
  deps: Deps,
  scope: Scope,
  organization: Organization,
): Promise<Inactivity[]> {
  return inactivityOf(await publishedCampaigns(deps, scope, organization))
}
