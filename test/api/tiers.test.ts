import { afterAll, beforeAll, expect, test } from 'vitest'
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
  await shop.giveBack(sale, { items: [{ id: '1', quantity: 1 }] })
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

  const gold = await shop.register(club)
  await shop.process(gold, { amount: 500 })
  const doubled = await shop.process(gold, { items: [{ amount: 10 }, { amount: 20 }] })
  expect(collected(doubled)).toEqual({ base: 30, member: 1, gold: 31 })
  await shop.adjust(gold, 'points', -500)
  await shop.giveBack(doubled, { items: [{ id: '2', quantity: 1 }] })
  expect(await shop.balance(gold)).toEqual({ value: 22, total: 522 })
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
