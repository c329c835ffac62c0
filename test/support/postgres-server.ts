import { rmSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { appRole } from '../../src/database/app-role.ts'
import { connectQuery } from '../../src/database/check-session.ts'
import { migrate } from '../../src/database/migrate.ts'
import type { DatabaseConnection } from '../../src/database/pool.ts'
import { startEmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.ts'
import { isAlive, isServerOf, readPostmasterFile } from '../../src/embedded-postgres/postmaster-file.ts'
import { distributeTables, isOnCluster, joinServers, runOnServers } from './cluster.ts'
import {
  copyUnusedServer,
  folderPrefix,
  inMemory,
  makeServerFolder,
  prepareUnusedServer,
  quickSettings,
} from './own-server.ts'
import { pgBouncerProgram, startPgBouncer } from './pgbouncer.ts'
import { TEMPLATE, withDatabase } from './template.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The server that all tests of this run share; its database accepts connections for CREATE DATABASE. */
    postgres: DatabaseConnection
    /** The same server through PgBouncer, if TEST_PGBOUNCER names one; the services of the tests then use it. */
    pooler: DatabaseConnection | undefined
  }
}

/**
 * Starts one PostgreSQL for the whole run, with a migrated database that each test file clones. If
 * TEST_DATABASE_URL is set, that server is used instead; its user must be allowed to create databases. With
 * TEST_CITUS_WORKERS it is the coordinator of a cluster (`scripts/citus.mjs`).
 * TEST_POSTGRES_BIN selects another version to start, and TEST_PGBOUNCER puts PgBouncer in front of it.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const external = process.env.TEST_DATABASE_URL
  if (external) {
    await createTemplate(external)
    project.provide('postgres', external)
    const stopPooler = await startPooler(project, external)
    return async () => {
      await stopPooler()
      await dropTemplate(external)
    }
  }

  await removeLeftovers()
  const folder = await makeServerFolder()
  const binFolder = process.env.TEST_POSTGRES_BIN
  // The servers of single tests have the version in the package.
  if (binFolder === undefined) await prepareUnusedServer(join(folder, 'unused'))
  copyUnusedServer(join(folder, 'postgres'))
  const server = await startEmbeddedPostgres({
    folder: join(folder, 'postgres'),
    binFolder,
    // Plans must not change in the middle of a test.
    settings: {
      ...quickSettings,
      max_connections: '200',
      max_wal_size: '512MB',
      autovacuum: 'off',
    },
  })
  const endAtOnce = () => {
    const pid = server.pid()
    if (pid !== undefined) process.kill(pid, 'SIGQUIT')
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', endAtOnce)
  await createTemplate(server.connection)
  project.provide('postgres', server.connection)
  const stopPooler = await startPooler(project, server.connection)
  return async () => {
    process.off('exit', endAtOnce)
    await stopPooler()
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

async function startPooler(project: TestProject, server: DatabaseConnection): Promise<() => Promise<void>> {
  if (!pgBouncerProgram) {
    project.provide('pooler', undefined)
    return async () => {}
  }
  const session = { role: appRole, isDistributed: isOnCluster }
  const pgBouncer = await startPgBouncer(server, { connectQuery: connectQuery(session) })
  project.provide('pooler', pgBouncer.through(server))
  return pgBouncer.stop
}

async function createTemplate(connection: DatabaseConnection): Promise<void> {
  await dropTemplate(connection)
  await runOnServers(connection, `CREATE DATABASE ${TEMPLATE}`)
  const template = withDatabase(connection, TEMPLATE)
  if (isOnCluster) await joinServers(connection, TEMPLATE)
  await migrate(template)
  if (isOnCluster) await distributeTables(template)
  // This prevents accidental changes, and connections that would block cloning it.
  await runOnServers(connection, `ALTER DATABASE ${TEMPLATE} IS_TEMPLATE true ALLOW_CONNECTIONS false`)
  await runOnServers(
    connection,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${TEMPLATE}'`,
  )
}

async function dropTemplate(connection: DatabaseConnection): Promise<void> {
  await runOnServers(connection, `UPDATE pg_database SET datistemplate = false WHERE datname = '${TEMPLATE}'`)
  await runOnServers(connection, `DROP DATABASE IF EXISTS ${TEMPLATE} WITH (FORCE)`)
}

/** Stops the server and removes the folder of a run that was killed before it could do so itself. */
async function removeLeftovers(): Promise<void> {
  const listed = [inMemory, tmpdir()].map(async (parent) =>
    (await readdir(parent).catch(() => [])).map((name) => ({ name, folder: join(parent, name) })),
  )
  for (const { name, folder } of (await Promise.all(listed)).flat()) {
    const owner = new RegExp(`^${folderPrefix}(\\d+)-`).exec(name)?.[1]
    if (owner === undefined || (await isAlive(Number(owner)))) continue
    const data = join(folder, 'postgres')
    const file = await readPostmasterFile(data)
    if (file && (await isAlive(file.pid)) && (await isServerOf(file.pid, data)))
      process.kill(file.pid, 'SIGQUIT')
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
