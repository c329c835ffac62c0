/**
 * The tests on a Citus cluster: TEST_DATABASE_URL is its coordinator, TEST_CITUS_WORKERS the other servers. A
 * database is created on each of them.
 */
import type { Pool, QueryResult } from 'pg'
import { distribute } from '../../src/database/distribute.ts'
import { migrate } from '../../src/database/migrate.ts'
import {
  createClient,
  type DatabaseConnection,
  type EmbeddedConnection,
  openPool,
} from '../../src/database/pool.ts'
import { withDatabase } from './template.ts'

const workers = (process.env.TEST_CITUS_WORKERS ?? '').split(',').filter((address) => address !== '')

/** Whether the tests run on a cluster. */
export const isOnCluster = workers.length > 0

/** Whether the services of the tests connect to each server of it. */
export const isOnNodes = isOnCluster && process.env.TEST_CLUSTER_DIRECT === '1'

/** The same database, through a node that is not the coordinator. */
export const onWorker = (connection: DatabaseConnection): DatabaseConnection =>
  withDatabase(workers[0]!, new URL(connection as string).pathname.slice(1))

/** This database, and the same one on the other servers of the cluster. */
export const onServers = (connection: EmbeddedConnection): DatabaseConnection[] => [
  connection,
  ...workers.map((worker) => withDatabase(worker, connection.database)),
]

/** The other servers of the cluster, if there is one, with the same database. */
export async function openWorkers(coordinator: Pool): Promise<Pool[]> {
  const { rows } = await coordinator.query('SELECT current_database() AS name')
  return workers.map((worker) => openPool(withDatabase(worker, rows[0].name), { maxConnections: 1 }))
}

/** Runs a statement on the server of the tests, and on the other servers of its cluster. */
export async function runOnServers(server: DatabaseConnection, sql: string): Promise<void> {
  for (const connection of [server, ...workers]) await run(connection, sql)
}

/** Makes the database of this name, which exists on every server, one database of the cluster. */
export async function joinServers(server: DatabaseConnection, database: string): Promise<void> {
  for (const connection of [server, ...workers]) {
    await run(withDatabase(connection, database), 'CREATE EXTENSION citus')
  }
  const { hostname, port } = new URL(server as string)
  const coordinator = withDatabase(server, database)
  await run(coordinator, `SELECT citus_set_coordinator_host('${hostname}', ${port})`)
  for (const worker of workers) {
    const { hostname, port } = new URL(worker)
    await run(coordinator, `SELECT citus_add_node('${hostname}', ${port})`)
  }
}

/** In few parts by default: a test database has a handful of organizations, and each part of a table takes its time. */
export async function distributeTables(connection: DatabaseConnection, shardCount = 4): Promise<void> {
  const client = createClient(connection, { applicationName: 'loyalty-wallet tests', isDistributed: true })
  await client.connect()
  try {
    await distribute(client, { shardCount })
  } finally {
    await client.end()
  }
}

/** A new database of the cluster with the service's tables on its nodes, as a storm reaches it: through a socket. */
export async function createDatabaseOnServers(database: string): Promise<EmbeddedConnection> {
  const server = process.env.TEST_DATABASE_URL!
  await runOnServers(server, `CREATE DATABASE ${database}`)
  await joinServers(server, database)
  const connection = withDatabase(server, database)
  await migrate(connection)
  await distributeTables(connection)
  const { rows } = await run(connection, 'SHOW unix_socket_directories')
  const { port, username } = new URL(server)
  return { host: rows[0].unix_socket_directories, port: Number(port), user: username, database }
}

async function run(connection: DatabaseConnection, sql: string): Promise<QueryResult> {
  const client = createClient(connection, { applicationName: 'loyalty-wallet tests' })
  await client.connect()
  try {
    return await client.query(sql)
  } finally {
    await client.end()
  }
}
