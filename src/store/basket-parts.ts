/**
 * The statements that write a group of baskets; `write-baskets.ts` sends them together. Each takes arrays with one
 * element per row, and is left out when there are no rows.
 *
 * An UPDATE whose target has changed meanwhile changes fewer rows than it was given, and then divides by zero: that
 * undoes everything. The wallets' version is the guard that is meant to fail; under it the others cannot.
 */

import type { Step, WireValue } from '../database/pipeline.ts'
import type { CustomerId } from '../domain/ids.ts'
import type { Movement } from '../domain/ledger-entry.ts'
import type { Lot } from '../domain/wallet.ts'
import { type DailyCount, nextShard } from './daily-sums.ts'
import { newId } from './new-id.ts'
import { everDay } from './rule-usage.ts'
import { packBasket, packResult } from './transaction-codec.ts'
import { byteas, dates, jsons, numbers, texts, times, uuids } from './wire.ts'
import type { BasketWrite } from './write-baskets.ts'

export interface WriteGroup {
  readonly org: string
  readonly at: string
  readonly writes: readonly BasketWrite[]
}

function step(name: string, text: string, values: readonly WireValue[]): Step {
  return { name: `write-${name}`, text, values }
}

const mustChange = (count: string) =>
  `SELECT 1 / (CASE WHEN count(*) = ${count} THEN 1 ELSE 0 END) FROM changed`

interface Row<T> {
  readonly write: BasketWrite
  readonly item: T
}

function rowsOf<T>({ writes }: WriteGroup, pick: (write: BasketWrite) => readonly T[]): Row<T>[] {
  const rows: Row<T>[] = []
  for (const write of writes) for (const item of pick(write)) rows.push({ write, item })
  return rows
}

const customersOf = (rows: readonly Row<unknown>[]) =>
  uuids(rows.map(({ write }) => write.transaction.customer))
const salesOf = (rows: readonly Row<unknown>[]) => uuids(rows.map(({ write }) => write.transaction.id))

/** In the order of the customers, which is the order in which everybody locks wallets. */
export function bumpWallets({ org, at, writes }: WriteGroup): Step {
  const bumps = new Map<CustomerId, { customer: CustomerId; from: number; baskets: number }>()
  for (const { transaction, walletVersion } of writes) {
    const { customer } = transaction
    const bump = bumps.get(customer)
    if (bump) bump.baskets++
    else bumps.set(customer, { customer, from: walletVersion, baskets: 1 })
  }
  const sorted = [...bumps.values()].sort((a, b) => (a.customer < b.customer ? -1 : 1))
  return step(
    'wallets',
    `WITH changed AS (
  UPDATE wallets w SET version = w.version + b.baskets, transaction_count = w.transaction_count + b.baskets, last_activity_at = $2
  FROM unnest($3::uuid[], $4::bigint[], $5::integer[]) AS b (customer_id, version, baskets)
  WHERE w.org_id = $1::integer AND w.customer_id = b.customer_id AND w.version = b.version RETURNING 1)
${mustChange('cardinality($3::uuid[])')}`,
    [
      org,
      at,
      uuids(sorted.map(({ customer }) => customer)),
      numbers(sorted.map(({ from }) => from)),
      numbers(sorted.map(({ baskets }) => baskets)),
    ],
  )
}

interface BalanceMove {
  readonly customer: CustomerId
  readonly fromVersion: number
  readonly isNew: boolean
  last: Movement
}

/** Baskets may move a balance several times; its row is written once, with the last of them. */
function balanceMoves({ writes }: WriteGroup): BalanceMove[] {
  const moves = new Map<string, BalanceMove>()
  for (const { transaction, movements, newBalances } of writes) {
    const { customer } = transaction
    for (const last of movements) {
      const name = `${customer} ${last.key}`
      const known = moves.get(name)
      const isNew = newBalances.includes(last.key)
      if (known) known.last = last
      else moves.set(name, { customer, fromVersion: last.version - 1, isNew, last })
    }
  }
  return [...moves.values()]
}

export function moveBalances(group: WriteGroup): Step | undefined {
  const moves = balanceMoves(group).filter(({ isNew }) => !isNew)
  if (moves.length === 0) return undefined
  return step(
    'balances',
    `WITH changed AS (
  UPDATE balances b SET value = m.value, total = m.total, version = m.to_version
  FROM unnest($2::uuid[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
    AS m (customer_id, key, value, total, from_version, to_version)
  WHERE b.org_id = $1::integer AND b.customer_id = m.customer_id AND b.key = m.key AND b.version = m.from_version
  RETURNING 1)
${mustChange('cardinality($2::uuid[])')}`,
    [
      group.org,
      uuids(moves.map(({ customer }) => customer)),
      texts(moves.map(({ last }) => last.key)),
      numbers(moves.map(({ last }) => last.valueAfter)),
      numbers(moves.map(({ last }) => last.totalAfter)),
      numbers(moves.map(({ fromVersion }) => fromVersion)),
      numbers(moves.map(({ last }) => last.version)),
    ],
  )
}

export function insertNewBalances(group: WriteGroup): Step | undefined {
  if (!group.writes.some((write) => write.newBalances.length > 0)) return undefined
  const moves = balanceMoves(group).filter(({ isNew }) => isNew)
  return step(
    'new-balances',
    `INSERT INTO balances (org_id, customer_id, key, value, total, version)
SELECT $1::integer, m.* FROM unnest($2::uuid[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[]) AS m`,
    [
      group.org,
      uuids(moves.map(({ customer }) => customer)),
      texts(moves.map(({ last }) => last.key)),
      numbers(moves.map(({ last }) => last.valueAfter)),
      numbers(moves.map(({ last }) => last.totalAfter)),
      numbers(moves.map(({ last }) => last.version)),
    ],
  )
}

export function insertEntries(group: WriteGroup): Step | undefined {
  const rows = rowsOf(group, (write) => write.movements)
  if (rows.length === 0) return undefined
  return step(
    'entries',
    `INSERT INTO ledger_entries (org_id, created_at, customer_id, key, version, wallet_version, kind, amount, value_after,
                            total_after, transaction_id, campaign_id, rule_id)
SELECT $1::integer, $2::timestamptz, r.* FROM unnest($3::uuid[], $4::text[], $5::bigint[], $6::bigint[], $7::text[], $8::bigint[],
  $9::bigint[], $10::bigint[], $11::uuid[], $12::uuid[], $13::text[]) AS r`,
    [
      group.org,
      group.at,
      customersOf(rows),
      texts(rows.map(({ item }) => item.key)),
      numbers(rows.map(({ item }) => item.version)),
      numbers(rows.map(({ write }) => write.walletVersion + 1)),
      texts(rows.map(({ item }) => item.kind)),
      numbers(rows.map(({ item }) => item.amount)),
      numbers(rows.map(({ item }) => item.valueAfter)),
      numbers(rows.map(({ item }) => item.totalAfter)),
      salesOf(rows),
      uuids(rows.map(({ item }) => item.campaign)),
      texts(rows.map(({ item }) => item.rule)),
    ],
  )
}

export function insertTransactions({ org, at, writes }: WriteGroup): Step {
  const sales = writes.map((write) => write.transaction)
  return step(
    'transactions',
    `INSERT INTO transactions (org_id, created_at, id, customer_id, card_id, user_id, branch_id, opaque_id, idempotency_key,
                          fingerprint, occurred_at, basket, result)
SELECT $1::integer, $2::timestamptz, r.* FROM unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::uuid[], $7::uuid[], $8::text[],
  $9::text[], $10::bytea[], $11::timestamptz[], $12::json[], $13::json[]) AS r`,
    [
      org,
      at,
      uuids(sales.map((sale) => sale.id)),
      uuids(sales.map((sale) => sale.customer)),
      uuids(sales.map((sale) => sale.card)),
      uuids(sales.map((sale) => sale.user)),
      uuids(sales.map((sale) => sale.branch)),
      texts(sales.map((sale) => sale.opaqueId)),
      texts(writes.map((write) => write.idempotencyKey)),
      byteas(writes.map((write) => write.fingerprint)),
      times(sales.map((sale) => sale.occurredAt)),
      jsons(sales.map((sale) => packBasket(sale.basket))),
      jsons(sales.map((sale) => packResult(sale.result))),
    ],
  )
}

export function redeemCoupons(group: WriteGroup): Step | undefined {
  const rows = rowsOf(group, (write) => write.redeemed)
  if (rows.length === 0) return undefined
  return step(
    'redemptions',
    `WITH changed AS (
  UPDATE coupons c SET status = 3, redeemed_by = r.sale_id, updated_at = $2
  FROM unnest($3::uuid[], $4::uuid[], $5::uuid[]) AS r (id, customer_id, sale_id)
  WHERE c.org_id = $1::integer AND c.id = r.id AND c.customer_id = r.customer_id AND c.status = 1 RETURNING 1)
${mustChange('cardinality($3::uuid[])')}`,
    [group.org, group.at, uuids(rows.map(({ item }) => item)), customersOf(rows), salesOf(rows)],
  )
}

export function insertGrants(group: WriteGroup): Step | undefined {
  const rows = rowsOf(group, (write) => write.granted)
  if (rows.length === 0) return undefined
  return step(
    'grants',
    `INSERT INTO coupons (org_id, created_at, updated_at, id, customer_id, campaign_id, reward, expires_at, granted_by)
SELECT $1::integer, $2::timestamptz, $2::timestamptz, r.*
FROM unnest($3::uuid[], $4::uuid[], $5::uuid[], $6::json[], $7::timestamptz[], $8::uuid[]) AS r`,
    [
      group.org,
      group.at,
      uuids(rows.map(({ item }) => item.id)),
      customersOf(rows),
      uuids(rows.map(({ item }) => item.campaign)),
      jsons(rows.map(({ item }) => item.reward)),
      times(rows.map(({ item }) => item.expiresAt)),
      salesOf(rows),
    ],
  )
}

/** A lot that several baskets took from is written once, as the last of them left it. */
export function writeLots(group: WriteGroup): Step | undefined {
  const lots = new Map<string, Row<Lot>>()
  for (const row of rowsOf(group, (write) => write.lots)) {
    lots.set(`${row.write.transaction.customer} ${row.item.key} ${row.item.version}`, row)
  }
  if (lots.size === 0) return undefined
  const rows = [...lots.values()]
  return step(
    'lots',
    `INSERT INTO lots (org_id, customer_id, key, version, remaining, expires_at)
SELECT $1::integer, r.* FROM unnest($2::uuid[], $3::text[], $4::bigint[], $5::bigint[], $6::timestamptz[]) AS r
ON CONFLICT (org_id, customer_id, key, version) DO UPDATE SET remaining = EXCLUDED.remaining`,
    [
      group.org,
      customersOf(rows),
      texts(rows.map(({ item }) => item.key)),
      numbers(rows.map(({ item }) => item.version)),
      numbers(rows.map(({ item }) => item.remaining)),
      times(rows.map(({ item }) => item.expiresAt)),
    ],
  )
}

/** A customer's own counters of limited rules, each added up over the customer's baskets. */
export function writeUsage(group: WriteGroup): Step | undefined {
  const usage = new Map<string, Row<BasketWrite['usage'][number]> & { amount: number }>()
  for (const { write, item } of rowsOf(group, (one) => one.usage)) {
    const name = `${write.transaction.customer} ${item.campaign} ${item.rule} ${item.day}`
    usage.set(name, { write, item, amount: (usage.get(name)?.amount ?? 0) + item.amount })
  }
  if (usage.size === 0) return undefined
  const rows = [...usage.values()]
  return step(
    'usage',
    `INSERT INTO customer_rule_usage (org_id, customer_id, campaign_id, rule_id, day, used)
SELECT $1::integer, r.* FROM unnest($2::uuid[], $3::uuid[], $4::text[], $5::date[], $6::bigint[]) AS r
ON CONFLICT (org_id, customer_id, campaign_id, rule_id, day) DO UPDATE SET used = customer_rule_usage.used + EXCLUDED.used`,
    [
      group.org,
      customersOf(rows),
      uuids(rows.map(({ item }) => item.campaign)),
      texts(rows.map(({ item }) => item.rule)),
      dates(rows.map(({ item }) => item.day ?? everDay)),
      numbers(rows.map(({ amount }) => amount)),
    ],
  )
}

export function insertEvents(group: WriteGroup, now: Date): Step {
  const facts = group.writes.flatMap((write) => write.facts)
  return step(
    'events',
    `INSERT INTO events (org_id, created_at, id, type, data)
SELECT $1::integer, $2::timestamptz, r.* FROM unnest($3::uuid[], $4::text[], $5::json[]) AS r`,
    [
      group.org,
      group.at,
      uuids(facts.map(() => newId('evt', now))),
      texts(facts.map((fact) => fact.type)),
      jsons(facts.map((fact) => fact.data)),
    ],
  )
}

/** Added up for the group and sorted, so that groups which meet at a row meet in the same order. */
export function writeDailySums(group: WriteGroup, day: string): Step {
  const sums = new Map<string, DailyCount>()
  for (const write of group.writes) {
    for (const count of dailyCounts(write)) {
      const name = `${count.measure} ${count.key}`
      sums.set(name, { ...count, amount: count.amount + (sums.get(name)?.amount ?? 0) })
    }
  }
  const counts = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count)
  return step(
    'daily-sums',
    `INSERT INTO daily_sums (org_id, day, shard, measure, key, amount)
SELECT $1::integer, $2::date, $3::smallint, r.* FROM unnest($4::text[], $5::text[], $6::bigint[]) AS r
ON CONFLICT (org_id, day, measure, key, shard) DO UPDATE SET amount = daily_sums.amount + EXCLUDED.amount`,
    [
      group.org,
      day,
      String(nextShard()),
      texts(counts.map((count) => count.measure)),
      texts(counts.map((count) => count.key)),
      numbers(counts.map((count) => count.amount)),
    ],
  )
}

function dailyCounts({ movements, granted, redeemed }: BasketWrite): DailyCount[] {
  const counts: DailyCount[] = [{ measure: 'transactions', key: '', amount: 1 }]
  for (const { kind, key, amount } of movements) counts.push({ measure: kind, key, amount })
  if (granted.length > 0) counts.push({ measure: 'coupons_granted', key: '', amount: granted.length })
  if (redeemed.length > 0) counts.push({ measure: 'coupons_redeemed', key: '', amount: redeemed.length })
  return counts
}
