import { createHmac } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { networkOf } from '../../src/operations/auth/guess-limit.ts'
import { createRateLimit, isFlooded, secondsToWait } from '../../src/operations/rate-limit.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { adminToken, jwtSecret, type Reply, startTestService, type TestService } from '../support/service.ts'
import { tally, times } from '../support/shop.ts'

const services: TestService[] = []
async function start(options: Parameters<typeof startTestService>[0] = {}): Promise<TestService> {
  const service = await startTestService(options)
  services.push(service)
  return service
}
afterEach(async () => {
  for (const service of services.splice(0)) await service.close()
})

/** A clock that steps back refills nothing, so that from here on what is left can be counted. */
const stopRefill = (service: TestService) => service.advance(-600_000)
const refillFor = (service: TestService, ms: number) => service.advance(600_000 + ms)

const limitsOf = ({ headers }: Reply) => [headers['ratelimit-policy'], headers.ratelimit]
const inTurn = async (count: number, call: () => Promise<Reply>) => {
  const replies: Reply[] = []
  for (let i = 0; i < count; i++) replies.push(await call())
  return replies
}

describe('a bucket', () => {
  test('lets a burst pass, then as many as refill', () => {
    const limit = createRateLimit(10)
    const allowed = (count: number, atMs: number) =>
      times(count, () => limit.take('a', atMs).isAllowed).filter(Boolean).length
    expect(allowed(20, 0)).toBe(10)
    expect(allowed(20, 500)).toBe(5)
    expect(allowed(20, 60_000)).toBe(10)
    expect(secondsToWait(limit.take('a', 60_000), limit)).toBe(1)
  })

  test('is not emptied by what it refuses, and tells how long the next call has to wait', () => {
    const limit = createRateLimit(0.5, 1)
    times(100, () => limit.take('a', 0))
    expect(secondsToWait(limit.take('a', 0), limit)).toBe(2)
    expect(limit.take('a', 2_000).isAllowed).toBe(true)
  })

  test('knows who goes on at more than twice the limit, and forgives', () => {
    const limit = createRateLimit(10)
    const callEvery = (ms: number, fromMs: number) =>
      times(1_000, (i) => isFlooded(limit.take('a', fromMs + i * ms), limit)).some(Boolean)
    // Ten a second are allowed; at every 60 ms it is less than twice that, at every 10 ms ten times.
    expect(callEvery(60, 0)).toBe(false)
    expect(callEvery(10, 100_000)).toBe(true)
    expect(isFlooded(limit.take('a', 112_100), limit)).toBe(false)
  })

  test('does not mind a clock that steps back', () => {
    const limit = createRateLimit(1)
    expect(limit.take('a', 10_000).isAllowed).toBe(true)
    expect(limit.take('a', 0).isAllowed).toBe(false)
    expect(limit.take('a', 11_000).isAllowed).toBe(true)
  })

  test('is forgotten when others need the room and it is full again, not while it is empty', () => {
    const limit = createRateLimit(1)
    times(100_000, (i) => limit.take(`address ${i}`, i === 7 ? 0 : -10_000))
    limit.take('one more', 100)
    expect(limit.has('address 7', 100)).toBe(false)
  })

  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '::ffff:192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::6', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
  ])('%s counts as %s', (address, network) => expect(networkOf(address)).toBe(network))
})

describe('the limit of an organization', () => {
  test('is announced with every answer, and beyond it calls get 429 with Retry-After', async () => {
    const service = await start({ rateLimits: { organization: 5 } })
    const [busy, quiet] = [await service.createMerchant(), await service.createMerchant()]
    const list = () => busy.call('GET', '/v1/transactions')
    const first = await list()
    stopRefill(service)
    expect(limitsOf(first)).toEqual(['"organization";q=5;w=1', '"organization";r=4;t=1'])
    const replies = await inTurn(6, list)
    expect(tally(replies)).toEqual({ 200: 4, '429 _too_many_requests': 2 })
    expect(replies.map(({ headers }) => headers.ratelimit)).toEqual(
      [3, 2, 1, 0, 0, 0].map((left) => `"organization";r=${left};t=1`),
    )
    expectRefusal(replies[5]!, 429, '_too_many_requests', /organization/)
    expect(replies[5]!.headers['retry-after']).toBe('1')
    expect(replies[5]!.headers['ratelimit-policy']).toBe('"organization";q=5;w=1')
    expect((await quiet.call('GET', '/v1/transactions')).status).toBe(200)
    refillFor(service, 1_000)
    expect((await list()).status).toBe(200)
  })

  test('is told with refusals too, and counts them', async () => {
    const service = await start({ rateLimits: { organization: 5 } })
    const merchant = await service.createMerchant()
    const missing = () => merchant.call('GET', '/v1/customers/cus_00000000000000000000000000000000')
    expect(limitsOf(await missing())[1]).toBe('"organization";r=4;t=1')
    stopRefill(service)
    expect(limitsOf(await missing())[1]).toBe('"organization";r=3;t=1')
  })

  test('holds without asking the database, so that a flood costs the others nothing', async () => {
    const service = await startTestService({ rateLimits: { organization: 3 } })
    const merchant = await service.createMerchant()
    await merchant.call('GET', '/v1/transactions')
    stopRefill(service)
    await service.database.close()
    const replies = await inTurn(5, () => merchant.call('GET', '/v1/transactions'))
    expect(tally(replies)).toEqual({ '503 _unavailable': 2, '429 _too_many_requests': 3 })
    await service.app.close()
  })

  test('is off when it is off', async () => {
    const service = await start()
    const merchant = await service.createMerchant()
    const reply = await merchant.call('GET', '/v1/transactions')
    expect(limitsOf(reply)).toEqual([undefined, undefined])
  })
})

describe('the limit of a connection', () => {
  test('leaves the rest of the organization’s to its other connections', async () => {
    const service = await start({ rateLimits: { organization: 10, connection: 4 } })
    const merchant = await service.createMerchant()
    const other = await merchant.connect(['pos'])
    const first = await merchant.call('GET', '/v1/transactions')
    expect(limitsOf(first)).toEqual(['"organization";q=10;w=1, "connection";q=4;w=1', '"connection";r=3;t=1'])
    await other('GET', '/v1/transactions')
    stopRefill(service)
    const flood = await inTurn(12, () => merchant.call('GET', '/v1/transactions'))
    expect(tally(flood)).toEqual({ 200: 3, '429 _too_many_requests': 9 })
    expectRefusal(flood.at(-1)!, 429, '_too_many_requests', /connection/)
    // What was refused to the one was not taken from the organization.
    expect(tally(await inTurn(3, () => other('GET', '/v1/transactions')))).toEqual({ 200: 3 })
  })

  test('holds for a new token of the same connection', async () => {
    const service = await start({ rateLimits: { organization: 10, connection: 2 } })
    const merchant = await service.createMerchant()
    const again = await merchant.signIn()
    await merchant.call('GET', '/v1/transactions')
    stopRefill(service)
    expect((await again('GET', '/v1/transactions')).status).toBe(200)
    expect((await again('GET', '/v1/transactions')).status).toBe(429)
  })
})

describe('the limit of an address', () => {
  test('counts what comes without a token: asking for one, health, and paths that are not there', async () => {
    const service = await start({ rateLimits: { address: 50 }, isBehindProxy: true })
    const from = (address: string, path: string) =>
      service.call('GET', path, { headers: { 'x-forwarded-for': address } })
    expect(limitsOf(await from('192.0.2.1', '/livez'))).toEqual(['"address";q=50;w=1', '"address";r=49;t=1'])
    stopRefill(service)
    await inTurn(48, () => from('192.0.2.1', '/nowhere'))
    expect((await from('192.0.2.1', '/livez')).status).toBe(200)
    expectRefusal(await from('192.0.2.1', '/livez'), 429, '_too_many_requests', /address/)
    expectRefusal(await from('192.0.2.1', '/nowhere'), 429, '_too_many_requests', /address/)
    // What a client writes itself before our proxy's word does not make it somebody else.
    expect((await from('198.51.100.9, 192.0.2.1', '/livez')).status).toBe(429)
    expect((await from('192.0.2.2', '/livez')).status).toBe(200)
  })

  test('does not count calls with a token, for a chain may sit behind one address', async () => {
    const service = await start({ rateLimits: { address: 20 } })
    const merchant = await service.createMerchant()
    const replies = await inTurn(40, () => merchant.call('GET', '/v1/transactions'))
    expect(tally(replies)).toEqual({ 200: 40 })
  })
})

describe('guessing', () => {
  test('the operator’s token: after twenty failures an address gets 429, and the right one still passes', async () => {
    const service = await start({ isBehindProxy: true })
    const as = (token: string, address: string) =>
      service.call('GET', '/admin/v1/organizations', { token, headers: { 'x-forwarded-for': address } })
    expect((await as('wrong', '192.0.2.1')).status).toBe(401)
    stopRefill(service)
    expect(tally(await inTurn(30, () => as('wrong', '192.0.2.1')))).toEqual({
      '401 _unauthorized': 19,
      '429 _too_many_requests': 11,
    })
    const wrong = await as('wrong', '192.0.2.1')
    expectRefusal(wrong, 429, '_too_many_requests')
    expect(wrong.headers['retry-after']).toBe('2')
    expect((await as('wrong', '192.0.2.2')).status).toBe(401)
    for (const address of ['192.0.2.1', '192.0.2.2']) expect((await as(adminToken, address)).status).toBe(200)
    refillFor(service, 3_000)
    expect((await as('wrong', '192.0.2.1')).status).toBe(401)
  })

  test('forged tokens: after a hundred from an address they get 429, and a right one still passes', async () => {
    const service = await start()
    const merchant = await service.createMerchant()
    const forge = (i: number) => {
      const signed = merchant.token.split('.').slice(0, 2).join('.')
      return `${signed}.${createHmac('sha256', `${jwtSecret}${i}`).update(signed).digest('base64url')}`
    }
    const use = (token: string) => service.call('GET', '/v1/transactions', { token })
    expect((await use(forge(0))).status).toBe(401)
    stopRefill(service)
    const replies: Reply[] = []
    for (let i = 1; i <= 120; i++) replies.push(await use(forge(i)))
    expect(tally(replies)).toEqual({ '401 _unauthorized': 99, '429 _too_many_requests': 21 })
    expect((await use(merchant.token)).status).toBe(200)
    const renew = { accessToken: forge(1), refreshToken: merchant.refreshToken }
    expectRefusal(
      await service.call('POST', '/auth/refreshtoken', { body: renew }),
      429,
      '_too_many_requests',
    )
  })

  test('a token that has expired is told so however often, for its till must learn to renew it', async () => {
    const service = await start()
    const merchant = await service.createMerchant()
    service.advance(4_000_000)
    const replies = await inTurn(150, () => merchant.call('GET', '/v1/transactions'))
    expect(tally(replies)).toEqual({ '401 _jwt_expired': 150 })
  })
})
