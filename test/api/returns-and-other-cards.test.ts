import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../support/service.ts'
import { auditWithReturns, granted, openShop, type Person, type Shop } from '../support/shop.ts'

/** A balance belongs to the customer and not to a card: a return on one card moves what other cards look at. */
let service: TestService
let shop: Shop

beforeAll(async () => {
  service = await startTestService()
  shop = await openShop(service)
})
afterAll(async () => {
  expect(await auditWithReturns(service)).toEqual([])
  expect(await shop.integrity()).toMatchObject({ ok: true, problems: [] })
  await service.close()
})

const base = { id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 }
const plain = { name: 'Plain', balances: [{ key: 'points' }], rules: [base] }
const gift = { key: 'gift', kind: 'amount_off', amount: 5 }
const withGift = {
  ...plain,
  name: 'With a gift',
  rewards: [gift],
  thresholds: [{ balance: 'points', at: 100, grant: 'gift' }],
}

/** One customer with a card of a plain campaign and one of a campaign that gives. */
async function twoCards(giving: object = withGift): Promise<[plain: Person, giving: Person]> {
  const first = await shop.register(await shop.publish(plain))
  return [first, await shop.register(await shop.publish(giving), first.customer)]
}

describe('each multiple of a threshold is granted once', () => {
  test('although the sale that came back was on a card where the threshold does not run', async () => {
    const [plainCard, giftCard] = await twoCards()
    const sale = await shop.process(plainCard, { amount: 60 })
    const [coupon] = granted(await shop.process(giftCard, { amount: 60 }))
    await shop.process(giftCard, { reward: coupon })
    await shop.giveBack(sale)
    expect(await shop.balance(giftCard)).toEqual({ value: 60, total: 60 })
    // Used and out for a multiple that the total has fallen below: the next one comes at 200.
    const before = await shop.post('/v1/transactions/validate', { ...giftCard, amount: 10 })
    expect(before.executedActions.progress).toEqual([{ key: 'points', have: 70, need: 200, reward: 'gift' }])
    expect(granted(await shop.process(giftCard, { amount: 60 }))).toEqual([])
    // Progress tells the same: 120 of the 200 that the next one takes.
    const preview = await shop.post('/v1/transactions/validate', { ...giftCard, amount: 79 })
    expect(preview.executedActions.progress).toEqual([{ key: 'points', have: 99, need: 100, reward: 'gift' }])
    expect(granted(await shop.process(giftCard, { amount: 80 }))).toHaveLength(1)
  })

  test('and given up with the goods it was granted for, over and over', async () => {
    const [plainCard, giftCard] = await twoCards()
    for (let i = 0; i < 4; i++) {
      const { total } = await shop.balance(giftCard)
      const sale = await shop.process(plainCard, { amount: 99 - total })
      const [coupon] = granted(await shop.process(giftCard, { amount: 1 }))
      await shop.giveBack(sale)
      expect((await shop.coupon(coupon!)).status).toBe(5)
    }
  })

  test('although the campaign has another threshold by now than when the goods were sold', async () => {
    const campaign = await shop.publish(withGift)
    const person = await shop.register(campaign)
    const sale = await shop.process(person, { amount: 60 })
    await shop.republish(campaign, { thresholds: [{ balance: 'points', at: 110, grant: 'gift' }] })
    const [coupon] = granted(await shop.process(person, { amount: 60 }))
    await shop.process(person, { reward: coupon })
    await shop.giveBack(sale)
    expect(granted(await shop.process(person, { amount: 60 }))).toEqual([])
  })

  test('and one that was passed on the other card, where nothing grants it, can still be had', async () => {
    const [plainCard, giftCard] = await twoCards()
    const sale = await shop.process(plainCard, { amount: 60 })
    await shop.process(plainCard, { amount: 60 })
    await shop.giveBack(sale)
    expect(granted(await shop.process(giftCard, { amount: 60 }))).toHaveLength(1)
  })

  test('and a coupon that was revoked by hand stays revoked: neither its multiple nor what it consumed comes back', async () => {
    const [plainCard, giftCard] = await twoCards()
    const sale = await shop.process(plainCard, { amount: 60 })
    const [coupon] = granted(await shop.process(giftCard, { amount: 60 }))
    await shop.post(`/v1/coupons/${coupon}/revoke`)
    await shop.giveBack(sale)
    expect(granted(await shop.process(giftCard, { amount: 60 }))).toEqual([])

    const consuming = await shop.register(
      await shop.publish({
        ...withGift,
        thresholds: [{ balance: 'points', at: 100, grant: 'gift', consume: true }],
      }),
    )
    const large = await shop.process(consuming, { amount: 130 })
    await shop.post(`/v1/coupons/${granted(large)[0]}/revoke`)
    await shop.giveBack(large)
    expect(await shop.balance(consuming)).toEqual({ value: 0, total: 0 })
  })
})

describe('a tier that is lost', () => {
  const tiers = [
    { key: 'silver', balance: 'points', from: 100 },
    { key: 'gold', balance: 'points', from: 500 },
  ]

  test('is told of like one that is reached, with the tier that is left, if any', async () => {
    const person = await shop.register(await shop.publish({ ...plain, tiers }))
    const sale = await shop.process(person, { items: [{ amount: 450 }, { amount: 90 }] })
    const told = async () =>
      (await shop.events('tier.changed', person)).map(({ tier, transaction }) => [tier, transaction])
    await shop.giveBack(sale, { items: [{ id: '2', quantity: 1 }] })
    expect(await told()).toEqual([
      ['gold', sale.id],
      ['silver', sale.id],
    ])
    await shop.giveBack(sale)
    expect(await told()).toHaveLength(3)
    expect((await told())[2]).toEqual([undefined, sale.id])
  })

  test('also when the goods were bought with another card, and not by who holds none of its cards', async () => {
    const [plainCard, tierCard] = await twoCards({ ...plain, tiers })
    const stranger = await shop.register(await shop.publish(plain))
    const sales = [
      await shop.process(plainCard, { amount: 60 }),
      await shop.process(stranger, { amount: 120 }),
    ]
    const crossing = await shop.process(tierCard, { amount: 60 })
    for (const sale of sales) await shop.giveBack(sale)
    expect((await shop.events('tier.changed', tierCard)).map(({ tier }) => tier)).toEqual([
      'silver',
      undefined,
    ])
    expect((await shop.events('tier.changed', tierCard))[0].transaction).toBe(crossing.id)
    expect(await shop.events('tier.changed', stranger)).toEqual([])
  })

  test('and a return that leaves the tier tells nothing', async () => {
    const person = await shop.register(await shop.publish({ ...plain, tiers }))
    const sale = await shop.process(person, { items: [{ amount: 120 }, { amount: 90 }] })
    await shop.giveBack(sale, { items: [{ id: '2', quantity: 1 }] })
    expect(await shop.events('tier.changed', person)).toHaveLength(1)
  })
})
