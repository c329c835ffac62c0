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
import { mainBranch } from '../domain/organization.ts'
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

/**
 * One row, with a list per kind of thing for the whole group. A list per basket made PostgreSQL start several
 * aggregates for each, which was most of what loading cost.
 */
interface LoadRow {
  wallets: [n: number, version: number, count: number, lastActivityMs: number | null, status: number][] | null
  cards: [n: number, status: number, campaign: string][] | null
  balances: [n: number, key: string, value: number, total: number, version: number][] | null
  decimals: [key: string, decimals: number][] | null
  lots: [n: number, key: string, version: number, remaining: number, expiresMs: number][] | null
  kept: [n: number, campaign: string, key: string, at: number, reward: string, multiple: number][] | null
  coupons:
    | [
        id: string,
        customer: string,
        status: CouponStatus,
        reward: Reward,
        campaign: string,
        expiresMs: number | null,
      ][]
    | null
  users: [id: string, opaqueId: string, branch: string | null][] | null
  branches: [id: string, opaqueId: string][] | null
  receipts: [n: number, id: string, fingerprint: string | null][] | null
  keys: [n: number, id: string, fingerprint: string | null][] | null
  done: string[] | null
  campaigns: [id: string, version: number, status: string][] | null
  products: [opaqueId: string, category: string | null][] | null
}

const ms = (column: string) => `(extract(epoch FROM ${column}) * 1000)::bigint`
const group = (columns: string) => `unnest(${columns}) WITH ORDINALITY AS b`

const load: Statement = {
  name: 'load-baskets',
  text: `SELECT
  (SELECT json_agg(json_build_array(b.n, w.version, w.transaction_count, ${ms('w.last_activity_at')}, c.status))
   FROM ${group('$2::uuid[]')} (id, n) JOIN customers c ON c.org_id = $1 AND c.id = b.id AND c.status <> 3
   JOIN wallets w ON w.org_id = $1 AND w.customer_id = b.id) AS wallets,
  (SELECT json_agg(json_build_array(b.n, k.status, k.campaign_id))
   FROM ${group('$2::uuid[], $3::uuid[]')} (customer_id, id, n)
   JOIN cards k ON k.org_id = $1 AND k.id = b.id AND k.customer_id = b.customer_id) AS cards,
  (SELECT json_agg(json_build_array(b.n, x.key, x.value, x.total, x.version) ORDER BY x.key)
   FROM ${group('$2::uuid[]')} (id, n) JOIN balances x ON x.org_id = $1 AND x.customer_id = b.id) AS balances,
  (SELECT json_agg(json_build_array(key, decimals)) FROM balance_definitions WHERE org_id = $1) AS decimals,
  (SELECT json_agg(json_build_array(b.n, l.key, l.version, l.remaining, ${ms('l.expires_at')}))
   FROM ${group('$2::uuid[]')} (id, n)
   JOIN lots l ON l.org_id = $1 AND l.customer_id = b.id AND l.remaining > 0) AS lots,
  (SELECT json_agg(json_build_array(b.n, m.campaign_id, m.key, m.at, m.reward, m.multiple))
   FROM ${group('$2::uuid[]')} (id, n) JOIN kept_multiples m ON m.org_id = $1 AND m.customer_id = b.id) AS kept,
  (SELECT json_agg(json_build_array(p.id, p.customer_id, p.status, p.reward, p.campaign_id, ${ms('p.expires_at')}))
   FROM coupons p WHERE p.org_id = $1 AND p.id = ANY($4::uuid[])) AS coupons,
  (SELECT json_agg(json_build_array(id, opaque_id, branch_id)) FROM users
   WHERE org_id = $1 AND (id = ANY($5::uuid[]) OR opaque_id = ANY($6::text[]))) AS users,
  (SELECT json_agg(json_build_array(id, opaque_id)) FROM branches WHERE org_id = $1 AND (opaque_id = ANY($7::text[])
     OR id = ANY (ARRAY(SELECT branch_id FROM users WHERE org_id = $1 AND id = ANY($5::uuid[]))))) AS branches,
  (SELECT json_agg(json_build_array(b.n, t.id, encode(t.fingerprint, 'hex')))
   FROM ${group('$8::text[]')} (opaque_id, n)
   JOIN transactions t ON t.org_id = $1 AND t.opaque_id = b.opaque_id) AS receipts,
  (SELECT json_agg(json_build_array(b.n, t.id, encode(t.fingerprint, 'hex')))
   FROM ${group('$9::text[]')} (key, n)
   JOIN transactions t ON t.org_id = $1 AND t.idempotency_key = b.key) AS keys,
  (SELECT json_agg(id) FROM transactions WHERE org_id = $1 AND id = ANY($10::uuid[])) AS done,
  (SELECT json_agg(json_build_array(id, version, status)) FROM campaigns WHERE org_id = $1 AND version > 0) AS campaigns,
  (SELECT json_agg(json_build_array(opaque_id, category)) FROM products
   WHERE org_id = $1 AND opaque_id = ANY($11::text[])) AS products`,
}

export async function loadBaskets(scope: Scope, keys: readonly BasketKeys[]): Promise<LoadedGroup> {
  const distinct = <T>(values: (T | undefined)[]) => [
    ...new Set(values.filter((value) => value !== undefined)),
  ]
  const [row] = await prepared<LoadRow>(scope.db, load, [
    scope.org,
    keys.map((key) => uuidOf(key.customer)),
    keys.map((key) => uuidOf(key.card)),
    keys.flatMap((key) => key.coupons.map(uuidOf)),
    distinct(keys.map((key) => uuidOf(key.caller))),
    distinct(keys.map((key) => key.user)),
    distinct([mainBranch, ...keys.map((key) => key.branch)]),
    keys.map((key) => key.opaqueId ?? null),
    keys.map((key) => key.idempotencyKey ?? null),
    keys.map((key) => uuidOf(key.id)),
    distinct(keys.flatMap((key) => key.products)),
  ])
  return {
    baskets: assemble(row!, keys),
    campaigns: (row!.campaigns ?? []).map(([id, version, status]) => ({
      id: idFrom('cmp', id),
      version,
      isPublished: status === 'published',
    })),
    products: new Map((row!.products ?? []).map(([opaqueId, category]) => [opaqueId, category ?? undefined])),
  }
}

/** A basket while its parts are handed out from the lists. */
type Assembling = Omit<
  LoadedBasket,
  'wallet' | 'card' | 'balances' | 'lots' | 'keptMultiples' | 'coupons' | 'earlier'
> & {
  wallet?: LoadedBasket['wallet']
  card?: LoadedBasket['card']
  balances: LoadedBasket['balances'][number][]
  lots: Lot[]
  keptMultiples: KeptMultiple[]
  coupons: Coupon[]
  earlier: { byId: boolean; byOpaqueId?: EarlierTransaction; byIdempotencyKey?: EarlierTransaction }
}

function assemble(row: LoadRow, keys: readonly BasketKeys[]): LoadedBasket[] {
  const references = readReferences(row)
  const done = new Set((row.done ?? []).map((id) => idFrom('txn', id)))
  const baskets = keys.map(
    (key): Assembling => ({
      earlier: { byId: done.has(key.id) },
      balances: [],
      lots: [],
      keptMultiples: [],
      coupons: [],
      ...references(key),
    }),
  )
  for (const [n, version, transactionCount, lastActivityMs, customerStatus] of row.wallets ?? []) {
    const lastActivityAt = lastActivityMs === null ? undefined : new Date(lastActivityMs)
    baskets[n - 1]!.wallet = { version, transactionCount, lastActivityAt, customerStatus }
  }
  for (const [n, status, campaign] of row.cards ?? []) {
    baskets[n - 1]!.card = { status, campaign: idFrom('cmp', campaign) }
  }
  const decimals = new Map(row.decimals ?? [])
  for (const [n, key, value, total, version] of row.balances ?? []) {
    baskets[n - 1]!.balances.push({ key, value, total, version, decimals: decimals.get(key) ?? 0 })
  }
  for (const [n, key, version, remaining, expiresMs] of row.lots ?? []) {
    baskets[n - 1]!.lots.push({ key, version, remaining, expiresAt: new Date(expiresMs) })
  }
  for (const [n, campaign, key, at, reward, multiple] of row.kept ?? []) {
    baskets[n - 1]!.keptMultiples.push({ campaign: idFrom('cmp', campaign), key, at, reward, multiple })
  }
  for (const [id, customer, status, reward, campaign, expiresMs] of row.coupons ?? []) {
    const owner = idFrom('cus', customer)
    const expiresAt = expiresMs === null ? undefined : new Date(expiresMs)
    const coupon = { id: idFrom('cpn', id), status, reward, campaign: idFrom('cmp', campaign), expiresAt }
    // A coupon of somebody else does not exist for a basket.
    keys.forEach((key, i) => {
      if (key.customer === owner) baskets[i]!.coupons.push(coupon)
    })
  }
  for (const [n, id, fingerprint] of row.receipts ?? [])
    baskets[n - 1]!.earlier.byOpaqueId = earlier(id, fingerprint)
  for (const [n, id, fingerprint] of row.keys ?? [])
    baskets[n - 1]!.earlier.byIdempotencyKey = earlier(id, fingerprint)
  return baskets
}

function earlier(id: string, fingerprint: string | null): EarlierTransaction {
  return {
    id: idFrom('txn', id),
    fingerprint: fingerprint === null ? undefined : Buffer.from(fingerprint, 'hex'),
  }
}

/** The user named or else the caller, the branch named or else the caller's; undefined where the directory has none. */
function readReferences(row: LoadRow) {
  const users = (row.users ?? []).map(([id, opaqueId, branch]) => ({
    id: idFrom('usr', id),
    opaqueId,
    branch,
  }))
  const branches = (row.branches ?? []).map(([id, opaqueId]) => ({
    uuid: id,
    id: idFrom('brn', id),
    opaqueId,
  }))
  return (key: BasketKeys): Pick<LoadedBasket, 'user' | 'branch'> => {
    const caller = users.find((user) => user.id === key.caller)
    const user = key.user === undefined ? caller : users.find((one) => one.opaqueId === key.user)
    const home = caller?.branch
    const branch = branches.find(({ uuid, opaqueId }) =>
      key.branch === undefined && home ? uuid === home : opaqueId === (key.branch ?? mainBranch),
    )
    return {
      user: user && { id: user.id, opaqueId: user.opaqueId },
      branch: branch && { id: branch.id, opaqueId: branch.opaqueId },
    }
  }
}

/** Locks the wallets of a group, sorted, for the groups that are decided under lock. */
export async function lockWallets(scope: Scope, customers: readonly CustomerId[]): Promise<void> {
  await scope.db.query(
    `SELECT 1 FROM wallets WHERE org_id = $1 AND customer_id = ANY($2::uuid[]) ORDER BY customer_id FOR UPDATE`,
    [scope.org, customers.map(uuidOf)],
  )
}
