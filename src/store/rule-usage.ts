/**
 * What rules with limits have given. A customer's own counters are guarded by the wallet's version; the
 * shared ones (`limits.total`) are separate rows, locked after the wallets and in the order of their key.
 */
import type { CampaignId, CustomerId } from '../domain/ids.ts'
import { dates, uuids } from './pg-arrays.ts'
import { idFrom, many, type Tenant, uuidOf } from './tenant.ts'

export interface CustomerUsage {
  readonly customer: CustomerId
  readonly campaign: CampaignId
  readonly rule: string
  /** A local day, or undefined for the customer's whole lifetime. */
  readonly day?: string
  readonly used: number
}

export interface SharedUsage {
  readonly campaign: CampaignId
  readonly rule: string
  readonly used: number
}

/** PostgreSQL's smallest date stands for "ever". */
export const everDay = '-infinity'

export async function listCustomerUsage(
  tenant: Tenant,
  customers: readonly CustomerId[],
  days: readonly string[],
): Promise<CustomerUsage[]> {
  const [rows] = await tenant.db.read([
    {
      name: 'customer-usage',
      text: `SELECT customer_id, campaign_id, rule_id, day, used FROM customer_rule_usage
     WHERE org_id = $1::integer AND customer_id = ANY($2::uuid[]) AND day = ANY($3::date[])`,
      values: [String(tenant.orgId), uuids(customers), dates([everDay, ...days])],
    },
  ])
  return rows!.map(([customer, campaign, rule, day, used]) => ({
    customer: idFrom('cus', customer!),
    campaign: idFrom('cmp', campaign!),
    rule: rule!,
    day: day === everDay ? undefined : day!,
    used: Number(used),
  }))
}

type RuleKey = Pick<SharedUsage, 'campaign' | 'rule'>

export async function listSharedUsage(tenant: Tenant, rules: readonly RuleKey[]): Promise<SharedUsage[]> {
  return sharedUsage(tenant, rules, '')
}

/** Creates missing rows and locks all of them until the transaction ends. */
export async function lockSharedUsage(tenant: Tenant, rules: readonly RuleKey[]): Promise<SharedUsage[]> {
  await tenant.db.query(
    `INSERT INTO rule_usage (org_id, campaign_id, rule_id)
     SELECT o.org_id, r.* FROM setup_versions o, unnest($2::uuid[], $3::text[]) AS r (campaign_id, rule_id)
     WHERE o.org_id = $1::integer
     ORDER BY campaign_id, rule_id ON CONFLICT DO NOTHING`,
    [tenant.orgId, rules.map((rule) => uuidOf(rule.campaign)), rules.map((rule) => rule.rule)],
  )
  return sharedUsage(tenant, rules, 'FOR UPDATE OF u')
}

async function sharedUsage(tenant: Tenant, rules: readonly RuleKey[], lock: string): Promise<SharedUsage[]> {
  const rows = await many<{ campaign_id: string; rule_id: string; used: number }>(
    tenant.db,
    `SELECT u.campaign_id, u.rule_id, u.used FROM rule_usage u
     JOIN unnest($2::uuid[], $3::text[]) AS r (campaign_id, rule_id) USING (campaign_id, rule_id)
     WHERE u.org_id = $1 ORDER BY u.campaign_id, u.rule_id ${lock}`,
    [tenant.orgId, rules.map((rule) => uuidOf(rule.campaign)), rules.map((rule) => rule.rule)],
  )
  return rows.map((row) => ({ campaign: idFrom('cmp', row.campaign_id), rule: row.rule_id, used: row.used }))
}
