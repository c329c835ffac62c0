/**
 * The only writer of balances: a balance moves exactly when an entry is appended, in one statement, and each
 * entry carries the balance after it and the balance's next version. Baskets are written in groups by
 * `write-baskets.ts`, under the same rule; everything else that moves a balance comes through here.
 */

import type { CampaignId, CustomerId, TransactionId, UserId } from '../domain/ids.ts'
import type { Movement, MovementKind } from '../domain/ledger-entry.ts'
import type { Balance, KeptMultiple, Lot, Wallet } from '../domain/wallet.ts'
import { idFrom, many, maybeOne, type Scope, uuidOf } from './scope.ts'

export interface LockedWallet {
  readonly version: number
  readonly transactionCount: number
  readonly lastActivityAt?: Date
}

/**
 * Locks a customer's wallet until the transaction ends, and moves its version: whoever decided on an older
 * state will notice. Undefined when there is no such customer, or no longer.
 */
export async function lockWallet(scope: Scope, customer: CustomerId): Promise<LockedWallet | undefined> {
  const row = await maybeOne<{ version: number; transaction_count: number; last_activity_at: Date | null }>(
    scope.db,
    `UPDATE wallets SET version = version + 1 WHERE org_id = $1 AND customer_id = $2
     RETURNING version, transaction_count, last_activity_at`,
    [scope.org, uuidOf(customer)],
  )
  // Asked only now: a statement that waited for the lock still sees the customers of before it waited, and
  // would bring back to life whom the holder of the lock has just erased.
  const { rowCount } = await scope.db.query(
    'SELECT 1 FROM customers WHERE org_id = $1 AND id = $2 AND status <> 3',
    [scope.org, uuidOf(customer)],
  )
  if (rowCount === 0) return undefined
  return (
    row && {
      version: row.version,
      transactionCount: row.transaction_count,
      lastActivityAt: row.last_activity_at ?? undefined,
    }
  )
}

/** Opens the balances a campaign brings; existing ones are left as they are. */
export async function insertMissingBalances(
  scope: Scope,
  customer: CustomerId,
  keys: readonly string[],
): Promise<void> {
  await scope.db.query(
    `INSERT INTO balances (org_id, customer_id, key) SELECT $1, $2, key FROM unnest($3::text[]) AS k (key)
     ON CONFLICT DO NOTHING`,
    [scope.org, uuidOf(customer), keys],
  )
}

export interface LoadedWallet extends Pick<Wallet, 'lots' | 'keptMultiples'> {
  readonly balances: readonly (Balance & { readonly decimals: number })[]
}

/** Balances and lots as they are under the wallet's lock, which the caller holds. */
export async function getWallet(scope: Scope, customer: CustomerId): Promise<LoadedWallet> {
  const key = [scope.org, uuidOf(customer)]
  const balances = await many<Balance & { decimals: number }>(
    scope.db,
    `SELECT b.key, b.value, b.total, b.version, d.decimals FROM balances b
     JOIN balance_definitions d ON d.org_id = b.org_id AND d.key = b.key
     WHERE b.org_id = $1 AND b.customer_id = $2 ORDER BY b.key`,
    key,
  )
  const lots = await many<{ key: string; version: number; remaining: number; expires_at: Date }>(
    scope.db,
    'SELECT key, version, remaining, expires_at FROM lots WHERE org_id = $1 AND customer_id = $2 AND remaining > 0',
    key,
  )
  return {
    balances,
    lots: lots.map(({ expires_at, ...lot }) => ({ ...lot, expiresAt: expires_at })),
    keptMultiples: await listKeptMultiples(scope, customer),
  }
}

export async function listKeptMultiples(scope: Scope, customer: CustomerId): Promise<KeptMultiple[]> {
  const rows = await many<{ campaign_id: string; key: string; at: number; reward: string; multiple: number }>(
    scope.db,
    'SELECT campaign_id, key, at, reward, multiple FROM kept_multiples WHERE org_id = $1 AND customer_id = $2',
    [scope.org, uuidOf(customer)],
  )
  return rows.map(({ campaign_id, ...rest }) => ({ ...rest, campaign: idFrom('cmp', campaign_id) }))
}

export interface EntryContext {
  readonly customer: CustomerId
  readonly walletVersion: number
  readonly transaction?: TransactionId
  readonly reason?: string
  readonly user?: UserId
  readonly now: Date
}

/** Appends entries and moves their balances with them, in order. The caller holds the wallet's lock. */
export async function insertEntries(
  scope: Scope,
  movements: readonly Movement[],
  context: EntryContext,
): Promise<void> {
  for (const movement of movements) {
    const { rowCount } = await scope.db.query(
      `WITH moved AS (
         UPDATE balances SET value = $6, total = $7, version = $4
         WHERE org_id = $1 AND customer_id = $2 AND key = $3 AND version = $4::bigint - 1
         RETURNING org_id)
       INSERT INTO ledger_entries (org_id, customer_id, key, version, amount, value_after, total_after, kind,
                                   wallet_version, transaction_id, reason, user_id, created_at)
       SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13 FROM moved`,
      [
        scope.org,
        uuidOf(context.customer),
        movement.key,
        movement.version,
        movement.amount,
        movement.valueAfter,
        movement.totalAfter,
        movement.kind,
        context.walletVersion,
        context.transaction ? uuidOf(context.transaction) : null,
        context.reason ?? null,
        context.user ? uuidOf(context.user) : null,
        context.now,
      ],
    )
    if (rowCount !== 1) throw new Error(`balance ${movement.key} was not at the version its entry follows`)
  }
}

/** Writes lots as they are now: new ones, and old ones with more or less in them. */
export async function writeLots(scope: Scope, customer: CustomerId, lots: readonly Lot[]): Promise<void> {
  if (lots.length === 0) return
  await scope.db.query(
    `INSERT INTO lots (org_id, customer_id, key, version, remaining, expires_at)
     SELECT $1, $2, key, version, remaining, expires_at
     FROM unnest($3::text[], $4::bigint[], $5::bigint[], $6::timestamptz[]) AS l (key, version, remaining, expires_at)
     ON CONFLICT (org_id, customer_id, key, version) DO UPDATE SET remaining = EXCLUDED.remaining`,
    [
      scope.org,
      uuidOf(customer),
      lots.map((lot) => lot.key),
      lots.map((lot) => lot.version),
      lots.map((lot) => lot.remaining),
      lots.map((lot) => lot.expiresAt),
    ],
  )
}

export interface LedgerEntry extends Movement {
  readonly decimals: number
  readonly walletVersion: number
  readonly transaction?: TransactionId
  readonly campaign?: CampaignId
  readonly rule?: string
  readonly reason?: string
  readonly user?: UserId
  readonly createdAt: Date
}

interface LedgerRow {
  key: string
  version: number
  wallet_version: number
  kind: MovementKind
  amount: number
  value_after: number
  total_after: number
  decimals: number
  transaction_id: string | null
  campaign_id: string | null
  rule_id: string | null
  reason: string | null
  user_id: string | null
  created_at: Date
}

export interface LedgerPosition {
  readonly walletVersion: number
  readonly key: string
  readonly version: number
}

/** Newest first, ordered by versions and not by a clock. */
export async function listLedgerEntries(
  scope: Scope,
  customer: CustomerId,
  page: { limit: number; after?: LedgerPosition },
): Promise<LedgerEntry[]> {
  const rows = await many<LedgerRow>(
    scope.db,
    `SELECT e.*, d.decimals FROM ledger_entries e
     JOIN balance_definitions d ON d.org_id = e.org_id AND d.key = e.key
     WHERE e.org_id = $1 AND e.customer_id = $2
       AND ($3::bigint IS NULL OR (e.wallet_version, e.key, e.version) < ($3, $4::text, $5::bigint))
     ORDER BY e.wallet_version DESC, e.key DESC, e.version DESC LIMIT $6`,
    [
      scope.org,
      uuidOf(customer),
      page.after?.walletVersion ?? null,
      page.after?.key ?? null,
      page.after?.version ?? null,
      page.limit,
    ],
  )
  return rows.map((row) => ({
    key: row.key,
    version: row.version,
    walletVersion: row.wallet_version,
    kind: row.kind,
    amount: row.amount,
    valueAfter: row.value_after,
    totalAfter: row.total_after,
    decimals: row.decimals,
    transaction: row.transaction_id ? idFrom('txn', row.transaction_id) : undefined,
    campaign: row.campaign_id ? idFrom('cmp', row.campaign_id) : undefined,
    rule: row.rule_id ?? undefined,
    reason: row.reason ?? undefined,
    user: row.user_id ? idFrom('usr', row.user_id) : undefined,
    createdAt: row.created_at,
  }))
}

/** Removes what staff may have written about a person. The amounts of an entry never change. */
export async function eraseReasons(scope: Scope, customer: CustomerId): Promise<void> {
  const key = [scope.org, uuidOf(customer)]
  await scope.db.query(
    'UPDATE ledger_entries SET reason = NULL WHERE org_id = $1 AND customer_id = $2 AND reason IS NOT NULL',
    key,
  )
  await scope.db.query(
    `UPDATE returns r SET reason = NULL FROM transactions t
     WHERE r.org_id = $1 AND t.org_id = $1 AND t.customer_id = $2 AND r.transaction_id = t.id AND r.reason IS NOT NULL`,
    key,
  )
}
