/**
 * Decides which old sales of a customer can be archived. The entries of a balance leave from the oldest on
 * and without a gap, so that the rest still proves itself from what they have left: a sale that stays keeps
 * every later one that moved a balance. Nothing is read or written here.
 */
import type { Chosen } from '../../store/wallets/archive.ts'
import type { ArchivedBalance, Histories, OldEntry, OldSale } from '../../store/wallets/old-sales.ts'

/** Why a sale from before the date stays. */
export const reasonsToStay = {
  returnedLately: 'returned after the date',
  openPoints: 'points collected by it have not been used and have not expired',
  usableCoupon: 'a coupon granted by it can still be used',
  recentTotal: 'a coupon granted for a total that it counts toward has not expired yet',
  afterAnother: 'after a sale of the same customer that stays',
  inUse: 'the customer was busy at that moment; run the command again',
} as const

export type ReasonToStay = keyof typeof reasonsToStay

export type Staying = Record<ReasonToStay, number>

export function noneStaying(): Staying {
  const reasons = Object.keys(reasonsToStay) as ReasonToStay[]
  return Object.fromEntries(reasons.map((reason) => [reason, 0])) as Staying
}

export interface Choice extends Chosen {
  readonly staying: Readonly<Staying>
  /** Customers with more sales that can be archived than fit into one step. */
  readonly isCut: boolean
}

interface History {
  readonly isErased: boolean
  readonly archived: Map<string, ArchivedBalance>
  readonly sales: OldSale[]
  readonly entries: OldEntry[]
  readonly aged: Map<string, Date>
}

/** `most` is the number of sales of one customer. */
export function chooseSales(histories: Histories, most: number): Choice {
  const staying = noneStaying()
  const sums = new Map<string, { kind: string; key: string; amount: number }>()
  const wallets: Choice['wallets'][number][] = []
  const sales: string[] = []
  const balances: ArchivedBalance[] = []
  let isCut = false
  const byCustomer = split(histories)
  for (const wallet of histories.wallets) {
    const history = byCustomer.get(wallet.customer)!
    const own = chooseOf(history, most)
    isCut ||= own.isCut
    for (const reason of own.staying) staying[reason]++
    if (own.sales.length === 0) continue
    wallets.push(wallet)
    sales.push(...own.sales.map(({ id }) => id))
    const leaving = history.entries.filter(({ walletVersion }) => walletVersion <= own.upTo)
    balances.push(...carry(wallet.customer, history, leaving))
    for (const { kind, key, amount } of leaving) {
      const name = `${kind} ${key}`
      sums.set(name, { kind, key, amount: amount + (sums.get(name)?.amount ?? 0) })
    }
  }
  return { wallets, sales: sales.sort(), balances, sums: [...sums.values()], staying, isCut }
}

function split({ wallets, archived, sales, entries, aged }: Histories): Map<string, History> {
  const byCustomer = new Map<string, History>()
  for (const { customer, isErased } of wallets)
    byCustomer.set(customer, { isErased, archived: new Map(), sales: [], entries: [], aged: new Map() })
  for (const balance of archived) byCustomer.get(balance.customer)?.archived.set(balance.key, balance)
  for (const sale of sales) byCustomer.get(sale.customer)?.sales.push(sale)
  for (const entry of entries) byCustomer.get(entry.customer)?.entries.push(entry)
  for (const { customer, key, until } of aged) {
    const own = byCustomer.get(customer)?.aged
    const known = own?.get(key)
    if (known === undefined || until < known) own?.set(key, until)
  }
  return byCustomer
}

interface Span {
  readonly sale: OldSale
  /** The versions of the wallet that its first and its last entry belong to. */
  readonly first: number
  readonly last: number
  readonly reason: ReasonToStay | undefined
}

function chooseOf(history: History, most: number) {
  const { spans, upTo } = spansOf(history)
  const all = leavingUpTo(spans, reach(spans, upTo))
  // A sale without entries can leave at any time, and is counted first.
  const next = all.sales.toSorted(byFirst)[most]
  const part = next && leavingUpTo(spans, reach(spans, Math.max(0, next.first - 1)))
  const isCut = part !== undefined && part.sales.length > 0
  const { sales, end } = isCut ? { ...part, sales: part.sales.slice(0, most) } : all
  const left = new Set(sales)
  return {
    sales: sales.map(({ sale }) => sale),
    upTo: end,
    isCut,
    staying: isCut
      ? []
      : spans.filter((span) => !left.has(span)).map(({ reason = 'afterAnother' }) => reason),
  }
}

function leavingUpTo(spans: readonly Span[], end: number) {
  return { end, sales: spans.filter(({ reason, last }) => reason === undefined && last <= end) }
}

const byFirst = (a: Span, b: Span) => a.first - b.first

/** The newest version of the wallet such that every sale with an older entry can leave whole. */
function reach(spans: readonly Span[], upTo: number): number {
  let end = upTo
  // From the newest on, since a sale that stays only holds back those from before it.
  for (const { first, last, reason } of spans.toSorted(byFirst).reverse()) {
    if (first > 0 && first <= end && (reason !== undefined || last > end)) end = first - 1
  }
  return end
}

/** The sales with the span of their entries, and the version from which on entries stay for other reasons. */
function spansOf(history: History): { spans: Span[]; upTo: number } {
  const { isErased, aged } = history
  const sales = new Map(history.sales.map((sale) => [sale.id, sale]))
  const spans = new Map<string, { first: number; last: number; reason?: ReasonToStay }>()
  let upTo = firstGap(history) - 1
  for (const { walletVersion, sale: id, hasOpenLot, key } of history.entries) {
    const sale = id === undefined || id === null ? undefined : sales.get(id)
    // What an erased customer has left can never be used.
    const isOpen = hasOpenLot && !isErased
    if (!sale) {
      // Its sale is not old enough, by a clock that was wrong then.
      if (isOpen || id) upTo = Math.min(upTo, walletVersion - 1)
      continue
    }
    const span = spans.get(sale.id) ?? { first: walletVersion, last: walletVersion }
    const until = isErased ? undefined : aged.get(key)
    const isRecent = until !== undefined && sale.createdAt > until
    spans.set(sale.id, {
      first: Math.min(span.first, walletVersion),
      last: Math.max(span.last, walletVersion),
      reason: isOpen ? 'openPoints' : (span.reason ?? (isRecent ? 'recentTotal' : undefined)),
    })
  }
  return {
    upTo,
    spans: history.sales.map((sale) => {
      const { first = 0, last = 0, reason } = spans.get(sale.id) ?? {}
      return { sale, first, last, reason: ownReason(sale, isErased) ?? reason }
    }),
  }
}

function ownReason(sale: OldSale, isErased: boolean): ReasonToStay | undefined {
  if (sale.isReturnedLately) return 'returnedLately'
  return sale.hasUsableCoupon && !isErased ? 'usableCoupon' : undefined
}

/** The version of the wallet at which a balance misses an entry, which is not from before the date then. */
function firstGap({ entries, archived }: History): number {
  const next = new Map(
    [...archived].map(([key, { version, value }]) => [key, { version: version + 1, value }]),
  )
  let gap = Number.POSITIVE_INFINITY
  for (const { customer, key, version, walletVersion, amount, valueAfter } of entries) {
    const expected = next.get(key) ?? { version: 1, value: 0 }
    if (version !== expected.version) {
      gap = Math.min(gap, walletVersion)
      continue
    }
    if (expected.value + amount !== valueAfter)
      throw new Error(
        `Entry ${version} of balance "${key}" of customer ${customer} does not carry the balance after it. Nothing more was archived. Run "loyalty-wallet verify-ledger".`,
      )
    next.set(key, { version: version + 1, value: valueAfter })
  }
  return gap
}

/** The balances as these entries leave them. */
function carry(
  customer: string,
  { archived, sales }: History,
  leaving: readonly OldEntry[],
): ArchivedBalance[] {
  const soldAt = new Map(sales.map(({ id, createdAt }) => [id, createdAt]))
  const after = new Map<string, ArchivedBalance>()
  for (const { key, version, valueAfter, totalAfter, shortfall, sale } of leaving) {
    const before = after.get(key) ??
      archived.get(key) ?? { customer, key, version: 0, value: 0, total: 0, shortfall: 0, sold: 0 }
    const at = sale === undefined ? undefined : soldAt.get(sale)
    const { soldUntil } = before
    after.set(key, {
      customer,
      key,
      version,
      value: valueAfter,
      total: totalAfter,
      shortfall: before.shortfall + shortfall,
      sold: before.sold + (at ? totalAfter - before.total : 0),
      soldUntil: at && (!soldUntil || at > soldUntil) ? at : soldUntil,
    })
  }
  return [...after.values()]
}
