import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Checkout, makeCheckout, type Service, urlOf } from '../support/checkout.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { coffeeClub } from '../support/service.ts'

// A service at its most talkative, a day's work with secrets we know, some of it going wrong. Then we look for them.
const settings = {
  ADMIN_TOKEN: 'known-admin-token-7d1c5b8e2f',
  JWT_SECRET: 'known-jwt-secret-4b9f3a7c1e5d8f2b6a0c',
  CREDENTIAL_PEPPER: 'known-pepper-9e3d7c1b5a8f2e6d0c4b',
  LOG_LEVEL: 'trace',
  DEMO: '0',
}
const person = { phone: '+12025550147', email: 'ada.known@example.com', fullname: 'Ada Knownname' }

// biome-ignore lint/suspicious/noExplicitAny: read the way a client would.
type Body = any

let checkout: Checkout
let database: TestDatabase
let service: Service
let till: Record<string, string>
/** What only its owner may know. */
const secrets = new Set<string>(Object.values(settings).filter((value) => value.startsWith('known')))
const replies: string[] = []
const listings: string[] = []

async function send(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: unknown,
): Promise<Body> {
  const reply = await fetch(service.baseUrl + path, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await reply.text()
  if (reply.status >= 400) replies.push(text)
  return { ...JSON.parse(text), status: reply.status }
}

/** Command lines of every process on this computer, as any of its users can list them. */
async function listProcesses(): Promise<string> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const lines = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')))
  return lines.join('\n')
}

beforeAll(async () => {
  ;[checkout, database] = await Promise.all([makeCheckout(), createTestDatabase()])
  service = await checkout.start({ ...settings, DATABASE_URL: urlOf(database.connection), WORKERS: '2' })
  await work()
  listings.push(await listProcesses())
})
afterAll(async () => {
  await checkout.remove()
  await database.close()
})

async function work(): Promise<void> {
  const admin = { authorization: `Bearer ${settings.ADMIN_TOKEN}` }
  const organization = await send('POST', '/admin/v1/organizations', admin, { name: 'Known' })
  const integration = await send('POST', '/admin/v1/integrations', admin, { name: 'Till' })
  const connect = { integration: integration.id, scopes: ['pos', 'manage'] }
  const connection = await send(
    'POST',
    `/admin/v1/organizations/${organization.id}/connections`,
    admin,
    connect,
  )
  const overlap = { overlapSeconds: 3_600 }
  const rotatedKey = await send('POST', `/admin/v1/integrations/${integration.id}/rotate`, admin, overlap)
  const rotated = await send('POST', `/admin/v1/connections/${connection.id}/rotate`, admin, overlap)
  for (const one of [integration.apiKey, connection.apiSecret, rotatedKey.apiKey, rotated.apiSecret]) {
    expect(one).toMatch(/^lw[ks]_/)
    secrets.add(one)
  }
  const pair = { 'x-api-key': integration.apiKey, 'x-api-secret': connection.apiSecret }
  const issued = await send('POST', '/auth/token', pair)
  const renewed = await send('POST', '/auth/refreshtoken', {}, issued)
  await send('POST', '/auth/refreshtoken', {}, issued)
  for (const token of [issued, renewed]) secrets.add(token.accessToken).add(token.refreshToken)
  await send('POST', '/auth/token', {
    'x-api-key': integration.apiKey,
    'x-api-secret': 'lws_guessed-wrong-0123456789',
  })
  await send('GET', '/v1/transactions', { authorization: `Bearer ${issued.accessToken}x` })
  await send('GET', '/admin/v1/organizations', { authorization: `Bearer ${issued.accessToken}` })

  till = { authorization: `Bearer ${renewed.accessToken}`, cookie: 'session=known-cookie-value' }
  secrets.add('known-cookie-value')
  await letPeopleIn(admin, organization.id)
  const campaign = await send('POST', '/v1/campaigns', till, coffeeClub)
  await send('POST', `/v1/campaigns/${campaign.id}/publish`, till)
  const registration = { campaignId: campaign.id, customer: { data: person } }
  const customer = await send(
    'POST',
    '/v1/customers/register',
    { ...till, 'idempotency-key': 'r' },
    registration,
  )
  expect(customer.status).toBe(201)
  await send('POST', '/v1/customers', till, { data: person })
  await send('GET', `/v1/customers/find?q=${encodeURIComponent(person.phone)}`, till)
  await send('GET', `/v1/customers/find?q=${encodeURIComponent(`x${person.email}`)}`, till)
  const basket = {
    customer: customer.id,
    card: customer.cards[0].id,
    items: [{ product: 'latte', unitPrice: 3 }],
  }
  expect((await send('POST', '/v1/transactions/process', till, basket)).status).toBe(201)
  await fail(till, basket)
}

/** Somebody joins, signs in well and badly, changes the password, and is let in anew. */
async function letPeopleIn(admin: Record<string, string>, organization: string): Promise<void> {
  const email = 'owner.known@example.com'
  const [password, other] = ['known-sentence-of-mine', 'known-sentence-of-yours']
  for (const one of [password, other, 'known-guess-of-a-password']) secrets.add(one)
  const join = async (url: string, chosen: string) => {
    const token = new URL(url).hash.slice(1)
    expect(token).toMatch(/^lwi_/)
    secrets.add(token)
    expect((await send('POST', '/auth/invitation', {}, { token, password: chosen })).status).toBe(200)
    await send('POST', '/auth/invitation', {}, { token, password: chosen })
  }
  const path = `/admin/v1/organizations/${organization}/people`
  const invited = await send('POST', path, admin, { email, role: 'owner' })
  // Unless told, links lead to where we listen, which a worker knows too.
  expect(new URL(invited.invitation.url).origin).toBe(service.baseUrl)
  await join(invited.invitation.url, password)
  await send('POST', path, admin, { email, role: 'owner' })
  await send('POST', '/auth/session', {}, { email, password: 'known-guess-of-a-password' })
  await send('POST', '/auth/session', {}, { email: password, password })
  const { cookie, token } = await signIn(email, password)
  secrets.add(token)
  const own = { cookie }
  const change = { currentPassword: password, password: other }
  await send('POST', '/auth/password', own, { ...change, password: email })
  const changed = await fetch(`${service.baseUrl}/auth/password`, {
    method: 'POST',
    headers: { ...own, 'content-type': 'application/json' },
    body: JSON.stringify(change),
  })
  expect(changed.status).toBe(204)
  const colleague = await send('POST', '/v1/people', own, {
    email: 'mate.known@example.com',
    role: 'manager',
  })
  await join(colleague.invitation.url, other)
  const theirs = await signIn('mate.known@example.com', other)
  secrets.add(theirs.token)
  const renewed = await send('POST', `/v1/people/${colleague.id}/invitation`, own)
  await join(renewed.url, password)
  // The link has ended it.
  expect((await send('GET', '/auth/session', { cookie: theirs.cookie })).status).toBe(401)
}

async function signIn(email: string, password: string): Promise<{ cookie: string; token: string }> {
  const reply = await fetch(`${service.baseUrl}/auth/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  const cookie = reply.headers.get('set-cookie')!.split(';')[0]!
  return { cookie, token: cookie.replace('lw_session=', '') }
}

/** Faults with a stack: the tables are not what the service thinks they are. */
async function fail(till: Record<string, string>, basket: object): Promise<void> {
  await database.pool.query('ALTER TABLE customers ADD CONSTRAINT broken CHECK (phone IS NULL) NOT VALID')
  const other = { data: { ...person, phone: '+12025550148', email: 'other.known@example.com' } }
  expect((await send('POST', '/v1/customers', till, other)).status).toBe(500)
  await database.pool.query('ALTER TABLE wallets RENAME COLUMN version TO no_version')
  expect((await send('POST', '/v1/transactions/process', till, basket)).status).toBe(500)
  await database.pool.query('ALTER TABLE sessions RENAME TO no_sessions')
  const pair = { 'x-api-key': [...secrets][3]!, 'x-api-secret': [...secrets][4]! }
  expect((await send('POST', '/auth/token', pair)).status).toBe(500)
}

const personal = [
  ...Object.values(person),
  '+12025550148',
  'other.known@example.com',
  'owner.known@example.com',
]

function expectNone(text: string, of: Iterable<string>): void {
  for (const secret of of) {
    for (const form of [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64')])
      expect(text.includes(form), `found ${secret.slice(0, 12)}… in clear`).toBe(false)
  }
}

test('the logs that merchants read tell of these calls, of both workers, and hold nobody’s address', async () => {
  const read = async () =>
    (
      await database.pool.query<{ row: string }>(
        'SELECT r::text AS row FROM http_requests r UNION ALL SELECT a::text FROM audit_entries a',
      )
    ).rows
      .map(({ row }) => row)
      .join('\n')
  let text = await read()
  const calls = ['_internal_error', '/v1/customers/register', 'createCampaign']
  // Each worker writes its own, a second later.
  while (!calls.every((call) => text.includes(call))) {
    await sleep(100)
    text = await read()
  }
  expectNone(text, [...secrets, ...personal])
})

test('no column of any table holds a secret', async () => {
  const { rows: tables } = await database.pool.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
  )
  expect(tables.length).toBeGreaterThan(25)
  let text = ''
  for (const { name } of tables) {
    const { rows } = await database.pool.query<{ row: string }>(`SELECT t::text AS row FROM "${name}" t`)
    text += rows.map(({ row }) => row).join('\n')
  }
  // What is there is found, so what is not found is not there.
  expect(text).toContain(person.email)
  expectNone(text, secrets)
})

test('the log holds no secret and nobody’s address, at its most talkative and with stacks', async () => {
  await send('GET', '/v1/organization', { ...till, 'x-request-id': '0af7651916cd43dd8448eb211c80319c' })
  await service.end('SIGTERM')
  // Whatever was not written yet is written before the process ends.
  const { rows } = await database.pool.query(
    "SELECT path FROM http_requests WHERE request_id = '0af7651916cd43dd8448eb211c80319c'",
  )
  expect(rows).toEqual([{ path: '/v1/organization' }])
  const text = service.stdout() + service.stderr()
  expect(text).toMatch(/"msg":"unhandled error"/)
  expect(text).toMatch(/"stack":"/)
  expect(text).toMatch(/refresh refused/)
  expectNone(text, [...secrets, ...personal])
})

test('no answer that refuses repeats what it refused', () => {
  expect(replies.length).toBeGreaterThan(7)
  expectNone(replies.join('\n'), [...secrets, ...personal])
})

test('no list of processes shows a secret', () => {
  if (process.platform !== 'linux') return
  expect(listings.join()).toContain('loyalty-wallet.js')
  expectNone(listings.join(), secrets)
})
