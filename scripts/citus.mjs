/**
 * Starts a small Citus cluster on this computer: a coordinator and two workers, from PostgreSQL binaries that
 * have the extension. It prints the settings with which the tests use it, and runs until it is interrupted;
 * or it runs the command after `--` with these settings, and ends with it. What tests find there is kept in
 * `bench/results/tests.json`.
 *
 *   node scripts/citus.mjs --bin /usr/lib/postgresql/15/bin -- npx vitest run test/races
 */
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs, promisify } from 'node:util'
import pg from 'pg'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    bin: { type: 'string', default: '/usr/lib/postgresql/15/bin' },
    port: { type: 'string', default: '55430' },
    /** The databases of benchmarks must survive a crash, like real ones; those of tests need not. */
    durable: { type: 'boolean', default: false },
  },
})
const names = ['coordinator', 'worker-1', 'worker-2']
const ports = names.map((_, i) => Number(values.port) + i)
const folder = await mkdtemp(join(tmpdir(), 'lw-citus-'))
await chmod(folder, 0o755)
// PostgreSQL refuses to run as root.
const owner = userInfo().uid === 0 ? await idsOf('nobody') : {}
const run = promisify(execFile)
const servers = []

try {
  await Promise.all(names.map(start))
  const workers = ports.slice(1).map(addressOf)
  const settings = { TEST_DATABASE_URL: addressOf(ports[0]), TEST_CITUS_WORKERS: workers.join(',') }
  if (positionals.length > 0) await runCommand(settings)
  else {
    for (const [name, value] of Object.entries(settings)) console.log(`export ${name}='${value}'`)
    console.log('The cluster runs. Press Ctrl+C to stop and remove it.')
    await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  }
} finally {
  for (const server of servers) server.kill('SIGINT')
  await Promise.all(servers.map((server) => server.exitCode ?? once(server, 'exit')))
  await rm(folder, { recursive: true, force: true })
}

function addressOf(port) {
  return `postgres://postgres@127.0.0.1:${port}/postgres`
}

async function idsOf(user) {
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await promisify(execFile)('id', [flag, user])).stdout)),
  )
  return { uid, gid }
}

async function start(name, index) {
  const data = join(folder, name)
  if (owner.uid !== undefined) await chown(folder, owner.uid, owner.gid)
  await run(
    join(values.bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'],
    {
      ...owner,
      cwd: '/',
    },
  )
  const options = {
    port: ports[index],
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    shared_preload_libraries: 'citus',
    max_connections: 300,
    max_prepared_transactions: 300,
    // One for each database, which also finds deadlocks between nodes.
    max_worker_processes: 64,
    wal_level: 'logical',
    shared_buffers: '256MB',
    'citus.node_conninfo': 'sslmode=disable',
    'citus.enable_statistics_collection': 'off',
    ...(!values.durable && { fsync: 'off', full_page_writes: 'off' }),
  }
  const flags = Object.entries(options).flatMap(([key, value]) => ['-c', `${key}=${value}`])
  const server = spawn(join(values.bin, 'postgres'), ['-D', data, ...flags], {
    ...owner,
    cwd: '/',
    stdio: ['ignore', 'ignore', process.env.CITUS_LOG ? 'inherit' : 'ignore'],
  })
  servers.push(server)
  await waitFor(ports[index], server)
}

async function waitFor(port, server) {
  for (let attempt = 1; ; attempt++) {
    const client = new pg.Client(addressOf(port))
    // A server that is starting may close the connection again; the next statement says so.
    client.on('error', () => {})
    try {
      await client.connect()
      await client.query('CREATE EXTENSION IF NOT EXISTS citus')
      await allowMoves(client)
      return
    } catch (error) {
      if (attempt === 300 || server.exitCode !== null) {
        throw new Error(
          `The server on port ${port} does not start: ${error.message}. Run again with CITUS_LOG=1.`,
        )
      }
      await sleep(100)
    } finally {
      await client.end().catch(() => {})
    }
  }
}

/** The newest PostgreSQL releases refuse output plugins that are not listed; Citus moves parts of tables with one. */
async function allowMoves(client) {
  const { rows } = await client.query("SELECT FROM pg_settings WHERE name = 'output_plugin_libraries'")
  if (rows.length === 0) return
  await client.query("ALTER SYSTEM SET output_plugin_libraries = 'pgoutput', 'test_decoding', 'citus'")
  await client.query('SELECT pg_reload_conf()')
}

async function runCommand(settings) {
  const [command, ...args] = positionals
  // What ran on a cluster is quoted by the docs: test/support/record-run.ts keeps it under this name.
  const TEST_RECORD = process.env.TEST_CLUSTER_DIRECT === '1' ? 'Citus, direct connections' : 'Citus'
  const env = { TEST_RECORD, ...process.env, ...settings }
  const child = spawn(command, args, { stdio: 'inherit', env })
  process.on('SIGINT', () => {})
  const [code] = await once(child, 'exit')
  process.exitCode = code ?? 1
}
