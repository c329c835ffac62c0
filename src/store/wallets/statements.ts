/**
 * The statements that write what wallets hold: versions, balances with their entries, lots, kept multiples
 * and counters. Each takes arrays with one element per row, and is left out when there are no rows.
 *
 * An UPDATE whose target has changed concurrently changes fewer rows than it was given, and then divides by
 * zero: that rolls everything back. The wallets' version is the guard that is meant to fail; once it holds,
 * the others cannot fail.
 */
import type { Step } from '../../database/pipeline.ts'
import { isVisit } from '../../domain/basket.ts'
import type { CustomerId, UserId } from '../../domain/ids.ts'
import type { Movement } from '../../domain/ledger-entry.ts'
import type { Lot } from '../../domain/lot.ts'
import { booleans, dates, jsons, numbers, texts, times, uuids } from '../pg-arrays.ts'
import { everDay } from '../rule-usage.ts'
import {
  type ChangeGroup,
  countChanges,
  customersOf,
  mustChange,
  type Row,
  rowsOf,
  saleOf,
  step,
  type UsageAmount,
} from './change.ts'

function reasonOf({ change: { cause } }: Row<unknown>): string | undefined {
  if (cause.kind === 'adjustment') return cause.reason
  return cause.kind === 'return' ? cause.done.reason : undefined
}

function userOf({ change: { cause } }: Row<unknown>): UserId | undefined {
  return cause.kind === 'adjustment' || cause.kind === 'opening' ? cause.user : undefined
}

interface Bump {
  readonly customer: CustomerId
  readonly from: number
  changes: number
  /** Baskets with a line or an amount above 0; one that is returned later was a visit all the same. */
  visits: number
  isActive: boolean
}

/** In the order of the customers, which is the order in which all transactions lock wallets. */
export function updateWalletVersions({ org, at, changes }: ChangeGroup): Step | undefined {
  if (changes.length === 0) return undefined
  const bumps = new Map<CustomerId, Bump>()
  for (const { customer, fromVersion, movements = [], cause } of changes) {
    let bump = bumps.get(customer)
    if (!bump) {
      bump = { customer, from: fromVersion, changes: 0, visits: 0, isActive: false }
      bumps.set(customer, bump)
    }
    bump.changes++
    if (cause.kind === 'sale' && isVisit(cause.transaction.basket, cause.transaction.result)) bump.visits++
    bump.isActive ||= cause.kind === 'sale' || isGift(movements)
  }
  const sorted = [...bumps.values()].sort((a, b) => (a.customer < b.customer ? -1 : 1))
  return step(
    'wallets',
    `WITH changed AS (
  UPDATE wallets w SET version = w.version + b.changes, transaction_count = w.transaction_count + b.visits,
    last_activity_at = CASE WHEN b.is_active THEN $2 ELSE w.last_activity_at END
  FROM unnest($3::uuid[], $4::bigint[], $5::integer[], $6::integer[], $7::boolean[])
    AS b (customer_id, version, changes, visits, is_active)
  WHERE w.org_id = $1::integer AND w.customer_id = b.customer_id AND w.version = b.version RETURNING 1)
${mustChange('cardinality($3::uuid[])')}`,
    [
      org,
      at,
      uuids(sorted.map(({ customer }) => customer)),
      numbers(sorted.map(({ from }) => from)),
      numbers(sorted.map((bump) => bump.changes)),
      numbers(sorted.map(({ visits }) => visits)),
      booleans(sorted.map(({ isActive }) => isActive)),
    ],
  )
}

/**
 * What staff has given, or an import has brought along, is there for the whole period of inactivity, also for a
 * customer who never came.
 */
const isGift = (movements: readonly Movement[]) =>
  movements.some(({ kind, amount }) => (kind === 'adjust' || kind === 'opening') && amount > 0)

interface BalanceMove {
  readonly customer: CustomerId
  readonly fromVersion: number
  readonly isNew: boolean
  /** What an import has opened it with. */
  readonly opening?: number
  last: Movement
}

/** Changes may move a balance several times; its row is written once, with the last of them. */
function balanceMoves({ changes }: ChangeGroup): BalanceMove[] {
  const moves = new Map<string, BalanceMove>()
  for (const { customer, movements = [], newBalances = [], cause } of changes) {
    for (const last of movements) {
      const name = `${customer} ${last.key}`
      const known = moves.get(name)
      const isNew = newBalances.includes(last.key)
      if (known) known.last = last
      else {
        const opening = cause.kind === 'opening' ? cause.amounts.get(last.key) : undefined
        moves.set(name, { customer, fromVersion: last.version - 1, isNew, opening, last })
      }
    }
  }
  return [...moves.values()]
}

export function updateBalances(group: ChangeGroup): Step | undefined {
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

export function insertNewBalances(group: ChangeGroup): Step | undefined {
  if (!group.changes.some(({ newBalances = [] }) => newBalances.length > 0)) return undefined
  const moves = balanceMoves(group).filter(({ isNew }) => isNew)
  return step(
    'new-balances',
    `INSERT INTO balances (org_id, customer_id, key, value, total, version, opening)
SELECT o.org_id, m.* FROM setup_versions o, unnest($2::uuid[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[]) AS m
WHERE o.org_id = $1::integer`,
    [
      group.org,
      uuids(moves.map(({ customer }) => customer)),
      texts(moves.map(({ last }) => last.key)),
      numbers(moves.map(({ last }) => last.valueAfter)),
      numbers(moves.map(({ last }) => last.totalAfter)),
      numbers(moves.map(({ last }) => last.version)),
      numbers(moves.map(({ opening }) => opening)),
    ],
  )
}

/** Remembers what an import has opened, for balances that were there before: none is opened twice. */
export function updateOpenings(group: ChangeGroup): Step | undefined {
  const moves = balanceMoves(group).filter(({ isNew, opening }) => !isNew && opening !== undefined)
  if (moves.length === 0) return undefined
  return step(
    'openings',
    countChanges(`
  UPDATE balances b SET opening = o.amount
  FROM unnest($2::uuid[], $3::text[], $4::bigint[]) AS o (customer_id, key, amount)
  WHERE b.org_id = $1::integer AND b.customer_id = o.customer_id AND b.key = o.key`),
    [
      group.org,
      uuids(moves.map(({ customer }) => customer)),
      texts(moves.map(({ last }) => last.key)),
      numbers(moves.map(({ opening }) => opening)),
    ],
  )
}

/** Only returns change a shortfall. */
const shortfalls = (group: ChangeGroup) =>
  rowsOf(group, (change) => change.movements?.filter(({ shortfall }) => shortfall !== undefined))

export function updateShortfalls(group: ChangeGroup): Step | undefined {
  const rows = shortfalls(group)
  if (rows.length === 0) return undefined
  return step(
    'shortfalls',
    countChanges(`
  UPDATE balances b SET shortfall = b.shortfall + s.change
  FROM unnest($2::uuid[], $3::text[], $4::bigint[]) AS s (customer_id, key, change)
  WHERE b.org_id = $1::integer AND b.customer_id = s.customer_id AND b.key = s.key`),
    [
      group.org,
      customersOf(rows),
      texts(rows.map(({ item }) => item.key)),
      numbers(rows.map(({ item }) => item.shortfall)),
    ],
  )
}

export function insertEntries(group: ChangeGroup): Step | undefined {
  const rows = rowsOf(group, (change) => change.movements)
  if (rows.length === 0) return undefined
  const hasShortfalls = shortfalls(group).length > 0
  return step(
    hasShortfalls ? 'entries-with-shortfalls' : 'entries',
    `INSERT INTO ledger_entries (org_id, created_at, customer_id, key, version, wallet_version, kind, amount, value_after,
                            total_after, transaction_id, campaign_id, rule_id, reason, user_id${hasShortfalls ? ', shortfall' : ''})
SELECT o.org_id, $2::timestamptz, r.* FROM setup_versions o, unnest($3::uuid[], $4::text[], $5::bigint[], $6::bigint[], $7::text[], $8::bigint[],
  $9::bigint[], $10::bigint[], $11::uuid[], $12::uuid[], $13::text[], $14::text[], $15::uuid[]${hasShortfalls ? ', $16::bigint[]' : ''}) AS r
WHERE o.org_id = $1::integer`,
    [
      group.org,
      group.at,
      customersOf(rows),
      texts(rows.map(({ item }) => item.key)),
      numbers(rows.map(({ item }) => item.version)),
      numbers(rows.map(({ change }) => change.fromVersion + 1)),
      texts(rows.map(({ item }) => item.kind)),
      numbers(rows.map(({ item }) => item.amount)),
      numbers(rows.map(({ item }) => item.valueAfter)),
      numbers(rows.map(({ item }) => item.totalAfter)),
      uuids(rows.map(saleOf)),
      uuids(rows.map(({ item }) => item.campaign)),
      texts(rows.map(({ item }) => item.rule)),
      texts(rows.map(reasonOf)),
      uuids(rows.map(userOf)),
      ...(hasShortfalls ? [numbers(rows.map(({ item }) => item.shortfall))] : []),
    ],
  )
}

/** A lot that several changes took from is written once, as the last of them left it. */
export function upsertLots(group: ChangeGroup): Step | undefined {
  const lots = new Map<string, Row<Lot>>()
  for (const row of rowsOf(group, (change) => change.lots)) {
    lots.set(`${row.change.customer} ${row.item.key} ${row.item.version}`, row)
  }
  if (lots.size === 0) return undefined
  const rows = [...lots.values()]
  return step(
    'lots',
    `INSERT INTO lots (org_id, customer_id, key, version, remaining, expires_at, expired, paid_by)
SELECT o.org_id, r.* FROM setup_versions o, unnest($2::uuid[], $3::text[], $4::bigint[], $5::bigint[], $6::timestamptz[], $7::bigint[], $8::json[]) AS r
WHERE o.org_id = $1::integer
ON CONFLICT (org_id, customer_id, key, version)
DO UPDATE SET remaining = EXCLUDED.remaining, expired = EXCLUDED.expired, paid_by = EXCLUDED.paid_by`,
    [
      group.org,
      customersOf(rows),
      texts(rows.map(({ item }) => item.key)),
      numbers(rows.map(({ item }) => item.version)),
      numbers(rows.map(({ item }) => item.remaining)),
      times(rows.map(({ item }) => item.expiresAt)),
      numbers(rows.map(({ item }) => item.expired ?? 0)),
      jsons(rows.map(({ item }) => item.paidBy)),
    ],
  )
}

export function deleteKeptMultiples(group: ChangeGroup): Step | undefined {
  const changes = group.changes.filter(({ keptMultiples }) => keptMultiples !== undefined)
  if (changes.length === 0) return undefined
  return step(
    'no-kept-multiples',
    'DELETE FROM kept_multiples WHERE org_id = $1::integer AND customer_id = ANY($2::uuid[])',
    [group.org, uuids(changes.map(({ customer }) => customer))],
  )
}

/** After several changes of a customer, those of the last one. */
export function insertKeptMultiples(group: ChangeGroup): Step | undefined {
  const last = new Map(
    group.changes.flatMap((change) => (change.keptMultiples ? [[change.customer, change]] : [])),
  )
  const rows = rowsOf({ ...group, changes: [...last.values()] }, (change) => change.keptMultiples)
  if (rows.length === 0) return undefined
  return step(
    'kept-multiples',
    `INSERT INTO kept_multiples (org_id, customer_id, campaign_id, key, at, reward, multiple)
SELECT o.org_id, r.* FROM setup_versions o, unnest($2::uuid[], $3::uuid[], $4::text[], $5::bigint[], $6::text[], $7::bigint[]) AS r
WHERE o.org_id = $1::integer`,
    [
      group.org,
      customersOf(rows),
      uuids(rows.map(({ item }) => item.campaign)),
      texts(rows.map(({ item }) => item.key)),
      numbers(rows.map(({ item }) => item.at)),
      texts(rows.map(({ item }) => item.reward)),
      numbers(rows.map(({ item }) => item.multiple)),
    ],
  )
}

/**
 * A customer's own counters of limited rules, each summed over the customer's changes; a return subtracts
 * from them.
 */
export function addUsage(group: ChangeGroup): Step | undefined {
  const usage = new Map<string, Row<UsageAmount> & { amount: number }>()
  for (const { change, item } of rowsOf(group, ({ usage }) => usage)) {
    const name = `${change.customer} ${item.campaign} ${item.rule} ${item.day}`
    usage.set(name, { change, item, amount: (usage.get(name)?.amount ?? 0) + item.amount })
  }
  if (usage.size === 0) return undefined
  const rows = [...usage.values()]
  return step(
    'usage',
    `INSERT INTO customer_rule_usage (org_id, customer_id, campaign_id, rule_id, day, used)
SELECT o.org_id, r.* FROM setup_versions o, unnest($2::uuid[], $3::uuid[], $4::text[], $5::date[], $6::bigint[]) AS r
WHERE o.org_id = $1::integer
ON CONFLICT (org_id, customer_id, campaign_id, rule_id, day)
  DO UPDATE SET used = greatest(customer_rule_usage.used + EXCLUDED.used, 0)`,
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

/** Summed over the changes: of two source rows for one target an UPDATE applies only one. */
function sharedUsageOf(group: ChangeGroup) {
  const sums = new Map<string, Omit<UsageAmount, 'day'>>()
  for (const { item } of rowsOf(group, (change) => change.sharedUsage)) {
    const { campaign, rule, amount } = item
    const name = `${campaign} ${rule}`
    sums.set(name, { campaign, rule, amount: amount + (sums.get(name)?.amount ?? 0) })
  }
  return [...sums.values()]
}

/** After the wallets, and in the order of their key, like the transactions that decide on them under lock. */
export function lockSharedUsage(group: ChangeGroup): Step | undefined {
  const usage = sharedUsageOf(group)
  if (usage.length === 0) return undefined
  return step(
    'lock-shared-usage',
    `SELECT 1 FROM rule_usage u JOIN unnest($2::uuid[], $3::text[]) AS r (campaign_id, rule_id) USING (campaign_id, rule_id)
WHERE u.org_id = $1::integer ORDER BY u.campaign_id, u.rule_id FOR UPDATE OF u`,
    [group.org, uuids(usage.map(({ campaign }) => campaign)), texts(usage.map(({ rule }) => rule))],
  )
}

export function updateSharedUsage(group: ChangeGroup): Step | undefined {
  const usage = sharedUsageOf(group)
  if (usage.length === 0) return undefined
  return step(
    'shared-usage',
    countChanges(`
  UPDATE rule_usage u SET used = u.used + a.amount
  FROM unnest($2::uuid[], $3::text[], $4::bigint[]) AS a (campaign_id, rule_id, amount)
  WHERE u.org_id = $1::integer AND u.campaign_id = a.campaign_id AND u.rule_id = a.rule_id`),
    [
      group.org,
      uuids(usage.map(({ campaign }) => campaign)),
      texts(usage.map(({ rule }) => rule)),
      numbers(usage.map(({ amount }) => amount)),
    ],
  )
}

/** Removes what staff may have written about an erased person. The amounts of an entry never change. */
export function eraseReasons(group: ChangeGroup): Step | undefined {
  const erased = group.changes.filter(({ cause }) => cause.kind === 'erasure')
  if (erased.length === 0) return undefined
  return step(
    'no-reasons',
    `UPDATE ledger_entries SET reason = NULL
WHERE org_id = $1::integer AND customer_id = ANY($2::uuid[]) AND reason IS NOT NULL`,
    [group.org, uuids(erased.map(({ customer }) => customer))],
  )
}
