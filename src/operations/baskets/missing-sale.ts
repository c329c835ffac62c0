/** Tells a sale that was archived from one that never was. */
import type { TransactionId } from '../../domain/ids.ts'
import { notFound, type Refusal, Refused } from '../../domain/refusal.ts'
import type { ArchivedIn } from '../../domain/transaction.ts'
import { findArchived } from '../../store/archived.ts'
import type { Tenant } from '../../store/tenant.ts'

export function archivedRefusal(transaction: TransactionId, { file, at }: ArchivedIn): Refusal {
  return {
    code: 'transaction_archived',
    description: `${transaction} was archived on ${at.toISOString().slice(0, 10)}, in file ${file}.`,
    transaction,
  }
}

/** A till that looks for its receipt must not conclude that it was never booked. */
export async function refuseArchivedReceipt(tenant: Tenant, opaqueId: string): Promise<void> {
  const archived = await findArchived(tenant, { opaqueId })
  if (archived) throw Refused.from(archivedRefusal(archived.id, archived))
}

/** Why a sale is not among the transactions. */
export async function missingSale(tenant: Tenant, id: TransactionId): Promise<Refused> {
  const archived = await findArchived(tenant, { id })
  return archived ? Refused.from(archivedRefusal(id, archived)) : notFound('transaction_not_found')
}
