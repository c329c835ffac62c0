import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectRefusal } from '../support/expect-refusal.ts'
import { copyRows } from '../support/people.ts'
import {
  adminToken,
  type Merchant,
  type Reply,
  startTestService,
  type TestService,
} from '../support/service.ts'

let service: TestService
let merchant: Merchant
beforeAll(async () => {
  service = await startTestService()
  merchant = await service.createMerchant()
})
afterAll(() => service.close())

const add = (body: object, call = merchant.call) => call('POST', '/v1/connections', body)
const list = async () => (await merchant.call('GET', '/v1/connections?limit=100')).body.data
const find = async (id: string) => (await list()).find((item: { id: string }) => item.id === id)
const countAll = async () =>
  (
    await service.database.pool.query(
      `SELECT (SELECT count(*) FROM integrations) AS integrations, (SELECT count(*) FROM connections) AS connections,
         (SELECT count(*) FROM users) AS users, (SELECT count(*) FROM integration_keys) AS keys`,
    )
  ).rows
const issue = ({ apiKey, apiSecret }: { apiKey: string; apiSecret: string }): Promise<Reply> =>
  service.call('POST', '/auth/token', { headers: { 'x-api-key': apiKey, 'x-api-secret': apiSecret } })

describe('POST /v1/connections', () => {
  test('makes software known: its key and secret open a session with its scopes', async () => {
    const { status, body } = await add({ name: 'Web shop' })
    expect(status).toBe(201)
    expect(body).toMatchObject({ name: 'Web shop', scopes: ['pos'], status: 'active' })
    expect([body.id, body.integration, body.user, body.apiKey, body.apiSecret].join()).toMatch(
      /^con_\w+,int_\w+,usr_\w+,lwk_[\w-]+,lws_[\w-]+$/,
    )
    const token = (await issue(body)).body.accessToken
    expect((await service.call('GET', '/v1/transactions', { token })).status).toBe(200)
    expectRefusal(await service.call('GET', '/v1/connections', { token }), 403, '_forbidden')
  })

  test('there are at most a hundred at a time, however many are made at once; one that is revoked makes room', async () => {
    const crowded = await service.createMerchant()
    await copyRows(service, crowded, 'connections', 97)
    const before = await countAll()
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, i) => add({ name: `Till ${i}` }, crowded.call)),
    )
    const made = replies.filter(({ status }) => status === 201)
    expect(made).toHaveLength(3)
    for (const reply of replies) if (reply.status !== 201) expectRefusal(reply, 400, 'too_many_connections')
    const path = `/admin/v1/organizations/${crowded.id}/connections`
    const body = { integration: crowded.integration }
    expectRefusal(await service.call('POST', path, { token: adminToken, body }), 400, 'too_many_connections')
    // Of what was refused nothing is left: not the integration, its key or its user either.
    const added = (await countAll()).map((counts) =>
      Object.values(counts).map((count, i) => Number(count) - Number(Object.values(before[0])[i])),
    )
    expect(added).toEqual([[3, 3, 3, 3]])
    await crowded.call('POST', `/v1/connections/${made[0]!.body.id}/revoke`)
    expect((await add({ name: 'Again' }, crowded.call)).status).toBe(201)
    expectRefusal(await add({ name: 'Too many' }, crowded.call), 400, 'too_many_connections')
  })

  test('shows its credentials once', async () => {
    const { body } = await add({ name: 'Once' })
    const { text } = await merchant.call('GET', '/v1/connections?limit=100')
    expect(text).toContain(body.id)
    expect(text).not.toMatch(/lw[ks]_/)
  })

  test('gives no scope that the caller has not', async () => {
    const manager = await merchant.connect(['manage'])
    const before = await countAll()
    expectRefusal(await add({ name: 'Till' }, manager), 403, '_forbidden')
    expectRefusal(await add({ name: 'Till', scopes: ['pos', 'manage'] }, manager), 403, '_forbidden')
    expect(await countAll()).toEqual(before)
    expect((await add({ name: 'Reports', scopes: ['manage'] }, manager)).status).toBe(201)
  })

  test.each([
    {},
    { name: '' },
    { name: 'A', scopes: [] },
    { name: 'A', scopes: ['people'] },
    { name: 'A', key: 'x' },
  ])('%j is _invalid_payload', async (body) => {
    expectRefusal(await add(body), 400, '_invalid_payload')
  })
})

describe('GET /v1/connections', () => {
  test('lists those that an operator made as well, newest first, and nobody else’s', async () => {
    const other = await service.createMerchant()
    const mine = (await other.call('GET', '/v1/connections')).body
    expect(mine.data.map((item: { id: string }) => item.id)).toEqual([other.connection])
    expect(mine.data[0]).toMatchObject({ name: 'Till', scopes: ['pos', 'manage'], status: 'active' })
    const second = (await add({ name: 'Second' }, other.call)).body.id
    const page = (await other.call('GET', '/v1/connections?limit=1')).body
    expect(page.data.map((item: { id: string }) => item.id)).toEqual([second])
    const rest = (await other.call('GET', `/v1/connections?cursor=${page.nextCursor}`)).body
    expect(rest.data.map((item: { id: string }) => item.id)).toEqual([other.connection])
    expect((await list()).map((item: { id: string }) => item.id)).not.toContain(second)
  })

  test('says when one was last used: never, when it got a token, and with its last call', async () => {
    const { body } = await add({ name: 'Used' })
    expect((await find(body.id)).lastUsedAt).toBeUndefined()
    const before = service.deps.clock().getTime()
    const token = (await issue(body)).body.accessToken
    const signedIn = Date.parse((await find(body.id)).lastUsedAt)
    expect(signedIn).toBeGreaterThanOrEqual(before)
    expect(signedIn).toBeLessThanOrEqual(service.deps.clock().getTime())
    service.advance(20 * 60_000)
    await service.call('GET', '/v1/transactions', { token })
    await service.flushRequests()
    const used = Date.parse((await find(body.id)).lastUsedAt)
    expect(used - signedIn).toBeGreaterThan(19 * 60_000)
    service.advance(-20 * 60_000)
  })
})

describe('rotate', () => {
  test('the old secret ends at once, or after the overlap', async () => {
    const { body } = await add({ name: 'Rotated' })
    const rotated = await merchant.call('POST', `/v1/connections/${body.id}/rotate`, { overlapSeconds: 60 })
    expect([rotated.status, Object.keys(rotated.body).sort()]).toEqual([200, ['apiSecret', 'id']])
    const next = { apiKey: body.apiKey, apiSecret: rotated.body.apiSecret }
    expect([(await issue(body)).status, (await issue(next)).status]).toEqual([200, 200])
    const last = await merchant.call('POST', `/v1/connections/${body.id}/rotate`)
    expect((await issue(next)).status).toBe(401)
    expect((await issue({ ...body, apiSecret: last.body.apiSecret })).status).toBe(200)
  })

  test('at most ten secrets are valid at a time, the newest ones', async () => {
    const { body } = await add({ name: 'Often rotated' })
    const secrets = [body.apiSecret]
    for (let i = 0; i < 10; i++) {
      const path = `/v1/connections/${body.id}/rotate`
      secrets.push((await merchant.call('POST', path, { overlapSeconds: 3_600 })).body.apiSecret)
    }
    const tried = await Promise.all(secrets.map((apiSecret) => issue({ ...body, apiSecret })))
    expect(tried.map(({ status }) => status)).toEqual([401, ...Array(10).fill(200)])
  })

  test('no secret of a connection that may do more than the caller', async () => {
    const manager = await merchant.connect(['manage'])
    const { body } = await add({ name: 'Till' })
    expectRefusal(await manager('POST', `/v1/connections/${body.id}/rotate`), 403, '_forbidden')
    expect((await issue(body)).status).toBe(200)
  })
})

describe('revoke', () => {
  test('ends secrets, refresh tokens and access tokens for good', async () => {
    const { body } = await add({ name: 'Stolen' })
    await merchant.call('POST', `/v1/connections/${body.id}/rotate`, { overlapSeconds: 3_600 })
    const session = (await issue(body)).body
    const reply = await merchant.call('POST', `/v1/connections/${body.id}/revoke`)
    expect([reply.status, reply.body.status]).toEqual([200, 'revoked'])
    expect((await find(body.id)).status).toBe('revoked')
    expectRefusal(await issue(body), 401, '_invalid_credentials')
    const { accessToken, refreshToken } = session
    const refreshed = await service.call('POST', '/auth/refreshtoken', {
      body: { accessToken, refreshToken },
    })
    expectRefusal(refreshed, 400, '_invalid_refresh_token')
    expectRefusal(
      await service.call('GET', '/v1/transactions', { token: accessToken }),
      401,
      '_unauthorized',
      /has ended/,
    )
    const again = await merchant.call('POST', `/v1/connections/${body.id}/revoke`)
    expect([again.status, again.body]).toEqual([200, reply.body])
    for (const path of [`/v1/connections/${body.id}/rotate`, `/admin/v1/connections/${body.id}/rotate`]) {
      const token = path.startsWith('/admin') ? adminToken : merchant.token
      expectRefusal(await service.call('POST', path, { token, body: {} }), 400, 'connection_revoked')
    }
  })

  test('of a revocation and rotations at once the revocation stands', async () => {
    const { body } = await add({ name: 'Contested' })
    const path = `/v1/connections/${body.id}`
    const replies = await Promise.all([
      ...Array.from({ length: 4 }, () => merchant.call('POST', `${path}/rotate`, { overlapSeconds: 3_600 })),
      merchant.call('POST', `${path}/revoke`),
      ...Array.from({ length: 4 }, () => merchant.call('POST', `${path}/rotate`, { overlapSeconds: 3_600 })),
    ])
    expect(replies[4]!.status).toBe(200)
    for (const { body: rotated } of replies) {
      const { apiSecret = body.apiSecret } = rotated
      expect((await issue({ apiKey: body.apiKey, apiSecret })).status).toBe(401)
    }
  })

  test('another organization’s connection is not found', async () => {
    const other = await service.createMerchant()
    for (const action of ['rotate', 'revoke'])
      expectRefusal(
        await merchant.call('POST', `/v1/connections/${other.connection}/${action}`),
        404,
        'connection_not_found',
      )
    expect((await issue(other)).status).toBe(200)
  })
})
