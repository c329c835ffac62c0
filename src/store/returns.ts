/** Returns of sales, numbered in their order; each was decided on those before it, under the wallet's lock. */

import { couponStatus } from '../domain/coupon.ts'
import type { CampaignId, CouponId, CustomerId, TransactionId } from '../domain/ids.ts'
import type { SaleReturn, SaleReturnResult } from '../domain/transaction.ts'
import type { KeptMultiple } from '../domain/wallet.ts'
import { execute, idFrom, many, maybeOne, type Scope, uuidOf } from './scope.ts'

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

/** Oldest first. */
export async function listReturns(
  scope: Scope,
  transactions: readonly TransactionId[],
): Promise<SaleReturn[]> {
  if (transactions.length === 0) return []
  const rows = await many<ReturnRow>(
    scope.db,
    'SELECT * FROM returns WHERE org_id = $1 AND transaction_id = ANY($2::uuid[]) ORDER BY transaction_id, number',
    [scope.org, transactions.map(uuidOf)],
  )
  return rows.map(toReturn)
}

export async function findReturnByOpaqueId(
  scope: Scope,
  opaqueId: string,
): Promise<{ found: SaleReturn; fingerprint?: Buffer } | undefined> {
  const row = await maybeOne<ReturnRow & { fingerprint: Buffer | null }>(
    scope.db,
    'SELECT * FROM returns WHERE org_id = $1 AND opaque_id = $2',
    [scope.org, opaqueId],
  )
  return row && { found: toReturn(row), fingerprint: row.fingerprint ?? undefined }
}

export async function insertReturn(
  scope: Scope,
  one: SaleReturn,
  status: number,
  fingerprint: Buffer | undefined,
): Promise<void> {
  await scope.db.query(
    `WITH sale AS (UPDATE transactions SET status = $10 WHERE org_id = $1 AND id = $3)
     INSERT INTO returns (org_id, id, transaction_id, number, opaque_id, reason, items, result, created_at, fingerprint)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $11)`,
    [
      scope.org,
      uuidOf(one.id),
      uuidOf(one.transaction),
      one.number,
      one.opaqueId ?? null,
      one.reason ?? null,
      JSON.stringify(one.items),
      JSON.stringify(one.result),
      one.createdAt,
      status,
      fingerprint ?? null,
    ],
  )
}

/**
 * How many coupons sales have granted to a customer, by campaign and reward, without those that a return took
 * back. Only the returns of the sale that granted a coupon can have done that.
 */
export async function countGrantedCoupons(
  scope: Scope,
  customer: CustomerId,
): Promise<{ campaign: CampaignId; reward: string; count: number }[]> {
  const rows = await many<{ campaign: string; reward: string; count: number }>(
    scope.db,
    `SELECT c.campaign_id AS campaign, c.reward ->> 'key' AS reward, count(*)::int AS count FROM coupons c
     WHERE c.org_id = $1 AND c.customer_id = $2 AND c.granted_by IS NOT NULL AND NOT EXISTS (
       SELECT 1 FROM returns r, json_array_elements_text(r.result -> 'record' -> 'revoked') AS gone (id)
       WHERE r.org_id = c.org_id AND r.transaction_id = c.granted_by
         AND gone.id = 'cpn_' || replace(c.id::text, '-', ''))
     GROUP BY c.campaign_id, c.reward ->> 'key'`,
    [scope.org, uuidOf(customer)],
  )
  return rows.map((row) => ({ ...row, campaign: idFrom('cmp', row.campaign) }))
}

/** Makes coupons of a returned sale usable again, with the expiry they had. */
export async function restoreCoupons(
  scope: Scope,
  sale: TransactionId,
  coupons: readonly CouponId[],
  now: Date,
): Promise<void> {
  if (coupons.length === 0) return
  const restored = await execute(
    scope.db,
    `UPDATE coupons SET status = ${couponStatus.active}, redeemed_by = NULL, updated_at = $4
     WHERE org_id = $1 AND redeemed_by = $2 AND id = ANY($3::uuid[])`,
    [scope.org, uuidOf(sale), coupons.map(uuidOf), now],
  )
  if (restored !== coupons.length)
    throw new Error(`only ${restored} of ${coupons.length} coupons were redeemed by ${sale}`)
}

/** A sale that came back whole counts as no visit, so that a gift for the first one can still be had. */
export async function uncountTransaction(scope: Scope, customer: CustomerId): Promise<void> {
  await scope.db.query(
    `UPDATE wallets SET transaction_count = greatest(transaction_count - 1, 0) WHERE org_id = $1 AND customer_id = $2`,
    [scope.org, uuidOf(customer)],
  )
}

export async function replaceKeptMultiples(
  scope: Scope,
  customer: CustomerId,
  kept: readonly KeptMultiple[],
): Promise<void> {
  await scope.db.query('DELETE FROM kept_multiples WHERE org_id = $1 AND customer_id = $2', [
    scope.org,
    uuidOf(customer),
  ])
  await scope.db.query(
    `INSERT INTO kept_multiples (org_id, customer_id, campaign_id, key, at, reward, multiple)
     SELECT $1, $2, campaign_id, key, at, reward, multiple
     FROM unnest($3::uuid[], $4::text[], $5::bigint[], $6::text[], $7::bigint[]) AS k (campaign_id, key, at, reward, multiple)`,
    [
      scope.org,
      uuidOf(customer),
      kept.map((one) => uuidOf(one.campaign)),
      kept.map((one) => one.key),
      kept.map((one) => one.at),
      kept.map((one) => one.reward),
      kept.map((one) => one.multiple),
    ],
  )
}
