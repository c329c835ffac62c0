/** Sales of a range of time, oldest first, with the campaign of their card: a campaign is tried on them again. */
import type { PastSale } from '../domain/backtest.ts'
import type { TransactionId } from '../domain/ids.ts'
import { firstIdAt } from './new-id.ts'
import { idFrom, many, maybeOne, type Tenant, uuidOf } from './tenant.ts'
import { unpackBasket, unpackResult } from './transaction-codec.ts'

/** Ids ascend with time, and here a few seconds do not matter. */
interface Range {
  readonly from: Date
  readonly to: Date
}

/** Counts up to a limit; archived sales are in files and are not among them. */
export async function countSales(tenant: Tenant, { from, to }: Range, most: number): Promise<number> {
  const row = await maybeOne<{ sales: number }>(
    tenant.db,
    `SELECT count(*)::integer AS sales FROM (
       SELECT 1 FROM transactions WHERE org_id = $1 AND id >= $2 AND id < $3 LIMIT $4) counted`,
    [tenant.orgId, firstIdAt(from), firstIdAt(to), most],
  )
  return row!.sales
}

interface SaleRow {
  id: string
  status: number
  customer_id: string
  campaign_id: string
  branch_opaque: string
  occurred_at: Date
  created_at: Date
  basket: Parameters<typeof unpackBasket>[0]
  result: Parameters<typeof unpackResult>[0]
}

export async function listPastSales(
  tenant: Tenant,
  { from, to }: Range,
  page: { readonly limit: number; readonly after?: TransactionId },
): Promise<PastSale[]> {
  const rows = await many<SaleRow>(
    tenant.db,
    `SELECT t.id, t.status, t.customer_id, c.campaign_id, b.opaque_id AS branch_opaque, t.occurred_at, t.created_at,
       t.basket, t.result
     FROM transactions t
     JOIN cards c ON c.org_id = t.org_id AND c.id = t.card_id
     JOIN branches b ON b.org_id = t.org_id AND b.id = t.branch_id
     WHERE t.org_id = $1 AND t.id ${page.after ? '>' : '>='} $2 AND t.id < $3 ORDER BY t.id LIMIT $4`,
    [tenant.orgId, page.after ? uuidOf(page.after) : firstIdAt(from), firstIdAt(to), page.limit],
  )
  return rows.map((row) => ({
    id: idFrom('txn', row.id),
    status: row.status,
    customer: idFrom('cus', row.customer_id),
    own: idFrom('cmp', row.campaign_id),
    branchOpaqueId: row.branch_opaque,
    occurredAt: row.occurred_at,
    createdAt: row.created_at,
    basket: unpackBasket(row.basket),
    result: unpackResult(row.result),
  }))
}
