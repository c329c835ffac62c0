import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audit } from '../support/audit.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { type Merchant, type Reply, startTestService, type TestService } from '../support/service.ts'
import { countWaiting } from '../support/waiting.ts'

let service: TestService
let merchant: Merchant
let campaign: string

beforeAll(async () => {
  service = await startTestService()
  merchant = await service.createMerchant()
  campaign = await merchant.publishCampaign()
})
afterAll(async () => {
  expect(await audit(service.database.pool)).toEqual([])
  await service.close()
})

let next = 0
const freshPhone = () => `+1202555${String(1000 + next++).padStart(4, '0')}`

const get = (id: string) => merchant.call('GET', `/v1/customers/${id}`)
const find = (q: string) => merchant.call('GET', `/v1/customers/find?q=${encodeURIComponent(q)}`)
const patch = (id: string, body: unknown) => merchant.call('PATCH', `/v1/customers/${id}`, body)
const adjust = (id: string, key: string, amount: number, reason = 'test') =>
  merchant.call('POST', `/v1/customers/${id}/adjustments`, { key, amount, reason })
const process = (customer: string, card: string, more: object = {}) =>
  merchant.call('POST', '/v1/transactions/process', { customer, card, ...more })
const create = async (body: object = { data: {} }) => {
  const reply = await merchant.call('POST', '/v1/customers', body)
  expect(reply.status).toBe(201)
  return reply.body
}

/** Every row of every table of the database as text. */
async function everything(): Promise<string> {
  const { pool } = service.database
  const { rows } = await pool.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  )
  const parts: string[] = []
  for (const { name } of rows) {
    const table = await pool.query(`SELECT t::text AS row FROM "${name}" t`)
    parts.push(...table.rows.map((item) => `${name}: ${item.row}`))
  }
  return parts.join('\n')
}

describe('POST /v1/customers', () => {
  test('answers 201 with the customer without cards and balances', async () => {
    const body = await create({
      data: { phone: '202 555 0101', email: 'Solo@example.com', fullname: 'Solo' },
      metaData: { a: 1 },
      consents: { marketing: false },
      opaqueId: 'solo',
    })
    expect(body).toEqual({
      id: expect.stringMatching(/^cus_/),
      data: { phone: '+12025550101', email: 'Solo@example.com', fullname: 'Solo' },
      collectables: {},
      opaqueId: 'solo',
      status: 1,
      metaData: { a: 1 },
      consents: {
        marketing: false,
        history: [{ purpose: 'marketing', given: false, at: expect.any(String), via: 'connection' }],
      },
      verified: { email: false, phone: false },
      bounced: { email: false, phone: false },
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      cards: [],
      tiers: [],
    })
  })

  test('has the refusals of new-customer registration, in their order', async () => {
    const data = { phone: '+12025550101', email: 'solo@example.com' }
    const post = (body: unknown) => merchant.call('POST', '/v1/customers', body)
    expectRefusal(await post({ data: { ...data, phone: 'x' }, opaqueId: 'solo' }), 400, 'invalid_phone')
    expectRefusal(await post({ data, opaqueId: 'solo' }), 400, 'existing_customer_with_email')
    expectRefusal(
      await post({ data: { phone: data.phone }, opaqueId: 'solo' }),
      400,
      'existing_customer_with_phone',
    )
    expectRefusal(await post({ data: {}, opaqueId: 'solo' }), 400, 'opaque_id_already_exists')
    expectRefusal(await post({}), 400, '_invalid_payload', /data/)
    expectRefusal(await post({ data: { email: 'none' } }), 400, '_invalid_payload', /email/)
  })
})

describe('GET /v1/customers/find', () => {
  let person: { customer: string; card: string; barcode: string }
  beforeAll(async () => {
    person = await merchant.register(campaign, { phone: '+1 202 555 0142', email: 'zo\u00eb@Example.com' })
  })

  test('answers the customer with all cards and the coupons that can be redeemed now', async () => {
    const second = await merchant.publishCampaign({ name: 'Second', balances: [{ key: 'points' }] })
    await merchant.call('POST', '/v1/customers/register', {
      campaignId: second,
      customer: { id: person.customer },
    })
    const issue = () =>
      merchant.call('POST', '/v1/coupons', { customer: person.customer, campaign, reward: 'free-coffee' })
    const usable = (await issue()).body
    const revoked = (await issue()).body
    await merchant.call('POST', `/v1/coupons/${revoked.id}/revoke`)
    const redeemed = (await issue()).body
    await process(person.customer, person.card, {
      items: [
        { product: 'latte', amount: 4, reward: redeemed.id },
        { product: 'cake', amount: 3 },
      ],
    })
    const { status, body } = await find('+12025550142')
    expect(status).toBe(200)
    expect(body.id).toBe(person.customer)
    expect(body.cards.map((card: { id: string }) => card.id)).toContain(person.card)
    expect(body.cards).toHaveLength(2)
    expect(body.collectables.points).toEqual({ value: 3, total: 3 })
    expect(body.coupons).toEqual([
      expect.objectContaining({
        id: usable.id,
        status: 1,
        reward: expect.objectContaining({ key: 'free-coffee' }),
      }),
    ])
    service.advance(31 * 86_400_000)
    const later = await merchant.signIn()
    expect((await later('GET', '/v1/customers/find?q=2025550142')).body.coupons).toEqual([])
    service.setTime(new Date())
  })

  test.each([
    '+12025550142',
    '+1 202 555 0142',
    '+1 (202) 555-0142',
    '202-555-0142',
    '(202) 555 0142',
    '12025550142',
    '0012025550142',
    '202.555.0142',
    ' 12025550142',
    ' 1 202 555 0142',
    '\u0662\u0660\u0662 555 0142',
    'ZO\u00cb@EXAMPLE.COM',
    'zoe\u0308@example.com',
    ' zo\u00eb@example.com ',
  ])('finds the one spelled %j', async (q) => {
    const { status, body } = await find(q)
    expect([q, status, body.id]).toEqual([q, 200, person.customer])
  })

  test('a plus that was not encoded arrives as a space and still counts as one', async () => {
    const reply = await merchant.call('GET', '/v1/customers/find?q=+12025550142')
    expect(reply.body.id).toBe(person.customer)
  })

  test('finds by the barcode of any card, also of one that was replaced', async () => {
    const own = await merchant.register(campaign)
    expect((await find(own.barcode)).body.id).toBe(own.customer)
    const replaced = (await merchant.call('POST', `/v1/cards/${own.card}/replace`)).body
    expect((await find(replaced.barcode)).body.id).toBe(own.customer)
    expect((await find(own.barcode)).body.id).toBe(own.customer)
  })

  test.each([
    '+12025559999',
    'nobody@example.com',
    '2000000000000000',
    '%',
    '%@%',
    '_',
    "' OR 1=1 --",
    'zo\u00eb@example.co',
    '2025550142x',
    'cus_1',
    '0142',
  ])('%j matches nobody: 404 customer_not_found', async (q) => {
    expectRefusal(await find(q), 404, 'customer_not_found')
  })

  test('neither the name nor the opaque id is looked up', async () => {
    await create({ data: { fullname: 'Findme' }, opaqueId: 'find-me' })
    expectRefusal(await find('Findme'), 404, 'customer_not_found')
    expectRefusal(await find('find-me'), 404, 'customer_not_found')
  })

  test.each(['', '?q=', '?q=%20', '?q=%20%20', '?q=a&q=b', '?other=x'])(
    'a missing, empty or doubled q is _invalid_payload: %j',
    async (query) => {
      expectRefusal(await merchant.call('GET', `/v1/customers/find${query}`), 400, '_invalid_payload', /q/)
    },
  )

  test('the error does not repeat the query, which may hold a phone number', async () => {
    const { body, text } = await find('+12025559998')
    expect(body.path).toBe('/v1/customers/find')
    expect(text).not.toContain('5559998')
  })

  test('reads national numbers in the country of the organization', async () => {
    const german = await service.createMerchant({ country: 'DE' })
    const { body } = await german.call('POST', '/v1/customers', { data: { phone: '+49 30 901820' } })
    for (const q of ['030901820', '030/901820', '+4930901820', '004930901820', '4930901820']) {
      const found = await german.call('GET', `/v1/customers/find?q=${encodeURIComponent(q)}`)
      expect([q, found.body.id]).toEqual([q, body.id])
    }
  })
})

describe('GET /v1/customers/{id}', () => {
  test('has the shape of find, plus what expires when', async () => {
    const { customer } = await merchant.register(campaign, { phone: freshPhone() })
    const { status, body } = await get(customer)
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: customer, cards: [{ status: 1 }], coupons: [], expiring: [] })
  })

  test('names the amounts that expire, soonest first', async () => {
    const own = await service.createMerchant()
    const id = await own.publishCampaign({
      name: 'Short',
      balances: [{ key: 'points', expires: { after: 'P10D' } }],
      rules: [{ id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 }],
    })
    const { customer, card } = await own.register(id)
    await own.call('POST', '/v1/transactions/process', { customer, card, amount: 7 })
    const { body } = await own.call('GET', `/v1/customers/${customer}`)
    expect(body.expiring).toEqual([{ key: 'points', amount: 7, at: expect.any(String) }])
    const days = (Date.parse(body.expiring[0].at) - Date.now()) / 86_400_000
    expect(days).toBeGreaterThan(8.9)
    expect(days).toBeLessThan(11.1)
  })

  test.each([
    'x',
    'cus_',
    `cus_${'0'.repeat(32)}`,
    `cus_${'z'.repeat(32)}`,
    '%00',
    '..%2f',
    'find%20',
    'null',
  ])('%j is simply not found', async (id) => {
    expectRefusal(await merchant.call('GET', `/v1/customers/${id}`), 404, 'customer_not_found')
  })
})

describe('GET /v1/customers', () => {
  let own: Merchant
  const ids: string[] = []
  beforeAll(async () => {
    own = await service.createMerchant()
    for (let i = 0; i < 7; i++) {
      const { body } = await own.call('POST', '/v1/customers', {
        data: { fullname: `Person ${i}`, email: `p${i}@ex_ample.com`, phone: `+120255501${10 + i}` },
        opaqueId: `op-${i}`,
      })
      ids.unshift(body.id)
    }
  })

  const list = (query: string) => own.call('GET', `/v1/customers${query}`)
  const idsOf = (reply: Reply) => reply.body.data.map((item: { id: string }) => item.id)

  test('is newest first and, followed by its cursors, brings everybody exactly once', async () => {
    const seen: string[] = []
    let query = '?limit=3'
    for (let page = 0; page < 3; page++) {
      const reply = await list(query)
      expect(reply.status).toBe(200)
      expect(reply.body.data).toHaveLength(page < 2 ? 3 : 1)
      seen.push(...idsOf(reply))
      expect('nextCursor' in reply.body).toBe(page < 2)
      query = `?limit=3&cursor=${reply.body.nextCursor}`
    }
    expect(seen).toEqual(ids)
  })

  test('a page that ends exactly at the end has no next one', async () => {
    expect(Object.keys((await list('?limit=7')).body)).toEqual(['data'])
    expect((await list('?limit=6')).body.nextCursor).toEqual(expect.any(String))
  })

  test('what is added meanwhile does not disturb the pages that follow', async () => {
    const first = await list('?limit=4')
    const { body } = await own.call('POST', '/v1/customers', { data: {} })
    const second = await list(`?limit=4&cursor=${first.body.nextCursor}`)
    expect([...idsOf(first), ...idsOf(second)]).toEqual(ids)
    await own.call('POST', `/v1/customers/${body.id}/erase`)
    expect(idsOf(await list(''))).toEqual(ids)
  })

  test.each([
    ['?limit=0'],
    ['?limit=101'],
    ['?limit=-1'],
    ['?limit=1.5'],
    ['?limit=abc'],
    ['?limit='],
    ['?limit=1e1'],
    ['?limit=3&limit=4'],
    ['?cursor=nonsense'],
    ['?cursor='],
    ['?cursor=%00'],
    [`?cursor=${Buffer.from("cus_' OR 1=1").toString('base64url')}`],
  ])('%s is _invalid_payload', async (query) => {
    expectRefusal(await list(query), 400, '_invalid_payload')
  })

  test.each([
    ['person 3', 1],
    ['3 person', 1],
    ['  3   PERS ', 1],
    ['3 person 4', 0],
    ['3 pers%', 0],
    ['PERSON', 7],
    ['p4@', 1],
    ['@ex_ample', 7],
    ['5550112', 1],
    ['op-5', 1],
    ['op-', 0],
    ['%', 0],
    ['_', 7],
    ['__', 0],
    ['p_@', 0],
    ['\\', 0],
    ["'", 0],
    [' ', 7],
  ])('the text %j finds %i, wildcards meaning only themselves', async (q, count) => {
    const reply = await list(`?q=${encodeURIComponent(q)}`)
    expect(reply.body.data).toHaveLength(count)
  })

  test.each(['dang linh', 'Linh Dang', 'lin dan', 'İPEK  linh', 'ipek%', 'dang%'])(
    'the words %j name a person in whatever order',
    async (q) => {
      const named = await own.call('POST', '/v1/customers', { data: { fullname: 'Dang Linh İpek_x' } })
      const found = await list(`?q=${encodeURIComponent(q)}`)
      expect(idsOf(found)).toEqual(q.includes('%') ? [] : [named.body.id])
      await own.call('POST', `/v1/customers/${named.body.id}/erase`)
    },
  )

  test.each(['+1 (202) 555-0112', '202 555 0112', '12025550112', '001 202 555 0112', ' 12025550112'])(
    'the phone %j is found as it is written',
    async (q) => expect(idsOf(await list(`?q=${encodeURIComponent(q)}`))).toEqual([ids[4]]),
  )

  test('a barcode is found, and customers by their status', async () => {
    const { customer, barcode } = await own.register(await own.publishCampaign(), { fullname: 'Carded' })
    expect(idsOf(await list(`?q=${barcode}`))).toEqual([customer])
    expect(idsOf(await list(`?q=${barcode.slice(1)}`))).toEqual([])
    expect(idsOf(await list('?status=2'))).toEqual([])
    await own.call('POST', `/v1/customers/${customer}/block`)
    expect(idsOf(await list('?status=2'))).toEqual([customer])
    expect(idsOf(await list('?status=2&q=person'))).toEqual([])
    expect(idsOf(await list('?status=1'))).toEqual(ids)
    expectRefusal(await list('?status=3'), 400, '_invalid_payload', /status/)
    await own.call('POST', `/v1/customers/${customer}/erase`)
  })

  test('unknown parameters are refused, so that no typo returns the whole list', async () => {
    expectRefusal(await merchant.call('GET', '/v1/customers?foo=bar'), 400, '_invalid_payload', /^foo: /)
  })
})

describe('a refusal because something is taken', () => {
  test('names the customer who has it, to whoever creates, registers or changes one', async () => {
    const phone = freshPhone()
    const owners = {
      existing_customer_with_email: await create({ data: { email: 'Named@example.com' } }),
      existing_customer_with_phone: await create({ data: { phone } }),
      opaque_id_already_exists: await create({ data: {}, opaqueId: 'named' }),
    }
    const mine = await create({ data: {} })
    const till = await merchant.connect(['pos'])
    const send: ((profile: object) => Promise<Reply>)[] = [
      (profile) => till('POST', '/v1/customers', profile),
      (customer) => till('POST', '/v1/customers/register', { campaignId: campaign, customer }),
      (profile) => till('PATCH', `/v1/customers/${mine.id}`, profile),
    ]
    for (const call of send)
      for (const [data, opaqueId, code] of [
        [{ email: 'named@example.com', phone }, 'named', 'existing_customer_with_email'],
        [{ phone }, 'named', 'existing_customer_with_phone'],
        [{}, 'named', 'opaque_id_already_exists'],
      ] as const) {
        const reply = await call({ data, opaqueId })
        expectRefusal(reply, 400, code)
        expect(reply.body.customer).toBe(owners[code].id)
      }
    expect(await get(owners.existing_customer_with_phone.id)).toMatchObject({ status: 200 })
  })

  test('names nobody else’s customer, and no other refusal names one', async () => {
    const phone = freshPhone()
    const other = await service.createMerchant()
    await create({ data: { phone } })
    expect((await other.call('POST', '/v1/customers', { data: { phone } })).status).toBe(201)
    expect((await merchant.call('POST', '/v1/customers', { data: { phone: 'x' } })).body).not.toHaveProperty(
      'customer',
    )
  })
})

describe('PATCH /v1/customers/{id}', () => {
  test('merges: what is named changes, null removes, what is absent stays', async () => {
    const phone = freshPhone()
    const before = await create({
      data: { phone, email: 'merge@example.com', fullname: 'Before' },
      metaData: { keep: 1, drop: 2, deep: { a: 1, b: 2 }, list: [1, 2, 3] },
      consents: { marketing: true },
      opaqueId: 'merge',
    })
    service.advance(1_000)
    const { status, body } = await patch(before.id, {
      data: { fullname: 'After', email: null },
      metaData: { drop: null, deep: { b: null, c: 3 }, list: [4], added: 'x' },
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({ id: before.id, data: { phone, fullname: 'After' }, opaqueId: 'merge' })
    expect(body.data.email).toBeUndefined()
    expect(body.metaData).toEqual({ keep: 1, deep: { a: 1, c: 3 }, list: [4], added: 'x' })
    expect(body.consents).toEqual(before.consents)
    expect(body.createdAt).toBe(before.createdAt)
    expect(body.updatedAt > before.updatedAt).toBe(true)
    expect((await get(before.id)).body).toMatchObject(body)
    // What was removed is free.
    await create({ data: { email: 'merge@example.com' } })
  })

  const given = (value: boolean) => ({
    purpose: 'marketing',
    given: value,
    at: expect.any(String),
    via: 'connection',
  })

  test('null for a whole member removes it, and opaqueId then is null', async () => {
    const { id } = await create({
      data: { fullname: 'X' },
      metaData: { a: 1 },
      consents: { marketing: true },
      opaqueId: 'gone',
    })
    const { body } = await patch(id, { metaData: null, consents: null, opaqueId: null })
    expect(body.opaqueId).toBeNull()
    expect(body.metaData).toBeUndefined()
    expect(body.consents).toEqual({ history: [given(true), given(false)] })
    expect(body.data).toEqual({ fullname: 'X' })
  })

  test('null removes the profile, and a consent', async () => {
    const { id } = await create({
      data: { phone: freshPhone(), email: 'null@example.com', fullname: 'X' },
      consents: { marketing: true },
    })
    const { status, body } = await patch(id, { data: null, consents: { marketing: null } })
    expect([status, body.data, body.consents]).toEqual([200, {}, { history: [given(true), given(false)] }])
    // What was removed is free.
    await create({ data: { email: 'null@example.com' } })
  })

  test('a merge patch may say so in its type, and is read as strictly; a POST may not', async () => {
    const { id } = await create({ data: { fullname: 'X' } })
    const headers = { 'content-type': 'application/merge-patch+json; charset=utf-8' }
    const send = (text: string) => merchant.call('PATCH', `/v1/customers/${id}`, text, headers)
    expect((await send('{"data":{"fullname":"Y"}}')).body.data).toEqual({ fullname: 'Y' })
    expectRefusal(await send('{"data":{"__proto__":{}}}'), 400, '_invalid_payload')
    expectRefusal(await send('{"data":'), 400, '_invalid_payload', /JSON/)
    const created = await merchant.call('POST', '/v1/customers', '{"data":{}}', headers)
    expectRefusal(created, 415, '_unsupported_media_type')
  })

  test('an empty body changes nothing', async () => {
    const before = await create({ data: { fullname: 'Same' } })
    const { status, body } = await patch(before.id, {})
    expect(status).toBe(200)
    expect(body.data).toEqual({ fullname: 'Same' })
  })

  test('the phone is normalized, and the own values are not taken by oneself', async () => {
    const phone = freshPhone()
    const { id } = await create({ data: { phone, email: 'self@example.com' }, opaqueId: 'self' })
    const national = `(202) 555-${phone.slice(-4)}`
    const { status, body } = await patch(id, {
      data: { phone: national, email: 'SELF@example.com' },
      opaqueId: 'self',
    })
    expect(status).toBe(200)
    expect(body.data).toEqual({ phone, email: 'SELF@example.com' })
  })

  test('what belongs to another is refused as in registration, in its order, and nothing changes', async () => {
    const phone = freshPhone()
    await create({ data: { phone, email: 'owner@example.com' }, opaqueId: 'owner' })
    const mine = await create({ data: { fullname: 'Mine' } })
    const data = { phone, email: 'OWNER@example.com', fullname: 'Changed' }
    expectRefusal(await patch(mine.id, { data: { ...data, phone: 'x' } }), 400, 'invalid_phone')
    expectRefusal(await patch(mine.id, { data, opaqueId: 'owner' }), 400, 'existing_customer_with_email')
    expectRefusal(
      await patch(mine.id, { data: { phone }, opaqueId: 'owner' }),
      400,
      'existing_customer_with_phone',
    )
    expectRefusal(await patch(mine.id, { opaqueId: 'owner' }), 400, 'opaque_id_already_exists')
    expect((await get(mine.id)).body).toMatchObject({ data: { fullname: 'Mine' }, updatedAt: mine.updatedAt })
  })

  test.each([
    [{ data: [] }],
    [{ data: { phone: 1 } }],
    [{ data: { email: 'none' } }],
    [{ metaData: 'x' }],
    [{ consents: { marketing: 1 } }],
    [{ opaqueId: 5 }],
    [[]],
    [null],
  ])('%j is _invalid_payload', async (body) => {
    const { id } = await create()
    const headers = { 'content-type': 'application/json' }
    const reply = await merchant.call('PATCH', `/v1/customers/${id}`, JSON.stringify(body), headers)
    expectRefusal(reply, 400, '_invalid_payload')
  })

  test('status, balances and cards are not the client’s to set', async () => {
    const { id } = await create()
    const { status, body } = await patch(id, {
      status: 3,
      collectables: { points: { value: 5, total: 5 } },
      createdAt: '2001-01-01T00:00:00Z',
      id: 'cus_other',
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({ id, status: 1, collectables: {} })
    expect(body.createdAt).not.toContain('2001')
  })

  test('of 20 parallel patches to one phone exactly one succeeds', async () => {
    const phone = freshPhone()
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await create()).id))
    const replies = await Promise.all(ids.map((id) => patch(id, { data: { phone } })))
    expect(replies.filter((reply) => reply.status === 200)).toHaveLength(1)
    for (const reply of replies.filter((item) => item.status !== 200))
      expectRefusal(reply, 400, 'existing_customer_with_phone')
  })

  test('parallel patches of different members do not overwrite each other', async () => {
    const { id } = await create()
    await Promise.all(Array.from({ length: 20 }, (_, i) => patch(id, { metaData: { [`m${i}`]: i } })))
    expect(Object.keys((await get(id)).body.metaData)).toHaveLength(20)
  })
})

describe('block and unblock', () => {
  test('a blocked customer neither buys nor previews, is still found, and works again afterwards', async () => {
    const { customer, card } = await merchant.register(campaign)
    const blocked = await merchant.call('POST', `/v1/customers/${customer}/block`)
    expect(blocked.status).toBe(200)
    expect(blocked.body).toMatchObject({ id: customer, status: 2 })
    expectRefusal(await process(customer, card, { amount: 5 }), 400, 'customer_not_active')
    expectRefusal(
      await merchant.call('POST', '/v1/transactions/validate', { customer, card, amount: 5 }),
      400,
      'customer_not_active',
    )
    expect((await get(customer)).body.status).toBe(2)
    const again = await merchant.call('POST', `/v1/customers/${customer}/block`)
    expect(again.status).toBe(200)
    expect((await merchant.call('POST', `/v1/customers/${customer}/unblock`)).body.status).toBe(1)
    expect((await process(customer, card, { amount: 5 })).status).toBe(201)
  })
})

describe('cards', () => {
  const cardOf = (id: string) => merchant.call('GET', `/v1/cards/${id}`)
  const act = (id: string, action: string) => merchant.call('POST', `/v1/cards/${id}/${action}`)

  test('GET answers the fields of a card', async () => {
    const { card, barcode } = await merchant.register(campaign)
    const { status, body } = await cardOf(card)
    expect(status).toBe(200)
    expect(body).toEqual({
      id: card,
      barcode,
      status: 1,
      campaign,
      campaignName: 'Coffee club',
      walletUrl: expect.stringContaining('/w/'),
      createdAt: expect.any(String),
    })
  })

  test('a blocked card is refused at the till until it is unblocked; both can be repeated', async () => {
    const { customer, card } = await merchant.register(campaign)
    for (let i = 0; i < 2; i++) {
      const blocked = await act(card, 'block')
      expect([blocked.status, blocked.body.status]).toEqual([200, 2])
    }
    expectRefusal(await process(customer, card, { amount: 1 }), 400, 'card_not_active')
    for (let i = 0; i < 2; i++) {
      const unblocked = await act(card, 'unblock')
      expect([unblocked.status, unblocked.body.status]).toEqual([200, 1])
    }
    expect((await process(customer, card, { amount: 1 })).status).toBe(201)
  })

  test('replace answers 201 with a new card and barcode, the old one gets status 3, balances stay', async () => {
    const { customer, card, barcode } = await merchant.register(campaign)
    await process(customer, card, { amount: 9 })
    const reply = await act(card, 'replace')
    expect(reply.status).toBe(201)
    expect(reply.body).toMatchObject({ status: 1, campaign, campaignName: 'Coffee club' })
    expect(reply.body.id).not.toBe(card)
    expect(reply.body.barcode).not.toBe(barcode)
    expect((await cardOf(card)).body.status).toBe(3)
    const view = (await get(customer)).body
    expect(view.cards.map((item: { status: number }) => item.status).sort()).toEqual([1, 3])
    expect(view.collectables.points).toEqual({ value: 9, total: 9 })
    expectRefusal(await process(customer, card, { amount: 1 }), 400, 'card_not_active')
    expect((await process(customer, reply.body.id, { amount: 1 })).status).toBe(201)
  })

  test('a replaced card can be neither blocked, unblocked nor replaced again', async () => {
    const { card } = await merchant.register(campaign)
    await act(card, 'replace')
    for (const action of ['block', 'unblock', 'replace']) {
      expectRefusal(await act(card, action), 400, 'card_not_active')
    }
    expect((await cardOf(card)).body.status).toBe(3)
  })

  test('of 20 parallel replacements exactly one makes a card', async () => {
    const { customer, card } = await merchant.register(campaign)
    const replies = await Promise.all(Array.from({ length: 20 }, () => act(card, 'replace')))
    expect(replies.filter((reply) => reply.status === 201)).toHaveLength(1)
    for (const reply of replies.filter((item) => item.status !== 201))
      expectRefusal(reply, 400, 'card_not_active')
    expect((await get(customer)).body.cards).toHaveLength(2)
  })

  test.each(['x', `card_${'0'.repeat(32)}`, `cus_${'0'.repeat(32)}`])('%j is card_not_found', async (id) => {
    expectRefusal(await cardOf(id), 404, 'card_not_found')
    for (const action of ['block', 'unblock', 'replace'])
      expectRefusal(await act(id, action), 404, 'card_not_found')
  })
})

describe('POST /v1/customers/{id}/adjustments', () => {
  test('answers 201 with the ledger entry; the value moves, the total does not', async () => {
    const { customer, card } = await merchant.register(campaign)
    await process(customer, card, { amount: 10 })
    const up = await adjust(customer, 'points', 5, 'Sorry')
    expect(up.status).toBe(201)
    expect(up.body).toMatchObject({
      key: 'points',
      version: 2,
      kind: 'adjust',
      amount: 5,
      value: 15,
      total: 10,
      reason: 'Sorry',
      user: expect.stringMatching(/^usr_/),
    })
    const down = await adjust(customer, 'points', -15)
    expect(down.body).toMatchObject({ version: 3, amount: -15, value: 0, total: 10 })
    expect((await get(customer)).body.collectables.points).toEqual({ value: 0, total: 10 })
  })

  test('below zero is insufficient_points and changes nothing', async () => {
    const { customer } = await merchant.register(campaign)
    await adjust(customer, 'points', 3)
    expectRefusal(await adjust(customer, 'points', -4), 400, 'insufficient_points')
    expect((await get(customer)).body.collectables.points).toEqual({ value: 3, total: 0 })
  })

  test.each([
    ['no key', { amount: 1, reason: 'x' }],
    ['no reason', { key: 'points', amount: 1 }],
    ['an empty reason', { key: 'points', amount: 1, reason: '' }],
    ['no amount', { key: 'points', reason: 'x' }],
    ['a textual amount', { key: 'points', amount: '1', reason: 'x' }],
    ['a fraction of a whole balance', { key: 'points', amount: 0.5, reason: 'x' }],
    ['more than a balance holds', { key: 'points', amount: 1e18, reason: 'x' }],
    ['a key there is not', { key: 'miles', amount: 1, reason: 'x' }],
    ['a member there is not', { key: 'points', amount: 1, reason: 'x', total: 5 }],
  ])('%s is _invalid_payload', async (_what, body) => {
    const { customer } = await merchant.register(campaign)
    const reply = await merchant.call('POST', `/v1/customers/${customer}/adjustments`, body)
    expectRefusal(reply, 400, '_invalid_payload')
  })

  test('several large ones never carry a balance beyond what it can hold', async () => {
    const { customer } = await merchant.register(campaign)
    expect((await adjust(customer, 'points', 9e15)).status).toBe(201)
    expectRefusal(await adjust(customer, 'points', 1), 400, '_invalid_payload')
    expect((await get(customer)).body.collectables.points.value).toBe(9e15)
    expect((await adjust(customer, 'points', -9e15)).status).toBe(201)
  })

  test('balances with decimals move by exact decimals: ten times 0.1 is 1', async () => {
    const own = await service.createMerchant()
    const id = await own.publishCampaign({ name: 'D', balances: [{ key: 'credit', decimals: 2 }] })
    const { customer } = await own.register(id)
    const move = (amount: number) =>
      own.call('POST', `/v1/customers/${customer}/adjustments`, { key: 'credit', amount, reason: 'x' })
    for (let i = 0; i < 10; i++) expect((await move(0.1)).status).toBe(201)
    expectRefusal(await move(0.001), 400, '_invalid_payload')
    const { body } = await own.call('GET', `/v1/customers/${customer}`)
    expect(body.collectables.credit).toEqual({ value: 1, total: 0 })
  })

  test('40 parallel ones of a balance of 10, each taking 1: exactly 10 pass', async () => {
    const { customer } = await merchant.register(campaign)
    await adjust(customer, 'points', 10)
    const replies = await Promise.all(Array.from({ length: 40 }, () => adjust(customer, 'points', -1)))
    expect(replies.filter((reply) => reply.status === 201)).toHaveLength(10)
    for (const reply of replies.filter((item) => item.status !== 201))
      expectRefusal(reply, 400, 'insufficient_points')
    expect((await get(customer)).body.collectables.points.value).toBe(0)
  })
})

describe('history', () => {
  let person: { customer: string; card: string }
  const made: string[] = []
  beforeAll(async () => {
    person = await merchant.register(campaign)
    for (let i = 0; i < 5; i++) {
      const { body } = await process(person.customer, person.card, {
        items: [{ product: 'latte', quantity: 10, amount: 10 }],
      })
      made.unshift(body.id)
    }
  })

  async function follow(list: string, limit: number) {
    // biome-ignore lint/suspicious/noExplicitAny: rows of any list.
    const rows: any[] = []
    let pages = 0
    let cursor: string | undefined
    do {
      const query = `?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`
      const { status, body } = await merchant.call('GET', `/v1/customers/${person.customer}/${list}${query}`)
      expect(status).toBe(200)
      rows.push(...body.data)
      cursor = body.nextCursor
      pages++
    } while (cursor)
    return { rows, pages }
  }

  test('transactions are newest first over several pages', async () => {
    const { rows, pages } = await follow('transactions', 2)
    expect(pages).toBe(3)
    expect(rows.map((row) => row.id)).toEqual(made)
  })

  test('ledger entries are newest first over several pages, each with the balance after it', async () => {
    const { rows, pages } = await follow('ledger', 4)
    expect(rows).toHaveLength(15) // per basket: points, stamps, stamps consumed
    expect(pages).toBe(4)
    for (const key of ['points', 'stamps']) {
      const own = rows.filter((row) => row.key === key)
      expect(own.map((row) => row.version)).toEqual(own.map((_, i) => own.length - i))
      let value = 0
      for (const row of own.toReversed()) {
        value += row.amount
        expect(row.value).toBe(value)
        expect(made).toContain(row.transaction)
      }
    }
    expect(rows.find((row) => row.kind === 'collect' && row.key === 'points')).toMatchObject({
      amount: 10,
      campaign,
      rule: 'base',
    })
  })

  test('coupons are newest first over several pages, in every state', async () => {
    const first = (await follow('coupons', 2)).rows
    expect(first).toHaveLength(5)
    await merchant.call('POST', `/v1/coupons/${first[0].id}/revoke`)
    const { rows } = await follow('coupons', 2)
    expect(rows.map((row) => row.status)).toEqual([5, 1, 1, 1, 1])
    expect(rows.map((row) => row.id)).toEqual(first.map((row) => row.id))
  })

  test.each(['transactions', 'ledger', 'coupons'])('%s of nobody are customer_not_found', async (list) => {
    for (const id of ['x', `cus_${'0'.repeat(32)}`])
      expectRefusal(await merchant.call('GET', `/v1/customers/${id}/${list}`), 404, 'customer_not_found')
  })

  const forged = (value: unknown) =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

  test.each([
    ['transactions', 'x'],
    ['coupons', forged('cpn_1')],
    ['ledger', 'x'],
    ['ledger', forged('null')],
    ['ledger', forged([1, 2])],
    ['ledger', forged([1, 'points', 'x'])],
    ['ledger', forged([1e300, 'points', 1])],
    ['ledger', forged([1, '\u0000', 1])],
    ['ledger', forged([-1, 'points', 1.5])],
  ])('a made-up cursor of %s (%s) is _invalid_payload', async (list, cursor) => {
    const reply = await merchant.call('GET', `/v1/customers/${person.customer}/${list}?cursor=${cursor}`)
    expectRefusal(reply, 400, '_invalid_payload', /cursor/)
  })
})

describe('export', () => {
  test('brings the profile, balances, cards, transactions, ledger and coupons of the one customer', async () => {
    const phone = freshPhone()
    const { customer, card } = await merchant.register(campaign, { phone, fullname: 'Export Me' })
    const other = await merchant.register(campaign, { fullname: 'Somebody Else' })
    await process(other.customer, other.card, { amount: 1 })
    const { body: sold } = await process(customer, card, {
      items: [{ product: 'latte', quantity: 10, unitPrice: 1 }],
      metaData: { table: 4 },
    })
    const { status, body, text } = await merchant.call('GET', `/v1/customers/${customer}/export`)
    expect(status).toBe(200)
    expect(body.customer).toMatchObject({ id: customer, data: { phone, fullname: 'Export Me' } })
    expect(body.transactions).toEqual([
      expect.objectContaining({ id: sold.id, metaData: { table: 4 }, customer }),
    ])
    expect(body.ledger).toHaveLength(3)
    expect(body.coupons).toHaveLength(1)
    expect(text).not.toContain('Somebody Else')
    expect(text).not.toContain(other.customer)
  })
})

describe('erase', () => {
  const erase = (id: string, headers?: Record<string, string>) =>
    merchant.call('POST', `/v1/customers/${id}/erase`, {}, headers)

  test('removes everything of the person from every table, and keeps the sums', async () => {
    const phone = freshPhone()
    const person = {
      data: { phone, email: 'Gone.Person@secret.example', fullname: 'Wilhelmina Vanishing' },
      metaData: { shoe: 'metadata-mark-1' },
      consents: { marketing: true, 'consent-mark': true },
      opaqueId: 'opaque-mark',
    }
    const headers = { 'idempotency-key': 'erase-register' }
    const registered = await merchant.call(
      'POST',
      '/v1/customers/register',
      { campaignId: campaign, customer: person },
      headers,
    )
    const customer = registered.body.id
    const card = registered.body.cards[0]
    await merchant.call('POST', `/v1/customers/${customer}/block`, {}, { 'idempotency-key': 'erase-block' })
    await merchant.call(
      'POST',
      `/v1/customers/${customer}/unblock`,
      {},
      { 'idempotency-key': 'erase-unblock' },
    )
    const created = { ...person, data: { fullname: 'Wilhelmina Vanishing' }, opaqueId: 'opaque-mark-2' }
    const other = await merchant.call('POST', '/v1/customers', created, { 'idempotency-key': 'erase-create' })
    const sale = await process(customer, card.id, {
      opaqueId: 'receipt-erase',
      items: [{ product: 'latte', quantity: 10, amount: 30 }],
      metaData: { name: 'Wilhelmina Vanishing', mark: 'metadata-mark-2' },
    })
    expect(sale.status).toBe(201)
    await patch(customer, { data: { fullname: 'Wilhelmina Vanishing' } })
    await service.flushRequests()
    const sums = async () =>
      (
        await service.database.pool.query(
          'SELECT key, sum(amount) AS amount, count(*) AS entries FROM ledger_entries GROUP BY key ORDER BY key',
        )
      ).rows
    const before = await sums()
    const marks = [
      phone,
      phone.slice(2),
      'secret.example',
      'Wilhelmina',
      'vanishing',
      'metadata-mark',
      'consent-mark',
      'opaque-mark',
    ]
    const present = (await everything()).toLowerCase()
    for (const mark of marks) expect(present).toContain(mark.toLowerCase())

    const reply = await erase(customer)
    expect([reply.status, reply.body.status]).toEqual([200, 3])
    expect((await erase(other.body.id)).status).toBe(200)
    await service.flushRequests()

    const left = (await everything()).toLowerCase()
    for (const mark of marks) {
      const at = left.indexOf(mark.toLowerCase())
      expect([mark, at < 0 ? '' : left.slice(Math.max(0, at - 200), at + 100)]).toEqual([mark, ''])
    }
    expect(await sums()).toEqual(before)
    expect(JSON.stringify(service.logged)).not.toContain('Wilhelmina')
  })

  test('frees phone, e-mail and opaque id; from then on the customer is not found anywhere', async () => {
    const phone = freshPhone()
    const person = { data: { phone, email: 'reuse@example.com' }, opaqueId: 'reuse' }
    const first = await merchant.call('POST', '/v1/customers/register', {
      campaignId: campaign,
      customer: person,
    })
    const customer = first.body.id
    const card = first.body.cards[0]
    await process(customer, card.id, { items: [{ product: 'latte', quantity: 10, amount: 30 }] })
    const [coupon] = (await get(customer)).body.coupons
    expect((await erase(customer)).status).toBe(200)

    const body = { customer, card: card.id, amount: 1 }
    expectRefusal(await merchant.call('POST', '/v1/transactions/process', body), 400, 'customer_not_found')
    expectRefusal(await merchant.call('POST', '/v1/transactions/validate', body), 400, 'customer_not_found')
    expectRefusal(
      await merchant.call('POST', '/v1/customers/register', {
        campaignId: campaign,
        customer: { id: customer },
      }),
      400,
      'customer_not_found',
    )
    expectRefusal(
      await merchant.call('POST', '/v1/coupons', { customer, campaign, reward: 'five-off' }),
      400,
      'customer_not_found',
    )
    for (const q of [phone, 'reuse@example.com', card.barcode])
      expectRefusal(await find(q), 404, 'customer_not_found')
    for (const path of ['', '/transactions', '/ledger', '/coupons', '/export'])
      expectRefusal(await merchant.call('GET', `/v1/customers/${customer}${path}`), 404, 'customer_not_found')
    for (const action of ['block', 'unblock', 'erase'])
      expectRefusal(
        await merchant.call('POST', `/v1/customers/${customer}/${action}`),
        404,
        'customer_not_found',
      )
    expectRefusal(await adjust(customer, 'points', 1), 404, 'customer_not_found')
    expectRefusal(await patch(customer, { data: {} }), 404, 'customer_not_found')
    for (const action of ['block', 'unblock', 'replace'])
      expectRefusal(await merchant.call('POST', `/v1/cards/${card.id}/${action}`), 404, 'card_not_found')
    expect((await merchant.call('GET', `/v1/coupons/${coupon.id}`)).body.status).toBe(5)
    const { rows } = await service.database.pool.query('SELECT status FROM cards WHERE barcode = $1', [
      card.barcode,
    ])
    expect(rows).toEqual([{ status: 4 }])

    const second = await merchant.call('POST', '/v1/customers/register', {
      campaignId: campaign,
      customer: person,
    })
    expect(second.status).toBe(201)
    expect(second.body.id).not.toBe(customer)
    expect(second.body.collectables.points).toEqual({ value: 0, total: 0 })
  })

  test('the stored answer of an idempotent call is gone: a repeat gets customer_not_found and makes nobody', async () => {
    const body = { data: { fullname: 'Repeated' } }
    const key = { 'idempotency-key': 'erase-repeat' }
    const { id } = (await merchant.call('POST', '/v1/customers', body, key)).body
    await erase(id)
    const repeated = await merchant.call('POST', '/v1/customers', body, key)
    expect(repeated.body.message).toBe('customer_not_found')
    expect((await find('Repeated')).status).toBe(404)
  })

  test('its event names the customer by id only', async () => {
    const { id } = await create({ data: { fullname: 'Evented' } })
    await erase(id)
    const { rows } = await service.database.pool.query(
      "SELECT data FROM events WHERE type = 'customer.erased' AND data ->> 'customer' = $1",
      [id],
    )
    expect(rows).toEqual([{ data: { customer: id } }])
  })

  /** Calls that have to wait for the erasure, which itself waits for us, and are then decided after it. */
  test.each([
    ['block', (id: string) => merchant.call('POST', `/v1/customers/${id}/block`), 404],
    ['unblock', (id: string) => merchant.call('POST', `/v1/customers/${id}/unblock`), 404],
    ['adjustment', (id: string) => adjust(id, 'points', 5), 404],
    ['a second erasure', (id: string) => erase(id), 404],
    [
      'registration',
      (id: string) =>
        merchant.call('POST', '/v1/customers/register', { campaignId: campaign, customer: { id } }),
      400,
    ],
    [
      'coupon',
      (id: string) => merchant.call('POST', '/v1/coupons', { customer: id, campaign, reward: 'five-off' }),
      400,
    ],
  ] as const)(
    'a %s that comes during the erasure finds nobody and brings nobody back',
    async (_what, act, status) => {
      const { customer } = await merchant.register(campaign)
      const own = await service.database.pool.query('SELECT org_id FROM organizations WHERE id = $1', [
        merchant.id.slice(4),
      ])
      const holder = await service.database.pool.connect()
      await holder.query('BEGIN')
      const wallet = `SELECT 1 FROM wallets WHERE org_id = ${own.rows[0].org_id} AND customer_id = $1 FOR UPDATE`
      await holder.query(wallet, [customer.slice(4)])
      const erased = erase(customer)
      await waitingStatements(1)
      const late = act(customer)
      await waitingStatements(2)
      await holder.query('COMMIT')
      holder.release()
      expect((await erased).status).toBe(200)
      expectRefusal(await late, status, 'customer_not_found')
      const { rows } = await service.database.pool.query('SELECT status FROM customers WHERE id = $1', [
        customer.slice(4),
      ])
      expect(rows).toEqual([{ status: 3 }])
    },
  )

  /** Resolves when so many statements wait for a lock in this database. */
  async function waitingStatements(count: number): Promise<void> {
    while ((await countWaiting(service.database.pool)) < count) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }

  test('erasures, baskets and changes at the same time end with everything gone and every sum right', async () => {
    for (let round = 0; round < 5; round++) {
      const { customer, card } = await merchant.register(campaign, { fullname: 'Racing' })
      const replies = await Promise.all([
        ...Array.from({ length: 5 }, () => process(customer, card, { amount: 10 })),
        erase(customer),
        patch(customer, { data: { fullname: 'Racing Again' } }),
        merchant.call('POST', `/v1/customers/${customer}/block`),
        adjust(customer, 'points', 5),
        ...Array.from({ length: 5 }, () => process(customer, card, { amount: 10 })),
      ])
      for (const { status } of replies) expect(status).toBeLessThan(500)
      expect(replies[5]!.status).toBe(200)
      expectRefusal(await get(customer), 404, 'customer_not_found')
    }
    expect(await everything()).not.toContain('Racing')
  })
})
