import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../support/expect-refusal.ts'
import { adminToken, startTestService, type TestService } from '../support/service.ts'
import {
  auditWithReturns,
  type Body,
  openShop,
  type Person,
  type Shop,
  tally,
  times,
} from '../support/shop.ts'

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

describe('a basket with a barcode', () => {
  const send = (path: 'validate' | 'process', body: object, headers: Record<string, string> = {}) =>
    shop.call('POST', `/v1/transactions/${path}`, body, { headers })
  const both = ['validate', 'process'] as const

  test('is the one with the ids of the card, and its reply carries them', async () => {
    const { customer, card, barcode } = await newHolder()
    for (const path of both) {
      const { body } = await send(path, { barcode, amount: 5 })
      expect(body).toMatchObject({ customer, card, payableAmount: 5 })
      expect(body).not.toHaveProperty('barcode')
    }
    expect((await send('process', { barcode: ` ${barcode}\n`, amount: 2 })).body).toMatchObject({ card })
    expect(await shop.balance({ customer, card })).toEqual({ value: 7, total: 7 })
  })

  test('of a replaced card, and of one that was replaced several times, uses the newest', async () => {
    const { customer, card, barcode } = await newHolder()
    const second = await replace(card)
    const third = await replace(second.id)
    for (const path of both) {
      for (const scanned of [barcode, second.barcode, third.barcode]) {
        expect((await send(path, { barcode: scanned, amount: 1 })).body).toMatchObject({
          customer,
          card: third.id,
        })
      }
    }
  })

  test('beside customer or card, or without any of them, is _invalid_payload', async () => {
    const { customer, card, barcode } = await newHolder()
    const cases: [body: object, description: string][] = [
      [{ barcode, customer }, 'barcode: must not be sent together with customer or card.'],
      [{ barcode, card }, 'barcode: must not be sent together with customer or card.'],
      [{ barcode, customer, card }, 'barcode: must not be sent together with customer or card.'],
      [{}, 'customer: is missing.'],
      [{ card }, 'customer: is missing.'],
      [{ customer }, 'card: is missing.'],
      [{ barcode: '' }, 'barcode: must not be empty.'],
      [{ barcode: Number(barcode) }, 'barcode: must be a string.'],
      [{ barcode: null }, 'barcode: must be a string.'],
      [{ barcode: '1'.repeat(65) }, 'barcode: must have at most 64 characters.'],
    ]
    for (const path of both) {
      for (const [body, description] of cases) {
        const reply = await send(path, { ...body, amount: 1 })
        expectRefusal(reply, 400, '_invalid_payload')
        expect(reply.body.description).toBe(description)
      }
    }
  })

  test('that nobody has, or only another organization, is card_not_found and says what to do', async () => {
    const others = await openShop(service)
    const foreign = await newHolder(others, await others.publish(coffeeClub))
    const { customer, barcode } = await newHolder()
    await shop.post(`/v1/customers/${customer}/erase`)
    for (const path of both) {
      for (const unknown of [foreign.barcode, barcode, '2000000000000000', ' ', 'card_1']) {
        const reply = await send(path, { barcode: unknown, amount: 1 })
        expectRefusal(reply, 400, 'card_not_found')
        expect(reply.body.description).toMatch(
          /^No card has this barcode\. Scan it again, or find the customer/,
        )
      }
    }
  })

  test('of a blocked card is card_not_active, of a blocked customer customer_not_active', async () => {
    const { customer, card, barcode } = await newHolder()
    const next = await replace(card)
    await block(next.id)
    for (const path of both) {
      expectRefusal(await send(path, { barcode, amount: 1 }), 400, 'card_not_active')
      expectRefusal(await send(path, { barcode: next.barcode, amount: 1 }), 400, 'card_not_active')
    }
    await shop.post(`/v1/customers/${customer}/block`)
    for (const path of both)
      expectRefusal(await send(path, { barcode, amount: 1 }), 400, 'customer_not_active')
  })

  test('still has its other members checked: ignored and named, or refused in strict mode', async () => {
    const { barcode } = await newHolder()
    for (const path of both) {
      const body = { barcode, amount: 1, bar_code: 'x', items: [{ amount: 1, sku: 'y' }] }
      const lenient = await send(path, body)
      expect(lenient.status).toBe(path === 'process' ? 201 : 200)
      expect(lenient.headers['ignored-members']).toBe('bar_code, items[0].sku')
      const strict = await send(path, body, { prefer: 'handling=strict' })
      expectRefusal(strict, 400, '_invalid_payload')
      expect(strict.body.description).toContain('bar_code')
      expect((await send(path, { barcode, amount: 1 }, { prefer: 'handling=strict' })).status).toBeLessThan(
        300,
      )
    }
  })

  test('replays its receipt and its key, also when the card was replaced or blocked since', async () => {
    const { customer, card, barcode } = await newHolder()
    const body = { barcode, amount: 5, opaqueId: 'scan-1' }
    const keyed = { barcode, amount: 6 }
    const key = { 'idempotency-key': 'scan-key' }
    const first = (await send('process', body)).body
    const second = (await send('process', keyed, key)).body
    expect([first.card, second.card]).toEqual([card, card])
    const next = await replace(card)
    const expectReplays = async () => {
      for (const [reply, expected] of [
        [await send('process', body), first],
        [await send('process', keyed, key), second],
      ] as const) {
        expect(reply.headers['idempotent-replayed']).toBe('true')
        expect(reply.body).toEqual(expected)
      }
    }
    await expectReplays()
    await block(next.id)
    await expectReplays()
    expectRefusal(await send('process', { ...body, amount: 7 }), 409, 'transaction_already_exists')
    expect(await shop.balance({ customer, card })).toEqual({ value: 11, total: 11 })
  })

  test('works while the card is being replaced, and a customer’s baskets all count', async () => {
    const { customer, card, barcode } = await newHolder()
    const sales = times(20, (i) => send('process', { barcode, amount: 1, opaqueId: `race-${i}` }))
    const [, ...replies] = await Promise.all([replace(card), ...sales])
    expect(tally(replies)).toEqual({ 201: 20 })
    expect(await shop.balance({ customer, card })).toEqual({ value: 20, total: 20 })
  })

  test('is refused without a subscription like any other', async () => {
    const closed = await openShop(service)
    const { barcode } = await newHolder(closed, await closed.publish(coffeeClub))
    await closed.post('/v1/transactions/process', { barcode, amount: 1 })
    await service.call('POST', `/admin/v1/organizations/${closed.merchant.id}/subscription`, {
      token: adminToken,
      body: { active: false },
    })
    for (const scanned of [barcode, '2000000000000000']) {
      const body = { barcode: scanned, amount: 1 }
      expectRefusal(await closed.call('POST', '/v1/transactions/process', body), 403, 'invalid_subscription')
    }
  })
})
