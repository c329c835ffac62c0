/** A real server with a real replica. */
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { migrate } from '../../src/database/migrate.ts'
import { openPool } from '../../src/database/pool.ts'
import { makeCheckout, ownSecrets, urlOf } from '../support/checkout.ts'
import { isOnCluster } from '../support/cluster.ts'
import { createQuickPerson } from '../support/people.ts'
import { runForJson } from '../support/run-command.ts'
import { adminToken, type Merchant, startTestService, type TestService } from '../support/service.ts'
import { type ServerWithReplica, startWithReplica } from '../support/standby.ts'

/** So long that only a test about age gets there, on the slowest computer too. */
const maxAgeMs = 100_000

describe.skipIf(isOnCluster)('a read replica', () => {
  let servers: ServerWithReplica
  let service: TestService
  let merchant: Merchant
  /** The same organization through a connection that has written nothing. */
  let reader: Merchant['call']
  let till: Merchant['call']
  let campaign: string

  beforeAll(async () => {
    servers = await startWithReplica(({ connection }) => migrate(connection))
    const { connection } = servers.primary
    const pool = openPool(connection)
    service = await startTestService({
      sharing: { database: { connection, pool, close: () => pool.end() } },
      replica: { connection: servers.replica.connection, maxAgeMs },
    })
    await pool.end()
    merchant = await service.createMerchant()
    campaign = await merchant.publishCampaign()
    ;[reader, till] = [await merchant.connect(['pos', 'manage']), await merchant.connect(['pos'])]
  })
  afterAll(async () => {
    await service.close()
    await servers.close()
  })

  const onReplica = async (sql: string) => {
    const pool = openPool(servers.replica.connection, { maxConnections: 1 })
    try {
      return (await pool.query(sql)).rows
    } finally {
      await pool.end()
    }
  }
  const pauseReplay = () => onReplica('SELECT pg_wal_replay_pause()')
  const resumeReplay = () => onReplica('SELECT pg_wal_replay_resume()')
  const ages = async (path: string, call = reader) => (await call('GET', path)).headers['data-age']
  /** What other tests did has arrived. */
  const untilFresh = () => expect.poll(() => ages('/v1/reports/summary'), { timeout: 20_000 }).toBeDefined()
  beforeEach(untilFresh)

  test('answers reports, lists and exports, and the header says how old they are at most', async () => {
    const { customer } = await merchant.register(campaign)
    await untilFresh()
    await expect.poll(async () => (await reader('GET', '/v1/customers')).body.data.length).toBe(1)
    const routes = [...service.configs].filter(([name, { mayLag }]) => mayLag && name.startsWith('GET '))
    expect(routes.length).toBeGreaterThan(10)
    for (const [name] of routes) {
      const path = name.slice('GET '.length).replace('{id}', customer)
      const { status, headers } = await reader('GET', path)
      expect([path, status, headers['data-age']]).toEqual([path, 200, expect.stringMatching(/^\d+\.\d$/)])
      expect(Number(headers['data-age'])).toBeLessThanOrEqual(maxAgeMs / 1000)
    }
    expect(service.logged.filter(({ message }) => message.includes('failed'))).toEqual([])
  })

  test('really is what answers: what it has not replayed is not in the list', async () => {
    const before = (await reader('GET', '/v1/customers')).body.data.length
    await pauseReplay()
    await merchant.register(campaign)
    const { body, headers } = await reader('GET', '/v1/customers')
    expect([body.data.length, headers['data-age']]).toEqual([before, expect.any(String)])
    await resumeReplay()
    await expect.poll(async () => (await reader('GET', '/v1/customers')).body.data.length).toBe(before + 1)
  })

  test('a caller finds what it has written itself', async () => {
    await pauseReplay()
    const { customer } = await merchant.register(campaign)
    const { body, headers } = await merchant.call('GET', '/v1/customers')
    expect([body.data[0].id, headers['data-age']]).toEqual([customer, undefined])
    await resumeReplay()
    await expect.poll(() => ages('/v1/customers', merchant.call)).toBeDefined()
    expect((await merchant.call('GET', '/v1/customers')).body.data[0].id).toBe(customer)
  })

  test('a browser finds what it has changed, whichever service it asks', async () => {
    const owner = await createQuickPerson(service, merchant)
    const other = await startTestService({
      sharing: service,
      replica: { connection: servers.replica.connection, maxAgeMs },
    })
    onTestFinished(() => other.close())
    const read = (cookie: string) => other.call('GET', '/v1/products', { headers: { cookie } })
    await expect
      .poll(async () => (await read(owner.cookie)).headers['data-age'], { timeout: 20_000 })
      .toBeDefined()
    await pauseReplay()
    const created = await service.call('POST', '/v1/products', {
      body: { opaqueId: 'brand-new' },
      headers: { cookie: owner.cookie },
    })
    const [, wrote] = /^(lw_wrote=\d+); Max-Age=101; Path=\/; HttpOnly; SameSite=Strict$/.exec(
      String(created.headers['set-cookie']),
    )!
    const { body, headers } = await read(`${owner.cookie}; ${wrote}`)
    expect([body.data[0].opaqueId, headers['data-age']]).toEqual(['brand-new', undefined])
    expect((await read(owner.cookie)).headers['data-age']).toBeDefined()
    await resumeReplay()
    await expect
      .poll(async () => (await read(`${owner.cookie}; ${wrote}`)).headers['data-age'], { timeout: 20_000 })
      .toBeDefined()
  })

  test('what a till asks, and what is about one receipt or customer, comes from the primary', async () => {
    const { customer } = await merchant.register(campaign)
    await untilFresh()
    for (const path of ['/v1/transactions', `/v1/customers/${customer}`, `/v1/customers/${customer}/ledger`])
      expect([path, await ages(path, till)]).toEqual([path, undefined])
    for (const path of ['/v1/transactions?opaqueId=r-1', `/v1/coupons?customer=${customer}`])
      expect([path, await ages(path)]).toEqual([path, undefined])
  })

  test('a customer that it does not have yet is exported from the primary', async () => {
    await pauseReplay()
    const { customer } = await merchant.register(campaign)
    const { status, body, headers } = await reader('GET', `/v1/customers/${customer}/export`)
    expect([status, body.customer.id, headers['data-age']]).toEqual([200, customer, undefined])
    await resumeReplay()
  })

  test('one that is too old is not used until it has caught up', async () => {
    const strict = await startTestService({
      sharing: service,
      replica: { connection: servers.replica.connection, maxAgeMs: 500 },
    })
    onTestFinished(() => strict.close())
    const { token } = merchant
    const read = () => strict.call('GET', '/v1/customers', { token })
    const age = async () => (await read()).headers['data-age']
    const measured = () => metric('database_replica_age_seconds', strict)
    await expect.poll(age, { timeout: 20_000 }).toBeDefined()
    await pauseReplay()
    const { customer } = await merchant.register(campaign)
    await expect.poll(age, { timeout: 20_000 }).toBeUndefined()
    expect((await read()).body.data[0].id).toBe(customer)
    await expect
      .poll(() => strict.logged)
      .toContainEqual({
        level: 'warn',
        details: { reason: 'it is too old' },
        message: 'reports and lists are read from the primary',
      })
    expect(await measured()).toBe(-1)
    await resumeReplay()
    await expect.poll(age, { timeout: 20_000 }).toBeDefined()
    await expect.poll(measured).toBeGreaterThanOrEqual(0)
  })

  test("shows an organization nothing of another's", async () => {
    const other = await service.createMerchant()
    await other.register(await other.publishCampaign())
    const before = (await reader('GET', '/v1/customers')).body.data.length
    const stranger = await other.connect(['manage'])
    await expect.poll(() => ages('/v1/customers', stranger)).toBeDefined()
    await expect.poll(async () => (await stranger('GET', '/v1/customers')).body.data.length).toBe(1)
    expect((await reader('GET', '/v1/customers')).body.data).toHaveLength(before)
    const { customer } = await merchant.register(campaign)
    expect((await stranger('GET', `/v1/customers/${customer}/export`)).status).toBe(404)
  })

  test('a connection that was revoked is refused at once', async () => {
    const leaving = await merchant.connect(['manage'])
    const [{ id }] = (await merchant.call('GET', '/v1/connections')).body.data
    await pauseReplay()
    await merchant.call('POST', `/v1/connections/${id}/revoke`)
    expect((await leaving('GET', '/v1/customers')).status).toBe(401)
    await resumeReplay()
  })

  test('one that is killed in the middle fails no request, and is used again once it is back', async () => {
    const statuses = new Set<number>()
    let isOver = false
    const ask = async () => {
      while (!isOver) statuses.add((await reader('GET', '/v1/reports/daily')).status)
    }
    const asking = [ask(), ask()]
    const before = await metric('database_reads_total{from="primary"}')
    process.kill(servers.replica.pid()!, 'SIGQUIT')
    const asked = () => metric('database_reads_total{from="primary"}')
    await expect.poll(asked, { timeout: 20_000 }).toBeGreaterThan(before)
    await untilFresh()
    isOver = true
    await Promise.all(asking)
    expect([...statuses]).toEqual([200])
  })

  test('the command line starts with it, and doctor checks it', async () => {
    const checkout = await makeCheckout()
    onTestFinished(() => checkout.remove())
    const [primary, replica] = [servers.primary, servers.replica].map(({ connection }) => urlOf(connection))
    const env = { DATABASE_URL: primary!, DATA_DIR: await checkout.newDataDir(), ...ownSecrets }
    const running = await checkout.start({ ...env, READ_DATABASE_URL: replica! })
    await expect
      .poll(() => running.stdout(), { timeout: 20_000 })
      .toContain('reports and lists are read from the replica')
    expect((await fetch(`${running.baseUrl}/readyz`)).status).toBe(200)
    await running.end('SIGTERM')
    const askDoctor = async (url: string) => {
      const { checks } = await runForJson(['doctor'], { ...env, READ_DATABASE_URL: url, PORT: '0' })
      const { status, message } = checks.find(({ check }: { check: string }) => check === 'replica')
      return `${status}: ${message}`
    }
    expect(await askDoctor(replica!)).toMatch(/^ok: .* is a replica of this database$/)
    expect(await askDoctor(primary!)).toMatch(/^warning: .* is not a replica$/)
    expect(await askDoctor('postgres://u@127.0.0.1:1/d')).toMatch(/^warning: .*cannot be used.*ECONNREFUSED/)
  })

  async function metric(name: string, of = service): Promise<number> {
    const { text } = await of.call('GET', '/metrics', { token: adminToken })
    return Number(
      text
        .split('\n')
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')[1],
    )
  }
})
