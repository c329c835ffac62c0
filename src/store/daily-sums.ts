/**
 * Running sums for reports, added to in the same database transaction as what they count, so that they are
 * never behind and can be checked against the ledger. A writer adds to a shard of its own and waits for nobody.
 */
import type { MovementKind } from '../domain/ledger-entry.ts'
import { many, type Scope } from './scope.ts'

export type Measure =
  | 'customers'
  | 'cards'
  | 'transactions'
  | 'returns'
  | 'coupons_granted'
  | 'coupons_redeemed'
  | 'coupons_expired'
  | 'coupons_revoked'
  | MovementKind

export interface DailyCount {
  readonly measure: Measure
  /** The balance of a movement; empty otherwise. */
  readonly key: string
  readonly amount: number
  /** Where it is not the day of the others: what undoes something counts on the day of that. */
  readonly day?: string
}

const shards = 16

let lastShard = process.pid

/** Any shard will do; taking turns keeps what is written at the same time out of each other's way. */
export function nextShard(): number {
  lastShard = (lastShard + 1) % shards
  return lastShard
}

export async function addToDailySums(
  scope: Scope,
  day: string,
  counts: readonly DailyCount[],
): Promise<void> {
  if (counts.length === 0) return
  await scope.db.query(
    `INSERT INTO daily_sums (org_id, day, measure, key, shard, amount)
     SELECT $1, day, measure, key, $2, sum(amount)
     FROM unnest($3::date[], $4::text[], $5::text[], $6::bigint[]) AS c (day, measure, key, amount)
     GROUP BY day, measure, key ORDER BY day, measure, key
     ON CONFLICT (org_id, day, measure, key, shard) DO UPDATE SET amount = daily_sums.amount + EXCLUDED.amount`,
    [
      scope.org,
      nextShard(),
      counts.map((count) => count.day ?? day),
      counts.map((count) => count.measure),
      counts.map((count) => count.key),
      counts.map((count) => count.amount),
    ],
  )
}

export interface DaySum extends DailyCount {
  readonly day: string
}

/** The sums of each day from `from` to `to`, both included. */
export async function listDailySums(scope: Scope, from: string, to: string): Promise<DaySum[]> {
  return many(
    scope.db,
    `SELECT day, measure, key, sum(amount)::bigint AS amount FROM daily_sums
     WHERE org_id = $1 AND day BETWEEN $2 AND $3 GROUP BY day, measure, key ORDER BY day`,
    [scope.org, from, to],
  )
}

/** What each balance had outstanding at the end of a day: everything that ever moved it, added up. */
export async function listOutstanding(scope: Scope, to: string): Promise<{ key: string; amount: number }[]> {
  return many(
    scope.db,
    `SELECT key, sum(amount)::bigint AS amount FROM daily_sums
     WHERE org_id = $1 AND day <= $2 AND key <> '' GROUP BY key ORDER BY key`,
    [scope.org, to],
  )
}
