/**
 * The only writer of balances: a balance moves exactly when an entry is appended, in one statement, and each
 * entry carries the balance after it and the balance's next version. Baskets are written in groups by
 * `write-baskets.ts`, under the same rule; everything else that moves a balance comes through here.
 */

import type { CampaignId, CustomerId, TransactionId, UserId } from '../domain/ids.ts'
import type { Movement, MovementKind } from '../domain/ledger-entry.ts'
import type { Balance } from '../domain/wallet.ts'
import { idFrom, many, maybeOne, type Scope, uuidOf } from './scope.ts'

export interface LockedWallet {
  readonly version: number
  readonly transactionCount: number
}

/**
 * Locks a customer's wallet until the transaction ends, and moves its version: whoever decided on an older
 * state will notice. Undefined when there is no such customer, or no longer.
 */
export async function lockWallet(scope: Scope, customer: CustomerId): Promise<LockedWallet | undefined> {
  const row = await maybeOne<{ version: number; transaction_count: number }>(
    scope.db,
    `UPDATE wallets w SET version = version + 1
     WHERE org_id = $1 AND customer_id = $2
       AND EXISTS (SELECT 1 FROM customers c WHERE c.org_id = w.org_id AND c.id = w.customer_id AND c.status <> 3)
     RETURNING version, transaction_count`,
    [scope.org, uuidOf(customer)],
  )
  return row && { version: row.version, transactionCount: row.transaction_count }
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

export async function findBalance(
  scope: Scope,
  customer: CustomerId,
  key: string,
): Promise<(Balance & { decimals: number }) | undefined> {
  return maybeOne(
    scope.db,
    `SELECT b.key, b.value, b.total, b.version, d.decimals FROM balances b
     JOIN balance_definitions d ON d.org_id = b.org_id AND d.key = b.key
     WHERE b.org_id = $1 AND b.customer_id = $2 AND b.key = $3`,
    [scope.org, uuidOf(customer), key],
  )
}

export interface EntryContext {
  readonly customer: CustomerId
  readonly walletVersion: number
  readonly transaction?: TransactionId
  readonly reason?: string
  readonly user?: UserId
  readonly now: Date
}

/** Appends one entry and moves its balance with it. The caller holds the wallet's lock. */
export async function insertEntry(scope: Scope, movement: Movement, context: EntryContext): Promise<void> {
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
