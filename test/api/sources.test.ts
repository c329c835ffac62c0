/** Sales that other systems send: from the request with its signature to what is in the ledger. */
import { createHmac } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { shopifyOrder, shopifyRefund } from '../../src/adapters/shopify.fixture.ts'
import { orderUpdated, squareCustomer, squareOrder, squareReturn } from '../../src/adapters/square.fixture.ts'
import { receiveRound } from '../../src/jobs/record-received.ts'
import { runRound } from '../../src/jobs/run-jobs.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { type Merchant, type Registered, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let square: Awaited<ReturnType<typeof startSquare>>
let merchant: Merchant
let campaign: string
let ada: Registered

beforeAll(async () => {
  square = await startSquare()
  service = await startTestService({ squareHosts: { production: square.url, sandbox: square.url } })
})
afterAll(async () => {
  await service.close()
  await square.close()
})
beforeEach(async () => {
  square.orders.clear()
  square.failures = 0
  merchant = await service.createMerchant({ currency: 'EUR' })
  campaign = await merchant.publishCampaign()
  ada = await merchant.register(campaign, { email: 'Ada@example.com', fullname: 'Ada' })
})

/** What the service asks of Square, with orders that tests put there. */
async function startSquare() {
  const state = { orders: new Map<string, unknown>(), failures: 0, tokens: [] as (string | undefined)[] }
  const server: Server = createServer((request, response) => {
    state.tokens.push(request.headers.authorization)
    const [, , kind, id = ''] = request.url!.split('/')
    if (state.failures-- > 0) return response.writeHead(503).end()
    const found = kind === 'orders' ? state.orders.get(id) : squareCustomer
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(found ? { [kind === 'orders' ? 'order' : 'customer']: found } : {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return Object.assign(state, { url, close: () => new Promise((resolve) => server.close(resolve)) })
}

interface Added {
  readonly id: string
  readonly url: string
  readonly secret: string
}

const signingKey = 'the signing key of the sender'
async function add(body: object): Promise<Added> {
  const reply = await merchant.call('POST', '/v1/sources', { name: 'Shop', ...body })
  expect(reply.status, reply.text).toBe(201)
  return reply.body
}
const addShopify = (more: object = {}) => add({ kind: 'shopify', secret: signingKey, ...more })
const addSquare = (more: object = {}) =>
  add({ kind: 'square', secret: signingKey, accessToken: 'token-of-the-shop', ...more })
const mapping = `{
  "type": kind = "refund" ? "return" : "sale",
  "opaqueId": number, "sale": original,
  "who": kind = "refund" ? null : { "email": mail, "barcode": card },
  "items": lines.{ "id": sku, "product": sku, "quantity": n, "unitPrice": $number(price) }
}`
const addJson = (more: object = {}) => add({ kind: 'json', mapping, ...more })

const send = (source: Added, payload: unknown, headers: Record<string, string>) =>
  service.call('POST', new URL(source.url).pathname, {
    body: JSON.stringify(payload),
    headers: { 'content-type': 'application/json', ...headers },
  })
const hmac = (text: string, key = signingKey) => createHmac('sha256', key).update(text).digest('base64')
let events = 0
const fromShopify = (source: Added, topic: string, payload: unknown, more: Record<string, string> = {}) =>
  send(source, payload, {
    'x-shopify-topic': topic,
    'x-shopify-webhook-id': `event-${++events}`,
    'x-shopify-hmac-sha256': hmac(JSON.stringify(payload)),
    ...more,
  })
const fromSquare = (source: Added, payload: object) => {
  const event = { ...payload, event_id: `event-${++events}` }
  return send(source, event, { 'x-square-hmacsha256-signature': hmac(source.url + JSON.stringify(event)) })
}
const fromTill = (source: Added, payload: unknown) =>
  send(source, payload, { authorization: `Bearer ${source.secret}` })

const now = () => service.deps.clock()
const record = () => receiveRound(service.deps)
const listed = async ({ id }: Added) => (await merchant.call('GET', `/v1/sources/${id}/received`)).body.data
/** The newest, with its content. */
const newest = async (source: Added) =>
  (await merchant.call('GET', `/v1/received/${(await listed(source))[0].id}`)).body
const balance = async (who = ada) =>
  (await merchant.call('GET', `/v1/customers/${who.customer}`)).body.collectables.points.value
const anOrder = (more: object = {}) => ({
  ...shopifyOrder,
  note_attributes: [],
  created_at: now().toISOString(),
  processed_at: now().toISOString(),
  ...more,
})

describe('Shopify', () => {
  test('an order that is paid is a sale once, however often it is sent, and its refund a return', async () => {
    const source = await addShopify()
    const order = anOrder()
    expect(
      (await fromShopify(source, 'orders/create', { ...order, financial_status: 'pending' })).body,
    ).toEqual({
      received: true,
    })
    await record()
    expect(await newest(source)).toMatchObject({ status: 3, problem: { code: 'not_paid' }, attempts: 1 })
    expect((await fromShopify(source, 'orders/paid', order)).status).toBe(200)
    await record()
    const recorded = await newest(source)
    expect(recorded).toMatchObject({ status: 2, topic: 'orders/paid', customer: ada.customer })
    expect(recorded.problem).toBeUndefined()
    expect(JSON.stringify(recorded.payload)).not.toMatch(/Main Street|203\.0\.113|ring twice/)
    const sale = (await merchant.call('GET', `/v1/transactions/${recorded.transaction}`)).body
    expect(sale).toMatchObject({ opaqueId: String(shopifyOrder.id), card: ada.card, payableAmount: 23.5 })
    expect(await balance()).toBe(23)
    // The same event, and the same order in another one.
    await fromShopify(source, 'orders/paid', order, { 'x-shopify-webhook-id': recorded.eventId })
    await fromShopify(source, 'orders/updated', order)
    await record()
    expect((await listed(source)).length).toBe(3)
    expect(await newest(source)).toMatchObject({ status: 3, problem: { code: 'already_recorded' } })
    expect(await balance()).toBe(23)

    const refund = { ...shopifyRefund, order_id: shopifyOrder.id }
    await fromShopify(source, 'refunds/create', refund)
    await record()
    const returned = await newest(source)
    expect(returned).toMatchObject({ status: 2, transaction: recorded.transaction, customer: ada.customer })
    expect(returned.return).toMatch(/^ret_/)
    expect(await balance()).toBeLessThan(23)
    await fromShopify(source, 'orders/cancelled', anOrder({ cancelled_at: now().toISOString() }))
    await record()
    expect(await balance()).toBe(0)
    // A refund that tells of what is back already.
    await fromShopify(source, 'refunds/create', { ...refund, id: 1 })
    await record()
    expect(await newest(source)).toMatchObject({ status: 3, problem: { code: 'already_recorded' } })
  })

  test('a refund that overtakes its order waits for it; one of nobody is ignored in the end', async () => {
    const source = await addShopify()
    await fromShopify(source, 'refunds/create', { ...shopifyRefund, order_id: shopifyOrder.id })
    await record()
    expect(await newest(source)).toMatchObject({ status: 1, attempts: 1, problem: { code: 'sale_unknown' } })
    await fromShopify(source, 'orders/paid', anOrder())
    await record()
    // It does not wait for its next attempt.
    const [, refund] = await listed(source)
    expect(refund).toMatchObject({ status: 2, customer: ada.customer })
    expect(await balance()).toBe(15)
    await fromShopify(source, 'refunds/create', { ...shopifyRefund, id: 1, order_id: 1 })
    for (let i = 0; i < 7; i++) {
      await record()
      service.advance(13 * 3_600_000)
    }
    merchant = { ...merchant, call: await merchant.signIn() }
    expect(await newest(source)).toMatchObject({ status: 3, attempts: 7, problem: { code: 'sale_unknown' } })
  })

  test('of somebody who is not a customer nothing is kept; with permission they are registered', async () => {
    const source = await addShopify()
    const stranger = anOrder({ email: 'grace@example.com', contact_email: 'grace@example.com', phone: null })
    const order = {
      ...stranger,
      customer: { id: 99, email: 'grace@example.com', first_name: 'Grace', last_name: 'Hopper' },
    }
    await fromShopify(source, 'orders/paid', order)
    await record()
    const ignored = await newest(source)
    expect(ignored).toMatchObject({ status: 3, problem: { code: 'not_a_customer' } })
    expect(JSON.stringify(ignored)).not.toMatch(/grace|Hopper/i)
    expectRefusal(
      await merchant.call('POST', `/v1/received/${ignored.id}/retry`),
      410,
      'received_message_not_kept',
    )
    await merchant.call('PATCH', `/v1/sources/${source.id}`, { campaign, registersCustomers: true })
    // The sender sends it again.
    const again = { 'x-shopify-webhook-id': ignored.eventId }
    await fromShopify(source, 'orders/paid', { ...order, id: 2, financial_status: 'pending' }, again)
    await record()
    expect(await newest(source)).toMatchObject({ id: ignored.id, problem: { code: 'not_paid' } })
    expect(JSON.stringify(await newest(source))).not.toMatch(/grace|Hopper/i)
    // It was before the card was opened, and is what the card was opened for.
    const earlier = new Date(now().getTime() - 3_600_000).toISOString()
    await fromShopify(source, 'orders/paid', { ...order, processed_at: earlier, created_at: earlier })
    await record()
    expect(await newest(source)).toMatchObject({ status: 2 })
    const { body } = await merchant.call('GET', '/v1/customers/find?q=grace@example.com')
    expect(body).toMatchObject({ opaqueId: '99', data: { fullname: 'Grace Hopper' } })
    expect(body.collectables.points.value).toBe(23)
    expect((await merchant.call('GET', '/v1/integrity')).body.ok).toBe(true)
  })

  test('what is not signed with the key is refused, and the source tells when', async () => {
    const source = await add({ kind: 'shopify' })
    const wrong = { 'x-shopify-hmac-sha256': hmac('something else') }
    expectRefusal(await fromShopify(source, 'orders/paid', anOrder()), 401, 'invalid_signature')
    await merchant.call('PATCH', `/v1/sources/${source.id}`, { secret: signingKey })
    for (const headers of [wrong, { 'x-shopify-hmac-sha256': '' }, { 'x-shopify-hmac-sha256': 'é' }]) {
      expectRefusal(await fromShopify(source, 'orders/paid', anOrder(), headers), 401, 'invalid_signature')
    }
    const { body } = await merchant.call('GET', `/v1/sources/${source.id}`)
    expect(body).toMatchObject({ hasSecret: true, lastRejectedAt: expect.any(String) })
    expect(body.lastReceivedAt).toBeUndefined()
    expect(await listed(source)).toEqual([])
    // Not the last character, of which some bits mean nothing.
    const forged = source.url.replace(/.(?=.{4}$)/, (character) => (character === 'A' ? 'B' : 'A'))
    expectRefusal(await send({ ...source, url: forged }, {}, {}), 404, '_not_found')
    await merchant.call('DELETE', `/v1/sources/${source.id}`)
    expectRefusal(await fromShopify(source, 'orders/paid', anOrder()), 404, 'source_not_found')
  })

  test('another currency, a blocked card and nonsense are told and can be tried again', async () => {
    const source = await addShopify()
    await fromShopify(source, 'orders/paid', anOrder({ id: 1, currency: 'JPY' }))
    await record()
    expect(await newest(source)).toMatchObject({ status: 4, problem: { code: 'other_currency' } })
    for (const nonsense of [null, [], 'text', 7, {}, { line_items: 'many' }, { id: {} }]) {
      expect((await fromShopify(source, 'orders/paid', nonsense)).status).toBe(200)
    }
    await record()
    for (const each of (await listed(source)).slice(0, 7)) {
      expect([3, 4], JSON.stringify(each)).toContain(each.status)
    }
    await merchant.call('POST', `/v1/cards/${ada.card}/block`)
    await fromShopify(source, 'orders/paid', anOrder())
    await record()
    const failed = await newest(source)
    expect(failed.status).toBe(4)
    await merchant.call('POST', `/v1/cards/${ada.card}/unblock`)
    const retried = await merchant.call('POST', `/v1/received/${failed.id}/retry`)
    expect(retried.status).toBe(202)
    expect(retried.body).toMatchObject({ status: 1, attempts: 0 })
    await record()
    expect(await newest(source)).toMatchObject({ status: 2 })
  })
})

describe('Square', () => {
  test('the order is fetched with the token, and the customer is found by what Square knows', async () => {
    const dollars = await service.createMerchant({ currency: 'USD' })
    merchant = dollars
    campaign = await dollars.publishCampaign()
    ada = await dollars.register(campaign, { email: 'ada@example.com' })
    const source = await addSquare()
    const order = { ...squareOrder, closed_at: now().toISOString() }
    square.orders.set(squareOrder.id, { ...order, state: 'OPEN' })
    await fromSquare(source, orderUpdated)
    await record()
    expect(await newest(source)).toMatchObject({ status: 3, problem: { code: 'not_paid' } })
    square.orders.set(squareOrder.id, order)
    square.failures = 1
    await fromSquare(source, orderUpdated)
    await record()
    expect(await newest(source)).toMatchObject({ status: 1, problem: { code: 'vendor_unreachable' } })
    service.advance(11_000)
    await record()
    const recorded = await newest(source)
    expect(recorded).toMatchObject({ status: 2, attempts: 2, customer: ada.customer })
    expect(square.tokens.at(-1)).toBe('Bearer token-of-the-shop')
    expect(await balance()).toBe(12)
    const { id } = squareReturn
    square.orders.set(id, { ...squareReturn, closed_at: now().toISOString() })
    const returning = { ...orderUpdated, data: { ...orderUpdated.data, id, object: {} } }
    await fromSquare(source, returning)
    await record()
    expect(await newest(source)).toMatchObject({ status: 2, transaction: recorded.transaction })
    expect(await balance()).toBe(8)
  })

  test('an exchange is a sale and a return, each of which is recorded without the other', async () => {
    const dollars = await service.createMerchant({ currency: 'USD' })
    merchant = dollars
    campaign = await dollars.publishCampaign()
    ada = await dollars.register(campaign, { email: 'ada@example.com' })
    const source = await addSquare()
    const [line] = squareOrder.line_items
    square.orders.set(squareOrder.id, { ...squareOrder, closed_at: now().toISOString() })
    await fromSquare(source, orderUpdated)
    await record()
    expect(await balance()).toBe(12)
    const stranger = { tenders: [], customer_id: undefined, metadata: { loyalty_card: 'UNKNOWN-1' } }
    const tip = { uid: 'tip', source_line_item_uid: 'never sold', quantity: '1' }
    const [back] = squareReturn.returns
    const returns = [{ ...back, return_line_items: [...back!.return_line_items, tip] }]
    const exchange = { ...squareOrder, ...stranger, id: 'exchange', line_items: [line], returns }
    square.orders.set('exchange', { ...exchange, closed_at: now().toISOString() })
    const event = { ...orderUpdated, data: { ...orderUpdated.data, id: 'exchange', object: {} } }
    await fromSquare(source, event)
    await record()
    expect(await newest(source)).toMatchObject({ status: 3, problem: { code: 'not_a_customer' } })
    expect(await balance()).toBe(8)
  })

  test('an order that is not given out, and a source without a token, say so', async () => {
    const source = await addSquare({ accessToken: undefined })
    await fromSquare(source, orderUpdated)
    await record()
    expect(await newest(source)).toMatchObject({ status: 4, problem: { code: 'no_access_token' } })
    const shown = await merchant.call('PATCH', `/v1/sources/${source.id}`, {
      accessToken: 'token-that-they-lack',
    })
    expect(shown.body).toMatchObject({ hasAccessToken: true, environment: 'production' })
    expect(JSON.stringify(shown.body)).not.toContain('lack')
    await merchant.call('POST', `/v1/received/${(await newest(source)).id}/retry`)
    await record()
    expect(await newest(source)).toMatchObject({ status: 4, problem: { code: 'vendor_refused' } })
  })
})

describe('any other system', () => {
  const sale = {
    kind: 'sale',
    number: 'M-1',
    mail: 'ADA@example.com',
    lines: { sku: 'tea', n: 2, price: '4.5' },
  }

  test('is understood by its mapping, which can be tried and corrected', async () => {
    const source = await addJson({ mapping: '{ "type": "sale" }' })
    expect(source.secret.length).toBeGreaterThan(20)
    expect((await fromTill(source, sale)).status).toBe(200)
    expectRefusal(await send(source, sale, { authorization: 'Bearer wrong' }), 401, 'invalid_signature')
    await record()
    expect(await newest(source)).toMatchObject({ status: 4, problem: { code: 'invalid_mapping_result' } })
    const tried = await merchant.call('POST', `/v1/sources/${source.id}/try`, { payload: sale, mapping })
    expect(tried.body).toMatchObject({
      made: { type: 'sale', opaqueId: 'M-1', items: [{ id: 'tea', quantity: 2, unitPrice: 4.5 }] },
      transaction: { payableAmount: 9 },
    })
    expect(await balance()).toBe(0)
    const broken = await merchant.call('PATCH', `/v1/sources/${source.id}`, { mapping: '{ "type": ' })
    expectRefusal(broken, 400, '_invalid_payload')
    await merchant.call('PATCH', `/v1/sources/${source.id}`, { mapping })
    await merchant.call('POST', `/v1/received/${(await newest(source)).id}/retry`)
    await record()
    const recorded = await newest(source)
    expect(recorded).toMatchObject({ status: 2, payload: sale, made: { opaqueId: 'M-1' } })
    expect(await balance()).toBe(9)
    await fromTill(source, { kind: 'refund', number: 'M-2', original: 'M-1', lines: { sku: 'tea', n: 1 } })
    await record()
    expect(await newest(source)).toMatchObject({ status: 4, problem: { code: 'invalid_mapping_result' } })
  })

  test('a mapping that never ends hurts nobody else', async () => {
    const source = await addJson({ mapping: '($f := function($n) { $f($n + 1) }; $f(1))' })
    const other = await addJson()
    await fromTill(source, sale)
    await fromTill(other, { ...sale, card: ada.barcode, mail: undefined })
    await record()
    expect(await newest(source)).toMatchObject({
      status: 4,
      problem: { code: expect.stringMatching(/mapping_/) },
    })
    expect(await newest(other)).toMatchObject({ status: 2 })
  })

  test('a return says what comes back, and one message holds up no other', async () => {
    const broken = await addJson({ mapping: '$error("\\u0000 " & number)' })
    const source = await addJson({
      mapping: `{ "type": "return", "sale": original, "opaqueId": number, "items": lines.{ "id": sku, "quantity": n } }`,
    })
    await fromTill(broken, sale)
    await fromTill(source, { number: 'M-2', original: 'M-1', lines: [] })
    await record()
    expect(await newest(broken)).toMatchObject({ status: 4, problem: { code: 'mapping_failed' } })
    expect(await newest(source)).toMatchObject({ status: 4, problem: { code: 'invalid_mapping_result' } })
    const hello = { 'content-type': 'application/x-www-form-urlencoded' }
    const path = new URL(source.url).pathname
    const pinged = await service.call('POST', path, { body: 'webhook_id=1', headers: hello })
    expect([pinged.status, pinged.body]).toEqual([200, { received: false }])
    expect((await listed(source)).length).toBe(1)
  })

  test('a message that ends the process is given up, and a flood is refused', async () => {
    const source = await addJson()
    await fromTill(source, sale)
    const { pool } = service.database
    await pool.query('UPDATE received_messages SET attempts = 7 WHERE source_id = $1', [source.id.slice(4)])
    await record()
    expect(await newest(source)).toMatchObject({ status: 4, problem: { code: 'internal_error' } })
    await pool.query(
      `INSERT INTO received_messages (org_id, id, source_id, status, next_attempt_at, received_at)
       SELECT org_id, gen_random_uuid(), id, 1, now() + interval '1 day', now() FROM sources, generate_series(1, 10000)
       WHERE id = $1`,
      [source.id.slice(4)],
    )
    expectRefusal(await fromTill(source, sale), 503, '_unavailable')
    await merchant.call('DELETE', `/v1/sources/${source.id}`)
    const other = await addJson()
    expect((await fromTill(other, sale)).status).toBe(200)
  })

  test('a signature in a header of its own', async () => {
    const source = await addJson({ secret: signingKey, signatureHeader: 'X-WC-Webhook-Signature' })
    expect(source.secret).toBeUndefined()
    const headers = { 'x-wc-webhook-signature': hmac(JSON.stringify(sale)) }
    expect((await send(source, sale, headers)).status).toBe(200)
    expectRefusal(await send(source, { ...sale, number: 'M-9' }, headers), 401, 'invalid_signature')
  })

  test('what a paused source sends waits; it is in the export of its customer, and erased with them', async () => {
    const source = await addJson()
    await merchant.call('PATCH', `/v1/sources/${source.id}`, { status: 'paused' })
    await fromTill(source, sale)
    await record()
    expect(await newest(source)).toMatchObject({ status: 1, attempts: 0 })
    await merchant.call('PATCH', `/v1/sources/${source.id}`, { status: 'active' })
    await record()
    const recorded = await newest(source)
    expect(recorded).toMatchObject({ status: 2, payload: sale })
    const exported = await merchant.call('GET', `/v1/customers/${ada.customer}/export`)
    expect(exported.body.received).toEqual([recorded])
    await merchant.call('POST', `/v1/customers/${ada.customer}/erase`)
    const left = await newest(source)
    expect(left).toMatchObject({ status: 2 })
    expect([left.payload, left.made]).toEqual([undefined, undefined])
  })

  test('a customer with several cards needs a campaign, and settings of another kind are refused', async () => {
    const source = await addJson()
    const second = await merchant.publishCampaign({ name: 'Second', balances: [{ key: 'points' }] })
    await merchant.call('POST', '/v1/customers/register', {
      campaignId: second,
      customer: { id: ada.customer },
    })
    await fromTill(source, sale)
    await record()
    expect(await newest(source)).toMatchObject({ status: 4, problem: { code: 'several_cards' } })
    await merchant.call('PATCH', `/v1/sources/${source.id}`, { campaign })
    await merchant.call('POST', `/v1/received/${(await newest(source)).id}/retry`)
    await record()
    expect(await newest(source)).toMatchObject({ status: 2 })
    for (const body of [
      { accessToken: 'a token that it has not' },
      { registersCustomers: true, campaign: null },
      { campaign: 'cmp_00000000000000000000000000000000' },
      { environment: 'sandbox' },
      { secret: 'short' },
    ]) {
      expect(
        (await merchant.call('PATCH', `/v1/sources/${source.id}`, body)).status,
        JSON.stringify(body),
      ).toBe(400)
    }
    for (const body of [
      { kind: 'json', name: 'x' },
      { kind: 'shopify', name: 'x', mapping: '$' },
      { kind: 'lightspeed', name: 'x' },
    ]) {
      expectRefusal(await merchant.call('POST', '/v1/sources', body), 400, '_invalid_payload')
    }
  })

  test('what is old is deleted', async () => {
    const source = await addJson()
    await fromTill(source, sale)
    await record()
    service.advance(32 * 86_400_000)
    await runRound(service.deps, { kinds: ['deliveries'] })
    const call = await merchant.signIn()
    expect((await call('GET', `/v1/sources/${source.id}/received`)).body.data).toEqual([])
  })
})
