/**
 * Everything a group of baskets is decided on, in one round trip: wallets with their versions, cards, balances,
 * named coupons, references, live campaigns, and earlier transactions with the same receipt number or idempotency
 * key. Nothing is locked here. The wallet's version is read first and `write-baskets.ts` writes only where it is
 * still the same, so whatever of a customer changes between two of these statements is noticed there.
 */

import type { Step, WireRow, WireValue } from '../database/pipeline.ts'
import type { Coupon, CouponStatus } from '../domain/coupon.ts'
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
import type { Wallet } from '../domain/wallet.ts'
import { idFrom, type Scope, uuidOf } from './scope.ts'
import { texts, uuids } from './wire.ts'

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
  /** Undefined when the customer has no such card. */
  readonly card?: { readonly status: number; readonly campaign: CampaignId }
  readonly user?: Reference<UserId>
  readonly branch?: Reference<BranchId>
}

export interface LoadedCustomer {
  readonly status: number
  readonly walletVersion: number
  /** With the coupons that the customer's baskets name. What limited rules have given is loaded apart. */
  readonly wallet: Omit<Wallet, 'usage'>
}

export interface LiveCampaign {
  readonly id: CampaignId
  readonly version: number
  readonly isPublished: boolean
}

export interface LoadedGroup {
  readonly baskets: readonly LoadedBasket[]
  /** Of the customers that the organization has. */
  readonly customers: ReadonlyMap<CustomerId, LoadedCustomer>
  readonly campaigns: readonly LiveCampaign[]
  /** Category by opaque id, of the products that are in the directory. */
  readonly products: ReadonlyMap<string, string | undefined>
  /** Of the organization's balances. */
  readonly decimals: ReadonlyMap<string, number>
}

/** Milliseconds; `extract` would compute with `numeric`. */
const ms = (column: string) => `date_part('epoch', ${column}) * 1000`
/** Rows name their basket, or its customer, by position. */
const positions = (arrays: string) => `unnest(${arrays}) WITH ORDINALITY AS b`

const statements = {
  wallets: `SELECT b.n, c.status, w.version, w.transaction_count, ${ms('w.last_activity_at')}
    FROM ${positions('$2::uuid[]')} (id, n)
    JOIN customers c ON c.org_id = $1::integer AND c.id = b.id AND c.status <> 3
    JOIN wallets w ON w.org_id = $1::integer AND w.customer_id = b.id`,
  cards: `SELECT b.n, k.status, k.campaign_id FROM ${positions('$2::uuid[], $3::uuid[]')} (customer_id, id, n)
    JOIN cards k ON k.org_id = $1::integer AND k.id = b.id AND k.customer_id = b.customer_id`,
  balances: `SELECT b.n, x.key, x.value, x.total, x.version FROM ${positions('$2::uuid[]')} (id, n)
    JOIN balances x ON x.org_id = $1::integer AND x.customer_id = b.id`,
  lots: `SELECT b.n, l.key, l.version, l.remaining, ${ms('l.expires_at')} FROM ${positions('$2::uuid[]')} (id, n)
    JOIN lots l ON l.org_id = $1::integer AND l.customer_id = b.id AND l.remaining > 0`,
  kept: `SELECT b.n, m.campaign_id, m.key, m.at, m.reward, m.multiple FROM ${positions('$2::uuid[]')} (id, n)
    JOIN kept_multiples m ON m.org_id = $1::integer AND m.customer_id = b.id`,
  coupons: `SELECT customer_id, id, status, reward, campaign_id, ${ms('expires_at')}
    FROM coupons WHERE org_id = $1::integer AND id = ANY($2::uuid[])`,
  users: `SELECT id, opaque_id, branch_id FROM users
    WHERE org_id = $1::integer AND (id = ANY($2::uuid[]) OR opaque_id = ANY($3::text[]))`,
  branches: `SELECT id, opaque_id FROM branches WHERE org_id = $1::integer AND (opaque_id = ANY($3::text[])
      OR id IN (SELECT branch_id FROM users WHERE org_id = $1::integer AND id = ANY($2::uuid[])))`,
  products:
    'SELECT opaque_id, category FROM products WHERE org_id = $1::integer AND opaque_id = ANY($2::text[])',
  receipts: `SELECT b.n, t.id, encode(t.fingerprint, 'hex') FROM ${positions('$2::text[]')} (opaque_id, n)
    JOIN transactions t ON t.org_id = $1::integer AND t.opaque_id = b.opaque_id`,
  keys: `SELECT b.n, t.id, encode(t.fingerprint, 'hex') FROM ${positions('$2::text[]')} (key, n)
    JOIN transactions t ON t.org_id = $1::integer AND t.idempotency_key = b.key`,
  done: 'SELECT id FROM transactions WHERE org_id = $1::integer AND id = ANY($2::uuid[])',
  campaigns: 'SELECT id, version, status FROM campaigns WHERE org_id = $1::integer AND version > 0',
  decimals: 'SELECT key, decimals FROM balance_definitions WHERE org_id = $1::integer',
} as const

type Part = keyof typeof statements
type Parts = Partial<Record<Part, WireRow[]>>

/** `isRepeat`: the baskets were tried before, and one of the tries may have been written without our knowing. */
export async function loadBaskets(
  scope: Scope,
  keys: readonly BasketKeys[],
  { isRepeat = false } = {},
): Promise<LoadedGroup> {
  const customers = [...new Set(keys.map((key) => key.customer))]
  const parts = await loadParts(scope, keys, customers, isRepeat)
  const references = readReferences(parts)
  const done = new Set(parts.done?.map(([id]) => idFrom('txn', id!)))
  const cards = new Map(
    parts.cards!.map(([n, status, campaign]) => [
      Number(n),
      { status: Number(status), campaign: idFrom('cmp', campaign!) },
    ]),
  )
  const receipts = readEarlier(parts.receipts)
  const idempotencyKeys = readEarlier(parts.keys)
  return {
    baskets: keys.map((key, i) => ({
      earlier: {
        byId: done.has(key.id),
        byOpaqueId: receipts.get(i + 1),
        byIdempotencyKey: idempotencyKeys.get(i + 1),
      },
      card: cards.get(i + 1),
      ...references(key),
    })),
    customers: readCustomers(parts, customers),
    campaigns: parts.campaigns!.map(([id, version, status]) => ({
      id: idFrom('cmp', id!),
      version: Number(version),
      isPublished: status === 'published',
    })),
    products: new Map(parts.products?.map(([opaqueId, category]) => [opaqueId!, category ?? undefined])),
    decimals: new Map(parts.decimals!.map(([key, decimals]) => [key!, Number(decimals)])),
  }
}

/** Only what some basket of the group asks for; starting a statement costs more than the rows of one basket. */
async function loadParts(
  scope: Scope,
  keys: readonly BasketKeys[],
  customers: readonly CustomerId[],
  isRepeat: boolean,
): Promise<Parts> {
  const org = String(scope.org)
  const names: Part[] = []
  const steps: Step[] = []
  const add = (name: Part, ...values: WireValue[]) => {
    names.push(name)
    steps.push({ name: `load-${name}`, text: statements[name], values: [org, ...values] })
  }
  const held = uuids(customers)
  add('wallets', held)
  add('cards', uuids(keys.map((key) => key.customer)), uuids(keys.map((key) => key.card)))
  add('balances', held)
  add('lots', held)
  add('kept', held)
  const coupons = keys.flatMap((key) => key.coupons)
  if (coupons.length > 0) add('coupons', uuids(coupons))
  const callers = uuids(distinct(keys.map((key) => key.caller)))
  add('users', callers, texts(distinct(keys.map((key) => key.user))))
  add('branches', callers, texts(distinct([mainBranch, ...keys.map((key) => key.branch)])))
  const products = distinct(keys.flatMap((key) => key.products))
  if (products.length > 0) add('products', texts(products))
  if (keys.some((key) => key.opaqueId !== undefined)) add('receipts', texts(keys.map((key) => key.opaqueId)))
  if (keys.some((key) => key.idempotencyKey !== undefined))
    add('keys', texts(keys.map((key) => key.idempotencyKey)))
  if (isRepeat) add('done', uuids(keys.map((key) => key.id)))
  add('campaigns')
  add('decimals')
  const rows = await scope.db.pipe(steps)
  const parts: Parts = {}
  names.forEach((name, i) => {
    parts[name] = rows[i]!
  })
  return parts
}

function distinct<T>(values: readonly (T | undefined)[]): T[] {
  const known = new Set(values)
  known.delete(undefined)
  return [...(known as Set<T>)]
}

/** Lists by position, from 1 as PostgreSQL counts. */
function byPosition(rows: readonly WireRow[]): Map<number, WireRow[]> {
  const lists = new Map<number, WireRow[]>()
  for (const row of rows) {
    const list = lists.get(Number(row[0]))
    if (list) list.push(row)
    else lists.set(Number(row[0]), [row])
  }
  return lists
}

function readCustomers(parts: Parts, ids: readonly CustomerId[]): Map<CustomerId, LoadedCustomer> {
  const balances = byPosition(parts.balances!)
  const lots = byPosition(parts.lots!)
  const kept = byPosition(parts.kept!)
  const coupons = (parts.coupons ?? []).map((row) => ({
    owner: idFrom('cus', row[0]!),
    coupon: readCoupon(row),
  }))
  const customers = new Map<CustomerId, LoadedCustomer>()
  for (const [n, status, version, count, lastActivityMs] of parts.wallets!) {
    const position = Number(n)
    const id = ids[position - 1]!
    customers.set(id, {
      status: Number(status),
      walletVersion: Number(version),
      wallet: {
        balances: (balances.get(position) ?? []).map(readBalance).sort((a, b) => (a.key < b.key ? -1 : 1)),
        lots: (lots.get(position) ?? []).map(readLot),
        keptMultiples: (kept.get(position) ?? []).map(readKept),
        // A coupon of somebody else does not exist for this customer.
        coupons: coupons.filter(({ owner }) => owner === id).map(({ coupon }) => coupon),
        transactionCount: Number(count),
        lastActivityAt: toDate(lastActivityMs),
      },
    })
  }
  return customers
}

const toDate = (text: string | null | undefined) =>
  text === null || text === undefined ? undefined : new Date(Math.round(Number(text)))

const readBalance = ([, key, value, total, version]: WireRow) => ({
  key: key!,
  value: Number(value),
  total: Number(total),
  version: Number(version),
})

const readLot = ([, key, version, remaining, expires]: WireRow) => ({
  key: key!,
  version: Number(version),
  remaining: Number(remaining),
  expiresAt: toDate(expires)!,
})

const readKept = ([, campaign, key, at, reward, multiple]: WireRow) => ({
  campaign: idFrom('cmp', campaign!),
  key: key!,
  at: Number(at),
  reward: reward!,
  multiple: Number(multiple),
})

const readCoupon = ([, id, status, reward, campaign, expires]: WireRow): Coupon => ({
  id: idFrom('cpn', id!),
  status: Number(status) as CouponStatus,
  reward: JSON.parse(reward!),
  campaign: idFrom('cmp', campaign!),
  expiresAt: toDate(expires),
})

function readEarlier(rows: readonly WireRow[] = []): Map<number, EarlierTransaction> {
  return new Map(
    rows.map(([n, id, print]) => [
      Number(n),
      { id: idFrom('txn', id!), fingerprint: print === null ? undefined : Buffer.from(print!, 'hex') },
    ]),
  )
}

/** The user named or else the caller, the branch named or else the caller's; undefined where the directory has none. */
function readReferences(parts: Parts) {
  const users = parts.users!.map(([id, opaqueId, branch]) => ({
    id: idFrom('usr', id!),
    opaqueId: opaqueId!,
    branch,
  }))
  const branches = parts.branches!.map(([id, opaqueId]) => ({
    uuid: id,
    id: idFrom('brn', id!),
    opaqueId: opaqueId!,
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
