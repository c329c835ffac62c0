import pg from 'pg'
import type { DatabaseLog } from './database-log.ts'
import { DirectPool } from './direct-pool.ts'
import { atServer, createFailoverClient, listServers } from './failover.ts'

/** Where the embedded server listens; `host` is the folder of its socket, or an address on Windows. */
export interface EmbeddedConnection {
  host: string
  port: number
  user: string
  database: string
  password?: string
}

/** A DATABASE_URL, or the embedded server's connection. */
export type DatabaseConnection = string | EmbeddedConnection

/** How the service works with a database; `migrate` finds out. */
export interface SessionOptions {
  /** The role to work as; the login must be allowed to switch to it. */
  role?: string
  /** The tables are spread over the nodes of a Citus cluster. */
  isDistributed?: boolean
  /** For a replica: should it be promoted, nothing is written through this connection. */
  isReadOnly?: boolean
}

export interface PoolOptions extends SessionOptions {
  /** Shown in pg_stat_activity, so that an operator sees which process holds a connection. */
  applicationName?: string
  maxConnections?: number
  /** How long a caller waits for a connection, whether a new one or one that is in use. */
  connectionTimeoutMs?: number
  statementTimeoutMs?: number
  /**
   * How long we wait for any response. It is longer than the server's own statement timeout, so that it fires
   * only when the server is stalled or unreachable and cannot cancel the statement itself.
   */
  queryTimeoutMs?: number
  idleInTransactionTimeoutMs?: number
  /** How long a statement waits for a row that another transaction holds. */
  lockTimeoutMs?: number
  /**
   * Asynchronous commit: COMMIT does not wait for the disk. A crash may lose the newest transactions, always
   * from the end and never partially, so this is only for work that can be redone. A commit that waits
   * flushes all earlier ones with it.
   */
  asyncCommit?: boolean
  /** On a cluster: the statements of an organization go straight to the server that has its data. */
  isDirect?: boolean
  /** These connections lead straight to a server with data. */
  isToNode?: boolean
  log?: DatabaseLog
}

/** There is another way to a node, for which time has to be left. */
const nodeLimits = { connectionTimeoutMs: 2_000 }

/** The limits of the service's own connections. */
export const serviceLimits = { statementTimeoutMs: 5_000, queryTimeoutMs: 8_000, lockTimeoutMs: 3_000 }

/**
 * Opens a pool that outlives the server: a lost connection is logged and replaced by the next query, and
 * every 'error' event has a listener, since one without would end the process.
 */
export function openPool(connection: DatabaseConnection, options: PoolOptions = {}): pg.Pool {
  const settings = { ...clientSettings(connection, options), Client: clientFor(connection) }
  const pool =
    options.isDirect && options.isDistributed && typeof connection === 'string'
      ? new DirectPool(settings, {
          openNode: (host, port) =>
            openPool(atServer(connection, host, port), {
              ...options,
              ...nodeLimits,
              isDirect: false,
              isToNode: true,
            }),
          log: options.log,
        })
      : new pg.Pool(settings)
  if (options.isDistributed) distributedPools.add(pool)
  // The pool reports only idle connections. One that breaks while checked out reports on the client itself.
  pool.on('error', (error) => {
    // The pool does not wait until the connections that it closes are closed; the server may be faster.
    if (!pool.ending) options.log?.warn({ err: error }, 'lost an idle database connection')
  })
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

const distributedPools = new WeakSet<pg.Pool>()

/** Whether its tables are spread over the nodes of a cluster. */
export const isDistributed = (pool: pg.Pool): boolean => distributedPools.has(pool)

/** One connection outside any pool, for long-running work or work that needs other limits. */
export function createClient(connection: DatabaseConnection, options: PoolOptions = {}): pg.Client {
  const Client = clientFor(connection)
  const client = new Client(clientSettings(connection, options))
  client.on('error', () => {})
  return client
}

function clientFor(connection: DatabaseConnection): typeof pg.Client {
  const hasSeveralHosts = typeof connection === 'string' && listServers(connection).length > 1
  return hasSeveralHosts ? createFailoverClient(connection) : pg.Client
}

function clientSettings(connection: DatabaseConnection, options: PoolOptions): pg.PoolConfig {
  // `ssl` is set explicitly so that a PGSSLMODE meant for another server does not affect our private socket.
  if (typeof connection !== 'string') return { ...connection, ssl: false, ...sessionSettings(options, '') }
  // Of several hosts, the client itself finds the one to connect to.
  const url = listServers(connection)[0]!
  // The driver would let the options of the URL replace ours, and with them the role.
  return {
    connectionString: url.replace(optionsParameter, '$1'),
    ...sessionSettings(options, optionsOf(url)),
  }
}

const optionsParameter = /([?&])options=[^&#]*&?/

/** The options in a DATABASE_URL, which the operator wants in addition to ours. */
const optionsOf = (url: string): string => parametersOf(url).get('options') ?? ''

const parametersOf = (url: string) => new URLSearchParams(/\?([^#]*)/.exec(url)?.[1])

/** The settings that a DATABASE_URL itself makes, in its options or as parameters. */
export function settingsIn(connection: DatabaseConnection): string[] {
  if (typeof connection !== 'string') return []
  const inOptions = [...optionsOf(connection).matchAll(/(?:-c ?|--)([\w.]+)=/g)].map(([, name]) => name!)
  return [...inOptions, ...parametersOf(connection).keys()]
}

/**
 * Generic plans: PostgreSQL cannot tell how long an array will be, considers a plan for the current values
 * cheaper, and then replans the basket's statements each time, which took 2 ms of the 2.5 ms a look-up
 * needed. Statements with optional conditions are therefore built from those that are present. Indexes are
 * used even on a table that looks empty, because plans outlive that moment.
 */
const plannerSettings = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off', jit: 'off' }

/**
 * Citus plans some statements only for known values. It sends `SET LOCAL` on to the nodes, which then know
 * the tenant, and the nodes have planner settings of their own (`distribute.ts`).
 */
const distributedSettings = { 'citus.propagate_set_commands': 'local', jit: 'off' }

/** What a connection asks the server for, by the server's names. */
export function settingsOf(options: PoolOptions): Record<string, string> {
  const { role, lockTimeoutMs } = options
  return {
    ...(role !== undefined && { role }),
    ...(options.isDistributed ? distributedSettings : plannerSettings),
    // The nodes have it for connections that the role itself logs in on.
    ...(options.isToNode && { enable_seqscan: 'off' }),
    statement_timeout: String(options.statementTimeoutMs ?? 15_000),
    ...(lockTimeoutMs !== undefined && { lock_timeout: String(lockTimeoutMs) }),
    idle_in_transaction_session_timeout: String(options.idleInTransactionTimeoutMs ?? 15_000),
    ...(options.isReadOnly && { default_transaction_read_only: 'on' }),
    ...(options.asyncCommit && { synchronous_commit: 'off' }),
  }
}

/** In one parameter, so that a pooler has only one to ignore. Those of the URL come last, and win. */
function sessionSettings(options: PoolOptions, ofUrl: string): pg.PoolConfig {
  const settings = Object.entries(settingsOf(options)).map(([name, value]) => `-c ${name}=${value}`)
  return {
    application_name: options.applicationName ?? 'loyalty-wallet',
    options: [...settings, ofUrl].join(' ').trim(),
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: options.connectionTimeoutMs ?? 5_000,
    query_timeout: options.queryTimeoutMs ?? 20_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser },
  }
}

const int8Oid = 20
const int8ArrayOid: number = 1016
const dateOid = 1082

const parseInt8Array = pg.types.getTypeParser(int8ArrayOid, 'text') as (text: string) => (string | null)[]

/**
 * Every bigint in the schema is CHECKed to be a safe integer, so it can be a number here; if one is not, the
 * query fails instead of returning a rounded value. `numeric` stays text. So does `date`: it is a calendar
 * day, and as a Date it would shift with this process's time zone.
 */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (format === 'binary') return pg.types.getTypeParser(oid, 'binary')
  if (oid === int8Oid) return parseInt8
  if (oid === int8ArrayOid) {
    return (text: string) => parseInt8Array(text).map((item) => (item === null ? null : parseInt8(item)))
  }
  if (oid === dateOid) return (text: string) => text
  return pg.types.getTypeParser(oid, 'text')
}

function parseInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} does not fit a JavaScript number`)
  return value
}
