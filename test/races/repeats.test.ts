import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectRefusal } from '../support/expect-refusal.ts'
import type { Reply } from '../support/service.ts'
import { many, startTwoInstances, type TwoInstances } from '../support/two-instances.ts'

/** The same call many times at once, and different calls under one number. */
let two: TwoInstances
let campaign: string

beforeAll(async () => {
  two = await startTwoInstances()
  campaign = await two.merchant.publishCampaign()
})
afterAll(async () => {
  expect(await two.problems()).toEqual([])
  await two.close()
})

let keys = 0
const freshKey = () => ({ 'idempotency-key': `race-${keys++}` })

function expectOneAnswer(replies: readonly Reply[], expected = 201): void {
  const first = replies[0]!
  expect(first.status).toBe(expected)
  for (const { status, body } of replies) expect([status, body]).toEqual([first.status, first.body])
  expect(replies.filter((reply) => reply.headers['idempotent-replayed'] === undefined)).toHaveLength(1)
}

test('one basket 50 times under one key: one transaction, equal answers', async () => {
  const { customer, card } = await two.merchant.register(campaign)
  const key = freshKey()
  const basket = { customer, card, amount: 7, items: [{ product: 'latte', quantity: 11, amount: 7 }] }
  const replies = await many(50, () => two.call('POST', '/v1/transactions/process', basket, key))
  expect(replies[0]!.status).toBe(201)
  expectOneAnswer(replies)
  const list = await two.call('GET', `/v1/transactions?customer=${customer}`)
  expect(list.body.data).toHaveLength(1)
})

test('one basket 50 times under one receipt number: one transaction, equal answers', async () => {
  const { customer, card } = await two.merchant.register(campaign)
  const basket = { customer, card, opaqueId: 'race-receipt', amount: 7 }
  const replies = await many(50, (i) =>
    two.call('POST', '/v1/transactions/process', basket, i % 2 ? freshKey() : {}),
  )
  expectOneAnswer(replies)
  expect((await two.call('GET', `/v1/customers/${customer}`)).body.collectables.points.total).toBe(7)
})

test('50 customers under one receipt number: one transaction, the rest transaction_already_exists', async () => {
  const people = await many(50, () => two.merchant.register(campaign))
  const replies = await Promise.all(
    people.map(({ customer, card }) =>
      two.call('POST', '/v1/transactions/process', {
        customer,
        card,
        opaqueId: 'one-receipt',
        amount: 1,
      }),
    ),
  )
  expect(replies.filter((reply) => reply.status === 201)).toHaveLength(1)
  for (const reply of replies.filter((item) => item.status !== 201))
    expectRefusal(reply, 409, 'transaction_already_exists')
})

test('50 customers under one key: one transaction, the rest idempotency_key_reused', async () => {
  const people = await many(50, () => two.merchant.register(campaign))
  const key = freshKey()
  const replies = await Promise.all(
    people.map(({ customer, card }) =>
      two.call('POST', '/v1/transactions/process', { customer, card, amount: 1 }, key),
    ),
  )
  expect(replies.filter((reply) => reply.status === 201)).toHaveLength(1)
  for (const reply of replies.filter((item) => item.status !== 201))
    expectRefusal(reply, 422, 'idempotency_key_reused')
})

test('one registration 50 times under one key: one customer, equal answers', async () => {
  const key = freshKey()
  const body = { campaignId: campaign, customer: { data: { phone: '+12025550666' } } }
  expectOneAnswer(await many(50, () => two.call('POST', '/v1/customers/register', body, key)))
})

test('one adjustment 50 times under one key counts once', async () => {
  const { customer } = await two.merchant.register(campaign)
  const key = freshKey()
  const body = { key: 'points', amount: 3, reason: 'x' }
  expectOneAnswer(await many(50, () => two.call('POST', `/v1/customers/${customer}/adjustments`, body, key)))
  expect((await two.call('GET', `/v1/customers/${customer}`)).body.collectables.points.value).toBe(3)
})

test('one return of everything 50 times under one key: one return, equal answers', async () => {
  const { customer, card } = await two.merchant.register(campaign)
  for (let round = 0; round < 5; round++) {
    const sale = await two.call('POST', '/v1/transactions/process', { customer, card, amount: 7 })
    const key = freshKey()
    const path = `/v1/transactions/${sale.body.id}/return`
    expectOneAnswer(await many(50, () => two.call('POST', path, { reason: 'race' }, key)))
  }
})

test('one coupon revoked 50 times under one key: equal answers', async () => {
  const who = await two.merchant.register(campaign)
  for (let round = 0; round < 5; round++) {
    const coupon = await two.issueCoupon(who, campaign, 'free-coffee')
    const key = freshKey()
    const replies = await many(50, () => two.call('POST', `/v1/coupons/${coupon}/revoke`, {}, key))
    expectOneAnswer(replies, 200)
  }
})

test('of 50 parallel refreshes of one token exactly one succeeds, and its token is the newest', async () => {
  const { token, refreshToken } = two.merchant
  const refresh = (accessToken: string, newest: string) =>
    two.call('POST', '/auth/refreshtoken', { accessToken, refreshToken: newest })
  const replies = await many(50, () => refresh(token, refreshToken))
  const won = replies.filter((reply) => reply.status === 200)
  expect(won).toHaveLength(1)
  for (const lost of replies.filter((reply) => reply.status !== 200))
    expectRefusal(lost, 400, '_invalid_refresh_token')
  const [{ body }] = won as [Reply]
  expect((await refresh(body.accessToken, body.refreshToken)).status).toBe(200)
})
