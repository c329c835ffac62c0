/** Reads transactions with their results. They are written by `wallets/write.ts`. */
import type { WireRow } from '../database/pipeline.ts'
import type { BranchId, CardId, CustomerId, TransactionId } from '../domain/ids.ts'
import { type Transaction, transactionStatus } from '../domain/transaction.ts'
import { customerNameOf } from './customers.ts'
import { firstIdAt, idsWithin } from './new-id.ts'
import { type Question, question } from './question.ts'
import { idFrom, many, maybeOne, type Tenant, uuidOf, whereAll } from './tenant.ts'
import { unpackBasket, unpackResult } from './transaction-codec.ts'
import { ms, toDate } from './wallets/load.ts'

/** A transaction with the name of its customer. */
export interface TransactionRecord extends Transaction {
  readonly customerName?: string
}

interface TransactionRow {
  id: string
  status: number
  opaque_id: string | null
  customer_id: string
  customer_name: string | null
  card_id: string
  user_id: string
  user_opaque: string
  branch_id: string
  branch_opaque: string
  occurred_at: Date
  created_at: Date
  basket: Parameters<typeof unpackBasket>[0]
  result: Parameters<typeof unpackResult>[0]
}

const toTransaction = (row: TransactionRow): TransactionRecord => ({
  id: idFrom('txn', row.id),
  status: row.status,
  opaqueId: row.opaque_id ?? undefined,
  customer: idFrom('cus', row.customer_id),
  customerName: row.customer_name ?? undefined,
  card: idFrom('card', row.card_id),
  user: idFrom('usr', row.user_id),
  userOpaqueId: row.user_opaque,
  branch: idFrom('brn', row.branch_id),
  branchOpaqueId: row.branch_opaque,
  occurredAt: row.occurred_at,
  createdAt: row.created_at,
  basket: unpackBasket(row.basket),
  result: unpackResult(row.result),
})

const columns = `t.id, t.status, t.opaque_id, t.customer_id, t.card_id, t.user_id, u.opaque_id AS user_opaque,
  t.branch_id, b.opaque_id AS branch_opaque, t.occurred_at, t.created_at, t.basket, t.result, ${customerNameOf('t')}
  FROM transactions t
  JOIN users u ON u.org_id = t.org_id AND u.id = t.user_id
  JOIN branches b ON b.org_id = t.org_id AND b.id = t.branch_id`

export async function listTransactionsByIds(
  tenant: Tenant,
  ids: readonly TransactionId[],
): Promise<TransactionRecord[]> {
  if (ids.length === 0) return []
  const rows = await many<TransactionRow>(
    tenant.db,
    `SELECT ${columns} WHERE t.org_id = $1 AND t.id = ANY($2::uuid[])`,
    [tenant.orgId, ids.map(uuidOf)],
  )
  return rows.map(toTransaction)
}

export async function findTransaction(
  tenant: Tenant,
  id: TransactionId,
): Promise<TransactionRecord | undefined> {
  return (await listTransactionsByIds(tenant, [id]))[0]
}

/** The sale that a change is decided on, as a question to ask together with the wallet. */
export function saleById({ orgId }: Tenant, id: TransactionId): Question<Transaction | undefined> {
  return question(
    'load-sale',
    `SELECT t.id, t.status, t.opaque_id, t.customer_id, t.card_id, t.user_id, u.opaque_id, t.branch_id, b.opaque_id,
       ${ms('t.occurred_at')}, ${ms('t.created_at')}, t.basket, t.result
     FROM transactions t
     JOIN users u ON u.org_id = t.org_id AND u.id = t.user_id
     JOIN branches b ON b.org_id = t.org_id AND b.id = t.branch_id
     WHERE t.org_id = $1::integer AND t.id = $2::uuid`,
    [String(orgId), uuidOf(id)],
    ([row]) => row && readSale(row),
  )
}

function readSale(row: WireRow): Transaction {
  const [sale, status, opaqueId, customer, card, user, userOpaqueId, branch, branchOpaqueId, ...rest] = row
  const [occurredAt, createdAt, basket, result] = rest
  return {
    id: idFrom('txn', sale!),
    status: Number(status),
    opaqueId: opaqueId ?? undefined,
    customer: idFrom('cus', customer!),
    card: idFrom('card', card!),
    user: idFrom('usr', user!),
    userOpaqueId: userOpaqueId!,
    branch: idFrom('brn', branch!),
    branchOpaqueId: branchOpaqueId!,
    occurredAt: toDate(occurredAt)!,
    createdAt: toDate(createdAt)!,
    basket: unpackBasket(JSON.parse(basket!)),
    result: unpackResult(JSON.parse(result!)),
  }
}

export interface TransactionFilter {
  readonly opaqueId?: string
  readonly customer?: CustomerId
  readonly card?: CardId
  readonly branch?: BranchId
  readonly status?: number
  readonly from?: Date
  readonly to?: Date
  /** The key of the balance that points were spent from. */
  readonly spent?: string
}

const { processed, partlyReturned, returned } = transactionStatus

/**
 * Returned sales are rare and have their own index. Its condition is repeated here: generic plans do not look
 * at values, and would not know that the index applies.
 */
const cameBack = `t.status = $ AND t.status IN (${partlyReturned}, ${returned})`

/** Spending is rare as well. The balance is only known from the packed result (`transaction-codec.ts`). */
const hasSpent = `(t.basket -> 'pointsToSpend') IS NOT NULL AND EXISTS (
  SELECT 1 FROM json_array_elements(t.result -> 3) a
  WHERE a ->> 0 = 's' AND t.result -> 2 -> (a -> 1 ->> 0)::integer ->> 0 = $)`

/** Evaluated once for the whole list: no sale spent a balance that no campaign ever allowed to spend. */
const isSpendable = `EXISTS (
  SELECT 1 FROM campaign_versions WHERE org_id = $1 AND definition -> 'spend' ->> 'balance' = $)`

/** Transactions, newest first. `from` and `to` refer to the time of processing. */
export async function listTransactions(
  tenant: Tenant,
  filter: TransactionFilter,
  page: { limit: number; after?: TransactionId },
): Promise<TransactionRecord[]> {
  const { least, most } = idsWithin(filter)
  const where = whereAll(
    [
      ['t.id < $', page.after && uuidOf(page.after)],
      ['t.opaque_id = $', filter.opaqueId],
      ['t.customer_id = $', filter.customer && uuidOf(filter.customer)],
      ['t.card_id = $', filter.card && uuidOf(filter.card)],
      ['t.branch_id = $', filter.branch && uuidOf(filter.branch)],
      [filter.status === processed ? 't.status = $' : cameBack, filter.status],
      ['t.id >= $', least],
      ['t.created_at >= $', filter.from],
      ['t.id < $', most],
      ['t.created_at < $', filter.to],
      [isSpendable, filter.spent],
      [hasSpent, filter.spent],
    ],
    3,
  )
  const rows = await many<TransactionRow>(
    tenant.db,
    `SELECT ${columns} WHERE t.org_id = $1${where.text} ORDER BY t.id DESC LIMIT $2`,
    [tenant.orgId, page.limit, ...where.values],
  )
  return rows.map(toTransaction)
}

/** Customers with a sale, archived or not, whose id is in a range. */
const visitors = (first: string, next: string) => `
  SELECT customer_id FROM transactions WHERE org_id = $1 AND id >= ${first} AND id < ${next}
  UNION SELECT customer_id FROM archived_transactions WHERE org_id = $1 AND id >= ${first} AND id < ${next}`

/**
 * Number of customers who had a sale in a range of time, each counted once. It is recounted each time:
 * daily sums cannot tell who came twice in a month. The ids alone carry the time, so that only the index on
 * customers has to be read for a long range: rows of transactions are wide.
 */
export async function getActiveCustomers(tenant: Tenant, from: Date, to: Date): Promise<number> {
  const row = await maybeOne<{ customers: number }>(
    tenant.db,
    `SELECT count(*) AS customers FROM (${visitors('$2', '$3')}) visitors`,
    [tenant.orgId, firstIdAt(from), firstIdAt(to)],
  )
  return row!.customers
}

/**
 * Number of customers with a sale for each of several consecutive periods, each from its start to the start
 * of the next. Each is counted separately: the customers of one of thirty days fit into memory, the
 * combinations of customer and day do not.
 */
export async function listActiveCustomers(tenant: Tenant, starts: readonly Date[]): Promise<number[]> {
  const bounds = starts.map(firstIdAt)
  const rows = await many<{ customers: number }>(
    tenant.db,
    `SELECT (SELECT count(*) FROM (${visitors('first', 'next')}) visitors) AS customers
     FROM unnest($2::uuid[], $3::uuid[]) WITH ORDINALITY AS period (first, next, number) ORDER BY number`,
    [tenant.orgId, bounds.slice(0, -1), bounds.slice(1)],
  )
  return rows.map(({ customers }) => customers)
}
