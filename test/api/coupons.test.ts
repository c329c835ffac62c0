import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../support/service.ts'
import { auditWithReturns, type Body, openShop, type Person, type Shop, times } from '../support/shop.ts'

let service: TestService
let shop: Shop
let campaign: string

const rewards = [
  {
    key: 'free-coffee',
    name: 'Free coffee',
    kind: 'free_product',
    products: ['latte', 'mocha'],
    validDays: 30,
  },
  { key: 'five-off', name: '5 off', kind: 'amount_off', amount: 5 },
  { key: 'ten-percent', name: '10 % off', kind: 'percent_off', percent: 10, maxAmount: 20 },
  { key: 'third', kind: 'percent_off', percent: 33.3333 },
]

beforeAll(async () => {
  service = await startTestService()
  shop = await openShop(service)
  campaign = await shop.publish({
    name: 'Gifts',
    balances: [{ key: 'points' }],
    rules: [{ id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 }],
    rewards,
  })
})
afterAll(async () => {
  expect(await auditWithReturns(service)).toEqual([])
  expect(await shop.integrity()).toMatchObject({ ok: true, problems: [] })
  await service.close()
})

const issue = (person: Person, reward: string, more: object = {}) =>
  shop.post('/v1/coupons', { customer: person.customer, campaign, reward, ...more })
const refusal = async (path: string, body: object = {}) => {
  const reply = await shop.call('POST', path, body)
  return reply.status < 400 ? `accepted ${reply.text}` : `${reply.status} ${reply.body.message}`
}

describe('issued by hand', () => {
  test('a coupon is active, has the reward and expiry of the campaign, and is in the customer’s view', async () => {
    const person = await shop.register(campaign)
    const coupon = await issue(person, 'free-coffee')
    expect(coupon).toEqual({
      id: expect.stringMatching(/^cpn_/),
      status: 1,
      customer: person.customer,
      campaign,
      reward: { key: 'free-coffee', name: 'Free coffee', kind: 'free_product', products: ['latte', 'mocha'] },
      expiresAt: expect.any(String),
      createdAt: expect.any(String),
    })
    expect(Date.parse(coupon.expiresAt) - Date.parse(coupon.createdAt)).toBe(30 * 86_400_000)
    expect(await shop.coupon(coupon.id)).toEqual(coupon)
    expect((await shop.view(person)).coupons).toMatchObject([{ id: coupon.id, status: 1 }])
    expect(await shop.events('coupon.granted', person)).toEqual([
      { coupon: coupon.id, customer: person.customer },
    ])
    expect(await issue(person, 'five-off')).not.toHaveProperty('expiresAt')
  })

  test('keeps what it was good for when the campaign changes', async () => {
    const own = await shop.publish({
      name: 'Changing',
      balances: [{ key: 'points' }],
      rewards: [{ key: 'off', kind: 'amount_off', amount: 2 }],
    })
    const person = await shop.register(own)
    const { id } = await issue(person, 'off', { campaign: own })
    await shop.republish(own, { rewards: [{ key: 'off', kind: 'amount_off', amount: 50 }] })
    const sale = await shop.process(person, { amount: 100, reward: id })
    expect(sale.executedActions.actions[0]).toEqual({ type: 'redeem_coupon', coupon: id, discount: 2 })
    const next = await issue(person, 'off', { campaign: own })
    expect(next.reward.amount).toBe(50)
  })

  test('once per key, and not for unknown customers, campaigns or rewards', async () => {
    const person = await shop.register(campaign)
    const body = { customer: person.customer, campaign, reward: 'five-off' }
    const headers = { 'idempotency-key': 'birthday-1' }
    const replies = await Promise.all(times(10, () => shop.call('POST', '/v1/coupons', body, { headers })))
    const made = replies.filter(({ status }) => status === 201)
    expect(made.length).toBeGreaterThan(0)
    for (const reply of replies)
      if (reply.status !== 201) expect(reply.body.message).toBe('idempotency_key_in_use')
    expect(new Set(made.map((reply) => reply.body.id)).size).toBe(1)
    expect((await shop.view(person)).coupons).toHaveLength(1)

    const draft = await shop.post('/v1/campaigns', { name: 'Draft', balances: [], rewards })
    expect(await refusal('/v1/coupons', { ...body, customer: 'cus_0' })).toBe('400 customer_not_found')
    expect(await refusal('/v1/coupons', { ...body, campaign: 'cmp_0' })).toBe('400 campaign_not_found')
    expect(await refusal('/v1/coupons', { ...body, campaign: draft.id })).toBe('400 campaign_not_found')
    expect(await refusal('/v1/coupons', { ...body, reward: 'nothing' })).toBe('400 _invalid_payload')
    const till = await shop.merchant.connect(['pos'])
    expect((await till('POST', '/v1/coupons', body)).body.message).toBe('_forbidden')
    expect((await shop.view(person)).coupons).toHaveLength(1)
  })
})

describe('revoked', () => {
  test('a coupon has status 5, cannot be redeemed, and is told of once', async () => {
    const person = await shop.register(campaign)
    const { id } = await issue(person, 'five-off')
    expect(await shop.post(`/v1/coupons/${id}/revoke`)).toMatchObject({ id, status: 5 })
    expect(await shop.refused(person, { amount: 10, reward: id })).toBe('coupon_revoked')
    expect((await shop.view(person)).coupons).toEqual([])
    expect(await refusal(`/v1/coupons/${id}/revoke`)).toBe('400 coupon_revoked')
    expect(await shop.events('coupon.revoked', person)).toEqual([{ coupon: id, customer: person.customer }])
  })

  test('a used, expired or unknown one cannot be', async () => {
    const person = await shop.register(campaign)
    const used = await issue(person, 'five-off')
    await shop.process(person, { amount: 10, reward: used.id })
    expect(await refusal(`/v1/coupons/${used.id}/revoke`)).toBe('400 coupon_already_redeemed')
    const expired = await issue(person, 'free-coffee')
    service.advance(31 * 86_400_000)
    expect(await refusal(`/v1/coupons/${expired.id}/revoke`)).toBe('400 coupon_expired')
    service.setTime(new Date())
    expect(await refusal('/v1/coupons/cpn_0/revoke')).toBe('404 coupon_not_found')
    const stranger = await openShop(service)
    expect((await stranger.call('POST', `/v1/coupons/${used.id}/revoke`)).status).toBe(404)
  })

  test('racing with redeeming, exactly one of the two happens', async () => {
    for (let round = 0; round < 8; round++) {
      const person = await shop.register(campaign)
      const { id } = await issue(person, 'five-off')
      const [used, revoked] = await Promise.all([
        shop.call('POST', '/v1/transactions/process', { ...person, amount: 10, reward: id }),
        shop.call('POST', `/v1/coupons/${id}/revoke`),
      ])
      const isUsed = used.status === 201
      expect(isUsed ? revoked.body.message : used.body.message).toBe(
        isUsed ? 'coupon_already_redeemed' : 'coupon_revoked',
      )
      expect((await shop.coupon(id)).status).toBe(isUsed ? 3 : 5)
    }
  })
})

describe('what a coupon is worth in a basket', () => {
  const cases: {
    worth: string
    reward: string
    basket: (id: string) => object
    discount: number
    item?: string
  }[] = [
    {
      worth: 'amount_off on the order',
      reward: 'five-off',
      basket: (reward) => ({ items: [{ amount: 4 }, { amount: 8 }], reward }),
      discount: 5,
    },
    {
      worth: 'amount_off on an order without lines',
      reward: 'five-off',
      basket: (reward) => ({ amount: 12, reward }),
      discount: 5,
    },
    {
      worth: 'amount_off is capped by the amount of the order',
      reward: 'five-off',
      basket: (reward) => ({ items: [{ amount: 3 }], reward: [reward] }),
      discount: 3,
    },
    {
      worth: 'amount_off is capped by the amount of its line',
      reward: 'five-off',
      basket: (reward) => ({ items: [{ amount: 30 }, { id: 'b', amount: 3.2, reward }] }),
      discount: 3.2,
      item: 'b',
    },
    {
      worth: 'discounts of the client do not change it: it is on the amount before them',
      reward: 'five-off',
      basket: (reward) => ({ items: [{ amount: 30, discountedAmount: 1, reward }], discountAmount: 1 }),
      discount: 5,
      item: '1',
    },
    {
      worth: 'percent_off on the order',
      reward: 'ten-percent',
      basket: (reward) => ({ items: [{ amount: 30 }, { amount: 20.5 }], reward }),
      discount: 5.05,
    },
    {
      worth: 'percent_off has its maximum',
      reward: 'ten-percent',
      basket: (reward) => ({ items: [{ amount: 400 }], reward }),
      discount: 20,
    },
    {
      worth: 'percent_off on a line, rounded half-up',
      reward: 'ten-percent',
      basket: (reward) => ({ items: [{ amount: 12.35, reward }, { amount: 100 }] }),
      discount: 1.24,
      item: '1',
    },
    {
      worth: 'percent_off with decimals',
      reward: 'third',
      basket: (reward) => ({ amount: 300, reward }),
      discount: 100,
    },
    {
      worth: 'a free product is one unit of the line',
      reward: 'free-coffee',
      basket: (reward) => ({ items: [{ product: 'latte', quantity: 3, unitPrice: 3.5, reward }] }),
      discount: 3.5,
      item: '1',
    },
    {
      worth: 'a free product of a line with an amount only is its share',
      reward: 'free-coffee',
      basket: (reward) => ({ items: [{ product: 'mocha', quantity: 4, amount: 14, reward }] }),
      discount: 3.5,
      item: '1',
    },
    {
      worth: 'a free product on the order is the cheapest matching line',
      reward: 'free-coffee',
      basket: (reward) => ({
        items: [
          { product: 'latte', unitPrice: 4.5 },
          { product: 'cookie', unitPrice: 1 },
          { product: 'mocha', quantity: 2, unitPrice: 3.9 },
        ],
        reward,
      }),
      discount: 3.9,
    },
  ]
  test.each(cases)('$worth', async ({ reward, basket, discount, item }) => {
    const person = await shop.register(campaign)
    const { id } = await issue(person, reward)
    const preview = await shop.post('/v1/transactions/validate', { ...person, ...basket(id) })
    const sale = await shop.process(person, basket(id))
    for (const { executedActions } of [preview, sale]) {
      const [redeemed] = executedActions.actions
      expect(redeemed).toMatchObject({ type: 'redeem_coupon', coupon: id, discount })
      // At order level the line of a free product is not the client's doing.
      if (item !== undefined) expect(redeemed.item).toBe(item)
    }
    expect(await shop.coupon(id)).toMatchObject({ status: 3, redeemedBy: sale.id })
  })

  test('is taken off the price, and points are collected on the rest', async () => {
    const person = await shop.register(campaign)
    const { id } = await issue(person, 'five-off')
    const sale = await shop.process(person, { items: [{ amount: 20 }], reward: id })
    expect(sale).toMatchObject({ amount: 20, payableAmount: 15 })
    expect(sale.executedActions.collectables.points.value).toBe(15)
  })

  test('several coupons together are never worth more than the basket', async () => {
    const person = await shop.register(campaign)
    const ids = []
    for (const reward of ['five-off', 'five-off', 'five-off']) ids.push((await issue(person, reward)).id)
    const sale = await shop.process(person, {
      items: [{ amount: 7 }, { amount: 4, reward: ids[0] }],
      reward: ids.slice(1),
    })
    const worth = sale.executedActions.actions.flatMap((action: Body) => action.discount ?? [])
    expect(worth).toEqual([4, 5, 2])
  })
})

describe('a coupon that does not apply', () => {
  test('is refused with its reason and nothing of the basket happens', async () => {
    const person = await shop.register(campaign)
    const [free, off] = [await issue(person, 'free-coffee'), await issue(person, 'five-off')]
    const stranger = await shop.register(campaign)
    const theirs = await issue(stranger, 'five-off')
    const latte = { product: 'latte', amount: 3 }
    const cases: [object, string][] = [
      [{ items: [{ product: 'tea', amount: 3, reward: free.id }] }, 'coupon_not_applicable'],
      [{ items: [latte, { product: 'tea', amount: 3, reward: free.id }] }, 'coupon_not_applicable'],
      [{ items: [{ product: 'tea', amount: 3 }], reward: free.id }, 'coupon_not_applicable'],
      [{ amount: 10, reward: free.id }, 'coupon_not_applicable'],
      [{ amount: 10, reward: [off.id, off.id] }, 'coupon_not_applicable'],
      [{ items: [{ ...latte, reward: free.id }], reward: [off.id, free.id] }, 'coupon_not_applicable'],
      [{ amount: 10, reward: [off.id, theirs.id] }, 'coupon_not_found'],
      [{ amount: 10, reward: 'cpn_nonsense' }, 'coupon_not_found'],
    ]
    for (const [basket, code] of cases) expect(await shop.refused(person, basket)).toBe(code)
    expect((await shop.view(person)).coupons).toHaveLength(2)
    expect(await shop.balance(person)).toEqual({ value: 0, total: 0 })
  })
})
