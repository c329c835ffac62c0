import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Checkout, makeCheckout, ownSecrets, type Service, urlOf } from '../support/checkout.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { runCommand, runForJson } from '../support/run-command.ts'

let checkout: Checkout
let database: TestDatabase
let service: Service
let env: Record<string, string>

beforeAll(async () => {
  ;[checkout, database] = await Promise.all([makeCheckout(), createTestDatabase()])
  env = { DATABASE_URL: urlOf(database.connection), DATA_DIR: await checkout.newDataDir(), ...ownSecrets }
  service = await checkout.start(env)
})

afterAll(async () => {
  await service.end('SIGTERM')
  await checkout.remove()
  await database.close()
})

test('an organization, an integration and a connection made here can log in at once', async () => {
  const organization = await runForJson(
    [
      'organization',
      'create',
      'Kaffeehaus',
      '--country',
      'at',
      '--currency',
      'eur',
      '--timezone',
      'Europe/Vienna',
    ],
    env,
  )
  expect(organization).toMatchObject({
    code: 0,
    id: expect.stringMatching(/^org_/),
    name: 'Kaffeehaus',
    country: 'AT',
    currency: 'EUR',
    timezone: 'Europe/Vienna',
    locale: 'en',
    subscription: { active: true },
  })
  const integration = await runForJson(['integration', 'create', 'Till'], env)
  expect(integration).toMatchObject({
    id: expect.stringMatching(/^int_/),
    apiKey: expect.stringMatching(/^lwk_/),
  })
  const connection = await runForJson(
    ['connection', 'create', '--organization', organization.id, '--integration', integration.id],
    env,
  )
  expect(connection).toMatchObject({
    id: expect.stringMatching(/^con_/),
    scopes: ['pos'],
    apiSecret: expect.stringMatching(/^lws_/),
  })

  const credentials = { API_KEY: integration.apiKey, API_SECRET: connection.apiSecret }
  const { code, stdout } = await runCommand(['token', '--url', service.baseUrl], credentials)
  expect(code).toBe(0)
  expect(stdout).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/)
  const reply = await fetch(`${service.baseUrl}/v1/campaigns`, {
    headers: { authorization: `Bearer ${stdout.trim()}` },
  })
  expect(reply.status).toBe(200)
  expect(await runForJson(['token', '--url', service.baseUrl], credentials)).toMatchObject({
    tokenType: 'Bearer',
    refreshToken: expect.any(String),
  })
})

test('people get the key and the secret on lines of their own, and are told to keep them', async () => {
  const organization = await runForJson(['organization', 'create', 'For people'], env)
  const integration = await runCommand(['integration', 'create', 'Shop'], env)
  expect(integration.stdout).toMatch(/^ {2}API key {2}lwk_\S+$/m)
  expect(integration.stdout).toMatch(/not shown again/)
  const id = /int_\w+/.exec(integration.stdout)?.[0] ?? ''
  const args = ['connection', 'create', '--organization', organization.id, '--integration', id]
  const connection = await runCommand([...args, '--scopes', 'manage,pos'], env)
  expect(connection.stdout).toMatch(/^Created connection con_\w+ .* with pos and manage\.$/m)
  expect(connection.stdout).toMatch(/^ {2}API secret {2}lws_\S+$/m)
})

test('a test organization is a copy with a connection of its own, and an unknown one has none', async () => {
  const live = await runForJson(['organization', 'create', 'Live', '--currency', 'EUR'], env)
  const args = ['organization', 'create', 'Tests', '--test-of']
  const tests = await runForJson([...args, live.id], env)
  expect(tests).toMatchObject({ code: 0, mode: 'test', currency: 'EUR', apiSecret: expect.any(String) })
  const credentials = { API_KEY: tests.apiKey, API_SECRET: tests.apiSecret }
  expect((await runCommand(['token', '--url', service.baseUrl], credentials)).code).toBe(0)
  expect((await runCommand([...args, tests.id], env)).code).not.toBe(0)
  expect((await runCommand([...args, 'org_x'], env)).code).not.toBe(0)
  expect((await runCommand([...args, live.id, '--currency', 'USD'], env)).stderr).toContain('--currency')
})

test('a person invited here joins with the link, which leads to PUBLIC_URL', async () => {
  const organization = await runForJson(['organization', 'create', 'With people'], env)
  const list = ['person', 'list', '--organization', organization.id]
  expect((await runCommand(list, env)).stdout).toMatch(/^There are no people yet\./)
  const args = ['person', 'create', '--organization', organization.id, '--email', 'Ada@example.com']
  const person = await runForJson(args, { ...env, PUBLIC_URL: 'https://loyalty.example.com' })
  expect(person).toMatchObject({ code: 0, email: 'ada@example.com', role: 'owner', status: 'invited' })
  const { origin, pathname, hash } = new URL(person.invitation.url)
  expect([origin, pathname]).toEqual(['https://loyalty.example.com', '/console/join'])
  const joined = await fetch(`${service.baseUrl}/auth/invitation`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: hash.slice(1), name: 'Ada', password: 'correct horse battery' }),
  })
  expect(joined.status).toBe(200)
  expect(await runForJson(list, env)).toMatchObject({
    data: [{ id: person.id, name: 'Ada', status: 'active', lastSeenAt: expect.any(String) }],
  })
  expect((await runCommand(list, env)).stdout).toMatch(
    /^id +email +name +role +status +last seen\npsn_\w+ +ada@/,
  )
  expect(await runForJson(args, env)).toMatchObject({
    code: 1,
    error: { code: 'existing_person_with_email' },
  })
  const renewed = await runForJson(['person', 'invite', '--email', 'ada@EXAMPLE.com'], env)
  expect(renewed).toMatchObject({
    code: 0,
    url: expect.stringMatching(/#lwi_/),
    expiresAt: expect.any(String),
  })
  expect(renewed.url).not.toBe(person.invitation.url)
  expect(await runForJson(['person', 'invite', '--email', 'nobody@example.com'], env)).toMatchObject({
    code: 1,
    error: { code: 'person_not_found' },
  })
  const other = await runCommand([...args.slice(0, -1), 'bob@example.com', '--role', 'cashier'], env)
  const { rows } = await database.pool.query(
    `SELECT by_kind, action, subject_id, details FROM audit_entries JOIN organizations o USING (org_id)
     WHERE o.id = $1 AND subject_kind = 'person' ORDER BY audit_entries.id LIMIT 2`,
    [organization.id.slice(4)],
  )
  const ofOperator = { by_kind: 'operator', subject_id: person.id }
  expect(rows).toEqual([
    { ...ofOperator, action: 'invitePersonToOrganization', details: { role: 'owner' } },
    { ...ofOperator, action: 'renewInvitation', details: null },
  ])
  expect(other.stdout).toMatch(/^ {2}Link {2}http:\/\/127\.0\.0\.1:8080\/console\/join#lwi_\S+$/m)
  expect(other.stdout).toMatch(/not shown again.*\nSet PUBLIC_URL/)
})

test('lists show everything, also beyond a page', async () => {
  await database.pool.query(
    `INSERT INTO integrations (id, name, created_at) SELECT gen_random_uuid(), 'Many ' || n, now() FROM generate_series(1, 205) n`,
  )
  const { data } = await runForJson(['integration', 'list'], env)
  const { rows } = await database.pool.query('SELECT count(*)::int AS count FROM integrations')
  expect(data).toHaveLength(rows[0].count)
  expect((await runCommand(['integration', 'list'], env)).stdout.trim().split('\n')).toHaveLength(
    data.length + 1,
  )
  expect((await runCommand(['organization', 'list'], env)).stdout).toMatch(/^id +name +country/)
})

test.each([
  {
    name: 'a country that is none',
    args: ['organization', 'create', 'X', '--country', 'zz'],
    code: 2,
    error: '_invalid_payload',
  },
  {
    name: 'a zone that is none',
    args: ['organization', 'create', 'X', '--timezone', 'Mars'],
    code: 2,
    error: '_invalid_payload',
  },
  {
    name: 'an organization that is not there',
    args: ['connection', 'create', '--organization', 'org_x', '--integration', 'int_x'],
    code: 1,
    error: 'organization_not_found',
  },
  {
    name: 'a person of an organization that is not there',
    args: ['person', 'create', '--organization', 'org_x', '--email', 'x@example.com'],
    code: 1,
    error: 'organization_not_found',
  },
  {
    name: 'a list of people of an organization that is not there',
    args: ['person', 'list', '--organization', 'org_x'],
    code: 1,
    error: 'organization_not_found',
  },
])('$name is refused', async ({ args, code, error }) => {
  expect(await runForJson(args, env)).toMatchObject({ code, error: { code: error } })
})

test('wrong credentials are refused by name', async () => {
  const credentials = { API_KEY: 'lwk_wrong', API_SECRET: 'lws_wrong' }
  expect(await runForJson(['token', '--url', service.baseUrl], credentials)).toMatchObject({
    code: 1,
    error: { code: '_invalid_credentials' },
  })
})

test('keys are not made without the secret they are hashed with', async () => {
  const { DATABASE_URL, DATA_DIR } = env as { DATABASE_URL: string; DATA_DIR: string }
  const answer = await runForJson(['integration', 'create', 'X'], { DATABASE_URL, DATA_DIR })
  expect(answer).toMatchObject({ code: 2, error: { code: 'bad_settings' } })
  expect(await runForJson(['organization', 'list'], { DATABASE_URL, DATA_DIR })).toMatchObject({ code: 0 })
})

test('jobs shows what is late and what fails, and does it now', async () => {
  const { id } = await runForJson(['organization', 'create', 'With work'], env)
  const own = 'org_id = (SELECT org_id FROM organizations WHERE id = $1)'
  const plant = (set: string) =>
    database.pool.query(`UPDATE due_work SET ${set} WHERE ${own} AND kind = 'names'`, [
      id.replace('org_', ''),
    ])
  await database.pool.query(
    `INSERT INTO due_work (org_id, kind) SELECT org_id, 'names' FROM organizations WHERE id = $1 ON CONFLICT DO NOTHING`,
    [id.replace('org_', '')],
  )
  // By a process that is busy with it, so that the service leaves it alone.
  await plant("due_at = now() - interval '1 hour', leased_until = now() + interval '1 minute'")
  expect(await runForJson(['jobs'], env)).toMatchObject({
    code: 0,
    data: expect.arrayContaining([expect.objectContaining({ kind: 'names', running: 1, failing: 0 })]),
    webhooks: { active: 0, behind: 0 },
  })
  await plant(
    "due_at = now() + interval '1 hour', leased_until = NULL, attempts = 3, last_error = 'Error 57014'",
  )
  const { code, stdout } = await runCommand(['jobs'], env)
  expect(code).toBe(1)
  expect(stdout).toMatch(new RegExp(`names of ${id}: failed 3 times \\(Error 57014\\), next at `))
  const done = await runForJson(['jobs', 'run', '--kind', 'names', '--organization', id], env)
  expect(done).toMatchObject({ code: 0, failures: 0 })
  expect(done.runs).toBeGreaterThan(0)
  expect(await runForJson(['jobs'], env)).toMatchObject({ code: 0, failing: [] })
  expect((await runCommand(['jobs', 'run', '--kind', 'everything'], env)).stderr).toMatch(
    /must be one of deliveries/,
  )
})

describe('migrate', () => {
  let empty: TestDatabase
  let emptyEnv: Record<string, string>

  beforeAll(async () => {
    empty = await createTestDatabase({ empty: true })
    emptyEnv = { DATABASE_URL: urlOf(empty.connection) }
  })

  afterAll(() => empty.close())

  test('commands on a database without a schema point to it', async () => {
    expect(await runForJson(['organization', 'list'], emptyEnv)).toMatchObject({
      code: 1,
      error: { code: 'schema_outdated', message: expect.stringMatching(/loyalty-wallet migrate/) },
    })
    const { checks } = await runForJson(['doctor'], { ...emptyEnv, ...ownSecrets, PORT: '0' })
    expect(checks).toContainEqual(expect.objectContaining({ check: 'schema', status: 'warning' }))
  })

  test('it says what it did, and that there is nothing left to do', async () => {
    const first = await runForJson(['migrate'], emptyEnv)
    expect(first).toMatchObject({ code: 0, database: 'external', version: first.applied.length })
    expect(first.applied[0]).toBe('0001-ground-floor.sql')
    const second = await runCommand(['migrate'], emptyEnv)
    expect(second.code).toBe(0)
    expect(second.stdout).toMatch(/^Nothing to do on the database/)
  })

  test('a schema newer than this program is refused, and the doctor sees it', async () => {
    await empty.pool.query(`INSERT INTO schema_migrations VALUES (9999, '9999-of-tomorrow.sql', 'x')`)
    expect(await runForJson(['migrate'], emptyEnv)).toMatchObject({
      code: 1,
      error: { code: 'migration_failed' },
    })
    const examined = await runForJson(['doctor'], { ...emptyEnv, ...ownSecrets, PORT: '0' })
    expect(examined).toMatchObject({ code: 1, ok: false })
    expect(examined.checks).toContainEqual(expect.objectContaining({ check: 'schema', status: 'problem' }))
  })
})

describe('distribute', () => {
  test('says what to install where there is no cluster, and changes nothing', async () => {
    const before = await runForJson(['organization', 'list'], env)
    expect(await runForJson(['distribute'], env)).toMatchObject({
      code: 1,
      error: { code: 'cluster_not_ready', message: expect.stringMatching(/CREATE EXTENSION citus/) },
    })
    const { code, stderr } = await runCommand(['distribute'], env)
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^The database has no Citus\./)])
    expect(await runForJson(['organization', 'list'], env)).toEqual(before)
  })

  test.each(['0', '1025', '2.5', '-4', 'many'])('refuses %s parts of a table', async (shards) => {
    expect(await runForJson(['distribute', `--shards=${shards}`], env)).toMatchObject({
      code: 2,
      error: {
        code: 'usage',
        message: expect.stringContaining(`"${shards}" is not a number from 1 to 1024`),
      },
    })
  })
})

describe('doctor', () => {
  const byCheck = async (settings: Record<string, string>) => {
    const { code, checks } = await runForJson(['doctor'], settings)
    const found = (name: string) => checks.find(({ check }: { check: string }) => check === name)
    return { code, found }
  }

  test('finds the running service on its port', async () => {
    const { found } = await byCheck({ ...env, PORT: new URL(service.baseUrl).port })
    expect(found('port')).toMatchObject({ status: 'ok', message: expect.stringMatching(/is ready/) })
    expect(found('schema')).toMatchObject({ status: 'ok' })
    expect(found('version')).toMatchObject({ status: 'ok' })
    expect(found('clock')).toMatchObject({ status: 'ok' })
    // It keeps no files, so the folder that the command happens to run in does not matter.
    expect(found('data folder')).toMatchObject({ status: 'ok', message: expect.stringMatching(/^not used/) })
    expect(found('disk')).toBeUndefined()
  })

  test('tells a stranger on the port from ours, and says what to do', async () => {
    const stranger: Server = createServer((_request, response) => response.end('hello')).listen(
      0,
      '127.0.0.1',
    )
    await new Promise((done) => stranger.once('listening', done))
    const { code, found } = await byCheck({ ...env, PORT: String((stranger.address() as AddressInfo).port) })
    stranger.close()
    expect(code).toBe(1)
    expect(found('port')).toMatchObject({ status: 'problem', advice: expect.stringMatching(/PORT/) })
  })

  test('sees settings that lose acknowledged work', async () => {
    const { rows } = await database.pool.query<{ name: string }>('SELECT current_database() AS name')
    await database.pool.query(`ALTER DATABASE ${rows[0]?.name} SET synchronous_commit = off`)
    const { code, found } = await byCheck({ ...env, PORT: '0' })
    expect(code).toBe(1)
    expect(found('durability')).toMatchObject({
      status: 'problem',
      message: expect.stringMatching(/synchronous_commit=off/),
    })
  })

  test('reports wrong settings and goes on with what can be looked at', async () => {
    const { code, found } = await byCheck({ DATABASE_URL: env.DATABASE_URL!, PORT: '0' })
    expect(code).toBe(1)
    expect(found('settings')).toMatchObject({ status: 'problem' })
    expect(found('database')).toMatchObject({ status: 'ok' })
  })

  test('says nothing of a cluster where there is none, unless CLUSTER_DIRECT expects one', async () => {
    const without = await byCheck({ ...env, PORT: '0' })
    expect([without.found('cluster'), without.found('direct')]).toEqual([undefined, undefined])
    const { found } = await byCheck({ ...env, PORT: '0', CLUSTER_DIRECT: '1' })
    expect(found('cluster')).toMatchObject({ status: 'warning', advice: 'Remove CLUSTER_DIRECT.' })
    expect(found('direct')).toBeUndefined()
  })

  test('says what to do about a database that is away, and keeps the password to itself', async () => {
    const { code, stdout } = await runCommand(['doctor'], {
      ...env,
      PORT: '0',
      DATABASE_URL: 'postgres://wallet:hunter2@127.0.0.1:1/wallet',
    })
    expect(code).toBe(1)
    expect(stdout).toMatch(/^problem +database/m)
    expect(stdout).toMatch(/→ .*correct DATABASE_URL/)
    expect(stdout).not.toContain('hunter2')
  })
})
