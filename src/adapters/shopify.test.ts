import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { shopifyOrder, shopifyRefund } from './shopify.fixture.ts'
import { makeOfShopify, shopify } from './shopify.ts'

const topics = ['orders/create', 'orders/updated', 'orders/paid', 'orders/cancelled', 'refunds/create']
const made = (changes: object, topic = 'orders/paid') => makeOfShopify(topic, { ...shopifyOrder, ...changes })
const line = shopifyOrder.line_items[0]!
const withLine = (changes: object) => made({ line_items: [{ ...line, ...changes }] })

describe('a paid order', () => {
  const sale = {
    type: 'sale',
    opaqueId: '5678901234567',
    who: {
      barcode: '2000000000000014',
      opaqueId: '207119551',
      email: 'ada@example.com',
      phone: '+4915112345678',
      fullname: 'Ada Lovelace',
    },
    currency: 'EUR',
    branch: '48752903',
    user: '799407056',
    occurredAt: '2026-03-14T10:26:51+01:00',
    items: [
      {
        id: '866550311766439',
        product: 'COFFEE-250',
        name: 'House Blend - 250 g',
        quantity: 2,
        unitPrice: 9,
        discountAmount: 1.5,
      },
      {
        id: '141249953214522',
        product: '808950811',
        name: 'Mug',
        quantity: 1,
        unitPrice: 8,
        discountAmount: 1,
      },
    ],
    metaData: { order: '#1001' },
  }

  test('is a sale in the currency of the shop, without tips, shipping and taxes', () => {
    for (const topic of ['orders/create', 'orders/updated', 'orders/paid', undefined]) {
      expect(makeOfShopify(topic, shopifyOrder)).toEqual(sale)
    }
  })

  test('makes the same sale of what is stored of it', () => {
    expect(makeOfShopify('orders/paid', shopify.excerpt(shopifyOrder))).toEqual(sale)
  })

  test('makes the same sale after a part was refunded', () => {
    expect(made({ financial_status: 'partially_refunded', refunds: [shopifyRefund] })).toEqual(sale)
  })

  test('uses plain amounts if there are no sets of money', () => {
    expect(
      withLine({ price_set: undefined, price: '9.10', discount_allocations: [{ amount: '0.1' }] }),
    ).toMatchObject({ items: [{ unitPrice: 9.1, discountAmount: 0.1 }] })
  })

  test('adds discounts up without errors of binary fractions', () => {
    const allocations = ['0.10', '0.20'].map((amount) => ({ amount }))
    expect(withLine({ discount_allocations: allocations })).toMatchObject({
      items: [{ discountAmount: 0.3 }],
    })
  })

  test('says which items are gift cards, so that rules can leave them out', () => {
    expect(withLine({ gift_card: true })).toMatchObject({ items: [{ category: 'gift_card' }] })
  })

  test('finds the product by its SKU, its variant or itself', () => {
    expect(withLine({ sku: null, variant_id: null })).toMatchObject({ items: [{ product: '632910392' }] })
    expect(withLine({ sku: null, variant_id: null, product_id: null })).not.toHaveProperty('items.0.product')
  })

  test('has no branch and no user if it was made online', () => {
    const online = made({ location_id: null, user_id: null })
    expect(online).not.toHaveProperty('branch')
    expect(online).not.toHaveProperty('user')
  })
})

test.each([
  ['a pending payment', { financial_status: 'pending' }, 'not_paid'],
  ['an authorized payment', { financial_status: 'authorized' }, 'not_paid'],
  ['a part of the payment', { financial_status: 'partially_paid' }, 'not_paid'],
  ['no status', { financial_status: undefined }, 'not_paid'],
  ['a void payment', { financial_status: 'voided' }, 'canceled'],
  ['a cancellation', { cancelled_at: '2026-03-14T10:30:00+01:00' }, 'canceled'],
  ['all money refunded', { financial_status: 'refunded' }, 'refunded'],
  ['a test gateway', { test: true }, 'test_order'],
  ['the ID of a test notification', { test: true, id: 820982911946154508n }, 'test_order'],
  ['no items', { line_items: [] }, 'empty_order'],
  ['tips only', { line_items: [shopifyOrder.line_items[2]] }, 'empty_order'],
  [
    'nobody',
    { customer: null, email: '', contact_email: null, phone: null, note_attributes: [] },
    'no_customer',
  ],
  [
    'a name only',
    { customer: { first_name: 'Ada' }, email: null, contact_email: null, phone: null, note_attributes: [] },
    'no_customer',
  ],
])('an order with %s is not recorded', (_, changes, reason) => {
  expect(made(changes)).toEqual({ type: 'nothing', reason })
})

test('a topic about something else is ignored', () => {
  expect(makeOfShopify('products/update', { id: 1 })).toEqual({ type: 'nothing', reason: 'other_topic' })
})

test.each([
  ['an ID that has lost digits', { id: Number('820982911946154508') }, 'id'],
  ['no ID', { id: null }, 'id'],
  ['an ID that is an object', { id: { toString: 'x' } }, 'id'],
  ['items that are no list', { line_items: { 0: line } }, 'line_items'],
  ['too many items', { line_items: Array(501).fill(line) }, 'line_items'],
  ['two items with one ID', { line_items: [line, line] }, 'line_items'],
  ['an item that is a text', { line_items: ['coffee'] }, 'line_items[0]'],
  ['an item without an ID', { line_items: [{ ...line, id: undefined }] }, 'line_items[0].id'],
  ['a negative quantity', { line_items: [{ ...line, quantity: -1 }] }, 'line_items[0].quantity'],
  ['a quantity that is a word', { line_items: [{ ...line, quantity: 'two' }] }, 'line_items[0].quantity'],
  ['a quantity beyond the contract', { line_items: [{ ...line, quantity: 1e7 }] }, 'line_items[0].quantity'],
  ['a negative price', { line_items: [{ ...line, price_set: null, price: '-1.00' }] }, 'line_items[0].price'],
  ['no price', { line_items: [{ ...line, price_set: null, price: null }] }, 'line_items[0].price'],
  ['a price in words', { line_items: [{ ...line, price_set: null, price: '1,50' }] }, 'line_items[0].price'],
  ['a huge price', { line_items: [{ ...line, price_set: null, price: 1e300 }] }, 'line_items[0].price'],
  ['a currency that is none', { currency: 'euro' }, 'currency'],
  ['a time without a zone', { processed_at: '2026-03-14 10:26:51' }, 'processed_at'],
])('an order with %s is refused, and the field is named', (_, changes, field) => {
  expect(made(changes)).toEqual({ type: 'nothing', reason: 'unreadable', field })
})

describe('what comes back', () => {
  test('a refund returns its items', () => {
    const refund = {
      type: 'return',
      sale: '5678901234567',
      opaqueId: '890088186047',
      currency: 'EUR',
      items: [{ id: '866550311766439', quantity: 1 }],
    }
    expect(makeOfShopify('refunds/create', shopifyRefund)).toEqual(refund)
    expect(makeOfShopify('refunds/create', shopify.excerpt(shopifyRefund))).toEqual(refund)
    expect(makeOfShopify(undefined, shopifyRefund)).toEqual(refund)
  })

  test('a refund that has an item twice returns the sum', () => {
    const [item] = shopifyRefund.refund_line_items
    const refund = { ...shopifyRefund, refund_line_items: [item, { ...item, restock_type: 'no_restock' }] }
    expect(makeOfShopify('refunds/create', refund)).toMatchObject({ items: [{ quantity: 2 }] })
  })

  test('a refund of money alone returns nothing', () => {
    expect(makeOfShopify('refunds/create', { ...shopifyRefund, refund_line_items: [] })).toEqual({
      type: 'nothing',
      reason: 'amount_refund',
    })
  })

  test('a canceled order that was paid is returned as a whole', () => {
    const canceled = {
      financial_status: 'refunded',
      cancelled_at: '2026-03-14T11:00:00Z',
      cancel_reason: 'customer',
    }
    expect(made(canceled, 'orders/cancelled')).toEqual({
      type: 'return',
      sale: '5678901234567',
      opaqueId: 'cancel-5678901234567',
      currency: 'EUR',
      reason: 'customer',
    })
    expect(made({ ...canceled, financial_status: 'voided' }, 'orders/cancelled')).toEqual({
      type: 'nothing',
      reason: 'not_paid',
    })
  })
})

test('what is stored has no addresses, notes, payment or device data', () => {
  const text = JSON.stringify([shopify.excerpt(shopifyOrder), shopify.excerpt(shopifyRefund)])
  expect(text).not.toMatch(/Main Street|10115|203\.0\.113|Mozilla|4242|ring twice|birthday|nuts|called|b1946/)
})

describe('requests', () => {
  const secret = 'hush'
  const body = Buffer.from(JSON.stringify(shopifyOrder))
  const signature = createHmac('sha256', secret).update(body).digest('base64')
  const isGenuine = (header: string | undefined, key = secret, content = body) =>
    shopify.isGenuine({ url: '', headers: { 'x-shopify-hmac-sha256': header }, body: content }, key, {})

  test('are genuine if the signature is that of the body', () => {
    expect(isGenuine(signature)).toBe(true)
    expect(isGenuine(signature, 'other')).toBe(false)
    expect(isGenuine(signature, secret, Buffer.concat([body, Buffer.from(' ')]))).toBe(false)
    for (const wrong of [undefined, '', 'x', signature.slice(0, -1), `${signature}=`]) {
      expect(isGenuine(wrong)).toBe(false)
    }
  })

  test('are never genuine without a secret', () => {
    expect(isGenuine(createHmac('sha256', '').update(body).digest('base64'), '')).toBe(false)
  })

  test('are identified by their delivery, or by their event and topic', () => {
    const headers = {
      'x-shopify-topic': 'orders/paid',
      'x-shopify-event-id': 'e1',
      'x-shopify-webhook-id': 'w1',
    }
    expect(shopify.identify(headers, {})).toEqual({ eventId: 'w1', topic: 'orders/paid' })
    expect(shopify.identify({ ...headers, 'x-shopify-webhook-id': undefined }, {})).toEqual({
      eventId: 'orders/paid:e1',
      topic: 'orders/paid',
    })
    expect(shopify.identify({}, null)).toEqual({})
  })
})

test('any JSON makes something or nothing, and never an error', () => {
  fc.assert(
    fc.property(fc.constantFrom(...topics, undefined), fc.jsonValue(), (topic, payload) => {
      makeOfShopify(topic, payload)
      makeOfShopify(topic, shopify.excerpt(payload))
      makeOfShopify(topic, { ...shopifyOrder, ...Object(payload), __proto__: null })
      shopify.identify({}, payload)
    }),
    { numRuns: 50 },
  )
  const hostile = JSON.parse(
    '{"__proto__":{"id":1},"constructor":{"prototype":{}},"line_items":[{"__proto__":[]}]}',
  )
  expect(makeOfShopify('orders/paid', hostile)).toEqual({ type: 'nothing', reason: 'not_paid' })
})

test('an order in which any value is anything else makes something or nothing', () => {
  const paths = pathsOf(shopifyOrder)
  fc.assert(
    fc.property(fc.constantFrom(...paths), fc.jsonValue(), (path, value) => {
      const order = structuredClone(shopifyOrder)
      const holder = path
        .slice(0, -1)
        .reduce<Record<string, unknown>>((inner, key) => inner[key] as never, order)
      holder[path.at(-1)!] = value
      makeOfShopify('orders/paid', order)
      makeOfShopify('orders/cancelled', shopify.excerpt(order))
    }),
    { numRuns: 200 },
  )
})

function pathsOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [
    ...(path.length > 0 ? [path] : []),
    ...Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, [...path, key])),
  ]
}
