/** The demo café with its past: that it is whole, plausible and consistent, and that it is told once, whatever happens. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Checkout,
  type DemoFile,
  makeCheckout,
  readDemo,
  type Service,
  urlOf,
} from '../support/checkout.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

const days = 90
const dayMs = 86_400_000
const patienceMs = 480_000
/** A start that fills has some seven thousand statements to run beside everything else. */
const fillingMs = 400_000

/** How far noon is in the café. Told today, its past would be that of another day as soon as it is midnight there. */
const noonMs = untilNoon()
const now = () => Date.now() + noonMs
/** For the service, which then takes it for noon: loaded before its own code. */
const atNoon = `--import data:text/javascript,${encodeURIComponent(`
  const RealDate = Date
  globalThis.Date = class extends RealDate {
    constructor(...args) { super(...(args.length > 0 ? args : [RealDate.now() + ${noonMs}])) }
    static now() { return RealDate.now() + ${noonMs} }
  }`)}`
const withPast = { DEMO_DAYS: String(days), NODE_OPTIONS: atNoon }

let checkout: Checkout
let dataDir: string
let service: Service
let demo: DemoFile
let get: Get
let database: TestDatabase

beforeAll(async () => {
  ;[checkout, database] = await Promise.all([makeCheckout(), createTestDatabase()])
  dataDir = await checkout.newDataDir()
})

afterAll(async () => {
  await checkout.remove()
  await database.close()
})

test('a first start fills the café and says so in one line', { timeout: patienceMs }, async () => {
  service = await checkout.start({ DATA_DIR: dataDir, ...withPast }, undefined, fillingMs)
  console.log(`with ${days} days in the demo, the first start answered after ${service.answeredAfterMs} ms`)
  expect(service.stdout().match(/filling the demo café/g)).toHaveLength(1)
  expect(service.stdout()).toMatch(/since \d{4}-\d\d-\d\d\. Look around at http\S+\/console\n/)
  expect((await fetch(`${service.baseUrl}/readyz`)).status).toBe(200)
  demo = await readDemo(dataDir)
  get = await callerOf(demo)
})

test('there are customers, visits on every day, and coupons and sales in every state', async () => {
  const { customers, expired, adjusted, returned } = await get(`/v1/reports/summary?${pastDays()}`)
  expect(customers).toBeGreaterThanOrEqual(200)
  expect(expired.beans).toBeGreaterThan(0)
  expect(adjusted.points).not.toBe(0)
  expect(returned.points).toBeLessThan(0)
  const { data } = await get(`/v1/reports/daily?${pastDays()}`)
  expect(data).toHaveLength(days)
  expect(data.filter((day: { transactions: number }) => day.transactions === 0)).toEqual([])
  for (const status of [1, 3, 4, 5])
    expect((await getAll(get, `/v1/coupons?status=${status}`)).length, `coupons ${status}`).toBeGreaterThan(3)
  for (const status of [1, 2, 3]) {
    const found = await getAll(get, `/v1/transactions?status=${status}`)
    expect(found.length, `transactions ${status}`).toBeGreaterThan(5)
  }
  expect((await getAll(get, '/v1/customers?status=2')).length).toBe(1)
})

test('everything lies at its time: ids and moments ascend together, and nothing is ahead', async () => {
  for (const list of ['/v1/transactions', '/v1/coupons']) {
    const created = (await getAll(get, list)).map(({ createdAt }) => Date.parse(createdAt))
    expect(created[0]).toBeLessThanOrEqual(now())
    expect(created.at(-1)).toBeLessThan(now() - (days - 15) * dayMs)
    const back = created.filter((at, i) => i > 0 && at > created[i - 1]!)
    expect(back).toEqual([])
  }
  const sales = await getAll(get, '/v1/transactions')
  const late = sales.filter(({ createdAt, occurredAt }) => Date.parse(occurredAt) > Date.parse(createdAt))
  expect(late).toEqual([])
  const branches = new Set(sales.map(({ branch }) => JSON.stringify(branch)))
  expect(branches.size).toBe(3)
})

test('guests can be reached by nobody: numbers kept for fiction, addresses in domains for examples', async () => {
  const guests = (await getAll(get, '/v1/customers')).map(({ data }) => data)
  const phones = guests.flatMap(({ phone }) => phone ?? [])
  const emails = guests.flatMap(({ email }) => email ?? [])
  expect(phones.length).toBeGreaterThan(100)
  expect(emails.length).toBeGreaterThan(100)
  expect(phones.filter((phone) => !/^\+1\d{3}55501\d\d$/.test(phone))).toEqual([])
  expect(emails.filter((email) => !/@example\.(?:com|org|net)$/.test(email))).toEqual([])
  // The tour of the README registers people there.
  expect(phones.filter((phone) => phone.startsWith('+1202'))).toEqual([])
})

test('the campaigns: one in its second version with tiers that were reached, one paused, one a draft', async () => {
  const campaigns = await getAll(get, '/v1/campaigns')
  const states = campaigns.map(({ name, status, version }) => `${name} ${status} ${version}`)
  expect(states.sort()).toEqual([
    'Coffee club published 2',
    'Happy hour published 1',
    'Iced drinks club draft 0',
    'Student mornings paused 1',
  ])
  expect(campaigns.find(({ id }) => id === demo.campaignId)).toMatchObject({ name: 'Coffee club' })
  const actions = (await getAll(get, '/v1/transactions')).flatMap((sale) => sale.executedActions.actions)
  const tiers = new Set(actions.flatMap(({ type, tier }) => (type === 'change_tier' ? tier : [])))
  expect([...tiers].sort()).toEqual(['bronze', 'gold', 'silver'])
})

test('the audit log tells who ran it, by the operations of the API, at the times of the story', async () => {
  const { paths } = await get('/openapi.json')
  const operations = Object.values<Record<string, { operationId?: string }>>(paths)
    .flatMap((methods) => Object.values(methods))
    .map(({ operationId }) => operationId)
  const entries = await getAll(get, '/v1/audit')
  expect(entries.filter(({ action }) => !operations.includes(action))).toEqual([])
  const campaigns = entries.filter(({ subject }) => subject.kind === 'campaign').reverse()
  expect(campaigns.map(({ by, action, subject }) => `${by.name} ${action} ${subject.name}`)).toEqual([
    'Olivia Owner createCampaign Coffee club',
    'Olivia Owner publishCampaign Coffee club',
    'Olivia Owner createCampaign Happy hour',
    'Olivia Owner publishCampaign Happy hour',
    'Max Manager createCampaign Student mornings',
    'Max Manager publishCampaign Student mornings',
    'Olivia Owner patchCampaign Coffee club',
    'Olivia Owner publishCampaign Coffee club',
    'Max Manager pauseCampaign Student mornings',
    'Max Manager createCampaign Iced drinks club',
  ])
  const paused = await get(`/v1/campaigns/${campaigns.at(-2).subject.id}`)
  expect(campaigns.at(-2).at).toBe(paused.updatedAt)
  expect(entries.filter(({ action }) => action === 'adjustBalance').length).toBeGreaterThan(5)
  const times = entries.map(({ at }) => Date.parse(at))
  expect(times).toEqual(times.toSorted((a, b) => b - a))
  expect(times[0]).toBeLessThan(now())
})

test('the request log has calls of the till, some of them refused, and says nothing of the guests', async () => {
  const calls = await getAll(get, `/v1/requests?${pastDays()}`)
  const told = calls.map(({ method, route, status, errorCode = '' }) =>
    [method, route, status, errorCode].join(' ').trim(),
  )
  expect(told.toReversed().slice(-8)).toEqual([
    'GET /v1/customers/find 404 customer_not_found',
    'POST /v1/customers/register 201',
    'POST /v1/transactions/validate 400 _invalid_payload',
    'POST /v1/transactions/validate 200',
    'POST /v1/transactions/process 201',
    'POST /v1/transactions/process 201',
    'POST /v1/transactions/validate 400 insufficient_points',
    'GET /v1/customers/{id} 200',
  ])
  expect(told.slice(8)).toHaveLength(16)
  expect(new Set(told.slice(8))).toEqual(
    new Set(['GET /v1/customers/find 200', 'POST /v1/transactions/validate 200']),
  )
  const whole = JSON.stringify(await Promise.all(calls.map(({ id }) => get(`/v1/requests/${id}`))))
  expect(whole).toContain('Flat white')
  expect(whole).not.toMatch(/555 ?01|@example|Rosa/)
})

test('the café has a colour and a logo, and rewards with the sign of its money', async () => {
  const { color, logo } = await get('/v1/organization')
  expect(color).toMatch(/^#[0-9a-f]{6}$/)
  expect(Buffer.from(logo.split(',')[1], 'base64').toString()).toMatch(/^<svg .*<\/svg>$/s)
  const { rewards } = await get(`/v1/campaigns/${demo.campaignId}`)
  expect(rewards.map(({ name }: { name: string }) => name)).toEqual(['Free coffee', '$5 off'])
})

test('a new customer meets the rules of the README', async () => {
  const registered = await get('/v1/customers/register', {
    campaignId: demo.campaignId,
    customer: { data: { fullname: 'Ada Lovelace' } },
  })
  expect(registered.collectables).toEqual({ points: { value: 0, total: 0 }, stamps: { value: 0, total: 0 } })
  const sale = await get('/v1/transactions/process', {
    customer: registered.id,
    card: registered.cards[0].id,
    items: [{ product: 'latte', quantity: 10, unitPrice: 3.5 }],
  })
  expect(sale.executedActions.collectables).toEqual({
    points: { value: 350, total: 350 },
    stamps: { value: 0, total: 10 },
  })
  expect(sale.executedActions.coupons).toMatchObject([{ reward: { key: 'free-coffee' } }])
})

test('the books agree, asked through the service and on the command line', async () => {
  expect(await get('/v1/integrity')).toMatchObject({ ok: true, problems: [] })
  const verified = await checkout.run(['verify-ledger', '--json'], { DATA_DIR: dataDir })
  expect(verified.code).toBe(0)
  expect(JSON.parse(verified.stdout).ok).toBe(true)
})

let whole: unknown

test('the next start does not fill it again', { timeout: patienceMs }, async () => {
  whole = await figuresOf(get)
  await service.end('SIGTERM')
  service = await checkout.start({ DATA_DIR: dataDir, ...withPast })
  expect(service.stdout()).not.toMatch(/filling the demo café/)
  expect(await figuresOf(await callerOf(await readDemo(dataDir)))).toEqual(whole)
  await service.end('SIGTERM')
})

test('killed or stopped in the middle, it comes to the same end', { timeout: patienceMs }, async () => {
  const settings = {
    DATABASE_URL: urlOf(database.connection),
    DEMO: '1',
    DATA_DIR: await checkout.newDataDir(),
    ...withPast,
  }
  for (const { signal, sales, code } of [
    { signal: 'SIGKILL', sales: 40, code: null },
    { signal: 'SIGTERM', sales: 300, code: 0 },
    { signal: 'SIGKILL', sales: 900, code: null },
  ] as const) {
    const starting = checkout.run(['serve'], settings)
    while ((await countSales()) < sales) await new Promise((done) => setTimeout(done, 5))
    checkout.signalNewest(signal)
    const ended = await starting
    expect(ended).toMatchObject({ code, stderr: '' })
    expect(ended.stdout).not.toMatch(/is ready at/)
  }
  const interrupted = await countSales()
  // Whatever is set by then: a café is not left half filled.
  const finished = await checkout.start({ ...settings, DEMO_DAYS: '0' }, undefined, fillingMs)
  expect(await countSales()).toBeGreaterThan(interrupted)
  const ask = await callerOf(await readDemo(settings.DATA_DIR))
  expect(await figuresOf(ask)).toEqual(whole)
  expect(await ask('/v1/integrity')).toMatchObject({ ok: true, problems: [] })
  await finished.end('SIGTERM')
  // Erasing a guest looks for the answers that are kept of them, and would find no others.
  const kept = 'SELECT reply::text FROM idempotency_keys WHERE customer_id IS NULL'
  const replies = (await database.pool.query(kept)).rows.map(({ reply }) => reply)
  expect(replies.length).toBeGreaterThan(20)
  expect(replies.filter((reply) => /fullname|phone|email|reason/.test(reply))).toEqual([])
})

test('tokens that end after a second keep no café from being filled', { timeout: patienceMs }, async () => {
  const settings = { DATA_DIR: await checkout.newDataDir(), DEMO_DAYS: '2' }
  const filled = await checkout.start({ ...settings, ACCESS_TOKEN_TTL: '1' }, undefined, fillingMs)
  await filled.end('SIGTERM')
  // Our own token is to live for longer than it takes to ask.
  const started = await checkout.start(settings)
  const ask = await callerOf(await readDemo(settings.DATA_DIR))
  const refused = (await ask('/v1/requests?limit=100')).data.filter(
    ({ status }: { status: number }) => status === 401,
  )
  expect(refused).toEqual([])
  await started.end('SIGTERM')
})

test('with no days the café is bare, and stays so', { timeout: patienceMs }, async () => {
  const bare = await checkout.newDataDir()
  for (const DEMO_DAYS of ['0', String(days)]) {
    const started = await checkout.start({ DATA_DIR: bare, DEMO_DAYS })
    expect(started.stdout()).not.toMatch(/filling the demo café/)
    const ask = await callerOf(await readDemo(bare))
    expect((await ask('/v1/customers')).data).toEqual([])
    await started.end('SIGTERM')
  }
})

async function countSales(): Promise<number> {
  const { rows } = await database.pool.query('SELECT count(*)::int AS count FROM transactions')
  return rows[0].count
}

// biome-ignore lint/suspicious/noExplicitAny: read the way a client would.
type Get = (path: string, body?: object) => Promise<any>

async function callerOf({ baseUrl, apiKey, apiSecret }: DemoFile): Promise<Get> {
  const issued = await fetch(`${baseUrl}/auth/token`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'x-api-secret': apiSecret },
  })
  const { accessToken } = (await issued.json()) as { accessToken: string }
  return async (path, body) => {
    const reply = await fetch(baseUrl + path, {
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${accessToken}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      body: body && JSON.stringify(body),
    })
    expect(reply.ok, `${path}: ${reply.status}`).toBe(true)
    return reply.json()
  }
}

/** All pages of a list. */
// biome-ignore lint/suspicious/noExplicitAny: read the way a client would.
async function getAll(ask: Get, path: string): Promise<any[]> {
  const all = []
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor; isFirst = false) {
    const page = await ask(
      `${path}${path.includes('?') ? '&' : '?'}limit=100${cursor ? `&cursor=${cursor}` : ''}`,
    )
    all.push(...page.data)
    cursor = page.nextCursor
  }
  return all
}

/** The days before today, as the café counts them. */
function pastDays(): string {
  return `from=${localDay(now() - days * dayMs)}&to=${localDay(now() - dayMs)}`
}

function localDay(atMs: number): string {
  return new Date(atMs).toLocaleDateString('sv', { timeZone: 'America/New_York' })
}

function untilNoon(): number {
  const at = new Date()
  const hour = at.toLocaleString('en', { timeZone: 'America/New_York', hour: 'numeric', hourCycle: 'h23' })
  return (12 - Number(hour)) * 3_600_000
}

/** What must come out the same on every fill: everything but ids, and but what goes on today. */
async function figuresOf(ask: Get) {
  const sales = await getAll(ask, `/v1/transactions?${pastDays()}`)
  const audit = await getAll(ask, `/v1/audit?${pastDays()}`)
  const calls = await getAll(ask, `/v1/requests?${pastDays()}`)
  return {
    audit: audit.map(({ at, by, action }) => [at, by.name, action]),
    calls: calls.map(({ route, status }) => [route, status]),
    summary: await ask(`/v1/reports/summary?${pastDays()}`),
    days: (await ask(`/v1/reports/daily?${pastDays()}`)).data,
    sales: sales
      .map(({ opaqueId, status, createdAt, payableAmount }) => [opaqueId, status, createdAt, payableAmount])
      .sort(),
  }
}
