/** What a basket costs: discounts, coupons, points, what is due, and what looks like a mistake. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../support/service.ts'
import { auditWithReturns, type Body, collected, openShop, type Person, type Shop } from '../support/shop.ts'

let service: TestService
let shop: Shop
let campaign: string
let person: Person
let receipts = 0

beforeAll(async () => {
  service = await startTestService()
  shop = await openShop(service, { currency: 'EUR' })
  campaign = await shop.publish({
    name: 'Club',
    balances: [{ key: 'points' }],
    rules: [{ id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 }],
    rewards: [
      { key: 'free-latte', kind: 'free_product', products: ['latte'] },
      { key: 'five-off', kind: 'amount_off', amount: 5 },
      { key: 'ten-percent', kind: 'percent_off', percent: 10 },
    ],
    spend: { balance: 'points', worth: 0.001 },
  })
  person = await shop.register(campaign)
  await shop.post(`/v1/customers/${person.customer}/adjustments`, {
    key: 'points',
    amount: 100_000,
    reason: 'test',
  })
})
afterAll(async () => {
  expect(await auditWithReturns(service)).toEqual([])
  expect(await shop.integrity()).toMatchObject({ ok: true, problems: [] })
  await service.close()
})

const issue = async (reward: string): Promise<string> =>
  (await shop.post('/v1/coupons', { customer: person.customer, campaign, reward })).id
const latte = (parts: object = {}) => ({ product: 'latte', unitPrice: 3.5, ...parts })
const receipt = () => ({ opaqueId: `price-${receipts++}` })
const validate = (basket: object): Promise<Body> =>
  shop.post('/v1/transactions/validate', { ...person, ...basket })
const codes = (reply: Body): string[] =>
  (reply.warnings ?? []).map(({ code, at }: { code: string; at: string }) => `${code} ${at}`)

test('the simplest till sends the bare basket twice and charges what is due', async () => {
  const basket = {
    items: [latte({ quantity: 2, reward: await issue('free-latte') }), { product: 'bun', unitPrice: 6 }],
    reward: await issue('five-off'),
    pointsToSpend: 1500,
    ...receipt(),
  }
  const totals = { amount: 13, discounts: 0, coupons: 8.5, points: 1.5, due: 3 }
  expect(await validate(basket)).toMatchObject({ amount: 13, payableAmount: 4.5, totals })
  const sale = await shop.process(person, basket)
  expect(sale).toMatchObject({ amount: 13, payableAmount: 4.5, pointsDiscount: 1.5, totals })
  expect(sale).not.toHaveProperty('warnings')
  expect(collected(sale)).toEqual({ base: 3 })
  expect(await shop.get(`/v1/transactions/${sale.id}`)).toMatchObject({ totals, payableAmount: 4.5 })
  expect((await shop.get(`/v1/transactions?opaqueId=${basket.opaqueId}`)).data).toMatchObject([{ totals }])
  const refund = await shop.giveBack(sale)
  expect(refund).toMatchObject({ refundAmount: 3, pointsRestored: 1500 })
})

describe('the client’s discounts', () => {
  test.each<{ rule: string; basket: (coupon: string) => object; totals: Body }>([
    {
      rule: 'include the coupon where they are at its place',
      basket: (reward) => ({ items: [{ unitPrice: 8, discountAmount: 5, reward }] }),
      totals: { amount: 8, discounts: 5, coupons: 0, points: 0, due: 3 },
    },
    {
      rule: 'are the till’s own if it says so',
      basket: (reward) => ({
        items: [{ unitPrice: 8, discountAmount: 1, reward }],
        couponsIncluded: false,
      }),
      totals: { amount: 8, discounts: 1, coupons: 5, points: 0, due: 2 },
    },
    {
      rule: 'include the coupon if it says so',
      basket: (reward) => ({ items: [{ unitPrice: 8 }], discountAmount: 5, couponsIncluded: true, reward }),
      totals: { amount: 8, discounts: 5, coupons: 0, points: 0, due: 3 },
    },
    {
      rule: 'price the whole order with its own price',
      basket: (reward) => ({ items: [{ unitPrice: 8, reward }], discountedAmount: 3 }),
      totals: { amount: 8, discounts: 5, coupons: 0, points: 0, due: 3 },
    },
  ])('$rule', async ({ basket, totals }) => {
    const sent = { ...basket(await issue('five-off')), ...receipt() }
    expect(await validate(sent)).toMatchObject({ totals })
    const sale = await shop.process(person, sent)
    expect(sale).toMatchObject({ totals, payableAmount: totals.due })
    const { couponsIncluded } = sent as { couponsIncluded?: boolean }
    expect((await shop.get(`/v1/transactions/${sale.id}`)).couponsIncluded).toBe(couponsIncluded)
    expect((await shop.giveBack(sale)).refundAmount).toBe(totals.due)
  })

  test('can be more than the basket costs, or less than nothing', async () => {
    expect(await validate({ items: [{ unitPrice: 10, discountAmount: 12 }] })).toMatchObject({
      totals: { amount: 10, discounts: 10, coupons: 0, points: 0, due: 0 },
    })
    expect(await validate({ items: [{ unitPrice: 10 }], discountedAmount: 11.5 })).toMatchObject({
      totals: { amount: 10, discounts: -1.5, coupons: 0, points: 0, due: 11.5 },
    })
    expect(await validate({ items: [{ unitPrice: 3.5 }], amount: 99 })).toMatchObject({
      amount: 99,
      totals: { amount: 3.5, discounts: 0, due: 3.5 },
    })
    expect(await validate({ items: [{ unitPrice: 0.1, quantity: 3 }] })).toMatchObject({
      totals: { amount: 0.3, due: 0.3 },
    })
  })

  test('contradict coupons that are to come off the order’s own price', async () => {
    const body = { ...person, items: [latte()], discountedAmount: 3, couponsIncluded: false }
    for (const path of ['validate', 'process']) {
      const reply = await shop.call('POST', `/v1/transactions/${path}`, body)
      expect([reply.status, reply.body.message]).toEqual([400, '_invalid_payload'])
      expect(reply.body.description).toBe(
        'couponsIncluded: must not be false beside discountedAmount, which prices the whole order.',
      )
    }
    const wrong = { ...person, items: [latte()], couponsIncluded: 'false' }
    expect(await shop.call('POST', '/v1/transactions/validate', wrong)).toMatchObject({ status: 400 })
  })
})

describe('warnings', () => {
  test('name what was accepted and is probably a mistake, also in a replay and when read', async () => {
    const basket = {
      items: [
        { unitPrice: 10, discountAmount: 2, discountedAmount: 3, reward: await issue('five-off') },
        latte(),
      ],
      amount: 99,
      reward: await issue('ten-percent'),
      ...receipt(),
    }
    const expected = [
      'discounts_disagree items[0].discountedAmount',
      'amount_differs amount',
      'coupon_discount_elsewhere reward',
    ]
    const preview = await validate(basket)
    expect(codes(preview)).toEqual(expected)
    for (const { text } of preview.warnings) expect(text).toMatch(/\.$/)
    const first = await shop.call('POST', '/v1/transactions/process', { ...person, ...basket })
    const again = await shop.call('POST', '/v1/transactions/process', { ...person, ...basket })
    expect(codes(first.body)).toEqual(expected)
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(again.body).toEqual(first.body)
    expect((await shop.get(`/v1/transactions/${first.body.id}`)).warnings).toEqual(first.body.warnings)
  })

  test('tell of a discount that is too small for its coupon, and of an empty basket', async () => {
    const reward = await issue('free-latte')
    expect(codes(await validate({ items: [latte({ discountAmount: 1, reward })] }))).toEqual([
      'coupon_discount_differs items[0].reward',
    ])
    expect(codes(await validate({}))).toEqual(['empty_basket items'])
  })

  test('tell of a missing receipt number, of a sale only', async () => {
    expect(codes(await validate({ amount: 1 }))).toEqual([])
    const sale = await shop.process(person, { amount: 1 })
    expect(codes(sale)).toEqual(['no_receipt_number opaqueId'])
    expect(codes(await shop.get(`/v1/transactions/${sale.id}`))).toEqual(['no_receipt_number opaqueId'])
  })
})

describe('nothing is taken for nothing', () => {
  const refused = async (basket: object) => {
    const reply = await shop.call('POST', '/v1/transactions/process', { ...person, ...basket })
    expect(reply.status).toBe(400)
    return reply.body
  }

  test('a second coupon for the only unit is refused, and says what to do', async () => {
    const [a, b] = [await issue('free-latte'), await issue('free-latte')]
    for (const basket of [{ items: [latte({ reward: [a, b] })] }, { items: [latte()], reward: [a, b] }]) {
      expect(await refused(basket)).toMatchObject({
        message: 'coupon_not_applicable',
        description: expect.stringMatching(
          new RegExp(`^${b}: No unit .* Leave this coupon out, or add a unit\\.$`),
        ),
      })
    }
    for (const id of [a, b]) expect(await shop.coupon(id)).toMatchObject({ status: 1 })
  })

  test('a coupon that is worth nothing is refused, unless the basket has no prices at all', async () => {
    const id = await issue('five-off')
    const worthless = [
      { items: [{ unitPrice: 0, reward: id }] },
      { amount: 0, reward: id },
      { items: [{ unitPrice: 5, discountAmount: 5 }], reward: id },
    ]
    for (const basket of worthless) {
      expect(await refused(basket)).toMatchObject({
        message: 'coupon_not_applicable',
        description: expect.stringContaining('send `couponsIncluded: true`'),
      })
    }
    const sale = await shop.process(person, { items: [{ product: 'latte' }], reward: id })
    expect(sale.executedActions.actions).toEqual([{ type: 'redeem_coupon', coupon: id, discount: 0 }])
    expect(await shop.coupon(id)).toMatchObject({ status: 3 })
  })

  test('points that are worth less than a cent are refused', async () => {
    expect(await refused({ amount: 10, pointsToSpend: 9 })).toMatchObject({
      message: 'points_below_minimum',
      description: 'So few points are worth nothing in money. Spend more of them, or none.',
    })
    expect(await validate({ amount: 10, pointsToSpend: 10 })).toMatchObject({ pointsDiscount: 0.01 })
  })

  test('points cannot pay what a coupon has paid', async () => {
    const reward = await issue('free-latte')
    const basket = { items: [latte({ reward })], pointsToSpend: 100 }
    expect(await refused(basket)).toMatchObject({ message: 'points_above_share' })
  })
})

test('an empty basket is nobody’s first, and a first one stays the first when it is returned', async () => {
  const welcome = await shop.publish({
    name: 'Welcome',
    balances: [{ key: 'points' }],
    rules: [
      {
        id: 'gift',
        kind: 'collect_per_visit',
        balance: 'points',
        amount: 100,
        when: { firstTransaction: true },
      },
    ],
  })
  const guest = await shop.register(welcome)
  const gift = async (basket: object) => {
    const sale = await shop.process(guest, basket)
    return { sale, points: collected(sale).gift ?? 0 }
  }
  expect((await gift({})).points).toBe(0)
  const first = await gift({ amount: 20 })
  expect(first.points).toBe(100)
  await shop.giveBack(first.sale)
  expect((await gift({ amount: 20 })).points).toBe(0)
})

test('a sale that was booked before coupons were taken off keeps its price', async () => {
  const reward = await issue('free-latte')
  const sale = await shop.process(person, { items: [latte({ reward }), latte()], ...receipt() })
  expect(sale.totals).toEqual({ amount: 7, discounts: 0, coupons: 3.5, points: 0, due: 3.5 })
  // As the previous version has stored it: with its price, and without where the coupon was taken off.
  await service.database.pool.query(
    `UPDATE transactions SET result = jsonb_set(jsonb_set(result::jsonb, '{0,1}', '700'), '{3,0}',
       (result::jsonb #> '{3,0}') - 4)::json WHERE opaque_id = $1`,
    [sale.opaqueId],
  )
  expect(await shop.get(`/v1/transactions/${sale.id}`)).toMatchObject({
    payableAmount: 7,
    totals: { amount: 7, discounts: 0, coupons: 0, points: 0, due: 7 },
  })
  expect((await shop.giveBack(sale)).refundAmount).toBe(7)
})
