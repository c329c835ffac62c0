/** The sale on the screen, and everything a cashier can do to it. */
import type { Schemas } from '../../api/client.ts'

export type Customer = Schemas['CustomerWithCoupons']
export type Card = Schemas['Card']
export type Coupon = Schemas['Coupon']
export type Product = Schemas['TillProduct']

export interface Line {
  readonly id: string
  readonly product?: string
  readonly name: string
  readonly category?: string
  readonly unitPrice: number
  readonly quantity: number
  /** Ids of the coupons redeemed for the line. */
  readonly coupons: readonly string[]
}

export interface Sale {
  /** A different number for each sale, so that results for the previous sale are never shown for this one. */
  readonly number: number
  readonly customer?: Customer
  readonly card?: Card
  /** Ids of the customer and the card of a restored basket, until they are loaded. */
  readonly awaited?: { readonly customer: string; readonly card?: string }
  /** The card that was scanned without a network: the service finds its customer later. */
  readonly barcode?: string
  /** The receipt under which it was paid already, if the service refused it later. */
  readonly paidAs?: string
  /** Restored after a reload and not changed since. */
  readonly isKept?: boolean
  readonly lines: readonly Line[]
  /** Ids of the coupons redeemed for the whole order. */
  readonly coupons: readonly string[]
  readonly pointsToSpend: number
  readonly lastLine: number
}

export type SaleEvent =
  | { type: 'customer'; customer: Customer; card?: Card }
  | { type: 'customer again'; customer: Customer }
  | { type: 'card'; card: Card }
  | { type: 'barcode'; barcode: string }
  | { type: 'no customer' }
  | { type: 'add'; line: Omit<Line, 'id' | 'quantity' | 'coupons'> }
  | { type: 'quantity'; id: string; quantity: number }
  | { type: 'coupon'; coupon: Coupon }
  | { type: 'no coupon'; id: string }
  | { type: 'points'; points: number }
  | { type: 'next' }
  | { type: 'take back'; sale: Sale }

export const emptySale: Sale = { number: 1, lines: [], coupons: [], pointsToSpend: 0, lastLine: 0 }

export const cardStatus = { active: 1, blocked: 2 } as const
export const isActive = ({ status }: { readonly status: number }): boolean => status === cardStatus.active

export function reduceSale(sale: Sale, event: SaleEvent): Sale {
  const next = apply(sale, event)
  if (event.type === 'customer again' || event.type === 'take back') return next
  // A cashier who continues has seen the notice about the restored basket.
  return { ...next, isKept: false }
}

function apply(sale: Sale, event: SaleEvent): Sale {
  switch (event.type) {
    case 'customer':
      return { ...withoutClaims(sale), customer: event.customer, card: event.card }
    case 'customer again':
      return takeAwaited(sale, event.customer)
    case 'card':
      return { ...sale, card: event.card, pointsToSpend: 0 }
    case 'barcode':
      return { ...withoutClaims(sale), customer: undefined, card: undefined, barcode: event.barcode }
    case 'no customer':
      return { ...withoutClaims(sale), customer: undefined, card: undefined }
    case 'add':
      return addLine(sale, event.line)
    case 'quantity':
      return changeQuantity(sale, event.id, event.quantity)
    case 'coupon':
      return takeCoupon(sale, event.coupon)
    case 'no coupon':
      return {
        ...sale,
        coupons: sale.coupons.filter((id) => id !== event.id),
        lines: sale.lines.map((line) => ({ ...line, coupons: line.coupons.filter((id) => id !== event.id) })),
      }
    case 'points':
      return { ...sale, pointsToSpend: event.points }
    case 'next':
      return { ...emptySale, number: sale.number + 1 }
    case 'take back':
      return { ...event.sale, number: sale.number + 1 }
  }
}

/** Changes the customer: the items stay, but coupons and points belonged to the previous customer. */
function withoutClaims(sale: Sale): Sale {
  return {
    ...sale,
    awaited: undefined,
    barcode: undefined,
    coupons: [],
    pointsToSpend: 0,
    lines: sale.lines.map((line) => ({ ...line, coupons: [] })),
  }
}

/** Sets the customer of a restored basket, for whom its coupons and points were selected. */
function takeAwaited(sale: Sale, customer: Customer): Sale {
  const { awaited, pointsToSpend } = sale
  if (awaited?.customer !== customer.id) return sale
  const card = chooseCard(customer, awaited.card)
  const isSameCard = card?.id === awaited.card
  return { ...sale, awaited: undefined, customer, card, pointsToSpend: isSameCard ? pointsToSpend : 0 }
}

/** The wanted card, or else the first one; the service lists those that can be used first. */
export function chooseCard({ cards }: Customer, wanted: string | undefined): Card | undefined {
  const held = cards.filter(({ status }) => status <= cardStatus.blocked)
  return held.find(({ id }) => id === wanted) ?? held[0]
}

function addLine(sale: Sale, added: Omit<Line, 'id' | 'quantity' | 'coupons'>): Sale {
  const same = sale.lines.find(
    (line) =>
      line.product !== undefined && line.product === added.product && line.unitPrice === added.unitPrice,
  )
  if (same) return changeQuantity(sale, same.id, same.quantity + 1)
  const lastLine = sale.lastLine + 1
  const line = { ...added, id: String(lastLine), quantity: 1, coupons: [] }
  return { ...sale, lastLine, lines: [...sale.lines, line] }
}

function changeQuantity(sale: Sale, id: string, quantity: number): Sale {
  if (quantity <= 0) {
    const lines = sale.lines.filter((line) => line.id !== id)
    return { ...sale, lines, paidAs: lines.length === 0 ? undefined : sale.paidAs }
  }
  return { ...sale, lines: sale.lines.map((line) => (line.id === id ? { ...line, quantity } : line)) }
}

/**
 * A free product is redeemed on a line with that product, any other coupon on the order. The service decides
 * whether it may be used: without a matching line the coupon goes on the order too, and the refusal says why.
 */
function takeCoupon(sale: Sale, { id, reward }: Coupon): Sale {
  if (id === undefined || couponsOf(sale).includes(id)) return sale
  const fitting = sale.lines.find(
    ({ product, quantity, coupons }) =>
      product !== undefined && reward.products?.includes(product) && coupons.length < quantity,
  )
  if (!fitting) return { ...sale, coupons: [...sale.coupons, id] }
  return {
    ...sale,
    lines: sale.lines.map((line) => (line === fitting ? { ...line, coupons: [...line.coupons, id] } : line)),
  }
}

export function couponsOf(sale: Sale): string[] {
  return [...sale.lines.flatMap(({ coupons }) => coupons), ...sale.coupons]
}

export const isEmpty = ({ customer, awaited, barcode, lines, coupons }: Sale): boolean =>
  !customer && !awaited && !barcode && lines.length === 0 && coupons.length === 0

export const hasClaims = (sale: Sale): boolean => couponsOf(sale).length > 0 || sale.pointsToSpend > 0

/** Whose sale it is, as far as it is known; undefined if it cannot be charged. */
export function buyerOf(sale: Sale): { customer: string; card: string } | { barcode: string } | undefined {
  const { customer, card, awaited, barcode } = sale
  if (customer) {
    return isActive(customer) && card && isActive(card) ? { customer: customer.id, card: card.id } : undefined
  }
  if (awaited)
    return awaited.card === undefined ? undefined : { customer: awaited.customer, card: awaited.card }
  return barcode === undefined ? undefined : { barcode }
}

/** Without the service, the id of a customer who cannot be read is enough. */
export const hasBuyer = ({ customer, awaited, barcode }: Sale, isReached: boolean) =>
  customer !== undefined || barcode !== undefined || (awaited !== undefined && !isReached)
