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

export async function upsertPassSettings(
  tenant: Tenant,
  { apple, google, firstCode }: StoredPassSettings,
  now: Date,
): Promise<void> {
  await tenant.db.query(
    `INSERT INTO pass_settings (org_id, apple, google, first_code, updated_at) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (org_id) DO UPDATE SET apple = EXCLUDED.apple, google = EXCLUDED.google,
       first_code = EXCLUDED.first_code, updated_at = EXCLUDED.updated_at`,
    [tenant.orgId, apple ?? null, google ?? null, firstCode, now],
  )
}
