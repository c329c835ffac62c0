import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Call, OpenApiDocument } from '../../src/http/openapi/reference/document.ts'
import { findCall, findUndocumented } from '../support/expect-documented.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { type Method, type Reply, startTestService, type TestService } from '../support/service.ts'
import { rightAttempt } from './attempts.ts'
import { createWorld, knownRoutes, recipeOf, shareWorlds, type World } from './recipes.ts'
import { type Changes, watchChanges } from './watch-changes.ts'

let service: TestService
let document: OpenApiDocument
let changes: Changes
let shared: World
const inWorld = shareWorlds()

beforeAll(async () => {
  service = await startTestService()
  document = (await service.call('GET', '/openapi.json')).body
  shared = await createWorld(service)
  await shared.merchant.call('POST', '/v1/customers', { data: { email: 'findable@example.com' } })
  changes = await watchChanges(service.database.pool)
})
afterAll(() => service.close())

const name = 'opaqueID'
const strict = { prefer: 'handling=strict' }

describe('a query parameter that the route does not know', () => {
  test.each(knownRoutes)('%s: is refused or reported', async (route) => {
    const call = findCall(document, route)
    // What only reads leaves its world to the next.
    if (call.method === 'GET') await sendUnknown(route, call, shared)
    else await inWorld(service, (world) => sendUnknown(route, call, world))
  })

  async function sendUnknown(route: string, call: Call, world: World): Promise<void> {
    await changes()
    expectNamed(await sendWith(call, world, strict))
    if (isStrict(call) || isList(call)) expectNamed(await sendWith(call, world))
    expect(await changes()).toEqual([])
    if (isStrict(call) || isList(call)) return
    const reply = await sendWith(call, world)
    expect([route, reply.status < 300, reply.headers['ignored-members']]).toEqual([route, true, `?${name}`])
    expect(findUndocumented(document, reply)).toEqual([])
  }

  async function sendWith(call: Call, world: World, more: object = {}): Promise<Reply> {
    const { address, token, headers, payload } = rightAttempt(recipeOf(`${call.method} ${call.path}`, world)!)
    const separator = address.includes('?') ? '&' : '?'
    return service.call(call.method as Method, `${address}${separator}${name}=zzz`, {
      body: payload,
      token,
      headers: { ...headers, ...(payload && { 'content-type': 'application/json' }), ...more },
    })
  }

  function expectNamed(reply: Reply): void {
    expectRefusal(reply, 400, '_invalid_payload', new RegExp(`^${name}: unknown query parameter\\.$`))
  }

  const isStrict = ({ security = [] }: Call) =>
    security.length > 0 && !security.some(({ bearer = [] }) => bearer.includes('pos'))

  /** By its response, which is not what the service looks at. */
  const isList = ({ responses }: Call) => {
    const text = JSON.stringify(responses['200'] ?? {})
    const [, name = ''] = /"\$ref":"#\/components\/schemas\/(\w+)"/.exec(text) ?? []
    const schema = document.components.schemas[name] as { properties?: object } | undefined
    return Object.hasOwn(schema?.properties ?? {}, 'nextCursor')
  }

  test('is reported together with unknown properties of the body', async () => {
    const { merchant } = shared
    const reply = await merchant.call('POST', '/v1/customers?dryRun=1&dryRun=2', { data: {}, sms: true })
    expect([reply.status, reply.headers['ignored-members']]).toEqual([201, '?dryRun, sms'])
  })

  test('does not hide that the method is wrong, and is no concern of a page', async () => {
    const wrong = await service.call('PUT', '/v1/customers?x=1', { headers: strict })
    expectRefusal(wrong, 405, '_method_not_allowed')
    for (const path of ['/docs?x=1', '/console?x=1', '/openapi.json?x=1']) {
      const page = await service.call('GET', path, { headers: strict })
      expect([path, page.status, page.headers['ignored-members']]).toEqual([path, 200, undefined])
    }
  })
})

test('a parameter that is sent twice is refused by name, unless it can be repeated', async () => {
  const { merchant, ids } = shared
  for (const [path, doubled] of [
    ['/v1/transactions?limit=5&limit=6', 'limit'],
    ['/v1/customers?q=a&q=b', 'q'],
    ['/v1/customers/find?q=a&q=a', 'q'],
    [`/v1/transactions?customer=${ids.customer}&customer=${ids.customer}`, 'customer'],
    ['/v1/requests?status=ok&status=ok', 'status'],
  ])
    expectRefusal(
      await merchant.call('GET', path!),
      400,
      '_invalid_payload',
      new RegExp(`^${doubled}: must be sent only once\\.$`),
    )
  expect((await merchant.call('GET', '/v1/till/products?opaqueId=a&opaqueId=b')).status).toBe(200)
})
