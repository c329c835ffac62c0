import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isFull } from '../support/full.ts'
import { createQuickPerson } from '../support/people.ts'
import {
  adminToken,
  type Merchant,
  productionLimits,
  startTestService,
  type TestService,
} from '../support/service.ts'
import { times } from '../support/shop.ts'

/**
 * Credentials are given out and ended at the same time, on two instances. Whoever was evicted has made
 * nothing after that: what they made before is found by whoever looks after the eviction.
 */
let service: TestService
let second: TestService
let merchant: Merchant

beforeAll(async () => {
  service = await startTestService(productionLimits)
  second = await startTestService({ ...productionLimits, sharing: service })
  merchant = await service.createMerchant()
})
afterAll(async () => {
  await second.close()
  await service.close()
})

const rounds = isFull ? 12 : 5

/** Resolves after the requests that were sent before have got a bit further, each time to another point. */
async function waitABit(round: number): Promise<void> {
  // Up to eleven milliseconds, in as many steps as there are rounds.
  const until = performance.now() + (round * 11) / (rounds - 1)
  while (performance.now() < until) await new Promise((resolve) => setImmediate(resolve))
}

async function connect(
  add = (body: object) => merchant.call('POST', '/v1/connections', body),
): Promise<{ id: string; integration: string; token: string }> {
  const { body } = await add({ name: 'T', scopes: ['pos', 'manage'] })
  const headers = { 'x-api-key': body.apiKey, 'x-api-secret': body.apiSecret }
  const issued = await service.call('POST', '/auth/token', { headers })
  return { id: body.id, integration: body.integration, token: issued.body.accessToken }
}

const countOf = async (table: string): Promise<number> =>
  (await service.database.pool.query(`SELECT count(*)::int AS n FROM ${table}`)).rows[0].n

const endings = {
  revoke: ({ id }: { id: string }) =>
    service.call('POST', `/v1/connections/${id}/revoke`, { token: merchant.token, body: {} }),
  rotate: ({ id }: { id: string }) =>
    service.call('POST', `/v1/connections/${id}/rotate`, { token: merchant.token, body: {} }),
  'rotate the key': ({ integration }: { integration: string }) =>
    service.call('POST', `/admin/v1/integrations/${integration}/rotate`, { token: adminToken, body: {} }),
}

describe.each(Object.keys(endings) as (keyof typeof endings)[])('%s', (ending) => {
  test('a connection makes no connection once it was evicted', async () => {
    const made: string[] = []
    for (const round of times(rounds, (i) => i)) {
      const thief = await connect()
      let isOver = false
      const attempts = times(4, async (i) => {
        await waitABit(i * (rounds / 12))
        const wasOver = isOver
        const on = i % 2 ? service : second
        const reply = await on.call('POST', '/v1/connections', { token: thief.token, body: { name: 'More' } })
        return { wasOver, reply }
      })
      await waitABit(round)
      expect((await endings[ending](thief)).status).toBe(200)
      isOver = true
      const atTheEnd = await countOf('connections')
      // One more after the eviction was answered, to be sure of at least one that comes too late.
      const late = await second.call('POST', '/v1/connections', {
        token: thief.token,
        body: { name: 'Late' },
      })
      expect([late.status, late.body.message]).toEqual([401, '_unauthorized'])
      for (const { wasOver, reply } of await Promise.all(attempts)) {
        expect([201, 401], reply.text).toContain(reply.status)
        if (wasOver) expect(reply.status).toBe(401)
        if (reply.status === 201) made.push(reply.body.id)
      }
      expect(await countOf('connections')).toBe(atTheEnd)
      for (const id of made.splice(0)) {
        await service.call('POST', `/v1/connections/${id}/revoke`, { token: merchant.token, body: {} })
      }
      if (ending !== 'revoke') await endings.revoke(thief)
    }
  })

  test('a connection gets no secret of another, and ends none, once it was evicted', async () => {
    const till = await connect()
    for (const round of times(rounds, (i) => i)) {
      const thief = await connect()
      const attempts = times(4, (i) =>
        (i % 2 ? service : second).call('POST', `/v1/connections/${till.id}/rotate`, {
          token: thief.token,
          body: { overlapSeconds: 3_600 },
        }),
      )
      await waitABit(round)
      expect((await endings[ending](thief)).status).toBe(200)
      const atTheEnd = await countOf('connection_secrets')
      for (const { status } of await Promise.all(attempts)) expect([200, 401]).toContain(status)
      expect(await countOf('connection_secrets')).toBe(atTheEnd)
      if (ending !== 'revoke') await endings.revoke(thief)
    }
  })
})

describe('people', () => {
  const call = (
    on: TestService,
    cookie: string,
    method: 'POST' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
  ) => on.call(method, path, { headers: { cookie }, body })

  test.each(['block', 'demote', 'remove', 'sign out'] as const)(
    '%s: nobody is invited after it',
    async (how) => {
      const owner = await createQuickPerson(service, merchant)
      let invited = 0
      for (const round of times(rounds, (i) => i)) {
        const thief = await createQuickPerson(service, merchant)
        const attempts = times(4, (i) =>
          call(i % 2 ? service : second, thief.cookie, 'POST', '/v1/people', {
            email: `friend-${how.replace(' ', '-')}-${round}-${i}@example.com`,
            role: 'owner',
          }),
        )
        await waitABit(round)
        const path = `/v1/people/${thief.id}`
        const ended = await {
          block: () => call(service, owner.cookie, 'PATCH', path, { status: 'blocked' }),
          demote: () => call(service, owner.cookie, 'PATCH', path, { role: 'manager' }),
          remove: () => call(service, owner.cookie, 'DELETE', path),
          'sign out': () => call(service, owner.cookie, 'POST', `${path}/sign-out`, {}),
        }[how]()
        expect(ended.status).toBeLessThan(300)
        const atTheEnd = await countOf('people')
        for (const { status } of await Promise.all(attempts)) {
          expect([201, 401, 403]).toContain(status)
          if (status === 201) invited++
        }
        expect(await countOf('people')).toBe(atTheEnd)
      }
      expect(invited).toBeGreaterThan(0)
    },
  )

  test('block: what their connection makes meanwhile is revoked with it', async () => {
    const owner = await createQuickPerson(service, merchant)
    let made = 0
    for (const round of times(rounds, (i) => i)) {
      const thief = await createQuickPerson(service, merchant, 'manager')
      const { token } = await connect((body) => call(service, thief.cookie, 'POST', '/v1/connections', body))
      const attempts = times(4, (i) =>
        (i % 2 ? service : second).call('POST', '/v1/connections', { token, body: { name: 'More' } }),
      )
      await waitABit(round)
      const change = { status: 'blocked', revokeConnections: true }
      const blocked = await call(service, owner.cookie, 'PATCH', `/v1/people/${thief.id}`, change)
      expect(blocked.status, JSON.stringify([blocked.text, service.logged])).toBe(200)
      const replies = await Promise.all(attempts)
      const { data } = (await second.call('GET', '/v1/connections?limit=10', { token: merchant.token })).body
      for (const { status, body } of replies) {
        expect([201, 401]).toContain(status)
        if (status !== 201) continue
        made++
        expect(data).toContainEqual(expect.objectContaining({ id: body.id, status: 'revoked' }))
      }
    }
    expect(made).toBeGreaterThan(0)
  })

  test('two owners who block each other: one of them stays', async () => {
    for (const _round of times(rounds, (i) => i)) {
      const shop = await service.createMerchant()
      const [a, b] = [await createQuickPerson(service, shop), await createQuickPerson(service, shop)]
      const replies = await Promise.all([
        call(service, a.cookie, 'PATCH', `/v1/people/${b.id}`, { status: 'blocked' }),
        call(second, b.cookie, 'PATCH', `/v1/people/${a.id}`, { status: 'blocked' }),
      ])
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 401])
    }
  })
})
