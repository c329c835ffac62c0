import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Call, OpenApiDocument } from '../../src/http/openapi/reference/document.ts'
import { findCall, findUndocumented } from '../support/expect-documented.ts'
import { someOf } from '../support/full.ts'
import {
  adminToken,
  jwtSecret,
  type Merchant,
  type Method,
  startTestService,
  type TestService,
} from '../support/service.ts'
import { rightAttempt } from './attempts.ts'
import { createWorld, knownRoutes, recipeOf, type World } from './recipes.ts'
import { type Changes, watchChanges } from './watch-changes.ts'

let service: TestService
let document: OpenApiDocument
let world: World
let suspended: Merchant
let tills: { pos: string; manage: string }
let ended: Record<'connection' | 'secret' | 'key', string>
let changes: Changes

beforeAll(async () => {
  service = await startTestService()
  // As on a computer that is infinitely fast: no token ends meanwhile, and no guess is forgiven.
  service.holdTime()
  document = (await service.call('GET', '/openapi.json')).body
  world = await createWorld(service)
  suspended = await service.createMerchant()
  await service.call('POST', `/admin/v1/organizations/${suspended.id}/subscription`, {
    body: { active: false },
    token: adminToken,
  })
  tills = { pos: await tokenWith('pos'), manage: await tokenWith('manage') }
  ended = {
    connection: await endedToken(({ connection }) => `/v1/connections/${connection}/revoke`),
    secret: await endedToken(({ connection }) => `/v1/connections/${connection}/rotate`),
    key: await endedToken(({ integration }) => `/admin/v1/integrations/${integration}/rotate`),
  }
  changes = await watchChanges(service.database.pool)
})
afterAll(async () => {
  expect(await changes()).toEqual([])
  await service.close()
})

async function tokenWith(scope: 'pos' | 'manage'): Promise<string> {
  const { id, integration, apiKey } = world.merchant
  const connected = await service.call('POST', `/admin/v1/organizations/${id}/connections`, {
    body: { integration, scopes: [scope] },
    token: adminToken,
  })
  const headers = { 'x-api-key': apiKey, 'x-api-secret': connected.body.apiSecret }
  return (await service.call('POST', '/auth/token', { headers })).body.accessToken
}

/** A token of the organization, whose connection, secret or key this request ends. */
async function endedToken(
  path: (of: { connection: string; integration: string }) => string,
): Promise<string> {
  const { body } = await world.merchant.call('POST', '/v1/connections', {
    name: 'Ended',
    scopes: ['pos', 'manage'],
  })
  const headers = { 'x-api-key': body.apiKey, 'x-api-secret': body.apiSecret }
  const { accessToken } = (await service.call('POST', '/auth/token', { headers })).body
  const end = path({ connection: body.id, integration: body.integration })
  const token = end.startsWith('/admin') ? adminToken : world.merchant.token
  expect((await service.call('POST', end, { token, body: {} })).status).toBe(200)
  return accessToken
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** The claims of a real token with some changed, under any header, signed with any key. */
function forge(claims: object, header: object = {}, secret = jwtSecret): string {
  const real = JSON.parse(Buffer.from(world.merchant.token.split('.')[1]!, 'base64url').toString())
  const signed = `${encode({ alg: 'HS256', typ: 'at+jwt', ...header })}.${encode({ ...real, ...claims })}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

let callers = 0

const callOf = (route: string) => findCall(document, route)

async function answer(call: Call, authorization: string | undefined): Promise<[number, string]> {
  const { address, payload } = rightAttempt(recipeOf(`${call.method} ${call.path}`, world)!)
  const reply = await service.call(call.method as Method, address, {
    // Each from somewhere else: whoever fails often from one place is told to wait.
    address: `10.0.${Math.floor(++callers / 250)}.${callers % 250}`,
    body: payload,
    headers: {
      ...(payload !== undefined && { 'content-type': 'application/json' }),
      ...(authorization !== undefined && { authorization }),
    },
  })
  expect(findUndocumented(document, reply)).toEqual([])
  return [reply.status, reply.body.message]
}

describe('a right call of a wrong caller is refused, and changes nothing', () => {
  const ofOrganizations = knownRoutes.filter((route) => route.includes(' /v1/'))
  const ofOperators = knownRoutes.filter((route) => route.includes(' /admin/'))

  test.each(ofOrganizations)('%s', async (route) => {
    const { refreshToken, token, apiSecret } = world.merchant
    const wrong: [string, string | undefined, number, string][] = [
      ['nobody', undefined, 401, '_unauthorized'],
      ['another scheme', `Basic ${Buffer.from('a:b').toString('base64')}`, 401, '_unauthorized'],
      ['two tokens', `Bearer ${token}, Bearer ${token}`, 401, '_unauthorized'],
      ['alg none', `Bearer ${forge({}, { alg: 'none' }).replace(/[^.]*$/, '')}`, 401, '_unauthorized'],
      ['another key', `Bearer ${forge({}, {}, `${jwtSecret}x`)}`, 401, '_unauthorized'],
      ['an empty key', `Bearer ${forge({}, {}, '')}`, 401, '_unauthorized'],
      ['no expiry', `Bearer ${forge({ exp: undefined })}`, 401, '_unauthorized'],
      ['expired', `Bearer ${forge({ exp: 1 })}`, 401, '_jwt_expired'],
      ['a refresh token', `Bearer ${refreshToken}`, 401, '_jwt_malformed'],
      ['a secret', `Bearer ${apiSecret}`, 401, '_jwt_malformed'],
      ['the operator', `Bearer ${adminToken}`, 401, '_jwt_malformed'],
      ['a revoked connection', `Bearer ${ended.connection}`, 401, '_unauthorized'],
      ['a rotated secret', `Bearer ${ended.secret}`, 401, '_unauthorized'],
      ['a rotated key', `Bearer ${ended.key}`, 401, '_unauthorized'],
      ['a suspended organization', `Bearer ${suspended.token}`, 403, 'invalid_subscription'],
    ]
    const call = callOf(route)
    // Each is refused by one hook for all routes, so that a third of them shows that a route has it.
    for (const [who, authorization, status, code] of someOf(wrong, 3, ofOrganizations.indexOf(route)))
      expect([who, ...(await answer(call, authorization))]).toEqual([who, status, code])
    const scopes = (call.security ?? []).flatMap(({ bearer = [] }) => bearer)
    expect(scopes.length > 0 || call.path.startsWith('/v1/people')).toBe(true)
    for (const scope of ['pos', 'manage'] as const) {
      if (scopes.includes(scope)) continue
      expect([scope, ...(await answer(call, `Bearer ${tills[scope]}`))]).toEqual([scope, 403, '_forbidden'])
    }
  })

  test.each(ofOperators)('%s', async (route) => {
    const wrong: [string, string | undefined][] = [
      ['nobody', undefined],
      ['a merchant', `Bearer ${world.merchant.token}`],
      ['almost the operator', `Bearer ${adminToken}x`],
      ['the beginning of the operator', `Bearer ${adminToken.slice(0, -1)}`],
      ['a forged operator', `Bearer ${forge({ scopes: ['operator'] })}`],
      ['another scheme', `Basic ${adminToken}`],
    ]
    for (const [who, authorization] of wrong)
      expect([who, ...(await answer(callOf(route), authorization))]).toEqual([who, 401, '_unauthorized'])
  })
})
