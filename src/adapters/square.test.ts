import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  orderUpdated,
  paymentUpdated,
  refundUpdated,
  squareCustomer,
  squareOrder,
  squareReturn,
} from './square.fixture.ts'
import { customerOf, excerptOfCustomer, excerptOfOrder, makeOfSquare, orderOf, square } from './square.ts'

const made = (changes: object, customer: unknown = squareCustomer) =>
  makeOfSquare('payment.updated', { order: { ...squareOrder, ...changes }, customer })
const [line] = squareOrder.line_items
const withLine = (changes: object) => made({ line_items: [{ ...line, ...changes }] })
const [entry] = squareReturn.returns

describe('events', () => {
  test('name the order to fetch', () => {
    expect(orderOf(paymentUpdated)).toBe('03O3USaPaAaFnI6kkwB1JxGgBsUZY')
    expect(orderOf(orderUpdated)).toBe('03O3USaPaAaFnI6kkwB1JxGgBsUZY')
    expect(orderOf({ ...orderUpdated, type: 'order.created' })).toBe('03O3USaPaAaFnI6kkwB1JxGgBsUZY')
    expect(orderOf({ ...orderUpdated, type: 'order.fulfillment.updated' })).toBe(
      '03O3USaPaAaFnI6kkwB1JxGgBsUZY',
    )
    expect(orderOf(refundUpdated)).toBe('j7CWK5PozTAPsfm2XlGPKPzeV')
  })

  test('about something else name none', () => {
    for (const payload of [null, 7, 'x', [], {}, { type: 'customer.created', data: { id: 'x' } }]) {
      expect(orderOf(payload)).toBeUndefined()
    }
    expect(orderOf({ ...paymentUpdated, data: { id: 'p', object: { payment: {} } } })).toBeUndefined()
  })

  test('are stored without payment data, and still name the order', () => {
    const excerpts = [paymentUpdated, refundUpdated].map((payload) => square.excerpt(payload))
    expect(excerpts.map(orderOf)).toEqual(['03O3USaPaAaFnI6kkwB1JxGgBsUZY', 'j7CWK5PozTAPsfm2XlGPKPzeV'])
    expect(JSON.stringify(excerpts)).not.toMatch(/1111|411111|94103|ada@|Ada|amount/)
  })

  test('are identified by their ID', () => {
    expect(square.identify({}, paymentUpdated)).toEqual({
      eventId: paymentUpdated.event_id,
      topic: 'payment.updated',
    })
    expect(square.identify({}, 'x')).toEqual({})
  })

  test('are genuine if the signature is that of the address and the body', () => {
    const [key, url] = ['asdf1234', 'https://wallet.example/inbound/abc']
    const body = Buffer.from('{"hello":"world"}')
    const signature = createHmac('sha256', key).update(`${url}{"hello":"world"}`).digest('base64')
    const isGenuine = (header: string | undefined, changes: object = {}, secret = key) =>
      square.isGenuine(
        { url, headers: { 'x-square-hmacsha256-signature': header }, body, ...changes },
        secret,
        {},
      )
    // The example of Square's documentation.
    expect(
      isGenuine('2kRE5qRU2tR+tBGlDwMEw2avJ7QM4ikPYD/PJ3bd9Og=', { url: 'https://example.com/webhook' }),
    ).toBe(true)
    expect(isGenuine(signature)).toBe(true)
    expect(isGenuine(signature, { url: `${url}/` })).toBe(false)
    expect(isGenuine(signature, { body: Buffer.from('{}') })).toBe(false)
    expect(isGenuine(signature, {}, 'other')).toBe(false)
    for (const wrong of [undefined, '', signature.slice(1)]) expect(isGenuine(wrong)).toBe(false)
  })
})

describe('a completed order', () => {
  const sale = {
    type: 'sale',
    opaqueId: '03O3USaPaAaFnI6kkwB1JxGgBsUZY',
    who: {
      barcode: '2000000000000014',
      opaqueId: 'A9641GZW2H7Z56YYSD41Q12HDW',
      email: 'ada@example.com',
      phone: '+1-212-555-4240',
      fullname: 'Ada Lovelace',
    },
    currency: 'USD',
    branch: 'S8GWD5R9QB376',
    occurredAt: '2026-03-14T09:26:53.456Z',
    items: [
      {
        id: '8uSwfzvUImn3IRrvciqlXC',
        product: 'BJNQCF2FJ6S6UIDT65ABHLRX',
        name: 'Flat White, Large',
        quantity: 2,
        amount: 10,
        discountAmount: 1,
      },
      { id: 'yH0WNBMRXsYqTqHNwZ7mlB', name: 'Coffee beans, Regular', quantity: 0.35, amount: 3.5 },
    ],
  }

  test('is a sale with extras and discounts, without taxes and tips', () => {
    expect(made({})).toEqual(sale)
    expect(
      makeOfSquare(undefined, { order: { order: squareOrder }, customer: { customer: squareCustomer } }),
    ).toEqual(sale)
  })

  test('makes the same sale of what is stored of it', () => {
    const stored = { order: excerptOfOrder(squareOrder), customer: excerptOfCustomer(squareCustomer) }
    expect(makeOfSquare('payment.updated', stored)).toEqual(sale)
    expect(JSON.stringify(stored)).not.toMatch(/Electric|1815|1111|no sugar|ticket_name|a customer/)
  })

  test('names its customer itself or with a payment', () => {
    expect(customerOf(squareOrder)).toBe('A9641GZW2H7Z56YYSD41Q12HDW')
    expect(customerOf({ ...squareOrder, customer_id: 'C' })).toBe('C')
    expect(customerOf({ tenders: [{}, { customer_id: 'D' }] })).toBe('D')
    for (const order of [null, [], 'x', { tenders: 'x' }, { tenders: [null] }]) {
      expect(customerOf(order)).toBeUndefined()
    }
  })

  test('takes a reference of the customer for a card only if it is one', () => {
    expect(made({}, { ...squareCustomer, reference_id: 'CRM-77' })).not.toHaveProperty('who.barcode')
    expect(made({ metadata: { loyalty_card: 'OLD-4711' } })).toHaveProperty('who.barcode', 'OLD-4711')
    expect(makeOfSquare('payment.updated', { order: squareOrder })).toHaveProperty('who', {
      opaqueId: 'A9641GZW2H7Z56YYSD41Q12HDW',
    })
  })

  test('reads money by the decimals of its currency', () => {
    const inCurrency = (currency: string) =>
      withLine({
        gross_sales_money: { amount: 1234, currency },
        total_discount_money: { amount: 0, currency },
      })
    expect(inCurrency('JPY')).toMatchObject({ currency: 'JPY', items: [{ amount: 1234 }] })
    expect(inCurrency('KWD')).toMatchObject({ currency: 'KWD', items: [{ amount: 1.234 }] })
  })

  test('uses the price of one if there are no totals', () => {
    expect(withLine({ gross_sales_money: undefined, variation_total_price_money: undefined })).toMatchObject({
      items: [{ unitPrice: 4.5, quantity: 2 }],
    })
  })

  test('says which items are gift cards', () => {
    expect(withLine({ item_type: 'GIFT_CARD' })).toMatchObject({ items: [{ category: 'gift_card' }] })
  })
})

test.each([
  ['is open', { state: 'OPEN' }, 'not_paid'],
  ['is a draft', { state: 'DRAFT' }, 'not_paid'],
  ['has no state', { state: undefined }, 'not_paid'],
  ['is canceled', { state: 'CANCELED' }, 'canceled'],
  ['has no items', { line_items: undefined }, 'empty_order'],
  ['has items of quantity 0', { line_items: [{ ...line, quantity: '0' }] }, 'empty_order'],
])('an order that %s is not recorded', (_, changes, reason) => {
  expect(made(changes)).toEqual({ type: 'nothing', reason })
})

test('an order of nobody is not recorded', () => {
  expect(makeOfSquare('payment.updated', { order: { ...squareOrder, tenders: [] } })).toEqual({
    type: 'nothing',
    reason: 'no_customer',
  })
})

const usd = (amount: unknown) => ({ amount, currency: 'USD' })

test.each([
  ['no ID', { id: '' }, 'id'],
  ['an ID that is too long', { id: 'x'.repeat(256) }, 'id'],
  ['items that are no list', { line_items: 'x' }, 'line_items'],
  ['an item that is null', { line_items: [null] }, 'line_items[0]'],
  ['two items with one ID', { line_items: [line, line] }, 'line_items'],
  ['a negative quantity', { line_items: [{ ...line, quantity: '-2' }] }, 'line_items[0].quantity'],
  ['no quantity', { line_items: [{ ...line, quantity: undefined }] }, 'line_items[0].quantity'],
  ['seven decimals', { line_items: [{ ...line, quantity: '0.0000001' }] }, 'line_items[0].quantity'],
  [
    'cents that are a text',
    { line_items: [{ ...line, gross_sales_money: usd('10') }] },
    'line_items[0].gross_sales_money',
  ],
  [
    'half a cent',
    { line_items: [{ ...line, gross_sales_money: usd(10.5) }] },
    'line_items[0].gross_sales_money',
  ],
  [
    'a negative amount',
    { line_items: [{ ...line, gross_sales_money: usd(-1) }] },
    'line_items[0].gross_sales_money',
  ],
  [
    'a huge amount',
    { line_items: [{ ...line, gross_sales_money: usd(2 ** 53) }] },
    'line_items[0].gross_sales_money',
  ],
  [
    'a currency that is none',
    { line_items: [{ ...line, gross_sales_money: { amount: 1, currency: '€' } }] },
    'line_items',
  ],
  [
    'two currencies',
    { line_items: [{ ...line, total_discount_money: { amount: 1, currency: 'EUR' } }] },
    'line_items[0].total_discount_money',
  ],
  ['a time that is none', { closed_at: 'yesterday' }, 'closed_at'],
  ['returns that are no list', { returns: {} }, 'returns'],
])('an order with %s is refused, and the field is named', (_, changes, field) => {
  expect(made(changes)).toEqual({ type: 'nothing', reason: 'unreadable', field })
})

describe('what comes back', () => {
  const back = {
    type: 'return',
    sale: '03O3USaPaAaFnI6kkwB1JxGgBsUZY',
    opaqueId: 'j7CWK5PozTAPsfm2XlGPKPzeV',
    items: [{ id: '8uSwfzvUImn3IRrvciqlXC', quantity: 1 }],
  }
  const returned = (...returns: unknown[]) =>
    makeOfSquare('refund.updated', { order: { ...squareReturn, returns } })

  test('is a return of its items', () => {
    expect(makeOfSquare('refund.updated', { order: squareReturn })).toEqual(back)
    expect(makeOfSquare('refund.updated', { order: excerptOfOrder(squareReturn) })).toEqual(back)
  })

  test('of two sales are two returns', () => {
    expect(returned(entry, { ...entry, uid: 'second', source_order_id: 'other' })).toEqual({
      ...back,
      also: [{ ...back, sale: 'other', opaqueId: 'j7CWK5PozTAPsfm2XlGPKPzeV-second' }],
    })
  })

  test('in exchange for something else is a sale, and a return with it', () => {
    const exchange = made({ returns: squareReturn.returns })
    expect(exchange).toMatchObject({ type: 'sale', also: [{ ...back, opaqueId: squareOrder.id }] })
  })

  test('in exchange is returned even if nobody is named for the sale', () => {
    const order = { ...squareOrder, tenders: [], returns: squareReturn.returns }
    expect(makeOfSquare(undefined, { order })).toEqual({ ...back, opaqueId: squareOrder.id })
  })

  test('as an amount of money is not known', () => {
    const custom = { uid: 'c', quantity: '1', item_type: 'CUSTOM_AMOUNT' }
    expect(returned({ ...entry, return_line_items: [custom] })).toEqual({
      type: 'nothing',
      reason: 'amount_refund',
    })
  })

  test('without its sale is not known', () => {
    expect(returned({ ...entry, source_order_id: undefined })).toEqual({
      type: 'nothing',
      reason: 'unlinked_return',
    })
  })

  test('adds up parts of one item', () => {
    const [item] = entry!.return_line_items
    const parts = ['0.1', '0.2'].map((quantity) => ({ ...item, quantity }))
    expect(returned({ ...entry, return_line_items: parts })).toMatchObject({ items: [{ quantity: 0.3 }] })
  })
})

test('any JSON makes something or nothing, and never an error', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (order, customer) => {
      makeOfSquare(undefined, { order, customer })
      makeOfSquare(undefined, { order: { ...squareOrder, ...Object(order) }, customer })
      makeOfSquare(undefined, { order: { ...squareReturn, returns: [order, customer] } })
      makeOfSquare(undefined, { order: { ...squareOrder, line_items: [order] }, customer })
      excerptOfOrder(order)
      orderOf({ ...paymentUpdated, data: order })
      square.identify({}, order)
    }),
    { numRuns: 50 },
  )
})
