/** Transactions as they were answered. They are written by `write-baskets.ts`. */
import type { BranchId, CustomerId, TransactionId } from '../domain/ids.ts'
import type { StoredBasket, Transaction, TransactionResult } from '../domain/transaction.ts'
import { idFrom, many, type Scope, uuidOf } from './scope.ts'

interface TransactionRow {
  id: string
  status: number
  opaque_id: string | null
  customer_id: string
  card_id: string
  user_id: string
  user_opaque: string
  branch_id: string
  branch_opaque: string
  occurred_at: Date
  created_at: Date
  basket: StoredBasket
  result: TransactionResult
}

const toTransaction = (row: TransactionRow): Transaction => ({
  id: idFrom('txn', row.id),
  status: row.status,
  opaqueId: row.opaque_id ?? undefined,
  customer: idFrom('cus', row.customer_id),
  card: idFrom('card', row.card_id),
  user: idFrom('usr', row.user_id),
  userOpaqueId: row.user_opaque,
  branch: idFrom('brn', row.branch_id),
  branchOpaqueId: row.branch_opaque,
  occurredAt: row.occurred_at,
  createdAt: row.created_at,
  basket: row.basket,
  result: row.result,
})

const columns = `t.id, t.status, t.opaque_id, t.customer_id, t.card_id, t.user_id, u.opaque_id AS user_opaque,
  t.branch_id, b.opaque_id AS branch_opaque, t.occurred_at, t.created_at, t.basket, t.result
  FROM transactions t
  JOIN users u ON u.org_id = t.org_id AND u.id = t.user_id
  JOIN branches b ON b.org_id = t.org_id AND b.id = t.branch_id`

export async function listTransactionsByIds(
  scope: Scope,
  ids: readonly TransactionId[],
): Promise<Transaction[]> {
  if (ids.length === 0) return []
  const rows = await many<TransactionRow>(
    scope.db,
    `SELECT ${columns} WHERE t.org_id = $1 AND t.id = ANY($2::uuid[])`,
    [scope.org, ids.map(uuidOf)],
  )
  return rows.map(toTransaction)
}

export async function findTransaction(scope: Scope, id: TransactionId): Promise<Transaction | undefined> {
  return (await listTransactionsByIds(scope, [id]))[0]
}

export interface TransactionFilter {
  readonly opaqueId?: string
  readonly customer?: CustomerId
  readonly branch?: BranchId
  readonly from?: Date
  readonly to?: Date
}

/** Newest first. `from` and `to` are when it was processed; ids ascend with that time, so they bound the key. */
export async function listTransactions(
  scope: Scope,
  filter: TransactionFilter,
  page: { limit: number; after?: TransactionId },
): Promise<Transaction[]> {
  const rows = await many<TransactionRow>(
    scope.db,
    `SELECT ${columns}
     WHERE t.org_id = $1 AND ($2::uuid IS NULL OR t.id < $2)
       AND ($3::text IS NULL OR t.opaque_id = $3) AND ($4::uuid IS NULL OR t.customer_id = $4)
       AND ($5::uuid IS NULL OR t.branch_id = $5)
       AND ($6::timestamptz IS NULL OR t.created_at >= $6) AND ($7::timestamptz IS NULL OR t.created_at < $7)
     ORDER BY t.id DESC LIMIT $8`,
    [
      scope.org,
      page.after ? uuidOf(page.after) : null,
      filter.opaqueId ?? null,
      filter.customer ? uuidOf(filter.customer) : null,
      filter.branch ? uuidOf(filter.branch) : null,
      filter.from ?? null,
      filter.to ?? null,
      page.limit,
    ],
  )
  return rows.map(toTransaction)
}

/** Removes what a client may have put of a person into its baskets; what was sold and collected stays. */
export async function eraseTransactionMetaData(scope: Scope, customer: CustomerId): Promise<void> {
  await scope.db.query(
    `UPDATE transactions SET basket = (basket::jsonb - 'metaData')::json
     WHERE org_id = $1 AND customer_id = $2 AND basket::jsonb ? 'metaData'`,
    [scope.org, uuidOf(customer)],
  )
}
