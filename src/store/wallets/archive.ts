/**
 * Moves old sales out of the database, as the owner: the service's role deletes no sale and no entry. Rows
 * are read without locks, written to a file, and deleted in one transaction, which first checks that the
 * wallets are still at the versions that were read: whatever changes a row of a wallet moves its version.
 */
import { couponStatus } from '../../domain/coupon.ts'
import { transactionStatus } from '../../domain/transaction.ts'
import { execute, many, maybeOne, type Tenant } from '../tenant.ts'
import { countChanges } from './change.ts'
import type { ArchivedBalance, Histories } from './old-sales.ts'

/** What is archived in one step. */
export interface Chosen {
  readonly wallets: Histories['wallets']
  /** Sorted. */
  readonly sales: readonly string[]
  readonly balances: readonly ArchivedBalance[]
  /** Sums of the archived entries, by kind and key. */
  readonly sums: readonly { readonly kind: string; readonly key: string; readonly amount: number }[]
}

/** A row, with what names it, as JSON text. */
interface KeyedRow {
  readonly key: readonly string[]
  readonly row: string
}

export const archivedTables = [
  'transactions',
  'returns',
  'ledger_entries',
  'coupons',
  'lots',
  'customer_rule_usage',
  'events',
] as const

export type ArchivedTable = (typeof archivedTables)[number]
export type ArchivedRows = Partial<Record<ArchivedTable, readonly KeyedRow[]>>

const balanceKeys = 'unnest($2::uuid[], $3::text[], $4::bigint[]) AS b (customer_id, key, version)'

/** The rows that leave with these sales. `daysBefore`: no basket and no return counts in an earlier day. */
export async function listArchivedRows(
  { db, orgId }: Tenant,
  { sales, balances, wallets }: Chosen,
  { before, daysBefore }: { readonly before: Date; readonly daysBefore: Date },
): Promise<ArchivedRows> {
  const rows = (key: string, from: string, ...values: unknown[]) =>
    many<KeyedRow & Record<string, unknown>>(
      db,
      `SELECT ARRAY[${key}]::text[] AS key, row_to_json(x)::text AS row FROM ${from}`,
      [orgId, ...values],
    )
  const upTo = [
    balances.map(({ customer }) => customer),
    balances.map(({ key }) => key),
    balances.map(({ version }) => version),
  ]
  const customers = wallets.map(({ customer }) => customer)
  const coupons = await rows('x.id', leavingCoupons, customers, sales, before)
  return {
    transactions: await rows(
      'x.id',
      'transactions x WHERE x.org_id = $1 AND x.id = ANY($2::uuid[]) ORDER BY x.id',
      sales,
    ),
    returns: await rows(
      'x.id',
      'returns x WHERE x.org_id = $1 AND x.transaction_id = ANY($2::uuid[]) ORDER BY x.transaction_id, x.number',
      sales,
    ),
    ledger_entries: await rows(
      'x.customer_id, x.key, x.version',
      `ledger_entries x JOIN ${balanceKeys} ON b.customer_id = x.customer_id AND b.key = x.key
       WHERE x.org_id = $1 AND x.version <= b.version ORDER BY x.customer_id, x.key, x.version`,
      ...upTo,
    ),
    coupons,
    lots: await rows(
      'x.customer_id, x.key, x.version',
      leavingLots,
      ...upTo,
      coupons.map(({ key }) => key[0]),
    ),
    customer_rule_usage: await rows(
      'x.customer_id, x.campaign_id, x.rule_id, x.day',
      leavingUsage,
      customers,
      sales,
      daysBefore,
    ),
  }
}

/**
 * Coupons that no return of another sale looks at: those that the sales redeemed, except for those that stand
 * for a multiple of a threshold, and those given by hand that have expired or were revoked.
 */
const leavingCoupons = `coupons x WHERE x.org_id = $1 AND x.customer_id = ANY($2::uuid[]) AND (
    x.status = ${couponStatus.redeemed} AND x.multiple IS NULL AND x.redeemed_by = ANY($3::uuid[]) AND EXISTS (
      SELECT 1 FROM transactions t, json_array_elements(t.result -> 3) a
      WHERE t.org_id = $1 AND t.id = x.redeemed_by AND t.status <> ${transactionStatus.returned}
        AND a ->> 0 = 'r' AND (a ->> 1)::uuid = x.id)
    OR x.balance_key IS NULL AND x.status IN (${couponStatus.expired}, ${couponStatus.revoked}) AND x.updated_at < $4)
  ORDER BY x.id`

/**
 * Used up lots. Where units of one come back, a return opens it again from what its sale or coupon has noted.
 * What it has lost by expiry counts only for its own sale, and for coupons that had consumed from it.
 */
const leavingLots = `lots x JOIN ${balanceKeys} ON b.customer_id = x.customer_id AND b.key = x.key
  WHERE x.org_id = $1 AND x.version <= b.version AND x.remaining = 0 AND x.expired >= 0 AND NOT EXISTS (
    SELECT 1 FROM coupons c, json_array_elements(c.consumed_from) f
    WHERE c.org_id = $1 AND c.customer_id = x.customer_id AND c.consumed_from IS NOT NULL
      AND NOT c.id = ANY($5::uuid[]) AND f ->> 0 = x.key AND (f ->> 1)::bigint = x.version)
  ORDER BY x.customer_id, x.key, x.version`

const oldUsage = `org_id = $1 AND customer_id = ANY($2::uuid[]) AND day > '-infinity' AND day < $4::timestamptz::date`

/** Counters of days before those of every sale that stays. */
const leavingUsage = `(SELECT * FROM customer_rule_usage WHERE ${oldUsage}) x
  LEFT JOIN (
    SELECT t.customer_id, min(t.occurred_at) AS first FROM transactions t
    WHERE t.org_id = $1 AND t.customer_id IN (SELECT customer_id FROM customer_rule_usage WHERE ${oldUsage})
      AND NOT t.id = ANY($3::uuid[])
    GROUP BY t.customer_id) staying ON staying.customer_id = x.customer_id
  WHERE staying.first IS NULL OR staying.first > x.day + 2
  ORDER BY x.customer_id, x.campaign_id, x.rule_id, x.day`

/** Rather than to make baskets wait behind it, a step gives up and is tried again. */
export async function updateLockTimeout({ db }: Tenant): Promise<void> {
  await db.query("SET LOCAL lock_timeout = '3s'")
}

/** Whether the wallets are still as they were read. They are locked until the transaction ends. */
export async function lockUnchanged({ db, orgId }: Tenant, wallets: Chosen['wallets']): Promise<boolean> {
  const customers = wallets.map(({ customer }) => customer)
  const found = await many<{ customer_id: string; version: number }>(
    db,
    `SELECT customer_id, version FROM wallets WHERE org_id = $1 AND customer_id = ANY($2::uuid[])
     ORDER BY customer_id FOR UPDATE`,
    [orgId, customers],
  )
  const versions = new Map(found.map((row) => [row.customer_id, row.version]))
  if (wallets.some(({ customer, version }) => versions.get(customer) !== version)) return false
  // A change that was decided on what is deleted now must fail.
  await db.query(
    'UPDATE wallets SET version = version + 1 WHERE org_id = $1 AND customer_id = ANY($2::uuid[])',
    [orgId, customers],
  )
  return true
}

/** What is kept of the sales; before they are deleted. */
export async function insertArchived(
  { db, orgId }: Tenant,
  { sales, balances, sums }: Chosen,
  { file, coupons }: { readonly file: number; readonly coupons: readonly string[] },
): Promise<void> {
  await db.query(
    `INSERT INTO archived_transactions (org_id, id, customer_id, file, opaque_id, idempotency_key, redeemed)
     SELECT t.org_id, t.id, t.customer_id, $3::integer, t.opaque_id, t.idempotency_key,
       (SELECT array_agg((a ->> 1)::uuid) FROM json_array_elements(t.result -> 3) a
        WHERE a ->> 0 = 'r' AND t.status <> ${transactionStatus.returned} AND NOT (a ->> 1)::uuid = ANY($4::uuid[]))
     FROM transactions t WHERE t.org_id = $1 AND t.id = ANY($2::uuid[])`,
    [orgId, sales, file, coupons],
  )
  await db.query(
    `INSERT INTO archived_returns (org_id, opaque_id, id, transaction_id)
     SELECT org_id, opaque_id, id, transaction_id FROM returns
     WHERE org_id = $1 AND transaction_id = ANY($2::uuid[]) AND opaque_id IS NOT NULL`,
    [orgId, sales],
  )
  await db.query(
    `INSERT INTO archived_balances (org_id, customer_id, key, version, value, total, shortfall, sold, sold_until)
     SELECT o.org_id, r.* FROM setup_versions o, unnest($2::uuid[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[],
       $7::bigint[], $8::bigint[], $9::timestamptz[]) AS r
     WHERE o.org_id = $1::integer
     ON CONFLICT (org_id, customer_id, key) DO UPDATE SET version = EXCLUDED.version, value = EXCLUDED.value,
       total = EXCLUDED.total, shortfall = EXCLUDED.shortfall, sold = EXCLUDED.sold, sold_until = EXCLUDED.sold_until`,
    [
      orgId,
      balances.map(({ customer }) => customer),
      balances.map(({ key }) => key),
      balances.map(({ version }) => version),
      balances.map(({ value }) => value),
      balances.map(({ total }) => total),
      balances.map(({ shortfall }) => shortfall),
      balances.map(({ sold }) => sold),
      balances.map(({ soldUntil }) => soldUntil ?? null),
    ],
  )
  await db.query(
    `INSERT INTO archived_sums (org_id, kind, key, amount)
     SELECT o.org_id, r.* FROM setup_versions o, unnest($2::text[], $3::text[], $4::bigint[]) AS r (kind, key, amount)
     WHERE o.org_id = $1::integer
     ON CONFLICT (org_id, kind, key) DO UPDATE SET amount = archived_sums.amount + EXCLUDED.amount`,
    [orgId, sums.map(({ kind }) => kind), sums.map(({ key }) => key), sums.map(({ amount }) => amount)],
  )
}

const keyTypes: Record<ArchivedTable, readonly [column: string, type: string][]> = {
  // Returns refer to their sale, and are deleted before it.
  returns: [['id', 'uuid']],
  ledger_entries: [
    ['customer_id', 'uuid'],
    ['key', 'text'],
    ['version', 'bigint'],
  ],
  coupons: [['id', 'uuid']],
  lots: [
    ['customer_id', 'uuid'],
    ['key', 'text'],
    ['version', 'bigint'],
  ],
  customer_rule_usage: [
    ['customer_id', 'uuid'],
    ['campaign_id', 'uuid'],
    ['rule_id', 'text'],
    ['day', 'date'],
  ],
  events: [['position', 'bigint']],
  transactions: [['id', 'uuid']],
}

/** Deletes exactly the rows that were read. */
export async function deleteArchivedRows({ db, orgId }: Tenant, archived: ArchivedRows): Promise<void> {
  for (const [table, columns] of Object.entries(keyTypes)) {
    const rows = archived[table as ArchivedTable] ?? []
    if (rows.length === 0) continue
    const arrays = columns.map(([, type], i) => `$${i + 2}::${type}[]`).join(', ')
    const names = columns.map(([column]) => column)
    const found = await maybeOne<{ count: number }>(
      db,
      countChanges(`DELETE FROM ${table} x USING unnest(${arrays}) AS k (${names.join(', ')})
        WHERE x.org_id = $1::integer AND ${names.map((name) => `x.${name} = k.${name}`).join(' AND ')}`),
      [orgId, ...names.map((_, i) => rows.map(({ key }) => key[i]))],
    )
    if (found!.count !== rows.length)
      throw new Error(`${rows.length} rows of ${table} were to be deleted, and ${found!.count} were found.`)
  }
}

/** The oldest events, all from before the date: a reader who goes by position finds no hole among the rest. */
export async function listOldEvents(
  tenant: Tenant,
  before: Date,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly KeyedRow[]> {
  const rows = await many<KeyedRow & { created_at: Date }>(
    tenant.db,
    `SELECT ARRAY[x.position]::text[] AS key, row_to_json(x)::text AS row, x.created_at
     FROM events x WHERE x.org_id = $1 AND x.position > $2 ORDER BY x.position LIMIT $3`,
    [tenant.orgId, after, limit],
  )
  const end = rows.findIndex((row) => row.created_at >= before)
  return end === -1 ? rows : rows.slice(0, end)
}

// Files -----------------------------------------------------------------------------------------------------

/** The number of the next file. Other runs wait here until the transaction ends. */
export async function lockNextFile({ db, orgId }: Tenant): Promise<number> {
  await db.query('SELECT 1 FROM setup_versions WHERE org_id = $1 FOR NO KEY UPDATE', [orgId])
  const row = await maybeOne<{ next: number }>(
    db,
    'SELECT coalesce(max(number), 0) + 1 AS next FROM archived_files WHERE org_id = $1',
    [orgId],
  )
  return row!.next
}

export interface ArchivedFile {
  readonly number: number
  readonly archivedAt: Date
  readonly entry: object
}

export async function insertArchivedFile({ db, orgId }: Tenant, file: ArchivedFile): Promise<void> {
  await execute(
    db,
    'INSERT INTO archived_files (org_id, number, archived_at, entry) VALUES ($1, $2, $3, $4)',
    [orgId, file.number, file.archivedAt, JSON.stringify(file.entry)],
  )
}

export async function listArchivedFiles(tenant: Tenant, after: number): Promise<ArchivedFile[]> {
  return many(
    tenant.db,
    `SELECT number, archived_at AS "archivedAt", entry FROM archived_files
     WHERE org_id = $1 AND number > $2 ORDER BY number`,
    [tenant.orgId, after],
  )
}
