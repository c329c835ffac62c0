/** Reads transactions with their returns. */
import { parseId, type TransactionId } from '../../domain/ids.ts'
import { notFound } from '../../domain/refusal.ts'
import { type SaleReturn, transactionStatus } from '../../domain/transaction.ts'
import { findReturnByOpaqueId, listReturns } from '../../store/returns.ts'
import type { Tenant } from '../../store/tenant.ts'
import {
  findTransaction,
  listTransactions,
  type TransactionFilter,
  type TransactionRecord,
} from '../../store/transactions.ts'
import { getCard } from '../customers/change-card.ts'
import { getCustomerId } from '../customers/customer-view.ts'
import { findBranch } from '../organizations/manage-directory.ts'
import { missingSale, refuseArchivedReceipt } from './missing-sale.ts'

export interface TransactionWithReturns extends TransactionRecord {
  readonly returns: readonly SaleReturn[]
}

export async function getTransaction(
  tenant: Tenant,
  id: TransactionId | undefined,
): Promise<TransactionWithReturns> {
  if (!id) throw notFound('transaction_not_found')
  const transaction = await findTransaction(tenant, id)
  if (!transaction) throw await missingSale(tenant, id)
  return (await withReturns(tenant, [transaction]))[0]!
}

/** Filters as sent by the client. */
export interface TransactionQuery extends Omit<TransactionFilter, 'customer' | 'card' | 'branch'> {
  readonly customer?: string
  readonly card?: string
  /** ID or opaque ID. */
  readonly branch?: string
}

export async function readTransactions(
  tenant: Tenant,
  query: TransactionQuery,
  page: { limit: number; after?: TransactionId },
): Promise<TransactionWithReturns[]> {
  const customer = query.customer === undefined ? undefined : await getCustomerId(tenant, query.customer)
  const card = query.card === undefined ? undefined : await getCard(tenant, parseId('card', query.card))
  const branch = query.branch === undefined ? undefined : await findBranch(tenant, query.branch)
  // There is no index on cards: a card's transactions are found among those of its customer.
  if (card && customer !== undefined && card.customer !== customer) return []
  const of = { customer: card?.customer ?? customer, card: card?.id }
  // A branch that is not in the directory has no transactions.
  if (query.branch !== undefined && !branch) return []
  const found = await listTransactions(tenant, { ...query, ...of, branch }, page)
  return withReturns(tenant, found.length > 0 ? found : await listByReturnNumber(tenant, query, page.after))
}

/** A till looks up a return in the same way as a sale: by its own number. */
async function listByReturnNumber(
  tenant: Tenant,
  { opaqueId, customer, card, branch, status, from, to, spent }: TransactionQuery,
  after: TransactionId | undefined,
): Promise<TransactionRecord[]> {
  const isAlone = [customer, card, branch, status, from, to, spent, after].every(
    (filter) => filter === undefined,
  )
  if (!isAlone || opaqueId === undefined) return []
  const returned = await findReturnByOpaqueId(tenant, opaqueId)
  const sale = returned && (await findTransaction(tenant, returned.transaction))
  if (sale) return [sale]
  await refuseArchivedReceipt(tenant, opaqueId)
  return []
}

export async function withReturns(
  tenant: Tenant,
  transactions: readonly TransactionRecord[],
): Promise<TransactionWithReturns[]> {
  const touched = transactions.filter(({ status }) => status !== transactionStatus.processed)
  const returns = await listReturns(
    tenant,
    touched.map(({ id }) => id),
  )
  return transactions.map((transaction) => ({
    ...transaction,
    returns: returns.filter((saleReturn) => saleReturn.transaction === transaction.id),
  }))
}
