/** On a server of its own: roles belong to the whole server, and other tests need the one they have. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { appRole, readRoleState } from '../../src/database/app-role.ts'
import { migrate } from '../../src/database/migrate.ts'
import { createClient, type EmbeddedConnection } from '../../src/database/pool.ts'
import type { EmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.ts'
import { type Checkout, makeCheckout, ownSecrets, urlOf } from '../support/checkout.ts'
import { isFull } from '../support/full.ts'
import { fewBuffers, makeServerFolder, startOwnServer } from '../support/own-server.ts'
import { runForJson } from '../support/run-command.ts'
import { coffeeClub } from '../support/service.ts'

let folder: string
let server: EmbeddedPostgres
let checkout: Checkout

beforeAll(async () => {
  folder = await makeServerFolder()
  ;[server, checkout] = await Promise.all([
    // Without what writes by itself: one test counts who has written.
    startOwnServer(join(folder, 'postgres'), { ...fewBuffers, autovacuum: 'off' }),
    makeCheckout(),
  ])
})
afterAll(async () => {
  await checkout.remove()
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

const query = async (connection: EmbeddedConnection, sql: string) => {
  const client = createClient(connection)
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
const asAdministrator = (sql: string, database = server.connection.database) =>
  query({ ...server.connection, database }, sql)

/** A login with a database of its own, as a hosting company hands it out. */
async function createOwner(name: string, rights = ''): Promise<EmbeddedConnection> {
  await asAdministrator(`CREATE ROLE ${name} LOGIN ${rights}`)
  await asAdministrator(`CREATE DATABASE ${name} OWNER ${name}`)
  return { ...server.connection, user: name, database: name }
}

async function stateOf(connection: EmbeddedConnection) {
  const client = createClient(connection)
  await client.connect()
  try {
    return await readRoleState(client)
  } finally {
    await client.end()
  }
}

/** What the doctor says about the role. */
async function askDoctor(connection: EmbeddedConnection) {
  const env = { DATABASE_URL: urlOf(connection), DATA_DIR: join(folder, 'data'), PORT: '0', ...ownSecrets }
  const { code, checks } = await runForJson(['doctor'], env)
  return { code, ...checks.find(({ check }: { check: string }) => check === 'role') }
}

const dropRole = async () => {
  const [found] = await asAdministrator(`SELECT 1 FROM pg_roles WHERE rolname = '${appRole}'`)
  if (!found) return
  for (const { datname } of await asAdministrator('SELECT datname FROM pg_database WHERE datallowconn'))
    await asAdministrator(`DROP OWNED BY ${appRole}`, datname)
  await asAdministrator(`DROP ROLE ${appRole}`)
}

describe('an owner who may not create roles', () => {
  let owner: EmbeddedConnection
  const warned: object[] = []
  const log = { info() {}, error() {}, warn: (details: object) => void warned.push(details) }

  beforeAll(async () => {
    await dropRole()
    owner = await createOwner('modest')
  })

  test('gets a working schema, and is told what is missing', async () => {
    expect(await migrate(owner, { log })).toMatchObject({ session: { role: undefined } })
    expect(warned).toEqual([{ role: appRole, login: 'modest', obstacle: 'missing' }])
    expect(await askDoctor(owner)).toMatchObject({
      code: 0,
      status: 'warning',
      message: `the service works as modest: the role ${appRole} does not exist`,
      advice: expect.stringContaining(`CREATE ROLE ${appRole} NOLOGIN; GRANT ${appRole} TO "modest";`),
    })
  })

  test('runs the service, and is bound by row level security all the same', async () => {
    const settings = { DATABASE_URL: urlOf(owner), DATA_DIR: await checkout.newDataDir(), ...ownSecrets }
    const service = await checkout.start(settings)
    try {
      const token = await openShop(settings, service.baseUrl)
      const customers = await sell(service.baseUrl, token)
      expect(customers).toBe(1)
    } finally {
      await service.end('SIGTERM')
    }
    expect(await runForJson(['verify-ledger'], settings)).toMatchObject({
      ok: true,
      data: [{ checked: { customers: 1, balances: 2, entries: 2 } }],
    })
    expect(await query(owner, 'SELECT count(*)::int AS seen FROM ledger_entries')).toEqual([{ seen: 0 }])
    expect(await asAdministrator('SELECT count(*)::int AS seen FROM ledger_entries', 'modest')).toEqual([
      { seen: 2 },
    ])
  })

  test('takes the role on with the first start after an administrator has made it', async () => {
    await asAdministrator(`CREATE ROLE ${appRole} NOLOGIN`)
    expect(await askDoctor(owner)).toMatchObject({
      status: 'warning',
      message: `the service works as modest: it cannot assume the role ${appRole}`,
      advice: expect.stringContaining(`GRANT ${appRole} TO "modest";`),
    })
    expect(await migrate(owner)).toMatchObject({ session: { role: undefined } })
    await asAdministrator(`GRANT ${appRole} TO modest`)
    expect(await askDoctor(owner)).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('wrong privileges'),
    })
    expect(await migrate(owner)).toMatchObject({ applied: [], session: { role: appRole } })
    expect(await askDoctor(owner)).toMatchObject({ status: 'ok', message: `the service works as ${appRole}` })
  })

  test('may leave the work to a login that is nothing but a member of the role', async () => {
    await asAdministrator(`CREATE ROLE worker LOGIN IN ROLE ${appRole}`)
    expect(await migrate({ ...owner, user: 'worker' })).toEqual({
      applied: [],
      version: expect.any(Number),
      session: { role: appRole, isDistributed: false },
    })
    await asAdministrator('DROP ROLE worker')
  })

  test('does not believe in a role that row level security does not bind', async () => {
    await asAdministrator(`ALTER ROLE ${appRole} BYPASSRLS`)
    expect(await stateOf(owner)).toMatchObject({ obstacle: 'exempt' })
    expect(await migrate(owner)).toMatchObject({ session: { role: undefined } })
    expect(await askDoctor(owner)).toMatchObject({ advice: expect.stringContaining('NOBYPASSRLS') })
    await asAdministrator(`ALTER ROLE ${appRole} NOBYPASSRLS`)
    expect(await migrate(owner)).toMatchObject({ session: { role: appRole } })
  })

  test('is told of a migration that would change rows it cannot see, instead of doing nothing', async () => {
    const migrations = await mkdtemp(join(folder, 'migrations-'))
    const other = await createOwner('changing')
    const sql = `CREATE TABLE kept (org_id int); INSERT INTO kept VALUES (1);
      ALTER TABLE kept ENABLE ROW LEVEL SECURITY; ALTER TABLE kept FORCE ROW LEVEL SECURITY;`
    await writeFile(join(migrations, '0001-make.sql'), sql)
    await migrate(other, { folder: migrations })
    await writeFile(join(migrations, '0002-change.sql'), 'UPDATE kept SET org_id = 2;')
    await expect(migrate(other, { folder: migrations })).rejects.toThrow(/row-level security/)
  })
})

test('an owner who may create roles makes it, and takes it on', async () => {
  await dropRole()
  const owner = await createOwner('able', 'CREATEROLE')
  expect(await migrate(owner)).toMatchObject({ session: { role: appRole } })
  expect(await askDoctor(owner)).toMatchObject({ status: 'ok' })
})

test('what somebody granted beside it is taken away again, and what is missing is given', async () => {
  const owner = { ...server.connection, user: 'able', database: 'able' }
  await query(
    owner,
    `GRANT DELETE, UPDATE ON ledger_entries TO ${appRole}; REVOKE INSERT ON customers FROM ${appRole}`,
  )
  expect(await stateOf(owner)).toMatchObject({ obstacle: 'wrong grants' })
  expect(await migrate(owner)).toMatchObject({ session: { role: appRole } })
  expect(await stateOf(owner)).toEqual({ login: 'able', isLoginExempt: false, obstacle: undefined })
})

test('a demo left partly filled is dropped, although row level security binds the owner', async () => {
  const owner = { ...server.connection, user: 'able', database: 'able' }
  const settings = { DATABASE_URL: urlOf(owner), DATA_DIR: await checkout.newDataDir(), DEMO: '1' }
  const orgs = async () => {
    const rows = await asAdministrator('SELECT DISTINCT org_id AS org FROM ledger_entries', 'able')
    return rows.map(({ org }) => org)
  }
  const interrupted = checkout.run(['serve'], { ...settings, DEMO_DAYS: '90' })
  while ((await orgs()).length === 0) await new Promise((done) => setTimeout(done, 50))
  checkout.signalNewest('SIGKILL')
  await interrupted
  expect(await orgs()).toEqual([1])
  const service = await checkout.start({ ...settings, DEMO_DAYS: '1' })
  await service.end('SIGTERM')
  expect(await orgs()).toEqual([2])
})

test('databases of one server that are prepared at once share the role', async () => {
  await dropRole()
  const names = Array.from({ length: isFull ? 6 : 3 }, (_, i) => `shared_${i}`)
  for (const name of names) await asAdministrator(`CREATE DATABASE ${name}`)
  const connections = names.map((database) => ({ ...server.connection, database }))
  const twice = [...connections, ...connections]
  const roles = await Promise.all(twice.map(async (connection) => (await migrate(connection)).session.role))
  expect(roles).toEqual(twice.map(() => appRole))
})

test('a start that has nothing to change writes nothing', async () => {
  const connection = { ...server.connection, database: 'shared_0' }
  // Whatever writes takes a transaction number.
  const next = () => query(connection, 'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS next')
  const before = await next()
  expect(await migrate(connection)).toMatchObject({ session: { role: appRole } })
  expect(await next()).toEqual(before)
})

/** An organization that can be sold to, made on the command line; its token. */
async function openShop(settings: Record<string, string>, url: string): Promise<string> {
  const organization = await runForJson(['organization', 'create', 'Modest'], settings)
  const integration = await runForJson(['integration', 'create', 'Till'], settings)
  const connection = await runForJson(
    [
      'connection',
      'create',
      '--organization',
      organization.id,
      '--integration',
      integration.id,
      '--scopes',
      'pos,manage',
    ],
    settings,
  )
  const credentials = { API_KEY: integration.apiKey, API_SECRET: connection.apiSecret }
  return (await runForJson(['token', '--url', url], credentials)).accessToken
}

/** Publishes a campaign, registers a customer and sells a latte; how many customers there are then. */
async function sell(url: string, token: string): Promise<number> {
  // biome-ignore lint/suspicious/noExplicitAny: read the way a client would.
  const call = async (method: string, path: string, body?: object): Promise<any> => {
    const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
    const reply = await fetch(`${url}/v1${path}`, { method, headers, body: body && JSON.stringify(body) })
    if (!reply.ok) throw new Error(`${method} ${path}: ${await reply.text()}`)
    // biome-ignore lint/suspicious/noExplicitAny: read the way a client would.
    return (await reply.json()) as any
  }
  const campaign = await call('POST', '/campaigns', coffeeClub)
  await call('POST', `/campaigns/${campaign.id}/publish`)
  const customer = await call('POST', '/customers/register', {
    campaignId: campaign.id,
    customer: { data: {} },
  })
  await call('POST', '/transactions/process', {
    customer: customer.id,
    card: customer.cards[0].id,
    items: [{ product: 'latte', quantity: 1, amount: 4 }],
  })
  return (await call('GET', '/customers')).data.length
}
