import pg from 'pg'
import type { DatabaseLog } from './database-log.ts'

/** Where the embedded server listens; `host` is the folder of its socket, or an address on Windows. */
export type EmbeddedConnection = {
  host: string
  port: number
  user: string
  database: string
  password?: string
}

/** A DATABASE_URL, or the embedded server's connection. */
export type DatabaseConnection = string | EmbeddedConnection

export type PoolOptions = {
  /** Shown in pg_stat_activity, so that an operator sees which process holds a connection. */
  applicationName?: string
  maxConnections?: number
  /** How long a caller waits for a connection, be it a new one or one that others hold. */
  connectionTimeoutMs?: number
  statementTimeoutMs?: number
  /**
   * How long we wait for an answer at all. It is longer than the server's own statement timeout, so that it
   * fires only when the server is stalled or cut off and cannot cancel by itself.
   */
  queryTimeoutMs?: number
  idleInTransactionTimeoutMs?: number
  /** How long a statement waits for a row that another transaction holds. */
  lockTimeoutMs?: number
  /** The role to work as, which the login must be allowed to take on. */
  role?: string
  /**
   * COMMIT does not wait for the disk. A crash may lose the newest transactions, always from the end and never in
   * part: for work that can be done again. A commit that waits takes all earlier ones to the disk with it.
   */
  asyncCommit?: boolean
  log?: DatabaseLog
}

/**
 * Opens a pool that outlives the server: a lost connection is logged and replaced by the next query, and no
 * 'error' event is ever without a listener, which would end the process.
 */
export function openPool(connection: DatabaseConnection, options: PoolOptions = {}): pg.Pool {
  const pool = new pg.Pool({ ...connectionSettings(connection), ...sessionSettings(options) })
  // The pool reports only idle connections. One that breaks in a caller's hands reports on the client itself.
  pool.on('error', (error) => options.log?.warn({ err: error }, 'lost an idle database connection'))
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** One connection outside any pool, for work that holds it for long or needs other limits. */
export function createClient(connection: DatabaseConnection, options: PoolOptions = {}): pg.Client {
  const client = new pg.Client({ ...connectionSettings(connection), ...sessionSettings(options) })
  client.on('error', () => {})
  return client
}

function connectionSettings(connection: DatabaseConnection): pg.ClientConfig {
  if (typeof connection === 'string') return { connectionString: connection }
  // `ssl` is named so that a PGSSLMODE meant for another server does not reach our private socket.
  return { ...connection, ssl: false }
}

/**
 * Plans that do not look at the values: PostgreSQL cannot tell how long an array will be, thinks that a plan for
 * the one at hand is cheaper, and then plans the basket's statements anew each time, which took 2 ms of the
 * 2.5 ms a look-up needed. Statements with optional conditions are therefore put together from those present.
 * Indexes are taken even on a table that looks empty: plans outlive the moment in which it was.
 */
const plannerSettings = '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c jit=off'

function sessionSettings(options: PoolOptions): pg.PoolConfig {
  return {
    application_name: options.applicationName ?? 'loyalty-wallet',
    options: [
      plannerSettings,
      ...(options.role === undefined ? [] : [`-c role=${options.role}`]),
      ...(options.asyncCommit ? ['-c synchronous_commit=off'] : []),
    ].join(' '),
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: options.connectionTimeoutMs ?? 5_000,
    statement_timeout: options.statementTimeoutMs ?? 15_000,
    query_timeout: options.queryTimeoutMs ?? 20_000,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs ?? 15_000,
    ...(options.lockTimeoutMs !== undefined && { lock_timeout: options.lockTimeoutMs }),
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser },
  }
}

const INT8 = 20
const INT8_ARRAY: number = 1016
const DATE = 1082

const parseInt8Array = pg.types.getTypeParser(INT8_ARRAY, 'text') as (text: string) => (string | null)[]

/**
 * Every bigint of the schema is CHECKed to be a safe integer, so it can be a number here; should one not be,
 * the query fails instead of returning a rounded value. `numeric` stays text. A `date` stays text too: it is
 * a calendar day, and as a Date it would move by the time zone of this process.
 */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (format === 'binary') return pg.types.getTypeParser(oid, 'binary')
  if (oid === INT8) return parseInt8
  if (oid === INT8_ARRAY) {
    return (text: string) => parseInt8Array(text).map((item) => (item === null ? null : parseInt8(item)))
  }
  if (oid === DATE) return (text: string) => text
  return pg.types.getTypeParser(oid, 'text')
}

function parseInt8(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} does not fit a JavaScript number`)
  return value
}
