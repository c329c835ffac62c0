/** Reads what is left of archived sales. `wallets/archive.ts`, which runs as the owner, writes it. */
import type { TransactionId } from '../domain/ids.ts'
import type { ArchivedIn } from '../domain/transaction.ts'
import { maybeOne, type Tenant, uuidOf } from './tenant.ts'

/**
 * Where a sale was archived, if it was. Look for the sale itself first: sales move to the archive and never
 * back, so that one of the two looks finds it.
 */
export async function findArchived(tenant: Tenant, id: TransactionId): Promise<ArchivedIn | undefined> {
  const row = await maybeOne<{ file: number; archived_at: Date }>(
    tenant.db,
    `SELECT a.file, f.archived_at FROM archived_transactions a
     JOIN archived_files f ON f.org_id = $1 AND f.number = a.file
     WHERE a.org_id = $1 AND a.id = $2`,
    [tenant.orgId, uuidOf(id)],
  )
  return row && { file: row.file, at: row.archived_at }
}
