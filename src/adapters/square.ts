/**
 * Orders of a Square seller. Events only name an order, which has to be fetched: those about orders are sent for orders
 * that were created through the API, so that the sales of a till are known by their payments, and what came back by its
 * refunds. Events, see https://developer.squareup.com/reference/square/webhooks; orders, see
 * https://developer.squareup.com/reference/square/objects/Order; signature, see
 * https://developer.squareup.com/docs/webhooks/step3validate.
 */
import { isBarcode } from '../domain/barcode.ts'
import { currencyDecimals } from '../domain/currency.ts'
import { fromMinor } from '../domain/money.ts'
import type { Adapter } from './adapter.ts'
import { omit, pick, type Shape } from './excerpt.ts'
import type { ItemMade, Made, ReturnMade, Who } from './made.ts'
import {
  addUp,
  amountOf,
  at,
  currencyOf,
  idOf,
  isAbsent,
  isObject,
  listOf,
  minorOf,
  momentOf,
  nothing,
  objectOf,
  optionalId,
  quantityOf,
  readOr,
  refuseDuplicates,
  textOf,
  withoutAbsent,
} from './read-payload.ts'
import { hmacOf, isBase64Of } from './signature.ts'

const orderEvent: Shape = { order_id: true, location_id: true, state: true, version: true }

const eventShape: Shape = {
  merchant_id: true,
  type: true,
  event_id: true,
  created_at: true,
  data: {
    type: true,
    id: true,
    object: {
      order_created: orderEvent,
      order_updated: orderEvent,
      order_fulfillment_updated: orderEvent,
      payment: { id: true, order_id: true, location_id: true, status: true },
      refund: { id: true, order_id: true, payment_id: true, location_id: true, status: true },
    },
  },
}

const money: Shape = { amount: true, currency: true }

const orderShape: Shape = {
  id: true,
  location_id: true,
  state: true,
  version: true,
  customer_id: true,
  created_at: true,
  closed_at: true,
  metadata: { loyalty_card: true },
  source: { name: true },
  tenders: { customer_id: true },
  line_items: {
    uid: true,
    name: true,
    variation_name: true,
    catalog_object_id: true,
    item_type: true,
    quantity: true,
    base_price_money: money,
    variation_total_price_money: money,
    gross_sales_money: money,
    total_discount_money: money,
  },
  returns: {
    uid: true,
    source_order_id: true,
    return_line_items: { uid: true, source_line_item_uid: true, name: true, quantity: true, item_type: true },
  },
}

const customerShape: Shape = {
  id: true,
  given_name: true,
  family_name: true,
  email_address: true,
  phone_number: true,
  reference_id: true,
}

export const square: Adapter = {
  isGenuine: ({ url, headers, body }, secret) =>
    secret !== '' && isBase64Of(headers['x-square-hmacsha256-signature'], hmacOf(secret, url, body)),

  identify: (_headers, payload) =>
    withoutAbsent({ eventId: optionalId(at(payload, 'event_id')), topic: textOf(at(payload, 'type')) }),

  excerpt: (payload) => pick(payload, eventShape),

  withoutBuyer: (excerpt) =>
    isObject(excerpt) && 'order' in excerpt
      ? { event: excerpt.event, order: omit(excerpt.order, 'customer_id', 'tenders', 'metadata') }
      : excerpt,
}

/** The order that an event is about; undefined if it is about something else. */
export function orderOf(payload: unknown): string | undefined {
  const object = at(payload, 'data', 'object')
  switch (at(payload, 'type')) {
    case 'order.created':
      return optionalId(at(object, 'order_created', 'order_id') ?? at(payload, 'data', 'id'))
    case 'order.updated':
      return optionalId(at(object, 'order_updated', 'order_id') ?? at(payload, 'data', 'id'))
    case 'order.fulfillment.updated':
      return optionalId(at(object, 'order_fulfillment_updated', 'order_id') ?? at(payload, 'data', 'id'))
    case 'payment.created':
    case 'payment.updated':
      return optionalId(at(object, 'payment', 'order_id'))
    case 'refund.created':
    case 'refund.updated':
      return optionalId(at(object, 'refund', 'order_id'))
    default:
      return undefined
  }
}

export const excerptOfOrder = (order: unknown): unknown => pick(unwrap(order, 'order'), orderShape)

export const excerptOfCustomer = (customer: unknown): unknown =>
  pick(unwrap(customer, 'customer'), customerShape)

/** The customer that an order names: itself, or with the payment of it. */
export function customerOf(order: unknown): string | undefined {
  const inner = unwrap(order, 'order')
  const tenders = at(inner, 'tenders')
  const payers = Array.isArray(tenders) ? tenders.map((tender) => optionalId(at(tender, 'customer_id'))) : []
  return optionalId(at(inner, 'customer_id')) ?? payers.find((payer) => payer !== undefined)
}

export function makeOfSquare(
  _topic: string | undefined,
  { order, customer }: { readonly order: unknown; readonly customer?: unknown },
): Made {
  return readOr(() => makeOfOrder(objectOf(unwrap(order, 'order'), ''), unwrap(customer, 'customer')))
}

/** The API wraps what was asked for: `{ "order": { … } }`. */
function unwrap(value: unknown, name: string): unknown {
  const inner = at(value, name)
  return isObject(inner) ? inner : value
}

/** An order is a sale, a return, or both: an exchange. */
function makeOfOrder(order: Record<string, unknown>, customer: unknown): Made {
  if (order.state === 'CANCELED') return nothing('canceled')
  if (order.state !== 'COMPLETED') return nothing('not_paid')
  const opaqueId = idOf(order.id, 'id')
  const returns = listOf(order.returns, 'returns')
  const sale = makeSale(order, opaqueId, customer)
  const made = makeReturns(returns, opaqueId)
  const [first, ...others] = made
  if (sale.type === 'sale') return made.length === 0 ? sale : { ...sale, also: made }
  if (first) return others.length === 0 ? first : { ...first, also: others }
  if (returns.length === 0) return sale
  const isLinked = returns.some((entry) => optionalId(at(entry, 'source_order_id')) !== undefined)
  return nothing(isLinked ? 'amount_refund' : 'unlinked_return')
}

function makeSale(order: Record<string, unknown>, opaqueId: string, customer: unknown): Made {
  const lines = listOf(order.line_items, 'line_items')
  const currency = currencyOfLines(lines)
  const items = lines.flatMap((line, i) => makeItem(line, i, currency))
  refuseDuplicates(
    items.map(({ id }) => id!),
    'line_items',
  )
  if (items.length === 0) return nothing('empty_order')
  const who = whoOf(order, customer)
  if (!who) return nothing('no_customer')
  return withoutAbsent({
    type: 'sale' as const,
    opaqueId,
    who,
    currency,
    branch: optionalId(order.location_id),
    occurredAt: momentOf(order.closed_at, 'closed_at') ?? momentOf(order.created_at, 'created_at'),
    items,
  })
}

/** Taxes, tips and service charges are no part of it: the gross sales are the price of the item and its extras. */
function makeItem(line: unknown, index: number, currency: string | undefined): ItemMade[] {
  const field = `line_items[${index}]`
  const item = objectOf(line, field)
  const quantity = quantityOf(item.quantity, `${field}.quantity`)
  if (quantity === 0) return []
  const [name, variation] = [textOf(item.name), textOf(item.variation_name)]
  const total = item.gross_sales_money ?? item.variation_total_price_money
  const discount = amountIn(item.total_discount_money, `${field}.total_discount_money`, currency)
  return [
    withoutAbsent({
      id: optionalId(item.uid) ?? String(index + 1),
      product: optionalId(item.catalog_object_id),
      name: textOf([name, variation === name ? undefined : variation].filter(Boolean).join(', ')),
      category: item.item_type === 'GIFT_CARD' ? 'gift_card' : undefined,
      quantity,
      ...(isAbsent(total)
        ? { unitPrice: amountIn(item.base_price_money, `${field}.base_price_money`, currency) }
        : { amount: amountIn(total, `${field}.gross_sales_money`, currency) }),
      discountAmount: discount === 0 ? undefined : discount,
    }),
  ]
}

function currencyOfLines(lines: readonly unknown[]): string | undefined {
  const currencies = lines.map((line) => {
    const total = at(line, 'gross_sales_money') ?? at(line, 'variation_total_price_money')
    return at(total ?? at(line, 'base_price_money'), 'currency')
  })
  return currencyOf(
    currencies.find((currency) => !isAbsent(currency)),
    'line_items',
  )
}

/** Minor units as a decimal of the currency, which has to be that of the order. */
function amountIn(value: unknown, field: string, currency: string | undefined): number | undefined {
  if (isAbsent(value)) return undefined
  const { amount, currency: own } = objectOf(value, field)
  if (isAbsent(amount)) return undefined
  const decimals = currencyDecimals(currency ?? '')
  // Money in another currency is not money of this order, and is refused like any other wrong amount.
  const minor = isAbsent(own) || own === currency ? minorOf(amount, field) : Number.NaN
  return amountOf(fromMinor(minor, decimals), field)
}

function whoOf(order: Record<string, unknown>, customer: unknown): Who | undefined {
  const reference = textOf(at(customer, 'reference_id'))
  const who = withoutAbsent({
    barcode:
      textOf(at(order.metadata, 'loyalty_card'), 64) ??
      (reference !== undefined && isBarcode(reference) ? reference : undefined),
    opaqueId: customerOf(order),
    email: textOf(at(customer, 'email_address')),
    phone: textOf(at(customer, 'phone_number')),
    fullname: textOf(
      [textOf(at(customer, 'given_name')), textOf(at(customer, 'family_name'))].filter(Boolean).join(' '),
    ),
  })
  const { fullname: _, ...ways } = who
  return Object.keys(ways).length === 0 ? undefined : who
}

/** There is one entry for each sale that something came back from. Without items, it is not known what came back. */
function makeReturns(returns: readonly unknown[], opaqueId: string): ReturnMade[] {
  const known = returns.flatMap((entry, i) => {
    const sale = optionalId(at(entry, 'source_order_id'))
    const items = addUp(itemsReturned(at(entry, 'return_line_items'), `returns[${i}].return_line_items`))
    return sale === undefined || items.length === 0
      ? []
      : [{ sale, items, uid: optionalId(at(entry, 'uid')) }]
  })
  return known.map(({ sale, items, uid }, i) => ({
    type: 'return',
    sale,
    opaqueId: i === 0 ? opaqueId : idOf(`${opaqueId}-${uid ?? i + 1}`, 'returns'),
    items,
  }))
}

function itemsReturned(value: unknown, field: string): { id: string; quantity: number }[] {
  return listOf(value, field).flatMap((line, i) => {
    const { source_line_item_uid: uid, quantity } = objectOf(line, `${field}[${i}]`)
    const id = optionalId(uid)
    return id === undefined ? [] : [{ id, quantity: quantityOf(quantity, `${field}[${i}].quantity`) }]
  })
}
