/**
 * Orders and refunds of a Shopify shop. Payloads are the REST resources `Order` and `Refund`, see
 * https://shopify.dev/docs/api/webhooks and https://shopify.dev/docs/api/admin-rest/latest/resources/order; headers
 * and signature, see https://shopify.dev/docs/apps/build/webhooks/delivery-structure.
 */
import { currencyDecimals } from '../domain/currency.ts'
import { fromMinor, toMinor } from '../domain/money.ts'
import type { Adapter } from './adapter.ts'
import { omit, pick, type Shape } from './excerpt.ts'
import type { ItemMade, Made, Who } from './made.ts'
import {
  addUp,
  amountOf,
  at,
  currencyOf,
  idOf,
  isAbsent,
  isObject,
  listOf,
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

const shopMoney: Shape = { shop_money: { amount: true, currency_code: true } }

const excerptShape: Shape = {
  id: true,
  name: true,
  test: true,
  currency: true,
  financial_status: true,
  cancelled_at: true,
  cancel_reason: true,
  created_at: true,
  processed_at: true,
  location_id: true,
  user_id: true,
  source_name: true,
  taxes_included: true,
  email: true,
  contact_email: true,
  phone: true,
  customer: { id: true, email: true, phone: true, first_name: true, last_name: true },
  note_attributes: { name: true, value: true },
  line_items: {
    id: true,
    product_id: true,
    variant_id: true,
    sku: true,
    title: true,
    name: true,
    quantity: true,
    current_quantity: true,
    price: true,
    price_set: shopMoney,
    gift_card: true,
    tip_payment_gateway: true,
    discount_allocations: { amount: true, amount_set: shopMoney },
  },
  // The rest is of refunds.
  order_id: true,
  refund_line_items: { line_item_id: true, quantity: true, restock_type: true, subtotal_set: shopMoney },
}

/** The note attribute in which a shop keeps the number of the loyalty card. */
const cardAttribute = 'loyalty_card'

export const shopify: Adapter = {
  isGenuine: ({ headers, body }, secret) =>
    secret !== '' && isBase64Of(headers['x-shopify-hmac-sha256'], hmacOf(secret, body)),

  /**
   * The ID of the delivery stays the same when it is retried. That of the event is shared by the topics it causes, so
   * that it identifies a message only together with its topic.
   */
  identify(headers) {
    const topic = textOf(headers['x-shopify-topic'])
    const event = optionalId(headers['x-shopify-event-id'])
    const eventId =
      optionalId(headers['x-shopify-webhook-id']) ?? (event && optionalId(`${topic ?? ''}:${event}`))
    return withoutAbsent({ eventId, topic })
  },

  excerpt: (payload) => withCardAttributeOnly(pick(payload, excerptShape)),

  withoutBuyer: (excerpt) =>
    omit(excerpt, 'customer', 'email', 'contact_email', 'phone', 'note_attributes', 'user_id'),
}

/** Other attributes of the cart are none of our business: shops ask for gift messages and delivery dates there. */
function withCardAttributeOnly(excerpt: unknown): unknown {
  if (!isObject(excerpt) || !Array.isArray(excerpt.note_attributes)) return excerpt
  return { ...excerpt, note_attributes: excerpt.note_attributes.filter(isCardAttribute) }
}

/** Without a topic, the shape of the payload tells what it is: somebody tries an example. */
export function makeOfShopify(topic: string | undefined, payload: unknown): Made {
  return readOr(() => {
    switch (topic ?? (at(payload, 'refund_line_items') === undefined ? 'orders/paid' : 'refunds/create')) {
      case 'orders/create':
      case 'orders/updated':
      case 'orders/paid':
        return makeSale(objectOf(payload, ''))
      case 'orders/cancelled':
        return makeCancellation(objectOf(payload, ''))
      case 'refunds/create':
        return makeRefund(objectOf(payload, ''))
      default:
        return nothing('other_topic')
    }
  })
}

function makeSale(order: Record<string, unknown>): Made {
  // The test notifications of the admin pages have IDs that no real order has, so this comes first.
  if (order.test === true) return nothing('test_order')
  if (!isAbsent(order.cancelled_at) || order.financial_status === 'voided') return nothing('canceled')
  if (order.financial_status === 'refunded') return nothing('refunded')
  if (order.financial_status !== 'paid' && order.financial_status !== 'partially_refunded') {
    return nothing('not_paid')
  }
  const opaqueId = idOf(order.id, 'id')
  const currency = currencyOf(order.currency, 'currency')
  const items = listOf(order.line_items, 'line_items').flatMap((line, i) =>
    makeItem(line, `line_items[${i}]`, currency),
  )
  refuseDuplicates(
    items.map(({ id }) => id!),
    'line_items',
  )
  if (items.length === 0) return nothing('empty_order')
  const who = whoOf(order)
  if (!who) return nothing('no_customer')
  const name = textOf(order.name)
  return withoutAbsent({
    type: 'sale' as const,
    opaqueId,
    who,
    currency,
    branch: optionalId(order.location_id),
    user: optionalId(order.user_id),
    occurredAt: momentOf(order.processed_at, 'processed_at') ?? momentOf(order.created_at, 'created_at'),
    items,
    metaData: name === undefined ? undefined : { order: name },
  })
}

/** What was removed from the order later (`current_quantity`) stays: the refund of it returns it. */
function makeItem(line: unknown, field: string, currency: string | undefined): ItemMade[] {
  const item = objectOf(line, field)
  const quantity = quantityOf(item.quantity, `${field}.quantity`)
  if (quantity === 0 || !isAbsent(item.tip_payment_gateway)) return []
  return [
    withoutAbsent({
      id: idOf(item.id, `${field}.id`),
      product: optionalId(item.sku) ?? optionalId(item.variant_id) ?? optionalId(item.product_id),
      name: textOf(item.name) ?? textOf(item.title),
      category: item.gift_card === true ? 'gift_card' : undefined,
      quantity,
      unitPrice: shopAmount(item.price_set, item.price, `${field}.price`),
      discountAmount: sumOfDiscounts(item.discount_allocations, field, currency),
    }),
  ]
}

/** Each discount of the order is allocated to its items, so that there is none besides these. */
function sumOfDiscounts(value: unknown, field: string, currency: string | undefined): number | undefined {
  const decimals = currencyDecimals(currency ?? '')
  const sum = listOf(value, `${field}.discount_allocations`).reduce<number>((total, allocation, i) => {
    const { amount_set: set, amount } = objectOf(allocation, `${field}.discount_allocations[${i}]`)
    return total + toMinor(shopAmount(set, amount, `${field}.discount_allocations[${i}].amount`), decimals)
  }, 0)
  return sum === 0 ? undefined : fromMinor(sum, decimals)
}

/** In the currency of the shop; the customer may have paid in another one. */
function shopAmount(set: unknown, plain: unknown, field: string): number {
  return amountOf(at(set, 'shop_money', 'amount') ?? plain, field)
}

function whoOf(order: Record<string, unknown>): Who | undefined {
  const customer = order.customer
  const card = Array.isArray(order.note_attributes) ? order.note_attributes.find(isCardAttribute) : undefined
  const who = withoutAbsent({
    barcode: textOf(at(card, 'value'), 64),
    opaqueId: optionalId(at(customer, 'id')),
    email: textOf(at(customer, 'email')) ?? textOf(order.email) ?? textOf(order.contact_email),
    phone: textOf(at(customer, 'phone')) ?? textOf(order.phone),
    fullname: textOf(
      [textOf(at(customer, 'first_name')), textOf(at(customer, 'last_name'))].filter(Boolean).join(' '),
    ),
  })
  const { fullname: _, ...ways } = who
  return Object.keys(ways).length === 0 ? undefined : who
}

function isCardAttribute(attribute: unknown): boolean {
  return textOf(at(attribute, 'name'))?.toLowerCase() === cardAttribute
}

/** An order that was never paid was never recorded, so that nothing has to be returned. */
function makeCancellation(order: Record<string, unknown>): Made {
  if (order.test === true) return nothing('test_order')
  if (!['paid', 'partially_refunded', 'refunded'].includes(String(order.financial_status))) {
    return nothing('not_paid')
  }
  const sale = idOf(order.id, 'id')
  return withoutAbsent({
    type: 'return' as const,
    sale,
    opaqueId: `cancel-${sale}`,
    currency: currencyOf(order.currency, 'currency'),
    reason: textOf(order.cancel_reason),
  })
}

function makeRefund(refund: Record<string, unknown>): Made {
  const lines = listOf(refund.refund_line_items, 'refund_line_items').map((line, i) => {
    const { line_item_id: id, quantity, subtotal_set: subtotal } = objectOf(line, `refund_line_items[${i}]`)
    return {
      id: idOf(id, `refund_line_items[${i}].line_item_id`),
      quantity: quantityOf(quantity, `refund_line_items[${i}].quantity`),
      currency: at(subtotal, 'shop_money', 'currency_code'),
    }
  })
  const items = addUp(lines)
  if (items.length === 0) return nothing('amount_refund')
  return withoutAbsent({
    type: 'return' as const,
    sale: idOf(refund.order_id, 'order_id'),
    opaqueId: idOf(refund.id, 'id'),
    currency: currencyOf(lines[0]!.currency, 'refund_line_items[0].subtotal_set'),
    items,
  })
}
