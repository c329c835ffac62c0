/**
 * Two versions on one database, as while instances are replaced one by one: the version before this one goes on while
 * this one migrates, and then both serve the same customers.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { audit } from '../support/audit.ts'
import { type Checkout, makeCheckout, ownSecrets, type Service, urlOf } from '../support/checkout.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { isFull } from '../support/full.ts'
import { buildNextVersion, buildOldVersion, findOldCommit, type OldVersion } from '../support/old-version.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { runCommand, runForJson } from '../support/run-command.ts'
import { coffeeClub } from '../support/service.ts'

// biome-ignore lint/suspicious/noExplicitAny: read the way a client would.
type Body = any

interface Shop {
  token: string
  campaign: string
  call(on: Service, path: string, body?: object, key?: string, method?: string): Promise<Body>
}

const json = async (checkout: Checkout, args: readonly string[], env: Record<string, string>) => {
  const { code, stdout, stderr } = await checkout.run([...args, '--json'], env)
  if (code !== 0) throw new Error(`${args.join(' ')}: ${stdout}${stderr}`)
  return JSON.parse(stdout)
}

/** A merchant that the service creates, or the commands of a version. */
async function openShop(on: Service, command?: (args: string[]) => Promise<Body>): Promise<Shop> {
  const { apiKey, apiSecret } = await (command ? createByCommands(command) : createByRequests(on))
  const headers = { 'x-api-key': apiKey, 'x-api-secret': apiSecret }
  const issued = await fetch(`${on.baseUrl}/auth/token`, { method: 'POST', headers })
  const { accessToken: token } = (await issued.json()) as Body
  const call: Shop['call'] = async (service, path, body, key, method = body ? 'POST' : 'GET') => {
    const reply = await fetch(`${service.baseUrl}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(key && { 'idempotency-key': key }),
      },
      body: body && JSON.stringify(body),
    })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`)
    return JSON.parse(text)
  }
  const { id: campaign } = await call(on, '/v1/campaigns', coffeeClub)
  await call(on, `/v1/campaigns/${campaign}/publish`, undefined, undefined, 'POST')
  return { token, campaign, call }
}

interface Credentials {
  apiKey: string
  apiSecret: string
}

async function createByCommands(command: (args: string[]) => Promise<Body>): Promise<Credentials> {
  const organization = await command(['organization', 'create', 'Kaffeehaus'])
  const { id: integration, apiKey } = await command(['integration', 'create', 'Till'])
  const args = ['--organization', organization.id, '--integration', integration, '--scopes', 'pos,manage']
  const { apiSecret } = await command(['connection', 'create', ...args])
  return { apiKey, apiSecret }
}

async function createByRequests(on: Service): Promise<Credentials> {
  const create = async (path: string, body: object): Promise<Body> => {
    const headers = { authorization: `Bearer ${ownSecrets.ADMIN_TOKEN}`, 'content-type': 'application/json' }
    const request = { method: 'POST', headers, body: JSON.stringify(body) }
    const reply = await fetch(`${on.baseUrl}/admin/v1${path}`, request)
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`)
    return reply.json()
  }
  const organization = await create('/organizations', { name: 'Kaffeehaus' })
  const { id: integration, apiKey } = await create('/integrations', { name: 'Till' })
  const scopes = ['pos', 'manage']
  const { apiSecret } = await create(`/organizations/${organization.id}/connections`, { integration, scopes })
  return { apiKey, apiSecret }
}

// To build another version takes as long as to test it, so that is left to the full check.
const found = isFull ? await findOldCommit() : { missing: 'this is the quick check' }
if (isFull && 'missing' in found)
  console.warn(`Skipped: two versions side by side, because ${found.missing}.`)

describe.skipIf('missing' in found)('the version before this one', () => {
  let old: OldVersion
  let checkouts: { before: Checkout; now: Checkout }
  let database: TestDatabase
  let receiver: Receiver
  let env: Record<string, string>
  let before: Service
  let now: Service
  let shop: Shop
  let people: { customer: string; card: string }[] = []
  /** Receipt numbers that were answered with a sale, and the sale. */
  const sales = new Map<string, string>()
  let receipts = 0

  beforeAll(async () => {
    old = await buildOldVersion((found as { commit: string }).commit)
    const [ofOld, ofNow, empty, receiving] = await Promise.all([
      makeCheckout({ builtIn: old.folder }),
      makeCheckout(),
      createTestDatabase({ empty: true }),
      startReceiver(),
    ])
    checkouts = { before: ofOld, now: ofNow }
    database = empty
    receiver = receiving
    env = {
      DATABASE_URL: urlOf(database.connection),
      DATA_DIR: await ofOld.newDataDir(),
      WEBHOOK_ALLOWED_RANGES: '127.0.0.0/8',
      ...ownSecrets,
    }
    before = await ofOld.start(env)
    shop = await openShop(before)
    people = await Promise.all(Array.from({ length: 6 }, () => register(before)))
  })

  afterAll(async () => {
    await Promise.all([checkouts?.before.remove(), checkouts?.now.remove()])
    await receiver?.close()
    await database?.close()
    await old?.remove()
  })

  async function register(on: Service, key?: string) {
    const request = { campaignId: shop.campaign, customer: { data: { fullname: 'Ada' } } }
    const { id, cards } = await shop.call(on, '/v1/customers/register', request, key)
    return { customer: id as string, card: cards[0].id as string }
  }

  const basketOf = ({ customer, card }: { customer: string; card: string }, receipt: string) => ({
    ...{ customer, card, opaqueId: receipt, amount: 7 },
    items: [{ product: 'latte', quantity: 3, amount: 7 }],
  })

  /** One till's visit: a preview, the sale, and now and then its return. */
  async function visit(on: Service, person: { customer: string; card: string }, n: number) {
    const receipt = `receipt-${receipts++}`
    const basket = basketOf(person, receipt)
    await shop.call(on, '/v1/transactions/validate', basket)
    const sale = await shop.call(on, '/v1/transactions/process', basket)
    sales.set(receipt, sale.id)
    if (n % 4 === 0) await shop.call(on, `/v1/transactions/${sale.id}/return`, {}, `return-${receipt}`)
    return { receipt, basket, sale }
  }

  test('goes on while this one migrates its database and starts', async () => {
    let isMigrating = true
    let visits = 0
    const till = async (i: number) => {
      for (let n = 0; isMigrating; n++, visits++) await visit(before, people[(i + n) % people.length]!, n)
    }
    const tills = [0, 1, 2].map(till)
    now = await checkouts.now.start(env).finally(() => {
      isMigrating = false
    })
    await Promise.all(tills)
    expect(visits).toBeGreaterThan(3)
    const { rows } = await database.pool.query('SELECT max(version) AS version FROM schema_migrations')
    expect(rows[0].version).toBeGreaterThanOrEqual(old.migrations)
  })

  test('serves the same customers as this one, and what one has answered the other replays', async () => {
    const webhook = await shop.call(now, '/v1/webhooks', { url: `${receiver.url}/all` })
    const { cursor } = await shop.call(now, '/v1/events?after=latest')
    const rounds = 40
    const both = [before, now]
    const made: string[] = []
    await Promise.all(
      Array.from({ length: 8 }, async (_, till) => {
        for (let n = 0; n < rounds; n++) {
          const [here, there] = n % 2 ? [before, now] : [now, before]
          const person = people[(till + n) % people.length]!
          const { receipt, basket, sale } = await visit(here, person, n)
          made.push(sale.id)
          // By its receipt number, and a return by its key, on the other version.
          const replayed = await shop.call(there, '/v1/transactions/process', basket)
          expect(replayed.id).toBe(sale.id)
          const returnPath = `/v1/transactions/${sale.id}/return`
          if (n % 4 === 0) await shop.call(there, returnPath, {}, `return-${receipt}`)
          if (n % 4 === 2) await shop.call(there, returnPath, {}, `return-${receipt}`)
          const key = `register-${till}-${n}`
          const newcomer = await register(here, key)
          expect(await register(there, key)).toEqual(newcomer)
          people.push(newcomer)
          const views = await Promise.all(both.map((on) => shop.call(on, `/v1/customers/${person.customer}`)))
          expect(views[0].id).toBe(views[1].id)
        }
      }),
    )
    // A till that gives up waiting and asks the other one: both at once.
    for (let n = 0; n < rounds; n++) {
      const basket = basketOf(people[n]!, `twice-${n}`)
      const replies = await Promise.all(both.map((on) => shop.call(on, '/v1/transactions/process', basket)))
      expect(replies[0].id).toBe(replies[1].id)
      sales.set(`twice-${n}`, replies[0].id)
      made.push(replies[0].id)
    }
    const told = await readEvents(cursor)
    const processed = told.filter(({ type }) => type === 'transaction.processed')
    expect(processed.map(({ data }) => data.transaction).sort()).toEqual(made.sort())
    const sent = () => receiver.received.map(({ headers }) => headers['webhook-id'])
    await vi.waitFor(() => expect(new Set(sent())).toEqual(new Set(told.map(({ id }) => id))), {
      timeout: 60_000,
      interval: 100,
    })
    expect(sent()).toHaveLength(told.length)
    await shop.call(now, `/v1/webhooks/${webhook.id}`)
  })

  async function readEvents(after: string): Promise<Body[]> {
    const events: Body[] = []
    for (let cursor = after; ; ) {
      const page = await shop.call(now, `/v1/events?after=${cursor}&limit=50`)
      if (page.data.length === 0) return events
      events.push(...page.data)
      cursor = page.cursor
    }
  }

  test('an organization that it creates after the migration is one like any other', async () => {
    const own = await openShop(before, (args) => json(checkouts.before, args, env))
    const request = { campaignId: own.campaign, customer: { data: {} } }
    const { id, cards } = await own.call(now, '/v1/customers/register', request)
    const basket = { customer: id, card: cards[0].id, amount: 5 }
    await own.call(before, '/v1/transactions/process', basket)
    await own.call(now, '/v1/transactions/process', basket)
    expect((await own.call(now, '/v1/integrity')).ok).toBe(true)
  })

  test('nothing is lost or counted twice', async () => {
    const { rows } = await database.pool.query(
      `SELECT opaque_id, 'txn_' || replace(id::text, '-', '') AS id FROM transactions WHERE opaque_id IS NOT NULL`,
    )
    expect(new Map(rows.map((row) => [row.opaque_id, row.id]))).toEqual(sales)
    expect(await audit(database.pool)).toEqual([])
    expect((await shop.call(now, '/v1/integrity')).ok).toBe(true)
    expect((await shop.call(before, '/v1/integrity')).ok).toBe(true)
    expect((await runCommand(['verify-ledger'], env)).code).toBe(0)
    for (const service of [before, now]) {
      const complaints = service
        .stdout()
        .split('\n')
        .filter((line) => /"level":[56]0/.test(line))
      expect(complaints).toEqual([])
    }
  })

  test('it starts again if the migrations since say that it can, and otherwise says which version to start', async () => {
    await before.end('SIGTERM')
    const { rows } = await database.pool.query(
      'SELECT bool_and(compatible_from <= $1) AS "areCompatible" FROM schema_migrations WHERE version > $1',
      [old.migrations],
    )
    if (old.knowsCompatibility && rows[0].areCompatible !== false) {
      before = await checkouts.before.start(env)
      await visit(before, people[0]!, 0)
    } else {
      const refused = await checkouts.before.run(['serve'], env)
      expect(refused.code).toBe(1)
      expect(refused.stderr).toMatch(/newer version of Loyalty Wallet.*Start that newer version/)
    }
    await visit(now, people[0]!, 0)
    expect(await audit(database.pool)).toEqual([])
  })
})

describe('this version, after a later one has migrated', () => {
  const compatible =
    '-- Compatible from 0001.\nALTER TABLE customers ADD COLUMN shoe_size integer;\nCREATE TABLE shoes (org_id integer);'

  async function migrateTo(sql: string): Promise<{ database: TestDatabase; env: Record<string, string> }> {
    const database = await createTestDatabase()
    const next = await buildNextVersion(sql)
    const later = await makeCheckout({ builtIn: next.folder })
    try {
      const env = { DATABASE_URL: urlOf(database.connection), ...ownSecrets }
      const { applied } = await json(later, ['migrate'], env)
      expect(applied).toHaveLength(1)
      return { database, env }
    } finally {
      await later.remove()
      await next.remove()
    }
  }

  test('starts if the migration says that it can, works with its own role, and leaves that of the later one alone', async () => {
    const { database, env } = await migrateTo(compatible)
    const checkout = await makeCheckout()
    try {
      // As the later version would: on a table that this one does not know, and on one that it does.
      await database.pool.query('GRANT SELECT ON shoes TO loyalty_wallet_app')
      await database.pool.query('GRANT DELETE ON branches TO loyalty_wallet_app')
      const service = await checkout.start({ ...env, DATA_DIR: await checkout.newDataDir() })
      const shop = await openShop(service, (args) => runForJson(args, env))
      const request = { campaignId: shop.campaign, customer: { data: {} } }
      await shop.call(service, '/v1/customers/register', request)
      expect(service.stdout()).toMatch(/the schema is of a newer version, which this one can run on/)
      expect(service.stdout()).not.toMatch(/privileges of its login/)
      const { rows } = await database.pool.query(
        `SELECT has_table_privilege('loyalty_wallet_app', 'shoes', 'SELECT') AS shoes,
           has_table_privilege('loyalty_wallet_app', 'branches', 'DELETE') AS branches`,
      )
      expect(rows).toEqual([{ shoes: true, branches: true }])
      const { checks } = await runForJson(['doctor'], { ...env, PORT: new URL(service.baseUrl).port })
      expect(checks).toContainEqual(
        expect.objectContaining({
          check: 'schema',
          status: 'warning',
          advice: expect.stringMatching(/newer/),
        }),
      )
      expect(checks).toContainEqual(expect.objectContaining({ check: 'role', status: 'ok' }))
      const backup = await runCommand(['backup', `${checkout.folder}/wallet.lwb`], env)
      expect(backup).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/Make the backup with that version/),
      })
      await service.end('SIGTERM')
      expect(await audit(database.pool)).toEqual([])
    } finally {
      await checkout.remove()
      await database.close()
    }
  })

  test.runIf(isFull).each([
    ['a migration that says nothing', 'ALTER TABLE customers ADD COLUMN shoe_size integer;'],
    [
      'one that needs its own version',
      '-- Compatible from 9999.\nALTER TABLE customers ADD COLUMN shoe_size integer;',
    ],
  ])('does not start, nor runs a command, on %s', async (_what, sql) => {
    const { database, env } = await migrateTo(sql)
    const checkout = await makeCheckout()
    try {
      for (const refused of [
        checkout.run(['serve'], env),
        runCommand(['organization', 'list'], { ...env, DATA_DIR: checkout.folder }),
      ]) {
        const { code, stderr } = await refused
        expect([code, stderr]).toEqual([
          1,
          expect.stringMatching(/of-tomorrow\.sql.*Start that newer version/),
        ])
      }
    } finally {
      await checkout.remove()
      await database.close()
    }
  })
})
