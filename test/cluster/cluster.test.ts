/** What only a cluster can get wrong; these tests run when one is given (`scripts/citus.mjs`). */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import pg, { type Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { appRole } from '../../src/database/app-role.ts'
import { DirectPool } from '../../src/database/direct-pool.ts'
import { distribute, listUndistributed } from '../../src/database/distribute.ts'
import { atServer } from '../../src/database/failover.ts'
import { migrate } from '../../src/database/migrate.ts'
import { createClient, type DatabaseConnection } from '../../src/database/pool.ts'
import { organizationTables } from '../../src/store/delete-demo-organization.ts'
import { inTransaction } from '../../src/store/tenant.ts'
import { audit } from '../support/audit.ts'
import { ownSecrets, urlOf } from '../support/checkout.ts'
import { distributeTables, isOnCluster, joinServers, onWorker, runOnServers } from '../support/cluster.ts'
import { createTestDatabase } from '../support/database.ts'
import { runForJson } from '../support/run-command.ts'
import { coffeeClub, productionLimits, startTestService, type TestService } from '../support/service.ts'
import { openShop, type Person, type Shop } from '../support/shop.ts'

describe.runIf(isOnCluster)('on a cluster', () => {
  let service: TestService
  let elsewhere: TestService
  let direct: TestService
  let shop: Shop
  let person: Person
  let org: number

  beforeAll(async () => {
    service = await startTestService(productionLimits)
    const connection = onWorker(service.database.connection)
    elsewhere = await startTestService({
      ...productionLimits,
      sharing: { database: { ...service.database, connection } },
    })
    direct = await startTestService({ ...productionLimits, sharing: service, isDirect: true })
    shop = await openShop(service)
    person = await shop.register(await shop.publish(coffeeClub))
    const { rows } = await service.database.pool.query('SELECT org_id FROM organizations WHERE id = $1', [
      shop.merchant.id.slice(4),
    ])
    org = rows[0].org_id
  })

  afterAll(async () => {
    expect(await audit(service.database.pool)).toEqual([])
    await direct.close()
    await elsewhere.close()
    await service.close()
  })

  const pay = (i: number, receipt = `r-${i}`) =>
    shop.call(
      'POST',
      '/v1/transactions/process',
      { ...person, opaqueId: receipt, items: [{ product: 'latte', quantity: 1, unitPrice: 3.5 }] },
      { on: [service, elsewhere, direct][i % 3] },
    )

  const countSales = async () =>
    (await service.database.pool.query('SELECT count(*) AS sales FROM transactions')).rows[0].sales

  test('services that enter the cluster differently sell to one customer, and each receipt counts once', async () => {
    const replies = await Promise.all(Array.from({ length: 60 }, (_, i) => pay(i, `both-${i >> 1}`)))
    expect(replies.every(({ status }) => status === 201 || status === 200)).toBe(true)
    expect(new Set(replies.map(({ body }) => body.id)).size).toBe(30)
    expect(await countSales()).toBe(30)
  })

  test('an organization moves to a part and a node of its own while it sells', async () => {
    const before = await countSales()
    let isMoving = true
    const acknowledged: string[] = []
    const till = async (number: number) => {
      for (let i = 0; isMoving; i++) {
        const receipt = `${number}-${i}`
        // A till repeats what was not answered, with the same number.
        for (;;) {
          const { status, body } = await pay(number, receipt)
          if (status < 300) {
            acknowledged.push(body.id)
            break
          }
          expect(status).toBe(503)
        }
      }
    }
    const tills = Promise.all([0, 1, 2, 3].map(till))
    const operator = createClient(service.database.connection, { statementTimeoutMs: 0, queryTimeoutMs: 0 })
    await operator.connect()
    const run = (sql: string) => operator.query(sql)
    const untilDone = (sql: string) =>
      expect
        .poll(() => run(sql).then(() => 'done', String), { timeout: 60_000, interval: 1_000 })
        .toBe('done')
    try {
      // Without blocking, rows would be replicated, which row level security forbids.
      // Citus may cancel it for a deadlock with a sale; the operator repeats it.
      await untilDone(
        `SELECT isolate_tenant_to_new_shard('setup_versions', ${org}, 'CASCADE', 'block_writes')`,
      )
      const placement = `SELECT shardid, nodename, nodeport FROM citus_shards
        WHERE table_name = 'setup_versions'::regclass
          AND shardid = get_shard_id_for_distribution_column('setup_versions', ${org})`
      for (let i = 0; i < 2; i++) {
        const from = (await run(placement)).rows[0]
        const others = `SELECT nodename, nodeport FROM pg_dist_node WHERE shouldhaveshards AND nodeport <> ${from.nodeport}`
        const to = (await run(others)).rows[0]
        const move = `SELECT citus_move_shard_placement(${from.shardid}, '${from.nodename}', ${from.nodeport},
          '${to.nodename}', ${to.nodeport}, 'block_writes')`
        // What an earlier move left behind is removed a little later, and until then there is no way back.
        await untilDone(move)
        expect((await run(placement)).rows[0].nodeport).toBe(to.nodeport)
      }
    } finally {
      isMoving = false
      await tills
      await operator.end()
    }
    expect(acknowledged.length).toBeGreaterThan(0)
    expect(new Set(acknowledged).size).toBe(acknowledged.length)
    expect((await countSales()) - before).toBe(acknowledged.length)
  })

  const placement = async () => {
    const { rows } = await service.database.pool.query(
      `SELECT nodename, nodeport FROM citus_shards WHERE table_name = 'setup_versions'::regclass
         AND shardid = get_shard_id_for_distribution_column('setup_versions', $1::integer)`,
      [org],
    )
    return rows[0]
  }

  test('a direct service works for an organization where its data is, also after a move', async () => {
    const pool = direct.deps.pool as DirectPool
    await pay(2, 'direct')
    const used = () => (pool.poolOf(org).options as { connectionString?: string }).connectionString
    // It looks every five seconds.
    await expect.poll(used, { timeout: 20_000 }).toContain(`:${(await placement()).nodeport}/`)
    const { rows } = await pool
      .poolOf(org)
      .query(`SELECT current_user AS role, current_setting('enable_seqscan') AS "seqScan"`)
    expect(rows).toEqual([{ role: appRole, seqScan: 'off' }])
  })

  test('a node that cannot be reached directly is reached through the others, until it can be', async () => {
    const connectionString = service.database.connection as string
    const node = await placement()
    const told: string[] = []
    const note = (_: object, message: string) => void told.push(message)
    const road = await openRoad(node)
    await road.close()
    const pool = new DirectPool(
      { connectionString },
      {
        openNode: () => {
          const node = new pg.Pool({ connectionString: atServer(connectionString, '127.0.0.1', road.port) })
          node.on('connect', (client) => client.on('error', () => {}))
          return node.on('error', () => {})
        },
        log: { info: note, warn: note, error: note },
        everyMs: 50,
      },
    )
    pool.on('error', () => {})
    const answer = async () => {
      const client = await pool.connectFor(org)
      const { rows } = await client.query('SELECT 1 AS one').finally(() => client.release())
      return rows
    }
    const isDirect = () => pool.poolOf(org) !== pool
    expect(await answer()).toEqual([{ one: 1 }])
    await expect.poll(() => told).toContain('a server of the cluster cannot be used directly')
    expect(isDirect()).toBe(false)
    await road.open()
    await expect.poll(isDirect).toBe(true)
    expect(told.at(-1)).toBe('a server of the cluster is used directly')
    expect(await answer()).toEqual([{ one: 1 }])
    await road.close()
    await expect.poll(() => answer().catch(() => [])).toEqual([{ one: 1 }])
    await expect.poll(isDirect).toBe(false)
    await pool.end()
  })

  test('the doctor sees the cluster, and that its nodes can be used directly', async () => {
    const url = urlOf(service.database.connection)
    expect(await examine({ DATABASE_URL: url })).toEqual([
      { check: 'cluster', status: 'ok', message: expect.stringMatching(/^Citus \S+, \d+ nodes$/) },
    ])
    expect(await examine({ DATABASE_URL: url, CLUSTER_DIRECT: '1' })).toContainEqual({
      check: 'direct',
      status: 'ok',
      message: 'all nodes can be used directly',
    })
  })

  test.each(['the coordinator', 'another node', 'its own node'])(
    'an organization cannot write rows of another through %s',
    async (node) => {
      const other = (await openShop(service)).merchant.id.slice(4)
      const { rows } = await service.database.pool.query('SELECT org_id FROM organizations WHERE id = $1', [
        other,
      ])
      const entry = { 'the coordinator': service, 'another node': elsewhere, 'its own node': direct }[node]!
      const theirs = () =>
        service.database.pool.query('SELECT count(*) AS n FROM products WHERE org_id = $1', [rows[0].org_id])
      const values = `${rows[0].org_id}, gen_random_uuid(), 'x', now(), now()`
      const columns = 'products (org_id, id, opaque_id, created_at, updated_at)'
      for (const insert of [
        `INSERT INTO ${columns} VALUES (${values})`,
        `INSERT INTO ${columns} SELECT o.org_id, gen_random_uuid(), 'x', now(), now() FROM setup_versions o WHERE o.org_id = ${rows[0].org_id}`,
        `UPDATE products SET org_id = ${rows[0].org_id} WHERE org_id = ${org}`,
      ]) {
        await inTransaction(entry.deps.pool, org, ({ db }) => db.query(insert)).catch(() => {})
        expect((await theirs()).rows[0].n, insert).toBe(0)
      }
    },
  )
})

describe.runIf(isOnCluster)('distribute', () => {
  test('moves a filled database as a whole or not at all, and can be repeated', async () => {
    const owner = await createTestDatabase({ empty: true })
    const database = { ...owner, connection: await ownByLogin(owner.connection) }
    await migrate(database.connection)
    const before = await startTestService({ sharing: { database }, isDistributed: false })
    const shop = await openShop(before)
    const person = await shop.register(await shop.publish(coffeeClub))
    const sale = { ...person, opaqueId: 'first', items: [{ product: 'latte', quantity: 2, unitPrice: 3.5 }] }
    const sold = await shop.post('/v1/transactions/process', sale)
    const digest = async () =>
      (await database.pool.query('SELECT json_agg(l ORDER BY key, version) AS d FROM ledger_entries l'))
        .rows[0].d
    const ledger = await digest()

    // The servers are added to a database that has been in use for long.
    await joinServers(process.env.TEST_DATABASE_URL!, nameOf(database.connection))
    const env = { DATABASE_URL: urlOf(database.connection) }
    const [advised] = await examine(env)
    expect(advised).toMatchObject({
      status: 'warning',
      advice: expect.stringMatching(/loyalty-wallet distribute/),
    })
    const client = createClient(database.connection, { isDistributed: true })
    await client.connect()
    const all = await listUndistributed(client)
    const interrupted = distribute(client, {
      onProgress(done) {
        // Ends the session in the middle.
        if (done === 20) client.connection.stream.destroy()
      },
    })
    await expect(interrupted).rejects.toThrow()
    await expect
      .poll(async () => {
        const watcher = createClient(database.connection)
        await watcher.connect()
        const left = await listUndistributed(watcher)
        await watcher.end()
        return left
      })
      .toEqual(all)
    await distributeTables(database.connection)
    const again = createClient(database.connection, { isDistributed: true })
    await again.connect()
    expect((await distribute(again)).moved).toEqual([])
    expect(await runForJson(['distribute'], env)).toMatchObject({ code: 0, moved: [] })
    expect((await examine(env))[0]).toMatchObject({ status: 'ok' })
    const role = await again.query('SELECT rolcanlogin FROM pg_roles WHERE rolname = $1', [appRole])
    expect(role.rows).toEqual([{ rolcanlogin: true }])
    await again.end()

    expect(await digest()).toEqual(ledger)
    const after = await startTestService({ sharing: { database } })
    const token = (
      await after.call('POST', '/auth/token', {
        headers: { 'x-api-key': shop.merchant.apiKey, 'x-api-secret': shop.merchant.apiSecret },
      })
    ).body.accessToken
    const repeated = await after.call('POST', '/v1/transactions/process', { token, body: sale })
    expect(repeated.body.id).toBe(sold.id)
    const next = { ...sale, opaqueId: 'second' }
    expect((await after.call('POST', '/v1/transactions/process', { token, body: next })).status).toBe(201)
    const elsewhere = await startTestService({
      sharing: { database: { ...database, connection: onWorker(database.connection) } },
    })
    await deleteTestOrganizations(database.pool, token, [after, elsewhere])
    expect(await audit(database.pool)).toEqual([])
    await elsewhere.close()
    await after.close()
    await before.close()
    await database.close()
  })
})

/** What the doctor finds about the cluster, whatever else it finds. */
async function examine(env: Record<string, string>): Promise<{ check: string }[]> {
  const { checks } = await runForJson(['doctor'], { ...env, ...ownSecrets, PORT: '0' })
  return checks.filter(({ check }: { check: string }) => check === 'cluster' || check === 'direct')
}

/** A way to a server that can be closed and opened again. */
async function openRoad({ nodename, nodeport }: { nodename: string; nodeport: number }) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    const there = connect(nodeport, nodename)
    socket.pipe(there).pipe(socket)
    for (const end of [socket, there]) {
      sockets.add(end)
      end.on('error', () => {})
    }
  })
  const open = async (port: number) => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  await open(0)
  const { port } = server.address() as AddressInfo
  return {
    port,
    open: () => open(port),
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const nameOf = (connection: DatabaseConnection) => new URL(connection as string).pathname.slice(1)

/** Gives the database to a login without special rights, whom row level security does not spare. */
async function ownByLogin(connection: DatabaseConnection): Promise<string> {
  const login = 'lw_ordinary'
  await runOnServers(
    process.env.TEST_DATABASE_URL!,
    `DO $$ BEGIN
       IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${login}') THEN CREATE ROLE ${login} LOGIN CREATEROLE; END IF;
     END $$;
     GRANT ${appRole} TO ${login};
     ALTER DATABASE ${nameOf(connection)} OWNER TO ${login}`,
  )
  const url = new URL(connection as string)
  url.username = login
  return url.href
}

/** Creates as many as there may be, so that some share a part of the tables with the live one, and deletes them. */
async function deleteTestOrganizations(pool: Pool, token: string, services: TestService[]): Promise<void> {
  const [service] = services
  const numbers = new Map<string, number>()
  for (let i = 0; i < 6; i++) {
    const made = await service!.call('POST', '/v1/test-organizations', { token, body: { name: `Test ${i}` } })
    expect(made.status, made.text).toBe(201)
    const { rows } = await pool.query('SELECT org_id FROM organizations WHERE id = $1', [
      made.body.id.slice(4),
    ])
    numbers.set(made.body.id, rows[0].org_id)
  }
  const parts = await pool.query(
    `SELECT count(DISTINCT get_shard_id_for_distribution_column('setup_versions', org_id)) AS count FROM organizations`,
  )
  expect(parts.rows[0].count).toBeLessThan(numbers.size)
  for (const [i, id] of [...numbers.keys()].entries()) {
    const path = `/v1/test-organizations/${id}`
    const gone = await services[i % services.length]!.call('DELETE', path, { token })
    expect(gone.status, gone.text).toBe(204)
  }
  for (const table of [...organizationTables, 'organizations']) {
    const { rows } = await pool.query(`SELECT count(*) AS count FROM ${table} WHERE org_id = ANY($1)`, [
      [...numbers.values()],
    ])
    expect(rows[0].count, table).toBe(0)
  }
  const entries = await pool.query(
    `SELECT subject_id FROM audit_entries WHERE action = 'deleteTestOrganization' ORDER BY id`,
  )
  expect(entries.rows.map(({ subject_id }) => subject_id)).toEqual([...numbers.keys()])
}
