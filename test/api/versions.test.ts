import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../support/service.ts'
import { auditWithReturns, collected, granted, openShop, type Shop, skipped, tally } from '../support/shop.ts'

let service: TestService
let second: TestService
let shop: Shop

beforeAll(async () => {
  service = await startTestService()
  second = await startTestService({ sharing: service })
  shop = await openShop(service)
})
afterAll(async () => {
  expect(await auditWithReturns(service)).toEqual([])
  expect(await shop.integrity()).toMatchObject({ ok: true, problems: [] })
  await second.close()
  await service.close()
})

const base = (points: number, more: object = {}) => ({
  id: 'base',
  kind: 'points_per_amount',
  balance: 'points',
  points,
  per: 1,
  ...more,
})
const club = (points = 1, more: object = {}) => ({
  name: 'Club',
  balances: [{ key: 'points' }],
  rules: [base(points)],
  ...more,
})
const patch = async (id: string, body: object) => {
  const reply = await shop.call('PATCH', `/v1/campaigns/${id}`, body)
  expect(reply.status).toBe(200)
  return reply.body
}
const registering = async (campaignId: string) => {
  const { status, body } = await shop.call('POST', '/v1/customers/register', {
    campaignId,
    customer: { data: {} },
  })
  return status === 201 ? 'registered' : body.message
}

describe('a draft', () => {
  test('can neither be registered into nor run until it is first published', async () => {
    const own = await shop.publish(club())
    const person = await shop.register(own)
    const draft = await shop.post('/v1/campaigns', club(100, { runsOn: [own] }))
    expect(draft).toMatchObject({ status: 'draft', version: 0 })
    expect(await registering(draft.id)).toBe('invalid_campaign')
    expect(collected(await shop.process(person, { amount: 3 }))).toEqual({ base: 3 })
    await shop.post(`/v1/campaigns/${draft.id}/publish`)
    expect(await registering(draft.id)).toBe('registered')
    expect((await shop.process(person, { amount: 3 })).executedActions.collectables.points.value).toBe(306)
  })

  test('of a published campaign waits: baskets, registrations and tills see the version before', async () => {
    const id = await shop.publish(club(1))
    const person = await shop.register(id)
    const changed = await patch(id, { name: 'Other', rules: [base(10)] })
    expect(changed).toMatchObject({ status: 'published', version: 1, hasChanges: true, name: 'Other' })
    expect(collected(await shop.process(person, { amount: 3 }))).toEqual({ base: 3 })
    const till = await shop.merchant.connect(['pos'])
    const seen = (await till('GET', `/v1/campaigns/${id}`)).body
    expect([seen.name, seen.rules]).toEqual(['Club', [base(1)]])
    expect(collected(await shop.post('/v1/transactions/validate', { ...person, amount: 3 }))).toEqual({
      base: 3,
    })
    const published = await shop.post(`/v1/campaigns/${id}/publish`)
    expect(published).toMatchObject({ status: 'published', version: 2, hasChanges: false })
    expect(collected(await shop.process(person, { amount: 3 }))).toEqual({ base: 30 })
  })

  test('that does not make sense is refused when written, with the place named, and changes nothing', async () => {
    const id = await shop.publish(club())
    const before = await shop.get(`/v1/campaigns/${id}`)
    const cases: [object, RegExp][] = [
      [{ rules: [{ ...base(1), balance: 'stars' }] }, /rules\[0\]\.balance/],
      [{ rules: [base(1), base(2)] }, /rules\[1\]\.id/],
      [{ rules: [{ ...base(1), per: 0 }] }, /rules\[0\]\.per/],
      [{ rules: [base(-1)] }, /rules\[0\]\.points/],
      [{ rules: [base(1, { when: { from: '25:00' } })] }, /rules\[0\]\.when\.from/],
      [{ thresholds: [{ balance: 'points', at: 10, grant: 'nothing' }] }, /thresholds\[0\]\.grant/],
      [{ balances: [{ key: 'points' }, { key: 'points' }] }, /balances\[1\]\.key/],
      [{ balances: [{ key: 'points', decimals: 2 }] }, /balances\[0\]\.decimals/],
      [{ runsOn: ['cmp_00000000000000000000000000000000'] }, /runsOn\[0\]/],
    ]
    for (const [body, place] of cases) {
      for (const reply of [
        await shop.call('PATCH', `/v1/campaigns/${id}`, body),
        await shop.call('POST', '/v1/campaigns', { ...club(), ...body }),
      ]) {
        expect([reply.status, reply.body.message], JSON.stringify(body)).toEqual([
          400,
          'invalid_campaign_definition',
        ])
        expect(reply.body.description).toMatch(place)
      }
    }
    expect(await shop.get(`/v1/campaigns/${id}`)).toEqual(before)
  })
})

describe('publishing', () => {
  test('counts for the next basket in every process, without a restart', async () => {
    const id = await shop.publish(club(1))
    const person = await shop.register(id)
    const on = (instance: TestService) => shop.process(person, { amount: 1 }, { on: instance })
    for (const points of [1, 2, 3]) {
      expect(collected(await on(service))).toEqual({ base: points })
      expect(collected(await on(second))).toEqual({ base: points })
      await patch(id, { rules: [base(points + 1)] })
      // The instance that did not publish is asked first.
      await shop.post(`/v1/campaigns/${id}/publish`, {}, { on: points % 2 ? service : second })
      expect(collected(await on(points % 2 ? second : service))).toEqual({ base: points + 1 })
    }
  })

  test('a transaction keeps the version it ran on, and a return of it is computed on that version', async () => {
    const id = await shop.publish(club(1))
    const person = await shop.register(id)
    const old = await shop.process(person, { items: [{ amount: 10 }, { amount: 20 }] })
    await shop.republish(id, { rules: [base(5)] })
    const now = await shop.process(person, { items: [{ amount: 10 }, { amount: 20 }] })
    expect([collected(old), collected(now)]).toEqual([{ base: 30 }, { base: 150 }])
    const versionOf = async (sale: { id: string }) =>
      (await shop.get(`/v1/transactions/${sale.id}`)).campaigns
    expect(await versionOf(old)).toEqual([{ id, version: 1 }])
    expect(await versionOf(now)).toEqual([{ id, version: 2 }])
    await shop.giveBack(old, { items: [{ id: '2', quantity: 1 }] })
    expect((await shop.balance(person)).value).toBe(160)
    await shop.giveBack(now, { items: [{ id: '2', quantity: 1 }] })
    expect((await shop.balance(person)).value).toBe(60)
  })

  test('every basket of a race runs on one whole version, before or after', async () => {
    const two = (points: number) => [base(points), { ...base(points), id: 'same' }]
    const id = await shop.publish(club(1, { rules: two(1) }))
    const people = await Promise.all(Array.from({ length: 10 }, () => shop.register(id)))
    await patch(id, { rules: two(7) })
    const [sales] = await Promise.all([
      Promise.all(
        people.flatMap((person) => [
          shop.process(person, { amount: 1 }, { on: service }),
          shop.process(person, { amount: 1 }, { on: second }),
        ]),
      ),
      shop.post(`/v1/campaigns/${id}/publish`),
    ])
    for (const sale of sales) {
      const { base: first, same } = collected(sale)
      expect([1, 7]).toContain(first)
      expect(same).toBe(first)
      const { campaigns } = await shop.get(`/v1/transactions/${sale.id}`)
      expect(campaigns).toEqual([{ id, version: first === 1 ? 1 : 2 }])
    }
  })

  test('without a change makes no new version', async () => {
    const id = await shop.publish(club())
    expect(await shop.post(`/v1/campaigns/${id}/publish`)).toMatchObject({ version: 1 })
    expect((await shop.get(`/v1/campaigns/${id}/versions`)).data).toHaveLength(1)
  })

  test('at the same time makes one version and one event', async () => {
    const { id } = await shop.post('/v1/campaigns', club())
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        shop.call('POST', `/v1/campaigns/${id}/publish`, {}, { on: i % 2 ? second : service }),
      ),
    )
    expect(tally(replies)).toEqual({ 200: 8 })
    expect((await shop.get(`/v1/campaigns/${id}/versions`)).data).toHaveLength(1)
    const { rows } = await service.database.pool.query(
      `SELECT data FROM events WHERE type = 'campaign.published' AND data ->> 'campaign' = $1`,
      [id],
    )
    expect(rows).toEqual([{ data: { campaign: id, version: 1 } }])
  })
})

test('what changed between versions can be read, newest first, place by place', async () => {
  const id = await shop.publish(club(1, { rewards: [{ key: 'gift', kind: 'amount_off', amount: 5 }] }))
  await shop.republish(id, { name: 'Better club', rules: [base(2), { ...base(1), id: 'extra' }] })
  await shop.republish(id, { rewards: null })
  const { data } = await shop.get(`/v1/campaigns/${id}/versions`)
  expect(data.map(({ version }: { version: number }) => version)).toEqual([3, 2, 1])
  expect(data[0]).toMatchObject({
    definition: { name: 'Better club', rules: [base(2), { ...base(1), id: 'extra' }] },
    publishedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
  })
  expect(data[0].definition).not.toHaveProperty('rewards')
  expect(data[0].changes).toEqual([
    { place: 'rewards', before: [{ key: 'gift', kind: 'amount_off', amount: 5 }] },
  ])
  expect(data[1].changes).toHaveLength(3)
  expect(data[1].changes).toEqual(
    expect.arrayContaining([
      { place: 'name', before: 'Club', after: 'Better club' },
      { place: 'rules[base].points', before: 1, after: 2 },
      { place: 'rules[extra]', after: { ...base(1), id: 'extra' } },
    ]),
  )
  expect(data[2].changes).toEqual([])

  const first = await shop.get(`/v1/campaigns/${id}/versions?limit=1`)
  expect(first.data).toEqual([data[0]])
  const rest = await shop.get(`/v1/campaigns/${id}/versions?limit=2&cursor=${first.nextCursor}`)
  expect(rest.data).toEqual([data[1], data[2]])
  expect(rest).not.toHaveProperty('nextCursor')
})

describe.each(['pause', 'archive'] as const)('%s', (action) => {
  const definition = club(1, {
    rewards: [{ key: 'gift', kind: 'amount_off', amount: 5 }],
    thresholds: [{ balance: 'points', at: 100, grant: 'gift' }],
    tiers: [{ key: 'gold', balance: 'points', from: 150 }],
    spend: { balance: 'points', worth: 0.01 },
  })

  test('nobody registers and nothing is collected, granted or reached; redeeming and spending go on', async () => {
    const id = await shop.publish(definition)
    const person = await shop.register(id)
    const [coupon] = granted(await shop.process(person, { amount: 120 }))
    const stopped = await shop.post(`/v1/campaigns/${id}/${action}`)
    expect(stopped).toMatchObject({ id, status: action === 'pause' ? 'paused' : 'archived', version: 1 })
    expect(await registering(id)).toBe('invalid_campaign')

    const sale = await shop.process(
      person,
      { amount: 500, reward: coupon, pointsToSpend: 50 },
      { on: second },
    )
    expect(sale.executedActions.actions).toEqual([
      { type: 'redeem_coupon', coupon, discount: 5 },
      { type: 'spend_points', key: 'points', amount: 50, value: 70, discount: 0.5 },
    ])
    expect(skipped(sale)).toEqual({ base: 'paused' })
    expect(await shop.balance(person)).toEqual({ value: 70, total: 120 })
    // What was sold before can be brought back all the same.
    await shop.giveBack(sale)
    expect(await shop.balance(person)).toEqual({ value: 120, total: 120 })
    expect((await shop.coupon(coupon!)).status).toBe(1)
  })

  test(action === 'pause' ? 'publishing goes on where it was' : 'is for good', async () => {
    const id = await shop.publish(definition)
    const person = await shop.register(id)
    await shop.post(`/v1/campaigns/${id}/${action}`)
    expect(collected(await shop.process(person, { amount: 10 }))).toEqual({})
    const reply = await shop.call('POST', `/v1/campaigns/${id}/publish`)
    if (action === 'archive') {
      expect([reply.status, reply.body.message]).toEqual([400, 'invalid_campaign'])
      return
    }
    expect(reply.body).toMatchObject({ status: 'published', version: 1 })
    expect(collected(await shop.process(person, { amount: 10 }))).toEqual({ base: 10 })
    expect(await registering(id)).toBe('registered')
  })
})

test('a till sees only published campaigns', async () => {
  const [open, paused] = [await shop.publish(club()), await shop.publish(club())]
  await shop.post(`/v1/campaigns/${paused}/pause`)
  const draft = (await shop.post('/v1/campaigns', club())).id
  const till = await shop.merchant.connect(['pos'])
  const listed = (await till('GET', '/v1/campaigns?limit=100')).body.data.map(({ id }: { id: string }) => id)
  expect(listed).toContain(open)
  expect(listed).not.toContain(paused)
  expect(listed).not.toContain(draft)
  expect((await till('GET', `/v1/campaigns/${draft}`)).status).toBe(404)
})

describe('two campaigns that name one balance', () => {
  test('with other decimals: the second to publish is refused with the place, and the first goes on', async () => {
    const coins = (decimals: number) => ({ name: 'Coins', balances: [{ key: 'coins', decimals }] })
    const [first, other] = [
      await shop.post('/v1/campaigns', coins(0)),
      await shop.post('/v1/campaigns', coins(2)),
    ]
    await shop.post(`/v1/campaigns/${first.id}/publish`)
    const reply = await shop.call('POST', `/v1/campaigns/${other.id}/publish`)
    expect([reply.status, reply.body.message]).toEqual([400, 'invalid_campaign_definition'])
    expect(reply.body.description).toMatch(/balances\[0\]\.decimals/)
    expect(await shop.get(`/v1/campaigns/${other.id}`)).toMatchObject({ status: 'draft', version: 0 })
    expect((await shop.call('POST', '/v1/campaigns', coins(2))).body.message).toBe(
      'invalid_campaign_definition',
    )
  })

  test('with other decimals published at the same time: exactly one wins', async () => {
    for (const key of ['race-a', 'race-b', 'race-c']) {
      const drafts = await Promise.all(
        [0, 1, 2, 3].map((decimals) =>
          shop.post('/v1/campaigns', { name: 'Race', balances: [{ key, decimals }] }),
        ),
      )
      const replies = await Promise.all(
        drafts.map(({ id }, i) =>
          shop.call('POST', `/v1/campaigns/${id}/publish`, {}, { on: i % 2 ? second : service }),
        ),
      )
      expect(tally(replies)).toEqual({ 200: 1, '400 invalid_campaign_definition': 3 })
    }
  })

  test('share it: what one gave the other spends', async () => {
    const one = await shop.publish(club())
    const other = await shop.publish({
      name: 'Spender',
      balances: [{ key: 'points' }],
      spend: { balance: 'points', worth: 0.5 },
    })
    const person = await shop.register(one)
    await shop.process(person, { amount: 10 })
    const card = await shop.register(other, person.customer)
    expect(await shop.balance(card)).toEqual({ value: 10, total: 10 })
    const sale = await shop.process(card, { amount: 20, pointsToSpend: 10 })
    expect(sale).toMatchObject({ pointsSpent: 10, pointsDiscount: 5 })
  })
})
