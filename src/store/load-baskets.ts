/**
 * Loads everything that a group of baskets is decided on, in one round trip: the wallets, with the named
 * cards and coupons; products; earlier transactions with the same receipt number or idempotency key; and the
 * version of the organization's setup. Starting a statement costs more than the rows of one basket, so a
 * statement is sent only when some basket of the group needs it.
 */
import type { WireRow } from '../database/pipeline.ts'
import type { CardId, CouponId, CustomerId, TransactionId } from '../domain/ids.ts'
import type { ArchivedIn } from '../domain/transaction.ts'
import type { Wallet } from '../domain/wallet.ts'
import type { WorkKind } from './due-work.ts'
import { texts, uuids } from './pg-arrays.ts'
import { askTogether, type Question, question } from './question.ts'
import { type SetupState, setupState } from './setup.ts'
import { idFrom, type Tenant } from './tenant.ts'
import {
  couponsByIds,
  type LoadedCard,
  ms,
  type OwnedCoupon,
  positions,
  toDate,
  walletsByKeys,
} from './wallets/load.ts'

export interface BasketKeys {
  /**
   * The id the transaction will have; known in advance so that a retry after a lost response finds its first
   * attempt.
   */
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
  readonly archived?: ArchivedIn
}

export interface LoadedBasket {
  readonly earlier: {
    readonly byId: boolean
    readonly byOpaqueId?: EarlierTransaction
    readonly byIdempotencyKey?: EarlierTransaction
  }
  /** Undefined when the customer has no such card. */
  readonly card?: LoadedCard
}

export interface LoadedCustomer {
  readonly status: number
  readonly walletVersion: number
  /**
   * The wallet with the coupons that the customer's baskets name. The usage of limited rules is loaded
   * separately.
   */
  readonly wallet: Omit<Wallet, 'usage'>
}

export interface LoadedGroup {
  readonly baskets: readonly LoadedBasket[]
  /** Only customers that exist in the organization. */
  readonly customers: ReadonlyMap<CustomerId, LoadedCustomer>
  /** Category by opaque id, of the products that are in the directory. */
  readonly products: ReadonlyMap<string, string | undefined>
  readonly setup: SetupState
}

export interface LoadOptions {
  /** The baskets were tried before, and an earlier attempt may have committed unnoticed. */
  readonly isRepeat?: boolean
  /** Background work that the baskets probably make due. */
  readonly dueKinds?: readonly WorkKind[]
  /** Looks for earlier sales in the archive as well. */
  readonly hasArchive?: boolean
}

export async function loadBaskets(
  tenant: Tenant,
  keys: readonly BasketKeys[],
  { isRepeat = false, dueKinds = [], hasArchive = true }: LoadOptions = {},
): Promise<LoadedGroup> {
  const coupons = keys.flatMap((key) => key.coupons)
  const products = [...new Set(keys.flatMap((key) => key.products))]
  const loaded = await askTogether(tenant, {
    wallets: walletsByKeys(tenant, keys),
    coupons: coupons.length > 0 ? couponsByIds(tenant, coupons) : undefined,
    products: products.length > 0 ? categoriesOf(tenant, products) : undefined,
    receipts: keys.some(({ opaqueId }) => opaqueId !== undefined)
      ? byReceipts(tenant, keys, hasArchive)
      : undefined,
    repeats: keys.some(({ idempotencyKey }) => idempotencyKey !== undefined)
      ? byIdempotencyKeys(tenant, keys, hasArchive)
      : undefined,
    committed: isRepeat ? committedOf(tenant, keys) : undefined,
    // Read last: a sale that was archived before it was looked for has changed the version.
    setup: setupState(tenant, dueKinds),
  })
  const { wallets, cards } = loaded.wallets
  return {
    baskets: keys.map((key, i) => ({
      earlier: {
        byId: loaded.committed?.has(key.id) ?? false,
        byOpaqueId: loaded.receipts?.get(i),
        byIdempotencyKey: loaded.repeats?.get(i),
      },
      card: cards.get(i),
    })),
    customers: new Map(
      [...wallets].map(([customer, { status, version, held }]) => [
        customer,
        {
          status,
          walletVersion: version,
          wallet: { coupons: ownedBy(customer, loaded.coupons), ...held },
        },
      ]),
    ),
    products: loaded.products ?? new Map(),
    setup: loaded.setup,
  }
}

/** Another customer's coupon does not exist for this customer. */
function ownedBy(customer: CustomerId, coupons: readonly OwnedCoupon[] = []): readonly OwnedCoupon[] {
  return coupons.filter((coupon) => coupon.customer === customer)
}

/** Category by opaque id. */
function categoriesOf(
  { orgId }: Tenant,
  products: readonly string[],
): Question<Map<string, string | undefined>> {
  return question(
    'load-products',
    'SELECT opaque_id, category FROM products WHERE org_id = $1::integer AND opaque_id = ANY($2::text[])',
    [String(orgId), texts(products)],
    (rows) => new Map(rows.map(([opaqueId, category]) => [opaqueId!, category ?? undefined])),
  )
}

function byReceipts(
  { orgId }: Tenant,
  keys: readonly BasketKeys[],
  hasArchive: boolean,
): Question<Map<number, EarlierTransaction>> {
  return question(
    hasArchive ? 'load-receipts-and-archived' : 'load-receipts',
    earlierBy('opaque_id', hasArchive),
    [String(orgId), texts(keys.map((key) => key.opaqueId))],
    readEarlier,
  )
}

function byIdempotencyKeys(
  { orgId }: Tenant,
  keys: readonly BasketKeys[],
  hasArchive: boolean,
): Question<Map<number, EarlierTransaction>> {
  return question(
    hasArchive ? 'load-keys-and-archived' : 'load-keys',
    earlierBy('idempotency_key', hasArchive),
    [String(orgId), texts(keys.map((key) => key.idempotencyKey))],
    readEarlier,
  )
}

/** One statement sees a sale that is being archived in exactly one of the two places. */
const earlierBy = (column: string, hasArchive: boolean) => `
  SELECT b.n, t.id, encode(t.fingerprint, 'hex'), NULL::integer, NULL::bigint FROM ${positions('$2::text[]')} (key, n)
    JOIN transactions t ON t.org_id = $1::integer AND t.${column} = b.key${hasArchive ? archivedBy(column) : ''}`

const archivedBy = (column: string) => `
  UNION ALL SELECT b.n, a.id, NULL, a.file, ${ms('f.archived_at')} FROM ${positions('$2::text[]')} (key, n)
    JOIN archived_transactions a ON a.org_id = $1::integer AND a.${column} = b.key
    JOIN archived_files f ON f.org_id = $1::integer AND f.number = a.file`

/** Earlier transactions by the position of their basket. */
function readEarlier(rows: readonly WireRow[]): Map<number, EarlierTransaction> {
  return new Map(
    rows.map(([n, id, print, file, archivedAt]) => [
      Number(n) - 1,
      {
        id: idFrom('txn', id!),
        fingerprint: print ? Buffer.from(print, 'hex') : undefined,
        archived: file ? { file: Number(file), at: toDate(archivedAt)! } : undefined,
      },
    ]),
  )
}

function committedOf({ orgId }: Tenant, keys: readonly BasketKeys[]): Question<Set<TransactionId>> {
  return question(
    'load-committed',
    'SELECT id FROM transactions WHERE org_id = $1::integer AND id = ANY($2::uuid[])',
    [String(orgId), uuids(keys.map((key) => key.id))],
    (rows) => new Set(rows.map(([id]) => idFrom('txn', id!))),
  )
}
