/**
 * Verifies that the balances, entries, coupons and reports of an organization agree; lists where they do not.
 */
import type { CustomerId } from '../../domain/ids.ts'
import type { Organization } from '../../domain/organization.ts'
import type { CompiledCampaign } from '../../engine/definition/compile-campaign.ts'
import { listPublishedCampaigns } from '../../store/campaigns.ts'
import {
  checkBalances,
  checkCoupons,
  checkDailySums,
  checkMultiples,
  countCustomers,
  type Problem,
} from '../../store/integrity.ts'
import type { Tenant } from '../../store/tenant.ts'
import type { CampaignCache } from '../campaigns/campaign-cache.ts'

export interface LedgerReport {
  readonly ok: boolean
  readonly checked: {
    readonly customers: number
    readonly balances: number
    readonly entries: number
    readonly coupons: number
  }
  readonly problems: readonly Problem[]
}

const maxProblems = 1_000
const versionsAtOnce = 500

/** `onProgress` gets the number of customers checked and the total. */
export async function verifyLedger(
  campaigns: CampaignCache,
  tenant: Tenant,
  organization: Organization,
  onProgress: (done: number, of: number) => void = () => {},
): Promise<LedgerReport> {
  const customers = await countCustomers(tenant)
  const mayBeNegative = await negativeKeys(campaigns, tenant, organization)
  const problems: Problem[] = []
  let balances = 0
  let entries = 0
  let done = 0
  let after: CustomerId | undefined
  do {
    const piece = await checkBalances(tenant, after, mayBeNegative)
    balances += piece.balances
    entries += piece.entries
    problems.push(...piece.problems)
    after = piece.last
    done = Math.min(customers, done + 2_000)
    onProgress(done, customers)
  } while (after !== undefined)
  const coupons = await checkCoupons(tenant)
  const multiples = await checkMultiples(tenant)
  problems.push(...coupons.problems, ...multiples, ...(await checkDailySums(tenant)))
  return {
    ok: problems.length === 0,
    checked: { customers, balances, entries, coupons: coupons.coupons },
    problems: problems.slice(0, maxProblems),
  }
}

/**
 * Balances that a return may have taken below zero. A return uses the campaign version of its sale, so every
 * version counts; and the policy of a card's own campaign applies to campaigns that run on the card, so their
 * balances count.
 */
async function negativeKeys(
  cache: CampaignCache,
  tenant: Tenant,
  organization: Organization,
): Promise<string[]> {
  const campaigns = await listPublishedCampaigns(tenant)
  const versions = campaigns.flatMap(({ id, version }) =>
    Array.from({ length: version }, (_, i) => ({ id, version: i + 1 })),
  )
  const compiled: CompiledCampaign[] = []
  for (let i = 0; i < versions.length; i += versionsAtOnce) {
    compiled.push(...(await cache.get(tenant, organization, versions.slice(i, i + versionsAtOnce))))
  }
  const hosts = new Set<string>(
    versions.filter((_, i) => compiled[i]!.onInsufficientBalance === 'negative').map(({ id }) => id),
  )
  const isOnCardOf = (campaign: CompiledCampaign, i: number) =>
    hosts.has(versions[i]!.id) || campaign.runsOn.some((host) => hosts.has(host))
  return compiled.filter(isOnCardOf).flatMap(({ balances }) => balances.map(({ key }) => key))
}
