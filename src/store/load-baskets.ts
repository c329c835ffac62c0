/**
 * Everything of the customers that a group of baskets is decided on, in one round trip: wallets with their versions,
 * cards, balances, named coupons, products, and earlier transactions with the same receipt number or idempotency
 * key; and the version of the organization's setup. Nothing is locked here. The wallet's version is read first and
 * `write-baskets.ts` writes only where it is still the same, so whatever of a customer changes between two of these
 * statements is noticed there.
 */
import type { Step, WireRow, WireValue } from '../database/pipeline.ts'
import type { Coupon, CouponStatus } from '../domain/coupon.ts'
import type { CampaignId, CardId, CouponId, CustomerId, TransactionId } from '../domain/ids.ts'
import type { Balance, KeptMultiple, Lot, Wallet } from '../domain/wallet.ts'
import { idFrom, many, type Scope, uuidOf } from './scope.ts'
import { readSetupVersion, setupVersionStep } from './setup.ts'
import { texts, uuids } from './wire.ts'

export interface BasketKeys {
  /** The id the transaction will have; known in advance so that a repeat after a lost answer finds its first try. */
  readonly id: TransactionId
  readonly customer: CustomerId
  readonly card: CardId
  readonly opaqueId?: string
  readonly idempotencyKey?: string
  readonly coupons: readonly CouponId[]
  readonly products: readonly string[]
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
}

export interface LoadedCustomer {
  readonly status: number
  readonly walletVersion: number
  /** With the coupons that the customer's baskets name. What limited rules have given is loaded apart. */
  readonly wallet: Omit<Wallet, 'usage'>
}

export interface LoadedGroup {
  readonly baskets: readonly LoadedBasket[]
  /** Of the customers that the organization has. */
  readonly customers: ReadonlyMap<CustomerId, LoadedCustomer>
  /** Category by opaque id, of the products that are in the directory. */
  readonly products: ReadonlyMap<string, string | undefined>
  readonly setupVersion: number | undefined
}

/** Milliseconds; `extract` would compute with `numeric`. */
const ms = (column: string) => `(date_part('epoch', ${column}) * 1000)::bigint`
/** Rows name their basket, or its customer, by position from 1, as PostgreSQL counts. */
const positions = (arrays: string) => `unnest(${arrays}) WITH ORDINALITY AS b`

const statements = {
  wallets: `SELECT b.n, c.status, w.version, w.transaction_count, ${ms('w.last_activity_at')}, k.status, k.campaign_id
    FROM ${positions('$2::uuid[], $3::uuid[]')} (customer_id, card_id, n)
    JOIN customers c ON c.org_id = $1::integer AND c.id = b.customer_id AND c.status <> 3
    JOIN wallets w ON w.org_id = $1::integer AND w.customer_id = b.customer_id
    LEFT JOIN cards k ON k.org_id = $1::integer AND k.id = b.card_id AND k.customer_id = b.customer_id`,
  // Balances, lots and kept multiples, told apart by their second column.
  held: `SELECT b.n, 'b', x.key, x.version, x.value, x.total, NULL::uuid, NULL::text
      FROM ${positions('$2::uuid[]')} (id, n) JOIN balances x ON x.org_id = $1::integer AND x.customer_id = b.id
    UNION ALL SELECT b.n, 'l', l.key, l.version, l.remaining, ${ms('l.expires_at')}, NULL, NULL
      FROM ${positions('$2::uuid[]')} (id, n)
      JOIN lots l ON l.org_id = $1::integer AND l.customer_id = b.id AND l.remaining > 0
    UNION ALL SELECT b.n, 'k', m.key, 0, m.at, m.multiple, m.campaign_id, m.reward
      FROM ${positions('$2::uuid[]')} (id, n) JOIN kept_multiples m ON m.org_id = $1::integer AND m.customer_id = b.id`,
  coupons: `SELECT customer_id, id, status, reward, campaign_id, ${ms('expires_at')}
    FROM coupons WHERE org_id = $1::integer AND id = ANY($2::uuid[])`,
  products:
    'SELECT opaque_id, category FROM products WHERE org_id = $1::integer AND opaque_id = ANY($2::text[])',
  receipts: `SELECT b.n, t.id, encode(t.fingerprint, 'hex') FROM ${positions('$2::text[]')} (opaque_id, n)
    JOIN transactions t ON t.org_id = $1::integer AND t.opaque_id = b.opaque_id`,
  keys: `SELECT b.n, t.id, encode(t.fingerprint, 'hex') FROM ${positions('$2::text[]')} (key, n)
    JOIN transactions t ON t.org_id = $1::integer AND t.idempotency_key = b.key`,
  done: 'SELECT id FROM transactions WHERE org_id = $1::integer AND id = ANY($2::uuid[])',
} as const

type Part = keyof typeof statements
type Parts = Partial<Record<Part | 'setup', WireRow[]>>

/** `isRepeat`: the baskets were tried before, and one of the tries may have been written without our knowing. */
export async function loadBaskets(
  scope: Scope,
  keys: readonly BasketKeys[],
  { isRepeat = false } = {},
): Promise<LoadedGroup> {
  const customers = [...new Set(keys.map((key) => key.customer))]
  const parts = await loadParts(scope, keys, customers, isRepeat)
  const done = new Set(parts.done?.map(([id]) => idFrom('txn', id!)))
  const wallets = new Map(parts.wallets!.map((row) => [Number(row[0]), row]))
  const receipts = readEarlier(parts.receipts)
  const idempotencyKeys = readEarlier(parts.keys)
  return {
    baskets: keys.map((key, i) => ({
      earlier: {
        byId: done.has(key.id),
        byOpaqueId: receipts.get(i + 1),
        byIdempotencyKey: idempotencyKeys.get(i + 1),
      },
      card: readCard(wallets.get(i + 1)),
    })),
    customers: readCustomers(parts, keys, customers),
    products: new Map(parts.products?.map(([opaqueId, category]) => [opaqueId!, category ?? undefined])),
    setupVersion: readSetupVersion(parts.setup!),
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
  const names: (Part | 'setup')[] = ['setup']
  const steps: Step[] = [setupVersionStep(scope)]
  const add = (name: Part, ...values: WireValue[]) => {
    names.push(name)
    steps.push({ name: `load-${name}`, text: statements[name], values: [org, ...values] })
  }
  add('wallets', uuids(keys.map((key) => key.customer)), uuids(keys.map((key) => key.card)))
  add('held', uuids(customers))
  const coupons = keys.flatMap((key) => key.coupons)
  if (coupons.length > 0) add('coupons', uuids(coupons))
  const products = [...new Set(keys.flatMap((key) => key.products))]
  if (products.length > 0) add('products', texts(products))
  if (keys.some((key) => key.opaqueId !== undefined)) add('receipts', texts(keys.map((key) => key.opaqueId)))
  if (keys.some((key) => key.idempotencyKey !== undefined))
    add('keys', texts(keys.map((key) => key.idempotencyKey)))
  if (isRepeat) add('done', uuids(keys.map((key) => key.id)))
  const rows = await scope.db.pipe(steps)
  const parts: Parts = {}
  names.forEach((name, i) => {
    parts[name] = rows[i]!
  })
  return parts
}

function readCard(row: WireRow | undefined): LoadedBasket['card'] {
  const [, , , , , status, campaign] = row ?? []
  return status && campaign ? { status: Number(status), campaign: idFrom('cmp', campaign) } : undefined
}

/** What a customer holds, while it is handed out from the rows. */
interface Held {
  readonly balances: Balance[]
  readonly lots: Lot[]
  readonly keptMultiples: KeptMultiple[]
}

function readCustomers(
  parts: Parts,
  keys: readonly BasketKeys[],
  ids: readonly CustomerId[],
): Map<CustomerId, LoadedCustomer> {
  const held = new Map(
    ids.map((id): [CustomerId, Held] => [id, { balances: [], lots: [], keptMultiples: [] }]),
  )
  for (const row of parts.held!) readHeld(row, held.get(ids[Number(row[0]) - 1]!)!)
  const coupons = (parts.coupons ?? []).map((row) => ({
    owner: idFrom('cus', row[0]!),
    coupon: readCoupon(row),
  }))
  const customers = new Map<CustomerId, LoadedCustomer>()
  for (const [n, status, version, count, lastActivityMs] of parts.wallets!) {
    const { customer } = keys[Number(n) - 1]!
    if (customers.has(customer)) continue
    const { balances, lots, keptMultiples } = held.get(customer)!
    customers.set(customer, {
      status: Number(status),
      walletVersion: Number(version),
      wallet: {
        balances: balances.sort((a, b) => (a.key < b.key ? -1 : 1)),
        lots,
        keptMultiples,
        // A coupon of somebody else does not exist for this customer.
        coupons: coupons.filter(({ owner }) => owner === customer).map(({ coupon }) => coupon),
        transactionCount: Number(count),
        lastActivityAt: toDate(lastActivityMs),
      },
    })
  }
  return customers
}

function readHeld(row: WireRow, { balances, lots, keptMultiples }: Held): void {
  const [, kind, name, version, one, two, campaign, reward] = row
  const key = name!
  if (kind === 'b') {
    balances.push({ key, version: Number(version), value: Number(one), total: Number(two) })
  } else if (kind === 'l') {
    lots.push({ key, version: Number(version), remaining: Number(one), expiresAt: toDate(two)! })
  } else {
    const multiple = Number(two)
    keptMultiples.push({
      key,
      campaign: idFrom('cmp', campaign!),
      at: Number(one),
      multiple,
      reward: reward!,
    })
  }
}

const toDate = (text: string | null | undefined) =>
  text === null || text === undefined ? undefined : new Date(Number(text))

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

/**
 * Locks the wallets of a group, sorted, for the groups that are decided under lock. Returns those it has locked:
 * all there are, or with `skipsBusy` those that nobody else holds.
 */
export async function lockWallets(
  scope: Scope,
  customers: readonly CustomerId[],
  { skipsBusy }: { readonly skipsBusy: boolean },
): Promise<Set<CustomerId>> {
  const rows = await many<{ customer_id: string }>(
    scope.db,
    `SELECT customer_id FROM wallets WHERE org_id = $1 AND customer_id = ANY($2::uuid[])
     ORDER BY customer_id FOR UPDATE${skipsBusy ? ' SKIP LOCKED' : ''}`,
    [scope.org, customers.map(uuidOf)],
  )
  return new Set(rows.map((row) => idFrom('cus', row.customer_id)))
}
