/**
 * The tests on a Citus cluster: TEST_DATABASE_URL is its coordinator, TEST_CITUS_WORKERS the other servers. A
 * database is created on each of them.
 */
import { distribute } from '../../src/database/distribute.ts'
import { createClient, type DatabaseConnection } from '../../src/database/pool.ts'
import { withDatabase } from './template.ts'

const workers = (process.env.TEST_CITUS_WORKERS ?? '').split(',').filter((address) => address !== '')

/** Whether the tests run on a cluster. */
export const isOnCluster = workers.length > 0

/** The same database, through a node that is not the coordinator. */
export const onWorker = (connection: DatabaseConnection): DatabaseConnection =>
  withDatabase(workers[0]!, new URL(connection as string).pathname.slice(1))

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

export async function distributeTables(connection: DatabaseConnection): Promise<void> {
  const client = createClient(connection, { applicationName: 'loyalty-wallet tests', isDistributed: true })
  await client.connect()
  try {
    // Few parts: a test database has a handful of organizations, and each part of a table takes its time.
    await distribute(client, { shardCount: 4 })
  } finally {
    await client.end()
  }
}

async function run(connection: DatabaseConnection, sql: string): Promise<void> {
  const client = createClient(connection, { applicationName: 'loyalty-wallet tests' })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
