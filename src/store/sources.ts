/** Other systems that send their sales to an organization. */
import type { SourceId } from '../domain/ids.ts'
import type { Source, SourceEnvironment, SourceKind } from '../domain/source.ts'
import { execute, idFrom, many, maybeOne, type Tenant, uuidOf } from './tenant.ts'

interface SourceRow {
  id: string
  kind: SourceKind
  name: string
  status: number
  campaign_id: string | null
  registers_customers: boolean
  user_id: string
  secret: Buffer | null
  access_token: Buffer | null
  environment: SourceEnvironment | null
  signature_header: string | null
  mapping: string | null
  last_received_at: Date | null
  last_rejected_at: Date | null
  created_at: Date
  updated_at: Date
}

/** With its secrets, encrypted. */
export interface StoredSource extends Source {
  readonly sealedSecret?: Buffer
  readonly sealedAccessToken?: Buffer
}

const columns = `id, kind, name, status, campaign_id, registers_customers, user_id, secret, access_token, environment,
  signature_header, mapping, last_received_at, last_rejected_at, created_at, updated_at`

const toSource = (row: SourceRow): StoredSource => ({
  id: idFrom('src', row.id),
  kind: row.kind,
  name: row.name,
  status: row.status,
  campaign: row.campaign_id === null ? undefined : idFrom('cmp', row.campaign_id),
  registersCustomers: row.registers_customers,
  user: idFrom('usr', row.user_id),
  hasSecret: row.secret !== null,
  hasAccessToken: row.access_token !== null,
  environment: row.environment ?? undefined,
  signatureHeader: row.signature_header ?? undefined,
  mapping: row.mapping ?? undefined,
  lastReceivedAt: row.last_received_at ?? undefined,
  lastRejectedAt: row.last_rejected_at ?? undefined,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  sealedSecret: row.secret ?? undefined,
  sealedAccessToken: row.access_token ?? undefined,
})

export async function insertSource(tenant: Tenant, source: StoredSource): Promise<void> {
  await tenant.db.query(
    `INSERT INTO sources (org_id, id, kind, name, status, campaign_id, registers_customers, user_id, secret, access_token,
       environment, signature_header, mapping, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $14)`,
    [
      ...[tenant.orgId, uuidOf(source.id), source.kind, source.name, source.status],
      ...[source.campaign ? uuidOf(source.campaign) : null, source.registersCustomers, uuidOf(source.user)],
      ...[source.sealedSecret ?? null, source.sealedAccessToken ?? null, source.environment ?? null],
      ...[source.signatureHeader ?? null, source.mapping ?? null, source.createdAt],
    ],
  )
}

export async function updateSource(tenant: Tenant, source: StoredSource): Promise<void> {
  await tenant.db.query(
    `UPDATE sources SET name = $3, status = $4, campaign_id = $5, registers_customers = $6, secret = $7, access_token = $8,
       environment = $9, signature_header = $10, mapping = $11, updated_at = $12
     WHERE org_id = $1 AND id = $2`,
    [
      ...[tenant.orgId, uuidOf(source.id), source.name, source.status],
      ...[source.campaign ? uuidOf(source.campaign) : null, source.registersCustomers],
      ...[source.sealedSecret ?? null, source.sealedAccessToken ?? null, source.environment ?? null],
      ...[source.signatureHeader ?? null, source.mapping ?? null, source.updatedAt],
    ],
  )
}

/** What it has sent is no longer shown, and is deleted when it is old. */
export async function deleteSource(tenant: Tenant, id: SourceId): Promise<boolean> {
  const deleted = await execute(tenant.db, 'DELETE FROM sources WHERE org_id = $1 AND id = $2', [
    tenant.orgId,
    uuidOf(id),
  ])
  return deleted === 1
}

/** Newest first. */
export async function listSources(
  tenant: Tenant,
  page: { readonly limit: number; readonly after?: SourceId },
): Promise<StoredSource[]> {
  const rows = await many<SourceRow>(
    tenant.db,
    `SELECT ${columns} FROM sources WHERE org_id = $1 AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $3`,
    [tenant.orgId, page.after ? uuidOf(page.after) : null, page.limit],
  )
  return rows.map(toSource)
}

export async function countSources(tenant: Tenant): Promise<number> {
  const row = await maybeOne<{ count: number }>(
    tenant.db,
    'SELECT count(*)::int AS count FROM sources WHERE org_id = $1',
    [tenant.orgId],
  )
  return row!.count
}

export async function findSource(tenant: Tenant, id: SourceId): Promise<StoredSource | undefined> {
  const row = await maybeOne<SourceRow>(
    tenant.db,
    `SELECT ${columns} FROM sources WHERE org_id = $1 AND id = $2`,
    [tenant.orgId, uuidOf(id)],
  )
  return row && toSource(row)
}

/** Locked until the transaction ends. */
export async function lockSource(tenant: Tenant, id: SourceId): Promise<StoredSource | undefined> {
  const row = await maybeOne<SourceRow>(
    tenant.db,
    `SELECT ${columns} FROM sources WHERE org_id = $1 AND id = $2 FOR NO KEY UPDATE`,
    [tenant.orgId, uuidOf(id)],
  )
  return row && toSource(row)
}

/** To the minute: a busy source does not have its row written with every message. */
export async function updateLastRejected(tenant: Tenant, id: SourceId, now: Date): Promise<void> {
  await tenant.db.query(
    `UPDATE sources SET last_rejected_at = $3
     WHERE org_id = $1 AND id = $2 AND (last_rejected_at IS NULL OR last_rejected_at < $3::timestamptz - interval '1 minute')`,
    [tenant.orgId, uuidOf(id), now],
  )
}
