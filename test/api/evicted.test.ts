import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectRefusal } from '../support/expect-refusal.ts'
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
let who: Registered
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
  who = await merchant.register(await merchant.publishCampaign())
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
  list: (token) => second.call('GET', '/v1/customers', { token }),
  adjustment: (token) =>
    second.call('POST', `/v1/customers/${who.customer}/adjustments`, {
      token,
      body: { key: 'points', amount: 1, reason: 'test' },
    }),
}
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
