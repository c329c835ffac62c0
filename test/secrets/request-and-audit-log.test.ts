/** The two logs that merchants read hold nothing of a customer, whichever way it was sent; so nothing is left there to erase. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { redact } from '../../src/http/redaction/redact.ts'
import { type Merchant, startTestService, type TestService } from '../support/service.ts'

let service: TestService
let merchant: Merchant
let campaign: string
beforeAll(async () => {
  service = await startTestService()
  merchant = await service.createMerchant()
  campaign = await merchant.publishCampaign()
})
afterAll(() => service.close())

const person = {
  data: { phone: '+1 (202) 555-0147', email: 'Gone.Person@secret.example', fullname: 'Wilhelmina Vanishing' },
  metaData: { shoe: 'meta-mark', deep: [{ er: 'meta-mark' }] },
  consents: { marketing: true },
  opaqueId: 'opaque-mark',
}
const marks = [
  '555-0147',
  '5550147',
  'secret.example',
  'wilhelmina',
  'vanishing',
  'meta-mark',
  'opaque-mark',
  'mark-of',
]

/** What the two logs hold, or every table. */
async function contents(tables?: readonly string[]): Promise<string> {
  const { pool } = service.database
  const { rows } = await pool.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
  )
  const names = tables ?? rows.map(({ name }) => name)
  const texts = await Promise.all(names.map((name) => pool.query(`SELECT t::text AS row FROM "${name}" t`)))
  return texts
    .flatMap(({ rows }) => rows.map(({ row }) => row))
    .join('\n')
    .toLowerCase()
}

const logs = ['http_requests', 'audit_entries']

function expectNone(text: string): void {
  for (const mark of marks) {
    const at = text.indexOf(mark)
    expect([mark, at < 0 ? '' : text.slice(Math.max(0, at - 200), at + 100)]).toEqual([mark, ''])
  }
}

/** Each by itself, since of many at once not all are kept. */
async function send(...call: Parameters<Merchant['call']>) {
  const reply = await merchant.call(...call)
  await service.flushRequests()
  return reply
}

test('a customer’s whole life leaves ids and numbers in the logs, and nothing else', async () => {
  const registered = await send('POST', '/v1/customers/register', { campaignId: campaign, customer: person })
  expect(registered.status).toBe(201)
  const customer = registered.body.id
  const card = registered.body.cards[0].id
  const items = [{ product: 'latte', quantity: 10, amount: 30 }]
  const basket = { customer, card, items, metaData: { name: 'Wilhelmina', note: 'meta-mark' } }
  const sale = await send('POST', '/v1/transactions/process', basket)
  expect(sale.status).toBe(201)
  await send('POST', `/v1/transactions/${sale.body.id}/return`, { reason: 'mark-of a return of Wilhelmina' })
  await send('POST', `/v1/customers/${customer}/adjustments`, {
    key: 'points',
    amount: 5,
    reason: 'mark-of thanks',
  })
  await send('PATCH', `/v1/customers/${customer}`, {
    data: { fullname: 'Wilhelmina V.' },
    opaqueId: 'opaque-mark-2',
  })
  for (const q of ['+12025550147', '2025550147', 'Gone.Person@secret.example'])
    expect((await send('GET', `/v1/customers/find?q=${encodeURIComponent(q)}`)).status).toBe(200)
  expect((await send('GET', '/v1/customers?q=Wilhelmina')).body.data).toHaveLength(1)
  for (const path of ['', '/transactions', '/ledger', '/coupons', '/export'])
    expect((await send('GET', `/v1/customers/${customer}${path}`)).status).toBe(200)
  await send('GET', `/v1/transactions/${sale.body.id}`)
  await send('GET', `/v1/transactions?customer=${customer}`)
  await send('POST', `/v1/customers/${customer}/block`)

  // What is looked for is there, and the calls are in the log: else not finding it would mean nothing.
  const all = await contents()
  for (const mark of ['5550147', 'wilhelmina', 'meta-mark', 'opaque-mark', 'mark-of'])
    expect(all).toContain(mark)
  const kept = await contents(logs)
  for (const seen of [customer, card, sale.body.id, '[redacted]', '/v1/customers/find', 'adjustbalance'])
    expect(kept).toContain(seen)
  expectNone(kept)

  expect((await send('POST', `/v1/customers/${customer}/erase`)).status).toBe(200)
  expectNone(await contents())
})

test('nor does a client that puts a person where none belongs', async () => {
  const name = 'Wilhelmina Vanishing'
  const phone = '+12025550147'
  const wrong: Parameters<Merchant['call']>[] = [
    ['POST', '/v1/customers', { data: name }],
    ['POST', '/v1/customers', { data: { fullName: name, name, phone: 12025550147 } }],
    ['POST', '/v1/customers', name],
    ['POST', '/v1/customers', [name]],
    ['POST', '/v1/customers/register', { campaignId: name, customer: name }],
    ['POST', '/v1/customers/register', { campaignId: campaign, customer: [person] }],
    ['POST', '/v1/customers/register', { campaignId: campaign, customer: { id: name, name, data: name } }],
    ['POST', '/v1/customers/register', { campaignId: campaign, customer: { ...person, name, [name]: name } }],
    ['POST', '/v1/transactions/process', { customer: name, card: phone, note: name, amount: 1 }],
    ['POST', '/v1/transactions/process', { customer: { name }, card: { number: phone }, items: name }],
    [
      'POST',
      '/v1/transactions/process',
      { ...{ customer: 'x', card: 'y' }, items: [{ id: 'a', guest: name }] },
    ],
    ['POST', '/v1/transactions/process', { customer: 'x', card: 'y', metaData: name }],
    ['POST', '/v1/transactions/process', { barcode: phone, amount: 1 }],
    ['POST', '/v1/transactions/process', { barcode: name, amount: 1 }],
    ['POST', `/v1/transactions/${encodeURIComponent(phone)}/return`, { reason: name, items: name }],
    ['POST', '/v1/products', { opaqueId: 'x', name: 'Latte', person: name }],
    ['GET', `/v1/customers/${encodeURIComponent(name)}`],
    ['GET', `/v1/customers/${encodeURIComponent(phone)}/ledger`],
    ['GET', `/v1/cards/${encodeURIComponent('gone.person@secret.example')}`],
    ['GET', '/v1/cards/%00'],
    ['GET', `/v1/transactions?customer=${encodeURIComponent(name)}&who=${encodeURIComponent(name)}`],
    ['GET', '/v1/organization', undefined, { 'x-request-id': 'gone.person@secret.example' }],
  ]
  for (const call of wrong) await send(...call)
  const { rows } = await service.database.pool.query('SELECT count(*)::int AS n FROM http_requests')
  expect(rows[0].n).toBeGreaterThan(wrong.length)
  expectNone(await contents(logs))
})

test('nor does a search for one who works there', async () => {
  await send('POST', '/v1/users', { opaqueId: 'till-7', name: 'Wilhelmina Vanishing' })
  for (const call of [merchant.call, await merchant.connect(['pos'])]) {
    await call('GET', '/v1/users?q=Wilhelmina%20Vanishing&limit=7')
    await service.flushRequests()
  }
  const kept = await contents(logs)
  expect(kept.match(/q"+:"+\[redacted\]"+,"+limit/g)).toHaveLength(2)
  expectNone(kept)
})

test('what helps to find a mistake stays readable', () => {
  const body = {
    customer: 'cus_019a83f2c1d27b3a9e5f6d7c8b9a0f1e',
    items: [{ product: 'latte', name: 'Latte', amount: 3.5 }],
    key: 'points',
    executedActions: { skipped: [{ rule: 'double', reason: 'branch' }], actions: [] },
    createdAt: '2026-03-14T09:26:53.589Z',
    is: null,
  }
  expect(redact(body, { route: '/v1/transactions/process' })).toEqual({ value: body, isTruncated: false })
})

test('a text is blotted before it is cut, and cut where it is too long', () => {
  const { value, isTruncated } = redact(
    { note: `${'x'.repeat(990)} gone.person@secret.example` },
    { route: '/v1/x' },
  )
  expect(isTruncated).toBe(true)
  expect(JSON.stringify(value)).not.toContain('gone')
})
