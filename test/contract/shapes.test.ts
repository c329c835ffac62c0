import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Call, OpenApiDocument, Schema } from '../../src/http/openapi/reference/document.ts'
import { audit } from '../support/audit.ts'
import { bodySchemaOf, findCall, findUndocumented } from '../support/expect-documented.ts'
import { expectClientError, expectRefusal } from '../support/expect-refusal.ts'
import {
  type Merchant,
  type Method,
  type Registered,
  type Reply,
  startTestService,
  type TestService,
} from '../support/service.ts'
import { rightAttempt } from './attempts.ts'
import { knownRoutes, recipeOf, shareWorlds, type World } from './recipes.ts'
import { type Changes, watchChanges } from './watch-changes.ts'

let service: TestService
let document: OpenApiDocument
let merchant: Merchant
let campaign: string
let who: Registered
let changes: Changes
const inWorld = shareWorlds()

beforeAll(async () => {
  service = await startTestService()
  document = (await service.call('GET', '/openapi.json')).body
  merchant = await service.createMerchant()
  campaign = await merchant.publishCampaign()
  who = await merchant.register(campaign)
  changes = await watchChanges(service.database.pool)
})
afterAll(async () => {
  expect(await audit(service.database.pool)).toEqual([])
  await service.close()
})

const json = { 'content-type': 'application/json' }
const raw = (path: string, text: string) => merchant.call('POST', path, text, json)
const basket = () => ({ customer: who.customer, card: who.card, items: [{ product: 'latte', amount: 1 }] })

async function unchanged(work: () => Promise<void>): Promise<void> {
  await changes()
  await work()
  expect(await changes()).toEqual([])
}

describe('members that are not the caller’s to set', () => {
  const past = '2001-02-03T04:05:06Z'
  const intruders = (of: Merchant): Record<string, unknown> => ({
    status: 3,
    collectables: { points: { value: 777_777, total: 777_777 } },
    createdAt: past,
    updatedAt: past,
    organization: of.id,
    org_id: 1,
    version: 777_777,
    subscription: { active: false },
    isSubscribed: false,
    payableAmount: 777_777,
    executedActions: { collectables: { points: { value: 777_777 } } },
    pointsSpent: 777_777,
  })
  const withBody = knownRoutes.filter(
    (route) => !/^(?:GET|DELETE) /.test(route) && route !== 'POST /auth/token',
  )

  test.each(withBody)('%s: have no effect, or are refused by name and nothing changes', async (route) => {
    const call = findCall(document, route)
    await inWorld(service, (world) => sendIntruders(route, call, world))
  })

  async function sendIntruders(route: string, call: Call, world: World): Promise<void> {
    const schema = bodySchemaOf(document, call)!
    await changes()
    for (const path of objectsOf(schema, recipeOf(route, world)!.bodies[0]!)) {
      const added = Object.entries(intruders(merchant)).filter(([name]) => !knows(schema, path, name))
      if (isStrict(call))
        for (const one of added) expectNamed(one[0], await sendWith(call, world, path, [one]))
      else expectIgnored(path, added, await sendWith(call, world, path, added))
    }
    if (isStrict(call)) expect(await changes()).toEqual([])
  }

  async function sendWith(call: Call, world: World, path: readonly string[], members: [string, unknown][]) {
    const recipe = recipeOf(`${call.method} ${call.path}`, world)!
    const body = structuredClone(recipe.bodies[0]!) as Record<string, unknown>
    const holder = path.reduce((at, part) => at[part] as Record<string, unknown>, body)
    Object.assign(holder, Object.fromEntries(members))
    const { address, token, headers } = rightAttempt(recipe)
    const reply = await service.call(call.method as Method, address, { body, token, headers })
    expect(findUndocumented(document, reply)).toEqual([])
    return reply
  }

  function expectNamed(name: string, reply: Reply): void {
    expect([name, reply.status]).toEqual([name, 400])
    expect(reply.body.description).toContain(name)
  }

  function expectIgnored(path: readonly string[], members: [string, unknown][], reply: Reply): void {
    expect([reply.status < 300, reply.body.description]).toEqual([true, undefined])
    expect(reply.text).not.toMatch(/2001-02-03|777777/)
    expect(reply.text).not.toContain(merchant.id)
    const names = members.map(([name]) => [...path, name].join('.').replace(/\.(\d+)\./g, '[$1].'))
    expect(String(reply.headers['ignored-members']).split(', ')).toEqual(names)
  }

  /** Those who manage hear of every member there is not; tills are served, and told what was ignored. */
  const isStrict = ({ security = [] }: Call) =>
    security.length > 0 && !security.some(({ bearer = [] }) => bearer.includes('pos'))

  /** The body, and the objects in it that have members of ours. */
  function objectsOf(schema: Schema, body: object): string[][] {
    const inner = ['data', 'customer', 'items.0', 'wallet', 'rules.0', 'spend'].map((path) => path.split('.'))
    return [[], ...inner.filter((path) => memberAt(schema, path) && typeof valueAt(body, path) === 'object')]
  }

  const valueAt = (body: object, path: readonly string[]) =>
    path.reduce((at: unknown, part) => (at as Record<string, unknown> | undefined)?.[part], body)

  function memberAt(schema: Schema, path: readonly string[]): Schema | undefined {
    return path.reduce((at: Schema | undefined, part) => {
      const own = at?.anyOf?.[0] ?? at
      return /^\d+$/.test(part) ? (own?.items?.oneOf?.[0] ?? own?.items) : own?.properties?.[part]
    }, schema)
  }

  function knows(schema: Schema, path: readonly string[], name: string): boolean {
    const own = memberAt(schema, path)
    return Object.hasOwn((own?.anyOf?.[0] ?? own)?.properties ?? {}, name)
  }
})

describe('shapes', () => {
  test('100,000 lines that fit into a body are refused, and so are 10,000 coupons', async () => {
    await unchanged(async () => {
      const lines = `{"customer":"${who.customer}","card":"${who.card}","items":[${Array(100_000).fill('0').join()}]}`
      expectClientError(await raw('/v1/transactions/process', lines))
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
      expectRefusal(
        await raw('/v1/customers', text),
        400,
        '_invalid_payload',
        /The property "(?:__proto__|constructor)" is not allowed/,
      )
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

  test('a coupon named twice in one basket is coupon_not_applicable, and stays as it was', async () => {
    const issued = await merchant.call('POST', '/v1/coupons', {
      customer: who.customer,
      campaign,
      reward: 'five-off',
    })
    const { id } = issued.body
    const line = { amount: 10, reward: id }
    await unchanged(async () => {
      for (const twice of [
        { reward: [id, id] },
        { items: [{ amount: 10, reward: [id, id] }] },
        { items: [line, line] },
        { items: [line], reward: id },
      ])
        for (const path of ['process', 'validate'])
          expectRefusal(
            await merchant.call('POST', `/v1/transactions/${path}`, { ...basket(), ...twice }),
            400,
            'coupon_not_applicable',
          )
    })
    expect((await merchant.call('GET', `/v1/coupons/${id}`)).body.status).toBe(1)
  })

  test('what every object has is no name for a balance, and an ordinary name for all else', async () => {
    const own = await service.createMerchant()
    for (const key of ['constructor', 'toString', 'hasOwnProperty']) {
      const reply = await own.call('POST', '/v1/campaigns', { name: 'Names', balances: [{ key }] })
      expectRefusal(reply, 400, 'invalid_campaign_definition', new RegExp(key))
    }
    const id = await own.publishCampaign({
      name: 'Names',
      balances: [{ key: 'points' }],
      rules: [
        { id: 'constructor', kind: 'collect_per_visit', balance: 'points', amount: 10 },
        {
          id: 'toString',
          kind: 'collect_per_item',
          balance: 'points',
          amount: 5,
          products: ['constructor'],
          categories: ['valueOf'],
          limits: { perDay: 5, total: 5 },
        },
      ],
      rewards: [{ key: 'constructor', kind: 'amount_off', amount: 1 }],
      thresholds: [{ balance: 'points', at: 15, grant: 'constructor', consume: true }],
      tiers: [{ key: 'valueOf', balance: 'points', from: 10 }],
    })
    const { customer, card } = await own.register(id)
    const names = { user: 'constructor', branch: 'toString', opaqueId: 'valueOf' }
    const line = { id: 'constructor', product: 'constructor', category: 'toString', amount: 10 }
    const sale = { customer, card, ...names, items: [line, { ...line, id: 'toString' }] }
    const sold = await own.call('POST', '/v1/transactions/process', sale)
    expect(findUndocumented(document, sold)).toEqual([])
    expect(sold.body.executedActions).toMatchObject({
      collectables: { points: { value: 0, total: 15 } },
      coupons: [{ reward: { key: 'constructor' } }],
    })
    const items = [{ id: 'constructor', quantity: 1 }]
    const back = await own.call('POST', `/v1/transactions/${sold.body.id}/return`, { items })
    expect([back.status, findUndocumented(document, back)]).toEqual([201, []])
    const unknown = await own.call('POST', `/v1/transactions/${sold.body.id}/return`, {
      items: [{ id: 'valueOf', quantity: 1 }],
    })
    expect(unknown.status).toBe(400)
    for (const path of ['/v1/reports/summary', `/v1/customers/${customer}/export`]) {
      const reply = await own.call('GET', path)
      expect([path, reply.status, findUndocumented(document, reply)]).toEqual([path, 200, []])
    }
    expect((await own.call('GET', '/v1/integrity')).body.ok).toBe(true)
  })
})
