/** Campaigns: an editable draft, and published versions that never change once written. */
import type { Campaign, CampaignSize, CampaignStatus, CampaignVersion } from '../domain/campaign.ts'
import type { CampaignId } from '../domain/ids.ts'
import { updateSetupVersion } from './setup.ts'
import { idFrom, many, maybeOne, type Tenant, uuidOf } from './tenant.ts'

interface CampaignRow {
  id: string
  name: string
  status: CampaignStatus
  draft: Record<string, unknown>
  has_changes: boolean
  version: number
  created_at: Date
  updated_at: Date
}

const toCampaign = (row: CampaignRow): Campaign => ({
  id: idFrom('cmp', row.id),
  name: row.name,
  status: row.status,
  draft: row.draft,
  hasChanges: row.has_changes,
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

export async function findCampaign(tenant: Tenant, id: CampaignId): Promise<Campaign | undefined> {
  const row = await maybeOne<CampaignRow>(
    tenant.db,
    'SELECT * FROM campaigns WHERE org_id = $1 AND id = $2',
    [tenant.orgId, uuidOf(id)],
  )
  return row && toCampaign(row)
}

export async function lockCampaign(tenant: Tenant, id: CampaignId): Promise<Campaign | undefined> {
  const row = await maybeOne<CampaignRow>(
    tenant.db,
    'SELECT * FROM campaigns WHERE org_id = $1 AND id = $2 FOR NO KEY UPDATE',
    [tenant.orgId, uuidOf(id)],
  )
  return row && toCampaign(row)
}

export async function listCampaigns(
  tenant: Tenant,
  page: { limit: number; after?: CampaignId; status?: CampaignStatus },
): Promise<Campaign[]> {
  const rows = await many<CampaignRow>(
    tenant.db,
    `SELECT * FROM campaigns WHERE org_id = $1 AND ($2::uuid IS NULL OR id < $2) AND ($3::text IS NULL OR status = $3)
     ORDER BY id DESC LIMIT $4`,
    [tenant.orgId, page.after ? uuidOf(page.after) : null, page.status ?? null, page.limit],
  )
  return rows.map(toCampaign)
}

export interface PublishedCampaign {
  readonly id: CampaignId
  readonly name: string
  readonly version: number
  /** A campaign that was published is no longer a draft. */
  readonly status: Exclude<CampaignStatus, 'draft'>
}

/** Every campaign that was ever published, with its newest version. */
export async function listPublishedCampaigns(tenant: Tenant): Promise<PublishedCampaign[]> {
  const rows = await many<PublishedCampaign>(
    tenant.db,
    'SELECT id, name, version, status FROM campaigns WHERE org_id = $1 AND version > 0 ORDER BY id',
    [tenant.orgId],
  )
  return rows.map((row) => ({ ...row, id: idFrom('cmp', row.id) }))
}

/** What can run now: the sizes of published and paused campaigns, in their newest versions. */
export async function listCampaignSizes(tenant: Tenant): Promise<CampaignSize[]> {
  const rows = await many<Omit<CampaignSize, 'id'> & { id: string }>(
    tenant.db,
    `SELECT c.id, c.name,
       coalesce(json_array_length(d.rules), 0) AS rules,
       coalesce(json_array_length(d.thresholds), 0) AS thresholds,
       coalesce(json_array_length(d.tiers), 0) AS tiers,
       coalesce((SELECT json_agg(b ->> 'key') FROM json_array_elements(d.balances) b), '[]') AS balances,
       coalesce(d."runsOn", '[]') AS "runsOn"
     FROM campaigns c
     JOIN campaign_versions v ON v.org_id = c.org_id AND v.campaign_id = c.id AND v.version = c.version
     CROSS JOIN json_to_record(v.definition)
       AS d (rules json, thresholds json, tiers json, balances json, "runsOn" json)
     WHERE c.org_id = $1 AND c.status IN ('published', 'paused')`,
    [tenant.orgId],
  )
  return rows.map((row) => ({ ...row, id: idFrom('cmp', row.id) }))
}

/** Everything that the organization has ever published, in its newest versions: one campaign, and the others. */
export async function getPublishedSize(
  tenant: Tenant,
  own: CampaignId,
): Promise<{ readonly otherCampaigns: number; readonly otherBytes: number; readonly ownBytes: number }> {
  const row = await maybeOne<{ campaigns: number; bytes: number; own: number }>(
    tenant.db,
    `SELECT count(*) FILTER (WHERE c.id <> $2) AS campaigns,
       coalesce(sum(octet_length(v.definition::text)) FILTER (WHERE c.id <> $2), 0)::bigint AS bytes,
       coalesce(sum(octet_length(v.definition::text)) FILTER (WHERE c.id = $2), 0)::bigint AS own
     FROM campaigns c
     JOIN campaign_versions v ON v.org_id = c.org_id AND v.campaign_id = c.id AND v.version = c.version
     WHERE c.org_id = $1`,
    [tenant.orgId, uuidOf(own)],
  )
  return { otherCampaigns: row!.campaigns, otherBytes: row!.bytes, ownBytes: row!.own }
}

/** Current names of campaigns, as merchants and customers see them. */
export async function listCampaignNames(
  tenant: Tenant,
  ids: readonly CampaignId[],
): Promise<Map<CampaignId, string>> {
  if (ids.length === 0) return new Map()
  const rows = await many<{ id: string; name: string }>(
    tenant.db,
    'SELECT id, name FROM campaigns WHERE org_id = $1 AND id = ANY($2::uuid[])',
    [tenant.orgId, ids.map(uuidOf)],
  )
  return new Map(rows.map(({ id, name }) => [idFrom('cmp', id), name]))
}

export async function listCampaignIds(tenant: Tenant): Promise<CampaignId[]> {
  const rows = await many<{ id: string }>(tenant.db, 'SELECT id FROM campaigns WHERE org_id = $1', [
    tenant.orgId,
  ])
  return rows.map((row) => idFrom('cmp', row.id))
}

export async function insertCampaign(tenant: Tenant, campaign: Campaign): Promise<void> {
  await tenant.db.query(
    `INSERT INTO campaigns (org_id, id, name, status, draft, has_changes, version, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      tenant.orgId,
      uuidOf(campaign.id),
      campaign.name,
      campaign.status,
      JSON.stringify(campaign.draft),
      campaign.hasChanges,
      campaign.version,
      campaign.createdAt,
      campaign.updatedAt,
    ],
  )
  await updateSetupVersion(tenant)
}

export async function updateCampaign(tenant: Tenant, campaign: Campaign): Promise<void> {
  await tenant.db.query(
    `UPDATE campaigns SET name = $3, status = $4, draft = $5, has_changes = $6, version = $7, updated_at = $8
     WHERE org_id = $1 AND id = $2`,
    [
      tenant.orgId,
      uuidOf(campaign.id),
      campaign.name,
      campaign.status,
      JSON.stringify(campaign.draft),
      campaign.hasChanges,
      campaign.version,
      campaign.updatedAt,
    ],
  )
  await updateSetupVersion(tenant)
}

export async function insertCampaignVersion(tenant: Tenant, version: CampaignVersion): Promise<void> {
  await tenant.db.query(
    `INSERT INTO campaign_versions (org_id, campaign_id, version, definition, published_at) VALUES ($1, $2, $3, $4, $5)`,
    [
      tenant.orgId,
      uuidOf(version.campaign),
      version.version,
      JSON.stringify(version.definition),
      version.publishedAt,
    ],
  )
}

interface VersionRow {
  campaign_id: string
  version: number
  definition: Record<string, unknown>
  published_at: Date
}

const toVersion = (row: VersionRow): CampaignVersion => ({
  campaign: idFrom('cmp', row.campaign_id),
  version: row.version,
  definition: row.definition,
  publishedAt: row.published_at,
})

/** Campaigns, newest first. */
export async function listCampaignVersions(
  tenant: Tenant,
  campaign: CampaignId,
  page: { limit: number; before?: number },
): Promise<CampaignVersion[]> {
  const rows = await many<VersionRow>(
    tenant.db,
    `SELECT * FROM campaign_versions WHERE org_id = $1 AND campaign_id = $2 AND ($3::int IS NULL OR version < $3)
     ORDER BY version DESC LIMIT $4`,
    [tenant.orgId, uuidOf(campaign), page.before ?? null, page.limit],
  )
  return rows.map(toVersion)
}

/** The requested versions, for the caller's cache: a version never changes once written. */
export async function listVersions(
  tenant: Tenant,
  wanted: readonly { id: CampaignId; version: number }[],
): Promise<CampaignVersion[]> {
  if (wanted.length === 0) return []
  const rows = await many<VersionRow>(
    tenant.db,
    `SELECT v.* FROM campaign_versions v
     JOIN unnest($2::uuid[], $3::int[]) AS w (campaign_id, version) USING (campaign_id, version) WHERE v.org_id = $1`,
    [tenant.orgId, wanted.map(({ id }) => uuidOf(id)), wanted.map(({ version }) => version)],
  )
  return rows.map(toVersion)
}

export interface BalanceDefinition {
  readonly key: string
  readonly name: string
  readonly decimals: number
}

export async function listBalanceDefinitions(tenant: Tenant): Promise<BalanceDefinition[]> {
  return many(tenant.db, 'SELECT key, name, decimals FROM balance_definitions WHERE org_id = $1', [
    tenant.orgId,
  ])
}

/**
 * Every balance that was ever published, by key, named as in the newest published campaign, or else as in the
 * newest one that ever was. Customers keep what a campaign gave after it has ended.
 */
export async function listNamedBalances(
  tenant: Tenant,
  page: { limit: number; after?: string },
): Promise<BalanceDefinition[]> {
  return many(
    tenant.db,
    `WITH named AS (
       SELECT DISTINCT ON (b.key) b.key, b.name
       FROM campaigns c
       JOIN campaign_versions v ON v.org_id = c.org_id AND v.campaign_id = c.id AND v.version = c.version
       CROSS JOIN json_to_recordset(v.definition -> 'balances') AS b (key text, name text)
       WHERE c.org_id = $1 AND b.name IS NOT NULL
       ORDER BY b.key, c.status <> 'published', c.id DESC)
     SELECT d.key, coalesce(named.name, d.name) AS name, d.decimals
     FROM balance_definitions d LEFT JOIN named ON named.key = d.key
     WHERE d.org_id = $1 AND ($2::text IS NULL OR d.key > $2) ORDER BY d.key LIMIT $3`,
    [tenant.orgId, page.after ?? null, page.limit],
  )
}

/**
 * Adds the keys that are new; waits for another publisher of the same key, so that both see the same
 * decimals.
 */
export async function insertBalanceDefinitions(
  tenant: Tenant,
  balances: readonly BalanceDefinition[],
): Promise<void> {
  const sorted = balances.toSorted((a, b) => (a.key < b.key ? -1 : 1))
  await tenant.db.query(
    `INSERT INTO balance_definitions (org_id, key, name, decimals)
     SELECT o.org_id, b.*
     FROM setup_versions o, unnest($2::text[], $3::text[], $4::smallint[]) AS b
     WHERE o.org_id = $1::integer
     ON CONFLICT (org_id, key) DO NOTHING`,
    [tenant.orgId, sorted.map((b) => b.key), sorted.map((b) => b.name), sorted.map((b) => b.decimals)],
  )
  await updateSetupVersion(tenant)
}
