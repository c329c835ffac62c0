import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectRefusal } from '../support/expect-refusal.ts'
import { createTestPerson, type TestPerson } from '../support/people.ts'
import {
  adminToken,
  jwtSecret,
  type Merchant,
  type Registered,
  type Reply,
  startTestService,
  type TestService,
} from '../support/service.ts'

/**
 * Whoever was evicted is out with the next request. Everything is ended through one instance; the requests go
 * to the other one, which has remembered the organization as it was.
 */
let service: TestService
let second: TestService
let merchant: Merchant
let campaign: string
let who: Registered
let sale: string
/** A connection of the merchant's own software, with both scopes and an integration of its own. */
let thief: Connected

interface Connected {
  readonly id: string
  readonly integration: string
  readonly apiKey: string
  readonly apiSecret: string
}

interface Pair {
  readonly accessToken: string
  readonly refreshToken: string
}

beforeAll(async () => {
  service = await startTestService()
  second = await startTestService({ sharing: service })
  for (const one of [service, second]) one.holdTime()
  merchant = await service.createMerchant()
  campaign = await merchant.publishCampaign()
  who = await merchant.register(campaign)
  sale = (await merchant.call('POST', '/v1/transactions/process', basket())).body.id
})
afterAll(async () => {
  await second.close()
  await service.close()
})
beforeEach(async () => {
  for (const one of [service, second]) one.setTime(new Date())
  const call = await merchant.signIn()
  thief = (await call('POST', '/v1/connections', { name: 'Thief', scopes: ['pos', 'manage'] })).body
})

const issue = async ({ apiKey, apiSecret }: Connected, on = service): Promise<Pair> =>
  (await on.call('POST', '/auth/token', { headers: { 'x-api-key': apiKey, 'x-api-secret': apiSecret } })).body

const advance = (seconds: number) => {
  for (const one of [service, second]) one.advance(seconds * 1_000)
}

/** Requests of each kind: those that remember the setup, those that read the organization, and both scopes. */
const uses: Record<string, (token: string) => Promise<Reply>> = {
  basket: (token) => second.call('POST', '/v1/transactions/process', { token, body: basket() }),
  preview: (token) => second.call('POST', '/v1/transactions/validate', { token, body: basket() }),
  customer: (token) => second.call('GET', `/v1/customers/${who.customer}`, { token }),
  'look-up': (token) => second.call('GET', `/v1/customers/find?q=${who.barcode}`, { token }),
  organization: (token) => second.call('GET', '/v1/organization', { token }),
  list: (token) => second.call('GET', '/v1/customers', { token }),
  adjustment: (token) =>
    second.call('POST', `/v1/customers/${who.customer}/adjustments`, {
      token,
      body: { key: 'points', amount: 1, reason: 'test' },
    }),
  registration: (token) => second.call('POST', '/v1/customers/register', { token, body: registration() }),
  'new customer': (token) =>
    second.call('POST', '/v1/customers', { token, body: { data: { fullname: 'Eve' } } }),
  return: (token) => second.call('POST', `/v1/transactions/${sale}/return/validate`, { token, body: {} }),
}
const registration = () => ({ campaignId: campaign, customer: { data: { fullname: 'Eve' } } })
const basket = () => ({ customer: who.customer, card: who.card, amount: 1 })

async function expectUsable(token: string): Promise<void> {
  for (const [name, use] of Object.entries(uses)) {
    const { status, text } = await use(token)
    expect([name, status < 300], text).toEqual([name, true])
  }
}

async function expectOut({ accessToken, refreshToken }: Pair): Promise<void> {
  for (const use of Object.values(uses)) {
    expectRefusal(await use(accessToken), 401, '_unauthorized', /has ended/)
  }
  const body = { accessToken, refreshToken }
  expectRefusal(await second.call('POST', '/auth/refreshtoken', { body }), 400, '_invalid_refresh_token')
}

const end = async (path: string, overlapSeconds?: number): Promise<Reply> => {
  const token = path.startsWith('/admin') ? adminToken : (await issue(merchantAsConnected())).accessToken
  const reply = await service.call('POST', path, {
    token,
    body: { ...(overlapSeconds && { overlapSeconds }) },
  })
  expect(reply.status).toBe(200)
  return reply
}
const merchantAsConnected = () => ({ ...merchant, id: merchant.connection })

const ways = [
  { what: 'a connection that was revoked', path: () => `/v1/connections/${thief.id}/revoke` },
  { what: 'a secret that was rotated', path: () => `/v1/connections/${thief.id}/rotate` },
  { what: 'a secret that the operator rotated', path: () => `/admin/v1/connections/${thief.id}/rotate` },
  { what: 'a key that was rotated', path: () => `/admin/v1/integrations/${thief.integration}/rotate` },
]

describe('tokens end with what opened them', () => {
  test.each(ways)('$what', async ({ path }) => {
    const pair = await issue(thief)
    await expectUsable(pair.accessToken)
    await end(path())
    await expectOut(pair)
  })

  test.each(Object.keys(uses))('whichever call comes first: %s', async (name) => {
    const { accessToken } = await issue(thief)
    for (const use of [uses.basket!, uses[name]!]) expect((await use(accessToken)).status).toBeLessThan(300)
    await end(ways[0]!.path())
    expectRefusal(await uses[name]!(accessToken), 401, '_unauthorized', /has ended/)
  })

  test.each(ways.slice(1))(
    '$what with an overlap, when that is over, without another change',
    async ({ path }) => {
      const before = await issue(thief)
      await end(path(), 60)
      const meanwhile = await issue(thief)
      for (const { accessToken } of [before, meanwhile]) await expectUsable(accessToken)
      advance(59)
      await expectUsable(before.accessToken)
      advance(1)
      for (const pair of [before, meanwhile]) await expectOut(pair)
    },
  )

  test.each(ways.slice(1))('$what cannot take the connection over during its overlap', async ({ path }) => {
    const before = await issue(thief)
    const { apiKey, apiSecret } = (await end(path(), 60)).body
    const meanwhile = await issue(thief)
    const connection = `/v1/connections/${thief.id}`
    const attempts: [string, object][] = [
      ['/v1/connections', { name: 'More' }],
      [`${connection}/rotate`, {}],
      [`${connection}/revoke`, {}],
    ]
    for (const { accessToken: token } of [before, meanwhile]) {
      for (const [to, body] of attempts) {
        expectRefusal(await second.call('POST', to, { token, body }), 403, '_forbidden', /with the new one/)
      }
      await expectUsable(token)
    }
    const renewed = { ...thief, ...(apiKey && { apiKey }), ...(apiSecret && { apiSecret }) }
    const { accessToken: token } = await issue(renewed)
    expect((await second.call('POST', '/v1/connections', { token, body: { name: 'More' } })).status).toBe(201)
    expect((await second.call('POST', `${connection}/revoke`, { token, body: {} })).status).toBe(200)
  })

  test.each(ways)('a refreshed token, too: $what', async ({ path }) => {
    const { accessToken, refreshToken } = await issue(thief)
    const body = { accessToken, refreshToken }
    const refreshed = (await second.call('POST', '/auth/refreshtoken', { body })).body
    await expectUsable(refreshed.accessToken)
    await end(path())
    await expectOut(refreshed)
  })

  test('the new secret and the new key open tokens that are used at once', async () => {
    await expectUsable((await issue(thief)).accessToken)
    const { apiSecret } = (await end(`/v1/connections/${thief.id}/rotate`)).body
    await expectUsable((await issue({ ...thief, apiSecret })).accessToken)
    const { apiKey } = (await end(`/admin/v1/integrations/${thief.integration}/rotate`)).body
    await expectUsable((await issue({ ...thief, apiKey, apiSecret })).accessToken)
  })

  test('a rotated secret leaves the other connections alone, and a rotated key other integrations', async () => {
    const other = (await merchant.signIn())('POST', '/v1/connections', {
      name: 'B',
      scopes: ['pos', 'manage'],
    })
    const { accessToken } = await issue((await other).body)
    await end(`/v1/connections/${thief.id}/rotate`)
    await end(`/admin/v1/integrations/${thief.integration}/rotate`)
    await expectUsable(accessToken)
  })

  test('a key that serves several organizations ends for all of them', async () => {
    const admin = (path: string, body: object) =>
      service.call('POST', `/admin/v1${path}`, { token: adminToken, body })
    const shops = await Promise.all([1, 2, 3].map(() => service.createMerchant()))
    const { id, apiKey } = (await admin('/integrations', { name: 'Shared' })).body
    const tills = await Promise.all(
      shops.map(async (shop) => {
        const campaign = await shop.publishCampaign()
        const { customer, card } = await shop.register(campaign)
        const { apiSecret } = (await admin(`/organizations/${shop.id}/connections`, { integration: id })).body
        const { accessToken } = await issue({ id, integration: id, apiKey, apiSecret })
        return () =>
          second.call('POST', '/v1/transactions/process', {
            token: accessToken,
            body: { customer, card, amount: 1 },
          })
      }),
    )
    for (const sell of tills) expect((await sell()).status).toBe(201)
    await end(`/admin/v1/integrations/${id}/rotate`)
    for (const sell of tills) expectRefusal(await sell(), 401, '_unauthorized')
  })

  test('baskets of a group are refused by their own tokens', async () => {
    const pair = await issue(thief)
    const mine = (await issue(merchantAsConnected())).accessToken
    await end(`/v1/connections/${thief.id}/revoke`)
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, i) => uses.basket!(i % 2 ? pair.accessToken : mine)),
    )
    expect(replies.map(({ status }) => status)).toEqual(
      Array.from({ length: 12 }, (_, i) => (i % 2 ? 401 : 201)),
    )
  })

  test('nothing of an earlier sale is shown to them, not even for the same receipt', async () => {
    const pair = await issue(thief)
    const body = { ...basket(), opaqueId: 'receipt of the thief' }
    const sell = () => second.call('POST', '/v1/transactions/process', { token: pair.accessToken, body })
    expect((await sell()).status).toBe(201)
    await end(`/v1/connections/${thief.id}/revoke`)
    expectRefusal(await sell(), 401, '_unauthorized')
  })
})

describe('tokens of earlier versions, which do not name what opened them', () => {
  /** The same token without the new claims. */
  function asEarlier({ accessToken, ...rest }: Pair): Pair {
    const [header, payload] = accessToken.split('.')
    const { sec: _sec, key: _key, ...claims } = JSON.parse(Buffer.from(payload!, 'base64url').toString())
    const signed = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
    const signature = createHmac('sha256', jwtSecret).update(signed).digest('base64url')
    return { ...rest, accessToken: `${signed}.${signature}` }
  }
  const forgetKey = () => service.database.pool.query('UPDATE sessions SET key_id = NULL')
  beforeEach(() => advance(1))

  test.each(ways)('work until it ends: $what', async ({ path }) => {
    const pair = asEarlier(await issue(thief))
    await forgetKey()
    await expectUsable(pair.accessToken)
    await end(path())
    await expectOut(pair)
  })

  test('opened during an overlap, they end with the first key that could have opened them', async () => {
    const path = `/admin/v1/integrations/${thief.integration}/rotate`
    const { apiKey } = (await end(path, 60)).body
    advance(1)
    const pair = asEarlier(await issue({ ...thief, apiKey }))
    await forgetKey()
    await expectUsable(pair.accessToken)
    advance(60)
    await expectOut(pair)
  })

  test('are refreshed to one that does', async () => {
    const pair = asEarlier(await issue(thief))
    await forgetKey()
    const refreshed = (await second.call('POST', '/auth/refreshtoken', { body: pair })).body
    await expectUsable(refreshed.accessToken)
    await end(`/admin/v1/integrations/${thief.integration}/rotate`)
    await expectOut(refreshed)
  })

  test('with one of the two claims, or one that cannot be read, a token is not ours', async () => {
    const { accessToken } = await issue(thief)
    const [header, payload] = accessToken.split('.')
    const claims = JSON.parse(Buffer.from(payload!, 'base64url').toString())
    for (const change of [{ sec: undefined }, { key: undefined }, { key: 7 }, { sec: claims.key }]) {
      const signed = `${header}.${Buffer.from(JSON.stringify({ ...claims, ...change })).toString('base64url')}`
      const token = `${signed}.${createHmac('sha256', jwtSecret).update(signed).digest('base64url')}`
      expectRefusal(await service.call('GET', '/v1/transactions', { token }), 401, '_unauthorized')
    }
  })
})

describe('a person who was shown the secret of a connection', () => {
  let owner: TestPerson
  let manager: TestPerson
  let made: Connected
  beforeEach(async () => {
    owner = await createTestPerson(service, merchant)
    manager = await createTestPerson(service, merchant, 'manager')
    made = (await manager.call('POST', '/v1/connections', { name: 'Made', scopes: ['pos', 'manage'] })).body
  })

  const listed = async (person: TestPerson): Promise<string[]> => {
    const { status, body } = await owner.call('GET', `/v1/connections?person=${person.id}`)
    expect(status).toBe(200)
    return body.data.map((connection: { id: string }) => connection.id)
  }

  test('is known: whoever created it, or rotated its secret, for as long as that secret is valid', async () => {
    expect(await listed(manager)).toEqual([made.id])
    expect(await listed(owner)).toEqual([])
    const { data } = (await owner.call('GET', '/v1/connections?limit=1')).body
    const { user } = (await manager.call('GET', '/auth/session')).body
    expect(data[0]).toMatchObject({ id: made.id, issuedTo: user })
    await owner.call('POST', `/v1/connections/${made.id}/rotate`, { overlapSeconds: 60 })
    expect([await listed(manager), await listed(owner)]).toEqual([[made.id], [made.id]])
    advance(60)
    expect([await listed(manager), await listed(owner)]).toEqual([[], [made.id]])
    await manager.call('POST', `/v1/connections/${thief.id}/rotate`)
    expect(await listed(manager)).toEqual([thief.id])
    // The operator is no user, and what was revoked is no danger.
    await end(`/admin/v1/connections/${thief.id}/rotate`)
    await end(`/v1/connections/${made.id}/revoke`)
    expect([await listed(manager), await listed(owner)]).toEqual([[], []])
    expect((await owner.call('GET', '/v1/connections?limit=2')).body.data[1].issuedTo).toBeUndefined()
  })

  test('of another organization, or who does not exist, has none', async () => {
    const elsewhere = await createTestPerson(service, await service.createMerchant())
    for (const id of [elsewhere.id, `psn_${'0'.repeat(32)}`, 'nobody', '']) {
      expect((await owner.call('GET', `/v1/connections?person=${id}`)).body).toEqual({ data: [] })
    }
  })

  const evictions = {
    blocked: (revokeConnections?: boolean) =>
      owner.call('PATCH', `/v1/people/${manager.id}`, { status: 'blocked', revokeConnections }),
    removed: (revokeConnections?: boolean) =>
      owner.call('DELETE', `/v1/people/${manager.id}${revokeConnections ? '?revokeConnections=true' : ''}`),
  }

  test.each(['blocked', 'removed'] as const)(
    'is %s: their session is out at once, and their connections if asked to',
    async (how) => {
      const pair = await issue(made)
      expect((await evictions[how](true)).status).toBeLessThan(300)
      expectRefusal(await manager.call('GET', '/v1/customers'), 401, '_unauthorized')
      await expectOut(pair)
      const { data } = (await owner.call('GET', '/v1/audit?limit=2')).body
      expect(data).toMatchObject([
        { action: how === 'blocked' ? 'patchPerson' : 'removePerson', by: { kind: 'person' } },
        { action: 'revokeConnection', by: { kind: 'person' }, subject: { id: made.id, name: 'Made' } },
      ])
    },
  )

  test.each(['blocked', 'removed'] as const)('is %s: their connections stay if not asked to', async (how) => {
    const { accessToken } = await issue(made)
    expect((await evictions[how]()).status).toBeLessThan(300)
    expectRefusal(await manager.call('GET', '/v1/customers'), 401, '_unauthorized')
    await expectUsable(accessToken)
  })

  const makeWith = async (maker: Connected, name: string): Promise<Connected> => {
    const body = { name, scopes: ['pos', 'manage'] }
    const { accessToken: token } = await issue(maker)
    const reply = await service.call('POST', '/v1/connections', { token, body })
    expect(reply.status).toBe(201)
    return reply.body
  }
  const rotateWith = async (maker: Connected, other: Connected): Promise<Connected> => {
    const { accessToken: token } = await issue(maker)
    const reply = await service.call('POST', `/v1/connections/${other.id}/rotate`, { token, body: {} })
    expect(reply.status).toBe(200)
    return { ...other, apiSecret: reply.body.apiSecret }
  }

  test.each(['blocked', 'removed'] as const)(
    'is %s: so is what was made with their connections, at any distance',
    async (how) => {
      const child = await makeWith(made, 'Child')
      const rotated = await rotateWith(child, thief)
      const grandchild = await makeWith(rotated, 'Grandchild')
      // Also if its parent is gone already, and if it has given itself a secret of its own.
      await end(`/v1/connections/${child.id}/revoke`)
      const again = await rotateWith(grandchild, grandchild)
      expect(await listed(manager)).toEqual([again.id, made.id, rotated.id])
      const pairs = await Promise.all([made, rotated, again].map((one) => issue(one)))
      expect((await evictions[how](true)).status).toBeLessThan(300)
      for (const pair of pairs) await expectOut(pair)
      const { data } = (await owner.call('GET', '/v1/audit?limit=4')).body
      const revoked = data.slice(1).map(({ subject }: { subject: { id: string } }) => subject.id)
      expect(new Set(revoked)).toEqual(new Set([made.id, rotated.id, again.id]))
    },
  )

  test('has nothing of what was made after the secret they knew was rotated, nor of other connections', async () => {
    const before = await makeWith(made, 'Before')
    advance(1)
    const { apiSecret } = (await owner.call('POST', `/v1/connections/${made.id}/rotate`, {})).body
    advance(1)
    const after = await makeWith({ ...made, apiSecret }, 'After')
    await makeWith(thief, 'Elsewhere')
    expect(await listed(manager)).toEqual([before.id])
    expect(await listed(owner)).toEqual([after.id, made.id])
    expect((await evictions.blocked(true)).status).toBe(200)
    await expectUsable((await issue(after)).accessToken)
  })

  test('a connection is revoked: what was made with it stays, unless asked to, then or later', async () => {
    const child = await makeWith(made, 'Child')
    const pair = await issue(await makeWith(child, 'Grandchild'))
    const path = `/v1/connections/${made.id}/revoke`
    for (const body of [undefined, {}, { revokeConnections: false }]) {
      expect((await owner.call('POST', path, body)).status).toBe(200)
      await expectUsable(pair.accessToken)
    }
    expectRefusal(await owner.call('POST', path, { revokeConnections: 'yes' }), 400, '_invalid_payload')
    const reply = await owner.call('POST', path, { revokeConnections: true })
    expect([reply.status, reply.body.id, reply.body.status]).toEqual([200, made.id, 'revoked'])
    await expectOut(pair)
    await expectUsable((await issue(thief)).accessToken)
    const { data } = (await owner.call('GET', '/v1/connections?limit=3')).body
    expect(data.map(({ status }: { status: string }) => status)).toEqual(['revoked', 'revoked', 'revoked'])
  })

  test('nothing is revoked together with another change, or by another caller', async () => {
    for (const body of [{ revokeConnections: true }, { revokeConnections: true, status: 'active' }]) {
      const path = `/v1/people/${manager.id}`
      expectRefusal(await owner.call('PATCH', path, body), 400, '_invalid_payload', /revokeConnections/)
    }
    expectRefusal(
      await owner.call('DELETE', `/v1/people/${manager.id}?revokeConnections=yes`),
      400,
      '_invalid_payload',
    )
    expect(await listed(manager)).toEqual([made.id])
  })

  test('is demoted: the role counts with the next request', async () => {
    await owner.call('PATCH', `/v1/people/${manager.id}`, { role: 'cashier' })
    expectRefusal(await manager.call('GET', '/v1/customers'), 403, '_forbidden')
    expectRefusal(await manager.call('POST', '/v1/connections', { name: 'More' }), 403, '_forbidden')
  })
})

test('a caller that was evicted does not use up the limits of the organization', async () => {
  const limited = await startTestService({ sharing: service, rateLimit: 5 })
  limited.holdTime()
  limited.setTime(service.deps.clock())
  const { accessToken } = await issue(thief)
  await end(`/v1/connections/${thief.id}/revoke`)
  for (let i = 0; i < 50; i++) {
    expectRefusal(await limited.call('GET', '/v1/customers', { token: accessToken }), 401, '_unauthorized')
  }
  const mine = (await issue(merchantAsConnected())).accessToken
  expect((await limited.call('GET', '/v1/customers', { token: mine })).status).toBe(200)
  await limited.close()
})
