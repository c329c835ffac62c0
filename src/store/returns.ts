/**
 * Returns of sales, numbered in their order; each was decided on those before it. They are written by
 * `wallets/write.ts`.
 */

import type { WireRow } from '../database/pipeline.ts'
import type { ReturnId, TransactionId } from '../domain/ids.ts'
import type { SaleReturn, SaleReturnResult } from '../domain/transaction.ts'
import { type Question, question } from './question.ts'
import { idFrom, many, maybeOne, type Tenant, uuidOf } from './tenant.ts'
import { ms, toDate } from './wallets/load.ts'

interface ReturnRow {
  id: string
  transaction_id: string
  number: number
  opaque_id: string | null
  reason: string | null
  items: SaleReturn['items']
  result: SaleReturnResult
  created_at: Date
}

const toReturn = (row: ReturnRow): SaleReturn => ({
  id: idFrom('ret', row.id),
  transaction: idFrom('txn', row.transaction_id),
  number: row.number,
  opaqueId: row.opaque_id ?? undefined,
  reason: row.reason ?? undefined,
  items: row.items,
  result: row.result,
  createdAt: row.created_at,
})

/** Returns, oldest first. */
export async function listReturns(
  tenant: Tenant,
  transactions: readonly TransactionId[],
): Promise<SaleReturn[]> {
  if (transactions.length === 0) return []
  const rows = await many<ReturnRow>(
    tenant.db,
    'SELECT * FROM returns WHERE org_id = $1 AND transaction_id = ANY($2::uuid[]) ORDER BY transaction_id, number',
    [tenant.orgId, transactions.map(uuidOf)],
  )
  return rows.map(toReturn)
}

export async function findReturnByOpaqueId(
  tenant: Tenant,
  opaqueId: string,
): Promise<SaleReturn | undefined> {
  const row = await maybeOne<ReturnRow>(
    tenant.db,
    'SELECT * FROM returns WHERE org_id = $1 AND opaque_id = $2',
    [tenant.orgId, opaqueId],
  )
  return row && toReturn(row)
}

/** A return with the fingerprint of the request that created it. */
export interface FoundReturn extends SaleReturn {
  readonly fingerprint?: Buffer
}

const returnColumns = `id, transaction_id, number, opaque_id, reason, items, result, ${ms('created_at')},
  encode(fingerprint, 'hex') FROM returns`

function readReturn(row: WireRow): FoundReturn {
  const [id, sale, number, opaqueId, reason, items, result, createdAt, fingerprint] = row
  return {
    id: idFrom('ret', id!),
    transaction: idFrom('txn', sale!),
    number: Number(number),
    opaqueId: opaqueId ?? undefined,
    reason: reason ?? undefined,
    items: JSON.parse(items!),
    result: JSON.parse(result!),
    createdAt: toDate(createdAt)!,
    fingerprint: fingerprint ? Buffer.from(fingerprint, 'hex') : undefined,
  }
}

/** The returns of a sale, oldest first. */
export function returnsOfSale({ orgId }: Tenant, sale: TransactionId): Question<SaleReturn[]> {
  return question(
    'load-returns',
    `SELECT ${returnColumns} WHERE org_id = $1::integer AND transaction_id = $2::uuid ORDER BY number`,
    [String(orgId), uuidOf(sale)],
    (rows) => rows.map(readReturn),
  )
}

/**
 * The return with this id, or else the one with the client's number: what an earlier attempt of a retried
 * request has created. Of an archived one only its number and its sale are known, which is another sale than
 * the one that is being returned now.
 */
export function earlierReturn(
  { orgId }: Tenant,
  id: ReturnId,
  opaqueId: string | undefined,
): Question<FoundReturn | undefined> {
  return question(
    'load-earlier-return',
    `SELECT ${returnColumns} WHERE org_id = $1::integer AND (id = $2::uuid OR opaque_id = $3::text)
     UNION ALL SELECT id, transaction_id, 0, opaque_id, NULL, '[]', '{}', 0, NULL FROM archived_returns
     WHERE org_id = $1::integer AND opaque_id = $3::text`,
    [String(orgId), uuidOf(id), opaqueId ?? null],
    ([row]) => row && readReturn(row),
  )
}
