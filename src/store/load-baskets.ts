/**
 * Everything a group of baskets is decided on, in one statement and therefore from one moment: wallets with
 * their versions, cards, balances, named coupons, references, live campaigns, and earlier transactions with the
 * same receipt number or idempotency key. Nothing is locked here; `write-baskets.ts` writes only where the
 * wallet's version is still the one read.
 */
import type { Coupon, CouponStatus, Reward } from '../domain/coupon.ts'
import type {
  BranchId,
  CampaignId,
  CardId,
  CouponId,
  CustomerId,
  TransactionId,
  UserId,
} from '../domain/ids.ts'
import type { Balance, KeptMultiple, Lot } from '../domain/wallet.ts'
import { idFrom, prepared, type Scope, type Statement, uuidOf } from './scope.ts'

export interface BasketKeys {
  /** The id the transaction will have; known in advance so that a repeat after a lost answer finds its first try. */
  readonly id: TransactionId
  readonly customer: CustomerId
  readonly card: CardId
  readonly caller: UserId
  readonly user?: string
  readonly branch?: string
  readonly opaqueId?: string
  readonly idempotencyKey?: string
  readonly coupons: readonly CouponId[]
  readonly products: readonly string[]
}

export interface Reference<I> {
  readonly id: I
  readonly opaqueId: string
}

export interface EarlierTransaction {
  readonly id: TransactionId
  readonly fingerprint?: Buffer
}

export interface LoadedBasket {
  readonly earlier: {
    readonly byId: boolean
    readonly byOpaqueId?: EarlierTransaction
    readonly byIdempotencyKey?: EarlierTransaction
  }
  /** Undefined when the organization has no such customer. */
  readonly wallet?: {
    readonly version: number
    readonly transactionCount: number
    readonly lastActivityAt?: Date
    readonly customerStatus: number
  }
  /** Undefined when the customer has no such card. */
  readonly card?: { readonly status: number; readonly campaign: CampaignId }
  readonly balances: readonly (Balance & { readonly decimals: number })[]
  readonly lots: readonly Lot[]
  readonly keptMultiples: readonly KeptMultiple[]
  readonly coupons: readonly Coupon[]
  readonly user?: Reference<UserId>
  readonly branch?: Reference<BranchId>
}

export interface LiveCampaign {
  readonly id: CampaignId
  readonly version: number
  readonly isPublished: boolean
}

export interface LoadedGroup {
  readonly baskets: readonly LoadedBasket[]
  readonly campaigns: readonly LiveCampaign[]
  /** Category by opaque id, of the products that are in the directory. */
  readonly products: ReadonlyMap<string, string | undefined>
}

interface LoadRow {
  n: number
  shared: { campaigns: [string, number, string][] | null; products: [string, string | null][] | null } | null
  version: number | null
  transaction_count: number | null
  last_activity_at: Date | null
  customer_status: number | null
  card_status: number | null
  card_campaign: string | null
  balances: [string, number, number, number, number][] | null
  lots: [string, number, number, string][] | null
  kept: [string, string, number, string, number][] | null
  coupons: [string, CouponStatus, Reward, string, string | null][] | null
  user_id: string | null
  user_opaque: string | null
  branch_id: string | null
  branch_opaque: string | null
  is_done: boolean
  receipt_id: string | null
  receipt_fingerprint: Buffer | null
  key_id: string | null
  key_fingerprint: Buffer | null
}

const load: Statement = {
  name: 'load-baskets',
  text: `
  SELECT 0 AS n,
    json_build_object(
      'campaigns', (SELECT json_agg(json_build_array(id, version, status)) FROM campaigns WHERE org_id = $1 AND version > 0),
      'products', (SELECT json_agg(json_build_array(opaque_id, category)) FROM products
                   WHERE org_id = $1 AND opaque_id = ANY($11::text[]))) AS shared,
    NULL::bigint AS version, NULL::int AS transaction_count, NULL::timestamptz AS last_activity_at,
    NULL::smallint AS customer_status,
    NULL::smallint AS card_status, NULL::uuid AS card_campaign,
    NULL::json AS balances, NULL::json AS lots, NULL::json AS kept, NULL::json AS coupons,
    NULL::uuid AS user_id, NULL::text AS user_opaque, NULL::uuid AS branch_id, NULL::text AS branch_opaque,
    false AS is_done, NULL::uuid AS receipt_id, NULL::bytea AS receipt_fingerprint,
    NULL::uuid AS key_id, NULL::bytea AS key_fingerprint
  UNION ALL
  SELECT b.n, NULL, w.version, w.transaction_count, w.last_activity_at, c.status, k.status, k.campaign_id,
    (SELECT json_agg(json_build_array(x.key, x.value, x.total, x.version, d.decimals) ORDER BY x.key)
     FROM balances x JOIN balance_definitions d ON d.org_id = x.org_id AND d.key = x.key
     WHERE x.org_id = $1 AND x.customer_id = b.customer_id),
    (SELECT json_agg(json_build_array(l.key, l.version, l.remaining, l.expires_at)) FROM lots l
     WHERE l.org_id = $1 AND l.customer_id = b.customer_id AND l.remaining > 0),
    (SELECT json_agg(json_build_array(m.campaign_id, m.key, m.at, m.reward, m.multiple)) FROM kept_multiples m
     WHERE m.org_id = $1 AND m.customer_id = b.customer_id),
    CASE WHEN $10::text[] <> '{}' THEN
      (SELECT json_agg(json_build_array(p.id, p.status, p.reward, p.campaign_id, p.expires_at)) FROM coupons p
       WHERE p.org_id = $1 AND p.id = ANY($10::uuid[]) AND p.customer_id = b.customer_id) END,
    u.id, u.opaque_id, br.id, br.opaque_id,
    EXISTS (SELECT 1 FROM transactions t WHERE t.org_id = $1 AND t.id = b.id),
    tr.id, tr.fingerprint, tk.id, tk.fingerprint
  FROM unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::text[], $9::text[])
    WITH ORDINALITY AS b (id, customer_id, card_id, caller_id, user_opaque, branch_opaque, opaque_id, idempotency_key, n)
  LEFT JOIN customers c ON c.org_id = $1 AND c.id = b.customer_id AND c.status <> 3
  LEFT JOIN wallets w ON w.org_id = $1 AND w.customer_id = c.id
  LEFT JOIN cards k ON k.org_id = $1 AND k.id = b.card_id AND k.customer_id = c.id
  LEFT JOIN users caller ON caller.org_id = $1 AND caller.id = b.caller_id
  LEFT JOIN users u ON u.org_id = $1
    AND u.opaque_id = CASE WHEN b.user_opaque IS NULL THEN caller.opaque_id ELSE b.user_opaque END
  LEFT JOIN branches home ON home.org_id = $1 AND home.id = caller.branch_id
  LEFT JOIN branches br ON br.org_id = $1
    AND br.opaque_id = CASE WHEN b.branch_opaque IS NULL THEN home.opaque_id ELSE b.branch_opaque END
  LEFT JOIN transactions tr ON tr.org_id = $1 AND tr.opaque_id = b.opaque_id
  LEFT JOIN transactions tk ON tk.org_id = $1 AND tk.idempotency_key = b.idempotency_key`,
}

export async function loadBaskets(scope: Scope, keys: readonly BasketKeys[]): Promise<LoadedGroup> {
  const rows = await prepared<LoadRow>(scope.db, load, [
    scope.org,
    keys.map((key) => uuidOf(key.id)),
    keys.map((key) => uuidOf(key.customer)),
    keys.map((key) => uuidOf(key.card)),
    keys.map((key) => uuidOf(key.caller)),
    keys.map((key) => key.user ?? null),
    keys.map((key) => key.branch ?? null),
    keys.map((key) => key.opaqueId ?? null),
    keys.map((key) => key.idempotencyKey ?? null),
    keys.flatMap((key) => key.coupons.map(uuidOf)),
    [...new Set(keys.flatMap((key) => key.products))],
  ])
  const baskets: LoadedBasket[] = []
  let shared: LoadRow['shared'] = null
  for (const row of rows) {
    if (row.n === 0) shared = row.shared
    else baskets[row.n - 1] = toLoadedBasket(row)
  }
  return {
    baskets,
    campaigns: (shared?.campaigns ?? []).map(([id, version, status]) => ({
      id: idFrom('cmp', id),
      version,
      isPublished: status === 'published',
    })),
    products: new Map(
      (shared?.products ?? []).map(([opaqueId, category]) => [opaqueId, category ?? undefined]),
    ),
  }
}

function toLoadedBasket(row: LoadRow): LoadedBasket {
  return {
    earlier: {
      byId: row.is_done,
      byOpaqueId: earlier(row.receipt_id, row.receipt_fingerprint),
      byIdempotencyKey: earlier(row.key_id, row.key_fingerprint),
    },
    wallet:
      row.version === null
        ? undefined
        : {
            version: row.version,
            transactionCount: row.transaction_count!,
            lastActivityAt: row.last_activity_at ?? undefined,
            customerStatus: row.customer_status!,
          },
    card:
      row.card_status === null
        ? undefined
        : { status: row.card_status, campaign: idFrom('cmp', row.card_campaign!) },
    balances: (row.balances ?? []).map(([key, value, total, version, decimals]) => ({
      key,
      value,
      total,
      version,
      decimals,
    })),
    lots: (row.lots ?? []).map(([key, version, remaining, expiresAt]) => ({
      key,
      version,
      remaining,
      expiresAt: new Date(expiresAt),
    })),
    keptMultiples: (row.kept ?? []).map(([campaign, key, at, reward, multiple]) => ({
      campaign: idFrom('cmp', campaign),
      key,
      at,
      reward,
      multiple,
    })),
    coupons: (row.coupons ?? []).map(([id, status, reward, campaign, expiresAt]) => ({
      id: idFrom('cpn', id),
      status,
      reward,
      campaign: idFrom('cmp', campaign),
      expiresAt: expiresAt ? new Date(expiresAt) : undefined,
    })),
    user: row.user_id === null ? undefined : { id: idFrom('usr', row.user_id), opaqueId: row.user_opaque! },
    branch:
      row.branch_id === null ? undefined : { id: idFrom('brn', row.branch_id), opaqueId: row.branch_opaque! },
  }
}

function earlier(id: string | null, fingerprint: Buffer | null): EarlierTransaction | undefined {
  return id === null ? undefined : { id: idFrom('txn', id), fingerprint: fingerprint ?? undefined }
}

/** Locks the wallets of a group, sorted, for the groups that are decided under lock. */
export async function lockWallets(scope: Scope, customers: readonly CustomerId[]): Promise<void> {
  await scope.db.query(
    `SELECT 1 FROM wallets WHERE org_id = $1 AND customer_id = ANY($2::uuid[]) ORDER BY customer_id FOR UPDATE`,
    [scope.org, customers.map(uuidOf)],
  )
}
