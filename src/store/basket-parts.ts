/**
 * The parts of the statement that writes a group of baskets; `write-baskets.ts` puts them together.
 *
 * Rows name their basket by its position in the group, and take its customer, transaction and wallet version from
 * the arrays by that position. Joining every kind of row with the wallets that passed was 20 of the 33 ms that a
 * group of a hundred took: PostgreSQL expects ten rows of an array and compares each with each.
 *
 * Parts without rows are left out. Starting a part costs PostgreSQL some 20 µs whether it has rows or not, and
 * most baskets touch neither coupons nor lots nor limits.
 */
import type { Movement } from '../domain/ledger-entry.ts'
import { type DailyCount, ownShard } from './daily-sums.ts'
import { newId } from './new-id.ts'
import { everDay } from './rule-usage.ts'
import { uuidOf } from './scope.ts'
import { packBasket, packResult } from './transaction-codec.ts'
import type { BasketWrite } from './write-baskets.ts'

/** A row with the position of its basket, from 1 as PostgreSQL counts. */
interface Row<T> {
  readonly n: number
  readonly write: BasketWrite
  readonly item: T
}

type Columns<T> = Record<string, [type: string, pick: (row: Row<T>) => unknown]>

export interface Draft {
  readonly values: unknown[]
  readonly parts: string[]
  /** Conditions that must hold, or the whole statement fails. */
  readonly checks: string[]
  readonly writes: readonly BasketWrite[]
  readonly org: string
  readonly at: string
  readonly versions: string
  /** The customer and the transaction of row `r`. */
  readonly customer: string
  readonly sale: string
  param(type: string, value: unknown): string
}

const isOpen = 'r.n = ANY ((SELECT open FROM gate)::int[])'

/** Begins with what every group needs: the wallets, locked in order, and which of them pass. */
export function openDraft(org: number, writes: readonly BasketWrite[], now: Date): Draft {
  const values: unknown[] = []
  const param = (type: string, value: unknown) => `$${values.push(value)}::${type}`
  const orgId = param('integer', org)
  const at = param('timestamptz', now)
  const customers = param(
    'uuid[]',
    writes.map((write) => uuidOf(write.transaction.customer)),
  )
  const versions = param(
    'bigint[]',
    writes.map((write) => write.walletVersion),
  )
  const sales = param(
    'uuid[]',
    writes.map((write) => uuidOf(write.transaction.id)),
  )
  const parts = [
    `passed AS MATERIALIZED (
  SELECT b.n, w.customer_id, w.version + 1 AS version
  FROM unnest(${customers}, ${versions}) WITH ORDINALITY AS b (customer_id, version, n)
  JOIN wallets w ON w.org_id = ${orgId} AND w.customer_id = b.customer_id AND w.version = b.version
  ORDER BY w.customer_id FOR UPDATE OF w)`,
    'gate AS MATERIALIZED (SELECT array_agg(n::int) AS open FROM passed)',
    `bumped AS (
  UPDATE wallets w SET version = p.version, transaction_count = w.transaction_count + 1, last_activity_at = ${at}
  FROM passed p WHERE w.org_id = ${orgId} AND w.customer_id = p.customer_id)`,
  ]
  const customer = `(${customers})[r.n]`
  const sale = `(${sales})[r.n]`
  return { values, parts, checks: [], writes, org: orgId, at, versions, customer, sale, param }
}

function listRows<T>({ writes }: Draft, pick: (write: BasketWrite) => readonly T[]): Row<T>[] {
  return writes.flatMap((write, i) => pick(write).map((item) => ({ n: i + 1, write, item })))
}

/** The rows as a table `r` with these columns beside the position. */
function tableOf<T>({ param }: Draft, rows: readonly Row<T>[], columns: Columns<T>): string {
  const all: Columns<T> = { n: ['int', (row) => row.n], ...columns }
  const arrays = Object.values(all).map(([type, pick]) => param(`${type}[]`, rows.map(pick)))
  return `unnest(${arrays.join(', ')}) AS r (${Object.keys(all).join(', ')})`
}

/** Balances and the entries that move them. A balance that is not where its entry starts fails the statement. */
export function addBalances(draft: Draft): void {
  const { parts, checks, org, at, customer, sale, versions } = draft
  const balances = listRows(draft, lastMovements)
  if (balances.length === 0) return
  const isNew = ({ write, item }: (typeof balances)[number]) => write.newBalances.includes(item.last.key)
  const table = tableOf(draft, balances, {
    key: ['text', ({ item }) => item.last.key],
    value: ['bigint', ({ item }) => item.last.valueAfter],
    total: ['bigint', ({ item }) => item.last.totalAfter],
    from_version: ['bigint', ({ item }) => item.fromVersion],
    to_version: ['bigint', ({ item }) => item.last.version],
    is_new: ['boolean', isNew],
  })
  parts.push(
    `balance AS MATERIALIZED (SELECT ${customer} AS customer_id, r.* FROM ${table} WHERE ${isOpen})`,
    `moved AS (
  UPDATE balances b SET value = m.value, total = m.total, version = m.to_version FROM balance m
  WHERE b.org_id = ${org} AND b.customer_id = m.customer_id AND b.key = m.key AND b.version = m.from_version
    AND NOT m.is_new RETURNING 1)`,
  )
  const hasNew = balances.some(isNew)
  if (hasNew) {
    parts.push(`opened AS (
  INSERT INTO balances (org_id, customer_id, key, value, total, version)
  SELECT ${org}, m.customer_id, m.key, m.value, m.total, m.to_version FROM balance m WHERE m.is_new RETURNING 1)`)
  }
  const changed = `(SELECT count(*) FROM moved)${hasNew ? ' + (SELECT count(*) FROM opened)' : ''}`
  checks.push(`${changed} = (SELECT count(*) FROM balance)`)
  const entries = tableOf(
    draft,
    listRows(draft, (write) => write.movements),
    {
      key: ['text', ({ item }) => item.key],
      version: ['bigint', ({ item }) => item.version],
      kind: ['text', ({ item }) => item.kind],
      amount: ['bigint', ({ item }) => item.amount],
      value_after: ['bigint', ({ item }) => item.valueAfter],
      total_after: ['bigint', ({ item }) => item.totalAfter],
      campaign_id: ['uuid', ({ item }) => (item.campaign ? uuidOf(item.campaign) : null)],
      rule_id: ['text', ({ item }) => item.rule ?? null],
    },
  )
  parts.push(`entered AS (
  INSERT INTO ledger_entries (org_id, customer_id, key, version, wallet_version, kind, amount, value_after, total_after,
                              transaction_id, campaign_id, rule_id, created_at)
  SELECT ${org}, ${customer}, r.key, r.version, (${versions})[r.n] + 1, r.kind, r.amount, r.value_after,
         r.total_after, ${sale}, r.campaign_id, r.rule_id, ${at}
  FROM ${entries} WHERE ${isOpen})`)
}

/** A basket may move a balance several times; the balance's row is written once, with the last of them. */
function lastMovements(write: BasketWrite): { fromVersion: number; last: Movement }[] {
  const byKey = new Map<string, { fromVersion: number; last: Movement }>()
  for (const movement of write.movements) {
    const known = byKey.get(movement.key)
    byKey.set(movement.key, { fromVersion: known?.fromVersion ?? movement.version - 1, last: movement })
  }
  return [...byKey.values()]
}

export function addTransactions(draft: Draft): void {
  const table = tableOf(
    draft,
    listRows(draft, (write) => [write.transaction]),
    {
      card_id: ['uuid', ({ item }) => uuidOf(item.card)],
      user_id: ['uuid', ({ item }) => uuidOf(item.user)],
      branch_id: ['uuid', ({ item }) => uuidOf(item.branch)],
      opaque_id: ['text', ({ item }) => item.opaqueId ?? null],
      idempotency_key: ['text', ({ write }) => write.idempotencyKey ?? null],
      fingerprint: ['bytea', ({ write }) => write.fingerprint ?? null],
      occurred_at: ['timestamptz', ({ item }) => item.occurredAt],
      basket: ['json', ({ item }) => JSON.stringify(packBasket(item.basket))],
      result: ['json', ({ item }) => JSON.stringify(packResult(item.result))],
    },
  )
  draft.parts.push(`stored AS (
  INSERT INTO transactions (org_id, id, customer_id, card_id, user_id, branch_id, opaque_id, idempotency_key,
                            fingerprint, occurred_at, created_at, basket, result)
  SELECT ${draft.org}, ${draft.sale}, ${draft.customer}, r.card_id, r.user_id, r.branch_id, r.opaque_id,
         r.idempotency_key, r.fingerprint, r.occurred_at, ${draft.at}, r.basket, r.result
  FROM ${table} WHERE ${isOpen})`)
}

/** A coupon that is no longer active fails the statement. */
export function addRedemptions(draft: Draft): void {
  const redeemed = listRows(draft, (write) => write.redeemed)
  if (redeemed.length === 0) return
  const table = tableOf(draft, redeemed, { id: ['uuid', ({ item }) => uuidOf(item)] })
  draft.parts.push(
    `redemption AS MATERIALIZED (SELECT r.* FROM ${table} WHERE ${isOpen})`,
    `redeemed AS (
  UPDATE coupons c SET status = 3, redeemed_by = ${draft.sale}, updated_at = ${draft.at} FROM redemption r
  WHERE c.org_id = ${draft.org} AND c.id = r.id AND c.customer_id = ${draft.customer} AND c.status = 1 RETURNING 1)`,
  )
  draft.checks.push('(SELECT count(*) FROM redeemed) = (SELECT count(*) FROM redemption)')
}

export function addGrants(draft: Draft): void {
  const granted = listRows(draft, (write) => write.granted)
  if (granted.length === 0) return
  const table = tableOf(draft, granted, {
    id: ['uuid', ({ item }) => uuidOf(item.id)],
    campaign_id: ['uuid', ({ item }) => uuidOf(item.campaign)],
    reward: ['json', ({ item }) => JSON.stringify(item.reward)],
    expires_at: ['timestamptz', ({ item }) => item.expiresAt ?? null],
  })
  draft.parts.push(`granted AS (
  INSERT INTO coupons (org_id, id, customer_id, campaign_id, reward, expires_at, granted_by, created_at, updated_at)
  SELECT ${draft.org}, r.id, ${draft.customer}, r.campaign_id, r.reward, r.expires_at, ${draft.sale}, ${draft.at}, ${draft.at}
  FROM ${table} WHERE ${isOpen})`)
}

export function addLots(draft: Draft): void {
  const lots = listRows(draft, (write) => write.lots)
  if (lots.length === 0) return
  const table = tableOf(draft, lots, {
    key: ['text', ({ item }) => item.key],
    version: ['bigint', ({ item }) => item.version],
    remaining: ['bigint', ({ item }) => item.remaining],
    expires_at: ['timestamptz', ({ item }) => item.expiresAt],
  })
  draft.parts.push(`lotted AS (
  INSERT INTO lots (org_id, customer_id, key, version, remaining, expires_at)
  SELECT ${draft.org}, ${draft.customer}, r.key, r.version, r.remaining, r.expires_at FROM ${table} WHERE ${isOpen}
  ON CONFLICT (org_id, customer_id, key, version) DO UPDATE SET remaining = EXCLUDED.remaining)`)
}

/** A customer's own counters of limited rules. */
export function addUsage(draft: Draft): void {
  const usage = listRows(draft, (write) => write.usage)
  if (usage.length === 0) return
  const table = tableOf(draft, usage, {
    campaign_id: ['uuid', ({ item }) => uuidOf(item.campaign)],
    rule_id: ['text', ({ item }) => item.rule],
    day: ['date', ({ item }) => item.day ?? everDay],
    used: ['bigint', ({ item }) => item.amount],
  })
  draft.parts.push(`counted AS (
  INSERT INTO customer_rule_usage (org_id, customer_id, campaign_id, rule_id, day, used)
  SELECT ${draft.org}, ${draft.customer}, r.campaign_id, r.rule_id, r.day, r.used FROM ${table} WHERE ${isOpen}
  ON CONFLICT (org_id, customer_id, campaign_id, rule_id, day)
    DO UPDATE SET used = customer_rule_usage.used + EXCLUDED.used)`)
}

export function addEvents(draft: Draft, now: Date): void {
  const table = tableOf(
    draft,
    listRows(draft, (write) => write.facts),
    {
      id: ['uuid', () => uuidOf(newId('evt', now))],
      type: ['text', ({ item }) => item.type],
      data: ['json', ({ item }) => JSON.stringify(item.data)],
    },
  )
  draft.parts.push(`told AS (
  INSERT INTO events (org_id, id, type, data, created_at)
  SELECT ${draft.org}, r.id, r.type, r.data, ${draft.at} FROM ${table} WHERE ${isOpen})`)
}

export function addDailySums(draft: Draft, day: string): void {
  const table = tableOf(draft, listRows(draft, dailyCounts), {
    measure: ['text', ({ item }) => item.measure],
    key: ['text', ({ item }) => item.key],
    amount: ['bigint', ({ item }) => item.amount],
  })
  draft.parts.push(`summed AS (
  INSERT INTO daily_sums (org_id, day, measure, key, shard, amount)
  SELECT ${draft.org}, ${draft.param('date', day)}, r.measure, r.key, ${draft.param('smallint', ownShard)}, sum(r.amount)
  FROM ${table} WHERE ${isOpen} GROUP BY r.measure, r.key ORDER BY r.measure, r.key
  ON CONFLICT (org_id, day, measure, key, shard) DO UPDATE SET amount = daily_sums.amount + EXCLUDED.amount)`)
}

function dailyCounts({ movements, granted, redeemed }: BasketWrite): DailyCount[] {
  const counts: DailyCount[] = [{ measure: 'transactions', key: '', amount: 1 }]
  for (const { kind, key, amount } of movements) counts.push({ measure: kind, key, amount })
  if (granted.length > 0) counts.push({ measure: 'coupons_granted', key: '', amount: granted.length })
  if (redeemed.length > 0) counts.push({ measure: 'coupons_redeemed', key: '', amount: redeemed.length })
  return counts
}
