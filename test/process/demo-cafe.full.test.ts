/** The demo café with its past: that it is complete, plausible and consistent, and that there is one, whatever happens. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Checkout,
  type DemoFile,
  makeCheckout,
  ownSecrets,
  readDemo,
  type Service,
  type Settings,
  urlOf,
} from '../support/checkout.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { runForJson } from '../support/run-command.ts'

const days = 90
const dayMs = 86_400_000
const patienceMs = 480_000
/** A start that fills has thousands of statements to run beside everything else. */
const fillingMs = 400_000

/** How far noon is in the café. Filled today, its past would be that of another day as soon as it is midnight there. */
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
/** Newest first. */
let sales: Body[]
let coupons: Body[]
let database: TestDatabase | undefined

beforeAll(async () => {
  checkout = await makeCheckout()
  dataDir = await checkout.newDataDir()
})

afterAll(async () => {
  await checkout.remove()
  await database?.close()
})

test('a first start fills the café and says so in one line', { timeout: patienceMs }, async () => {
  service = await checkout.start({ DATA_DIR: dataDir, ...withPast }, undefined, fillingMs)
  console.log(`with ${days} days in the demo, the first start answered after ${service.answeredAfterMs} ms`)
  expect(service.stdout().match(/filling the demo café/g)).toHaveLength(1)
  expect(service.stdout()).toMatch(/since \d{4}-\d\d-\d\d\. Look around at http\S+\/console\n/)
  expect((await fetch(`${service.baseUrl}/readyz`)).status).toBe(200)
  demo = await readDemo(dataDir)
  get = await callerOf(demo)
  ;[sales, coupons] = [await getAll(get, '/v1/transactions'), await getAll(get, '/v1/coupons')]
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
  const countOf = (list: Body[], status: number) => list.filter((item) => item.status === status).length
  for (const status of [1, 3, 4, 5]) expect(countOf(coupons, status), `coupons ${status}`).toBeGreaterThan(3)
  for (const status of [1, 2, 3]) expect(countOf(sales, status), `transactions ${status}`).toBeGreaterThan(5)
  expect((await getAll(get, '/v1/customers?status=2')).length).toBe(1)
})

test('everything lies at its time: ids and moments ascend together, and nothing is ahead', async () => {
  for (const list of [sales, coupons]) {
    const created = list.map(({ createdAt }) => Date.parse(createdAt))
    expect(created[0]).toBeLessThanOrEqual(now())
    expect(created.at(-1)).toBeLessThan(now() - (days - 15) * dayMs)
    const back = created.filter((at, i) => i > 0 && at > created[i - 1]!)
    expect(back).toEqual([])
  }
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
  const actions = sales.flatMap((sale) => sale.executedActions.actions)
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
  expect(whole).not.toMatch(/(?:\+|%2B)1\D{0,3}\d{3}\D{0,3}555\D{0,3}01|\d{3} 555 01|@example|Rosa/)
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
  expect(await runForJson(['verify-ledger'], { DATA_DIR: dataDir })).toMatchObject({ code: 0, ok: true })
})

test('the next start keeps it as it is', { timeout: patienceMs }, async () => {
  const before = await figuresOf(get)
  await service.end('SIGTERM')
  service = await checkout.start({ DATA_DIR: dataDir, ...withPast })
  expect(service.stdout()).not.toMatch(/filling the demo café/)
  const { baseUrl } = service
  const after = await readDemo(dataDir)
  expect(after).toEqual({ ...demo, baseUrl, consoleUrl: `${baseUrl}/console` })
  expect(await figuresOf(await callerOf(after))).toEqual(before)
  await service.end('SIGTERM')
})

/** Enough for many sales, and few to wait for. */
const fewDays = { DEMO: '1', DEMO_DAYS: '7', NODE_OPTIONS: atNoon }
let undisturbed: unknown

test('two that start at once share one café', { timeout: patienceMs }, async () => {
  const settings = await newSettings({ ...fewDays, ...ownSecrets })
  const other = { ...settings, DATA_DIR: await checkout.newDataDir() }
  const services = await Promise.all(
    [settings, other].map((own) => checkout.start(own, undefined, fillingMs)),
  )
  expect(services.filter(({ stdout }) => stdout().includes('filling the demo café'))).toHaveLength(1)
  for (const { stdout } of services) expect(stdout()).toContain('Ctrl-C stops the service.\n')
  const [demo, sameDemo] = await Promise.all([settings, other].map((own) => readDemo(own.DATA_DIR)))
  expect(sameDemo!.organizationId).toBe(demo!.organizationId)
  undisturbed = await figuresOf(await callerOf(demo!))
  expect(await figuresOf(await callerOf(sameDemo!))).toEqual(undisturbed)
  await Promise.all(services.map(({ end }) => end('SIGTERM')))
})

test('killed while it is filled, it is filled anew', { timeout: patienceMs }, async () => {
  const settings = await newSettings(fewDays)
  await interrupt(settings, 'SIGKILL')
  const started = await checkout.start(settings, undefined, fillingMs)
  const ask = await callerOf(await readDemo(settings.DATA_DIR))
  expect(await figuresOf(ask)).toEqual(undisturbed)
  expect(await ask('/v1/integrity')).toMatchObject({ ok: true, problems: [] })
  for (const table of ['organizations', 'integrations']) expect(await countRows(table)).toBe(1)
  await started.end('SIGTERM')
  const tables = await query(
    `SELECT table_name AS name FROM information_schema.columns WHERE column_name = 'org_id'`,
  )
  expect(tables.length).toBeGreaterThan(20)
  for (const { name } of tables) {
    // The platform has work of its own.
    const left = `${name} WHERE org_id > 0 AND org_id <> (SELECT org_id FROM organizations)`
    expect([name, await countRows(left)]).toEqual([name, 0])
  }
})

test('a database with a real merchant gets no demo, and loses one that was partly filled', {
  timeout: patienceMs,
}, async () => {
  const settings = await newSettings(fewDays)
  await interrupt(settings, 'SIGTERM')
  const created = await checkout.run(['organization', 'create', 'Real', '--json'], settings)
  const started = await checkout.start(settings)
  expect(started.stdout()).toContain('This database already has organizations, so there is no demo.')
  await expect(readDemo(settings.DATA_DIR)).rejects.toThrow('ENOENT')
  await started.end('SIGTERM')
  expect(created.code).toBe(0)
  expect(await query('SELECT name FROM organizations')).toEqual([{ name: 'Real' }])
  expect(await countRows('transactions')).toBe(0)
})

test('tokens that end after a second keep no café from being filled', {
  timeout: patienceMs,
}, async () => {
  const settings = await newSettings({ DEMO: '1', DEMO_DAYS: '2', ACCESS_TOKEN_TTL: '1' })
  const started = await checkout.start(settings, undefined, fillingMs)
  await started.end('SIGTERM')
  expect(await countRows('http_requests')).toBeGreaterThan(8)
  expect(await countRows('http_requests WHERE status = 401')).toBe(0)
})

test('with no days the café is empty, and stays so', { timeout: patienceMs }, async () => {
  const settings = await newSettings({ DEMO: '1' })
  const first = await checkout.start(settings)
  const { organizationId, ...before } = await readDemo(settings.DATA_DIR)
  // A user of the same name as one of those who are there when a café is to be filled.
  await (await callerOf(before))('/v1/users', { opaqueId: 'barista-maya' })
  await first.end('SIGTERM')
  const second = await checkout.start({ ...settings, DEMO_DAYS: String(days) })
  for (const { stdout } of [first, second]) expect(stdout()).not.toMatch(/filling the demo café/)
  const after = await readDemo(settings.DATA_DIR)
  expect(after.organizationId).toBe(organizationId)
  expect((await (await callerOf(after))('/v1/customers')).data).toEqual([])
  await second.end('SIGTERM')
})

/** For a service on a new database, which `database` is from then on, with a new data folder. */
async function newSettings<S extends Settings>(settings: S) {
  await database?.close()
  database = await createTestDatabase()
  return {
    DATABASE_URL: urlOf(database.connection),
    DATA_DIR: await checkout.newDataDir(),
    ...settings,
  }
}

/** Starts a service that has much to fill, and ends it when it has sold a hundred times. */
async function interrupt(settings: Settings, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  const starting = checkout.run(['serve'], { ...settings, DEMO_DAYS: String(days) })
  while ((await countRows('transactions')) < 100) await new Promise((done) => setTimeout(done, 5))
  checkout.signalNewest(signal)
  const ended = await starting
  expect(ended).toMatchObject({ code: signal === 'SIGTERM' ? 0 : null, stderr: '' })
  expect(ended.stdout).not.toMatch(/is ready at/)
}

async function countRows(of: string): Promise<number> {
  return (await query(`SELECT count(*)::int AS count FROM ${of}`))[0].count
}

async function query(sql: string) {
  return (await database!.pool.query(sql)).rows
}

// biome-ignore lint/suspicious/noExplicitAny: read the way a client would.
type Body = any
type Get = (path: string, body?: object) => Promise<Body>

async function callerOf({
  baseUrl,
  apiKey,
  apiSecret,
}: Pick<DemoFile, 'baseUrl' | 'apiKey' | 'apiSecret'>): Promise<Get> {
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
async function getAll(ask: Get, path: string): Promise<Body[]> {
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
