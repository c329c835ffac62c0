/**
 * Merges three lists into one timeline: transactions with their returns, ledger entries and coupons. Each
 * list is paginated, so nothing is shown that is older than the last loaded row of a list with more pages:
 * rows that are not loaded yet could belong in between.
 */
import type { Schemas } from '../../api/client.ts'
import type { Customer } from './customer.ts'

type Transaction = Schemas['Transaction']
type Entry = Schemas['LedgerEntry']
type Coupon = Schemas['Coupon']

export type TimelineEvent = { readonly id: string; readonly at: string } & (
  | { readonly kind: 'visit'; readonly sale: Transaction }
  | { readonly kind: 'return'; readonly transaction: string; readonly done: Schemas['SaleReturn'] }
  | { readonly kind: 'returnBooked'; readonly transaction: string; readonly entries: readonly Entry[] }
  | { readonly kind: 'adjust' | 'expire' | 'opening'; readonly entry: Entry }
  | { readonly kind: 'issued' | 'couponExpired' | 'couponRevoked'; readonly coupon: Coupon }
  | { readonly kind: 'card'; readonly card: Schemas['Card'] }
  | { readonly kind: 'registered' }
)

interface Loaded<T> {
  readonly rows: readonly T[]
  readonly hasMore: boolean
}

interface Sources {
  readonly customer: Customer
  readonly transactions: Loaded<Transaction>
  readonly ledger: Loaded<Entry>
  readonly coupons: readonly Coupon[]
}

const expiredStatus = 4
const revokedStatus = 5

/** The timeline, newest first. */
export function composeTimeline(sources: Sources): TimelineEvent[] {
  const horizon = [horizonOf(sources.transactions), horizonOf(sources.ledger)].sort().at(-1)!
  return [
    ...saleEvents(sources.transactions.rows),
    ...ledgerEvents(sources.ledger.rows, sources.transactions.rows),
    ...couponEvents(sources.coupons),
    ...customerEvents(sources.customer),
  ]
    .filter(({ at }) => at >= horizon)
    .sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
}

/** The lists to load next: those that limit how far back the timeline goes. */
export function heldBackBy({ transactions, ledger }: Pick<Sources, 'transactions' | 'ledger'>) {
  const [sales, entries] = [horizonOf(transactions), horizonOf(ledger)]
  return {
    transactions: transactions.hasMore && sales >= entries,
    ledger: ledger.hasMore && entries >= sales,
  }
}

/** The time back to which a list is complete. Timestamps of the service compare as text. */
function horizonOf({ rows, hasMore }: Loaded<{ readonly createdAt: string }>): string {
  return hasMore ? (rows.at(-1)?.createdAt ?? '') : ''
}

function saleEvents(sales: readonly Transaction[]): TimelineEvent[] {
  return sales.flatMap((sale) => [
    { kind: 'visit', id: sale.id, at: sale.createdAt, sale } as const,
    ...sale.returns.map(
      (done) => ({ kind: 'return', id: done.id, at: done.createdAt, transaction: sale.id, done }) as const,
    ),
  ])
}

function ledgerEvents(entries: readonly Entry[], sales: readonly Transaction[]): TimelineEvent[] {
  const known = new Set(sales.map(({ id }) => id))
  const returns = new Map<string, Entry[]>()
  const moved: TimelineEvent[] = []
  for (const entry of entries) {
    const { kind, key, version, transaction, createdAt: at } = entry
    if (kind === 'adjust' || kind === 'expire' || kind === 'opening')
      moved.push({ kind, id: `${key} ${version}`, at, entry })
    // Items may be returned long after a sale whose page is not loaded yet.
    if (kind === 'return' && transaction && !known.has(transaction)) {
      const id = `${transaction} ${at}`
      returns.set(id, [...(returns.get(id) ?? []), entry])
    }
  }
  return [
    ...moved,
    ...[...returns].map(([id, entries]) => {
      const { transaction = '', createdAt: at } = entries[0]!
      return { kind: 'returnBooked', id, at, transaction, entries } as const
    }),
  ]
}

/** Coupons that a sale grants and redeems are part of the sale's entry. */
function couponEvents(coupons: readonly Coupon[]): TimelineEvent[] {
  return coupons.flatMap((coupon): TimelineEvent[] => {
    const { id = '', createdAt, grantedBy, status, expiresAt, endedAt } = coupon
    return [
      ...(createdAt && !grantedBy ? [{ kind: 'issued', id, at: createdAt, coupon } as const] : []),
      ...(status === expiredStatus && expiresAt
        ? [{ kind: 'couponExpired', id: `${id} expired`, at: expiresAt, coupon } as const]
        : []),
      ...(status === revokedStatus && endedAt
        ? [{ kind: 'couponRevoked', id: `${id} revoked`, at: endedAt, coupon } as const]
        : []),
    ]
  })
}

function customerEvents({ id, createdAt, cards }: Customer): TimelineEvent[] {
  return [
    ...cards.map((card) => ({ kind: 'card', id: card.id, at: card.createdAt, card }) as const),
    { kind: 'registered', id, at: createdAt },
  ]
}
