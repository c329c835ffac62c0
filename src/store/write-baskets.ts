/**
 * Writes a group of decided baskets in one statement, which is also its own database transaction: it locks the
 * wallets in order, lets pass those whose version is still the one the decision was made on, and writes
 * everything of theirs and nothing of the others. Who passed is returned; the others are decided again.
 *
 * A coupon or balance that is not in the state the decision saw makes the statement fail as a whole (the
 * division by zero at its end): under the wallet's lock that cannot happen, and if it ever does nothing is written.
 */
import type { Coupon } from '../domain/coupon.ts'
import type { Fact } from '../domain/event.ts'
import type { CampaignId, CouponId, CustomerId } from '../domain/ids.ts'
import type { Movement } from '../domain/ledger-entry.ts'
import type { Transaction } from '../domain/transaction.ts'
import type { Lot } from '../domain/wallet.ts'
import { type DailyCount, ownShard } from './daily-sums.ts'
import { newId } from './new-id.ts'
import { everDay } from './rule-usage.ts'
import { idFrom, prepared, type Scope, type Statement, uuidOf } from './scope.ts'
import { packBasket, packResult } from './transaction-codec.ts'

export interface BasketWrite {
  /** The wallet version the decision was made on. */
  readonly walletVersion: number
  readonly transaction: Transaction
  readonly idempotencyKey?: string
  readonly fingerprint?: Buffer
  readonly movements: readonly (Movement & { readonly campaign?: CampaignId; readonly rule?: string })[]
  /** Keys of balances the customer did not have before; a campaign may bring one after the registration. */
  readonly newBalances: readonly string[]
  readonly redeemed: readonly CouponId[]
  readonly granted: readonly Coupon[]
  /** Lots as they are after the basket: new ones, and old ones with less in them. */
  readonly lots: readonly Lot[]
  readonly usage: readonly {
    readonly campaign: CampaignId
    readonly rule: string
    readonly day?: string
    readonly amount: number
  }[]
  /** The part of it that counts for all customers together; written by `updateSharedUsage` under its own lock. */
  readonly sharedUsage: readonly {
    readonly campaign: CampaignId
    readonly rule: string
    readonly amount: number
  }[]
  readonly facts: readonly Fact[]
}

/**
 * The customers whose baskets were written; at most one basket per customer may be in a group. `day` is the
 * organization's local day, to which running sums are added.
 */
export async function writeBaskets(
  scope: Scope,
  writes: readonly BasketWrite[],
  now: Date,
  day: string,
): Promise<Set<CustomerId>> {
  const { statement, values } = composeWrite(scope.org, writes, now, day)
  const rows = await prepared<{ customer_id: string }>(scope.db, statement, values)
  return new Set(rows.map((row) => idFrom('cus', row.customer_id)))
}

/**
 * Rows name their basket by its position in the group, and take its customer, transaction and wallet version from
 * the arrays by that position. Joining every kind of row with the wallets that passed was 20 of the 33 ms that a
 * group of a hundred took: PostgreSQL expects ten rows of an array and compares each with each.
 *
 * Parts without rows are left out. Starting a part costs PostgreSQL some 20 µs whether it has rows or not, and
 * most baskets touch neither coupons nor lots nor limits.
 */
function composeWrite(org: number, writes: readonly BasketWrite[], now: Date, day: string) {
  const values: unknown[] = []
  const param = (type: string, value: unknown) => `$${values.push(value)}::${type}`
  const parts: string[] = []
  // Positions in PostgreSQL's arrays count from 1.
  const of = <T>(pick: (write: BasketWrite) => readonly T[]) =>
    writes.flatMap((write, i) => pick(write).map((item) => ({ n: i + 1, write, item })))
  const rowsOf = <T>(
    rows: readonly T[],
    columns: Record<string, [type: string, pick: (row: T) => unknown]>,
  ) => {
    const arrays = Object.values(columns).map(([type, pick]) => param(`${type}[]`, rows.map(pick)))
    return `unnest(${arrays.join(', ')}) AS r (${Object.keys(columns).join(', ')})`
  }
  const isOpen = '= ANY ((SELECT open FROM gate)::int[])'
  const n = ['int', (row: { n: number }) => row.n] as [string, (row: { n: number }) => unknown]

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
  const customer = `(${customers})[r.n]`
  const sale = `(${sales})[r.n]`
  const checks: string[] = []

  parts.push(
    `passed AS MATERIALIZED (
  SELECT b.n, w.customer_id, w.version + 1 AS version
  FROM unnest(${customers}, ${versions}) WITH ORDINALITY AS b (customer_id, version, n)
  JOIN wallets w ON w.org_id = ${orgId} AND w.customer_id = b.customer_id AND w.version = b.version
  ORDER BY w.customer_id FOR UPDATE OF w)`,
    'gate AS MATERIALIZED (SELECT array_agg(n::int) AS open FROM passed)',
    `bumped AS (
  UPDATE wallets w SET version = p.version, transaction_count = w.transaction_count + 1, last_activity_at = ${at}
  FROM passed p WHERE w.org_id = ${orgId} AND w.customer_id = p.customer_id)`,
  )

  const balances = of(lastMovements)
  if (balances.length > 0) {
    const isNew = (row: (typeof balances)[number]) => row.write.newBalances.includes(row.item.last.key)
    const rows = rowsOf(balances, {
      n,
      key: ['text', (row) => row.item.last.key],
      value: ['bigint', (row) => row.item.last.valueAfter],
      total: ['bigint', (row) => row.item.last.totalAfter],
      from_version: ['bigint', (row) => row.item.fromVersion],
      to_version: ['bigint', (row) => row.item.last.version],
      is_new: ['boolean', isNew],
    })
    parts.push(
      `balance AS MATERIALIZED (SELECT ${customer} AS customer_id, r.* FROM ${rows} WHERE r.n ${isOpen})`,
      `moved AS (
  UPDATE balances b SET value = m.value, total = m.total, version = m.to_version FROM balance m
  WHERE b.org_id = ${orgId} AND b.customer_id = m.customer_id AND b.key = m.key AND b.version = m.from_version
    AND NOT m.is_new RETURNING 1)`,
    )
    const hasNew = balances.some(isNew)
    if (hasNew) {
      parts.push(`opened AS (
  INSERT INTO balances (org_id, customer_id, key, value, total, version)
  SELECT ${orgId}, m.customer_id, m.key, m.value, m.total, m.to_version FROM balance m WHERE m.is_new RETURNING 1)`)
    }
    const changed = `(SELECT count(*) FROM moved)${hasNew ? ' + (SELECT count(*) FROM opened)' : ''}`
    checks.push(`${changed} = (SELECT count(*) FROM balance)`)
    const entries = rowsOf(
      of((write) => write.movements),
      {
        n,
        key: ['text', (row) => row.item.key],
        version: ['bigint', (row) => row.item.version],
        kind: ['text', (row) => row.item.kind],
        amount: ['bigint', (row) => row.item.amount],
        value_after: ['bigint', (row) => row.item.valueAfter],
        total_after: ['bigint', (row) => row.item.totalAfter],
        campaign_id: ['uuid', (row) => (row.item.campaign ? uuidOf(row.item.campaign) : null)],
        rule_id: ['text', (row) => row.item.rule ?? null],
      },
    )
    parts.push(`entered AS (
  INSERT INTO ledger_entries (org_id, customer_id, key, version, wallet_version, kind, amount, value_after, total_after,
                              transaction_id, campaign_id, rule_id, created_at)
  SELECT ${orgId}, ${customer}, r.key, r.version, (${versions})[r.n] + 1, r.kind, r.amount, r.value_after,
         r.total_after, ${sale}, r.campaign_id, r.rule_id, ${at}
  FROM ${entries} WHERE r.n ${isOpen})`)
  }

  const transactions = rowsOf(
    of((write) => [write.transaction]),
    {
      n,
      card_id: ['uuid', (row) => uuidOf(row.item.card)],
      user_id: ['uuid', (row) => uuidOf(row.item.user)],
      branch_id: ['uuid', (row) => uuidOf(row.item.branch)],
      opaque_id: ['text', (row) => row.item.opaqueId ?? null],
      idempotency_key: ['text', (row) => row.write.idempotencyKey ?? null],
      fingerprint: ['bytea', (row) => row.write.fingerprint ?? null],
      occurred_at: ['timestamptz', (row) => row.item.occurredAt],
      basket: ['json', (row) => JSON.stringify(packBasket(row.item.basket))],
      result: ['json', (row) => JSON.stringify(packResult(row.item.result))],
    },
  )
  parts.push(`stored AS (
  INSERT INTO transactions (org_id, id, customer_id, card_id, user_id, branch_id, opaque_id, idempotency_key,
                            fingerprint, occurred_at, created_at, basket, result)
  SELECT ${orgId}, ${sale}, ${customer}, r.card_id, r.user_id, r.branch_id, r.opaque_id, r.idempotency_key,
         r.fingerprint, r.occurred_at, ${at}, r.basket, r.result
  FROM ${transactions} WHERE r.n ${isOpen})`)

  const redeemed = of((write) => write.redeemed)
  if (redeemed.length > 0) {
    const rows = rowsOf(redeemed, { n, id: ['uuid', (row) => uuidOf(row.item)] })
    parts.push(
      `redemption AS MATERIALIZED (SELECT r.* FROM ${rows} WHERE r.n ${isOpen})`,
      `redeemed AS (
  UPDATE coupons c SET status = 3, redeemed_by = ${sale}, updated_at = ${at} FROM redemption r
  WHERE c.org_id = ${orgId} AND c.id = r.id AND c.customer_id = ${customer} AND c.status = 1 RETURNING 1)`,
    )
    checks.push('(SELECT count(*) FROM redeemed) = (SELECT count(*) FROM redemption)')
  }

  const granted = of((write) => write.granted)
  if (granted.length > 0) {
    const rows = rowsOf(granted, {
      n,
      id: ['uuid', (row) => uuidOf(row.item.id)],
      campaign_id: ['uuid', (row) => uuidOf(row.item.campaign)],
      reward: ['json', (row) => JSON.stringify(row.item.reward)],
      expires_at: ['timestamptz', (row) => row.item.expiresAt ?? null],
    })
    parts.push(`granted AS (
  INSERT INTO coupons (org_id, id, customer_id, campaign_id, reward, expires_at, granted_by, created_at, updated_at)
  SELECT ${orgId}, r.id, ${customer}, r.campaign_id, r.reward, r.expires_at, ${sale}, ${at}, ${at}
  FROM ${rows} WHERE r.n ${isOpen})`)
  }

  const lots = of((write) => write.lots)
  if (lots.length > 0) {
    const rows = rowsOf(lots, {
      n,
      key: ['text', (row) => row.item.key],
      version: ['bigint', (row) => row.item.version],
      remaining: ['bigint', (row) => row.item.remaining],
      expires_at: ['timestamptz', (row) => row.item.expiresAt],
    })
    parts.push(`lotted AS (
  INSERT INTO lots (org_id, customer_id, key, version, remaining, expires_at)
  SELECT ${orgId}, ${customer}, r.key, r.version, r.remaining, r.expires_at FROM ${rows} WHERE r.n ${isOpen}
  ON CONFLICT (org_id, customer_id, key, version) DO UPDATE SET remaining = EXCLUDED.remaining)`)
  }

  const usage = of((write) => write.usage)
  if (usage.length > 0) {
    const rows = rowsOf(usage, {
      n,
      campaign_id: ['uuid', (row) => uuidOf(row.item.campaign)],
      rule_id: ['text', (row) => row.item.rule],
      day: ['date', (row) => row.item.day ?? everDay],
      used: ['bigint', (row) => row.item.amount],
    })
    parts.push(`counted AS (
  INSERT INTO customer_rule_usage (org_id, customer_id, campaign_id, rule_id, day, used)
  SELECT ${orgId}, ${customer}, r.campaign_id, r.rule_id, r.day, r.used FROM ${rows} WHERE r.n ${isOpen}
  ON CONFLICT (org_id, customer_id, campaign_id, rule_id, day)
    DO UPDATE SET used = customer_rule_usage.used + EXCLUDED.used)`)
  }

  const facts = rowsOf(
    of((write) => write.facts),
    {
      n,
      id: ['uuid', () => uuidOf(newId('evt', now))],
      type: ['text', (row) => row.item.type],
      data: ['json', (row) => JSON.stringify(row.item.data)],
    },
  )
  const counts = rowsOf(of(dailyCounts), {
    n,
    measure: ['text', (row) => row.item.measure],
    key: ['text', (row) => row.item.key],
    amount: ['bigint', (row) => row.item.amount],
  })
  parts.push(
    `told AS (
  INSERT INTO events (org_id, id, type, data, created_at)
  SELECT ${orgId}, r.id, r.type, r.data, ${at} FROM ${facts} WHERE r.n ${isOpen})`,
    `summed AS (
  INSERT INTO daily_sums (org_id, day, measure, key, shard, amount)
  SELECT ${orgId}, ${param('date', day)}, r.measure, r.key, ${param('smallint', ownShard)}, sum(r.amount)
  FROM ${counts} WHERE r.n ${isOpen} GROUP BY r.measure, r.key ORDER BY r.measure, r.key
  ON CONFLICT (org_id, day, measure, key, shard) DO UPDATE SET amount = daily_sums.amount + EXCLUDED.amount)`,
  )
  const isWhole = checks.length === 0 ? 'true' : checks.join(' AND ')
  const text = `WITH ${parts.join(',\n')}
SELECT customer_id, 1 / (CASE WHEN ${isWhole} THEN 1 ELSE 0 END) AS is_whole FROM passed`
  return { statement: nameOf(text), values }
}

/** One prepared statement for each combination of parts that occurs. */
function nameOf(text: string): Statement {
  let statement = statements.get(text)
  if (!statement) {
    statement = { name: `write-baskets-${statements.size + 1}`, text }
    statements.set(text, statement)
  }
  return statement
}

const statements = new Map<string, Statement>()

/** A basket may move a balance several times; the balance's row is written once, with the last of them. */
function lastMovements(write: BasketWrite): { fromVersion: number; last: Movement }[] {
  const byKey = new Map<string, { fromVersion: number; last: Movement }>()
  for (const movement of write.movements) {
    const known = byKey.get(movement.key)
    byKey.set(movement.key, { fromVersion: known?.fromVersion ?? movement.version - 1, last: movement })
  }
  return [...byKey.values()]
}

function dailyCounts({ movements, granted, redeemed }: BasketWrite): DailyCount[] {
  const counts: DailyCount[] = [{ measure: 'transactions', key: '', amount: 1 }]
  for (const { kind, key, amount } of movements) counts.push({ measure: kind, key, amount })
  if (granted.length > 0) counts.push({ measure: 'coupons_granted', key: '', amount: granted.length })
  if (redeemed.length > 0) counts.push({ measure: 'coupons_redeemed', key: '', amount: redeemed.length })
  return counts
}

/**
 * Adds to what total-limited rules have given; the caller holds the locks of these rows. Baskets of one group
 * share a rule, so their amounts are added up first: of two source rows for one target an UPDATE applies only one.
 */
export async function updateSharedUsage(
  scope: Scope,
  added: readonly { campaign: CampaignId; rule: string; amount: number }[],
): Promise<void> {
  if (added.length === 0) return
  await scope.db.query(
    `UPDATE rule_usage u SET used = u.used + a.amount
     FROM (SELECT campaign_id, rule_id, sum(amount)::bigint AS amount
           FROM unnest($2::uuid[], $3::text[], $4::bigint[]) AS b (campaign_id, rule_id, amount)
           GROUP BY campaign_id, rule_id) a
     WHERE u.org_id = $1 AND u.campaign_id = a.campaign_id AND u.rule_id = a.rule_id`,
    [scope.org, added.map((a) => uuidOf(a.campaign)), added.map((a) => a.rule), added.map((a) => a.amount)],
  )
}
