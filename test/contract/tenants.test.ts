import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Call, OpenApiDocument } from '../../src/http/openapi/reference/document.ts'
import { findCall, findUndocumented } from '../support/expect-documented.ts'
import { isFull, someOf } from '../support/full.ts'
import {
  type Merchant,
  type Method,
  type Reply,
  startTestService,
  type TestService,
} from '../support/service.ts'
import { rightAttempt } from './attempts.ts'
import { type IdPlace, listIdPlaces } from './id-places.ts'
import { createWorld, recipeOf, shareWorlds, type World } from './recipes.ts'
import { createIds, type Ids, idsTakenBy, listRoutes, probes } from './route-table.ts'
import { type Changes, findOrgNumber, watchChanges } from './watch-changes.ts'

let service: TestService
let document: OpenApiDocument
let changes: Changes
let mine: Merchant
let shared: World
let theirs: Merchant
let theirOrg: number
let foreign: Ids
let secrets: Record<string, string>
const inWorld = shareWorlds()

beforeAll(async () => {
  service = await startTestService()
  // As on a computer that is infinitely fast: no token ends meanwhile, and no guess is forgiven.
  service.holdTime()
  document = (await service.call('GET', '/openapi.json')).body
  mine = await service.createMerchant()
  shared = await createWorld(service, mine)
  await mine.call('POST', '/v1/customers', { data: { email: 'findable@example.com' } })
  theirs = await service.createMerchant()
  theirOrg = await findOrgNumber(service.database.pool, theirs.id)
  foreign = await createIds(theirs)
  secrets = await writeSecrets(foreign)
  changes = await watchChanges(service.database.pool)
})
afterAll(() => service.close())

/** What the other organization calls its things, and what its customer is called. */
async function writeSecrets(ids: Ids): Promise<Record<string, string>> {
  const data = { email: 'secret@theirs.example', phone: '+12025550100', fullname: 'Their Customer' }
  await theirs.call('PATCH', `/v1/customers/${ids.customer}`, { data, opaqueId: 'their-opaque' })
  const receipt = {
    customer: ids.customer,
    card: ids.card,
    opaqueId: 'their-sale',
    branch: 'their-branch',
  }
  const sale = await theirs.call('POST', '/v1/transactions/process', receipt)
  const { body: taken } = await theirs.call('POST', `/v1/transactions/${sale.body.id}/return`)
  const { barcode } = (await theirs.call('GET', `/v1/cards/${ids.card}`)).body
  const { email, phone } = data
  return {
    ...ids,
    return: taken.id,
    organization: theirs.id,
    connection: theirs.connection,
    integration: theirs.integration,
    email,
    phone,
    barcode,
    opaqueId: 'their-opaque',
    receipt: 'their-sale',
    place: 'their-branch',
  }
}

let unknowns = 0

/** A value of the same form that nobody has, never the same twice: the call before may have given it to somebody. */
function unknownLike(value: string): string {
  const n = ++unknowns
  const digits = (count: number) => Array.from(randomBytes(count), (byte) => byte % 10).join('')
  const prefix = /^([a-z]+)_[0-9a-f]{32}$/.exec(value)?.[1]
  if (prefix) return `${prefix}_${randomBytes(16).toString('hex')}`
  if (value.includes('@')) return `u${n}@nobody.example`
  if (value.startsWith('+')) return `+49160${10_000_000 + n}`
  if (/^\d+$/.test(value)) return digits(value.length)
  return value.replaceAll(/[a-z]/g, () => String.fromCharCode(97 + (randomBytes(1)[0]! % 26)))
}

/** What a caller can learn from a reply, whichever value was sent: ids, times and sums are each call's own. */
function seen(reply: Reply, sent: string): string {
  const body = JSON.stringify(reply.body ?? '')
    .replaceAll(sent, '<sent>')
    .replaceAll(encodeURIComponent(sent), '<sent>')
    .replaceAll(/\blwi_\d+-[\w-]{43}/g, '<link>')
    .replaceAll(/\b([a-z]+)_[0-9a-f]{32}\b/g, '<$1>')
    .replaceAll(/\/(w|inbound)\/[\w-]{54}"/g, '/$1/<address>"')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/\b(lw[ks])_[\w-]+/g, '<$1>')
    .replaceAll(/\bwhsec_[\w+/]+=*/g, '<whsec>')
    .replaceAll(/made-\d+/g, '<made>')
    // A small part of a sale gives back a whole point only now and then.
    .replaceAll(/\{"type":"return"[^}]*\}/g, '')
    .replaceAll(/"requestId":"[^"]+"/g, '"requestId":<any>')
    .replaceAll(/-?\d+(?:\.\d+)?/g, '<number>')
  return `${reply.status} ${body}`
}

test('every route of an organization has a probe, and no probe is of a route that is gone', () => {
  const routes = listRoutes(service)
    .filter((route) => route.access === 'organization')
    .map((route) => route.name)
  expect(routes.toSorted()).toEqual(Object.keys(probes).toSorted())
})

test('all routes outside the organizations are known', () => {
  const others = listRoutes(service)
    .filter((route) => route.access !== 'organization' && !route.path.startsWith('/admin/v1/'))
    .map((route) => route.name)
  expect(others.toSorted()).toEqual([
    'DELETE /auth/session',
    'DELETE /auth/sessions',
    'GET /auth/session',
    'GET /livez',
    'GET /metrics',
    'GET /readyz',
    // Each opens one card of one organization, by an address that names both and cannot be made up.
    'GET /w/{token}/card',
    'GET /w/{token}/code128.svg',
    'GET /w/{token}/icon.svg',
    'GET /w/{token}/link',
    'GET /w/{token}/manifest.webmanifest',
    'GET /w/{token}/qr.svg',
    'GET /w/{token}/visits',
    'GET /w/{token}/visits/{id}',
    'POST /auth/forgotten-password',
    'POST /auth/invitation',
    'POST /auth/password',
    'POST /auth/refreshtoken',
    'POST /auth/session',
    'POST /auth/session/organization',
    'POST /auth/token',
    'POST /w/{token}/link',
  ])
  for (const route of listRoutes(service))
    if (route.path.startsWith('/admin/v1/'))
      expect([route.name, route.access]).toEqual([route.name, 'operator'])
})

describe('what is another organization’s looks exactly like what nobody has, wherever it is sent', () => {
  let pairs = 0

  test.each(Object.keys(probes))('%s', async (route) => {
    const call = findCall(document, route)
    if (call.method === 'GET') await comparePlaces(route, call, shared)
    else await inWorld(service, (world) => comparePlaces(route, call, world))
  })

  async function comparePlaces(route: string, call: Call, world: World): Promise<void> {
    const isRead = call.method === 'GET'
    const places = listIdPlaces(document, call, () => recipeOf(route, world)!)
    const kinds = new Set(places.flatMap(({ kind }) => kind ?? []))
    expect([...kinds].toSorted()).toEqual(idsTakenBy(probes[route]!).toSorted())
    const problems: string[] = []
    const touched = new Set<string>()
    await changes()
    for (const place of places) {
      for (const kind of place.kind ? [place.kind] : kindsFor(places.length)) {
        await makeRoom(route, world)
        const withForeign = await send(call, place, secrets[kind]!)
        const unknown = unknownLike(secrets[kind]!)
        const withUnknown = await send(call, place, unknown)
        // Once for a call that only reads: nothing at all may have changed by its end.
        const changed = isRead ? [] : await changes()
        for (const what of changed) touched.add(what)
        pairs++
        const at = `${place.name} with a ${kind}`
        const [left, right] = [seen(withForeign, secrets[kind]!), seen(withUnknown, unknown)]
        if (left !== right) problems.push(`${at}: ${left} but of nobody ${right}`)
        if (withForeign.status >= 400 && changed.length > 0)
          problems.push(`${at}: refused and changed ${changed}`)
        problems.push(...[withForeign, withUnknown].flatMap((reply) => findUndocumented(document, reply)))
        if (place.kind) problems.push(...(await checkRefused(call, place, withUnknown)))
      }
    }
    expect(problems.slice(0, 10), `${problems.length} problems`).toEqual([])
    for (const what of await changes()) touched.add(what)
    expect([...touched].filter((what) => isRead || what.endsWith(` of ${theirOrg}`))).toEqual([])
    await makeRoom(route, world)
    // Without this the calls could be refused for any other reason.
    const right = rightAttempt(recipeOf(route, world)!)
    const reply = await service.call(call.method as Method, right.address, {
      body: right.payload,
      token: right.token,
      headers: { ...jsonType(right.payload), ...right.headers },
    })
    expect(reply.status < 300 || reply.body?.description).toBe(true)
  }

  /** There may be so many of them only. */
  async function makeRoom(route: string, { merchant, ids }: World): Promise<void> {
    const own: Record<string, string> = {
      'POST /v1/test-organizations': ids.testOrganization,
      'POST /v1/sources': ids.source,
    }
    if (!own[route]) return
    const path = route.split(' ')[1]!
    const { data } = (await merchant.call('GET', path)).body
    const others = data.filter(({ id }: { id: string }) => id !== own[route])
    for (const { id } of others) await merchant.call('DELETE', `${path}/${id}`)
    await changes()
  }

  test('and these were not a few', () => {
    expect(pairs).toBeGreaterThan(isFull ? 1_000 : 200)
  })
})

let turn = 0

/**
 * Where no id belongs any might slip in. In a body of many texts each gets a third of them, and in the quick check
 * every place a sixteenth of that.
 */
function kindsFor(places: number): readonly string[] {
  turn++
  const kinds = Object.keys(secrets)
  const own = places < 25 ? kinds : kinds.filter((_, n) => n % 3 === turn % 3)
  return someOf(own, 16, Math.floor(turn / 3))
}

function send(call: Call, place: IdPlace, value: string): Promise<Reply> {
  const { address, payload, token, headers } = place.callWith(value)
  return service.call(call.method as Method, address, {
    body: payload,
    token,
    headers: { ...jsonType(payload), ...headers },
  })
}

function jsonType(payload: unknown): Record<string, string> {
  return payload === undefined ? {} : { 'content-type': 'application/json' }
}

/** Lists of what somebody did or was shown: of nobody there is nothing. */
const filters = ['listTransactions', 'listEvents', 'listRequests', 'listAuditEntries', 'listOwnConnections']

/** Where an id belongs, one that nobody has is refused as such; and what cannot be an id, in the same words. */
async function checkRefused(call: Call, place: IdPlace, withUnknown: Reply): Promise<string[]> {
  const garbage = await send(call, place, 'garbage')
  const isSame = garbage.status === withUnknown.status && garbage.body.message === withUnknown.body.message
  const same = isSame ? [] : [`${place.name}: garbage got ${garbage.text}, an unknown id ${withUnknown.text}`]
  const isRefused =
    withUnknown.status < 400
      ? filters.includes(call.operationId) && withUnknown.body.data.length === 0
      : /_not_found$|^invalid_/.test(withUnknown.body.message)
  return isRefused ? same : [...same, `${place.name}: an unknown id got ${withUnknown.text}`]
}

describe('what another organization has is never shown', () => {
  test.each(Object.entries(probes).filter(([name]) => name.startsWith('GET') && !name.includes('{')))(
    '%s',
    async (_name, probe) => {
      const { path } = probe(shared.ids)
      const { text } = await mine.call(
        'GET',
        path.split('?')[0] === '/v1/transactions' ? '/v1/transactions' : path,
      )
      for (const id of Object.values(foreign)) expect(text).not.toContain(id)
      expect(text).not.toContain(theirs.id)
      expect(text).not.toMatch(/secret@theirs|5550100|Their Customer|their-opaque/)
    },
  )

  test('find and filters do not reach over', async () => {
    const card = (await theirs.call('GET', `/v1/cards/${foreign.card}`)).body
    for (const q of ['secret@theirs.example', '+12025550100', card.barcode]) {
      expect((await theirs.call('GET', `/v1/customers/find?q=${encodeURIComponent(q)}`)).status).toBe(200)
      expect((await mine.call('GET', `/v1/customers/find?q=${encodeURIComponent(q)}`)).status).toBe(404)
    }
    for (const q of ['Their', 'their-opaque', '555'])
      expect((await mine.call('GET', `/v1/customers?q=${q}`)).body.data).toEqual([])
  })

  test('a cursor of another organization shows only what is one’s own', async () => {
    await createIds(theirs)
    const { nextCursor } = (await theirs.call('GET', '/v1/customers?limit=1')).body
    const { status, text } = await mine.call('GET', `/v1/customers?cursor=${nextCursor}`)
    expect(status).toBe(200)
    expect(text).not.toContain(foreign.customer)
  })
})

test('receipt numbers and idempotency keys of one organization are free in another', async () => {
  const basket = async (merchant: Merchant) => {
    const { customer, card } = await createIds(merchant)
    return merchant.call(
      'POST',
      '/v1/transactions/process',
      { customer, card, opaqueId: 'shared-receipt' },
      { 'idempotency-key': 'shared-key' },
    )
  }
  expect((await basket(mine)).status).toBe(201)
  const second = await basket(theirs)
  expect(second.status).toBe(201)
  expect(second.headers['idempotent-replayed']).toBeUndefined()
})

test('after all this the other organization’s things are as they were', async () => {
  expect((await theirs.call('GET', `/v1/customers/${foreign.customer}`)).body).toMatchObject({
    status: 1,
    data: { fullname: 'Their Customer' },
    collectables: { points: { value: 20, total: 20 } },
    coupons: [{ id: foreign.coupon, status: 1 }],
  })
  expect((await theirs.call('GET', `/v1/cards/${foreign.card}`)).body.status).toBe(1)
  expect((await theirs.call('GET', `/v1/campaigns/${foreign.campaign}`)).body).toMatchObject({
    name: 'Probe',
    status: 'published',
  })
  expect((await theirs.call('GET', `/v1/transactions/${foreign.transaction}`)).body.status).toBe(1)
  for (const [list, id] of [
    ['products', foreign.product],
    ['branches', foreign.branch],
    ['users', foreign.user],
  ])
    expect((await theirs.call('GET', `/v1/${list}/${id}`)).body.name).toBeUndefined()
})
