/** Organizations. Every change of one increments the version of its setup, which invalidates caches of it. */
import { currencyDecimals } from '../domain/currency.ts'
import type { OrganizationId } from '../domain/ids.ts'
import type { Organization, OrganizationContact, ShownOrganization } from '../domain/organization.ts'
import { updateSetupVersion } from './setup.ts'
import { idFrom, many, maybeOne, type PreparedStatement, prepared, type Tenant, uuidOf } from './tenant.ts'

export interface OrganizationRow {
  org_id: number
  id: string
  name: string
  country: string
  currency: string
  timezone: string
  locale: string
  color: string | null
  strict_references: boolean
  max_backdate_days: number
  is_subscribed: boolean
  is_demo: boolean
  test_of: number | null
  ahead_ms: string
  created_at: Date
  updated_at: Date
}

export function toOrganization(row: OrganizationRow): Organization {
  return {
    orgId: row.org_id,
    id: idFrom('org', row.id),
    name: row.name,
    country: row.country,
    currency: row.currency,
    currencyDecimals: currencyDecimals(row.currency),
    timezone: row.timezone,
    locale: row.locale,
    color: row.color ?? undefined,
    strictReferences: row.strict_references,
    maxBackdateDays: row.max_backdate_days,
    isSubscribed: row.is_subscribed,
    isDemo: row.is_demo,
    testOf: row.test_of ?? undefined,
    aheadMs: Number(row.ahead_ms),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

/** Columns of a table aliased `o`, without the logo: they are read with most requests. */
export const organizationColumns = `o.org_id, o.id, o.name, o.country, o.currency, o.timezone, o.locale, o.color,
  o.strict_references, o.max_backdate_days, o.is_subscribed, o.is_demo, o.test_of, o.ahead_ms,
  o.created_at, o.updated_at`

interface ShownRow extends OrganizationRow {
  logo: string | null
  contact: OrganizationContact | null
}

const shownColumns = `${organizationColumns}, o.logo, o.contact`

const toShown = (row: ShownRow): ShownOrganization => ({
  ...toOrganization(row),
  logo: row.logo ?? undefined,
  contact: row.contact ?? {},
})

const organizationsByIds: PreparedStatement = {
  name: 'organizations-by-ids',
  text: `SELECT ${organizationColumns} FROM organizations o WHERE o.id = ANY($1::uuid[])`,
}

export async function listOrganizationsByIds(
  tenant: Tenant,
  ids: readonly OrganizationId[],
): Promise<Organization[]> {
  const rows = await prepared<OrganizationRow>(tenant.db, organizationsByIds, [ids.map(uuidOf)])
  return rows.map(toOrganization)
}

export async function findOrganization(
  tenant: Tenant,
  id: OrganizationId,
): Promise<Organization | undefined> {
  return (await listOrganizationsByIds(tenant, [id]))[0]
}

/** The tenant's own organization. */
export async function findOwnOrganization(tenant: Tenant): Promise<Organization | undefined> {
  const row = await maybeOne<OrganizationRow>(
    tenant.db,
    `SELECT ${organizationColumns} FROM organizations o WHERE o.org_id = $1`,
    [tenant.orgId],
  )
  return row && toOrganization(row)
}

/** The organizations with what customers are shown of them. */
export async function listShownOrganizations(
  tenant: Tenant,
  organizations: readonly Organization[],
): Promise<ShownOrganization[]> {
  const rows = await many<Pick<ShownRow, 'org_id' | 'logo' | 'contact'>>(
    tenant.db,
    'SELECT org_id, logo, contact FROM organizations WHERE org_id = ANY($1::integer[])',
    [organizations.map(({ orgId }) => orgId)],
  )
  const shown = new Map(rows.map((row) => [row.org_id, row]))
  return organizations.map((organization) => {
    const row = shown.get(organization.orgId)
    return { ...organization, logo: row?.logo ?? undefined, contact: row?.contact ?? {} }
  })
}

/** What customers are told about the merchant. */
export async function findContact({ db, orgId }: Tenant): Promise<OrganizationContact> {
  const row = await maybeOne<Pick<ShownRow, 'contact'>>(
    db,
    'SELECT contact FROM organizations WHERE org_id = $1',
    [orgId],
  )
  return row?.contact ?? {}
}

export async function findShownOrganization(
  tenant: Tenant,
  organization: Organization,
): Promise<ShownOrganization> {
  return (await listShownOrganizations(tenant, [organization]))[0]!
}

export async function listOrganizations(
  tenant: Tenant,
  page: { limit: number; after?: OrganizationId },
): Promise<Organization[]> {
  const rows = await many<OrganizationRow>(
    tenant.db,
    `SELECT ${organizationColumns} FROM organizations o WHERE ($1::uuid IS NULL OR o.id > $1) ORDER BY o.id LIMIT $2`,
    [page.after ? uuidOf(page.after) : null, page.limit],
  )
  return rows.map(toOrganization)
}

export type NewOrganization = Pick<
  Organization,
  'id' | 'name' | 'country' | 'currency' | 'timezone' | 'locale' | 'isDemo' | 'testOf' | 'createdAt'
>

export async function insertOrganization(
  tenant: Tenant,
  organization: NewOrganization,
): Promise<ShownOrganization> {
  const row = await maybeOne<ShownRow>(
    tenant.db,
    `INSERT INTO organizations AS o (id, name, country, currency, timezone, locale, is_demo, test_of, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9) RETURNING ${shownColumns}`,
    [
      uuidOf(organization.id),
      organization.name,
      organization.country,
      organization.currency,
      organization.timezone,
      organization.locale,
      organization.isDemo,
      organization.testOf ?? null,
      organization.createdAt,
    ],
  )
  const own = tenant.as(row!.org_id)
  await own.db.query('INSERT INTO setup_versions (org_id) VALUES ($1)', [own.orgId])
  await own.db.query('INSERT INTO event_counters (org_id) VALUES ($1)', [own.orgId])
  return toShown(row!)
}

/** The fields an update may carry; `null` removes the value. */
/** Locked, so that of two changes the second knows what the first has changed. */
export async function lockOrganization(
  tenant: Tenant,
  id: OrganizationId,
): Promise<ShownOrganization | undefined> {
  const row = await maybeOne<ShownRow>(
    tenant.db,
    `SELECT ${shownColumns} FROM organizations o WHERE o.id = $1 FOR NO KEY UPDATE`,
    [uuidOf(id)],
  )
  return row && toShown(row)
}

export interface OrganizationPatch {
  name?: string
  country?: string
  timezone?: string
  locale?: string
  color?: string | null
  logo?: string | null
  /** Only the fields to change. */
  contact?: { readonly [K in keyof OrganizationContact]?: string | null } | null
  strictReferences?: boolean
  maxBackdateDays?: number
  isSubscribed?: boolean
}

const patchColumns: Record<keyof OrganizationPatch, string> = {
  name: 'name',
  country: 'country',
  timezone: 'timezone',
  locale: 'locale',
  color: 'color',
  logo: 'logo',
  contact: 'contact',
  strictReferences: 'strict_references',
  maxBackdateDays: 'max_backdate_days',
  isSubscribed: 'is_subscribed',
}

/** Fields of the contact that are not named stay; `null` removes a field, or all of them. */
const patchedValue = ({ contact }: OrganizationPatch, key: keyof OrganizationPatch, value: string) =>
  key === 'contact' && contact
    ? `jsonb_strip_nulls(coalesce(o.contact::jsonb, '{}') || ${value}::jsonb)::json`
    : value

export async function updateOrganization(
  tenant: Tenant,
  id: OrganizationId,
  patch: OrganizationPatch,
  now: Date,
): Promise<ShownOrganization | undefined> {
  const fields = (Object.keys(patchColumns) as (keyof OrganizationPatch)[]).filter(
    (key) => patch[key] !== undefined,
  )
  const assignments = fields.map(
    (key, i) => `${patchColumns[key]} = ${patchedValue(patch, key, `$${i + 3}`)}`,
  )
  assignments.push('updated_at = $2')
  const row = await maybeOne<ShownRow>(
    tenant.db,
    `UPDATE organizations o SET ${assignments.join(', ')} WHERE o.id = $1 RETURNING ${shownColumns}`,
    [uuidOf(id), now, ...fields.map((key) => patch[key])],
  )
  if (row) await updateSetupVersion(tenant.as(row.org_id))
  return row && toShown(row)
}

const demoLock = 0x64656d6f

/**
 * Lets one process at a time open the demo, until the transaction ends; the transaction does nothing else.
 */
export async function lockDemo(tenant: Tenant, onWait: () => void): Promise<void> {
  await tenant.db.query('SET LOCAL idle_in_transaction_session_timeout = 0')
  const tried = await maybeOne<{ isLocked: boolean }>(
    tenant.db,
    'SELECT pg_try_advisory_xact_lock($1) AS "isLocked"',
    [demoLock],
  )
  if (tried?.isLocked) return
  onWait()
  await tenant.db.query('SELECT pg_advisory_xact_lock($1)', [demoLock])
}

/** Blocks the creation of organizations until the transaction ends. */
export async function lockOrganizations(tenant: Tenant): Promise<void> {
  await tenant.db.query('LOCK TABLE organizations IN SHARE ROW EXCLUSIVE MODE')
}

export async function findDemoOrganization(tenant: Tenant): Promise<Organization | undefined> {
  const row = await maybeOne<OrganizationRow>(
    tenant.db,
    `SELECT ${organizationColumns} FROM organizations o WHERE o.is_demo ORDER BY o.org_id LIMIT 1`,
    [],
  )
  return row && toOrganization(row)
}

export async function hasOrganizations(tenant: Tenant): Promise<boolean> {
  return (await maybeOne(tenant.db, 'SELECT 1 FROM organizations LIMIT 1', [])) !== undefined
}
