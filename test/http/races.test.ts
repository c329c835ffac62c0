import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audit } from '../support/audit.ts'
import {
  type Merchant,
  type Registered,
  type Reply,
  startTestService,
  type TestService,
} from '../support/service.ts'
import { expectRefusal } from './expect-refusal.ts'

/** Two instances of the service on one database; every storm is spread over both. */
let service: TestService
let second: TestService
let merchant: Merchant
let campaign: string

beforeAll(async () => {
  service = await startTestService()
  second = await startTestService({ sharing: service })
  merchant = await service.createMerchant()
  campaign = await merchant.publishCampaign({
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
afterAll(async () => {
  await second.close()
  await service.close()
})

let turn = 0
const call: Merchant['call'] = (method, path, body, headers) =>
  (turn++ % 2 ? second : service).call(method, path, { token: merchant.token, body, headers })
const pay = (who: Registered, more: object = {}, headers?: Record<string, string>) =>
  call('POST', '/v1/transactions/process', { customer: who.customer, card: who.card, ...more }, headers)
const give = (who: Registered, amount: number, key = 'points') =>
  merchant.call('POST', `/v1/customers/${who.customer}/adjustments`, { key, amount, reason: 'test' })
const view = async (who: Registered) => (await merchant.call('GET', `/v1/customers/${who.customer}`)).body
const many = <T>(count: number, make: (i: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => make(i)))
const split = (replies: Reply[]) => ({
  done: replies.filter((reply) => reply.status === 201),
  refused: replies.filter((reply) => reply.status !== 201),
})

async function countTransactions(who: Registered): Promise<number> {
  const { rows } = await service.database.pool.query(
    'SELECT count(*)::int AS n FROM transactions WHERE customer_id = $1',
    [who.customer.slice(4)],
  )
  return rows[0].n
}

describe('money', () => {
  test('of 100 parallel baskets with one coupon exactly one succeeds, and the losers change nothing', async () => {
    const who = await merchant.register(campaign)
    const coupon = (
      await merchant.call('POST', '/v1/coupons', { customer: who.customer, campaign, reward: 'five' })
    ).body.id
    const { done, refused } = split(await many(100, () => pay(who, { amount: 10, reward: coupon })))
    expect(done).toHaveLength(1)
    for (const reply of refused) expectRefusal(reply, 400, 'coupon_already_redeemed')
    expect((await view(who)).collectables.points).toEqual({ value: 10, total: 10 })
    expect(await countTransactions(who)).toBe(1)
  })

  test('of 50 customers who name one coupon at once only its owner can redeem it', async () => {
    const people = await many(50, () => merchant.register(campaign))
    for (const owner of [people[0]!, people[25]!, people[49]!]) {
      const coupon = (
        await merchant.call('POST', '/v1/coupons', { customer: owner.customer, campaign, reward: 'five' })
      ).body.id
      const replies = await Promise.all(people.map((who) => pay(who, { amount: 10, reward: coupon })))
      for (const [i, reply] of replies.entries()) {
        if (people[i] === owner) expect(reply.status).toBe(201)
        else expectRefusal(reply, 400, 'coupon_not_found')
      }
    }
  })

  test('baskets of many customers in one group each get their own: balances, cards, products and receipts', async () => {
    const people = await many(40, () => merchant.register(campaign))
    const replies = await Promise.all(
      people.map((who, i) =>
        pay(who, {
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
      expect((await view(people[i]!)).collectables.points.value).toBe(i + 1)
    }
    // In one group with the others, a card of somebody else is still not there.
    const mixed = await Promise.all(
      people.map((who, i) => pay({ ...who, card: people[(i + 1) % 40]!.card }, { amount: 1 })),
    )
    for (const reply of mixed) expectRefusal(reply, 400, 'card_not_found')
  })

  test('of a balance of 100, a hundred parallel spends of 7 pass exactly 14 times', async () => {
    const none = await merchant.publishCampaign({
      name: 'Spend only',
      balances: [{ key: 'points' }],
      spend: { balance: 'points', worth: 0.01 },
    })
    const who = await merchant.register(none)
    await give(who, 100)
    const { done, refused } = split(await many(100, () => pay(who, { amount: 1, pointsToSpend: 7 })))
    expect(done).toHaveLength(14)
    for (const reply of refused) expectRefusal(reply, 400, 'insufficient_points')
    expect((await view(who)).collectables.points).toEqual({ value: 2, total: 0 })
    // Every answer told another balance: no two spends saw the same one.
    const told = done.map((reply) => reply.body.executedActions.collectables.points.value)
    expect(told.toSorted((a, b) => b - a)).toEqual(Array.from({ length: 14 }, (_, i) => 93 - 7 * i))
  })

  test('a spend and an adjustment that both want the last points: the balance never goes below zero', async () => {
    for (let round = 0; round < 10; round++) {
      const who = await merchant.register(campaign)
      await give(who, 10)
      const [spent, taken] = await Promise.all([
        pay(who, { items: [{ amount: 0.5 }], pointsToSpend: 10 }),
        call('POST', `/v1/customers/${who.customer}/adjustments`, {
          key: 'points',
          amount: -10,
          reason: 'x',
        }),
      ])
      expect([spent!.status, taken!.status].sort()).toEqual([201, 400])
      expect((await view(who)).collectables.points.value).toBe(0)
    }
  })

  test('60 parallel baskets of 7 stamps: every full ten made a coupon and what is left is left', async () => {
    const who = await merchant.register(campaign)
    const { done } = split(
      await many(60, () => pay(who, { items: [{ product: 'latte', quantity: 7, amount: 7 }] })),
    )
    expect(done).toHaveLength(60)
    const { collectables, coupons } = await view(who)
    expect(collectables.stamps).toEqual({ value: 0, total: 420 })
    expect(coupons.filter((one: { reward: { key: string } }) => one.reward.key === 'free')).toHaveLength(42)
    expect(collectables.points.total).toBe(420)
  })

  test('a threshold that does not consume is granted once per multiple, however the baskets race', async () => {
    const who = await merchant.register(campaign)
    await many(30, () => pay(who, { amount: 100 }))
    const { coupons } = await view(who)
    expect(coupons).toHaveLength(6)
  })

  test('a limit for all customers together gives out exactly its total', async () => {
    const limited = await merchant.publishCampaign({
      name: 'Limited',
      balances: [{ key: 'gift' }],
      rules: [{ id: 'gift', kind: 'collect_per_visit', balance: 'gift', amount: 3, limits: { total: 20 } }],
    })
    const people = await many(30, () => merchant.register(limited))
    const replies = await Promise.all(people.map((who) => pay(who, { amount: 1 })))
    for (const reply of replies) expect(reply.status).toBe(201)
    const given = replies.map((reply) => reply.body.executedActions.collectables.gift.value)
    expect(given.reduce((sum, one) => sum + one, 0)).toBe(20)
    expect(given.filter((one) => one === 3)).toHaveLength(6)
    expect(given.filter((one) => one === 2)).toHaveLength(1)
    // It would otherwise be counted for every basket of the other tests too.
    await merchant.call('POST', `/v1/campaigns/${limited}/archive`)
  })

  test('a limit per customer and per day is not passed by baskets at once', async () => {
    const limited = await merchant.publishCampaign({
      name: 'Daily',
      balances: [{ key: 'daily' }, { key: 'ever' }],
      rules: [
        { id: 'daily', kind: 'collect_per_visit', balance: 'daily', amount: 1, limits: { perDay: 5 } },
        { id: 'ever', kind: 'collect_per_visit', balance: 'ever', amount: 4, limits: { perCustomer: 10 } },
      ],
    })
    const who = await merchant.register(limited)
    const occurredAt = new Date().toISOString()
    const { done } = split(await many(20, () => pay(who, { amount: 1, occurredAt })))
    expect(done).toHaveLength(20)
    const { collectables } = await view(who)
    expect([collectables.daily.value, collectables.ever.value]).toEqual([5, 10])
    await merchant.call('POST', `/v1/campaigns/${limited}/archive`)
  })

  test('a basket and the publishing of a new version race without one getting half of each', async () => {
    const id = await merchant.publishCampaign({
      name: 'Versions',
      balances: [{ key: 'points' }],
      rules: [{ id: 'r', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 }],
    })
    const people = await many(10, () => merchant.register(id))
    const publish = async (points: number) => {
      const rules = [{ id: 'r', kind: 'points_per_amount', balance: 'points', points, per: 1 }]
      await call('PATCH', `/v1/campaigns/${id}`, { rules })
      return call('POST', `/v1/campaigns/${id}/publish`)
    }
    const [replies] = await Promise.all([
      Promise.all(people.flatMap((who) => [pay(who, { amount: 10 }), pay(who, { amount: 10 })])),
      (async () => {
        for (const points of [2, 3, 4]) await publish(points)
      })(),
    ])
    for (const { status, body } of replies) {
      expect(status).toBe(201)
      const { campaigns } = (await merchant.call('GET', `/v1/transactions/${body.id}`)).body
      const [collected] = body.executedActions.actions
      expect(collected.amount).toBe(10 * campaigns.find((one: { id: string }) => one.id === id).version)
    }
  })
})

describe('everything at once', () => {
  test('64 clients mixing everything on one customer: no deadlock, no 5xx, and it all adds up', async () => {
    const who = await merchant.register(campaign)
    await give(who, 500)
    const coupons: string[] = []
    for (let i = 0; i < 10; i++) {
      const body = { customer: who.customer, campaign, reward: 'five' }
      coupons.push((await merchant.call('POST', '/v1/coupons', body)).body.id)
    }
    const seed = Number(process.env.SEED ?? Date.now() % 1_000_000)
    const random = mulberry32(seed)
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!
    // Few clients block and all unblock: most baskets of the storm are to come through.
    const blockOrNot = (path: string, client: number) =>
      call('POST', `${path}/${client % 16 === 0 ? 'block' : 'unblock'}`)
    const acts: ((client: number, step: number) => Promise<Reply>)[] = [
      () => pay(who, { amount: 3 }),
      () => pay(who, { items: [{ product: 'latte', quantity: 4, amount: 12 }] }),
      () => pay(who, { amount: 20, pointsToSpend: 15 }),
      () => pay(who, { amount: 20, reward: pick(coupons) }),
      () => pay(who, { amount: 20, reward: pick(coupons), pointsToSpend: 5 }),
      (client) => pay(who, { amount: 1, opaqueId: `storm-${client % 7}` }),
      (client) => pay(who, { amount: 1 }, { 'idempotency-key': `storm-${client % 5}` }),
      (_, step) =>
        pay(who, {
          amount: 2,
          branch: `storm-${step}`,
          user: `storm-${step}`,
          items: [{ product: `storm-${step}` }],
        }),
      () => call('POST', '/v1/transactions/validate', { customer: who.customer, card: who.card, amount: 9 }),
      () =>
        call('POST', `/v1/customers/${who.customer}/adjustments`, {
          key: 'points',
          amount: pick([-3, 5]),
          reason: 'storm',
        }),
      () => call('POST', '/v1/customers/register', { campaignId: campaign, customer: { id: who.customer } }),
      () => call('PATCH', `/v1/customers/${who.customer}`, { data: { fullname: `Storm ${random()}` } }),
      (client) => blockOrNot(`/v1/customers/${who.customer}`, client),
      (client) => blockOrNot(`/v1/cards/${who.card}`, client),
      () => call('POST', '/v1/coupons', { customer: who.customer, campaign, reward: 'five' }),
      () => call('POST', `/v1/coupons/${pick(coupons)}/revoke`),
      () => call('GET', `/v1/customers/${who.customer}`),
      () => call('GET', `/v1/customers/find?q=${who.barcode}`),
      () => call('GET', `/v1/customers/${who.customer}/ledger`),
    ]
    const replies = (
      await many(64, async (client) => {
        const own: Reply[] = []
        for (let step = 0; step < 8; step++) own.push(await pick(acts)(client, step))
        return own
      })
    ).flat()
    const failed = replies.filter((reply) => reply.status >= 500)
    expect([seed, failed.map((reply) => [reply.method, reply.path, reply.text])]).toEqual([seed, []])
    const made = new Set(
      replies
        .filter((reply) => reply.path === '/v1/transactions/process' && reply.status === 201)
        .map((reply) => reply.body.id),
    )
    // Otherwise the storm was none.
    expect(made.size).toBeGreaterThan(20)
    expect(await countTransactions(who)).toBe(made.size)
    expect(await audit(service.database.pool)).toEqual([])
  })

  test('many customers over two instances: every acknowledged basket is there exactly once', async () => {
    const people = await many(25, () => merchant.register(campaign))
    const replies = await many(400, (i) => pay(people[i % 25]!, { amount: 2, opaqueId: `two-${i % 300}` }))
    const { done, refused } = split(replies)
    for (const reply of refused) expectRefusal(reply, 409, 'transaction_already_exists')
    expect(new Set(done.map((reply) => reply.body.id)).size).toBe(300)
    const { rows } = await service.database.pool.query(
      "SELECT count(*)::int AS n FROM transactions WHERE opaque_id LIKE 'two-%'",
    )
    expect(rows[0].n).toBe(300)
  })

  test('one key sent to both instances at once: one transaction, equal answers', async () => {
    for (let round = 0; round < 5; round++) {
      const who = await merchant.register(campaign)
      const key = { 'idempotency-key': `both-${round}` }
      const replies = await many(10, () => pay(who, { amount: 4 }, key))
      for (const reply of replies) expect([reply.status, reply.body]).toEqual([201, replies[0]!.body])
      expect(await countTransactions(who)).toBe(1)
    }
  })

  test('a subscription switched off through one instance counts in the other on the next call', async () => {
    const other = await service.createMerchant()
    const ask = () => second.call('GET', '/v1/transactions', { token: other.token })
    expect((await ask()).status).toBe(200)
    const switchTo = (active: boolean) =>
      service.call('POST', `/admin/v1/organizations/${other.id}/subscription`, {
        token: 'admin-token-of-the-tests-0123456789',
        body: { active },
      })
    await switchTo(false)
    expectRefusal(await ask(), 403, 'invalid_subscription')
    await switchTo(true)
    expect((await ask()).status).toBe(200)
  })

  test('a campaign published through one instance runs in the other from the next basket on', async () => {
    const id = await merchant.publishCampaign({
      name: 'Across',
      balances: [{ key: 'points' }],
      rules: [{ id: 'r', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 }],
    })
    const who = await merchant.register(id)
    const onSecond = async () => {
      const body = { customer: who.customer, card: who.card, amount: 1 }
      const reply = await second.call('POST', '/v1/transactions/process', { token: merchant.token, body })
      return reply.body.executedActions.actions[0]?.amount
    }
    expect(await onSecond()).toBe(1)
    await merchant.call('PATCH', `/v1/campaigns/${id}`, {
      rules: [{ id: 'r', kind: 'points_per_amount', balance: 'points', points: 9, per: 1 }],
    })
    await merchant.call('POST', `/v1/campaigns/${id}/publish`)
    expect(await onSecond()).toBe(9)
    await merchant.call('POST', `/v1/campaigns/${id}/pause`)
    expect(await onSecond()).toBeUndefined()
  })
})

test('at the end of all storms the audit finds nothing, and neither does the service itself', async () => {
  expect(await audit(service.database.pool)).toEqual([])
  const { status, body } = await merchant.call('GET', '/v1/integrity')
  expect(status).toBe(200)
  expect(body).toMatchObject({ ok: true, problems: [] })
})

/** A small random source that can be seeded, so that a storm that failed can be had again. */
function mulberry32(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
