import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audit } from '../support/audit.ts'
import { expectRefusal } from '../support/expect-refusal.ts'
import { type Merchant, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let merchant: Merchant
let campaign: string

const club = {
  name: 'Coffee club',
  balances: [
    { key: 'points', name: 'Points', expires: { after: 'P12M' } },
    { key: 'stamps', name: 'Stamps', expires: { inactivity: 'P6M' } },
    { key: 'credit', name: 'Credit', decimals: 2 },
  ],
  rules: [
    { id: 'base', kind: 'points_per_amount', balance: 'points', points: 1, per: 1 },
    { id: 'stamp', kind: 'collect_per_visit', balance: 'stamps', amount: 1 },
  ],
  rewards: [{ key: 'gift', name: 'Gift', kind: 'amount_off', amount: 5 }],
  thresholds: [
    { balance: 'points', at: 100, grant: 'gift' },
    { balance: 'stamps', at: 5, grant: 'gift', consume: true },
  ],
  tiers: [{ balance: 'points', key: 'gold', name: 'Gold', from: 500 }],
}

beforeAll(async () => {
  service = await startTestService()
  service.setTime(new Date('2026-03-14T12:00:00Z'))
  merchant = await service.createMerchant({ country: 'AT', timezone: 'Europe/Vienna' })
  campaign = await merchant.publishCampaign(club)
})
afterAll(async () => {
  expect(await audit(service.database.pool)).toEqual([])
  await service.close()
})

const begin = async (more: object = {}, of = merchant) => {
  const reply = await of.call('POST', '/v1/imports', { kind: 'customers', ...more })
  expect(reply.status, reply.text).toBe(201)
  return reply.body.id as string
}
const send = async (id: string, rows: object[], after = 0, of = merchant) => {
  const reply = await of.call('POST', `/v1/imports/${id}/rows`, { after, rows })
  expect(reply.status, reply.text).toBe(200)
  return reply.body
}
/** In an import of its own. */
const bring = async (rows: object[], more: object = {}) => send(await begin({ campaign, ...more }), rows)
const codes = ({ rows }: { rows: { row: number; problems: { field: string; code: string }[] }[] }) =>
  rows.flatMap(({ row, problems }) => problems.map(({ field, code }) => `${row} ${field} ${code}`))
const find = async (email: string) =>
  (await merchant.call('GET', `/v1/customers?q=${email}`)).body.data.find(
    ({ data }: { data: { email?: string } }) => data.email?.toLowerCase() === email,
  )
const ledger = async (id: string) => (await merchant.call('GET', `/v1/customers/${id}/ledger`)).body.data
const verify = async () => (await merchant.call('GET', '/v1/integrity')).body

test('a row becomes a customer with consents, card, balances and lots', async () => {
  const before = (await merchant.call('GET', '/v1/events?limit=100')).body
  const id = await begin({ campaign, fileName: 'old.csv', fileHash: 'ada', columns: { Mail: 'email' } })
  const counts = await send(id, [
    {
      row: 2,
      opaqueId: 'crm-1',
      fullname: ' Ada Lovelace ',
      email: 'Ada@Example.com',
      phone: '0664 1234567',
      language: 'DE',
      consents: { marketing: true },
      metaData: { birthday: '1815-12-10' },
      cards: [{ barcode: 'OLD-0001' }],
      balances: [
        { key: 'points', total: 620, lots: [{ amount: 120, expiresAt: '2026-12-31' }, { amount: 30 }] },
        { key: 'stamps', lots: [{ amount: 12 }] },
        { key: 'credit', lots: [{ amount: 7.5 }] },
      ],
    },
  ])
  expect(counts).toEqual({ created: 1, updated: 0, unchanged: 0, rejected: 0, rows: [] })
  const ada = await find('ada@example.com')
  expect(ada).toMatchObject({
    opaqueId: 'crm-1',
    data: { fullname: 'Ada Lovelace', email: 'Ada@Example.com', phone: '+436641234567' },
    language: 'de',
    consents: { marketing: true, history: [{ purpose: 'marketing', given: true, via: 'import' }] },
    metaData: { birthday: '1815-12-10' },
    cards: [{ barcode: 'OLD-0001', status: 1, campaign }],
    collectables: {
      points: { value: 150, total: 620 },
      stamps: { value: 12, total: 12 },
      credit: { value: 7.5, total: 7.5 },
    },
    tiers: [{ key: 'gold' }],
  })
  const { expiring, coupons } = (await merchant.call('GET', `/v1/customers/${ada.id}`)).body
  // A day is one on which it can still be used, in the organization's time zone.
  expect(expiring).toContainEqual({ key: 'points', amount: 120, at: '2026-12-31T23:00:00.000Z' })
  // It expires by inactivity, which counts from the import.
  expect(expiring).toContainEqual({ key: 'stamps', amount: 12, at: expect.stringMatching(/^2026-09-14/) })
  expect(coupons).toEqual([])
  expect(
    (await ledger(ada.id)).map(({ kind, key, amount, total }: never) => [kind, key, amount, total]),
  ).toEqual([
    ['opening', 'stamps', 12, 12],
    ['opening', 'points', 30, 620],
    ['opening', 'points', 120, 620],
    ['opening', 'credit', 7.5, 7.5],
  ])
  const done = await merchant.call('POST', `/v1/imports/${id}/finish`)
  expect(done.body).toMatchObject({ status: 'finished', created: 1, lastRow: 2, columns: { Mail: 'email' } })
  // No event for each customer, one for the import.
  const after = (await merchant.call('GET', `/v1/events?after=${before.cursor}`)).body.data
  expect(after.map(({ type, data }: never) => [type, data])).toEqual([
    ['import.finished', expect.objectContaining({ import: id, kind: 'customers', created: 1 })],
  ])
  expect((await verify()).ok).toBe(true)
})

describe('the card and the balances are like others', () => {
  test('the barcode is scanned, thresholds count from the next sale, and the lots expire', async () => {
    await bring([
      {
        row: 1,
        email: 'sale@example.com',
        cards: [{ barcode: 'OLD-0002' }],
        balances: [
          { key: 'points', lots: [{ amount: 990, expiresAt: '2026-04-30T10:00:00Z' }] },
          { key: 'stamps', lots: [{ amount: 4 }] },
        ],
      },
    ])
    const sale = await merchant.call('POST', '/v1/transactions/process', { barcode: 'OLD-0002', amount: 20 })
    expect(sale.status, sale.text).toBe(201)
    // Nine multiples of 100 were passed elsewhere; this sale has passed the tenth, and the fifth stamp.
    expect(
      sale.body.executedActions.actions.filter(({ type }: never) => type === 'grant_coupon'),
    ).toHaveLength(2)
    const returned = await merchant.call('POST', `/v1/transactions/${sale.body.id}/return`, {})
    expect(returned.status, returned.text).toBe(201)
    const customer = await find('sale@example.com')
    expect(customer.collectables).toMatchObject({ points: { value: 990, total: 990 }, stamps: { value: 4 } })
    service.setTime(new Date('2026-05-01T00:00:00Z'))
    const call = await merchant.signIn()
    const later = (await call('GET', `/v1/customers/${customer.id}`)).body
    expect(later.collectables.points).toEqual({ value: 0, total: 990 })
    service.setTime(new Date('2026-03-14T12:00:00Z'))
  })
})

describe('a file that is sent again', () => {
  const rows = [
    {
      row: 1,
      email: 'again@example.com',
      cards: [{ barcode: 'AGAIN-1' }],
      balances: [{ key: 'points', lots: [{ amount: 40 }] }],
    },
    { row: 2, phone: '0664 7654321', fullname: 'By phone' },
  ]

  test('changes nothing, in the same import and in another', async () => {
    const id = await begin({ campaign })
    const first = await send(id, rows)
    expect(first).toMatchObject({ created: 2 })
    expect(await send(id, rows)).toEqual(first)
    expect(await bring(rows)).toMatchObject({ created: 0, updated: 0, unchanged: 2, rejected: 0 })
    expect(await bring(rows, { existing: 'update' })).toMatchObject({ unchanged: 2 })
    const { id: customer, cards, collectables } = await find('again@example.com')
    expect(cards).toHaveLength(1)
    expect(collectables.points).toEqual({ value: 40, total: 40 })
    expect(await ledger(customer)).toHaveLength(1)
  })

  test('a corrected file never doubles a balance: the difference is named', async () => {
    const corrected = [{ ...rows[0], balances: [{ key: 'points', lots: [{ amount: 45 }] }] }]
    expect(codes(await bring(corrected))).toEqual(['1 balances.points differs'])
    // Also after the balance has moved, and without the barcode.
    const { id } = await find('again@example.com')
    await merchant.call('POST', `/v1/customers/${id}/adjustments`, {
      key: 'points',
      amount: -10,
      reason: 'x',
    })
    expect(await bring([{ ...rows[0], cards: undefined }])).toMatchObject({ unchanged: 1 })
    expect((await find('again@example.com')).collectables.points.value).toBe(30)
  })

  test('other contents of the same rows are refused, and so are rows out of order', async () => {
    const id = await begin({ campaign })
    await send(id, rows)
    const other = { after: 0, rows: [{ row: 1, email: 'other@example.com' }] }
    expectRefusal(await merchant.call('POST', `/v1/imports/${id}/rows`, other), 409, 'import_rows_differ')
    const swapped = { after: 5, rows: [{ row: 5, email: 'other@example.com' }] }
    expectRefusal(await merchant.call('POST', `/v1/imports/${id}/rows`, swapped), 400, '_invalid_payload')
  })

  test('sent ten times at once it is written once', async () => {
    const id = await begin({ campaign })
    const many = Array.from({ length: 50 }, (_, i) => ({
      row: i + 1,
      email: `race-${i}@example.com`,
      balances: [{ key: 'points', lots: [{ amount: 5 }] }],
    }))
    const other = await begin({ campaign })
    const replies = await Promise.all([
      ...Array.from({ length: 5 }, () => send(id, many)),
      ...Array.from({ length: 5 }, () =>
        send(
          other,
          many.toReversed().map((row, i) => ({ ...row, row: i + 1 })),
        ),
      ),
    ])
    const created = replies.map((reply) => reply.created)
    expect(new Set(created.slice(0, 5)).size).toBe(1)
    expect(created[0] + created[5]).toBe(50)
    expect((await verify()).ok).toBe(true)
  })
})

test('known customers keep their profile, and get a card and a balance that they lack', async () => {
  const registered = await merchant.call('POST', '/v1/customers', {
    data: { email: 'known@example.com', fullname: 'Known' },
  })
  const row = {
    row: 1,
    email: 'KNOWN@example.com',
    fullname: 'Renamed',
    consents: { marketing: true },
    balances: [{ key: 'points', lots: [{ amount: 9 }] }],
  }
  expect(await bring([row])).toMatchObject({ updated: 1 })
  const kept = await find('known@example.com')
  expect(kept).toMatchObject({ id: registered.body.id, data: { fullname: 'Known' } })
  expect(kept.cards).toHaveLength(1)
  expect(kept.collectables.points.value).toBe(9)
  expect(await bring([row], { existing: 'update' })).toMatchObject({ updated: 1 })
  expect(await find('known@example.com')).toMatchObject({
    data: { fullname: 'Renamed' },
    consents: { marketing: true },
  })
})

test('opening balances count toward the total only if the import says so', async () => {
  await bring(
    [{ row: 1, email: 'total@example.com', balances: [{ key: 'points', lots: [{ amount: 9 }] }] }],
    {
      countTowardTotal: false,
    },
  )
  expect((await find('total@example.com')).collectables.points).toEqual({ value: 9, total: 0 })
})

test('every problem is named by row and field, in a dry run and otherwise, and nothing of the row is stored', async () => {
  await bring([
    { row: 1, email: 'taken@example.com', phone: '0664 1111111', cards: [{ barcode: 'TAKEN-1' }] },
  ])
  await bring([{ row: 1, email: 'second@example.com', cards: [{ barcode: 'TAKEN-2' }] }])
  const gone = await find('second@example.com')
  await merchant.call('POST', `/v1/customers/${gone.id}/erase`)
  const rows = [
    { row: 2, email: 'not an address', phone: '12', language: 'fr', opaqueId: 'x'.repeat(300) },
    { row: 3, email: 'fine@example.com', balances: [{ key: 'miles', lots: [{ amount: 1 }] }] },
    { row: 4, email: 'a@example.com', balances: [{ key: 'points', lots: [{ amount: 1.5 }] }] },
    { row: 5, email: 'b@example.com', balances: [{ key: 'points', lots: [{ amount: -1 }] }] },
    {
      row: 6,
      email: 'c@example.com',
      balances: [{ key: 'points', lots: [{ amount: 1, expiresAt: '2020-01-01' }] }],
    },
    {
      row: 7,
      email: 'd@example.com',
      balances: [{ key: 'points', lots: [{ amount: 1, expiresAt: 'soon' }] }],
    },
    { row: 8, email: 'e@example.com', cards: [{ barcode: 'with space' }] },
    { row: 9, email: 'f@example.com', cards: [{ campaign: 'No such', barcode: 'NEW-1' }] },
    { row: 10, email: 'g@example.com', phone: '0664 1111111', cards: [{ barcode: 'TAKEN-2' }] },
    { row: 11, email: 'taken@example.com', cards: [{ barcode: 'OTHER-1' }] },
    { row: 12, email: 'h@example.com', consents: { 'Not a purpose': true } },
    { row: 13, email: 'twice@example.com' },
    { row: 14, email: 'TWICE@example.com', fullname: 'B' },
    { row: 15, metaData: { note: 'no way to find them' } },
    { row: 16, email: 'ok@example.com', problems: [{ field: 'row', code: 'unreadable' }] },
  ]
  const expected = [
    '2 phone invalid',
    '2 email invalid',
    '2 language invalid',
    '2 opaqueId too_long',
    '3 balances.miles unknown',
    '4 balances.points invalid',
    '5 balances.points invalid',
    '6 balances.points.expiresAt past',
    '7 balances.points.expiresAt invalid',
    '8 barcode invalid',
    '9 barcode unknown',
    // Whoever was erased does not come back with a file.
    '10 barcode taken',
    '10 phone taken',
    '11 barcode differs',
    '12 consents invalid',
    '14 email duplicate',
    '15 email missing',
    '16 row unreadable',
  ]
  const dry = await begin({ campaign, dryRun: true })
  const checked = await send(dry, rows)
  expect(codes(checked)).toEqual(expected)
  expect(checked).toMatchObject({ created: 1, rejected: 14 })
  expect(await find('twice@example.com')).toBeUndefined()
  const id = await begin({ campaign })
  expect(codes(await send(id, rows))).toEqual(expected)
  expect((await find('twice@example.com')).data).toEqual({ email: 'twice@example.com' })
  for (const email of ['fine', 'a', 'b', 'ok']) expect(await find(`${email}@example.com`)).toBeUndefined()

  // Page by page, with a sentence for each.
  const listed: { row: number; problems: { message: string }[] }[] = []
  let cursor = ''
  do {
    const page = (await merchant.call('GET', `/v1/imports/${id}/rejected?limit=5${cursor}`)).body
    listed.push(...page.data)
    cursor = page.nextCursor ? `&cursor=${page.nextCursor}` : ''
  } while (cursor)
  expect(codes({ rows: listed } as never)).toEqual(expected)
  expect(listed.find(({ row }) => row === 14)!.problems[0]!.message).toBe('email: the same as in row 13.')
  // Nothing of the rows is kept with the import.
  const { rows: kept } = await service.database.pool.query('SELECT problems::text FROM import_chunks')
  expect(kept.map(({ problems }) => problems).join()).not.toMatch(/example|0664|TAKEN/)
})

test('the row to resume after is the last one before the first gap', async () => {
  const id = await begin({ dryRun: true })
  const lastRow = async () => (await merchant.call('GET', `/v1/imports/${id}`)).body.lastRow
  await send(id, [{ row: 8, fullname: 'C' }], 6)
  expect(await lastRow()).toBe(0)
  await send(id, [{ row: 2, fullname: 'A' }])
  expect(await lastRow()).toBe(2)
  await send(
    id,
    [
      { row: 3, fullname: 'B' },
      { row: 6, fullname: 'B' },
    ],
    2,
  )
  expect(await lastRow()).toBe(8)
})

test('a finished import takes no rows; finishing again changes nothing', async () => {
  const id = await begin({ fileHash: 'finished' })
  const list = async (status: string) =>
    (await merchant.call('GET', `/v1/imports?fileHash=finished&status=${status}`)).body.data.length
  expect([await list('open'), await list('finished')]).toEqual([1, 0])
  const done = await merchant.call('POST', `/v1/imports/${id}/finish`)
  expect((await merchant.call('POST', `/v1/imports/${id}/finish`)).body).toEqual(done.body)
  expect([await list('open'), await list('finished')]).toEqual([0, 1])
  const more = { after: 0, rows: [{ row: 1, fullname: 'A' }] }
  expectRefusal(await merchant.call('POST', `/v1/imports/${id}/rows`, more), 409, 'import_finished')
})

test('products and branches are added, and changed only if the import may', async () => {
  const rows = [
    { row: 2, opaqueId: 'imported-latte', name: 'Latte', category: 'coffee', price: 3.8 },
    { row: 3, name: 'No ID' },
    { row: 4, opaqueId: 'imported-latte' },
    { row: 5, opaqueId: 'dear', price: 1e12 },
  ]
  const id = await begin({ kind: 'products' })
  const reply = await send(id, rows)
  expect(reply).toMatchObject({ created: 1, rejected: 3 })
  expect(codes(reply)).toEqual(['3 opaqueId missing', '4 opaqueId duplicate', '5 price invalid'])
  const latte = async () =>
    (await merchant.call('GET', '/v1/products?q=imported-latte')).body.data[0] as Record<string, unknown>
  expect(await latte()).toMatchObject({ name: 'Latte', category: 'coffee', price: 3.8 })
  const dearer = [{ row: 2, opaqueId: 'imported-latte', price: 4 }]
  expect(await send(await begin({ kind: 'products' }), dearer)).toMatchObject({ unchanged: 1 })
  expect(await send(await begin({ kind: 'products', existing: 'update' }), dearer)).toMatchObject({
    updated: 1,
  })
  expect(await latte()).toMatchObject({ name: 'Latte', category: 'coffee', price: 4 })
  const branches = await begin({ kind: 'branches' })
  expect(await send(branches, [{ row: 1, opaqueId: 'harbor', name: 'Harbor' }])).toMatchObject({ created: 1 })
  const sale = { barcode: 'OLD-0001', amount: 1, branch: 'harbor' }
  expect((await merchant.call('POST', '/v1/transactions/process', sale)).status).toBe(201)
})

test('another organization sees nothing of an import', async () => {
  const id = await begin()
  const other = await service.createMerchant()
  expectRefusal(await other.call('GET', `/v1/imports/${id}`), 404, 'import_not_found')
  const body = { after: 0, rows: [{ row: 1, fullname: 'A' }] }
  expectRefusal(await other.call('POST', `/v1/imports/${id}/rows`, body), 404, 'import_not_found')
  expectRefusal(
    await other.call('POST', '/v1/imports', { kind: 'customers', campaign }),
    400,
    'invalid_campaign',
  )
})

test('what is exported is imported elsewhere, and comes out the same', async () => {
  const exported = async (of: Merchant) => {
    const { data } = (await of.call('GET', '/v1/exports/customers')).body
    return data.map(({ id: _, ...customer }: { id: string }) => customer)
  }
  const first = await exported(merchant)
  expect(first.length).toBeGreaterThan(50)
  const other = await service.createMerchant({ country: 'AT', timezone: 'Europe/Vienna' })
  await other.publishCampaign(club)
  const id = await begin({}, other)
  const rows = first.map((customer: object, i: number) => ({ row: i + 1, ...customer }))
  const reply = await send(id, rows, 0, other)
  expect(reply.rows).toEqual([])
  expect(await exported(other)).toEqual(first)
})
