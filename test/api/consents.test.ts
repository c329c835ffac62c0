import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { maxPurposes } from '../../src/domain/consents.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { createQuickPerson } from '../support/people.ts'
import { type Merchant, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let merchant: Merchant
let campaign: string

beforeAll(async () => {
  service = await startTestService()
  merchant = await service.createMerchant()
  campaign = await merchant.publishCampaign()
})
afterAll(() => service.close())

const create = (consents: object, headers = {}) =>
  merchant.call('POST', '/v1/customers', { data: {}, consents }, headers)
const patch = (id: string, consents: unknown) => merchant.call('PATCH', `/v1/customers/${id}`, { consents })
const read = async (id: string) => (await merchant.call('GET', `/v1/customers/${id}`)).body.consents
const change = (purpose: string, given: boolean, at: string, via = 'connection') => ({
  purpose,
  given,
  at,
  via,
})

test('find those who agreed to a purpose', async () => {
  const own = await service.createMerchant()
  const add = async (consents: object) =>
    (await own.call('POST', '/v1/customers', { data: {}, consents })).body.id
  const [agreed] = [await add({ marketing: true }), await add({ marketing: false }), await add({ sms: true })]
  const found = async (consent: string) =>
    (await own.call('GET', `/v1/customers?consent=${consent}`)).body.data.map(({ id }: { id: string }) => id)
  expect(await found('marketing')).toEqual([agreed])
  await own.call('PATCH', `/v1/customers/${agreed}`, { consents: { marketing: false } })
  expect(await found('marketing')).toEqual([])
  expectRefusal(await own.call('GET', '/v1/customers?consent=Marketing!'), 400, '_invalid_payload')
})

describe('consents', () => {
  test('are kept by purpose, with when and by whom each was given or withdrawn', async () => {
    service.holdTime()
    const first = service.deps.clock().toISOString()
    const registered = await merchant.call('POST', '/v1/customers/register', {
      campaignId: campaign,
      customer: { data: {}, consents: { marketing: true, sms: false } },
    })
    const { id } = registered.body
    service.advance(60_000)
    const second = service.deps.clock().toISOString()
    const { cookie } = await createQuickPerson(service, merchant, 'cashier')
    const changed = await service.call('PATCH', `/v1/customers/${id}`, {
      body: { consents: { sms: true, marketing: null, 'e-mail_2': true } },
      headers: { cookie },
    })
    const expected = {
      sms: true,
      'e-mail_2': true,
      history: [
        change('marketing', true, first),
        change('sms', false, first),
        change('marketing', false, second, 'person'),
        change('sms', true, second, 'person'),
        change('e-mail_2', true, second, 'person'),
      ],
    }
    expect([changed.status, changed.body.consents]).toEqual([200, expected])
    expect(await read(id)).toEqual(expected)
    const exported = await merchant.call('GET', `/v1/customers/${id}/export`)
    expect(exported.body.customer.consents).toEqual(expected)
  })

  test('that are said again, and a profile that changes without them, add nothing', async () => {
    const { id, consents } = (await create({ marketing: true })).body
    await patch(id, { marketing: true })
    await merchant.call('PATCH', `/v1/customers/${id}`, { data: { fullname: 'Ada' } })
    expect(await read(id)).toEqual(consents)
  })

  test('of a response can be sent back: the history is ignored, in whatever form', async () => {
    const { id, consents } = (await create({ marketing: true })).body
    for (const history of [consents.history, [], 'x', null, [{ purpose: 'sms', given: true }]]) {
      const reply = await merchant.call(
        'PATCH',
        `/v1/customers/${id}`,
        { consents: { ...consents, history } },
        { prefer: 'handling=strict' },
      )
      expect([reply.status, reply.headers['ignored-members']]).toEqual([200, undefined])
    }
    expect(await read(id)).toEqual(consents)
  })

  test.each(['Marketing', '2nd', 'two words', 'a'.repeat(41), 'café', '', 'a.b'])(
    'with a purpose named %j are refused, so that none gets lost, and the form of names is told',
    async (name) => {
      const told = /^consents\..*: the name must be a word in lower case/
      expectRefusal(await create({ marketing: true, [name]: true }), 400, '_invalid_payload', told)
      const { id } = (await create({ marketing: true })).body
      expectRefusal(await patch(id, { [name]: false }), 400, '_invalid_payload', told)
      expect(Object.keys(await read(id))).toEqual(['marketing', 'history'])
    },
  )

  test.each([1, 'yes', null, {}, [true]])('of a purpose are true or false, not %j', async (value) => {
    expectRefusal(
      await create({ sms: value }),
      400,
      '_invalid_payload',
      /consents\.sms: must be true or false/,
    )
  })

  test('have a bounded number of purposes, also when they are added one by one', async () => {
    const of = (count: number, from = 0) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${from + i}`, true]))
    expectRefusal(await create(of(maxPurposes + 1)), 400, '_invalid_payload', /at most 20 purposes/)
    const { id } = (await create(of(maxPurposes))).body
    expectRefusal(await patch(id, { one: true }), 400, '_invalid_payload', /at most 20 purposes/)
    expect((await patch(id, { p0: null, one: true })).status).toBe(200)
    const renamed = Object.fromEntries(Object.keys(of(maxPurposes)).map((name) => [name, null]))
    expect((await patch(id, { ...renamed, one: null, ...of(maxPurposes, 100) })).status).toBe(200)
  })

  test('that change often keep a history of bounded length', async () => {
    const { id } = (await create({ marketing: true, sms: true })).body
    for (let i = 0; i < 60; i++) await patch(id, { marketing: i % 2 === 1 })
    const { history } = await read(id)
    expect(history).toHaveLength(51)
    expect(history[0]).toMatchObject({ purpose: 'sms', given: true })
    expect(history.at(-1)).toMatchObject({ purpose: 'marketing', given: true })
  })
})
