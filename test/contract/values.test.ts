import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audit } from '../support/audit.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { type Merchant, type Registered, startTestService, type TestService } from '../support/service.ts'
import { naughty } from './naughty.ts'
import { putAt } from './places.ts'
import { type Changes, watchChanges } from './watch-changes.ts'

let service: TestService
let merchant: Merchant
let who: Registered
let changes: Changes

beforeAll(async () => {
  service = await startTestService()
  merchant = await service.createMerchant()
  who = await merchant.register(await merchant.publishCampaign())
  changes = await watchChanges(service.database.pool)
})
afterAll(async () => {
  expect(await audit(service.database.pool)).toEqual([])
  await service.close()
})

const raw = (path: string, text: string) =>
  merchant.call('POST', path, text, { 'content-type': 'application/json' })
const basket = () => ({ customer: who.customer, card: who.card, items: [{ product: 'latte', amount: 1 }] })
const withField = (body: object, place: string, text: string) => putAt(body, place.split('.'), text)

describe('numbers that have the right type, and yet no meaning', () => {
  test.each([
    ['items.0.quantity', '0.0000001'],
    ['items.0.quantity', '1e-300'],
    ['items.0.unitPrice', '0.0000001'],
    ['items.0.unitPrice', '1e-10'],
    ['pointsToSpend', '0.5'],
    ['pointsToSpend', '1e-7'],
  ])('%s: %s is _invalid_payload in a basket, sold or previewed', async (place, text) => {
    const body = withField(basket(), place, text)
    const member = new RegExp(place.replace('items.0.', ''))
    expectRefusal(await raw('/v1/transactions/process', body), 400, '_invalid_payload', member)
    expectRefusal(await raw('/v1/transactions/validate', body), 400, '_invalid_payload', member)
  })

  test.each(['0.1', '0', '-0'])('an adjustment of %s is _invalid_payload', async (text) => {
    const body = withField({ key: 'points', reason: 'x' }, 'amount', text)
    const path = `/v1/customers/${who.customer}/adjustments`
    expectRefusal(await raw(path, body), 400, '_invalid_payload', /amount/)
  })

  test.each(['NaN', 'Infinity', '0x10', '01', '+1', '1_000', '.5', '1.', '1e'])(
    '%s is not even JSON',
    async (text) => {
      expectRefusal(
        await raw('/v1/transactions/process', withField(basket(), 'amount', text)),
        400,
        '_invalid_payload',
        /JSON/,
      )
    },
  )

  test('sums beyond what can be counted are refused, not rounded', async () => {
    const items = Array.from({ length: 500 }, () => ({ unitPrice: 1e10, quantity: 1e6 }))
    expectRefusal(
      await merchant.call('POST', '/v1/transactions/process', { ...basket(), items }),
      400,
      '_invalid_payload',
    )
  })

  test('none of this changed anything', async () => {
    expect(await changes()).toEqual([])
  })

  test('-0 is 0 and the largest amounts are exact', async () => {
    const zero = await raw('/v1/transactions/process', withField(basket(), 'discountAmount', '-0'))
    expect(zero.status).toBe(201)
    const large = await merchant.call('POST', '/v1/transactions/process', {
      ...basket(),
      items: [{ amount: 9999999999.99 }],
    })
    expect(large.body).toMatchObject({ amount: 9999999999.99, payableAmount: 9999999999.99 })
    expect(large.body.executedActions.collectables.points.value).toBe(1 + 9999999999)
  })
})

describe('naughty strings', () => {
  test('names, opaque ids and free-form members come back exactly as they were sent', async () => {
    for (const text of naughty) {
      const opaqueId = `op ${text} op`
      const sent = { data: { fullname: `n ${text} n` }, metaData: { [`k${text}`]: text }, opaqueId }
      const created = await merchant.call('POST', '/v1/customers', sent)
      expect([text, created.status]).toEqual([text, 201])
      const { body } = await merchant.call('GET', `/v1/customers/${created.body.id}`)
      expect(body).toMatchObject(sent)
    }
  })

  test('receipt numbers and product names come back exactly as they were sent, and find their sale', async () => {
    for (const text of naughty.filter((item) => item.trim() === item)) {
      const opaqueId = `r-${text}`
      const sold = await merchant.call('POST', '/v1/transactions/process', {
        ...basket(),
        opaqueId,
        items: [{ product: text, name: text, category: text }],
        metaData: { text },
      })
      expect([text, sold.status]).toEqual([text, 201])
      const found = await merchant.call('GET', `/v1/transactions?opaqueId=${encodeURIComponent(opaqueId)}`)
      expect(found.body.data).toHaveLength(1)
      expect(found.body.data[0]).toMatchObject({
        id: sold.body.id,
        opaqueId,
        items: [{ product: text, name: text, category: text }],
        metaData: { text },
      })
    }
  })
})

describe('one person in many spellings is one customer', () => {
  const create = (data: object) => merchant.call('POST', '/v1/customers', { data })

  test('a phone, whatever digits and marks it is written with', async () => {
    expect((await create({ phone: '+12025550177' })).status).toBe(201)
    const spellings = [
      '+1 202 555 0177',
      '+1\u00a0202\u00a0555\u00a00177',
      '+1\u2009202\u2009555\u20090177',
      '+1\u2011202\u2011555\u20110177',
      '+1\u2013202\u2013555\u20130177',
      '\uff0b\uff11\uff12\uff10\uff12\uff15\uff15\uff15\uff10\uff11\uff17\uff17',
      '+\u0661\u0662\u0660\u0662\u0665\u0665\u0665\u0660\u0661\u0667\u0667',
      '+\u06f1\u06f2\u06f0\u06f2\u06f5\u06f5\u06f5\u06f0\u06f1\u06f7\u06f7',
      '+\u0967\u0968\u0966\u0968\u096b\u096b\u096b\u0966\u0967\u096d\u096d',
      '\u202a+12025550177\u202c',
      '\u200e+12025550177',
      '+1202555\u200b0177',
      'tel:+12025550177',
      'tel:+1-202-555-0177;phone-context=example.com',
      '+1(202)555-0177',
      '+1/202/555/0177',
      '+1.202.555.0177',
      '0012025550177',
      '0112025550177',
      '011 1 202 555 0177',
      '+012025550177',
      '++12025550177',
      '+1 202 555 0177 ',
      '+1-800-CALL-NOW',
      '+12025550177\n',
    ]
    for (const phone of spellings) {
      const { status, body } = await create({ phone })
      expect([phone, status, body.message]).toEqual([
        phone,
        400,
        expect.stringMatching(/^(?:existing_customer_with_phone|invalid_phone)$/),
      ])
    }
  })

  test.each([
    ['capitals that are composed otherwise', 'J\u030c.x@example.com', '\u01f0.x@example.com'],
    ['a dotted capital i', '\u0130.x@example.com', 'i\u0307.x@example.com'],
    ['a capital sharp s', 'gro\u1e9e@example.com', 'gro\u00df@example.com'],
    ['a kelvin sign', '\u212aelvin@example.com', 'kelvin@example.com'],
    ['an angstrom sign', '\u212bngstrom@example.com', 'a\u030angstrom@example.com'],
    ['a tab and a line end around it', '\tmarks@example.com\n', 'MARKS@example.com'],
  ])('an e-mail with %s', async (_what, first, second) => {
    expect((await create({ email: first })).status).toBe(201)
    expectRefusal(await create({ email: second }), 400, 'existing_customer_with_email')
    const found = await merchant.call('GET', `/v1/customers/find?q=${encodeURIComponent(second)}`)
    expect(found.status).toBe(200)
  })

  test.each(['\u200b', '\u200d', '\ufeff', '\u202e', '\u00ad', '\u2060', '\u180e'])(
    'an e-mail with the invisible character %j is none',
    async (mark) => {
      for (const email of [`ada${mark}@example.com`, `ada@example${mark}.com`, `ada@exam${mark}ple.com`])
        expectRefusal(await create({ email }), 400, '_invalid_payload', /email/)
    },
  )
})

describe('wildcards and operators in a search mean only themselves', () => {
  test.each(['/v1/customers', '/v1/products', '/v1/branches', '/v1/users'])('%s', async (path) => {
    const own = await service.createMerchant()
    const texts = [
      '100%',
      'a_b',
      'a\\b',
      "O'Neil",
      '.*',
      '[a-z]',
      '$1',
      'x;y',
      'a%00b',
      '\u0130x',
      'caf\u00e9',
    ]
    for (const [i, name] of texts.entries()) {
      const body =
        path === '/v1/customers'
          ? { data: { fullname: `<${name}>` } }
          : { opaqueId: `${i}`, name: `<${name}>` }
      expect((await own.call('POST', path, body)).status).toBe(201)
    }
    for (const name of texts) {
      const { status, body } = await own.call('GET', `${path}?q=${encodeURIComponent(`<${name}>`)}`)
      expect([name, status, body.data?.length]).toEqual([name, 200, 1])
    }
    for (const q of ['%_%', '<%>', '_a%', '<a?b>', '\\', "<O''Neil>", '<caf_>', "' OR 1=1 --", '<.*.*>']) {
      const { status, body } = await own.call('GET', `${path}?q=${encodeURIComponent(q)}`)
      const count = q === '\\' ? 1 : 0
      expect([q, status, body.data?.length]).toEqual([q, 200, count])
    }
  })
})
