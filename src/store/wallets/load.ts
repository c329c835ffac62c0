/**
 * The only loader of wallets. What a change is decided on is queried in one round trip (`question.ts`), the
 * wallet first: `write.ts` writes only if its version is still the same, so any change of a customer between
 * two of the statements is noticed there. Nothing is locked, unless the caller has done so before.
 */
import type { WireRow } from '../../database/pipeline.ts'
import { type Coupon, type CouponStatus, couponStatus } from '../../domain/coupon.ts'
import { customerStatus } from '../../domain/customer.ts'
import type { CampaignId, CardId, CouponId, CustomerId, TransactionId } from '../../domain/ids.ts'
import type { Lot } from '../../domain/lot.ts'
import type { Balance, KeptMultiple, Wallet } from '../../domain/wallet.ts'
import { uuids } from '../pg-arrays.ts'
import { ask, type Question, question } from '../question.ts'
import { idFrom, many, type Tenant, uuidOf } from '../tenant.ts'

export interface LoadedWallet {
  readonly customer: CustomerId
  /** Status of the customer. */
  readonly status: number
  readonly version: number
  readonly held: Held
}

/** A wallet without its coupons and the usage of limited rules, which are questions of their own. */
export type Held = Omit<Wallet, 'coupons' | 'usage'>

export interface LoadedCard {
  readonly status: number
  readonly campaign: CampaignId
  /** When the customer's first card of the campaign was opened; this one may be a replacement. */
  readonly firstOpenedAt: Date
}

export interface LoadedWallets {
  /** Only customers that exist in the organization; erased ones are excluded. */
  readonly wallets: ReadonlyMap<CustomerId, LoadedWallet>
  /** By the position of the key that named it; undefined for a card of another customer. */
  readonly cards: ReadonlyMap<number, LoadedCard>
}

export interface WalletKey {
  readonly customer: CustomerId
  readonly card?: CardId
}

/** Milliseconds; `extract` would compute with `numeric`. */
export const ms = (column: string) => `(date_part('epoch', ${column}) * 1000)::bigint`
/** Rows refer to their key by its position from 1, as PostgreSQL counts. */
export const positions = (arrays: string) => `unnest(${arrays}) WITH ORDINALITY AS b`

const walletsOf = (keys: string, card = { columns: '', join: '' }) => `SELECT b.n, c.id, c.status, w.version,
    w.transaction_count, ${ms('w.last_activity_at')}${card.columns}
  FROM ${keys}
  JOIN customers c ON c.org_id = $1::integer AND c.id = b.customer_id AND c.status <> ${customerStatus.erased}
  JOIN wallets w ON w.org_id = $1::integer AND w.customer_id = b.customer_id${card.join}`

/** The card that is named beside the customer, with the time at which the customer joined its campaign. */
const namedCard = {
  columns: `, k.status, k.campaign_id,
    (SELECT ${ms('min(f.created_at)')} FROM cards f WHERE f.org_id = $1::integer
      AND f.customer_id = k.customer_id AND f.campaign_id = k.campaign_id)`,
  join: `
  LEFT JOIN cards k ON k.org_id = $1::integer AND k.id = b.card_id AND k.customer_id = b.customer_id`,
}

// Balances, lots and kept multiples, distinguished by their second column.
const heldBy = (
  customers: string,
) => `SELECT b.customer_id, 'b', x.key, x.version, x.value, x.total, x.shortfall, NULL::text, NULL::uuid
    FROM ${customers} JOIN balances x ON x.org_id = $1::integer AND x.customer_id = b.customer_id
  UNION ALL SELECT b.customer_id, 'l', l.key, l.version, l.remaining, ${ms('l.expires_at')}, l.expired, l.paid_by::text, NULL
    FROM ${customers} JOIN lots l ON l.org_id = $1::integer AND l.customer_id = b.customer_id AND l.remaining > 0
  UNION ALL SELECT b.customer_id, 'k', m.key, 0, m.at, m.multiple, NULL, m.reward, m.campaign_id
    FROM ${customers} JOIN kept_multiples m ON m.org_id = $1::integer AND m.customer_id = b.customer_id`

const statements = {
  wallets: walletsOf(`${positions('$2::uuid[], $3::uuid[]')} (customer_id, card_id, n)`, namedCard),
  held: heldBy('unnest($2::uuid[]) AS b (customer_id)'),
}

/** A customer, or something that belongs to one. */
export type Owned = CustomerId | TransactionId | CouponId

/** The customer that `$2` belongs to. */
export const owner = {
  cus: '$2::uuid',
  txn: '(SELECT customer_id FROM transactions WHERE org_id = $1::integer AND id = $2::uuid)',
  cpn: '(SELECT customer_id FROM coupons WHERE org_id = $1::integer AND id = $2::uuid)',
}

const kindOf = (id: Owned) => id.slice(0, 3) as keyof typeof owner

/** The wallets of these customers, with the cards named beside them. */
export function walletsByKeys({ orgId }: Tenant, keys: readonly WalletKey[]): Question<LoadedWallets> {
  const customers = [...new Set(keys.map(({ customer }) => customer))]
  return {
    steps: [
      {
        name: 'load-wallets',
        text: statements.wallets,
        values: [
          String(orgId),
          uuids(keys.map(({ customer }) => customer)),
          uuids(keys.map(({ card }) => card)),
        ],
      },
      { name: 'load-held', text: statements.held, values: [String(orgId), uuids(customers)] },
    ],
    read: ([wallets, held]) => ({ wallets: readWallets(wallets!, held!), cards: readCards(wallets!) }),
  }
}

/** The wallet of a customer, or of the customer that a sale or a coupon belongs to. */
export function walletOf({ orgId }: Tenant, id: Owned): Question<LoadedWallet | undefined> {
  const kind = kindOf(id)
  const values = [String(orgId), uuidOf(id)]
  return {
    steps: [
      {
        name: `load-wallet-of-${kind}`,
        text: walletsOf(`(SELECT 1 AS n, ${owner[kind]} AS customer_id) b`),
        values,
      },
      { name: `load-held-of-${kind}`, text: heldBy(`(SELECT ${owner[kind]} AS customer_id) b`), values },
    ],
    read: ([wallets, held]) => readWallets(wallets!, held!).values().next().value,
  }
}

interface Parts {
  readonly balances: Balance[]
  readonly lots: Lot[]
  readonly keptMultiples: KeptMultiple[]
}

function readWallets(
  walletRows: readonly WireRow[],
  heldRows: readonly WireRow[],
): Map<CustomerId, LoadedWallet> {
  const parts = new Map<string, Parts>()
  for (const row of walletRows) parts.set(row[1]!, { balances: [], lots: [], keptMultiples: [] })
  for (const row of heldRows) {
    const own = parts.get(row[0]!)
    if (own) readHeld(row, own)
  }
  const wallets = new Map<CustomerId, LoadedWallet>()
  for (const [, id, status, version, count, lastActivityMs] of walletRows) {
    const customer = idFrom('cus', id!)
    if (wallets.has(customer)) continue
    const { balances, lots, keptMultiples } = parts.get(id!)!
    wallets.set(customer, {
      customer,
      status: Number(status),
      version: Number(version),
      held: {
        balances: balances.sort((a, b) => (a.key < b.key ? -1 : 1)),
        lots,
        keptMultiples,
        transactionCount: Number(count),
        lastActivityAt: toDate(lastActivityMs),
      },
    })
  }
  return wallets
}

function readHeld(row: WireRow, { balances, lots, keptMultiples }: Parts): void {
  const [, kind, name, version, amount, amountOrTime, missing, text, campaign] = row
  const key = name!
  if (kind === 'b') {
    const [value, total, shortfall] = [Number(amount), Number(amountOrTime), Number(missing)]
    balances.push({ key, version: Number(version), value, total, shortfall })
  } else if (kind === 'l') {
    lots.push({
      key,
      version: Number(version),
      remaining: Number(amount),
      expiresAt: toDate(amountOrTime)!,
      expired: Number(missing),
      paidBy: text ? JSON.parse(text) : undefined,
    })
  } else {
    const multiple = Number(amountOrTime)
    keptMultiples.push({
      key,
      campaign: idFrom('cmp', campaign!),
      at: Number(amount),
      multiple,
      reward: text!,
    })
  }
}

function readCards(rows: readonly WireRow[]): Map<number, LoadedCard> {
  const cards = new Map<number, LoadedCard>()
  for (const [n, , , , , , status, campaign, firstOpenedMs] of rows) {
    if (status && campaign)
      cards.set(Number(n) - 1, {
        status: Number(status),
        campaign: idFrom('cmp', campaign),
        firstOpenedAt: toDate(firstOpenedMs)!,
      })
  }
  return cards
}

export const toDate = (text: string | null | undefined): Date | undefined =>
  text === null || text === undefined ? undefined : new Date(Number(text))

// Coupons ---------------------------------------------------------------------------------------------------

/** A coupon and its customer. */
export interface OwnedCoupon extends Coupon {
  readonly customer: CustomerId
}

const couponColumns = `customer_id, id, status, reward, campaign_id, ${ms('expires_at')}`

const readCoupons = (rows: readonly WireRow[]): OwnedCoupon[] =>
  rows.map(([customer, id, status, reward, campaign, expires]) => ({
    customer: idFrom('cus', customer!),
    id: idFrom('cpn', id!),
    status: Number(status) as CouponStatus,
    reward: JSON.parse(reward!),
    campaign: idFrom('cmp', campaign!),
    expiresAt: toDate(expires),
  }))

export function couponsByIds({ orgId }: Tenant, ids: readonly CouponId[]): Question<OwnedCoupon[]> {
  return question(
    'load-coupons',
    `SELECT ${couponColumns} FROM coupons WHERE org_id = $1::integer AND id = ANY($2::uuid[])`,
    [String(orgId), uuids(ids)],
    readCoupons,
  )
}

/** The empty lots of a sale's customer that a return may have to do with, besides those of the wallet. */
export function emptyLotsOfBuyer({ orgId }: Tenant, sale: TransactionId): Question<Lot[]> {
  return question(
    'load-empty-lots',
    `SELECT key, version, ${ms('expires_at')}, expired, paid_by FROM lots
     WHERE org_id = $1::integer AND customer_id = ${owner.txn} AND remaining = 0 AND expired <> 0`,
    [String(orgId), uuidOf(sale)],
    (rows) =>
      rows.map(([key, version, expiresAt, expired, paidBy]) => ({
        key: key!,
        version: Number(version),
        remaining: 0,
        expiresAt: toDate(expiresAt)!,
        expired: Number(expired),
        paidBy: paidBy ? JSON.parse(paidBy) : undefined,
      })),
  )
}

/** A coupon that a return may change. */
export interface ReturnableCoupon extends OwnedCoupon {
  /** When it was redeemed, booked as expired, or revoked. */
  readonly endedAt: Date
}

/**
 * The coupons that a return of a sale may change: those redeemed on it, and those that thresholds granted to
 * its customer, except for used ones that stand for no multiple.
 */
export function couponsOfBuyer({ orgId }: Tenant, sale: TransactionId): Question<ReturnableCoupon[]> {
  return question(
    'load-returnable-coupons',
    `SELECT ${couponColumns}, balance_key, at, multiple, consumed, consumed_from, settled, revoked_by, ${ms('updated_at')}, ${ms('created_at')}
     FROM coupons WHERE org_id = $1::integer AND customer_id = ${owner.txn} AND (redeemed_by = $2::uuid
       OR balance_key IS NOT NULL AND (status <> ${couponStatus.redeemed} OR multiple IS NOT NULL))`,
    [String(orgId), uuidOf(sale)],
    (rows) =>
      readCoupons(rows).map((coupon, i) => {
        const [key, at, multiple, consumed, from, settled, revokedBy, updatedAt, createdAt] =
          rows[i]!.slice(6)
        return {
          ...coupon,
          isTakenBack: revokedBy !== null,
          endedAt: toDate(updatedAt)!,
          grantedAt: toDate(createdAt)!,
          origin: key
            ? {
                key,
                at: Number(at),
                multiple: multiple ? Number(multiple) : undefined,
                consumed: consumed
                  ? { units: Number(consumed), from: from ? JSON.parse(from) : [], settled: Number(settled) }
                  : undefined,
              }
            : undefined,
        }
      }),
  )
}

/** These customers' coupons that were neither used nor revoked nor booked as expired. */
export function activeCoupons({ orgId }: Tenant, customers: readonly CustomerId[]): Question<OwnedCoupon[]> {
  return question(
    'load-active-coupons',
    `SELECT ${couponColumns} FROM coupons WHERE org_id = $1::integer AND customer_id = ANY($2::uuid[]) AND status = ${couponStatus.active}`,
    [String(orgId), uuids(customers)],
    readCoupons,
  )
}

/** Coupons past their expiry that were not booked as expired yet. */
export function couponsPastExpiry(
  { orgId }: Tenant,
  customers: readonly CustomerId[],
  now: Date,
): Question<OwnedCoupon[]> {
  return question(
    'load-expired-coupons',
    `SELECT ${couponColumns} FROM coupons WHERE org_id = $1::integer AND customer_id = ANY($2::uuid[])
       AND status = ${couponStatus.active} AND expires_at <= $3::timestamptz`,
    [String(orgId), uuids(customers), now.toISOString()],
    readCoupons,
  )
}

// Locks -----------------------------------------------------------------------------------------------------

/**
 * Locks wallets, in sorted order, for changes that are decided under lock; what is asked after it in the same
 * message is read under the lock. The answer is those it has locked: all existing ones, or with `skipsBusy`
 * those that no other transaction holds.
 */
export function walletLocks(
  { orgId }: Tenant,
  customers: readonly CustomerId[],
  { skipsBusy }: { readonly skipsBusy: boolean },
): Question<Set<CustomerId>> {
  return question(
    skipsBusy ? 'lock-idle-wallets' : 'lock-wallets',
    `SELECT customer_id FROM wallets WHERE org_id = $1::integer AND customer_id = ANY($2::uuid[])
     ORDER BY customer_id FOR UPDATE${skipsBusy ? ' SKIP LOCKED' : ''}`,
    [String(orgId), uuids(customers)],
    (rows) => new Set(rows.map(([customer]) => idFrom('cus', customer!))),
  )
}

export async function lockWallets(
  tenant: Tenant,
  customers: readonly CustomerId[],
  options: { readonly skipsBusy: boolean },
): Promise<Set<CustomerId>> {
  return (await ask(tenant, { locked: walletLocks(tenant, customers, options) })).locked
}

/** Whether the wallet was locked: it exists, and with `skipsBusy` no other transaction holds it. */
export async function lockWallet(
  tenant: Tenant,
  id: Owned,
  { skipsBusy }: { readonly skipsBusy: boolean },
): Promise<boolean> {
  const rows = await many(
    tenant.db,
    `SELECT 1 FROM wallets WHERE org_id = $1 AND customer_id = ${owner[kindOf(id)]}
     FOR UPDATE${skipsBusy ? ' SKIP LOCKED' : ''}`,
    [tenant.orgId, uuidOf(id)],
  )
  return rows.length > 0
}
