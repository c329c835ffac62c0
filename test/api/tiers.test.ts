import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../support/service.ts'
import { auditWithReturns, type Body, collected, openShop, type Shop, skipped } from '../support/shop.ts'

let service: TestService
let shop: Shop
let club: string

const definition = {
  name: 'Club',
  balances: [{ key: 'points' }],
  rules: [
    { id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 },
    { id: 'gold', kind: 'multiply', balance: 'points', factor: 2, when: { tiers: ['gold'] } },
    {
      id: 'member',
      kind: 'collect_per_visit',
      balance: 'points',
      amount: 1,
      when: { tiers: ['silver', 'gold'] },
    },
  ],
  tiers: [
    { key: 'silver', name: 'Silver', balance: 'points', from: 100 },
    { key: 'gold', name: 'Gold', balance: 'points', from: 500 },
  ],
  rewards: [{ key: 'gift', kind: 'amount_off', amount: 5 }],
  spend: { balance: 'points', worth: 0.01 },
}

beforeAll(async () => {
  service = await startTestService()
  shop = await openShop(service)
  club = await shop.publish(definition)
})
afterAll(async () => {
  expect(await auditWithReturns(service)).toEqual([])
  expect(await shop.integrity()).toMatchObject({ ok: true, problems: [] })
  await service.close()
})

const tiersReached = (sale: Body) =>
  sale.executedActions.actions.filter((action: { type: string }) => action.type === 'change_tier')

const silver = () => ({ campaign: club, key: 'silver', name: 'Silver' })
const gold = () => ({ campaign: club, key: 'gold', name: 'Gold' })

test('a tier is reached in the transaction that crosses it, as its last action, and counts from the next basket on', async () => {
  const person = await shop.register(club)
  const before = await shop.process(person, { amount: 99 })
  expect(tiersReached(before)).toEqual([])
  expect(skipped(before)).toEqual({ gold: 'tier', member: 'tier' })

  const crossing = await shop.process(person, { amount: 1 })
  expect(crossing.executedActions.actions.at(-1)).toEqual({
    type: 'change_tier',
    tier: 'silver',
    campaign: club,
  })
  expect(skipped(crossing)).toEqual({ gold: 'tier', member: 'tier' })
  expect(await shop.events('tier.changed', person)).toEqual([
    { customer: person.customer, campaign: club, tier: 'silver', transaction: crossing.id },
  ])

  const next = await shop.process(person, { amount: 10 })
  expect(collected(next)).toEqual({ base: 10, member: 1 })
  expect(skipped(next)).toEqual({ gold: 'tier' })
  expect(tiersReached(next)).toEqual([])
})

test('a basket that climbs several steps reports the one it arrives at, once', async () => {
  const person = await shop.register(club)
  const sale = await shop.process(person, { amount: 700 })
  expect(collected(sale)).toEqual({ base: 700 })
  expect(tiersReached(sale)).toEqual([{ type: 'change_tier', tier: 'gold', campaign: club }])
  expect(await shop.events('tier.changed', person)).toHaveLength(1)
  expect(collected(await shop.process(person, { amount: 10 }))).toEqual({ base: 10, member: 1, gold: 11 })
})

test('validate shows the tier that process reaches, and keeps nothing of it', async () => {
  const person = await shop.register(club)
  const preview = await shop.post('/v1/transactions/validate', { ...person, amount: 100 })
  expect(tiersReached(preview)).toEqual([{ type: 'change_tier', tier: 'silver', campaign: club }])
  expect(skipped(await shop.process(person, { amount: 5 })).member).toBe('tier')
  expect(await shop.events('tier.changed', person)).toEqual([])
})

test('tiers stand on the lifetime total: spending and adjusting do not lose or win one', async () => {
  const person = await shop.register(club)
  await shop.process(person, { amount: 150 })
  await shop.adjust(person, 'points', -100)
  await shop.process(person, { amount: 1, pointsToSpend: 50 })
  expect(await shop.balance(person)).toMatchObject({ total: 151 })
  expect(collected(await shop.process(person, { amount: 5 })).member).toBe(1)

  const rich = await shop.register(club)
  await shop.adjust(rich, 'points', 1000)
  expect(skipped(await shop.process(rich, { amount: 5 })).member).toBe('tier')
})

test('a return that takes the total below the step takes the tier, and crossing again reaches it again', async () => {
  const person = await shop.register(club)
  const sale = await shop.process(person, { items: [{ amount: 60 }, { amount: 50 }] })
  expect(tiersReached(sale)).toHaveLength(1)
  expect((await shop.view(person)).tiers).toEqual([silver()])
  const back = await shop.giveBack(sale, { items: [{ id: '1', quantity: 1 }] })
  expect(tiersReached(back)).toEqual([{ type: 'change_tier', campaign: club }])
  expect((await shop.view(person)).tiers).toEqual([])
  expect(await shop.balance(person)).toEqual({ value: 50, total: 50 })
  expect(skipped(await shop.process(person, { amount: 10 })).member).toBe('tier')
  expect(tiersReached(await shop.process(person, { amount: 40 }))).toEqual([
    { type: 'change_tier', tier: 'silver', campaign: club },
  ])
})

test('a return is computed on the tier held before the sale, not on the one held now', async () => {
  const person = await shop.register(club)
  const early = await shop.process(person, { items: [{ amount: 60 }, { amount: 60 }] })
  await shop.process(person, { amount: 400 })
  // Silver by now: the remaining half of the early sale must not earn `member`.
  await shop.giveBack(early, { items: [{ id: '2', quantity: 1 }] })
  expect(await shop.balance(person)).toEqual({ value: 461, total: 461 })

  const golden = await shop.register(club)
  await shop.process(golden, { amount: 500 })
  const doubled = await shop.process(golden, { items: [{ amount: 10 }, { amount: 20 }] })
  expect(collected(doubled)).toEqual({ base: 30, member: 1, gold: 31 })
  await shop.adjust(golden, 'points', -500)
  await shop.giveBack(doubled, { items: [{ id: '2', quantity: 1 }] })
  expect(await shop.balance(golden)).toEqual({ value: 22, total: 522 })
})

test('tiers of two campaigns on one card are reached side by side', async () => {
  const own = await shop.publish({
    name: 'Own',
    balances: [{ key: 'stars' }],
    rules: [{ id: 'stars', kind: 'collect_per_visit', balance: 'stars', amount: 10 }],
    tiers: [{ key: 'fan', balance: 'stars', from: 10 }],
  })
  const other = await shop.publish({
    name: 'Other',
    balances: [{ key: 'stars' }],
    runsOn: [own],
    rules: [
      { id: 'bonus', kind: 'collect_per_visit', balance: 'stars', amount: 5, when: { tiers: ['friend'] } },
    ],
    tiers: [{ key: 'friend', balance: 'stars', from: 10 }],
  })
  const person = await shop.register(own)
  expect(tiersReached(await shop.process(person, { amount: 1 }))).toEqual([
    { type: 'change_tier', tier: 'fan', campaign: own },
    { type: 'change_tier', tier: 'friend', campaign: other },
  ])
  expect(collected(await shop.process(person, { amount: 1 }))).toEqual({ stars: 10, bonus: 5 })
})

test('a return tells the tier that is left, the same when it is repeated or looked up', async () => {
  const person = await shop.register(club)
  await shop.process(person, { amount: 200 })
  const sale = await shop.process(person, { items: [{ amount: 300 }, { amount: 1 }] })
  expect((await shop.view(person)).tiers).toEqual([gold()])
  const untouched = await shop.giveBack(sale, { items: [{ id: '2', quantity: 1 }] })
  expect(tiersReached(untouched)).toEqual([])
  const body = { opaqueId: 'tier-return', items: [{ id: '1', quantity: 1 }] }
  const back = await shop.giveBack(sale, body)
  const lost = { type: 'change_tier', tier: 'silver', campaign: club }
  expect(tiersReached(back)).toEqual([lost])
  expect(await shop.giveBack(sale, body)).toEqual(back)
  expect((await shop.get(`/v1/transactions/${sale.id}`)).returns.map(tiersReached)).toEqual([[], [lost]])
  expect((await shop.view(person)).tiers).toEqual([silver()])
})

describe('the tiers of a customer', () => {
  test('are in every reply with the customer, and on the wallet page', async () => {
    const { customer, card } = await shop.register(club)
    const { barcode, walletUrl } = await shop.get(`/v1/cards/${card}`)
    const replies = async (): Promise<Body[]> => [
      await shop.get(`/v1/customers/${customer}`),
      await shop.get(`/v1/customers/find?q=${barcode}`),
      (await shop.get(`/v1/customers?q=${barcode}`)).data[0],
      await shop.post('/v1/customers/register', { campaignId: club, customer: { id: customer } }),
      (await shop.call('PATCH', `/v1/customers/${customer}`, {})).body,
      (await shop.get(`/v1/customers/${customer}/export`)).customer,
      (await service.call('GET', `${new URL(walletUrl).pathname}/card`)).body,
    ]
    for (const { tiers } of await replies()) expect(tiers).toEqual([])
    await shop.process({ customer, card }, { amount: 100 })
    for (const { tiers } of await replies()) expect(tiers).toEqual([silver()])
    expect((await shop.post('/v1/customers', { data: {} })).tiers).toEqual([])
  })

  test('are those of the card’s campaign and of those that run on it, published or paused', async () => {
    const starred = { balances: [{ key: 'stars2' }] }
    const tier = (key: string) => ({ tiers: [{ key, balance: 'stars2', from: 10 }] })
    const own = await shop.publish({
      ...starred,
      ...tier('fan'),
      name: 'Own',
      rules: [{ id: 'stars', kind: 'collect_per_visit', balance: 'stars2', amount: 10 }],
    })
    const guest = await shop.publish({ ...starred, ...tier('friend'), name: 'Guest', runsOn: [own] })
    await shop.publish({ ...starred, ...tier('stranger'), name: 'Elsewhere', runsOn: [club] })
    await shop.publish({ ...starred, ...tier('over'), name: 'Over', runsOn: [own], endsAt: '2020-01-01' })
    await shop.publish({ ...starred, ...tier('soon'), name: 'Soon', runsOn: [own], startsAt: '2999-01-01' })
    const person = await shop.register(own)
    await shop.process(person, { amount: 1 })
    const held = async () => (await shop.view(person)).tiers.map(({ key }: { key: string }) => key)
    const both = [
      { campaign: own, key: 'fan', name: 'fan' },
      { campaign: guest, key: 'friend', name: 'friend' },
    ]
    expect((await shop.view(person)).tiers).toEqual(both)
    await shop.post(`/v1/campaigns/${own}/pause`)
    await shop.post(`/v1/campaigns/${guest}/pause`)
    expect((await shop.view(person)).tiers).toEqual(both)
    await shop.post(`/v1/campaigns/${guest}/archive`)
    expect(await held()).toEqual(['fan'])
  })

  test('follow the newest version, and stay with a blocked or replaced card', async () => {
    const changing = await shop.publish({ ...definition, name: 'Changing' })
    const person = await shop.register(changing)
    await shop.process(person, { amount: 100 })
    const tiers = [{ key: 'top', name: 'Top', balance: 'points', from: 100 }]
    await shop.republish(changing, { tiers, rules: definition.rules.slice(0, 1) })
    const top = [{ campaign: changing, key: 'top', name: 'Top' }]
    expect((await shop.view(person)).tiers).toEqual(top)
    await shop.post(`/v1/cards/${person.card}/replace`)
    expect((await shop.view(person)).tiers).toEqual(top)
    await shop.post(`/v1/cards/${(await shop.view(person)).cards[0].id}/block`)
    expect((await shop.view(person)).tiers).toEqual(top)
  })
})
