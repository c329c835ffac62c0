/**
 * Running sums for reports, updated in the same database transaction as what they count, so that they are
 * never behind and can be checked against the ledger. A writer adds to its own shard and never waits for
 * another.
 */
import type { Step } from '../database/pipeline.ts'
import type { MovementKind } from '../domain/ledger-entry.ts'
import { dates, numbers, texts } from './pg-arrays.ts'
import { many, type Tenant } from './tenant.ts'

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
  /** The balance of a movement; empty for other measures. */
  readonly key: string
  readonly amount: number
  /** The day to count on if it differs from the others: reversals count on the day of what they reverse. */
  readonly day?: string
}

const shards = 16

let lastShard = process.pid

/** Any shard will do; rotating keeps concurrent writers apart. */
function nextShard(): number {
  lastShard = (lastShard + 1) % shards
  return lastShard
}

/** Aggregated and sorted, so that concurrent writers lock rows in the same order. */
export function dailySumsStep(org: string, counts: readonly DailyCount[], day: string): Step | undefined {
  if (counts.length === 0) return undefined
  const sums = new Map<string, Required<DailyCount>>()
  for (const count of counts) {
    const on = count.day ?? day
    const name = `${on} ${count.measure} ${count.key}`
    const { measure, key } = count
    sums.set(name, { measure, key, day: on, amount: count.amount + (sums.get(name)?.amount ?? 0) })
  }
  const sorted = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
  return {
    name: 'write-daily-sums',
    text: `INSERT INTO daily_sums (org_id, shard, day, measure, key, amount)
SELECT o.org_id, $2::smallint, r.* FROM setup_versions o, unnest($3::date[], $4::text[], $5::text[], $6::bigint[]) AS r
WHERE o.org_id = $1::integer
ON CONFLICT (org_id, day, measure, key, shard) DO UPDATE SET amount = daily_sums.amount + EXCLUDED.amount`,
    values: [
      org,
      String(nextShard()),
      dates(sorted.map((sum) => sum.day)),
      texts(sorted.map((sum) => sum.measure)),
      texts(sorted.map((sum) => sum.key)),
      numbers(sorted.map((sum) => sum.amount)),
    ],
  }
}

export interface DaySum extends DailyCount {
  readonly day: string
}

/** The sums of each day from `from` to `to`, both inclusive. */
export async function listDailySums(tenant: Tenant, from: string, to: string): Promise<DaySum[]> {
  return many(
    tenant.db,
    `SELECT day, measure, key, sum(amount)::bigint AS amount FROM daily_sums
     WHERE org_id = $1 AND day BETWEEN $2 AND $3 GROUP BY day, measure, key ORDER BY day`,
    [tenant.orgId, from, to],
  )
}

/** The outstanding amount of each balance at the end of a day: the sum of all its movements. */
export async function listOutstanding(
  tenant: Tenant,
  to: string,
): Promise<{ key: string; amount: number }[]> {
  return many(
    tenant.db,
    `SELECT key, sum(amount)::bigint AS amount FROM daily_sums
     WHERE org_id = $1 AND day <= $2 AND key <> '' GROUP BY key ORDER BY key`,
    [tenant.orgId, to],
  )
}
