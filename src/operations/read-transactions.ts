/** Transactions with what came back of them, for those who look. */
import type { TransactionId } from '../domain/ids.ts'
import { Refused } from '../domain/refusal.ts'
import { type SaleReturn, type Transaction, transactionStatus } from '../domain/transaction.ts'
import { listReturns } from '../store/returns.ts'
import type { Scope } from '../store/scope.ts'
import { findTransaction, listTransactions, type TransactionFilter } from '../store/transactions.ts'

export interface TransactionWithReturns extends Transaction {
  readonly returns: readonly SaleReturn[]
}

export async function getTransaction(
  scope: Scope,
  id: TransactionId | undefined,
): Promise<TransactionWithReturns> {
  const transaction = id && (await findTransaction(scope, id))
  if (!transaction) throw new Refused('transaction_not_found', undefined, 'path')
  return (await withReturns(scope, [transaction]))[0]!
}

export async function readTransactions(
  scope: Scope,
  filter: TransactionFilter,
  page: { limit: number; after?: TransactionId },
): Promise<TransactionWithReturns[]> {
  return withReturns(scope, await listTransactions(scope, filter, page))
}

async function withReturns(
  scope: Scope,
  transactions: readonly Transaction[],
): Promise<TransactionWithReturns[]> {
  const touched = transactions.filter(({ status }) => status !== transactionStatus.processed)
  const returns = await listReturns(
    scope,
    touched.map(({ id }) => id),
  )
  return transactions.map((transaction) => ({
    ...transaction,
    returns: returns.filter((one) => one.transaction === transaction.id),
  }))
}
