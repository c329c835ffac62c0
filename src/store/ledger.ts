/** Reads the ledger and what belongs to it. It is written by `wallets/write.ts`. */

import type { CampaignId, CustomerId, TransactionId, UserId } from '../domain/ids.ts'
import type { Movement, MovementKind } from '../domain/ledger-entry.ts'
import type { KeptMultiple } from '../domain/wallet.ts'
import { idFrom, many, type Tenant, uuidOf } from './tenant.ts'

export async function listKeptMultiples(tenant: Tenant, customer: CustomerId): Promise<KeptMultiple[]> {
  const rows = await many<{ campaign_id: string; key: string; at: number; reward: string; multiple: number }>(
    tenant.db,
    'SELECT campaign_id, key, at, reward, multiple FROM kept_multiples WHERE org_id = $1 AND customer_id = $2',
    [tenant.orgId, uuidOf(customer)],
  )
  return rows.map(({ campaign_id, ...rest }) => ({ ...rest, campaign: idFrom('cmp', campaign_id) }))
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

/** Entries, newest first, ordered by version and not by a clock. */
export async function listLedgerEntries(
  tenant: Tenant,
  customer: CustomerId,
  page: { limit: number; after?: LedgerPosition },
): Promise<LedgerEntry[]> {
  const rows = await many<LedgerRow>(
    tenant.db,
    `SELECT e.*, d.decimals FROM ledger_entries e
     JOIN balance_definitions d ON d.org_id = e.org_id AND d.key = e.key
     WHERE e.org_id = $1 AND e.customer_id = $2
       AND ($3::bigint IS NULL OR (e.wallet_version, e.key, e.version) < ($3, $4::text, $5::bigint))
     ORDER BY e.wallet_version DESC, e.key DESC, e.version DESC LIMIT $6`,
    [
      tenant.orgId,
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
