/** The pages on which customers enroll themselves, at most one for each campaign. */
import type { EnrollmentMode, EnrollmentPage } from '../domain/enrollment.ts'
import type { CampaignId } from '../domain/ids.ts'
import { idFrom, many, maybeOne, type PreparedStatement, prepared, type Tenant, uuidOf } from './tenant.ts'

interface PageRow {
  org_id: number
  short_name: string
  campaign_id: string
  mode: EnrollmentMode
}

const columns = 'org_id, short_name, campaign_id, mode'

const toPage = (row: PageRow): EnrollmentPage => ({
  shortName: row.short_name,
  campaign: idFrom('cmp', row.campaign_id),
  mode: row.mode,
})

export async function findEnrollmentPage(
  tenant: Tenant,
  campaign: CampaignId,
): Promise<EnrollmentPage | undefined> {
  const row = await maybeOne<PageRow>(
    tenant.db,
    `SELECT ${columns} FROM enrollment_pages WHERE org_id = $1 AND campaign_id = $2`,
    [tenant.orgId, uuidOf(campaign)],
  )
  return row && toPage(row)
}

const pageByName: PreparedStatement = {
  name: 'enrollment-page-by-name',
  text: `SELECT ${columns} FROM enrollment_pages WHERE short_name = $1`,
}

/** For the platform: a visitor knows the name of a page and not whose it is. */
export async function findNamedPage(
  platform: Tenant,
  shortName: string,
): Promise<(EnrollmentPage & { readonly org: number }) | undefined> {
  const [row] = await prepared<PageRow>(platform.db, pageByName, [shortName])
  return row && { org: row.org_id, ...toPage(row) }
}

/** For the platform: those of the names that some page of any organization has. */
export async function listTakenNames(
  platform: Tenant,
  names: readonly string[],
): Promise<{ readonly shortName: string; readonly campaign: CampaignId }[]> {
  const rows = await many<PageRow>(
    platform.db,
    `SELECT ${columns} FROM enrollment_pages WHERE short_name = ANY($1::text[])`,
    [names],
  )
  return rows.map(toPage)
}

export async function upsertEnrollmentPage(tenant: Tenant, page: EnrollmentPage, now: Date): Promise<void> {
  await tenant.db.query(
    `INSERT INTO enrollment_pages (short_name, org_id, campaign_id, mode, created_at, updated_at)
     VALUES ($2, $1, $3, $4, $5, $5)
     ON CONFLICT (org_id, campaign_id)
     DO UPDATE SET short_name = excluded.short_name, mode = excluded.mode, updated_at = excluded.updated_at`,
    [tenant.orgId, page.shortName, uuidOf(page.campaign), page.mode, now],
  )
}
