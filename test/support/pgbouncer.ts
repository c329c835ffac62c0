/** A real PgBouncer in front of the server of the tests. The project does not need one: TEST_PGBOUNCER names it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { DatabaseConnection, EmbeddedConnection } from '../../src/database/pool.ts'

export const pgBouncerProgram = process.env.TEST_PGBOUNCER

export interface PgBouncerOptions {
  /** What each new connection to the server runs first. */
  readonly connectQuery?: string
  /** Lines of the section [pgbouncer] besides ours, or instead of them. */
  readonly settings?: Record<string, string>
}

export interface PgBouncer {
  /** The same server and database, through PgBouncer. */
  through(connection: DatabaseConnection): EmbeddedConnection
  stop(): Promise<void>
}

interface Address {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
}

/** 1.21 was the first that knows prepared statements, and the setting. */
export const knowsPreparedStatements = () =>
  Number(/PgBouncer 1\.(\d+)/.exec(execFileSync(pgBouncerProgram!, ['--version']).toString())?.[1]) >= 21

export async function startPgBouncer(
  server: DatabaseConnection,
  options: PgBouncerOptions = {},
): Promise<PgBouncer> {
  const address = addressOf(server)
  const folder = await mkdtemp(join(tmpdir(), 'lw-pgbouncer-'))
  const port = await findFreePort()
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(file, configOf(address, port, folder, options))
  await writeFile(join(folder, 'users'), `"${address.user}" ""\n`)
  const owner = await ownerOf(address)
  await chmod(folder, 0o755)
  if (owner) await chown(folder, owner.uid, owner.gid)
  const child = spawn(pgBouncerProgram!, [file], { ...owner, cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr!.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  await waitFor(child, { ...address, host: '127.0.0.1', port }, () => said)
  return {
    through: (connection) => ({ ...addressOf(connection), host: '127.0.0.1', port }),
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function addressOf(connection: DatabaseConnection): Address {
  if (typeof connection !== 'string') return connection
  const { hostname, port, username, pathname } = new URL(connection)
  return { host: hostname, port: Number(port || 5432), user: username, database: pathname.slice(1) }
}

function configOf(address: Address, port: number, folder: string, options: PgBouncerOptions): string {
  const query = options.connectQuery === undefined ? '' : ` connect_query='${options.connectQuery}'`
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: port,
    unix_socket_dir: '',
    auth_type: 'trust',
    auth_file: join(folder, 'users'),
    pool_mode: 'transaction',
    default_pool_size: 10,
    max_client_conn: 500,
    ignore_startup_parameters: 'options',
    ...(knowsPreparedStatements() && { max_prepared_statements: 200 }),
    ...options.settings,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  const database = `* = host=${address.host} port=${address.port}${query}`
  return ['[databases]', database, '[pgbouncer]', ...lines, ''].join('\n')
}

/** PgBouncer refuses to run as root, and only the owner of a socket may use that of the embedded server. */
async function ownerOf({ host, port }: Address): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const { uid, gid } = await stat(host.startsWith('/') ? `${host}/.s.PGSQL.${port}` : '/nonexistent').catch(
    () => ({ uid: 65_534, gid: 65_534 }),
  )
  return { uid, gid }
}

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as { port: number }
  await new Promise((closed) => probe.close(closed))
  return port
}

async function waitFor(child: ChildProcess, address: Address, said: () => string): Promise<void> {
  for (;;) {
    const client = new pg.Client(address)
    client.on('error', () => {})
    try {
      await client.connect()
      return
    } catch (error) {
      if (child.exitCode !== null) throw new Error(`PgBouncer does not start: ${said()}`)
      if ((error as { code?: string }).code !== 'ECONNREFUSED') throw error
      await sleep(20)
    } finally {
      await client.end().catch(() => {})
    }
  }
}
