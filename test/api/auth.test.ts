import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../support/expect-refusal.ts'
import {
  adminToken,
  jwtSecret,
  type Merchant,
  type Reply,
  startTestService,
  type TestService,
} from '../support/service.ts'

let service: TestService
let merchant: Merchant

beforeAll(async () => {
  service = await startTestService()
  // Lifetimes and limits are told to the second here.
  service.holdTime()
  merchant = await service.createMerchant()
})
afterAll(() => service.close())

const issue = (apiKey: string, apiSecret: string) =>
  service.call('POST', '/auth/token', { headers: { 'x-api-key': apiKey, 'x-api-secret': apiSecret } })

const refresh = (accessToken: unknown, refreshToken: unknown) =>
  service.call('POST', '/auth/refreshtoken', { body: { accessToken, refreshToken } })

const admin = (path: string, body?: object) =>
  service.call('POST', `/admin/v1${path}`, { body, token: adminToken })

/** Some call that any usable token may make. */
const use = (token: string) => service.call('GET', '/v1/transactions', { token })

// biome-ignore lint/suspicious/noExplicitAny: claims are what they are.
const claimsOf = (token: string): Record<string, any> =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())

const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

/** A token with any header and any claims, signed with any key. */
function forge(header: unknown, claims: unknown, secret: string = jwtSecret, hash = 'sha256'): string {
  const signed = `${encode(header)}.${encode(claims)}`
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`
}

async function freshPair(of: Merchant = merchant): Promise<{ accessToken: string; refreshToken: string }> {
  return (await issue(of.apiKey, of.apiSecret)).body
}

describe('POST /auth/token', () => {
  test('answers 200 with exactly the four members of the token response', async () => {
    const reply = await issue(merchant.apiKey, merchant.apiSecret)
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({
      accessToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      tokenType: 'Bearer',
      expiresIn: expect.any(Number),
      expiresAt: expect.any(String),
      refreshToken: expect.any(String),
    })
    expect(reply.headers['cache-control']).toBe('no-store')
  })

  test('expiresIn is the absolute time exp × 1000, in whole seconds from now rounded down', async () => {
    service.setTime(new Date('2031-05-06T07:08:09.999Z'))
    const { accessToken, expiresIn, expiresAt } = (await issue(merchant.apiKey, merchant.apiSecret)).body
    service.setTime(new Date())
    const { exp, iat } = claimsOf(accessToken)
    expect(Number.isInteger(exp)).toBe(true)
    expect(expiresIn).toBe(exp * 1000)
    expect(Date.parse(expiresAt)).toBe(expiresIn)
    expect(iat).toBe(new Date('2031-05-06T07:08:09.000Z').getTime() / 1000)
    expect(exp).toBe(iat + 3600)
  })

  test('the token is scoped to the one organization and names its service account', async () => {
    const claims = claimsOf((await freshPair()).accessToken)
    expect(claims.org).toBe(merchant.id)
    expect(claims.sub).toMatch(/^usr_/)
    const own = await merchant.call('GET', '/v1/organization')
    expect(own.body.id).toBe(merchant.id)
  })

  test.each([
    ['x-api-key', { 'x-api-secret': 'some' }],
    ['x-api-secret', { 'x-api-key': 'some' }],
    ['x-api-key', {}],
    ['x-api-key', { 'x-api-key': '', 'x-api-secret': 'some' }],
  ])('a missing %s is _invalid_payload and is named', async (name, headers) => {
    const reply = await service.call('POST', '/auth/token', { headers: headers as Record<string, string> })
    expectRefusal(reply, 400, '_invalid_payload', new RegExp(name))
  })

  test('the pair counts together: no half of another pair opens anything', async () => {
    const other = await service.createMerchant()
    expectRefusal(await issue(merchant.apiKey, other.apiSecret), 401, '_invalid_credentials')
    expectRefusal(await issue(other.apiKey, merchant.apiSecret), 401, '_invalid_credentials')
    expectRefusal(await issue(merchant.apiSecret, merchant.apiKey), 401, '_invalid_credentials')
    service.advance(600_000)
  })

  test('a secret of the same organization but of another integration is refused', async () => {
    const integration = (await admin('/integrations', { name: 'Another till' })).body
    const connection = (
      await admin(`/organizations/${merchant.id}/connections`, { integration: integration.id })
    ).body
    expectRefusal(await issue(merchant.apiKey, connection.apiSecret), 401, '_invalid_credentials')
    expect((await issue(integration.apiKey, connection.apiSecret)).status).toBe(200)
  })

  test('one key serves every organization it is connected to, each with its own secret', async () => {
    const other = (await admin('/organizations', { name: 'Second shop' })).body
    const connection = (
      await admin(`/organizations/${other.id}/connections`, { integration: merchant.integration })
    ).body
    const { accessToken } = (await issue(merchant.apiKey, connection.apiSecret)).body
    expect(claimsOf(accessToken).org).toBe(other.id)
  })

  test.each([
    ['unknown key', 'lwk_unknown', undefined],
    ['unknown secret', undefined, 'lws_unknown'],
    ['SQL', "' OR 1=1 --", "' OR 1=1 --"],
    ['a very long key', 'k'.repeat(100_000), undefined],
  ])('%s gets _invalid_credentials', async (_what, key, secret) => {
    const reply = await issue(key ?? merchant.apiKey, secret ?? merchant.apiSecret)
    expectRefusal(reply, 401, '_invalid_credentials')
  })

  test('needs no body, and does not mind an empty one of any type', async () => {
    const headers = { 'x-api-key': merchant.apiKey, 'x-api-secret': merchant.apiSecret }
    for (const type of ['application/json', 'application/x-www-form-urlencoded']) {
      const reply = await service.app.inject({
        method: 'POST',
        url: '/auth/token',
        headers: { ...headers, 'content-type': type, 'content-length': '0' },
      })
      expect([type, reply.statusCode]).toEqual([type, 200])
    }
  })
})

describe('POST /auth/refreshtoken', () => {
  test('answers 200 with a new pair of the same shape, and the new access token works', async () => {
    const pair = await freshPair()
    const reply = await refresh(pair.accessToken, pair.refreshToken)
    expect(reply.status).toBe(200)
    expect(Object.keys(reply.body).sort()).toEqual([
      'accessToken',
      'expiresAt',
      'expiresIn',
      'refreshToken',
      'tokenType',
    ])
    expect(reply.body.refreshToken).not.toBe(pair.refreshToken)
    expect(reply.body.expiresIn).toBe(claimsOf(reply.body.accessToken).exp * 1000)
    expect((await use(reply.body.accessToken)).status).toBe(200)
  })

  test('works with an access token that has expired', async () => {
    const pair = await freshPair()
    service.advance(2 * 3_600_000)
    expectRefusal(await use(pair.accessToken), 401, '_jwt_expired')
    const reply = await refresh(pair.accessToken, pair.refreshToken)
    expect(reply.status).toBe(200)
    expect((await use(reply.body.accessToken)).status).toBe(200)
    service.setTime(new Date())
  })

  test('a replayed token is refused and logged, and the newest of the family stays valid', async () => {
    const first = await freshPair()
    const second = (await refresh(first.accessToken, first.refreshToken)).body
    const loggedBefore = service.logged.length
    for (let i = 0; i < 3; i++) {
      expectRefusal(await refresh(first.accessToken, first.refreshToken), 400, '_invalid_refresh_token')
    }
    expect(service.logged.slice(loggedBefore)).toHaveLength(3)
    expect(service.logged.at(-1)).toMatchObject({
      level: 'warn',
      details: { security: 'refresh_token_refused' },
    })
    const third = await refresh(second.accessToken, second.refreshToken)
    expect(third.status).toBe(200)
    expectRefusal(await refresh(first.accessToken, second.refreshToken), 400, '_invalid_refresh_token')
    expect((await refresh(first.accessToken, third.body.refreshToken)).status).toBe(200)
  })

  test('a refresh token ends with its own lifetime', async () => {
    const pair = await freshPair()
    service.advance(2_592_000_000 - 1)
    const renewed = await refresh(pair.accessToken, pair.refreshToken)
    expect(renewed.status).toBe(200)
    service.advance(2_592_000_000)
    const late = await refresh(renewed.body.accessToken, renewed.body.refreshToken)
    expectRefusal(late, 400, '_invalid_refresh_token')
    service.setTime(new Date())
  })

  test('an access token that does not belong to it is refused, and the refresh token is not used up', async () => {
    const pair = await freshPair()
    const other = await freshPair(await service.createMerchant())
    const claims = claimsOf(pair.accessToken)
    const header = { alg: 'HS256', typ: 'at+jwt' }
    const wrong = [
      other.accessToken,
      'not a token',
      '',
      'a.b.c',
      pair.refreshToken,
      forge(header, claims, 'another secret of forty characters or more'),
      forge(header, { ...claims, org: claimsOf(other.accessToken).org }, 'x'.repeat(40)),
      (await freshPair()).accessToken, // another session of the same organization
      `${pair.accessToken}.x`,
    ]
    for (const accessToken of wrong) {
      expectRefusal(await refresh(accessToken, pair.refreshToken), 400, '_invalid_refresh_token')
    }
    expect((await refresh(pair.accessToken, pair.refreshToken)).status).toBe(200)
  })

  test('the newest hundred sessions of a connection can be refreshed, and access tokens do not end with them', async () => {
    const { call } = await service.createMerchant()
    const { body } = await call('POST', '/v1/connections', { name: 'Chatty' })
    const pairs = []
    for (let i = 0; i < 103; i++) {
      pairs.push((await issue(body.apiKey, body.apiSecret)).body)
      service.advance(10)
      // One that is refreshed counts as new.
      if (i === 50) pairs[0] = (await refresh(pairs[0].accessToken, pairs[0].refreshToken)).body
    }
    const { rows } = await service.database.pool.query(
      'SELECT count(*)::int AS n FROM sessions WHERE connection_id = $1',
      [body.id.slice(4)],
    )
    expect(rows).toEqual([{ n: 100 }])
    const refreshed = []
    for (const { accessToken, refreshToken } of [...pairs.slice(0, 5), ...pairs.slice(-3)]) {
      expect((await use(accessToken)).status).toBe(200)
      refreshed.push((await refresh(accessToken, refreshToken)).status)
    }
    expect(refreshed).toEqual([200, 400, 400, 400, 200, 200, 200, 200])
  })

  test('an unknown refresh token is refused', async () => {
    const pair = await freshPair()
    for (const token of ['', 'lwr_unknown', pair.accessToken, `${pair.refreshToken}x`]) {
      expectRefusal(await refresh(pair.accessToken, token), 400, '_invalid_refresh_token')
    }
    expect((await refresh(pair.accessToken, pair.refreshToken)).status).toBe(200)
  })

  test.each([
    ['accessToken', { refreshToken: 'x' }],
    ['refreshToken', { accessToken: 'x' }],
    ['accessToken', {}],
    ['refreshToken', { accessToken: 'x', refreshToken: 7 }],
    ['accessToken', { accessToken: null, refreshToken: 'x' }],
  ])('a missing or wrong %s is _invalid_payload and is named', async (name, body) => {
    const reply = await service.call('POST', '/auth/refreshtoken', { body })
    expectRefusal(reply, 400, '_invalid_payload', new RegExp(name))
  })
})

describe('access tokens', () => {
  test('no token, or another scheme, is _unauthorized', async () => {
    for (const authorization of [undefined, '', 'Bearer', 'Bearer ', 'Basic YTpi', merchant.token]) {
      const reply = await service.call('GET', '/v1/transactions', {
        headers: authorization === undefined ? {} : { authorization },
      })
      expectRefusal(reply, 401, '_unauthorized')
    }
  })

  test('a token works until the very second of its exp and is _jwt_expired from then on', async () => {
    const issuedAt = new Date('2033-01-01T00:00:00.000Z')
    service.setTime(issuedAt)
    const pair = await freshPair()
    const expiresAt = claimsOf(pair.accessToken).exp * 1000
    service.setTime(new Date(expiresAt - 1))
    expect((await use(pair.accessToken)).status).toBe(200)
    service.setTime(new Date(expiresAt))
    expectRefusal(await use(pair.accessToken), 401, '_jwt_expired')
    service.setTime(new Date())
  })

  test.each([
    ['text', 'garbage'],
    ['two segments', 'a.b'],
    ['four segments', () => `${merchant.token}.${merchant.token.split('.')[2]}`],
    ['segments that are not base64url', 'a!.b!.c!'],
    ['segments that are not JSON', 'aaaa.bbbb.cccc'],
    ['a header that is an array', () => forge([], { exp: 1 })],
    ['a refresh token', () => merchant.refreshToken],
    ['a token of 100 KB', () => `${merchant.token.slice(0, -1)}${'A'.repeat(100_000)}`],
    ['the API secret', () => merchant.apiSecret],
  ])('%s in place of a JWT is _jwt_malformed', async (_what, token) => {
    expectRefusal(await use(typeof token === 'string' ? token : token()), 401, '_jwt_malformed')
  })

  const good = { alg: 'HS256', typ: 'at+jwt' }
  const claims = (changes: object = {}) => ({ ...claimsOf(merchant.token), ...changes })
  const without = (name: string) => {
    const { [name]: _, ...rest } = claims()
    return rest
  }

  test('the forger of these tests can forge a right token, so that the next ones mean something', async () => {
    expect((await use(forge(good, claims()))).status).toBe(200)
  })

  test.each<[string, () => string]>([
    ['alg none without signature', () => `${encode({ alg: 'none', typ: 'at+jwt' })}.${encode(claims())}.`],
    [
      'alg None in another case',
      () => `${encode({ alg: 'nOnE', typ: 'at+jwt' })}.${encode(claims())}.${merchant.token.split('.')[2]}`,
    ],
    ['HS384', () => forge({ ...good, alg: 'HS384' }, claims(), jwtSecret, 'sha384')],
    ['HS512', () => forge({ ...good, alg: 'HS512' }, claims(), jwtSecret, 'sha512')],
    ['RS256 in the header', () => forge({ ...good, alg: 'RS256' }, claims())],
    ['another key', () => forge(good, claims(), 'not the secret of this service, but as long')],
    ['an empty key', () => forge(good, claims(), '')],
    ['no signature', () => `${encode(good)}.${encode(claims())}.`],
    [
      'the signature of another token',
      () => `${encode(good)}.${encode(claims({ iat: 1 }))}.${merchant.token.split('.')[2]}`,
    ],
    ['another issuer', () => forge(good, claims({ iss: 'somebody' }))],
    ['no issuer', () => forge(good, without('iss'))],
    ['another audience', () => forge(good, claims({ aud: 'somebody' }))],
    ['a list of audiences', () => forge(good, claims({ aud: ['loyalty-wallet-api', 'somebody'] }))],
    ['no audience', () => forge(good, without('aud'))],
    ['another type', () => forge({ alg: 'HS256', typ: 'JWT' }, claims())],
    ['no type', () => forge({ alg: 'HS256' }, claims())],
    ['no exp', () => forge(good, without('exp'))],
    ['a textual exp', () => forge(good, claims({ exp: '99999999999' }))],
    ['a null exp', () => forge(good, claims({ exp: null }))],
    ['a fractional exp', () => forge(good, claims({ exp: 99999999999.5 }))],
    ['an exp of 1e400', () => forge(good, JSON.stringify(claims()).replace(/"exp":\d+/, '"exp":1e400'))],
    ['crit', () => forge({ ...good, crit: ['exp'] }, claims())],
    ['crit of a member it has', () => forge({ ...good, crit: ['b64'], b64: true }, claims())],
    ['jwk', () => forge({ ...good, jwk: { kty: 'oct', k: 'AAAA' } }, claims(), '\0\0\0')],
    ['jku', () => forge({ ...good, jku: 'https://example.com/jwks' }, claims())],
    ['kid', () => forge({ ...good, kid: '../../dev/null' }, claims(), '')],
    ['no organization', () => forge(good, without('org'))],
    ['an organization that is none', () => forge(good, claims({ org: "org_' OR 1=1" }))],
    ['an organization there is not', () => forge(good, claims({ org: `org_${'0'.repeat(32)}` }))],
    ['scopes that are text', () => forge(good, claims({ scopes: 'pos manage' }))],
  ])('%s is refused with 401 _unauthorized', async (_what, token) => {
    expectRefusal(await use(token()), 401, '_unauthorized')
  })

  test('an exp in the past is _jwt_expired, also far in the past', async () => {
    for (const exp of [0, -1, -99999999999, 1]) {
      expectRefusal(await use(forge(good, claims({ exp }))), 401, '_jwt_expired')
    }
  })

  test('the token is checked before the body is looked at', async () => {
    const reply = await service.call('POST', '/v1/customers', { body: { data: 7 } })
    expectRefusal(reply, 401, '_unauthorized')
  })

  test('the scheme may be written in any case', async () => {
    const reply = await service.call('GET', '/v1/transactions', {
      headers: { authorization: `bearer ${merchant.token}` },
    })
    expect(reply.status).toBe(200)
  })
})

describe('subscription', () => {
  test('without one, token, refresh and every call get invalid_subscription at once; with one again they work', async () => {
    const own = await service.createMerchant()
    const pair = await freshPair(own)
    expect((await own.call('GET', '/v1/transactions')).status).toBe(200)
    const off = await admin(`/organizations/${own.id}/subscription`, { active: false })
    expect(off.status).toBe(200)
    expect(off.body.subscription).toEqual({ active: false })

    expectRefusal(await issue(own.apiKey, own.apiSecret), 403, 'invalid_subscription')
    expectRefusal(await refresh(pair.accessToken, pair.refreshToken), 403, 'invalid_subscription')
    for (const [method, path] of [
      ['GET', '/v1/transactions'],
      ['GET', '/v1/customers/find?q=x'],
      ['POST', '/v1/customers'],
      ['POST', '/v1/customers/register'],
      ['POST', '/v1/transactions/process'],
      ['POST', '/v1/transactions/validate'],
      ['GET', '/v1/organization'],
      ['GET', '/v1/campaigns'],
    ] as const) {
      const body = method === 'POST' ? {} : undefined
      expectRefusal(await own.call(method, path, body), 403, 'invalid_subscription')
    }

    await admin(`/organizations/${own.id}/subscription`, { active: true })
    expect((await own.call('GET', '/v1/transactions')).status).toBe(200)
    expect((await issue(own.apiKey, own.apiSecret)).status).toBe(200)
    // The refused refresh has not used up its token.
    expect((await refresh(pair.accessToken, pair.refreshToken)).status).toBe(200)
  })

  test('wrong credentials of a suspended organization are still just wrong', async () => {
    const own = await service.createMerchant()
    await admin(`/organizations/${own.id}/subscription`, { active: false })
    expectRefusal(await issue(own.apiKey, 'lws_wrong'), 401, '_invalid_credentials')
  })
})

describe('rotation', () => {
  test('a new secret replaces the old one at once, and the sessions it opened can not be renewed', async () => {
    const own = await service.createMerchant()
    const pair = await freshPair(own)
    const rotated = await admin(`/connections/${own.connection}/rotate`)
    expect(rotated.status).toBe(200)
    expect(rotated.body.apiSecret).not.toBe(own.apiSecret)
    expectRefusal(await issue(own.apiKey, own.apiSecret), 401, '_invalid_credentials')
    expect((await issue(own.apiKey, rotated.body.apiSecret)).status).toBe(200)
    expectRefusal(await refresh(pair.accessToken, pair.refreshToken), 400, '_invalid_refresh_token')
  })

  test('with an overlap the old secret works that much longer and not a second more', async () => {
    const own = await service.createMerchant()
    const rotated = await admin(`/connections/${own.connection}/rotate`, { overlapSeconds: 3600 })
    expect((await issue(own.apiKey, rotated.body.apiSecret)).status).toBe(200)
    service.advance(3_600_000 - 1)
    expect((await issue(own.apiKey, own.apiSecret)).status).toBe(200)
    const pair = await freshPair(own)
    service.advance(1)
    expectRefusal(await issue(own.apiKey, own.apiSecret), 401, '_invalid_credentials')
    expectRefusal(await refresh(pair.accessToken, pair.refreshToken), 400, '_invalid_refresh_token')
    expect((await issue(own.apiKey, rotated.body.apiSecret)).status).toBe(200)
    service.setTime(new Date())
  })

  test('rotating again without overlap ends an overlap that was promised before', async () => {
    const own = await service.createMerchant()
    await admin(`/connections/${own.connection}/rotate`, { overlapSeconds: 3600 })
    await admin(`/connections/${own.connection}/rotate`)
    expectRefusal(await issue(own.apiKey, own.apiSecret), 401, '_invalid_credentials')
  })

  test('a new key replaces the old one, with and without overlap', async () => {
    const own = await service.createMerchant()
    const second = await admin(`/integrations/${own.integration}/rotate`, { overlapSeconds: 60 })
    expect((await issue(own.apiKey, own.apiSecret)).status).toBe(200)
    expect((await issue(second.body.apiKey, own.apiSecret)).status).toBe(200)
    service.advance(61_000)
    expectRefusal(await issue(own.apiKey, own.apiSecret), 401, '_invalid_credentials')
    const third = await admin(`/integrations/${own.integration}/rotate`)
    expectRefusal(await issue(second.body.apiKey, own.apiSecret), 401, '_invalid_credentials')
    expect((await issue(third.body.apiKey, own.apiSecret)).status).toBe(200)
    service.setTime(new Date())
  })

  test.each([{ overlapSeconds: -1 }, { overlapSeconds: 1.5 }, { overlapSeconds: '60' }, { overlap: 60 }])(
    'an overlap of %j is refused',
    async (body) => {
      const own = await service.createMerchant()
      expectRefusal(await admin(`/connections/${own.connection}/rotate`, body), 400, '_invalid_payload')
      expect((await issue(own.apiKey, own.apiSecret)).status).toBe(200)
    },
  )
})

describe('scopes', () => {
  test('without a wish a connection gets pos, and is told so', async () => {
    const reply = await admin(`/organizations/${merchant.id}/connections`, {
      integration: merchant.integration,
    })
    expect(reply.status).toBe(201)
    expect(reply.body.scopes).toEqual(['pos'])
    expect(reply.body.id).toMatch(/^con_/)
  })

  test('a till may not do what takes manage, and manage alone is no till', async () => {
    const own = await service.createMerchant()
    const campaign = await own.publishCampaign()
    const { customer } = await own.register(campaign)
    const till = await own.connect(['pos'])
    const office = await own.connect(['manage'])
    for (const [method, path] of [
      ['GET', '/v1/customers'],
      ['POST', `/v1/customers/${customer}/block`],
      ['POST', `/v1/customers/${customer}/unblock`],
      ['POST', `/v1/customers/${customer}/erase`],
      ['POST', `/v1/customers/${customer}/adjustments`],
      ['GET', `/v1/customers/${customer}/export`],
      ['POST', '/v1/campaigns'],
      ['PATCH', `/v1/campaigns/${campaign}`],
      ['POST', `/v1/campaigns/${campaign}/pause`],
      ['POST', `/v1/campaigns/${campaign}/archive`],
      ['POST', `/v1/campaigns/${campaign}/publish`],
      ['GET', `/v1/campaigns/${campaign}/versions`],
      ['POST', '/v1/coupons'],
      ['GET', '/v1/organization'],
      ['PATCH', '/v1/organization'],
    ] as const) {
      const body = method === 'GET' ? undefined : {}
      expectRefusal(await till(method, path, body), 403, '_forbidden')
    }
    for (const [method, path] of [
      ['POST', '/v1/transactions/process'],
      ['POST', '/v1/transactions/validate'],
      ['POST', '/v1/customers/register'],
      ['GET', '/v1/customers/find?q=x'],
      ['GET', `/v1/customers/${customer}`],
    ] as const) {
      const body = method === 'POST' ? {} : undefined
      expectRefusal(await office(method, path, body), 403, '_forbidden')
    }
    expect((await own.call('GET', `/v1/customers/${customer}`)).body.status).toBe(1)
    expect((await till('GET', `/v1/customers/${customer}`)).status).toBe(200)
    expect((await office('GET', '/v1/customers')).status).toBe(200)
  })

  test.each([[['root']], [[]], ['pos'], [['pos', 'pos']]])('scopes %j are refused', async (scopes) => {
    const reply = await admin(`/organizations/${merchant.id}/connections`, {
      integration: merchant.integration,
      scopes,
    })
    expectRefusal(reply, 400, '_invalid_payload', /scopes/)
  })
})

describe('the platform', () => {
  test('its endpoints open to the admin token only', async () => {
    for (const token of [undefined, 'wrong', merchant.token, `${adminToken}x`, adminToken.slice(0, -1)]) {
      expectRefusal(await service.call('GET', '/admin/v1/organizations', { token }), 401, '_unauthorized')
    }
    expect((await service.call('GET', '/admin/v1/organizations', { token: adminToken })).status).toBe(200)
  })

  test('the admin token is no access token', async () => {
    expectRefusal(await use(adminToken), 401, '_jwt_malformed')
  })

  test('an organization gets defaults, its own values where given, and an active subscription', async () => {
    const plain = await admin('/organizations', { name: 'Plain' })
    expect(plain.status).toBe(201)
    expect(plain.body).toMatchObject({
      id: expect.stringMatching(/^org_/),
      name: 'Plain',
      country: expect.any(String),
      currency: expect.any(String),
      timezone: expect.any(String),
      locale: expect.any(String),
      subscription: { active: true },
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    })
    const given = { name: 'Café', country: 'DE', currency: 'EUR', timezone: 'Europe/Berlin', locale: 'de' }
    const own = await admin('/organizations', given)
    expect(own.body).toMatchObject(given)
    const read = await service.call('GET', `/admin/v1/organizations/${own.body.id}`, { token: adminToken })
    expect(read.body).toEqual(own.body)
  })

  test.each([
    { name: '' },
    {},
    { name: 'X', country: 'XX' },
    { name: 'X', currency: 'XYZ' },
    { name: 'X', timezone: 'Mars/Olympus' },
    { name: 'X', locale: 'not a locale!' },
    { name: 'X', subscription: { active: false } },
    { name: 7 },
  ])('an organization like %j is refused', async (body) => {
    expectRefusal(await admin('/organizations', body), 400, '_invalid_payload')
  })

  test('an organization can be patched, and what is not named stays', async () => {
    const { body } = await admin('/organizations', { name: 'Before', country: 'DE' })
    const patched = await service.call('PATCH', `/admin/v1/organizations/${body.id}`, {
      token: adminToken,
      body: { name: 'After' },
    })
    expect(patched.status).toBe(200)
    expect(patched.body).toMatchObject({ name: 'After', country: 'DE' })
  })

  test('integrations and connections can be read and listed, never with their credentials', async () => {
    const get = (path: string) => service.call('GET', `/admin/v1${path}`, { token: adminToken })
    const integration = await get(`/integrations/${merchant.integration}`)
    expect(integration.body).toMatchObject({ id: merchant.integration, name: 'Till' })
    const connection = await get(`/connections/${merchant.connection}`)
    expect(connection.body).toMatchObject({ id: merchant.connection, scopes: ['pos', 'manage'] })
    const replies = [
      integration,
      connection,
      await get('/integrations'),
      await get(`/organizations/${merchant.id}/connections`),
    ]
    for (const { status, text } of replies) {
      expect(status).toBe(200)
      expect(text).not.toMatch(/apiKey|apiSecret|lwk_|lws_/)
    }
  })
})

describe('guessing', () => {
  let guesses = 0
  const wrong = (key: string) => issue(key, `lws_${++guesses}`)

  test('failed attempts are slowed down by key and address, while right pairs always pass', async () => {
    service.advance(2 * 3_600_000)
    const replies: Reply[] = []
    for (let i = 0; i < 40; i++) replies.push(await wrong(merchant.apiKey))
    const limited = replies.filter((reply) => reply.status === 429)
    expect(replies[0]!.status).toBe(401)
    expect(limited).toHaveLength(20)
    expectRefusal(limited[0]!, 429, '_too_many_requests')
    expect(Number(limited[0]!.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    // From the same address and with the same key.
    for (let i = 0; i < 30; i++) expect((await issue(merchant.apiKey, merchant.apiSecret)).status).toBe(200)
    // The address is slowed down whichever key it tries.
    expectRefusal(await wrong('lwk_never_seen'), 429, '_too_many_requests')
  })

  test('after a while the next attempts are answered again', async () => {
    service.advance(600_000)
    expectRefusal(await wrong(merchant.apiKey), 401, '_invalid_credentials')
    service.setTime(new Date())
  })
})

describe('secrecy', () => {
  test('neither the database nor the log holds a key, a secret or a token in clear', async () => {
    const own = await service.createMerchant()
    const pair = await freshPair(own)
    const renewed = (await refresh(pair.accessToken, pair.refreshToken)).body
    await refresh(pair.accessToken, pair.refreshToken)
    const rotated = (await admin(`/connections/${own.connection}/rotate`, { overlapSeconds: 60 })).body
    const secrets = [
      own.apiKey,
      own.apiSecret,
      own.token,
      own.refreshToken,
      rotated.apiSecret,
      pair.refreshToken,
      renewed.accessToken,
      renewed.refreshToken,
      adminToken,
    ]
    const everything = await dumpDatabase()
    expect(everything.length).toBeGreaterThan(1_000)
    expect(everything).toContain(own.connection.slice(4, 12))
    for (const secret of secrets) {
      expect(everything).not.toContain(secret)
      expect(everything).not.toContain(Buffer.from(secret).toString('hex'))
      expect(JSON.stringify(service.logged)).not.toContain(secret)
    }
  })

  /** Every row of every table as text. */
  async function dumpDatabase(): Promise<string> {
    const { rows } = await service.database.pool.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    )
    const parts: string[] = []
    for (const { name } of rows) {
      const table = await service.database.pool.query(`SELECT t::text AS row FROM "${name}" t`)
      parts.push(...table.rows.map((item) => item.row))
    }
    return parts.join('\n')
  }
})
