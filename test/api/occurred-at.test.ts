/** How far back a sale may lie that is sent late: no day may open that the customer could not have bought on. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectRefusal } from '../support/expect-refusal.ts'
import { startTestService, type TestService } from '../support/service.ts'
import { auditWithReturns, openShop, type Person, type Shop } from '../support/shop.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const opened = Date.parse('2027-03-01T12:00:00Z')

let service: TestService
let shop: Shop
let campaign: string
let person: Person

const club = {
  name: 'Club',
  balances: [{ key: 'points' }],
  rules: [{ id: 'visit', kind: 'collect_per_visit', balance: 'points', amount: 1, limits: { perDay: 1 } }],
}
const setTime = (ms: number) => service.setTime(new Date(ms))

beforeAll(async () => {
  service = await startTestService()
  service.holdTime()
})
afterAll(async () => {
  expect(await auditWithReturns(service)).toEqual([])
  await service.close()
})
beforeEach(async () => {
  setTime(opened)
  shop = await openShop(service, { timezone: 'UTC' })
  campaign = await shop.publish(club)
  person = await shop.register(campaign)
})

const basketAt = (ms: number, who = person) => ({
  ...who,
  amount: 1,
  occurredAt: new Date(ms).toISOString(),
})

async function expectAccepted(ms: number, who?: Person): Promise<void> {
  for (const [call, status] of [['validate', 200] as const, ['process', 201] as const]) {
    const reply = await shop.call('POST', `/v1/transactions/${call}`, basketAt(ms, who))
    expect([call, reply.status]).toEqual([call, status])
  }
}

async function expectRefused(ms: number, description: RegExp, who?: Person): Promise<void> {
  for (const call of ['validate', 'process']) {
    const reply = await shop.call('POST', `/v1/transactions/${call}`, basketAt(ms, who))
    expectRefusal(reply, 400, '_invalid_payload', description)
  }
}

describe('a sale before the card', () => {
  const beforeCard = /^occurredAt: .*card.*2027-03-01T12:00:00.000Z/

  test('is refused from five minutes on, however many days may be sent late', async () => {
    await expectAccepted(opened - 5 * minuteMs)
    await expectRefused(opened - 5 * minuteMs - 1, beforeCard)
    setTime(opened + 3 * dayMs)
    await expectAccepted(opened)
    await expectRefused(opened - dayMs, beforeCard)
  })

  test('leaves the daily limits of earlier days alone', async () => {
    for (let days = 0; days < 3; days++) {
      await shop.call('POST', '/v1/transactions/process', basketAt(opened - days * dayMs))
    }
    expect((await shop.balance(person)).value).toBe(1)
  })

  test('is not one if it was made with the card that this one replaces', async () => {
    setTime(opened + 3 * dayMs)
    const { id } = await shop.post(`/v1/cards/${person.card}/replace`)
    const successor = { ...person, card: id }
    await expectAccepted(opened, successor)
    await expectRefused(opened - 5 * minuteMs - 1, beforeCard, successor)
  })

  test('of this campaign is refused although the customer has an older one of another', async () => {
    setTime(opened + 3 * dayMs)
    const other = await shop.register(await shop.publish(club), person.customer)
    await expectRefused(opened + dayMs, /^occurredAt: .*2027-03-04T12:00:00.000Z/, other)
    await expectAccepted(opened + dayMs)
  })

  test('is judged after customer and card: their refusals come first', async () => {
    const stranger = await shop.register(campaign)
    const foreign = { customer: person.customer, card: stranger.card }
    const reply = await shop.call('POST', '/v1/transactions/process', basketAt(0, foreign))
    expectRefusal(reply, 400, 'card_not_found')
  })
})

describe('maxBackdateDays', () => {
  const set = async (maxBackdateDays: number) => {
    const reply = await shop.call('PATCH', '/v1/organization', { maxBackdateDays })
    expect([reply.status, reply.body.maxBackdateDays]).toEqual([200, maxBackdateDays])
  }

  test('is 30 unless told, and bounds what is sent late', async () => {
    expect((await shop.get('/v1/organization')).maxBackdateDays).toBe(30)
    const now = opened + 100 * dayMs
    setTime(now)
    await expectAccepted(now - 30 * dayMs)
    await expectRefused(now - 30 * dayMs - 1, /^occurredAt: .*30 days.*maxBackdateDays/)
    await expectRefused(Date.parse('0001-01-01T00:00:00Z'), /^occurredAt: .*30 days/)
  })

  test('counts from the next basket on', async () => {
    const now = opened + 100 * dayMs
    setTime(now)
    await set(1)
    await expectAccepted(now - dayMs)
    await expectRefused(now - dayMs - 1, /1 day in/)
    await set(3650)
    await expectAccepted(opened)
  })

  test('of 0 leaves the five minutes that clocks may differ by', async () => {
    const now = opened + dayMs
    setTime(now)
    await set(0)
    await expectAccepted(now - 5 * minuteMs)
    await expectRefused(now - 5 * minuteMs - 1, /5 minutes/)
    await shop.process(person, { amount: 1 })
  })

  test('does not bound retries: a sale that stands is answered again two months later', async () => {
    const body = { ...basketAt(opened), opaqueId: 'R-1' }
    const key = { headers: { 'idempotency-key': 'late' } }
    const first = await shop.post('/v1/transactions/process', body, key)
    setTime(opened + 60 * dayMs)
    for (const options of [{}, key]) {
      const again = await shop.call('POST', '/v1/transactions/process', body, options)
      expect([again.status, again.body]).toEqual([201, first])
      expect(again.headers['idempotent-replayed']).toBe('true')
    }
    await expectRefused(opened, /30 days/)
  })
})
