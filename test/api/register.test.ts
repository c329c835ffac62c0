import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audit } from '../support/audit.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { coffeeClub, type Merchant, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let merchant: Merchant
let campaign: string

beforeAll(async () => {
  service = await startTestService()
  merchant = await service.createMerchant()
  campaign = await merchant.publishCampaign()
})
afterAll(() => service.close())

const register = (customer: unknown, campaignId: unknown = campaign, headers?: Record<string, string>) =>
  merchant.call('POST', '/v1/customers/register', { campaignId, customer }, headers)

let next = 0
/** A US number nobody has yet. */
const freshPhone = () => `+1202555${String(1000 + next++).padStart(4, '0')}`
const freshEmail = () => `person${next++}@example.com`

/** How many rows there are of everything a registration writes. */
async function counts() {
  const { rows } = await service.database.pool.query(`
    SELECT (SELECT count(*) FROM customers) AS customers, (SELECT count(*) FROM wallets) AS wallets,
      (SELECT count(*) FROM cards) AS cards, (SELECT count(*) FROM balances) AS balances,
      (SELECT count(*) FROM events) AS events, (SELECT count(*) FROM idempotency_keys) AS keys,
      (SELECT count(*) FROM ledger_entries) AS entries`)
  return rows[0]
}

describe('a new customer', () => {
  test('gets 201 with the whole customer, the one card and the balances of the campaign at 0', async () => {
    const phone = freshPhone()
    const reply = await register({
      data: { phone, email: 'Ada@Example.com', fullname: 'Ada Lovelace' },
      metaData: { shoe: 38, tags: ['a', { b: null }] },
      consents: { marketing: true },
      opaqueId: 'crm-1',
    })
    expect(reply.status).toBe(201)
    const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(reply.body).toEqual({
      id: expect.stringMatching(/^cus_/),
      data: { phone, email: 'Ada@Example.com', fullname: 'Ada Lovelace' },
      collectables: { points: { value: 0, total: 0 }, stamps: { value: 0, total: 0 } },
      opaqueId: 'crm-1',
      status: 1,
      metaData: { shoe: 38, tags: ['a', { b: null }] },
      consents: {
        marketing: true,
        history: [{ purpose: 'marketing', given: true, at: iso, via: 'connection' }],
      },
      verified: { email: false, phone: false },
      bounced: { email: false, phone: false },
      createdAt: iso,
      updatedAt: iso,
      cards: [
        {
          id: expect.stringMatching(/^card_/),
          barcode: expect.stringMatching(/^\d+$/),
          status: 1,
          campaign,
          campaignName: 'Coffee club',
          walletUrl: expect.stringMatching(/^https:\/\/loyalty\.example\.com\/w\/[\w-]{54}$/),
          createdAt: iso,
        },
      ],
      tiers: [],
    })
    expect(reply.headers['cache-control']).toBe('no-store')
  })

  test('without values has no such members, and opaqueId is the one null', async () => {
    const { body, text } = await register({ data: {} })
    expect(body.data).toEqual({})
    expect(body.opaqueId).toBeNull()
    expect(text.match(/null/g)).toHaveLength(1)
    expect(Object.keys(body).sort()).toEqual(
      [
        ...['bounced', 'cards', 'collectables', 'createdAt', 'data', 'id', 'opaqueId', 'status', 'tiers'],
        ...['updatedAt', 'verified'],
      ].sort(),
    )
  })

  test('an empty string counts as no value, and does not take it from the next', async () => {
    for (let i = 0; i < 2; i++) {
      const { status, body } = await register({ data: { phone: '', email: '', fullname: '' }, opaqueId: '' })
      expect(status).toBe(201)
      expect(body.data).toEqual({})
      expect(body.opaqueId).toBeNull()
    }
  })

  test('barcodes are digits with a check digit, all different', async () => {
    const barcodes = new Set<string>()
    for (let i = 0; i < 20; i++) {
      const { barcode } = await merchant.register(campaign)
      expect(luhn(barcode)).toBe(0)
      barcodes.add(barcode)
    }
    expect(barcodes.size).toBe(20)
  })

  const luhn = (digits: string) =>
    [...digits].reverse().reduce((sum, digit, i) => {
      const doubled = i % 2 === 1 ? Number(digit) * 2 : Number(digit)
      return sum + (doubled > 9 ? doubled - 9 : doubled)
    }, 0) % 10

  test.each([
    ['US', '(202) 555-0123', '+12025550123'],
    ['US', '202.555.0124', '+12025550124'],
    ['US', '1 202 555 0125', '+12025550125'],
    ['US', '+44 20 7946 0018', '+442079460018'],
    ['DE', '030 901820', '+4930901820'],
    ['DE', '0049 30 901821', '+4930901821'],
    ['DE', ' +49 (0)30 901822 ', '+4930901822'],
    ['TR', '0532 123 45 67', '+905321234567'],
    ['US', '+1٢٠٢٥٥٥٠١٢٦', '+12025550126'],
  ])('in %s the phone %j is kept as %s', async (country, phone, expected) => {
    const own = await service.createMerchant({ country })
    const reply = await own.call('POST', '/v1/customers', { data: { phone } })
    expect(reply.status).toBe(201)
    expect(reply.body.data.phone).toBe(expected)
  })

  test.each([
    ['too short', '12'],
    ['letters', 'call me'],
    ['no such number', '+1 000 000 0000'],
    ['too long', '+120255501234567'],
    ['an e-mail', 'ada@example.com'],
    ['an extension', '+1 202 555 0123 ext. 9'],
    ['words around it', 'my number is +12025550123'],
    ['a plus alone', '+'],
    ['NaN', 'NaN'],
  ])('a phone that is none (%s) is invalid_phone, and leaves nothing behind', async (_what, phone) => {
    const before = await counts()
    expectRefusal(await register({ data: { phone } }), 400, 'invalid_phone')
    expect(await counts()).toEqual(before)
  })

  test.each(['ada', 'ada@', '@example.com', 'a b@example.com', 'ada@example', 'ada@@example.com', 'a@b..c'])(
    'the e-mail %j is none: _invalid_payload',
    async (email) => {
      expectRefusal(await register({ data: { email } }), 400, '_invalid_payload', /email/)
    },
  )

  test.each([
    ['the same', 'case.a@example.com', 'case.a@example.com'],
    ['another case', 'Case.B@Example.com', 'cASE.b@eXAMPLE.COM'],
    ['composed and decomposed', 'zo\u00eb.c@example.com', 'ZOE\u0308.C@EXAMPLE.COM'],
    ['spaces around it', 'case.d@example.com', '  case.d@example.com '],
    ['umlaut domains', 'e@b\u00fccher.example', 'E@BU\u0308CHER.example'],
  ])('an e-mail is taken whatever its spelling: %s', async (_what, first, second) => {
    expect((await register({ data: { email: first } })).status).toBe(201)
    const before = await counts()
    expectRefusal(await register({ data: { email: second } }), 400, 'existing_customer_with_email')
    expect(await counts()).toEqual(before)
  })

  test('a phone is taken whatever its spelling', async () => {
    expect((await register({ data: { phone: '+1 202 555 0190' } })).status).toBe(201)
    const before = await counts()
    for (const phone of ['+12025550190', '202-555-0190', '(202) 555 0190', '1-202-555-0190']) {
      expectRefusal(await register({ data: { phone } }), 400, 'existing_customer_with_phone')
    }
    expect(await counts()).toEqual(before)
  })

  test('an opaque id is taken only by exactly itself', async () => {
    expect((await register({ data: {}, opaqueId: 'Till-9' })).status).toBe(201)
    const before = await counts()
    expectRefusal(await register({ data: {}, opaqueId: 'Till-9' }), 400, 'opaque_id_already_exists')
    expect(await counts()).toEqual(before)
    expect((await register({ data: {}, opaqueId: 'till-9' })).status).toBe(201)
  })

  test('all three are unique within one organization only', async () => {
    const person = { data: { phone: freshPhone(), email: freshEmail() }, opaqueId: 'shared' }
    expect((await register(person)).status).toBe(201)
    const other = await service.createMerchant()
    const theirs = await other.publishCampaign()
    const reply = await other.call('POST', '/v1/customers/register', { campaignId: theirs, customer: person })
    expect(reply.status).toBe(201)
  })

  test('members that are not the client’s to set have no effect and are named as ignored', async () => {
    const reply = await register({
      data: { fullname: 'Eve', status: 3 },
      status: 2,
      collectables: { points: { value: 1_000_000, total: 1_000_000 } },
      createdAt: '2001-01-01T00:00:00Z',
      cards: [{ status: 1 }],
      organization: 'org_x',
    })
    expect(reply.status).toBe(201)
    expect(reply.body.status).toBe(1)
    expect(reply.body.collectables.points).toEqual({ value: 0, total: 0 })
    expect(reply.body.createdAt).not.toContain('2001')
    const ignored = String(reply.headers['ignored-members']).split(', ')
    for (const name of [
      'customer.status',
      'customer.collectables',
      'customer.createdAt',
      'customer.data.status',
    ])
      expect(ignored).toContain(name)
  })

  test('with Prefer: handling=strict an unknown member is refused by name, and nothing is written', async () => {
    const before = await counts()
    const strict = { prefer: 'handling=strict' }
    expectRefusal(
      await register({ data: {}, nickname: 'x' }, campaign, strict),
      400,
      '_invalid_payload',
      /nickname/,
    )
    expectRefusal(
      await register({ data: { fulname: 'x' } }, campaign, strict),
      400,
      '_invalid_payload',
      /fulname/,
    )
    expect(await counts()).toEqual(before)
    const fine = { data: {}, metaData: { anything: { goes: 1 } }, consents: { marketing: false } }
    expect((await register(fine, campaign, strict)).status).toBe(201)
  })
})

describe('shape and order of checks', () => {
  test.each([
    ['campaignId', { customer: { data: {} } }],
    ['campaignId', { campaignId: 7, customer: { data: {} } }],
    ['campaignId', { campaignId: null, customer: { data: {} } }],
    ['customer', { campaignId: 'x' }],
    ['customer', { campaignId: 'x', customer: 'cus_1' }],
    ['customer', { campaignId: 'x', customer: [] }],
    ['customer', { campaignId: 'x', customer: null }],
    ['data', { campaignId: 'x', customer: {} }],
    ['data', { campaignId: 'x', customer: { opaqueId: 'a' } }],
    ['data', { campaignId: 'x', customer: { data: [] } }],
    ['data', { campaignId: 'x', customer: { data: null } }],
    ['data', { campaignId: 'x', customer: { data: 'Ada' } }],
    ['phone', { campaignId: 'x', customer: { data: { phone: 12025550123 } } }],
    ['phone', { campaignId: 'x', customer: { data: { phone: null } } }],
    ['email', { campaignId: 'x', customer: { data: { email: true } } }],
    ['fullname', { campaignId: 'x', customer: { data: { fullname: {} } } }],
    ['metaData', { campaignId: 'x', customer: { data: {}, metaData: 'text' } }],
    ['metaData', { campaignId: 'x', customer: { data: {}, metaData: [] } }],
    ['consents', { campaignId: 'x', customer: { data: {}, consents: true } }],
    ['marketing', { campaignId: 'x', customer: { data: {}, consents: { marketing: 'yes' } } }],
    ['opaqueId', { campaignId: 'x', customer: { data: {}, opaqueId: 17 } }],
    ['id', { campaignId: 'x', customer: { id: 17 } }],
  ])(
    'a wrong %s is _invalid_payload naming it, before anything else is looked at: %j',
    async (name, body) => {
      const reply = await merchant.call('POST', '/v1/customers/register', body)
      expectRefusal(reply, 400, '_invalid_payload', new RegExp(name))
    },
  )

  test('then the campaign, the customer id, the phone, the e-mail, the taken phone, the opaque id', async () => {
    const phone = freshPhone()
    const email = freshEmail()
    expect((await register({ data: { phone, email }, opaqueId: 'taken' })).status).toBe(201)
    const data = (of: object) => ({ data: of, opaqueId: 'taken' })

    expectRefusal(await register(data({ phone: 'x', email }), 'cmp_none'), 400, 'invalid_campaign')
    expectRefusal(await register({ id: 'cus_none' }, 'cmp_none'), 400, 'invalid_campaign')
    expectRefusal(await register({ id: 'cus_none' }), 400, 'customer_not_found')
    expectRefusal(await register(data({ phone: 'x', email })), 400, 'invalid_phone')
    expectRefusal(await register(data({ phone, email })), 400, 'existing_customer_with_email')
    expectRefusal(await register(data({ phone, email: freshEmail() })), 400, 'existing_customer_with_phone')
    expectRefusal(await register(data({ phone: freshPhone() })), 400, 'opaque_id_already_exists')
  })
})

describe('the campaign', () => {
  test('unknown, foreign, unparsable, draft, paused, archived and ended ones are invalid_campaign', async () => {
    const other = await service.createMerchant()
    const draft = (await merchant.call('POST', '/v1/campaigns', coffeeClub)).body.id
    const paused = await merchant.publishCampaign()
    await merchant.call('POST', `/v1/campaigns/${paused}/pause`)
    const archived = await merchant.publishCampaign()
    await merchant.call('POST', `/v1/campaigns/${archived}/archive`)
    const ended = await merchant.publishCampaign({ ...coffeeClub, endsAt: '2020-01-01T00:00:00Z' })
    const before = await counts()
    for (const id of [
      '',
      'x',
      campaign.toUpperCase(),
      `cmp_${'0'.repeat(32)}`,
      await other.publishCampaign().then((theirs) => theirs),
      draft,
      paused,
      archived,
      ended,
      "cmp_' OR '1'='1",
      `${campaign} `,
    ]) {
      const reply = await register({ data: { phone: freshPhone() } }, id)
      expect([id, reply.body.message]).toEqual([id, 'invalid_campaign'])
      expectRefusal(reply, 400, 'invalid_campaign')
    }
    const after = await counts()
    expect({ ...after, events: 0 }).toEqual({ ...before, events: 0 })
  })

  test('a paused campaign takes customers again once it is published again', async () => {
    const own = await merchant.publishCampaign()
    await merchant.call('POST', `/v1/campaigns/${own}/pause`)
    await merchant.call('POST', `/v1/campaigns/${own}/publish`)
    expect((await register({ data: {} }, own)).status).toBe(201)
  })
})

describe('an existing customer', () => {
  test('is registered by id, and nothing else of `customer` is looked at, not even its type', async () => {
    const created = (await merchant.call('POST', '/v1/customers', { data: { fullname: 'Bob' } })).body
    const reply = await register(
      { id: created.id, data: 7, metaData: 'x', consents: [], opaqueId: { a: 1 }, more: null },
      campaign,
      { prefer: 'handling=strict' },
    )
    expect(reply.status).toBe(201)
    expect(reply.body).toMatchObject({ id: created.id, data: { fullname: 'Bob' }, opaqueId: null })
    expect(reply.body.metaData).toBeUndefined()
    expect(reply.body.cards).toHaveLength(1)
    expect(reply.body.updatedAt).toBe(created.updatedAt)
  })

  test('other members of the right type change nothing either, nor are they checked', async () => {
    const phone = freshPhone()
    const { customer } = await merchant.register(campaign, { phone })
    const reply = await register({
      id: customer,
      data: { phone: 'nonsense', email: 'new@example.com', fullname: 'New' },
      opaqueId: 'new',
    })
    expect(reply.status).toBe(201)
    expect(reply.body.data).toEqual({ phone })
    expect(reply.body.opaqueId).toBeNull()
  })

  test('registering again returns the card there is and changes nothing', async () => {
    const { customer, card } = await merchant.register(campaign)
    await merchant.call('POST', `/v1/customers/${customer}/adjustments`, {
      key: 'points',
      amount: 40,
      reason: 'test',
    })
    const view = (await merchant.call('GET', `/v1/customers/${customer}`)).body
    const before = await counts()
    for (let i = 0; i < 2; i++) {
      const again = await register({ id: customer })
      expect(again.status).toBe(201)
      expect(again.body.cards.map((item: { id: string }) => item.id)).toEqual([card])
      expect(again.body.collectables.points).toEqual({ value: 40, total: 0 })
    }
    expect(await counts()).toEqual(before)
    expect((await merchant.call('GET', `/v1/customers/${customer}`)).body).toEqual(view)
  })

  test('a second campaign opens a second card with its own barcode, keeps balances and fills in what is missing', async () => {
    const { customer, card, barcode } = await merchant.register(campaign)
    await merchant.call('POST', `/v1/customers/${customer}/adjustments`, {
      key: 'points',
      amount: 12,
      reason: 'test',
    })
    const second = await merchant.publishCampaign({
      name: 'Tea club',
      balances: [{ key: 'points' }, { key: 'leaves' }],
    })
    const entriesBefore = (await counts()).entries
    const { body } = await register({ id: customer }, second)
    expect(body.cards).toHaveLength(1)
    expect(body.cards[0]).toMatchObject({ campaign: second, campaignName: 'Tea club', status: 1 })
    expect(body.cards[0].barcode).not.toBe(barcode)
    expect(body.collectables).toEqual({
      points: { value: 12, total: 0 },
      stamps: { value: 0, total: 0 },
      leaves: { value: 0, total: 0 },
    })
    expect((await counts()).entries).toBe(entriesBefore)
    const all = (await merchant.call('GET', `/v1/customers/${customer}`)).body.cards
    expect(all.map((item: { id: string }) => item.id)).toContain(card)
    expect(all).toHaveLength(2)
  })

  test('unknown, unparsable and foreign ids are customer_not_found', async () => {
    const other = await service.createMerchant()
    const theirs = await other.register(await other.publishCampaign())
    for (const id of ['x', theirs.customer, `cus_${'0'.repeat(32)}`, theirs.card, "cus_' --", '../..']) {
      expectRefusal(await register({ id, data: {} }), 400, 'customer_not_found')
    }
  })

  test('a blocked card is returned unchanged', async () => {
    const { customer, card } = await merchant.register(campaign)
    await merchant.call('POST', `/v1/cards/${card}/block`)
    const { status, body } = await register({ id: customer })
    expect(status).toBe(201)
    expect(body.cards).toEqual([expect.objectContaining({ id: card, status: 2 })])
  })

  test('after a replacement the replacement is returned, over several of them', async () => {
    const { customer, card } = await merchant.register(campaign)
    const second = (await merchant.call('POST', `/v1/cards/${card}/replace`)).body
    const third = (await merchant.call('POST', `/v1/cards/${second.id}/replace`)).body
    const { body } = await register({ id: customer })
    expect(body.cards).toEqual([expect.objectContaining({ id: third.id, status: 1 })])
  })
})

describe('what is told', () => {
  test('creating and registering are events of the same commit; registering again is none', async () => {
    const { customer, card } = await merchant.register(campaign)
    await register({ id: customer })
    const { rows } = await service.database.pool.query(
      "SELECT type, data FROM events WHERE data ->> 'customer' = $1 ORDER BY position, id",
      [customer],
    )
    const by = { kind: 'connection', id: expect.stringMatching(/^usr_/) }
    expect(rows).toEqual([
      { type: 'customer.created', data: { customer, by } },
      { type: 'customer.registered', data: { customer, card, campaign, by } },
    ])
  })
})

test('at the end of all this the audit finds nothing', async () => {
  expect(await audit(service.database.pool)).toEqual([])
})
