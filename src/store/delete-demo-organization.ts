/**
 * Deletes a demo organization with everything in it. The service's role may not do that: it needs a
 * connection as the owner.
 */
import { execute, type Tenant } from './tenant.ts'

/** All other tables with rows of an organization, each before the tables that it refers to. */
export const organizationTables = [
  'audit_entries',
  'balance_definitions',
  'balances',
  'campaign_versions',
  'cards',
  'connection_secrets',
  'coupons',
  'customer_rule_usage',
  'daily_sums',
  'events',
  'http_requests',
  'idempotency_keys',
  'kept_multiples',
  'ledger_entries',
  'lots',
  'person_logins',
  'person_sessions',
  'products',
  'returns',
  'rule_usage',
  'sessions',
  'transactions',
  'wallets',
  'customers',
  'campaigns',
  'connections',
  'people',
  'users',
  'branches',
] as const

/** In a transaction: if the organization turns out not to be a demo, the deletions are rolled back. */
export async function deleteDemoOrganization({ db, orgId }: Tenant): Promise<void> {
  for (const table of organizationTables) await db.query(`DELETE FROM ${table} WHERE org_id = $1`, [orgId])
  const deleted = await execute(db, 'DELETE FROM organizations WHERE org_id = $1 AND is_demo', [orgId])
  if (deleted !== 1) throw new Error(`Organization ${orgId} is not a demo.`)
}
