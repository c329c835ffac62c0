import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectRefusal } from '../support/expect-refusal.ts'
import { many, split, startTwoInstances, type TwoInstances } from '../support/two-instances.ts'

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

const register = (customer: object, campaignId = campaign) =>
  two.call('POST', '/v1/customers/register', { campaignId, customer })

test('50 parallel registrations of one customer open one card', async () => {
  const { id } = (await two.call('POST', '/v1/customers', { data: {} })).body
  const trace = await two.traceOf(async () => {
    const replies = await many(50, () => register({ id }))
    expect(new Set(replies.map((reply) => reply.status))).toEqual(new Set([201]))
    expect(new Set(replies.map((reply) => reply.body.cards[0].id)).size).toBe(1)
  })
  expect(trace).toMatchObject({ customers: 0, cards: 1, balances: 2, events: 1 })
  expect((await two.call('GET', `/v1/customers/${id}`)).body.cards).toHaveLength(1)
})

test.each([
  {
    what: 'phone',
    code: 'existing_customer_with_phone',
    person: (i: number) => ({ data: { phone: '+12025550777', fullname: `${i}` } }),
  },
  {
    what: 'e-mail',
    code: 'existing_customer_with_email',
    person: (i: number) => ({ data: { email: i % 2 ? 'race@example.com' : 'RACE@example.com' } }),
  },
  {
    what: 'opaque id',
    code: 'opaque_id_already_exists',
    person: () => ({ data: {}, opaqueId: 'race' }),
  },
  {
    what: 'phone, e-mail and opaque id',
    code: 'existing_customer_with_email',
    person: () => ({ data: { phone: '+12025550778', email: 'race3@example.com' }, opaqueId: 'race3' }),
  },
] as const)(
  '50 parallel registrations of one $what make one customer, the rest get $code, and no row is an orphan',
  async ({ code, person }) => {
    const alone = await two.traceOf(() => register({ data: {} }))
    expect(alone).toMatchObject({ customers: 1, wallets: 1, cards: 1, balances: 2, events: 2 })
    const trace = await two.traceOf(async () => {
      const { done, refused } = split(await many(50, (i) => register(person(i))))
      expect(done).toHaveLength(1)
      for (const reply of refused) expectRefusal(reply, 400, code)
    })
    expect(trace).toEqual(alone)
  },
)

test('registrations into two campaigns that share balances do not lose or double any', async () => {
  const other = await two.merchant.publishCampaign({
    name: 'Two',
    balances: [{ key: 'points' }, { key: 'two' }],
  })
  const { id } = (await two.call('POST', '/v1/customers', { data: {} })).body
  // By fours, so that each instance gets both campaigns.
  await many(50, (i) => register({ id }, i % 4 < 2 ? campaign : other))
  const view = (await two.call('GET', `/v1/customers/${id}`)).body
  expect(view.cards).toHaveLength(2)
  expect(Object.keys(view.collectables).sort()).toEqual(['points', 'stamps', 'two'])
})
