import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audit } from '../support/audit.ts'
import { type Merchant, type Registered, startTestService, type TestService } from '../support/service.ts'
import { expectClientError, expectRefusal } from './expect-refusal.ts'

let service: TestService
let merchant: Merchant
let campaign: string
let who: Registered
let before: Record<string, number>

beforeAll(async () => {
  service = await startTestService()
  merchant = await service.createMerchant()
  campaign = await merchant.publishCampaign()
  who = await merchant.register(campaign)
})
afterAll(async () => {
  expect(await audit(service.database.pool)).toEqual([])
  await service.close()
})

async function rowCounts(): Promise<Record<string, number>> {
  const { pool } = service.database
  const { rows } = await pool.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  )
  const counts: Record<string, number> = {}
  for (const { name } of rows)
    counts[name] = (await pool.query(`SELECT count(*)::int AS n FROM "${name}"`)).rows[0].n
  return counts
}

const json = { 'content-type': 'application/json' }
const raw = (path: string, text: string | Buffer, headers: Record<string, string> = json) =>
  merchant.call('POST', path, text, headers)

/** A body in which one member, named by its path, has a value given as JSON text. */
function withMember(body: object, place: string, text: string): string {
  const copy = structuredClone(body) as Record<string, unknown>
  const names = place.split('.')
  const last = names.pop()!
  let at = copy
  for (const name of names) at = at[name] as Record<string, unknown>
  at[last] = '<<here>>'
  return JSON.stringify(copy).replace('"<<here>>"', text)
}

const basket = () => ({ customer: who.customer, card: who.card, items: [{ product: 'latte', amount: 1 }] })

describe('numbers', () => {
  const never = [
    '1e400',
    '-1e400',
    '9007199254740993',
    '9223372036854775808',
    '-1',
    '-0.01',
    '"10"',
    'true',
    '[]',
    '{}',
    'null',
    '""',
    '"NaN"',
  ]
  const money = [
    'amount',
    'discountAmount',
    'discountedAmount',
    'items.0.amount',
    'items.0.discountAmount',
    'items.0.discountedAmount',
    'items.0.unitPrice',
  ]
  const cases: [string, string][] = [
    ...money.flatMap((place) => never.map((text): [string, string] => [place, text])),
    ...[...never, '0', '0.0000001', '1000001', '1e-300'].map((text): [string, string] => [
      'items.0.quantity',
      text,
    ]),
    ...[...never, '0.5', '1e-7'].map((text): [string, string] => ['pointsToSpend', text]),
    ...['0.0000001', '1e-10', '10000000001', '1e300'].map((text): [string, string] => [
      'items.0.unitPrice',
      text,
    ]),
  ]
  beforeAll(async () => {
    before = await rowCounts()
  })

  test.each(cases)('%s: %s is _invalid_payload in a basket, sold or previewed', async (place, text) => {
    const body = withMember(basket(), place, text)
    const member = new RegExp(place.replace('items.0.', ''))
    expectRefusal(await raw('/v1/transactions/process', body), 400, '_invalid_payload', member)
    expectRefusal(await raw('/v1/transactions/validate', body), 400, '_invalid_payload', member)
  })

  test.each([
    '1e400',
    '9007199254740993',
    '-9223372036854775809',
    '"1"',
    'true',
    'null',
    '0.1',
    '0',
    '-0',
    '{}',
  ])('an adjustment of %s is _invalid_payload', async (text) => {
    const body = withMember({ key: 'points', reason: 'x' }, 'amount', text)
    expectRefusal(
      await raw(`/v1/customers/${who.customer}/adjustments`, body),
      400,
      '_invalid_payload',
      /amount/,
    )
  })

  test.each(['NaN', 'Infinity', '0x10', '01', '+1', '1_000', '.5', '1.', '1e'])(
    '%s is not even JSON',
    async (text) => {
      expectRefusal(
        await raw('/v1/transactions/process', withMember(basket(), 'amount', text)),
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

  test('none of this wrote anything', async () => {
    expect(await rowCounts()).toEqual(before)
  })

  test('-0 is 0 and the largest amounts are exact', async () => {
    const zero = await raw('/v1/transactions/process', withMember(basket(), 'discountAmount', '-0'))
    expect(zero.status).toBe(201)
    const large = await merchant.call('POST', '/v1/transactions/process', {
      ...basket(),
      items: [{ amount: 9999999999.99 }],
    })
    expect(large.body).toMatchObject({ amount: 9999999999.99, payableAmount: 9999999999.99 })
    expect(large.body.executedActions.collectables.points.value).toBe(1 + 9999999999)
  })
})

/** Text that cannot be kept, wherever it stands. */
const impossible = ['\\u0000', 'a\\u0000b', '\\ud800', '\\udfff', 'x\\ud83d', '\\ude00\\ud83d']

/** Text that may be kept, but exactly as it is. */
const naughty = [
  "'; DROP TABLE customers; --",
  "' OR '1'='1",
  '" OR ""="',
  '\\',
  '\\\\',
  '%',
  '_',
  '%s%n%x',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it must arrive as text.
  '${7*7}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '../../../etc/passwd',
  'null',
  'undefined',
  'NaN',
  'true',
  '0',
  '-1',
  'constructor',
  '__proto__',
  'toString',
  '\u0001\u001f\u007f',
  '\r\nSet-Cookie: a=b',
  '\u200b\u200c\u200d\ufeff',
  '\u202eabc',
  '\u0085\u2028\u2029',
  '\u{1f4a9}\u{1f468}\u200d\u{1f469}\u200d\u{1f466}',
  'Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324',
  '\u0627\u0644\u0639\u0631\u0628\u064a\u0629',
  '\u7530\u4e2d\u3055\u3093',
  '\u00df\u1e9e\u0130\u0131',
  'a\u0308 versus \u00e4',
  '\uffff\ufffe',
  '(select pg_sleep(5))',
  'E\\x00',
  '$1 $2 $$',
  "{'a': 1}",
  '\t\n\v\f\r',
  ' leading and trailing ',
]

describe('strings', () => {
  const members: [string, string, () => object, string][] = [
    ['POST', '/v1/customers', () => ({ data: {} }), 'data.fullname'],
    ['POST', '/v1/customers', () => ({ data: {} }), 'data.phone'],
    ['POST', '/v1/customers', () => ({ data: {} }), 'data.email'],
    ['POST', '/v1/customers', () => ({ data: {} }), 'opaqueId'],
    ['POST', '/v1/customers', () => ({ data: {}, metaData: {} }), 'metaData.text'],
    ['POST', '/v1/customers', () => ({ data: {}, consents: {} }), 'consents.text'],
    ['POST', '/v1/customers/register', () => ({ customer: { data: {} } }), 'campaignId'],
    ['POST', '/v1/customers/register', () => ({ campaignId: campaign, customer: {} }), 'customer.id'],
    ['POST', '/v1/transactions/process', basket, 'customer'],
    ['POST', '/v1/transactions/process', basket, 'card'],
    ['POST', '/v1/transactions/process', basket, 'opaqueId'],
    ['POST', '/v1/transactions/process', basket, 'user'],
    ['POST', '/v1/transactions/process', basket, 'branch'],
    ['POST', '/v1/transactions/process', basket, 'reward'],
    ['POST', '/v1/transactions/process', basket, 'occurredAt'],
    ['POST', '/v1/transactions/process', basket, 'items.0.id'],
    ['POST', '/v1/transactions/process', basket, 'items.0.product'],
    ['POST', '/v1/transactions/process', basket, 'items.0.name'],
    ['POST', '/v1/transactions/process', basket, 'items.0.category'],
    ['POST', '/v1/transactions/process', basket, 'items.0.reward'],
    ['POST', '/v1/coupons', () => ({ customer: who.customer, campaign }), 'reward'],
    ['POST', '/v1/coupons', () => ({ customer: who.customer, reward: 'five-off' }), 'campaign'],
    ['POST', '/v1/campaigns', () => ({ balances: [{ key: 'points' }] }), 'name'],
    ['POST', '/v1/campaigns', () => ({ name: 'X', balances: [{}] }), 'balances.0.key'],
    ['POST', '/v1/products', () => ({}), 'opaqueId'],
    ['POST', '/v1/products', () => ({ opaqueId: `p${Math.random()}` }), 'name'],
    ['PATCH', '/v1/organization', () => ({}), 'name'],
    ['PATCH', '/v1/organization', () => ({}), 'timezone'],
    ['POST', '/auth/refreshtoken', () => ({ accessToken: 'x' }), 'refreshToken'],
    ['POST', '/auth/refreshtoken', () => ({ refreshToken: 'x' }), 'accessToken'],
  ]
  const send = (method: string, path: string, text: string) =>
    merchant.call(method as 'POST', path, text, json)

  test.each(members)(
    '%s %s: what cannot be kept is refused, and nothing is written',
    async (method, path, body, place) => {
      before = await rowCounts()
      for (const text of impossible) {
        expectRefusal(
          await send(method, path, withMember(body(), place, `"${text}"`)),
          400,
          '_invalid_payload',
        )
      }
      expect(await rowCounts()).toEqual(before)
    },
  )

  test.each(members)(
    '%s %s: naughty strings are a 2xx or a 4xx, never a 5xx (%#)',
    async (method, path, body, place) => {
      for (const text of naughty) {
        const reply = await send(method, path, withMember(body(), place, JSON.stringify(text)))
        if (reply.status < 300) continue
        expectClientError(reply)
      }
    },
  )

  test('a megabyte in a member is too large, and 100 KB of it is _invalid_payload where the member is bounded', async () => {
    for (const [method, path, body, place] of members) {
      const large = await send(method, path, withMember(body(), place, JSON.stringify('x'.repeat(1 << 20))))
      expectRefusal(large, 413, '_payload_too_large')
      if (/metaData|consents/.test(place)) continue
      const long = await send(method, path, withMember(body(), place, JSON.stringify('x'.repeat(100_000))))
      expectClientError(long)
    }
  })

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
    for (const text of naughty.filter((one) => one.trim() === one)) {
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

  test('in a path or a query they find nothing and break nothing', async () => {
    const texts = [...naughty, '\u0000', 'a\u0000', 'x'.repeat(5_000)]
    for (const text of texts) {
      const q = encodeURIComponent(text)
      for (const path of [
        `/v1/customers/${q}`,
        `/v1/customers/${q}/ledger`,
        `/v1/cards/${q}`,
        `/v1/transactions/${q}`,
        `/v1/coupons/${q}`,
        `/v1/campaigns/${q}`,
        `/v1/products/${q}`,
        `/v1/customers/find?q=${q}`,
      ]) {
        const reply = await merchant.call('GET', path)
        expect([path, reply.status >= 400 && reply.status < 500]).toEqual([path, true])
        expectClientError(reply)
      }
      for (const path of [
        `/v1/customers?q=${q}`,
        `/v1/customers?cursor=${q}`,
        `/v1/transactions?opaqueId=${q}`,
        `/v1/transactions?customer=${q}`,
        `/v1/transactions?branch=${q}`,
        `/v1/transactions?from=${q}`,
        `/v1/products?q=${q}`,
        `/v1/reports/daily?from=${q}`,
      ]) {
        const reply = await merchant.call('GET', path)
        expect([path, reply.status < 500]).toEqual([path, true])
      }
    }
  })

  test('broken UTF-8 in an address is a 4xx', async () => {
    for (const path of [
      '/v1/customers/find?q=%ff',
      '/v1/customers/%c3%28',
      '/v1/transactions?opaqueId=%ed%a0%80',
    ])
      expect([path, (await merchant.call('GET', path)).status < 500]).toEqual([path, true])
  })
})

describe('shapes', () => {
  const nest = (depth: number, open = '[', close = ']') => open.repeat(depth) + close.repeat(depth)
  const counted = async (work: () => Promise<void>) => {
    before = await rowCounts()
    await work()
    expect(await rowCounts()).toEqual(before)
  }

  test('a body nested 5,000 levels deep is refused, in any member', async () => {
    await counted(async () => {
      for (const text of [nest(5_000), nest(5_000, '{"a":', '}').replace('{"a":}', '{}'), nest(100_000)]) {
        expectClientError(await raw('/v1/customers', `{"data":{},"metaData":{"deep":${text}}}`))
        expectClientError(await raw('/v1/customers', `{"data":${text}}`))
        expectClientError(await raw('/v1/customers', text))
        expectClientError(await raw('/v1/transactions/process', `{"items":${text}}`))
        expectClientError(await raw('/v1/campaigns', `{"name":"x","balances":${text}}`))
      }
    })
  })

  test('100,000 lines are refused', async () => {
    await counted(async () => {
      const short = `{"customer":"${who.customer}","card":"${who.card}","items":[${Array(100_000).fill('0').join()}]}`
      expectClientError(await raw('/v1/transactions/process', short))
      const long = short.replace(/0,/g, '{"amount":1},')
      expectRefusal(await raw('/v1/transactions/process', long), 413, '_payload_too_large')
      const coupons = JSON.stringify({ ...basket(), reward: Array(10_000).fill('x') })
      expectRefusal(await raw('/v1/transactions/process', coupons), 400, '_invalid_payload', /reward/)
    })
  })

  test('15,000 unknown members, or one with a name of 200 KB, do not blow up the header that names them', async () => {
    const members = Array.from({ length: 15_000 }, (_, i) => `"unknown${i}":1`).join()
    const reply = await raw('/v1/customers', `{"data":{},${members}}`)
    expect(reply.status).toBe(201)
    expect(String(reply.headers['ignored-members']).length).toBeLessThan(4_000)
    const long = await raw('/v1/customers', `{"data":{},"${'x'.repeat(200_000)}":1,"caf\u00e9\\n\\u0001":1}`)
    expect(long.status).toBe(201)
    expect(String(long.headers['ignored-members']).length).toBeLessThan(4_000)
    expect(String(long.headers['ignored-members'])).toMatch(/^[\x20-\x7e]*$/)
  })

  test('__proto__ is refused, constructor is only a name, and neither reaches any prototype', async () => {
    for (const text of [
      '{"data":{},"__proto__":{"polluted":1}}',
      '{"data":{"__proto__":{"polluted":1}}}',
      '{"data":{},"metaData":{"__proto__":{"polluted":1}}}',
      '{"data":{},"metaData":{"constructor":{"prototype":{"polluted":1}}}}',
      '{"data":{},"metaData":{"\\u005f_proto__":{"polluted":1}}}',
    ]) {
      expectRefusal(await raw('/v1/customers', text), 400, '_invalid_payload', /prototype/)
    }
    const kept = await raw(
      '/v1/customers',
      '{"data":{},"metaData":{"constructor":"x","toString":1,"hasOwnProperty":2}}',
    )
    expect(kept.body.metaData).toEqual({ constructor: 'x', toString: 1, hasOwnProperty: 2 })
    const { id } = kept.body
    const patched = await merchant.call(
      'PATCH',
      `/v1/customers/${id}`,
      '{"metaData":{"constructor":null,"valueOf":{"a":1}}}',
      json,
    )
    expect(patched.body.metaData).toEqual({ toString: 1, hasOwnProperty: 2, valueOf: { a: 1 } })
    const odd = await raw('/v1/customers', '{"data":{},"toString":1,"constructor":1}')
    expect([odd.status, String(odd.headers['ignored-members'])]).toEqual([201, 'toString, constructor'])
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  test('of a doubled member the last counts, as JSON has it', async () => {
    const reply = await raw('/v1/customers', '{"data":{"fullname":"A"},"data":{"fullname":"B"}}')
    expect(reply.body.data).toEqual({ fullname: 'B' })
  })

  test('bodies that are not UTF-8 JSON text are refused', async () => {
    await counted(async () => {
      const text = '{"data":{"fullname":"x"}}'
      for (const body of [
        Buffer.from(text, 'utf16le'),
        Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]),
        Buffer.from('{"data":{"fullname":"caf\u00e9"}}', 'latin1'),
        Buffer.from([0xef, 0xbb, 0xbf, ...Buffer.from(text)]),
        Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d]),
        gzipSync(text),
        Buffer.alloc(1_000),
      ]) {
        expectRefusal(await raw('/v1/customers', body), 400, '_invalid_payload')
      }
      expectRefusal(
        await raw('/v1/customers', gzipSync(text), { ...json, 'content-encoding': 'gzip' }),
        415,
        '_unsupported_media_type',
      )
    })
  })

  test.each(['null', '[]', '0', '"x"', 'true', '[{}]', ''])(
    'a body of %j is refused by every call that needs one',
    async (text) => {
      await counted(async () => {
        for (const path of [
          '/v1/customers',
          '/v1/customers/register',
          '/v1/transactions/process',
          '/v1/transactions/validate',
          '/v1/campaigns',
          '/v1/coupons',
          `/v1/customers/${who.customer}/adjustments`,
          '/auth/refreshtoken',
        ]) {
          const reply = await raw(path, text)
          expect([path, reply.status, reply.body.message]).toEqual([path, 400, '_invalid_payload'])
          expectClientError(reply)
        }
      })
    },
  )

  test.each(['null', '[]', '0', '"x"'])('a body of %j is refused also where none is needed', async (text) => {
    await counted(async () => {
      for (const path of [`/v1/cards/${who.card}/block`, `/v1/customers/${who.customer}/block`])
        expectRefusal(await raw(path, text), 400, '_invalid_payload')
    })
  })
})

describe('over the wire', () => {
  let port: number
  beforeAll(async () => {
    await service.app.listen({ port: 0, host: '127.0.0.1' })
    port = (service.app.server.address() as AddressInfo).port
  })

  /** Sends bytes and returns everything that comes back until the connection closes. */
  async function exchange(request: string): Promise<string> {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    let reply = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => {
      reply += chunk
    })
    socket.on('error', () => {})
    socket.write(request)
    const timer = setTimeout(() => socket.destroy(), 3_000)
    await once(socket, 'close')
    clearTimeout(timer)
    return reply
  }

  const auth = () => `Host: x\r\nAuthorization: Bearer ${merchant.token}\r\nConnection: close\r\n`

  test.each<[string, () => string]>([
    [
      'headers over 16 KB',
      () => `GET /v1/transactions HTTP/1.1\r\n${auth()}X-Large: ${'x'.repeat(20_000)}\r\n\r\n`,
    ],
    [
      'two different lengths',
      () =>
        `POST /v1/customers HTTP/1.1\r\n${auth()}Content-Type: application/json\r\nContent-Length: 11\r\nContent-Length: 5\r\n\r\n{"data":{}}`,
    ],
    [
      'a length and chunks',
      () =>
        `POST /v1/customers HTTP/1.1\r\n${auth()}Content-Type: application/json\r\nContent-Length: 11\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n{"data":{}}\r\n0\r\n\r\n`,
    ],
    [
      'a length that is no number',
      () => `POST /v1/customers HTTP/1.1\r\n${auth()}Content-Length: many\r\n\r\n{}`,
    ],
    [
      'a broken chunk',
      () =>
        `POST /v1/customers HTTP/1.1\r\n${auth()}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n`,
    ],
    ['a method there is not', () => `BREW /v1/customers HTTP/1.1\r\n${auth()}\r\n`],
    ['no HTTP at all', () => 'hello\r\n\r\n'],
    ['another protocol', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
    ['a NUL in a header', () => `GET /v1/transactions HTTP/1.1\r\n${auth()}X-Bad: a\0b\r\n\r\n`],
    ['a space in the address', () => `GET /v1/trans actions HTTP/1.1\r\n${auth()}\r\n`],
    ['no host', () => `GET /v1/transactions HTTP/1.1\r\n${auth().replace('Host: x\r\n', '')}\r\n`],
  ])('%s: a 4xx in the body that every error has', async (_what, request) => {
    const reply = await exchange(request())
    const [head, body] = reply.split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 4\d\d /)
    expect(Object.keys(JSON.parse(body!)).sort()).toEqual(
      ['description', 'errorcode', 'message', 'method', 'path', 'statuscode', 'timestamp'].sort(),
    )
  })

  test.each([
    '*',
    '/../../etc/passwd',
    '//',
    '/v1/transactions#x',
    '/\u00e4',
    '/v1/customers/find?q=a%',
    'http://evil.example/v1/transactions',
  ])('the odd address %s is never a 5xx', async (path) => {
    const reply = await exchange(`GET ${path} HTTP/1.1\r\n${auth()}\r\n`)
    expect(reply).toMatch(/^HTTP\/1\.1 [234]\d\d /)
  })

  test('HEAD is answered like GET, without a body', async () => {
    const reply = await exchange(`HEAD /v1/customers HTTP/1.1\r\n${auth()}Connection: close\r\n\r\n`)
    expect(reply).toMatch(/^HTTP\/1\.1 200 /)
    expect(reply.split('\r\n\r\n')[1]).toBe('')
  })

  test.each(['OPTIONS', 'TRACE', 'PROPFIND', 'PUT'])('%s is answered with a 4xx', async (method) => {
    const reply = await exchange(`${method} /v1/customers HTTP/1.1\r\n${auth()}\r\n`)
    expect(reply).toMatch(/^HTTP\/1\.1 4\d\d /)
  })

  test('after all this the service still serves', async () => {
    const reply = await fetch(`http://127.0.0.1:${port}/v1/transactions`, {
      headers: { authorization: `Bearer ${merchant.token}` },
    })
    expect(reply.status).toBe(200)
  })
})
