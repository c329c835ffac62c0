import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../support/service.ts'
import { auditWithReturns, type Body, openShop, type Person, type Shop } from '../support/shop.ts'

let service: TestService
let shop: Shop
let club: string

const coffeeClub = {
  name: 'Club',
  balances: [{ key: 'points' }],
  rules: [{ id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 }],
}

beforeAll(async () => {
  service = await startTestService()
  shop = await openShop(service)
  club = await shop.publish(coffeeClub)
})
afterAll(async () => {
  expect(await auditWithReturns(service)).toEqual([])
  await service.close()
})

interface Holder extends Person {
  readonly barcode: string
}

async function newHolder(at: Shop = shop, campaign = club): Promise<Holder> {
  const person = await at.register(campaign)
  const { barcode } = await at.get(`/v1/cards/${person.card}`)
  return { ...person, barcode }
}

const replace = (card: string): Promise<Body> => shop.post(`/v1/cards/${card}/replace`)
const block = (card: string): Promise<Body> => shop.post(`/v1/cards/${card}/block`)
const find = (q: string): Promise<Body> => shop.get(`/v1/customers/find?q=${encodeURIComponent(q)}`)
const idsOf = (cards: readonly { id: string }[]) => cards.map(({ id }) => id)

describe('matchedCard of find', () => {
  test('is the scanned card, and absent when nothing was scanned', async () => {
    const phone = '+12025550177'
    const { id } = await shop.post('/v1/customers', { data: { phone, email: 'match@example.com' } })
    const { card } = await shop.register(club, id)
    const other = await shop.register(await shop.publish({ ...coffeeClub, name: 'Other' }), id)
    const { barcode } = await shop.get(`/v1/cards/${other.card}`)
    expect((await find(barcode)).matchedCard).toBe(other.card)
    expect((await find(` ${barcode} `)).matchedCard).toBe(other.card)
    for (const q of [phone, 'match@example.com']) {
      const found = await find(q)
      expect(idsOf(found.cards)).toEqual([card, other.card])
      expect(found).not.toHaveProperty('matchedCard')
    }
    expect(await shop.get(`/v1/customers/${id}`)).not.toHaveProperty('matchedCard')
  })

  test('is the newest card for every card of a chain of replacements', async () => {
    const { card, barcode } = await newHolder()
    const second = await replace(card)
    const third = await replace(second.id)
    for (const scanned of [barcode, second.barcode, third.barcode]) {
      expect((await find(scanned)).matchedCard).toBe(third.id)
    }
  })

  test('may be a blocked card, also one that replaced the scanned one', async () => {
    const { customer, card, barcode } = await newHolder()
    const other = await shop.register(await shop.publish({ ...coffeeClub, name: 'Unblocked' }), customer)
    await block(card)
    expect((await find(barcode)).matchedCard).toBe(card)
    const next = await replace(card)
    await block(next.id)
    const found = await find(barcode)
    expect(found.matchedCard).toBe(next.id)
    expect(idsOf(found.cards)).toEqual([other.card, next.id, card])
  })
})

test('cards that can be used come first, then blocked ones, then replaced ones, wherever cards are listed', async () => {
  const { customer, card: replaced } = await newHolder()
  const blocked = await shop.register(await shop.publish({ ...coffeeClub, name: 'Blocked' }), customer)
  const active = await shop.register(await shop.publish({ ...coffeeClub, name: 'Active' }), customer)
  const again = await replace(replaced)
  await block(blocked.card)
  const expected = [active.card, again.id, blocked.card, replaced]
  const { body: patched } = await shop.call('PATCH', `/v1/customers/${customer}`, {})
  const listed = await shop.get(`/v1/customers?q=${again.barcode}`)
  for (const { cards } of [
    await find(again.barcode),
    await shop.get(`/v1/customers/${customer}`),
    patched,
    listed.data[0],
    (await shop.get(`/v1/customers/${customer}/export`)).customer,
    await shop.post(`/v1/customers/${customer}/block`),
    await shop.post(`/v1/customers/${customer}/unblock`),
  ]) {
    expect(idsOf(cards)).toEqual(expected)
  }
})
