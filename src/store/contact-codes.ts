/** The codes that were sent to customers, the latest of each purpose. Only their hashes are stored. */
import type { CodeKey, ContactCode } from '../domain/contact-code.ts'
import type { CustomerId } from '../domain/ids.ts'
import type { Channel, CodePurpose } from '../domain/message.ts'
import { execute, idFrom, many, maybeOne, type Tenant, uuidOf } from './tenant.ts'

interface CodeRow {
  customer_id: string
  channel: Channel
  purpose: CodePurpose
  address: string | null
  code_hash: Buffer
  failures: number
  sent_at: Date
  expires_at: Date
}

const toCode = (row: CodeRow): ContactCode => ({
  customer: idFrom('cus', row.customer_id),
  channel: row.channel,
  purpose: row.purpose,
  address: row.address ?? undefined,
  hash: row.code_hash,
  failures: row.failures,
  sentAt: row.sent_at,
  expiresAt: row.expires_at,
})

const keyOf = ({ orgId }: Tenant, { customer, channel, purpose }: CodeKey) => [
  orgId,
  uuidOf(customer),
  channel,
  purpose,
]

const isKey = 'org_id = $1 AND customer_id = $2 AND channel = $3 AND purpose = $4'

export async function findContactCode(tenant: Tenant, key: CodeKey): Promise<ContactCode | undefined> {
  const row = await maybeOne<CodeRow>(
    tenant.db,
    `SELECT * FROM contact_codes WHERE ${isKey}`,
    keyOf(tenant, key),
  )
  return row && toCode(row)
}

/** Addresses that a customer has named and not confirmed. */
export async function listUnconfirmed(tenant: Tenant, customer: CustomerId): Promise<ContactCode[]> {
  const rows = await many<CodeRow>(
    tenant.db,
    `SELECT * FROM contact_codes WHERE org_id = $1 AND customer_id = $2 AND purpose = 'contact' ORDER BY channel`,
    [tenant.orgId, uuidOf(customer)],
  )
  return rows.map(toCode)
}

export async function upsertContactCode(tenant: Tenant, code: Omit<ContactCode, 'failures'>): Promise<void> {
  await tenant.db.query(
    `INSERT INTO contact_codes (org_id, customer_id, channel, purpose, address, code_hash, sent_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (org_id, customer_id, channel, purpose) DO UPDATE SET address = excluded.address,
       code_hash = excluded.code_hash, sent_at = excluded.sent_at, expires_at = excluded.expires_at, failures = 0`,
    [...keyOf(tenant, code), code.address ?? null, code.hash, code.sentAt, code.expiresAt],
  )
}

/** Counts an attempt before it is known whether it is right; undefined if there were too many. */
export async function updateCodeFailures(
  tenant: Tenant,
  key: CodeKey,
  most: number,
): Promise<ContactCode | undefined> {
  const row = await maybeOne<CodeRow>(
    tenant.db,
    `UPDATE contact_codes SET failures = failures + 1 WHERE ${isKey} AND failures < $5 RETURNING *`,
    [...keyOf(tenant, key), most],
  )
  return row && toCode(row)
}

/** False if somebody else has used it. */
export async function deleteContactCode(tenant: Tenant, key: CodeKey, hash: Buffer): Promise<boolean> {
  const deleted = await execute(tenant.db, `DELETE FROM contact_codes WHERE ${isKey} AND code_hash = $5`, [
    ...keyOf(tenant, key),
    hash,
  ])
  return deleted === 1
}
