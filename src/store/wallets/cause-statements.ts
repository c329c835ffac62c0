/**
 * The statements that write why wallets changed: sales, returns, coupons, events and the sums of the day.
 * They are sent with those of `statements.ts` and, like them, left out when there is nothing to write.
 */
import type { Step } from '../../database/pipeline.ts'
import { type Coupon, couponStatus } from '../../domain/coupon.ts'
import type { ReturnId } from '../../domain/ids.ts'
import type { LotTake } from '../../domain/lot.ts'
import { transactionStatus } from '../../domain/transaction.ts'
import { type DailyCount, dailySumsStep } from '../daily-sums.ts'
import { eventsSteps } from '../events.ts'
import { booleans, byteas, jsons, numbers, texts, times, uuids } from '../pg-arrays.ts'
import { packBasket, packResult } from '../transaction-codec.ts'
import {
  type ChangeGroup,
  causesOf,
  countChanges,
  customersOf,
  mustChange,
  type Row,
  rowsOf,
  saleOf,
  step,
  type WalletChange,
} from './change.ts'

export function insertTransactions(group: ChangeGroup): Step | undefined {
  const causes = causesOf(group, 'sale')
  if (causes.length === 0) return undefined
  const sales = causes.map(({ transaction }) => transaction)
  return step(
    'transactions',
    `INSERT INTO transactions (org_id, created_at, id, customer_id, card_id, user_id, branch_id, opaque_id, idempotency_key,
                          fingerprint, occurred_at, basket, result)
SELECT o.org_id, $2::timestamptz, r.* FROM setup_versions o, unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::uuid[], $7::uuid[], $8::text[],
  $9::text[], $10::bytea[], $11::timestamptz[], $12::json[], $13::json[]) AS r
WHERE o.org_id = $1::integer`,
    [
      group.org,
      group.at,
      uuids(sales.map((sale) => sale.id)),
      uuids(sales.map((sale) => sale.customer)),
      uuids(sales.map((sale) => sale.card)),
      uuids(sales.map((sale) => sale.user)),
      uuids(sales.map((sale) => sale.branch)),
      texts(sales.map((sale) => sale.opaqueId)),
      texts(causes.map((cause) => cause.idempotencyKey)),
      byteas(causes.map((cause) => cause.fingerprint)),
      times(sales.map((sale) => sale.occurredAt)),
      jsons(sales.map((sale) => packBasket(sale.basket))),
      jsons(sales.map((sale) => packResult(sale.result))),
    ],
  )
}

/** Fails if a concurrent return has just used the number; the retry then finds that return. */
export function insertReturns(group: ChangeGroup): Step | undefined {
  const causes = causesOf(group, 'return')
  if (causes.length === 0) return undefined
  const returns = causes.map(({ done }) => done)
  return step(
    'returns',
    `INSERT INTO returns (org_id, created_at, id, transaction_id, number, opaque_id, reason, items, result, fingerprint)
SELECT o.org_id, $2::timestamptz, r.* FROM setup_versions o, unnest($3::uuid[], $4::uuid[], $5::integer[], $6::text[], $7::text[], $8::json[],
  $9::json[], $10::bytea[]) AS r
WHERE o.org_id = $1::integer`,
    [
      group.org,
      group.at,
      uuids(returns.map(({ id }) => id)),
      uuids(returns.map(({ transaction }) => transaction)),
      numbers(returns.map(({ number }) => number)),
      texts(returns.map(({ opaqueId }) => opaqueId)),
      texts(returns.map(({ reason }) => reason)),
      jsons(returns.map(({ items }) => items)),
      jsons(returns.map(({ result }) => result)),
      byteas(causes.map(({ fingerprint }) => fingerprint)),
    ],
  )
}

export function updateReturnedSales(group: ChangeGroup): Step | undefined {
  const causes = causesOf(group, 'return')
  if (causes.length === 0) return undefined
  const { returned, partlyReturned } = transactionStatus
  return step(
    'returned-sales',
    countChanges(`
  UPDATE transactions t SET status = r.status FROM unnest($2::uuid[], $3::smallint[]) AS r (id, status)
  WHERE t.org_id = $1::integer AND t.id = r.id`),
    [
      group.org,
      uuids(causes.map(({ done }) => done.transaction)),
      numbers(causes.map(({ done }) => (done.result.record.isComplete ? returned : partlyReturned))),
    ],
  )
}

export function redeemCoupons(group: ChangeGroup): Step | undefined {
  const rows = rowsOf(group, (change) => change.redeemed)
  if (rows.length === 0) return undefined
  return step(
    'redemptions',
    `WITH changed AS (
  UPDATE coupons c SET status = ${couponStatus.redeemed}, redeemed_by = r.sale_id, updated_at = $2
  FROM unnest($3::uuid[], $4::uuid[], $5::uuid[]) AS r (id, customer_id, sale_id)
  WHERE c.org_id = $1::integer AND c.id = r.id AND c.customer_id = r.customer_id AND c.status = ${couponStatus.active}
  RETURNING 1)
${mustChange('cardinality($3::uuid[])')}`,
    [group.org, group.at, uuids(rows.map(({ item }) => item)), customersOf(rows), uuids(rows.map(saleOf))],
  )
}

export function insertGrants(group: ChangeGroup): Step | undefined {
  const rows = rowsOf(group, (change) => change.granted)
  if (rows.length === 0) return undefined
  return step(
    'grants',
    `INSERT INTO coupons (org_id, created_at, updated_at, id, customer_id, campaign_id, reward, expires_at, granted_by,
                     balance_key, at, multiple, consumed, consumed_from)
SELECT o.org_id, $2::timestamptz, $2::timestamptz, r.*
FROM setup_versions o, unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::json[], $7::timestamptz[], $8::uuid[], $9::text[], $10::bigint[], $11::bigint[],
  $12::bigint[], $13::json[]) AS r
WHERE o.org_id = $1::integer`,
    [
      group.org,
      group.at,
      uuids(rows.map(({ item }) => item.id)),
      customersOf(rows),
      uuids(rows.map(({ item }) => item.campaign)),
      jsons(rows.map(({ item }) => item.reward)),
      times(rows.map(({ item }) => item.expiresAt)),
      uuids(rows.map(saleOf)),
      texts(rows.map(({ item }) => item.origin?.key)),
      numbers(rows.map(({ item }) => item.origin?.at)),
      numbers(rows.map(({ item }) => item.origin?.multiple)),
      numbers(rows.map(({ item }) => item.origin?.consumed?.units)),
      jsons(rows.map(({ item }) => takesOf(item))),
    ],
  )
}

function takesOf({ origin }: Coupon): readonly LotTake[] | undefined {
  const from = origin?.consumed?.from ?? []
  return from.length > 0 ? from : undefined
}

function returnOf({ change: { cause } }: Row<unknown>): ReturnId | undefined {
  return cause.kind === 'return' ? cause.done.id : undefined
}

/** A coupon that only stands for something else keeps the time at which it ended. */
export function updateCoupons(group: ChangeGroup): Step | undefined {
  const rows = rowsOf(group, (change) => change.coupons)
  if (rows.length === 0) return undefined
  const { redeemed } = couponStatus
  return step(
    'returned-coupons',
    `WITH changed AS (
  UPDATE coupons c SET status = r.status, multiple = r.multiple, consumed_from = r.consumed_from, settled = r.settled,
    redeemed_by = CASE WHEN r.status = ${redeemed} THEN c.redeemed_by END,
    revoked_by = CASE WHEN r.is_taken_back THEN coalesce(c.revoked_by, r.return_id) END,
    updated_at = CASE WHEN c.status = r.status THEN c.updated_at ELSE $2 END
  FROM unnest($3::uuid[], $4::uuid[], $5::smallint[], $6::bigint[], $7::json[], $8::bigint[], $9::boolean[], $10::uuid[])
    AS r (id, customer_id, status, multiple, consumed_from, settled, is_taken_back, return_id)
  WHERE c.org_id = $1::integer AND c.id = r.id AND c.customer_id = r.customer_id RETURNING 1)
${mustChange('cardinality($3::uuid[])')}`,
    [
      group.org,
      group.at,
      uuids(rows.map(({ item }) => item.id)),
      customersOf(rows),
      numbers(rows.map(({ item }) => item.status)),
      numbers(rows.map(({ item }) => item.origin?.multiple)),
      jsons(rows.map(({ item }) => takesOf(item))),
      numbers(rows.map(({ item }) => item.origin?.consumed?.settled ?? 0)),
      booleans(rows.map(({ item }) => item.isTakenBack ?? false)),
      uuids(rows.map(returnOf)),
    ],
  )
}

/** Only coupons that were still usable. */
export function endCoupons(group: ChangeGroup, end: 'revoked' | 'expired'): Step | undefined {
  const rows = rowsOf(group, (change) => change[end])
  if (rows.length === 0) return undefined
  return step(
    `${end}-coupons`,
    `WITH changed AS (
  UPDATE coupons c SET status = ${couponStatus[end]}, updated_at = $2
  FROM unnest($3::uuid[], $4::uuid[]) AS r (id, customer_id)
  WHERE c.org_id = $1::integer AND c.id = r.id AND c.customer_id = r.customer_id AND c.status = ${couponStatus.active}
  RETURNING 1)
${mustChange('cardinality($3::uuid[])')}`,
    [group.org, group.at, uuids(rows.map(({ item }) => item)), customersOf(rows)],
  )
}

export function insertEvents({ org, changes }: ChangeGroup, now: Date): Step[] {
  return eventsSteps(
    org,
    changes.flatMap((change) => change.facts),
    now,
  )
}

export function addDailySums({ org, changes }: ChangeGroup, day: string): Step | undefined {
  return dailySumsStep(org, changes.flatMap(dailyCounts), day)
}

const couponCounts = [
  ['granted', 'coupons_granted'],
  ['redeemed', 'coupons_redeemed'],
  ['revoked', 'coupons_revoked'],
  ['expired', 'coupons_expired'],
] as const

function dailyCounts(change: WalletChange): DailyCount[] {
  const { movements = [], counts = [], cause } = change
  const all: DailyCount[] = [...counts]
  if (cause.kind === 'sale') all.push({ measure: 'transactions', key: '', amount: 1 })
  if (cause.kind === 'return') all.push({ measure: 'returns', key: '', amount: 1 })
  for (const { kind, key, amount } of movements) all.push({ measure: kind, key, amount })
  for (const [coupons, measure] of couponCounts) {
    const amount = change[coupons]?.length ?? 0
    if (amount > 0) all.push({ measure, key: '', amount })
  }
  return all
}
