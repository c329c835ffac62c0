/**
 * Whatever a client types where an id belongs, the logs that merchants read do not keep it: a cashier may have
 * scanned a phone number into the field for coupons. Every text of every request is tried, and the ones that may
 * stay are listed here; so are names that no schema knows.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Call, callsOf, type OpenApiDocument } from '../../src/http/openapi/reference/document.ts'
import { type Attempt, rightAttempt } from '../contract/attempts.ts'
import { listIdPlaces } from '../contract/id-places.ts'
import { createWorld, recipeOf } from '../contract/recipes.ts'
import { someOf } from '../support/full.ts'
import { type Method, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let document: OpenApiDocument
beforeAll(async () => {
  service = await startTestService()
  document = (await service.call('GET', '/openapi.json')).body
})
afterAll(() => service.close())

/** IDs and names of the merchant's own goods, places and staff; SECURITY.md says that they stay. */
const mayStay = [
  /^(?:POST|PATCH) \/v1\/campaigns.* (?!.*<name>)/,
  /^(?:POST|PATCH) \/v1\/(?:products|branches|users)\S* (?:opaqueId|name|category)$/,
  /^POST \/v1\/(?:connections|test-organizations) name$/,
  /^(?:POST|PATCH) \/v1\/webhooks\S* description$/,
  /^(?:POST|PATCH) \/v1\/sources\S* (?:name|mapping|topic|signatureHeader)$/,
  /^PATCH \/v1\/organization name$/,
  // What the merchant tells all customers.
  /^PATCH \/v1\/organization contact\.(?:address|openingHours|consentText)$/,
  // The merchant's mail server, and the words of all messages.
  /^PUT \/v1\/senders\/email host$/,
  /^(?:PUT|POST) \/v1\/message-kinds\/\S* subject$/,
  / items\[0\]\.(?:id|product|name|category)$/,
  / (?:user|branch|opaqueId)$/,
  / \?(?:opaqueId|branch)$/,
]

/**
 * As a name, as a phone number in national format, which no pattern can tell from a number, and as the number of
 * a payment card, which has as many digits as a barcode.
 */
const marks = [
  (n: number) => `Quixwort${n}z`,
  (n: number) => `${2_026_660_000 + n}`,
  (n: number) => `${4_111_111_111_110_000 + n}`,
]

test('nothing typed in the place of an id is kept, nor a name that no schema knows', async () => {
  const world = await createWorld(service)
  const places = new Map<string, string>()
  let sent = 0
  let turn = 0
  const send = async (call: Call, place: string, make: (mark: string) => Partial<Attempt>) => {
    for (const mark of someOf(marks, 3, ++turn)) {
      const text = mark(places.size)
      places.set(text, `${call.method} ${call.path} ${place}`)
      const { address = '', payload, token, headers } = make(text)
      await service.call(call.method as Method, address, {
        body: payload,
        token,
        headers: { ...headers, ...(payload && { 'content-type': 'application/json' }) },
      })
      // Of many at once, only some are kept.
      if (++sent % 10 === 0) await service.flushRequests()
    }
  }
  for (const call of callsOf(document).filter(({ path }) => path.startsWith('/v1/'))) {
    const recipe = () => recipeOf(`${call.method} ${call.path}`, world)!
    for (const { name, callWith } of listIdPlaces(document, call, recipe)) await send(call, name, callWith)
    await send(call, '?<name>', (text) => {
      const right = rightAttempt(recipe())
      return { ...right, address: `${right.address}${right.address.includes('?') ? '&' : '?'}${text}=1` }
    })
    if (recipe().bodies.length === 0) continue
    await send(call, '<name>', (text) => ({
      ...rightAttempt(recipe()),
      payload: JSON.stringify({ ...recipe().bodies[0], [text]: { [text]: text } }),
    }))
  }
  await service.flushRequests()
  const rows = await logged()
  expect(rows.length).toBeGreaterThan(sent * 0.9)
  const kept = rows.flatMap((row) => {
    const found = row.match(/Quixwort\d+z|(?<!\d)(?:202666|411111111111)\d{4}(?!\d)/g) ?? []
    return found.map((text) => ({ place: places.get(text)!, row }))
  })
  const wrong = kept.filter(({ place }) => !mayStay.some((pattern) => pattern.test(place)))
  expect(Object.fromEntries(wrong.map(({ place, row }) => [place, row.slice(0, 2_000)]))).toEqual({})
  // What may stay does: without that, not finding the rest would mean nothing.
  expect(kept.some(({ place }) => place.endsWith('items[0].product'))).toBe(true)
})

test('nor in places that are in no recipe', async () => {
  const world = await createWorld(service)
  const { call } = world.merchant
  const { transaction, campaign, card, customer } = world.ids
  const name = 'Zebulon Quixwort'
  const items = [{ id: name, amount: 1 }, { amount: 2 }]
  const wrong: Parameters<typeof call>[] = [
    ['POST', `/v1/transactions/${transaction}/return`, { items: [{ id: name, quantity: 1 }] }],
    ['POST', `/v1/transactions/${transaction}/return/validate`, { items: [{ id: name, quantity: 1 }] }],
    ['POST', '/v1/transactions/process', { customer, card, items: [...items, ...items] }],
    ['GET', '/v1/reports/daily?from=Quixwort&to=Zebulon'],
    ['POST', '/v1/connections', { name: 'A', scopes: ['pos', 'Quixwort'] }],
    [
      'POST',
      `/v1/campaigns/${campaign}/preview`,
      { amount: 1, wallet: { collectables: { Quixwort: { value: 1 } } } },
    ],
    ['GET', `/v1/customers/quixwort_${'0'.repeat(32)}`],
    ['GET', '/v1/transactions?customer=Quixwort'],
  ]
  for (const [i, each] of wrong.entries()) {
    const reply = await call(...each)
    const logged = await call('GET', `/v1/requests/${await world.merchant.lastRequest()}`)
    expect([i, logged.body.status]).toEqual([i, reply.status])
    // The items of a sale stay, unless it is refused for them.
    const kept = i === 2 ? logged.text.match(/Quixwort/g)?.length : logged.text.match(/quixwort/gi)
    expect([i, kept ?? null]).toEqual([i, i === 2 ? 1 : null])
  }
})

test('nor by a log that has no time to read bodies', async () => {
  const hurried = await startTestService({ maxRedactMs: 0 })
  try {
    const merchant = await hurried.createMerchant()
    await merchant.call('POST', '/v1/products', { opaqueId: 'a', Quixwort: 1 })
    const newest = await merchant.call('GET', `/v1/requests/${await merchant.lastRequest()}`)
    expect(newest.body).toMatchObject({ status: 400, replyBody: { message: '_invalid_payload' } })
    expect(newest.text).not.toContain('Quixwort')
  } finally {
    await hurried.close()
  }
})

test('nor a request id of a form that might name a person', async () => {
  const merchant = await service.createMerchant()
  for (const id of [
    '2026661234',
    'Quixwort',
    'tel:2026661234-2026661234',
    'zebulon-quixwort-zebulon-quixwort',
  ]) {
    await merchant.call('GET', '/v1/cards/x', undefined, { 'x-request-id': id })
    const newest = await merchant.call('GET', `/v1/requests/${await merchant.lastRequest()}`)
    expect(newest.body).toMatchObject({ requestId: '[redacted]', replyBody: { requestId: '[redacted]' } })
    expect(newest.text).not.toContain(id)
  }
  for (const id of ['9f1c2d3e-4b5a-4c6d-8e7f-0a1b2c3d4e5f', '01ARZ3NDEKTSV4RRFFQ69G5FAV']) {
    await merchant.call('GET', '/v1/cards/x', undefined, { 'x-request-id': id })
    const newest = await merchant.call('GET', `/v1/requests/${await merchant.lastRequest()}`)
    expect(newest.body.requestId).toBe(id)
  }
})

async function logged(): Promise<string[]> {
  const { rows } = await service.database.pool.query<{ row: string }>(
    `SELECT row_to_json(t)::text AS row FROM http_requests t
     UNION ALL SELECT row_to_json(t)::text FROM audit_entries t`,
  )
  return rows.map(({ row }) => row)
}
