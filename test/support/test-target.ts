/** What the tests run on, for the records of their runs. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { createClient } from '../../src/database/pool.ts'
import { findPostgresBinaries } from '../../src/embedded-postgres/postgres-binaries.ts'
import { isOnCluster, isOnNodes } from './cluster.ts'

export interface Place {
  /** The address of a server, or of the coordinator of a cluster. */
  readonly database?: string
  /** Where the programs of the embedded server are, if not in the npm package. */
  readonly bin?: string
  readonly pgBouncer?: string
}

export interface TestTarget {
  readonly name: string
  readonly versions: Readonly<Record<string, string>>
}

export async function describeTarget({ database, bin, pgBouncer }: Place): Promise<TestTarget> {
  const cluster = isOnNodes ? 'Citus, direct connections' : 'Citus'
  const { postgres } = database ? { postgres: '' } : await findPostgresBinaries(bin)
  const versions = {
    'Node.js': process.version.slice(1),
    ...(database ? await askServer(database) : { PostgreSQL: await versionOf(postgres) }),
    ...(pgBouncer && { PgBouncer: await versionOf(pgBouncer) }),
  }
  return { name: isOnCluster ? cluster : 'one server', versions }
}

async function askServer(url: string): Promise<Record<string, string>> {
  const client = createClient(url, { applicationName: 'loyalty-wallet tests' })
  await client.connect()
  try {
    const { rows } = await client.query(`SELECT current_setting('server_version') AS server`)
    const PostgreSQL = firstVersion(rows[0].server)
    if (!isOnCluster) return { PostgreSQL }
    const citus = await client.query('SELECT citus_version() AS citus')
    return { PostgreSQL, Citus: firstVersion(citus.rows[0].citus) }
  } finally {
    await client.end()
  }
}

/** What a program says of its version. */
export async function versionOf(program: string, flag = '--version'): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(program, [flag])
  return firstVersion(stdout || stderr)
}

const firstVersion = (text: string) => /\d+(?:\.\d+)+/.exec(text)?.[0] ?? text.trim()
