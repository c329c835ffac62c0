import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectRefusal } from '../support/expect-refusal.ts'
import type { Reply } from '../support/service.ts'
import { many, split, startTwoInstances, type TwoInstances } from '../support/two-instances.ts'

let two: TwoInstances
let campaign: string

beforeAll(async () => {
  two = await startTwoInstances()
  campaign = await two.merchant.publishCampaign({
    name: 'Storm',
    balances: [{ key: 'points' }, { key: 'stamps' }],
    rules: [
      { id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 },
      { id: 'coffee', kind: 'collect_per_item', balance: 'stamps', amount: 1, products: ['latte'] },
    ],
    rewards: [
      { key: 'free', kind: 'free_product', products: ['latte'] },
      { key: 'five', kind: 'amount_off', amount: 5 },
    ],
    thresholds: [
      { balance: 'stamps', at: 10, grant: 'free', consume: true },
      { balance: 'points', at: 500, grant: 'five' },
    ],
    spend: { balance: 'points', worth: 0.01 },
  })
})
afterAll(() => two.close())

test('of 100 parallel baskets with one coupon exactly one succeeds, and the losers change nothing', async () => {
  const [alone, raced] = [await two.merchant.register(campaign), await two.merchant.register(campaign)]
  const basketOf = async (who: typeof alone) => ({
    amount: 10,
    reward: await two.issueCoupon(who, campaign, 'five'),
  })
  const [one, hundred] = [await basketOf(alone), await basketOf(raced)]
  const trace = await two.traceOf(() => two.pay(alone, one))
  expect(trace).toMatchObject({ transactions: 1, ledger_entries: 1, events: 2, versions: 1 })
  const racedTrace = await two.traceOf(async () => {
    const { done, refused } = split(await many(100, () => two.pay(raced, hundred)))
    expect(done).toHaveLength(1)
    for (const reply of refused) expectRefusal(reply, 400, 'coupon_already_redeemed')
  })
  expect(racedTrace).toEqual(trace)
  expect((await two.view(raced)).collectables.points).toEqual({ value: 5, total: 5 })
})

test('of 50 customers who name one coupon at once only its owner can redeem it', async () => {
  const people = await many(50, () => two.merchant.register(campaign))
  for (const owner of [people[0]!, people[25]!, people[49]!]) {
    const coupon = await two.issueCoupon(owner, campaign, 'five')
    const replies = await Promise.all(people.map((who) => two.pay(who, { amount: 10, reward: coupon })))
    for (const [i, reply] of replies.entries()) {
      if (people[i] === owner) expect(reply.status).toBe(201)
      else expectRefusal(reply, 400, 'coupon_not_found')
    }
  }
})

test('baskets of many customers in one group each get their own: balances, cards, products and receipts', async () => {
  const people = await many(40, () => two.merchant.register(campaign))
  const replies = await Promise.all(
    people.map((who, i) =>
      two.pay(who, {
        opaqueId: `own-${i}`,
        branch: `own-${i % 3}`,
        items: [{ product: `own-${i % 5}`, amount: i + 1 }],
      }),
    ),
  )
  for (const [i, { status, body }] of replies.entries()) {
    expect(status).toBe(201)
    expect(body).toMatchObject({
      customer: people[i]!.customer,
      card: people[i]!.card,
      opaqueId: `own-${i}`,
      branchOpaqueId: `own-${i % 3}`,
      amount: i + 1,
    })
    expect(body.executedActions.collectables.points).toEqual({ value: i + 1, total: i + 1 })
    expect((await two.view(people[i]!)).collectables.points.value).toBe(i + 1)
  }
  // In one group with the others, a card of somebody else is still not there.
  const mixed = await Promise.all(
    people.map((who, i) => two.pay({ ...who, card: people[(i + 1) % 40]!.card }, { amount: 1 })),
  )
  for (const reply of mixed) expectRefusal(reply, 400, 'card_not_found')
})

test('of a balance of 100, a hundred parallel spends of 7 pass exactly 14 times', async () => {
  const none = await two.merchant.publishCampaign({
    name: 'Spend only',
    balances: [{ key: 'points' }],
    spend: { balance: 'points', worth: 0.01 },
  })
  const who = await two.merchant.register(none)
  await two.give(who, 100)
  let done: Reply[] = []
  const trace = await two.traceOf(async () => {
    const answers = split(await many(100, () => two.pay(who, { amount: 1, pointsToSpend: 7 })))
    for (const reply of answers.refused) expectRefusal(reply, 400, 'insufficient_points')
    done = answers.done
  })
  expect(done).toHaveLength(14)
  expect(trace).toMatchObject({ transactions: 14, ledger_entries: 14, events: 14, versions: 14 })
  expect((await two.view(who)).collectables.points).toEqual({ value: 2, total: 0 })
  // Every answer told another balance: no two spends saw the same one.
  const told = done.map((reply) => reply.body.executedActions.collectables.points.value)
  expect(told.toSorted((a, b) => b - a)).toEqual(Array.from({ length: 14 }, (_, i) => 93 - 7 * i))
})

test('a spend and an adjustment that both want the last points: the balance never goes below zero', async () => {
  for (let round = 0; round < 10; round++) {
    const who = await two.merchant.register(campaign)
    await two.give(who, 10)
    const [spent, taken] = await Promise.all([
      two.pay(who, { items: [{ amount: 0.5 }], pointsToSpend: 10 }),
      two.call('POST', `/v1/customers/${who.customer}/adjustments`, {
        key: 'points',
        amount: -10,
        reason: 'x',
      }),
    ])
    expect([spent!.status, taken!.status].sort()).toEqual([201, 400])
    expect((await two.view(who)).collectables.points.value).toBe(0)
  }
})

test('60 parallel baskets of 7 stamps: every full ten made a coupon and what is left is left', async () => {
  const who = await two.merchant.register(campaign)
  const { done } = split(
    await many(60, () => two.pay(who, { items: [{ product: 'latte', quantity: 7, amount: 7 }] })),
  )
  expect(done).toHaveLength(60)
  const { collectables, coupons } = await two.view(who)
  expect(collectables.stamps).toEqual({ value: 0, total: 420 })
  expect(coupons.filter((coupon: { reward: { key: string } }) => coupon.reward.key === 'free')).toHaveLength(
    42,
  )
  expect(collectables.points.total).toBe(420)
})

test('a threshold that does not consume is granted once per multiple, however the baskets race', async () => {
  const who = await two.merchant.register(campaign)
  await many(30, () => two.pay(who, { amount: 100 }))
  const { coupons } = await two.view(who)
  expect(coupons).toHaveLength(6)
})

test('a limit for all customers together gives out exactly its total', async () => {
  const limited = await two.merchant.publishCampaign({
    name: 'Limited',
    balances: [{ key: 'gift' }],
    rules: [{ id: 'gift', kind: 'collect_per_visit', balance: 'gift', amount: 3, limits: { total: 20 } }],
  })
  const people = await many(30, () => two.merchant.register(limited))
  const replies = await Promise.all(people.map((who) => two.pay(who, { amount: 1 })))
  for (const reply of replies) expect(reply.status).toBe(201)
  const given = replies.map((reply) => reply.body.executedActions.collectables.gift.value)
  expect(given.reduce((sum, entry) => sum + entry, 0)).toBe(20)
  expect(given.filter((entry) => entry === 3)).toHaveLength(6)
  expect(given.filter((entry) => entry === 2)).toHaveLength(1)
  // It would otherwise be counted for every basket of the other tests too.
  await two.call('POST', `/v1/campaigns/${limited}/archive`)
})

test('a limit per customer and per day is not passed by baskets at once', async () => {
  const limited = await two.merchant.publishCampaign({
    name: 'Daily',
    balances: [{ key: 'daily' }, { key: 'ever' }],
    rules: [
      { id: 'daily', kind: 'collect_per_visit', balance: 'daily', amount: 1, limits: { perDay: 5 } },
      { id: 'ever', kind: 'collect_per_visit', balance: 'ever', amount: 4, limits: { perCustomer: 10 } },
    ],
  })
  const who = await two.merchant.register(limited)
  const occurredAt = new Date().toISOString()
  const { done } = split(await many(20, () => two.pay(who, { amount: 1, occurredAt })))
  expect(done).toHaveLength(20)
  const { collectables } = await two.view(who)
  expect([collectables.daily.value, collectables.ever.value]).toEqual([5, 10])
  await two.call('POST', `/v1/campaigns/${limited}/archive`)
})

test('a basket and the publishing of a new version race without one getting half of each', async () => {
  const id = await two.merchant.publishCampaign({
    name: 'Versions',
    balances: [{ key: 'points' }],
    rules: [{ id: 'r', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 }],
  })
  const people = await many(10, () => two.merchant.register(id))
  const publish = async (points: number) => {
    const rules = [{ id: 'r', kind: 'points_per_amount', balance: 'points', points, per: 1 }]
    await two.call('PATCH', `/v1/campaigns/${id}`, { rules })
    return two.call('POST', `/v1/campaigns/${id}/publish`)
  }
  const [replies] = await Promise.all([
    Promise.all(people.flatMap((who) => [two.pay(who, { amount: 10 }), two.pay(who, { amount: 10 })])),
    (async () => {
      for (const points of [2, 3, 4]) await publish(points)
    })(),
  ])
  for (const { status, body } of replies) {
    expect(status).toBe(201)
    const { campaigns } = (await two.call('GET', `/v1/transactions/${body.id}`)).body
    const [collected] = body.executedActions.actions
    expect(collected.amount).toBe(
      10 * campaigns.find((campaign: { id: string }) => campaign.id === id).version,
    )
  }
})

test('at the end of all storms the audit finds nothing, and neither does the service itself', async () => {
  expect(await two.problems()).toEqual([])
})
