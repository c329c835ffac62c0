import { randomBytes } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isConnectionError } from '../database/classify-error.ts'
import type { DatabaseLog } from '../database/database-log.ts'
import { createClient, type EmbeddedConnection } from '../database/pool.ts'
import { createCluster, superuser } from './create-cluster.ts'
import {
  copyBinaries,
  findPostgresBinaries,
  type PostgresBinaries,
  restoreLibraryLinks,
} from './postgres-binaries.ts'
import { isAlive, isServerOf, type PostmasterFile, readPostmasterFile } from './postmaster-file.ts'
import { takeProcessLock } from './process-lock.ts'
import { findRunAs, type RunAs } from './run-as.ts'
import {
  ensureServer,
  FolderInUseError,
  type ServerPlace,
  type ServerProcess,
  stopServer,
} from './server-process.ts'
import { chooseSharedBuffersMb } from './shared-buffers.ts'
import { findSocketFolder, prepareSocketFolder, socketPort } from './socket-folder.ts'

export interface EmbeddedPostgresOptions {
  /** PostgreSQL's data folder. Its log, `<folder>.log`, is next to it. */
  folder: string
  /** The bin folder of a PostgreSQL other than the one in the npm package. */
  binFolder?: string
  /** Server settings that override ours; `fsync=off` belongs in tests only. */
  settings?: Record<string, string>
  log?: DatabaseLog
}

export interface EmbeddedPostgres {
  connection: EmbeddedConnection
  /** The server's process, or undefined while it is being restarted. */
  pid(): number | undefined
  /** How the server came up: in a new data folder, on an existing one, or found running. */
  origin: 'created' | 'started' | 'adopted'
  /**
   * Shuts the server down within `timeoutMs` plus a few seconds, and releases the folder. Can be called
   * repeatedly.
   */
  stop(timeoutMs?: number): Promise<void>
}

const databaseName = 'loyalty_wallet'

/**
 * Runs PostgreSQL on the folder and keeps it running: a server that dies is restarted, one that outlived a
 * killed service is adopted. Only one service process at a time gets the folder; another one gets a
 * FolderInUseError.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const folder = resolve(options.folder)
  await mkdir(dirname(folder), { recursive: true })
  // A predecessor that was just killed may need a moment to exit.
  const lock = await takeProcessLock(folder, 1_000)
  if ('heldBy' in lock) {
    throw new FolderInUseError(
      `The data folder ${folder} is in use by another Loyalty Wallet process (process ${lock.heldBy}). Stop that one first, give this one another DATA_DIR, or let both use one database with DATABASE_URL.`,
    )
  }
  try {
    const installation = await findInstallation(folder, options.binFolder)
    const { binaries, runAs, major } = installation
    const password = process.platform === 'win32' ? await loadPassword(folder) : undefined
    const cluster = await createCluster({ folder, initdb: binaries.initdb, major, runAs, password })
    const place = await preparePlace(folder, installation, options, password)
    const supervised = await supervise(place, options.log)
    try {
      await createDatabase(place.connection)
    } catch (error) {
      await supervised.stop(5_000)
      throw error
    }
    let stopped: Promise<void> | undefined
    return {
      connection: place.connection,
      pid: supervised.pid,
      origin: cluster === 'created' ? 'created' : supervised.adopted ? 'adopted' : 'started',
      stop(timeoutMs = 5_000) {
        stopped ??= supervised
          .stop(timeoutMs)
          .then(place.removeSocketFolder)
          .finally(() => lock.release())
        return stopped
      },
    }
  } catch (error) {
    await lock.release()
    throw error
  }
}

/**
 * The connection to a server that a service is running on the folder, for command line tools that work
 * alongside it; undefined when none is running.
 */
export async function findEmbeddedPostgres(folder: string): Promise<EmbeddedConnection | undefined> {
  const path = resolve(folder)
  const file = await readPostmasterFile(path)
  if (!file) return undefined
  const password = process.platform === 'win32' ? await loadPassword(path) : undefined
  const connection = await announcedConnection(path, file, password)
  return (await probe(connection)) === 'ready' ? connection : undefined
}

interface Installation {
  binaries: PostgresBinaries
  runAs: RunAs
  major: number
}

/**
 * Finds programs that work and a user who can run them on this data, or fails with an error that says what to
 * do.
 */
async function findInstallation(folder: string, binFolder: string | undefined): Promise<Installation> {
  let binaries = await findPostgresBinaries(binFolder)
  const hasLinks = !binaries.packageFolder || (await restoreLibraryLinks(binaries.packageFolder))
  if (!hasLinks) binaries = await copyBinaries(binaries, dirname(folder))
  let found = await findRunAs(binaries.postgres, folder)
  if (!found.ok && found.inReachOfData && binaries.packageFolder) {
    binaries = await copyBinaries(binaries, dirname(folder))
    found = await findRunAs(binaries.postgres, folder)
  }
  if (!found.ok) throw new Error(explainUnreachable(folder, binaries, found.reason))
  const major = Number(/\(PostgreSQL\) (\d+)/.exec(found.versionText)?.[1])
  if (!(major >= 15))
    throw new Error(`${binaries.postgres} is "${found.versionText}"; PostgreSQL 15 or newer is needed.`)
  return { binaries, runAs: found.runAs, major }
}

function explainUnreachable(folder: string, binaries: PostgresBinaries, reason: string): string {
  const cause = `The embedded PostgreSQL cannot be run: ${reason}.`
  if (process.getuid?.() !== 0) {
    return `${cause} Set POSTGRES_BIN to the bin folder of a PostgreSQL installed on this system (15 to 18), or DATABASE_URL to a running one.`
  }
  return `${cause} PostgreSQL refuses to run as root, and the user it should run as cannot reach ${dirname(folder)} or ${binaries.postgres}. Start the service as an ordinary user, set DATA_DIR to a folder others may enter (for example under /var/lib), or set DATABASE_URL to a running PostgreSQL.`
}

type Place = ServerPlace & { connection: EmbeddedConnection; removeSocketFolder(): Promise<void> }

async function preparePlace(
  folder: string,
  { binaries, runAs }: Installation,
  options: EmbeddedPostgresOptions,
  password: string | undefined,
): Promise<Place> {
  const running = await readRunningServer(folder)
  // A running server stays where it listens.
  const socket =
    process.platform === 'win32'
      ? undefined
      : running
        ? await findSocketFolder(folder, running.socketFolder)
        : await prepareSocketFolder(folder, runAs.owner)
  const login = { user: superuser, database: databaseName }
  const connection = socket
    ? { ...login, host: socket.host, port: running?.port || Number(options.settings?.port ?? socketPort) }
    : { ...login, host: '127.0.0.1', port: running?.port || (await findFreePort()), password }
  return {
    folder,
    logFile: `${folder}.log`,
    binaries,
    runAs,
    connection,
    removeSocketFolder: async () => socket?.remove(),
    probe: async (announced) => probe(await announcedConnection(folder, announced, password)),
    log: options.log,
    settings: {
      listen_addresses: socket ? '' : connection.host,
      unix_socket_directories: socket?.serverFolder ?? '',
      unix_socket_permissions: '0700',
      port: String(connection.port),
      // Set explicitly, although they are the defaults, so that no edited postgresql.conf can lose
      // acknowledged work.
      fsync: 'on',
      synchronous_commit: 'on',
      full_page_writes: 'on',
      max_connections: '100',
      shared_buffers: `${await chooseSharedBuffersMb(folder)}MB`,
      // Twice the default: the first change of a page after a checkpoint writes the whole page to the log.
      max_wal_size: '2GB',
      timezone: 'UTC',
      log_timezone: 'UTC',
      logging_collector: 'off',
      log_destination: 'stderr',
      // Keeps personal data out of the server's log: no statements, and no details such as the value of a
      // duplicate key.
      log_min_error_statement: 'panic',
      log_error_verbosity: 'terse',
      // Compiling a plan costs more than any query of ours takes.
      jit: 'off',
      ...options.settings,
    },
  }
}

/** The postmaster file of a live server; one left behind by a dead server is ignored. */
async function readRunningServer(folder: string): Promise<PostmasterFile | undefined> {
  const file = await readPostmasterFile(folder)
  const isLive = file && (await isAlive(file.pid)) && (await isServerOf(file.pid, folder))
  return isLive ? file : undefined
}

async function announcedConnection(
  folder: string,
  announced: { socketFolder: string; port: number },
  password: string | undefined,
): Promise<EmbeddedConnection> {
  const port = announced.port || socketPort
  if (process.platform === 'win32')
    return { host: '127.0.0.1', port, user: superuser, database: databaseName, password }
  const { host } = await findSocketFolder(folder, announced.socketFolder)
  return { host, port, user: superuser, database: databaseName }
}

/** Starts or adopts the server, and restarts it whenever it ends without having been asked to. */
async function supervise(place: ServerPlace, log: DatabaseLog | undefined) {
  const unwanted = new AbortController()
  let server: ServerProcess | undefined = await ensureServer(place, unwanted.signal)
  const { adopted } = server
  if (adopted) log?.info({ pid: server.pid }, 'adopted the PostgreSQL that a previous process left running')

  const report = (error: unknown): undefined => {
    if (!unwanted.signal.aborted) log?.error({ err: error }, 'PostgreSQL could not be restarted')
  }
  const watch = async () => {
    for (let failures = 0; server; ) {
      const startedAt = Date.now()
      await server.exited
      if (unwanted.signal.aborted) return
      log?.error({ pid: server.pid }, 'PostgreSQL exited unexpectedly, restarting')
      server = undefined
      if (Date.now() - startedAt > 30_000) failures = 0
      while (!server && !unwanted.signal.aborted) {
        // The first attempt is immediate; leftover processes of the server need a moment to notice, hence the
        // others.
        if (failures > 0) await pause(Math.min(100 * 2 ** failures, 5_000), unwanted.signal)
        failures++
        server = await ensureServer(place, unwanted.signal).catch((error) => report(error))
      }
      if (unwanted.signal.aborted) return
    }
  }
  const watching = watch()

  return {
    adopted,
    pid: () => server?.pid,
    async stop(timeoutMs: number) {
      unwanted.abort()
      // During a restart there is no server yet; the attempt ends at once, and so does the loop.
      if (!server) await watching
      if (server) await stopServer(place, server, timeoutMs)
    },
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal, ref: false }).catch(() => {})
}

async function probe(connection: EmbeddedConnection): Promise<'ready' | 'busy' | 'absent'> {
  const client = createClient({ ...connection, database: 'postgres' }, { connectionTimeoutMs: 3_000 })
  try {
    await client.connect()
    await client.end()
    return 'ready'
  } catch (error) {
    // Any response of the server, even a refusal, shows that it is there.
    return isConnectionError(error) && (error as { code?: string }).code !== '57P03' ? 'absent' : 'busy'
  }
}

async function createDatabase(connection: EmbeddedConnection): Promise<void> {
  const client = createClient({ ...connection, database: 'postgres' })
  await client.connect()
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [databaseName])
    if (rowCount === 0) await client.query(`CREATE DATABASE ${databaseName}`)
  } finally {
    await client.end()
  }
}

/** Only for Windows, where clients connect over TCP and any local user could try. */
async function loadPassword(folder: string): Promise<string> {
  const path = `${folder}.password`
  await writeFile(path, randomBytes(24).toString('hex'), { mode: 0o600, flag: 'wx' }).catch(() => {})
  return readFile(path, 'utf8')
}

function findFreePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer()
    server.once('error', fail)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => done(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
