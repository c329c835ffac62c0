/** Organizations for tests, and what a new one gets from its live one. */
import type { Organization } from '../domain/organization.ts'
import type { AuditEntry } from './audit-entries.ts'
import { organizationTables } from './delete-demo-organization.ts'
import { kindsInOwnTime } from './due-work.ts'
import { type OrganizationRow, organizationColumns, toOrganization } from './organizations.ts'
import { many, maybeOne, platformOrg, type Tenant, uuidOf } from './tenant.ts'

/** In the order in which they were created. */
export async function listTestOrganizations(tenant: Tenant): Promise<Organization[]> {
  const rows = await many<OrganizationRow>(
    tenant.as(platformOrg).db,
    `SELECT ${organizationColumns} FROM organizations o WHERE o.test_of = $1 ORDER BY o.org_id`,
    [tenant.orgId],
  )
  return rows.map(toOrganization)
}

/** Nothing is due yet. From now on each of them has a row, which says how far the clock is ahead. */
export async function insertWorkInOwnTime(own: Tenant): Promise<void> {
  await own.db.query(
    `INSERT INTO due_work (org_id, kind) SELECT o.org_id, k.kind FROM setup_versions o, unnest($2::text[]) AS k (kind)
     WHERE o.org_id = $1 ON CONFLICT DO NOTHING`,
    [own.orgId, kindsInOwnTime],
  )
}

/**
 * Deletes it with everything in it, if it is a test organization of the tenant, and writes the audit entry. The database
 * decides that, too: the service's role has no right to delete most of this, and a function does it with the rights of
 * the owner.
 */
export async function deleteTestOrganization(
  { db, orgId }: Tenant,
  test: number,
  entry: AuditEntry,
): Promise<boolean> {
  const { id, user, ...rest } = entry
  const row = await maybeOne<{ isDeleted: boolean }>(
    db,
    'SELECT delete_test_organization($1, $2, $3, $4::json) AS "isDeleted"',
    [
      test,
      orgId,
      organizationTables,
      JSON.stringify({ id: uuidOf(id), user: user && uuidOf(user), ...rest }),
    ],
  )
  return row!.isDeleted
}

const shared = {
  settings: ['color', 'logo', 'contact', 'strict_references', 'max_backdate_days'],
  balances: ['key', 'name', 'decimals'],
  campaigns: ['id', 'name', 'status', 'draft', 'has_changes', 'version', 'created_at', 'updated_at'],
  versions: ['campaign_id', 'version', 'definition', 'published_at'],
  branches: ['id', 'opaque_id', 'name', 'created_at', 'updated_at'],
  products: ['id', 'opaque_id', 'name', 'category', 'price', 'created_at', 'updated_at'],
  texts: ['kind', 'channel', 'language', 'subject', 'body', 'updated_at'],
  automatic: ['kind', 'channels', 'days', 'position', 'updated_at'],
} as const

/** The rows of a table, as JSON: nobody sees those of two organizations at once. */
async function read({ db, orgId }: Tenant, from: string): Promise<string> {
  const row = await maybeOne<{ rows: string }>(
    db,
    `SELECT coalesce(json_agg(r), '[]')::text AS rows FROM (${from}) r`,
    [orgId],
  )
  return row!.rows
}

async function write(
  { db, orgId }: Tenant,
  table: string,
  columns: readonly string[],
  rows: string,
  onConflict = '',
): Promise<void> {
  const names = columns.map((column) => `"${column}"`).join(', ')
  await db.query(
    `INSERT INTO ${table} (org_id, ${names}) SELECT o.org_id, ${columns.map((column) => `r."${column}"`).join(', ')}
     FROM setup_versions o, json_populate_recordset(NULL::${table}, $2::json) AS r WHERE o.org_id = $1 ${onConflict}`,
    [orgId, rows],
  )
}

/** What customers see of the merchant, and what tills may do. */
export async function copySettings(from: Tenant, to: Tenant): Promise<void> {
  const names = shared.settings.join(', ')
  const rows = await read(from, `SELECT ${names} FROM organizations WHERE org_id = $1`)
  await to.db.query(
    `UPDATE organizations SET (${names}) = (SELECT ${names} FROM json_populate_recordset(NULL::organizations, $2::json))
     WHERE org_id = $1`,
    [to.orgId, rows],
  )
}

/** Those that run, as they run, under the same IDs: campaigns refer to each other. */
export async function copyCampaigns(from: Tenant, to: Tenant): Promise<void> {
  const published = `FROM campaigns c
    JOIN campaign_versions v ON v.org_id = c.org_id AND v.campaign_id = c.id AND v.version = c.version
    WHERE c.org_id = $1 AND c.status = 'published'`
  const balances = await read(
    from,
    `SELECT ${shared.balances.join(', ')} FROM balance_definitions WHERE org_id = $1`,
  )
  const campaigns = await read(
    from,
    `SELECT c.id, c.name, c.status, v.definition AS draft, false AS has_changes, c.version, c.created_at, c.updated_at ${published}`,
  )
  const versions = await read(
    from,
    `SELECT ${shared.versions.map((column) => `v.${column}`).join(', ')} ${published}`,
  )
  await write(to, 'balance_definitions', shared.balances, balances)
  await write(to, 'campaigns', shared.campaigns, campaigns)
  await write(to, 'campaign_versions', shared.versions, versions)
}

export async function copyBranches(from: Tenant, to: Tenant): Promise<void> {
  const rows = await read(from, `SELECT ${shared.branches.join(', ')} FROM branches WHERE org_id = $1`)
  // The main branch is there already.
  await write(
    to,
    'branches',
    shared.branches,
    rows,
    'ON CONFLICT (org_id, opaque_id) DO UPDATE SET name = EXCLUDED.name',
  )
}

export async function copyProducts(from: Tenant, to: Tenant): Promise<void> {
  const rows = await read(from, `SELECT ${shared.products.join(', ')} FROM products WHERE org_id = $1`)
  await write(to, 'products', shared.products, rows)
}

/** Which messages are sent, and in which words. Nothing that sends them. */
export async function copyMessages(from: Tenant, to: Tenant): Promise<void> {
  const texts = await read(from, `SELECT ${shared.texts.join(', ')} FROM message_templates WHERE org_id = $1`)
  const automatic = await read(
    from,
    // There are no events yet.
    `SELECT kind, channels, days, CASE WHEN position IS NOT NULL THEN 0 END AS position, updated_at
     FROM automatic_messages WHERE org_id = $1`,
  )
  await write(to, 'message_templates', shared.texts, texts)
  await write(to, 'automatic_messages', shared.automatic, automatic)
}
