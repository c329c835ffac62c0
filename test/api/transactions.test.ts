import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audit } from '../support/audit.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import {
  coffeeClub,
  type Merchant,
  type Registered,
  type Reply,
  startTestService,
  type TestService,
} from '../support/service.ts'
import { openShop, registerEarlier } from '../support/shop.ts'

let service: TestService
let merchant: Merchant
let campaign: string

beforeAll(async () => {
  service = await startTestService()
  // A second before midnight is to be one, however long the calls take.
  service.holdTime()
  merchant = await service.createMerchant()
  campaign = await merchant.publishCampaign()
})
afterAll(async () => {
  expect(await audit(service.database.pool)).toEqual([])
  await service.close()
})

const send = (
  path: 'process' | 'validate' | 'validate?include=spendable',
  who: Registered,
  more: object = {},
  by = merchant,
) => by.call('POST', `/v1/transactions/${path}`, { customer: who.customer, card: who.card, ...more })
const process = (who: Registered, more?: object, by?: Merchant) => send('process', who, more, by)
const validate = (who: Registered, more?: object, by?: Merchant) => send('validate', who, more, by)
const read = (id: string, by = merchant) => by.call('GET', `/v1/transactions/${id}`)
const customerOf = (who: Registered, by = merchant) => by.call('GET', `/v1/customers/${who.customer}`)
const typesOf = (reply: Reply) =>
  reply.body.executedActions.actions.map((action: { type: string }) => action.type)

const give = async (who: Registered, amount: number, key = 'points', by = merchant) => {
  const path = `/v1/customers/${who.customer}/adjustments`
  const reply = await by.call('POST', path, { key, amount, reason: 'test' })
  expect(reply.status).toBe(201)
}

const issueCoupon = async (who: Registered, reward = 'free-coffee', of = campaign, by = merchant) => {
  const reply = await by.call('POST', '/v1/coupons', { customer: who.customer, campaign: of, reward })
  expect(reply.status).toBe(201)
  return reply.body.id as string
}

/** Every row of every table, to see that nothing at all was written. */
async function snapshot(): Promise<string[]> {
  const { pool } = service.database
  const { rows } = await pool.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
  )
  const all: string[] = []
  for (const { name } of rows) {
    const table = await pool.query(`SELECT t::text AS row FROM "${name}" t ORDER BY 1`)
    all.push(...table.rows.map((item) => `${name}: ${item.row}`))
  }
  return all
}

describe('the reply', () => {
  test('of process is 201 with every member of the interface, and GET gives it back with its lines', async () => {
    const who = await merchant.register(campaign)
    await give(who, 150)
    const free = await issueCoupon(who)
    const occurredAt = service.deps.clock().toISOString()
    const reply = await process(who, {
      opaqueId: 'T1-000123',
      items: [
        { product: 'latte', name: 'Latte', category: 'coffee', quantity: 3, unitPrice: 3.5, reward: free },
        { id: 'b', product: 'cake', amount: 4.25, discountAmount: 0.25 },
      ],
      pointsToSpend: 100,
      user: 'cash-7',
      branch: 'store-12',
      metaData: { table: 9, nested: { list: [1, null] } },
      occurredAt: occurredAt.replace('Z', '+00:00'),
    })
    expect(reply.status).toBe(201)
    expect(reply.body).toEqual({
      id: expect.stringMatching(/^txn_/),
      status: 1,
      opaqueId: 'T1-000123',
      customer: who.customer,
      card: who.card,
      user: expect.stringMatching(/^usr_/),
      userOpaqueId: 'cash-7',
      branch: expect.stringMatching(/^brn_/),
      branchOpaqueId: 'store-12',
      amount: 14.75,
      payableAmount: 11,
      totals: { amount: 14.75, discounts: 0.25, coupons: 3.5, points: 1, due: 10 },
      pointsSpent: 100,
      pointsDiscount: 1,
      occurredAt,
      createdAt: expect.stringMatching(/Z$/),
      executedActions: {
        collectables: { points: { value: 60, total: 10 }, stamps: { value: 3, total: 3 } },
        coupons: [],
        actions: [
          { type: 'redeem_coupon', coupon: free, item: '1', discount: 3.5 },
          { type: 'spend_points', key: 'points', amount: 100, value: 50, discount: 1 },
          { type: 'collect', key: 'points', amount: 10, value: 60, campaign, rule: 'base' },
          { type: 'collect', key: 'stamps', amount: 3, value: 3, campaign, rule: 'coffee' },
        ],
        skipped: [],
        progress: [
          expect.objectContaining({ key: 'points', have: 10, need: 500, reward: 'five-off' }),
          expect.objectContaining({ key: 'stamps', have: 3, need: 10, reward: 'free-coffee' }),
        ],
      },
    })
    const got = await read(reply.body.id)
    expect(got.status).toBe(200)
    expect(got.body).toMatchObject(reply.body)
    expect(got.body.items).toEqual([
      {
        id: '1',
        product: 'latte',
        name: 'Latte',
        category: 'coffee',
        quantity: 3,
        unitPrice: 3.5,
        reward: [free],
      },
      { id: 'b', product: 'cake', quantity: 1, amount: 4.25, discountAmount: 0.25 },
    ])
    expect(got.body.metaData).toEqual({ table: 9, nested: { list: [1, null] } })
    expect(got.body.campaigns).toEqual([{ id: campaign, version: 1 }])
    expect(got.body.returns).toEqual([])
  })

  test('members without a value are omitted, and nothing in it is null', async () => {
    const who = await merchant.register(campaign)
    const { body, text } = await process(who)
    expect(text).not.toContain('null')
    expect('opaqueId' in body).toBe(false)
    const got = await read(body.id)
    expect(got.text).not.toContain('null')
    expect('metaData' in got.body).toBe(false)
  })

  test('the balances it tells are the ones a lookup then shows', async () => {
    const who = await merchant.register(campaign)
    const { body } = await process(who, { items: [{ product: 'latte', quantity: 12, unitPrice: 2 }] })
    expect((await customerOf(who)).body.collectables).toEqual(body.executedActions.collectables)
    expect((await customerOf(who)).body.coupons).toEqual([
      expect.objectContaining({ id: body.executedActions.coupons[0].id }),
    ])
  })

  test('all balances of the customer are there, also those this basket did not move', async () => {
    const who = await merchant.register(campaign)
    await give(who, 4, 'stamps')
    const { body } = await process(who, { amount: 2 })
    expect(body.executedActions.collectables).toEqual({
      points: { value: 2, total: 2 },
      stamps: { value: 4, total: 0 },
    })
  })

  test('unknown members are ignored, named in a header, not stored; with Prefer: handling=strict they are refused', async () => {
    const who = await merchant.register(campaign)
    const body = {
      customer: who.customer,
      card: who.card,
      tip: 3,
      status: 3,
      items: [{ amount: 1, colour: 'chartreuse' }],
    }
    const lenient = await merchant.call('POST', '/v1/transactions/process', body)
    expect(lenient.status).toBe(201)
    expect(lenient.body.status).toBe(1)
    expect(String(lenient.headers['ignored-members']).split(', ').sort()).toEqual([
      'items[0].colour',
      'status',
      'tip',
    ])
    expect((await read(lenient.body.id)).text).not.toMatch(/chartreuse|"tip"/)
    for (const prefer of ['handling=strict', 'respond-async, handling=strict', 'HANDLING = "strict"']) {
      const strict = await merchant.call('POST', '/v1/transactions/process', body, { prefer })
      expectRefusal(strict, 400, '_invalid_payload', /tip|status|colour/)
    }
    const plain = await merchant.call('POST', '/v1/transactions/process', body, {
      prefer: 'handling=lenient',
    })
    expect(plain.status).toBe(201)
  })
})

describe('amounts', () => {
  test.each<[string, object, { amount: number; payable: number; points: number }]>([
    [
      'unit price times quantity',
      { items: [{ unitPrice: 3.5, quantity: 2 }] },
      { amount: 7, payable: 7, points: 7 },
    ],
    [
      'the quantity is 1 unless told',
      { items: [{ unitPrice: 3.5 }] },
      { amount: 3.5, payable: 3.5, points: 3 },
    ],
    [
      'a line amount wins over its unit price',
      { items: [{ unitPrice: 9, amount: 4 }] },
      { amount: 4, payable: 4, points: 4 },
    ],
    [
      'a line discount is taken off',
      { items: [{ amount: 10, discountAmount: 2.5 }] },
      { amount: 10, payable: 7.5, points: 7 },
    ],
    [
      'a discounted line amount counts as it is',
      { items: [{ amount: 10, discountedAmount: 4 }] },
      { amount: 10, payable: 4, points: 4 },
    ],
    [
      'the discounted amount wins over the discount',
      { items: [{ amount: 10, discountAmount: 1, discountedAmount: 4 }] },
      { amount: 10, payable: 4, points: 4 },
    ],
    [
      'a line is never payable below 0',
      { items: [{ amount: 2, discountAmount: 5 }, { amount: 3 }] },
      { amount: 5, payable: 3, points: 3 },
    ],
    [
      'an order discount is taken off the lines',
      { items: [{ amount: 10 }, { amount: 10 }], discountAmount: 5 },
      { amount: 20, payable: 15, points: 15 },
    ],
    [
      'a discounted order amount counts as it is',
      { items: [{ amount: 10 }, { amount: 10 }], discountedAmount: 8 },
      { amount: 20, payable: 8, points: 8 },
    ],
    [
      'a discounted order amount never scales up',
      { items: [{ amount: 10 }], discountedAmount: 30 },
      { amount: 10, payable: 30, points: 10 },
    ],
    [
      'without lines the order amount is the base',
      { amount: 12.5 },
      { amount: 12.5, payable: 12.5, points: 12 },
    ],
    [
      'without lines an order discount is taken off it',
      { amount: 12.5, discountAmount: 2 },
      { amount: 12.5, payable: 10.5, points: 10 },
    ],
    [
      'an order is never payable below 0',
      { amount: 10, discountAmount: 12 },
      { amount: 10, payable: 0, points: 0 },
    ],
    [
      'with lines the order amount is only stored',
      { items: [{ amount: 3 }], amount: 99 },
      { amount: 99, payable: 3, points: 3 },
    ],
    [
      '0.1 and 0.2 are 0.3',
      { items: [{ amount: 0.1 }, { amount: 0.2 }, { amount: 0.7 }] },
      { amount: 1, payable: 1, points: 1 },
    ],
    [
      'amounts are computed with rounded half-up',
      { amount: 1.005 },
      { amount: 1.005, payable: 1.01, points: 1 },
    ],
    [
      'a third three times is rounded once',
      { items: [{ unitPrice: 0.333333, quantity: 3 }] },
      { amount: 1, payable: 1, points: 1 },
    ],
    [
      'points are rounded once per basket, not per line',
      { items: [{ amount: 1.5 }, { amount: 1.5 }] },
      { amount: 3, payable: 3, points: 3 },
    ],
    [
      'a line without any amount is worth 0',
      { items: [{ product: 'bag' }] },
      { amount: 0, payable: 0, points: 0 },
    ],
    ['an empty basket is a basket', {}, { amount: 0, payable: 0, points: 0 }],
    ['so is one with an empty list', { items: [] }, { amount: 0, payable: 0, points: 0 }],
    ['and so is -0', { amount: -0 }, { amount: 0, payable: 0, points: 0 }],
  ])('%s', async (_rule, body, expected) => {
    const who = await merchant.register(campaign)
    const reply = await process(who, body)
    expect(reply.status).toBe(201)
    const { amount, payableAmount: payable, executedActions } = reply.body
    expect({ amount, payable, points: executedActions.collectables.points.value }).toEqual(expected)
  })

  test('amounts and discounts are stored and given back exactly as sent, at both levels', async () => {
    const who = await merchant.register(campaign)
    const sent = { amount: 10.123456789, discountAmount: 0.1000001, discountedAmount: 9.9999 }
    const items = [
      {
        id: 'x',
        quantity: 0.333333,
        unitPrice: 1234.567891,
        amount: 411.5222,
        discountAmount: 0.005,
        discountedAmount: 411.517199,
      },
      { id: 'y', quantity: 1000000, amount: 1e-7 },
    ]
    const { status, body } = await process(who, { ...sent, items })
    expect(status).toBe(201)
    const got = (await read(body.id)).body
    expect(got).toMatchObject(sent)
    expect(got.items).toEqual(items)
  })

  test.each([
    ['JPY', { items: [{ unitPrice: 100.4, quantity: 3 }] }, { amount: 301, payableAmount: 301 }],
    ['JPY', { amount: 99.5 }, { amount: 99.5, payableAmount: 100 }],
    ['KWD', { items: [{ unitPrice: 0.0015, quantity: 1 }] }, { amount: 0.002, payableAmount: 0.002 }],
    ['EUR', { items: [{ unitPrice: 0.005, quantity: 1 }] }, { amount: 0.01, payableAmount: 0.01 }],
  ])('in %s %j is computed with the decimals of the currency', async (currency, body, expected) => {
    const own = await service.createMerchant({ currency })
    const id = await own.publishCampaign({ name: 'P', balances: [{ key: 'points' }] })
    const reply = await process(await own.register(id), body, own)
    expect(reply.body).toMatchObject(expected)
  })

  test('500 lines are a basket, 501 are not', async () => {
    const who = await merchant.register(campaign)
    const lines = (count: number) => Array.from({ length: count }, () => ({ product: 'latte', amount: 0.01 }))
    const { status, body } = await process(who, { items: lines(500) })
    expect(status).toBe(201)
    expect(body.amount).toBe(5)
    expect(body.executedActions.coupons).toHaveLength(50)
    expect((await read(body.id)).body.items).toHaveLength(500)
    expectRefusal(await process(who, { items: lines(501) }), 400, '_invalid_payload', /items/)
  })

  test('lines are numbered by position unless they have an id, and no id may stand twice', async () => {
    const who = await merchant.register(campaign)
    const { body } = await process(who, { items: [{ amount: 1 }, { id: 'mine', amount: 1 }, { amount: 1 }] })
    const ids = (await read(body.id)).body.items.map((line: { id: string }) => line.id)
    expect(ids).toEqual(['1', 'mine', '3'])
    expectRefusal(await process(who, { items: [{ id: 'a' }, { id: 'a' }] }), 400, '_invalid_payload', /items/)
    expectRefusal(await process(who, { items: [{ id: '2' }, {}] }), 400, '_invalid_payload', /items/)
  })
})

describe('points', () => {
  let who: Registered
  beforeAll(async () => {
    who = await merchant.register(campaign)
    await give(who, 1_000)
  })

  test('spending takes them off, tells what they are worth, and that part collects nothing', async () => {
    const own = await merchant.register(campaign)
    await give(own, 200)
    const { body } = await process(own, { amount: 10, pointsToSpend: 200 })
    expect(body).toMatchObject({ payableAmount: 10, pointsSpent: 200, pointsDiscount: 2 })
    expect(body.executedActions.collectables.points).toEqual({ value: 8, total: 8 })
  })

  test('with spend.earns the part paid with points collects too', async () => {
    const id = await merchant.publishCampaign({ ...coffeeClub, spend: { ...coffeeClub.spend, earns: true } })
    const own = await merchant.register(id)
    await give(own, 200)
    const { body } = await process(own, { amount: 10, pointsToSpend: 200 })
    expect(body.executedActions.collectables.points).toEqual({ value: 10, total: 10 })
  })

  test('what points pay is spread over the lines like an order discount', async () => {
    const id = await merchant.publishCampaign({
      ...coffeeClub,
      rules: [{ ...coffeeClub.rules[0], products: ['latte'] }],
      spend: { balance: 'points', worth: 0.01 },
    })
    const own = await merchant.register(id)
    await give(own, 500)
    const { body } = await process(own, {
      items: [
        { product: 'latte', amount: 10 },
        { product: 'cake', amount: 10 },
      ],
      pointsToSpend: 500,
    })
    // 5 of 20 are paid with points, so a quarter of the latte is, and 7.50 of it collect.
    expect(body.executedActions.collectables.points).toEqual({ value: 7, total: 7 })
  })

  test('0 spends nothing, also without a point balance', async () => {
    const { status, body } = await process(who, { amount: 1, pointsToSpend: 0 })
    expect(status).toBe(201)
    expect(body).toMatchObject({ pointsSpent: 0, pointsDiscount: 0 })
    expect(typesOf({ body } as Reply)).toEqual(['collect'])
    const none = await merchant.publishCampaign({ name: 'No spend', balances: [{ key: 'points' }] })
    expect((await process(await merchant.register(none), { pointsToSpend: 0 })).status).toBe(201)
  })

  test('a card whose campaign lets nothing be spent: points_not_spendable', async () => {
    const none = await merchant.publishCampaign({ name: 'No spend', balances: [{ key: 'points' }] })
    const own = await merchant.register(none)
    await give(own, 500)
    expectRefusal(await process(own, { amount: 100, pointsToSpend: 1 }), 400, 'points_not_spendable')
  })

  test('more than there are: insufficient_points, before any other rule of spending', async () => {
    const poor = await merchant.register(campaign)
    await give(poor, 50)
    expectRefusal(await process(poor, { amount: 0, pointsToSpend: 51 }), 400, 'insufficient_points')
    expectRefusal(await process(poor, { amount: 100, pointsToSpend: 9e15 }), 400, 'insufficient_points')
  })

  test('fewer than the minimum: points_below_minimum, the minimum itself passes', async () => {
    const own = await merchant.register(campaign)
    await give(own, 200)
    expectRefusal(await process(own, { amount: 0.5, pointsToSpend: 99 }), 400, 'points_below_minimum')
    expect((await process(own, { amount: 100, pointsToSpend: 100 })).status).toBe(201)
  })

  test('more than the share: points_above_share, exactly the share passes', async () => {
    const own = await merchant.register(campaign)
    await give(own, 400)
    expectRefusal(await process(own, { amount: 1.99, pointsToSpend: 100 }), 400, 'points_above_share')
    expectRefusal(await process(own, { pointsToSpend: 100 }), 400, 'points_above_share')
    expect((await process(own, { amount: 2, pointsToSpend: 100 })).body.pointsDiscount).toBe(1)
  })

  test('a preview that is asked for it tells the most that may be spent, and that many pass', async () => {
    const own = await merchant.register(campaign)
    await give(own, 400)
    const ask = (who: typeof own, more: object) => send('validate?include=spendable', who, more)
    const spendable = async (more: object) => (await ask(own, more)).body.spendable
    expect((await validate(own, { amount: 100 })).body).not.toHaveProperty('spendable')
    expect(await spendable({ amount: 100 })).toBe(400)
    expect((await ask(own, { amount: 100 })).body.spendableBalance).toBe('points')
    expect(await spendable({ amount: 5.01 })).toBe(250)
    expect(await spendable({ amount: 5.01, pointsToSpend: 100 })).toBe(250)
    expect(await spendable({ amount: 1.99 })).toBe(0)
    const sold = await process(own, { amount: 5.01, pointsToSpend: 250 })
    expect(sold.body).toMatchObject({ pointsSpent: 250 })
    expect(sold.body).not.toHaveProperty('spendable')
    const none = await merchant.publishCampaign({ name: 'No spend', balances: [{ key: 'points' }] })
    const reply = await ask(await merchant.register(none), { amount: 100 })
    expect(reply.body).not.toHaveProperty('spendable')
    expect(reply.body).not.toHaveProperty('spendableBalance')
  })

  test('the share counts on the payable amount, after the client’s discounts', async () => {
    const own = await merchant.register(campaign)
    await give(own, 400)
    expectRefusal(
      await process(own, { amount: 4, discountAmount: 2.01, pointsToSpend: 100 }),
      400,
      'points_above_share',
    )
    expect((await process(own, { amount: 4, discountAmount: 2, pointsToSpend: 100 })).status).toBe(201)
  })

  test.each([-1, 0.5, '100', true, null, [100], 1e16])(
    '%j points are _invalid_payload',
    async (pointsToSpend) => {
      expectRefusal(
        await process(who, { amount: 100, pointsToSpend }),
        400,
        '_invalid_payload',
        /pointsToSpend/,
      )
    },
  )
})

describe('coupons', () => {
  const catalog = {
    name: 'Coupons',
    balances: [{ key: 'points' }],
    rewards: [
      { key: 'free', kind: 'free_product', products: ['latte', 'tea'], validDays: 10 },
      { key: 'five', kind: 'amount_off', amount: 5 },
      { key: 'tenth', kind: 'percent_off', percent: 10, maxAmount: 3 },
    ],
  }
  let id: string
  let who: Registered
  beforeAll(async () => {
    id = await merchant.publishCampaign(catalog)
    who = await merchant.register(id)
  })
  const issue = (reward: string, of = who) => issueCoupon(of, reward, id)
  const discounts = (reply: Reply) =>
    reply.body.executedActions.actions.map((action: { discount: number; item?: string }) => [
      action.item,
      action.discount,
    ])

  test('are redeemed on a line and on the order, one or several, and are then gone', async () => {
    const [onLine, second, onOrder] = [await issue('free'), await issue('free'), await issue('five')]
    const reply = await process(who, {
      items: [
        { id: 'cake', product: 'cake', amount: 6 },
        { id: 'tea', product: 'tea', quantity: 3, unitPrice: 2, reward: [onLine, second] },
      ],
      reward: onOrder,
    })
    expect(reply.status).toBe(201)
    expect(discounts(reply)).toEqual([
      ['tea', 2],
      ['tea', 2],
      [undefined, 5],
    ])
    expect(reply.body.payableAmount).toBe(3)
    for (const coupon of [onLine, second, onOrder]) {
      const { body } = await merchant.call('GET', `/v1/coupons/${coupon}`)
      expect(body).toMatchObject({ status: 3, customer: who.customer, redeemedBy: reply.body.id })
    }
    expect((await customerOf(who)).body.coupons).toEqual([])
  })

  test.each<[string, string, object, number]>([
    [
      'a free product is one unit',
      'free',
      { items: [{ product: 'latte', quantity: 4, unitPrice: 3.5, reward: '?' }] },
      3.5,
    ],
    [
      'a free product without unit price is its share of the amount',
      'free',
      { items: [{ product: 'latte', quantity: 4, amount: 10, reward: '?' }] },
      2.5,
    ],
    [
      'a free product for the order is the cheapest matching line',
      'free',
      {
        items: [
          { product: 'latte', amount: 4 },
          { product: 'tea', amount: 2 },
          { product: 'gum', amount: 1 },
        ],
        reward: '?',
      },
      2,
    ],
    [
      'an amount off a line is capped by the line',
      'five',
      { items: [{ product: 'x', amount: 3, reward: '?' }, { amount: 50 }] },
      3,
    ],
    ['an amount off the order is capped by the order', 'five', { amount: 4.2, reward: '?' }, 4.2],
    ['a percentage is of the amount', 'tenth', { amount: 20.05, reward: '?' }, 2.01],
    ['a percentage is capped by maxAmount', 'tenth', { amount: 1000, reward: ['?'] }, 3],
    [
      'it is worth its part of the amount before the client’s discounts',
      'tenth',
      { amount: 20, discountAmount: 15, reward: '?' },
      2,
    ],
    ['an empty basket makes it worth 0', 'five', { reward: '?' }, 0],
  ])('%s', async (_rule, reward, basket, worth) => {
    const coupon = await issue(reward)
    const body = JSON.parse(JSON.stringify(basket).replace('?', coupon))
    const reply = await process(who, body)
    expect(reply.status).toBe(201)
    expect(discounts(reply).map(([, discount]: [unknown, number]) => discount)).toEqual([worth])
  })

  test('named twice in one basket, anywhere, is coupon_not_applicable and redeems nothing', async () => {
    const coupon = await issue('five')
    for (const basket of [
      { amount: 50, reward: [coupon, coupon] },
      { items: [{ amount: 50, reward: [coupon, coupon] }] },
      { items: [{ amount: 50, reward: coupon }], reward: coupon },
      {
        items: [
          { amount: 50, reward: coupon },
          { amount: 50, reward: coupon },
        ],
      },
    ]) {
      expectRefusal(await process(who, basket), 400, 'coupon_not_applicable')
    }
    expect((await merchant.call('GET', `/v1/coupons/${coupon}`)).body.status).toBe(1)
  })

  test('a free product on the wrong line, or without a matching one, is coupon_not_applicable', async () => {
    const coupon = await issue('free')
    for (const basket of [
      {
        items: [
          { product: 'cake', amount: 5, reward: coupon },
          { product: 'latte', amount: 4 },
        ],
      },
      { items: [{ product: 'cake', amount: 5 }], reward: coupon },
      { items: [{ amount: 5, reward: coupon }] },
      { amount: 10, reward: coupon },
    ]) {
      expectRefusal(await process(who, basket), 400, 'coupon_not_applicable')
    }
  })

  test('redeemed, revoked and expired ones are told apart', async () => {
    const own = await merchant.register(id)
    const redeemed = await issue('five', own)
    await process(own, { amount: 10, reward: redeemed })
    expectRefusal(await process(own, { amount: 10, reward: redeemed }), 400, 'coupon_already_redeemed')
    const revoked = await issue('five', own)
    await merchant.call('POST', `/v1/coupons/${revoked}/revoke`)
    expectRefusal(await process(own, { amount: 10, reward: revoked }), 400, 'coupon_revoked')
    const expired = await issue('free', own)
    service.advance(10 * 86_400_000 + 60_000)
    const later = await merchant.signIn()
    const basket = {
      customer: own.customer,
      card: own.card,
      items: [{ product: 'tea', amount: 1, reward: expired }],
    }
    expectRefusal(await later('POST', '/v1/transactions/process', basket), 400, 'coupon_expired')
    expect((await later('GET', `/v1/coupons/${expired}`)).body.status).toBe(4)
    service.setTime(new Date())
    expect((await process(own, { items: basket.items })).status).toBe(201)
  })

  test('another customer’s, another organization’s and no coupon at all are coupon_not_found', async () => {
    const own = await merchant.register(id)
    const theirs = await issue('five', who)
    const other = await service.createMerchant()
    const foreignCampaign = await other.publishCampaign()
    const foreign = await issueCoupon(
      await other.register(foreignCampaign),
      'five-off',
      foreignCampaign,
      other,
    )
    for (const coupon of [theirs, foreign, `cpn_${'0'.repeat(32)}`, 'x', '', who.card, "' OR 1=1"]) {
      expectRefusal(await process(own, { amount: 10, reward: coupon }), 400, 'coupon_not_found')
      expectRefusal(await process(own, { items: [{ amount: 1, reward: [coupon] }] }), 400, 'coupon_not_found')
    }
  })

  test.each([1, {}, [1], [[]], null, true])('reward %j is _invalid_payload', async (reward) => {
    expectRefusal(await process(who, { amount: 1, reward }), 400, '_invalid_payload', /reward/)
    expectRefusal(await process(who, { items: [{ reward }] }), 400, '_invalid_payload', /reward/)
  })

  test('an empty list redeems nothing', async () => {
    expect((await process(who, { items: [{ reward: [] }], reward: [] })).status).toBe(201)
  })

  test('a coupon outlives its campaign’s later versions as it was granted', async () => {
    const own = await merchant.publishCampaign(catalog)
    const person = await merchant.register(own)
    const coupon = await issueCoupon(person, 'five', own)
    await merchant.call('PATCH', `/v1/campaigns/${own}`, {
      rewards: [{ key: 'five', kind: 'amount_off', amount: 1 }],
    })
    await merchant.call('POST', `/v1/campaigns/${own}/publish`)
    expect(discounts(await process(person, { amount: 50, reward: coupon }))).toEqual([[undefined, 5]])
  })

  test('issued by hand needs a customer, a campaign that was published and one of its rewards', async () => {
    const post = (body: object) => merchant.call('POST', '/v1/coupons', body)
    const { customer } = who
    expectRefusal(await post({ customer: 'x', campaign: id, reward: 'five' }), 400, 'customer_not_found')
    expectRefusal(await post({ customer, campaign: 'x', reward: 'five' }), 400, 'campaign_not_found')
    const draft = (await merchant.call('POST', '/v1/campaigns', catalog)).body.id
    expectRefusal(await post({ customer, campaign: draft, reward: 'five' }), 400, 'campaign_not_found')
    expectRefusal(await post({ customer, campaign: id, reward: 'car' }), 400, '_invalid_payload', /reward/)
    expectRefusal(
      await post({ customer, campaign: id, reward: 'five', status: 3 }),
      400,
      '_invalid_payload',
      /status/,
    )
  })

  test('revoking a coupon that is used up in any way says which', async () => {
    const coupon = await issue('five')
    const revoke = () => merchant.call('POST', `/v1/coupons/${coupon}/revoke`)
    expect((await revoke()).body.status).toBe(5)
    expectRefusal(await revoke(), 400, 'coupon_revoked')
    const used = await issue('five')
    await process(who, { amount: 9, reward: used })
    expectRefusal(await merchant.call('POST', `/v1/coupons/${used}/revoke`), 400, 'coupon_already_redeemed')
    expectRefusal(await merchant.call('POST', '/v1/coupons/x/revoke'), 404, 'coupon_not_found')
  })
})

describe('grants', () => {
  test('a consuming threshold grants as often as it fits: 25 stamps make two coupons and 5 stay', async () => {
    const who = await merchant.register(campaign)
    const { body } = await process(who, { items: [{ product: 'latte', quantity: 25, amount: 0 }] })
    expect(body.executedActions.collectables.stamps).toEqual({ value: 5, total: 25 })
    expect(body.executedActions.coupons).toHaveLength(2)
    const [first] = body.executedActions.coupons
    expect(first).toMatchObject({
      id: expect.stringMatching(/^cpn_/),
      status: 1,
      reward: { key: 'free-coffee', name: 'Free coffee', kind: 'free_product', products: ['latte'] },
    })
    const days = (Date.parse(first.expiresAt) - Date.parse(body.createdAt)) / 86_400_000
    expect(days).toBe(30)
    const granted = body.executedActions.actions.filter(
      (action: { type: string }) => action.type === 'grant_coupon',
    )
    expect(granted).toHaveLength(2)
    expect(granted[0]).toMatchObject({ coupon: first.id, reward: 'free-coffee', campaign })
    expect(body.executedActions.progress).toContainEqual({
      key: 'stamps',
      have: 5,
      need: 10,
      reward: 'free-coffee',
    })
    expect((await customerOf(who)).body.coupons).toHaveLength(2)
  })

  test('one that does not consume grants for each multiple the total passes, each only once', async () => {
    const who = await merchant.register(campaign)
    const granted = async (amount: number) => {
      const { body } = await process(who, { amount })
      return body.executedActions.coupons.length
    }
    expect(await granted(499)).toBe(0)
    expect(await granted(1)).toBe(1)
    expect(await granted(499)).toBe(0)
    expect(await granted(1001)).toBe(3)
    expect((await customerOf(who)).body.collectables.points).toEqual({ value: 2000, total: 2000 })
  })

  test('spending does not bring a threshold back: it looks at the total', async () => {
    const who = await merchant.register(campaign)
    await process(who, { amount: 500 })
    await process(who, { amount: 20, pointsToSpend: 400 })
    const { body } = await process(who, { amount: 400 })
    expect(body.executedActions.collectables.points.total).toBe(916)
    expect(body.executedActions.coupons).toEqual([])
  })

  test('an adjustment grants nothing by itself, and its stamps count with the next basket', async () => {
    const who = await merchant.register(campaign)
    await give(who, 10, 'stamps')
    expect((await customerOf(who)).body.coupons).toEqual([])
    const { body } = await process(who, { amount: 1 })
    expect(body.executedActions.coupons).toHaveLength(1)
  })

  test('a coupon granted by a basket can be redeemed by the next one', async () => {
    const who = await merchant.register(campaign)
    const { body } = await process(who, { items: [{ product: 'latte', quantity: 10, unitPrice: 3 }] })
    const coupon = body.executedActions.coupons[0].id
    const next = await process(who, { items: [{ product: 'latte', unitPrice: 3, reward: coupon }] })
    expect(next.status).toBe(201)
    expect((await merchant.call('GET', `/v1/coupons/${coupon}`)).body).toMatchObject({
      grantedBy: body.id,
      redeemedBy: next.body.id,
    })
  })
})

describe('references', () => {
  const directory = async (table: string, org: string) => {
    const { rows } = await service.database.pool.query(
      `SELECT t.opaque_id FROM ${table} t JOIN organizations o USING (org_id) WHERE o.id = $1 ORDER BY 1`,
      [org.slice(4)],
    )
    return rows.map((row) => row.opaque_id)
  }

  test('the user defaults to the API user and the branch to that user’s, also when a user is given', async () => {
    const own = await service.createMerchant()
    const who = await own.register(await own.publishCampaign())
    const plain = (await process(who, {}, own)).body
    expect(plain).toMatchObject({ branchOpaqueId: 'main', userOpaqueId: own.connection })
    const named = (await process(who, { user: 'cash-1' }, own)).body
    expect(named).toMatchObject({ userOpaqueId: 'cash-1', branchOpaqueId: 'main', branch: plain.branch })
    const placed = (await process(who, { branch: 'north' }, own)).body
    expect(placed).toMatchObject({ user: plain.user, branchOpaqueId: 'north' })
  })

  test('new ones are registered on first sight and resolve to the same from then on', async () => {
    const own = await service.createMerchant()
    const who = await own.register(await own.publishCampaign())
    const basket = {
      user: 'u-1',
      branch: 'b-1',
      items: [{ product: 'p-1' }, { product: 'p-2' }, { product: 'p-1' }],
    }
    const first = (await process(who, basket, own)).body
    const second = (await process(who, basket, own)).body
    expect([second.user, second.branch]).toEqual([first.user, first.branch])
    expect(await directory('products', own.id)).toEqual(['p-1', 'p-2'])
    expect(await directory('users', own.id)).toContain('u-1')
    expect(await directory('branches', own.id)).toEqual(['b-1', 'main'])
  })

  test('the same opaque ids in another organization are others', async () => {
    const [a, b] = [await service.createMerchant(), await service.createMerchant()]
    const first = (await process(await a.register(await a.publishCampaign()), { branch: 'x' }, a)).body
    const second = (await process(await b.register(await b.publishCampaign()), { branch: 'x' }, b)).body
    expect(first.branch).not.toBe(second.branch)
  })

  test('neither a preview nor a refused basket registers any', async () => {
    const own = await service.createMerchant()
    const who = await own.register(await own.publishCampaign())
    const basket = { user: 'u', branch: 'b', items: [{ product: 'p', amount: 1 }] }
    const preview = await validate(who, basket, own)
    expect(preview.status).toBe(200)
    expect(preview.body).toMatchObject({ userOpaqueId: 'u', branchOpaqueId: 'b' })
    expect('user' in preview.body || 'branch' in preview.body).toBe(false)
    expectRefusal(await process(who, { ...basket, pointsToSpend: 100 }, own), 400, 'insufficient_points')
    expect(await directory('products', own.id)).toEqual([])
    expect(await directory('branches', own.id)).toEqual(['main'])
  })

  test('with strictReferences unknown ones are refused: product, then user, then branch', async () => {
    const own = await service.createMerchant()
    const who = await own.register(await own.publishCampaign())
    await process(who, { user: 'u', branch: 'b', items: [{ product: 'p' }] }, own)
    await own.call('PATCH', '/v1/organization', { strictReferences: true })
    const wrong = { user: 'u2', branch: 'b2', items: [{ product: 'p' }, { product: 'p2' }] }
    for (const call of [process, validate]) {
      expectRefusal(await call(who, wrong, own), 400, 'invalid_product', /p2/)
      expectRefusal(await call(who, { ...wrong, items: [] }, own), 400, 'invalid_user', /u2/)
      expectRefusal(await call(who, { branch: 'b2' }, own), 400, 'invalid_branch', /b2/)
    }
    expect((await process(who, { user: 'u', branch: 'b', items: [{ product: 'p' }] }, own)).status).toBe(201)
    expect((await process(who, {}, own)).status).toBe(201)
    expect(await directory('products', own.id)).toEqual(['p'])
  })

  test.each([
    ['user', ''],
    ['user', 7],
    ['branch', ''],
    ['branch', {}],
    ['opaqueId', ''],
    ['opaqueId', 5],
  ])('%s %j is _invalid_payload', async (name, value) => {
    const who = await merchant.register(campaign)
    expectRefusal(await process(who, { [name]: value }), 400, '_invalid_payload', new RegExp(name))
  })

  test('twenty baskets that name the same new products, user and branch at once all pass', async () => {
    const people = await Promise.all(Array.from({ length: 20 }, () => merchant.register(campaign)))
    const items = ['z', 'a', 'm'].map((name) => ({ product: `new-${name}`, amount: 1 }))
    const replies = await Promise.all(
      people.map((who, i) =>
        process(who, { user: 'new-user', branch: 'new-branch', items: i % 2 ? items : items.toReversed() }),
      ),
    )
    expect(new Set(replies.map((reply) => reply.status))).toEqual(new Set([201]))
    expect(new Set(replies.map((reply) => reply.body.branch)).size).toBe(1)
    expect(new Set(replies.map((reply) => reply.body.user)).size).toBe(1)
  })
})

describe('occurredAt', () => {
  let who: Registered
  beforeAll(async () => {
    who = await merchant.register(campaign)
  })

  test('is now unless told', async () => {
    const { body } = await process(who)
    expect(body.occurredAt).toBe(body.createdAt)
    expect(body.createdAt).toBe(service.deps.clock().toISOString())
  })

  test('may be in any time zone', async () => {
    const now = service.deps.clock()
    const berlin = new Date(now.getTime() + 3_600_000).toISOString().replace('Z', '+01:00')
    expect((await process(who, { occurredAt: berlin })).body.occurredAt).toBe(now.toISOString())
  })

  test('is at most five minutes ahead', async () => {
    const at = (ms: number) => new Date(service.deps.clock().getTime() + ms).toISOString()
    expect((await process(who, { occurredAt: at(300_000) })).status).toBe(201)
    expectRefusal(await process(who, { occurredAt: at(300_001) }), 400, '_invalid_payload', /occurredAt/)
    expectRefusal(
      await validate(who, { occurredAt: '2999-01-01T00:00:00Z' }),
      400,
      '_invalid_payload',
      /occurredAt/,
    )
  })

  test.each([
    'yesterday',
    '',
    '2026-02-30T10:00:00Z',
    '2026-01-01',
    1773480000000,
    '2026-01-01T25:00:00Z',
    null,
  ])('%j is _invalid_payload', async (occurredAt) => {
    expectRefusal(await process(who, { occurredAt }), 400, '_invalid_payload', /occurredAt/)
  })

  test('rules look at it in the organization’s time zone', async () => {
    const own = await openShop(service, { timezone: 'America/New_York' })
    const id = await own.publish({
      name: 'Tuesdays',
      balances: [{ key: 'points' }],
      rules: [
        {
          id: 'tue',
          kind: 'collect_per_visit',
          balance: 'points',
          amount: 5,
          when: { days: ['tue'], from: '08:00', to: '11:00' },
        },
      ],
    })
    const days = { opened: '2026-03-17T00:00:00Z', now: '2026-03-19T00:00:00Z' }
    const person = await registerEarlier(service, days, () => own.register(id))
    const points = async (occurredAt: string) => {
      const { executedActions } = await own.process(person, { amount: 1, occurredAt })
      return [executedActions.actions.length, executedActions.skipped[0]?.reason]
    }
    expect(await points('2026-03-17T12:00:00Z')).toEqual([1, undefined]) // 08:00 there
    expect(await points('2026-03-17T14:59:59Z')).toEqual([1, undefined])
    expect(await points('2026-03-17T15:00:00Z')).toEqual([0, 'time'])
    expect(await points('2026-03-17T11:59:59Z')).toEqual([0, 'time'])
    expect(await points('2026-03-18T12:00:00Z')).toEqual([0, 'day'])
    service.setTime(new Date())
  })
})

describe('validate', () => {
  const stripped = (body: object) =>
    JSON.parse(
      JSON.stringify(body, (key, value) =>
        ['id', 'createdAt', 'occurredAt', 'expiresAt'].includes(key) ? undefined : value,
      ),
    )

  test('shows exactly what process then does, without ids that do not exist yet', async () => {
    const who = await merchant.register(campaign)
    await give(who, 700)
    const coupon = await issueCoupon(who)
    const basket = {
      opaqueId: 'V-1',
      items: [
        { product: 'latte', quantity: 12, unitPrice: 3.45, reward: coupon },
        { product: 'cake', amount: 600, discountAmount: 3.3 },
      ],
      discountAmount: 1.5,
      pointsToSpend: 600,
      metaData: { a: 1 },
    }
    const preview = await validate(who, basket)
    expect(preview.status).toBe(200)
    expect('id' in preview.body || 'createdAt' in preview.body).toBe(false)
    for (const granted of preview.body.executedActions.coupons) expect('id' in granted).toBe(false)
    const done = await process(who, basket)
    expect(done.body.executedActions.coupons).toHaveLength(2)
    for (const granted of done.body.executedActions.actions.filter(
      (action: { type: string }) => action.type === 'grant_coupon',
    ))
      delete granted.coupon
    expect(stripped(preview.body)).toEqual(stripped(done.body))
    expect(preview.body.pointsDiscount).toBe(6)
  })

  test('writes nothing at all, however often', async () => {
    const who = await merchant.register(campaign)
    await give(who, 500)
    const coupon = await issueCoupon(who)
    const before = await snapshot()
    for (let i = 0; i < 5; i++) {
      const reply = await validate(who, {
        items: [
          { product: `unseen-${i}`, amount: 500 },
          { product: 'latte', amount: 9, reward: coupon },
        ],
        pointsToSpend: 200,
        user: `unseen-${i}`,
        branch: `unseen-${i}`,
        opaqueId: `unseen-${i}`,
      })
      expect(reply.status).toBe(200)
    }
    expect(await snapshot()).toEqual(before)
  })

  test('does not check the receipt number', async () => {
    const who = await merchant.register(campaign)
    await process(who, { opaqueId: 'V-used', amount: 1 })
    expect((await validate(who, { opaqueId: 'V-used', amount: 2 })).status).toBe(200)
  })

  test('refuses what process refuses', async () => {
    const who = await merchant.register(campaign)
    for (const basket of [
      { pointsToSpend: 100 },
      { reward: 'x' },
      { items: [{ quantity: 0 }] },
      { customer: 'x' },
      { card: 'x' },
    ]) {
      const [shown, done] = [await validate(who, basket), await process(who, basket)]
      expect(done.status).toBe(400)
      expect([shown.status, shown.body.message]).toEqual([done.status, done.body.message])
    }
  })
})

describe('refusals', () => {
  test('win in the order shape, customer, card, references, coupons, points; each alone writes nothing', async () => {
    const own = await service.createMerchant()
    const id = await own.publishCampaign()
    const who = await own.register(id)
    const bystander = await own.register(id)
    await own.call('PATCH', '/v1/organization', { strictReferences: true })
    const revoked = await issueCoupon(who, 'five-off', id, own)
    await own.call('POST', `/v1/coupons/${revoked}/revoke`)
    const blockedCustomer = await own.register(id)
    await own.call('POST', `/v1/customers/${blockedCustomer.customer}/block`)
    const blockedCard = await own.register(id)
    await own.call('POST', `/v1/cards/${blockedCard.card}/block`)
    const before = await snapshot()

    const everythingWrong: Record<string, unknown> = {
      customer: 'cus_none',
      card: 'card_none',
      items: [{ product: 'unknown', amount: 10, quantity: 0 }],
      user: 'unknown',
      branch: 'unknown',
      reward: ['cpn_none', revoked],
      pointsToSpend: 5_000,
    }
    const steps: [Record<string, unknown>, string][] = [
      [{}, '_invalid_payload'],
      [{ items: [{ product: 'unknown', amount: 10 }] }, 'customer_not_found'],
      [{ customer: blockedCustomer.customer }, 'customer_not_active'],
      [{ customer: who.customer }, 'card_not_found'],
      [{ card: bystander.card }, 'card_not_found'],
      [{ customer: blockedCard.customer, card: blockedCard.card }, 'card_not_active'],
      [{ customer: who.customer, card: who.card }, 'invalid_product'],
      [{ items: [{ amount: 10 }] }, 'invalid_user'],
      [{ user: undefined }, 'invalid_branch'],
      [{ branch: undefined }, 'coupon_not_found'],
      [{ reward: revoked }, 'coupon_revoked'],
      [{ reward: undefined }, 'insufficient_points'],
    ]
    let body = everythingWrong
    for (const [change, code] of steps) {
      body = JSON.parse(JSON.stringify({ ...body, ...change }))
      for (const path of ['process', 'validate']) {
        const reply = await own.call('POST', `/v1/transactions/${path}`, body)
        expect([path, reply.status, reply.body.message]).toEqual([path, 400, code])
      }
    }
    expect(await snapshot()).toEqual(before)
    expect((await own.call('POST', '/v1/transactions/process', { ...body, pointsToSpend: 0 })).status).toBe(
      201,
    )
  })

  test('a basket is all or nothing: a refused spend leaves its good coupon active', async () => {
    const who = await merchant.register(campaign)
    const coupon = await issueCoupon(who)
    const before = await snapshot()
    const basket = {
      items: [{ product: 'latte', amount: 500, reward: coupon }],
      pointsToSpend: 100,
      opaqueId: 'AON',
    }
    expectRefusal(await process(who, basket), 400, 'insufficient_points')
    expect(await snapshot()).toEqual(before)
    // The receipt number is still free, and so is the coupon.
    expect((await process(who, { ...basket, pointsToSpend: 0 })).status).toBe(201)
  })

  test('customers and cards of others are not found, whichever way they are mixed', async () => {
    const [a, b] = [await merchant.register(campaign), await merchant.register(campaign)]
    const other = await service.createMerchant()
    const foreign = await other.register(await other.publishCampaign())
    expectRefusal(await process({ ...a, card: b.card }), 400, 'card_not_found')
    expectRefusal(await process({ ...a, card: foreign.card }), 400, 'card_not_found')
    expectRefusal(await process({ ...a, customer: foreign.customer }), 400, 'customer_not_found')
    expectRefusal(await process(foreign), 400, 'customer_not_found')
    expectRefusal(await process({ ...a, card: '' }), 400, 'card_not_found')
    expectRefusal(await process({ ...a, customer: a.card, card: a.customer }), 400, 'customer_not_found')
  })

  test.each([
    ['customer', { card: 'x' }],
    ['card', { customer: 'x' }],
    ['customer', { customer: null, card: 'x' }],
    ['card', { customer: 'x', card: ['x'] }],
    ['items', { customer: 'x', card: 'x', items: {} }],
    ['items\\[0\\]', { customer: 'x', card: 'x', items: [7] }],
    ['metaData', { customer: 'x', card: 'x', metaData: [] }],
  ])('a wrong %s is _invalid_payload naming it: %j', async (name, body) => {
    const reply = await merchant.call('POST', '/v1/transactions/process', body)
    expectRefusal(reply, 400, '_invalid_payload', new RegExp(name))
  })
})

describe('looking up', () => {
  let own: Merchant
  let people: Registered[]
  const made: { id: string; branch: string; createdAt: string; opaqueId: string }[] = []
  beforeAll(async () => {
    own = await service.createMerchant()
    const id = await own.publishCampaign()
    people = [await own.register(id), await own.register(id)]
    for (let i = 0; i < 6; i++) {
      const { body } = await process(
        people[i % 2]!,
        { opaqueId: `R-${i}`, branch: i < 3 ? 'north' : 'south' },
        own,
      )
      made.unshift(body)
      service.advance(3)
    }
  })
  const list = (query: string) => own.call('GET', `/v1/transactions${query}`)
  const idsOf = (reply: Reply) => reply.body.data.map((item: { id: string }) => item.id)
  const idsWhere = (keep: (i: number) => boolean) => made.filter((_, i) => keep(5 - i)).map((item) => item.id)

  test('by receipt number a till finds out what became of a call', async () => {
    const { status, body } = await list('?opaqueId=R-3')
    expect(status).toBe(200)
    expect(body.data).toHaveLength(1)
    expect(body.data[0]).toEqual((await read(made[2]!.id, own)).body)
    expect((await list('?opaqueId=R-none')).body).toEqual({ data: [] })
    expect((await list(`?opaqueId=${encodeURIComponent('R-%')}`)).body.data).toEqual([])
    expect((await list(`?opaqueId=${encodeURIComponent('R-_')}`)).body.data).toEqual([])
  })

  test('all are newest first, over several pages', async () => {
    const first = await list('?limit=4')
    const second = await list(`?limit=4&cursor=${first.body.nextCursor}`)
    expect([...idsOf(first), ...idsOf(second)]).toEqual(made.map((item) => item.id))
    expect('nextCursor' in second.body).toBe(false)
  })

  test('by customer, by branch, by time, and by several of them', async () => {
    expect(idsOf(await list(`?customer=${people[0]!.customer}`))).toEqual(idsWhere((i) => i % 2 === 0))
    const north = made.at(-1)!.branch
    expect(idsOf(await list(`?branch=${north}`))).toEqual(idsWhere((i) => i < 3))
    const from = encodeURIComponent(made[3]!.createdAt)
    const to = encodeURIComponent(made[1]!.createdAt)
    expect(idsOf(await list(`?from=${from}`))).toEqual(idsWhere((i) => i >= 2))
    expect(idsOf(await list(`?from=${from}&to=${to}`))).toEqual(idsWhere((i) => i >= 2 && i < 4))
    expect(idsOf(await list(`?customer=${people[0]!.customer}&branch=${north}`))).toEqual(
      idsWhere((i) => i === 0 || i === 2),
    )
  })

  test('by card and by status; a card of somebody else has no sale of this customer', async () => {
    expect(idsOf(await list(`?card=${people[1]!.card}`))).toEqual(idsWhere((i) => i % 2 === 1))
    expect(idsOf(await list(`?card=${people[1]!.card}&customer=${people[0]!.customer}`))).toEqual([])
    const replaced = await own.call('POST', `/v1/cards/${people[1]!.card}/replace`)
    expect(idsOf(await list(`?card=${people[1]!.card}`))).toEqual(idsWhere((i) => i % 2 === 1))
    expect(idsOf(await list(`?card=${replaced.body.id}`))).toEqual([])
    for (const card of ['x', `card_${'0'.repeat(32)}`]) {
      expectRefusal(await list(`?card=${card}`), 404, 'card_not_found')
    }
    expect(idsOf(await list('?status=1'))).toEqual(idsWhere(() => true))
    expect(idsOf(await list('?status=3'))).toEqual([])
    for (const status of ['0', '4', 'x', '']) {
      expectRefusal(await list(`?status=${status}`), 400, '_invalid_payload', /status/)
    }
    const { status } = await own.call('POST', `/v1/transactions/${made[0]!.id}/return`)
    expect(status).toBe(201)
    expect(idsOf(await list('?status=3'))).toEqual([made[0]!.id])
    expect(idsOf(await list('?status=1'))).toEqual(idsWhere((i) => i < 5))
  })

  test.each(['?branch=x', `?branch=brn_${'0'.repeat(32)}`])('%s finds nothing', async (query) => {
    expect((await list(query)).body).toEqual({ data: [] })
  })

  test.each(['?customer=x', `?customer=cus_${'0'.repeat(32)}`])('%s is no customer', async (query) => {
    expect(await list(query)).toMatchObject({ status: 404, body: { message: 'customer_not_found' } })
  })

  test("a branch is found by the till's own id as well", async () => {
    const byId = await list(`?branch=${made.at(-1)!.branch}`)
    const { branchOpaqueId } = byId.body.data[0]
    expect(idsOf(await list(`?branch=${branchOpaqueId}`))).toEqual(idsOf(byId))
  })

  test('a leap second is no time we know, and no fault of ours', async () => {
    expect(await list('?from=2016-12-31T23:59:60Z')).toMatchObject({
      status: 400,
      body: { message: '_invalid_payload' },
    })
  })

  test.each([
    '?from=yesterday',
    '?to=',
    '?limit=0',
    '?limit=500',
    '?cursor=x',
    '?opaqueId=',
    '?from=2026-13-01T00:00:00Z',
    '?from=2026-02-30',
    '?to=2026-02-30T00:00:00Z',
    '?from=2026-03-14T09:26:53',
    '?from=14.03.2026',
    '?to=1773480413589',
  ])('%s is _invalid_payload', async (query) => {
    expectRefusal(await list(query), 400, '_invalid_payload')
  })

  test.each(['x', `txn_${'0'.repeat(32)}`, '%00'])('%j is transaction_not_found', async (id) => {
    expectRefusal(await read(id, own), 404, 'transaction_not_found')
  })
})

describe('days of a list', () => {
  test('are those of the organization, and the last one belongs to it', async () => {
    // Clocks in Berlin are put forward on 28 March 2027, at two in the morning: that day has 23 hours.
    const times = [
      '2027-03-27T22:59:59Z',
      '2027-03-27T23:00:00Z',
      '2027-03-28T21:59:59Z',
      '2027-03-28T22:00:00Z',
    ]
    service.setTime(new Date(times[0]!))
    const own = await service.createMerchant({ timezone: 'Europe/Berlin', country: 'DE' })
    const campaign = await own.publishCampaign()
    const made: Record<string, string>[] = []
    for (const time of times) {
      service.setTime(new Date(time))
      const call = await own.signIn()
      const { body } = await call('POST', '/v1/customers/register', {
        campaignId: campaign,
        customer: { data: {} },
      })
      const sold = await call('POST', '/v1/transactions/process', {
        customer: body.id,
        card: body.cards[0].id,
        items: [{ product: 'latte', quantity: 10, amount: 30 }],
      })
      expect(sold.status).toBe(201)
      made.unshift({
        transactions: sold.body.id,
        customers: body.id,
        coupons: sold.body.executedActions.coupons[0].id,
      })
    }
    const call = await own.signIn()
    for (const list of ['transactions', 'customers', 'coupons']) {
      const found = async (query: string) => {
        const { body } = await call('GET', `/v1/${list}?${query}`)
        return body.data.map(({ id }: { id: string }) => made.findIndex((item) => item[list] === id))
      }
      expect(await found('from=2027-03-28&to=2027-03-28')).toEqual([1, 2])
      expect(await found('from=2027-03-28')).toEqual([0, 1, 2])
      expect(await found('to=2027-03-27')).toEqual([3])
      expect(await found('to=2027-03-28T21:59:59Z')).toEqual([2, 3])
      expect(await found('to=2027-03-28T23:59:59%2B02:00')).toEqual([2, 3])
      expect(await found('from=2027-03-28T22:00:00Z&to=2027-03-30')).toEqual([0])
      expect(await found('from=2027-03-30&to=2027-03-27')).toEqual([])
      expect(await found('from=1970-01-01&to=9999-12-31')).toEqual([0, 1, 2, 3])
    }
  })
})

describe('at the edges', () => {
  let own: Merchant
  let campaign: string
  beforeAll(async () => {
    own = await service.createMerchant()
    campaign = await own.publishCampaign()
  })

  test('a leap second in occurredAt is refused by both calls', async () => {
    const { customer, card } = await own.register(campaign)
    const body = { customer, card, amount: 5, occurredAt: '2016-12-31T23:59:60Z' }
    for (const call of ['validate', 'process']) {
      const reply = await own.call('POST', `/v1/transactions/${call}`, body)
      expect(reply).toMatchObject({ status: 400, body: { message: '_invalid_payload' } })
    }
  })

  test('an API user without a branch sells in the main one, in the preview as in the sale', async () => {
    const { customer, card } = await own.register(campaign)
    const users = await own.call('GET', '/v1/users')
    const account = users.body.data.find((user: { opaqueId: string }) => user.opaqueId === own.connection)
    await own.call('PATCH', `/v1/users/${account.id}`, { branch: null })
    for (const call of ['validate', 'process']) {
      const reply = await own.call('POST', `/v1/transactions/${call}`, { customer, card, amount: 5 })
      expect(reply.body).toMatchObject({ branchOpaqueId: 'main', payableAmount: 5 })
    }
  })

  test('a repeat for an erased customer says that there is no such customer', async () => {
    const { customer, card } = await own.register(campaign)
    const body = { customer, card, amount: 5, opaqueId: 'R-erased' }
    await own.call('POST', '/v1/transactions/process', body)
    await own.call('POST', `/v1/customers/${customer}/erase`)
    const reply = await own.call('POST', '/v1/transactions/process', body)
    expect(reply).toMatchObject({ status: 400, body: { message: 'customer_not_found' } })
  })

  test('a coupon id that cannot be one is refused by its place and not repeated', async () => {
    const { customer, card } = await own.register(campaign)
    const reply = await own.call('POST', '/v1/transactions/process', {
      customer,
      card,
      amount: 5,
      reward: 'nonsense',
    })
    expect(reply.body).toMatchObject({ message: 'coupon_not_found', field: 'reward' })
    expect(JSON.stringify(reply.body)).not.toContain('nonsense')
  })

  test('parallel patches of different members of a product keep both', async () => {
    const created = await own.call('POST', '/v1/products', { opaqueId: 'tea' })
    await Promise.all([
      own.call('PATCH', `/v1/products/${created.body.id}`, { name: 'Tea' }),
      own.call('PATCH', `/v1/products/${created.body.id}`, { category: 'hot' }),
    ])
    const reply = await own.call('GET', `/v1/products/${created.body.id}`)
    expect(reply.body).toMatchObject({ name: 'Tea', category: 'hot' })
  })

  test('a patch that changes nothing is no change, and an archived campaign takes none', async () => {
    const id = await own.publishCampaign()
    expect((await own.call('PATCH', `/v1/campaigns/${id}`, {})).body).toMatchObject({ hasChanges: false })
    await own.call('POST', `/v1/campaigns/${id}/archive`)
    const reply = await own.call('PATCH', `/v1/campaigns/${id}`, { name: 'Late' })
    expect(reply).toMatchObject({ status: 400, body: { message: 'invalid_campaign' } })
  })

  test('the reason of an adjustment goes with the customer, from the ledger and from stored replies', async () => {
    const { customer } = await own.register(campaign)
    const body = { key: 'points', amount: 5, reason: 'For Ada Lovelace' }
    const key = { 'idempotency-key': 'erase-me' }
    await own.call('POST', `/v1/customers/${customer}/adjustments`, body, key)
    await own.call('POST', `/v1/customers/${customer}/erase`)
    const { rows } = await service.database.pool.query(
      `SELECT (SELECT count(*) FROM ledger_entries WHERE reason LIKE '%Ada%') +
              (SELECT count(*) FROM idempotency_keys WHERE reply::text LIKE '%Ada%') AS kept`,
    )
    expect(rows[0].kept).toBe(0)
  })

  test('a return is found by the number the till gave it, and a line that was not sold is named', async () => {
    const { customer, card } = await own.register(campaign)
    const sale = await own.call('POST', '/v1/transactions/process', {
      customer,
      card,
      items: [{ amount: 5 }],
    })
    const path = `/v1/transactions/${sale.body.id}/return`
    const unknown = await own.call('POST', path, { items: [{ id: '9', quantity: 1 }] })
    expect(unknown.body).toMatchObject({
      message: 'return_exceeds_sale',
      description: expect.stringContaining('"9"'),
    })
    await own.call('POST', path, { opaqueId: 'RET-1' })
    const found = await own.call('GET', '/v1/transactions?opaqueId=RET-1')
    expect(found.body.data).toMatchObject([{ id: sale.body.id, status: 3, returns: [{ opaqueId: 'RET-1' }] }])
  })

  test('an id of any length that is none of ours is not found', async () => {
    const body = { customer: `cus_${'x'.repeat(500)}`, card: 'y', amount: 1 }
    const reply = await own.call('POST', '/v1/transactions/process', body)
    expect(reply).toMatchObject({ status: 400, body: { message: 'customer_not_found' } })
  })
})
