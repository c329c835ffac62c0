/**
 * Deletes a demo organization with everything in it. The service's role may not do that: it needs a
 * connection as the owner.
 */
import { execute, maybeOne, type Tenant } from './tenant.ts'

/** All other tables with rows of an organization, each before the tables that it refers to. */
export const organizationTables = [
  'archived_balances',
  'archived_returns',
  'archived_sums',
  'archived_transactions',
  'archived_files',
  'audit_entries',
  'automatic_messages',
  'balance_definitions',
  'balances',
  'campaign_versions',
  'cards',
  'connection_secrets',
  'contact_codes',
  'coupons',
  'customer_rule_usage',
  'daily_sums',
  'due_work',
  'enrollment_pages',
  'event_counters',
  'events',
  'http_requests',
  'idempotency_keys',
  'import_chunks',
  'imports',
  'kept_multiples',
  'ledger_entries',
  'lots',
  'message_templates',
  'messages',
  'pass_feeds',
  'pass_registrations',
  'pass_settings',
  'passes',
  'person_logins',
  'person_sessions',
  'products',
  'received_messages',
  'returns',
  'rule_usage',
  'senders',
  'sessions',
  'setup_versions',
  'sources',
  'transactions',
  'wallets',
  'webhook_deliveries',
  'webhook_secrets',
  'webhooks',
  'customers',
  'campaigns',
  'connections',
  'people',
  'users',
  'branches',
] as const

/** Checks first, and deletes nothing of any other organization even outside of a transaction. */
export async function deleteDemoOrganization({ db, orgId }: Tenant): Promise<void> {
  const isDemo = 'SELECT 1 FROM organizations WHERE org_id = $1 AND is_demo FOR UPDATE'
  if (!(await maybeOne(db, isDemo, [orgId]))) throw new Error(`Organization ${orgId} is not a demo.`)
  for (const table of organizationTables) await db.query(`DELETE FROM ${table} WHERE org_id = $1`, [orgId])
  await execute(db, 'DELETE FROM organizations WHERE org_id = $1 AND is_demo', [orgId])
}
