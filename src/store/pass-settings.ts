/** The keys that an organization's passes are signed with, as they were sealed. */
import { maybeOne, type Tenant } from './tenant.ts'

export interface StoredPassSettings {
  readonly apple?: Buffer
  readonly google?: Buffer
  readonly firstCode: 'code128' | 'qr'
}

export async function findPassSettings(tenant: Tenant): Promise<StoredPassSettings> {
  const row = await maybeOne<{
    apple: Buffer | null
    google: Buffer | null
    first_code: StoredPassSettings['firstCode']
  }>(tenant.db, 'SELECT apple, google, first_code FROM pass_settings WHERE org_id = $1', [tenant.orgId])
  return {
    apple: row?.apple ?? undefined,
    google: row?.google ?? undefined,
    firstCode: row?.first_code ?? 'code128',
  }
}

/** What is undefined stays as it is; `null` removes keys. */
export async function upsertPassSettings(
  tenant: Tenant,
  { apple, google, firstCode }: { apple?: Buffer | null; google?: Buffer | null; firstCode?: string },
  now: Date,
): Promise<void> {
  await tenant.db.query(
    `INSERT INTO pass_settings AS s (org_id, apple, google, first_code, updated_at)
     VALUES ($1, $2, $3, coalesce($4, 'code128'), $5)
     ON CONFLICT (org_id) DO UPDATE SET apple = CASE WHEN $6 THEN EXCLUDED.apple ELSE s.apple END,
       google = CASE WHEN $7 THEN EXCLUDED.google ELSE s.google END, first_code = coalesce($4, s.first_code),
       updated_at = $5`,
    [
      ...[tenant.orgId, apple ?? null, google ?? null, firstCode ?? null, now],
      ...[apple !== undefined, google !== undefined],
    ],
  )
}
