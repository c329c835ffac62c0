import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkMade, json } from './json.ts'

const sale = { type: 'sale', opaqueId: 'R-1', who: { barcode: '2000000000000014' }, amount: 12.5 }
const item = { id: 'a', product: 'P1', quantity: 2, unitPrice: 1.25 }

describe('requests', () => {
  const body = Buffer.from('{"total":1}')
  const genuine = (headers: Record<string, string | undefined>, options = {}, secret = 'hush') =>
    json.isGenuine({ url: '', headers, body }, secret, options)

  test('are genuine with the secret as a bearer token', () => {
    expect(genuine({ authorization: 'Bearer hush' })).toBe(true)
    expect(genuine({ authorization: 'bearer  hush ' })).toBe(true)
    for (const authorization of [undefined, '', 'hush', 'Bearer', 'Bearer ', 'Bearer hush2', 'Basic hush']) {
      expect(genuine({ authorization })).toBe(false)
    }
    expect(genuine({ authorization: 'Bearer ' }, {}, '')).toBe(false)
  })

  test('are genuine with the signature of the body, however it is written', () => {
    const hmac = () => createHmac('sha256', 'hush').update(body)
    const options = { signatureHeader: 'X-Signature' }
    const [base64, hex] = [hmac().digest('base64'), hmac().digest('hex')]
    for (const header of [base64, hex, hex.toUpperCase(), `sha256=${base64}`, `SHA256=${hex}`]) {
      expect(genuine({ 'x-signature': header }, options)).toBe(true)
    }
    for (const header of [undefined, '', 'sha256=', base64.slice(1), hex.slice(1), `sha1=${hex}`]) {
      expect(genuine({ 'x-signature': header, authorization: 'Bearer hush' }, options)).toBe(false)
    }
  })

  test('are identified by a header, and named by a header or the payload', () => {
    expect(
      json.identify({ 'x-event-id': 'e1', 'x-wc-webhook-topic': 'order.updated' }, { type: 'x' }),
    ).toEqual({
      eventId: 'e1',
      topic: 'order.updated',
    })
    expect(json.identify({}, { event: 'receipt.closed' })).toEqual({ topic: 'receipt.closed' })
    for (const payload of [null, [], 'x', 7, {}, { type: 7 }]) expect(json.identify({}, payload)).toEqual({})
  })

  test('are stored as they are, except for what cannot be stored', () => {
    expect(json.excerpt({ a: [1, 'x', null, { b: true }] })).toEqual({ a: [1, 'x', null, { b: true }] })
    expect(json.excerpt({ 'a\0': 'b\0\ud800' })).toEqual({ 'a\ufffd': 'b\ufffd\ufffd' })
    expect(Object.keys(json.excerpt(JSON.parse('{"__proto__":1,"a":2}')) as object)).toEqual(['a'])
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)
    expect(JSON.stringify(json.excerpt(deep))).toBe(`${'['.repeat(32)}null${']'.repeat(32)}`)
  })
})

describe('what a mapping returns', () => {
  test('is a sale or a return as the contract has them', () => {
    expect(checkMade(sale)).toEqual(sale)
    const full = {
      ...sale,
      who: { barcode: 'B', opaqueId: 'C', email: 'ada@example.com', phone: '+49', fullname: 'Ada' },
      currency: 'EUR',
      branch: 'b',
      user: 'u',
      occurredAt: '2026-03-14T09:26:53.123+01:00',
      items: [
        { ...item, name: 'Tea', category: 'tea', amount: 2.5, discountAmount: 0, discountedAmount: 2.5 },
      ],
      discountAmount: 0,
      discountedAmount: 12.5,
      metaData: { till: 7 },
    }
    expect(checkMade(full)).toEqual(full)
    const back = {
      type: 'return',
      sale: 'R-1',
      opaqueId: 'X',
      items: [{ id: 'a', quantity: 1 }],
      reason: 'Cold',
    }
    expect(checkMade(back)).toEqual(back)
  })

  test('may be a list of one, a single item, a number for an ID, and null for no value', () => {
    expect(checkMade([{ ...sale, opaqueId: 17, branch: 3, user: null, items: { ...item, id: 5 } }])).toEqual({
      ...sale,
      opaqueId: '17',
      branch: '3',
      items: [{ ...item, id: '5' }],
    })
  })

  test.each([undefined, null, [[]][0], { type: 'nothing' }, { type: 'nothing', reason: '__proto__' }])(
    'means that there is nothing to record: %j',
    (value) => {
      expect(checkMade(value)).toEqual({ type: 'nothing', reason: 'not_mapped' })
    },
  )

  test('may give a reason of the list', () => {
    expect(checkMade({ type: 'nothing', reason: 'test_order' })).toEqual({
      type: 'nothing',
      reason: 'test_order',
    })
  })

  test.each([[{}], [undefined], [null], [{ fullname: 'Ada' }], [{ email: null }], [{ phone: '' }]])(
    'is not recorded if it names nobody: %j',
    (who) => {
      expect(checkMade({ ...sale, who })).toEqual({ type: 'nothing', reason: 'no_customer' })
    },
  )

  test.each<[unknown, string]>([
    [7, 'The mapping must return an object, such as {"type": "sale", "opaqueId": "…"}.'],
    ['sale', 'The mapping must return an object, such as {"type": "sale", "opaqueId": "…"}.'],
    [[sale, sale], 'The mapping returned a list of 2: a message is one sale or one return.'],
    [{}, 'type: must be "sale", "return" or "nothing".'],
    [{ type: 'sale' }, 'opaqueId: is missing.'],
    [{ ...sale, opaqueId: '' }, 'opaqueId: is missing.'],
    [{ ...sale, opaqueId: 2 ** 60 }, 'opaqueId: must be a string.'],
    [{ ...sale, opaqueid: 'x' }, 'opaqueid: unknown property.'],
    [{ ...sale, amount: '12.50' }, 'amount: must be a number; convert it with $number(…).'],
    [{ ...sale, amount: 'free' }, 'amount: must be a number.'],
    [{ ...sale, amount: -1 }, 'amount: must be at least 0.'],
    [{ ...sale, amount: 1e11 }, 'amount: must be at most 10000000000.'],
    [{ ...sale, who: 'Ada' }, 'who: must be an object.'],
    [{ ...sale, who: { card: 'x' } }, 'who.card: unknown property.'],
    [{ ...sale, currency: 'euro' }, 'currency: must be three capital letters, such as EUR.'],
    [
      { ...sale, occurredAt: '14.03.2026' },
      'occurredAt: must be an ISO 8601 time with its time zone, such as 2026-03-14T09:26:53Z.',
    ],
    [{ ...sale, items: 'x' }, 'items[0]: must be an object.'],
    [{ ...sale, items: [{ ...item, quantity: 0 }] }, 'items[0].quantity: must be more than 0.'],
    [{ ...sale, items: [item, { ...item, quantity: 1 / 3 }] }, 'items[1].id: another item has it, too.'],
    [{ ...sale, items: [{ quantity: 1 / 3 }] }, 'items[0].quantity: must have at most 6 decimals.'],
    [{ ...sale, items: [{ unitPrice: 1 / 3 }] }, 'items[0].unitPrice: must have at most 6 decimals.'],
    [{ ...sale, items: Array(501).fill({}) }, 'items: must have at most 500 entries.'],
    [{ ...sale, metaData: { note: 'x'.repeat(9000) } }, 'metaData: must have at most 8 KB as JSON.'],
    [{ ...sale, metaData: [1] }, 'metaData: must be an object.'],
    [{ type: 'return', opaqueId: 'X' }, 'sale: is missing.'],
    [{ type: 'return', sale: 'R', opaqueId: 'X', items: [] }, 'items: must not be empty.'],
    [{ type: 'return', sale: 'R', opaqueId: 'X', items: [{ id: 'a' }] }, 'items[0].quantity: is missing.'],
  ])('is refused with its place: %j', (value, text) => {
    expect(checkMade(value)).toEqual({ type: 'problem', code: 'invalid_mapping_result', text })
  })

  test('never leads to an error, whatever it is', () => {
    fc.assert(
      fc.property(fc.constantFrom('sale', 'return', 'nothing'), fc.jsonValue(), (type, value) => {
        checkMade(value)
        checkMade({ ...sale, ...Object(value), type })
        checkMade({ ...sale, type, items: value, who: value })
      }),
      { numRuns: 50 },
    )
    const deep = JSON.parse(`${'{"who":'.repeat(20_000)}1${'}'.repeat(20_000)}`)
    expect(checkMade({ ...sale, ...deep })).toMatchObject({ text: 'who.who: unknown property.' })
    expect(checkMade(JSON.parse('{"type":"sale","opaqueId":"a","__proto__":{"who":{}}}'))).toMatchObject({
      type: 'problem',
    })
  })
})
