/** Reads what is left of archived sales. `wallets/archive.ts`, which runs as the owner, writes it. */
import type { TransactionId } from '../domain/ids.ts'
import type { ArchivedIn } from '../domain/transaction.ts'
import { idFrom, maybeOne, type Tenant, uuidOf } from './tenant.ts'

export interface ArchivedSale extends ArchivedIn {
  readonly id: TransactionId
}

/**
 * An archived sale. Look for the sale itself first: sales move to the archive and never back, so that one of
 * the two looks finds it.
 */
export async function findArchived(
  tenant: Tenant,
  by: { readonly id: TransactionId } | { readonly opaqueId: string },
): Promise<ArchivedSale | undefined> {
  const [column, value] = 'id' in by ? ['id', uuidOf(by.id)] : ['opaque_id', by.opaqueId]
  const row = await maybeOne<{ id: string; file: number; archived_at: Date }>(
    tenant.db,
    `SELECT a.id, a.file, f.archived_at FROM archived_transactions a
     JOIN archived_files f ON f.org_id = $1 AND f.number = a.file
     WHERE a.org_id = $1 AND a.${column} = $2`,
    [tenant.orgId, value],
  )
  return row && { id: idFrom('txn', row.id), file: row.file, at: row.archived_at }
}

/** Whether anything of the organization was archived. */
export async function hasArchivedFiles(tenant: Tenant): Promise<boolean> {
  const row = await maybeOne(tenant.db, 'SELECT 1 FROM archived_files WHERE org_id = $1 LIMIT 1', [
    tenant.orgId,
  ])
  return row !== undefined
}
