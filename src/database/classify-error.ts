export type DatabaseErrorKind = 'unavailable' | 'retry' | 'other'

/**
 * Says what a failed statement means to the caller:
 * - `unavailable`: the database cannot serve requests now, the request itself is fine (503, `Retry-After`);
 * - `retry`: PostgreSQL rolled the transaction back so that others could proceed, running it again is safe;
 * - `other`: a broken constraint, a bug, a wrong statement.
 *
 * `unavailable` says nothing about the outcome. A connection lost after COMMIT was sent may have committed.
 */
export function classifyError(error: unknown): DatabaseErrorKind {
  const state = sqlState(error)
  if (state !== undefined) {
    if (retryStates.has(state) || isMoved(error as Error)) return 'retry'
    if (unavailableStates.has(state) || unavailableClasses.has(state.slice(0, 2))) return 'unavailable'
    return isLostServer(error as Error) ? 'unavailable' : 'other'
  }
  return isClientSideFailure(error) ? 'unavailable' : 'other'
}

/** On a cluster, an organization was moved while a statement was on its way to where it had been. */
const isMoved = ({ message }: Error) => /^could not find valid entry for shard \d+$/.test(message)

/**
 * On a cluster, the server that was asked is ending, or has lost another one. Most of these have no code of their own.
 * Some also follow a constraint that fails at COMMIT, of which there is none: a test keeps it so.
 */
export const isLostServer = (error: Error): boolean =>
  (sqlState(error) === internalError && lostServerMessages.some((pattern) => pattern.test(error.message))) ||
  /^connection to the remote node /.test(error.message)

/**
 * Whether the connection itself is gone, or that of the server that is asked to another one of its cluster, as opposed
 * to a server that refused the statement.
 */
export function isConnectionError(error: unknown): boolean {
  const state = sqlState(error)
  if (state !== undefined)
    return lostConnectionStates.has(state) || state.startsWith('08') || isLostServer(error as Error)
  return isClientSideFailure(error)
}

/** Whether another transaction held a row for longer than our lock timeout. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === lockNotAvailable
}

/** Whether a row with the same unique key exists, or existed when the statement ran. */
export function isUniqueViolation(error: unknown): boolean {
  return sqlState(error) === '23505'
}

/**
 * The constraint that a statement violated. On a cluster it has the name of the constraint on one part of the
 * table: its name, followed by the number of the part; from another node comes only the message.
 */
export function constraintOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { constraint } = error as { constraint?: string }
  const name = constraint ?? / constraint "(.+)"$/.exec(error.message)?.[1]
  return name?.replace(/_\d+$/, '')
}

const lockNotAvailable = '55P03'

const retryStates = new Set(['40001', '40P01'])

const lostConnectionStates = new Set([
  '57P01', // admin_shutdown, also what pg_terminate_backend sends
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now: starting up, shutting down, in recovery
  '57P04', // database_dropped
  '57P05', // idle_session_timeout
  '25P03', // idle_in_transaction_session_timeout
  '25006', // read_only_sql_transaction: a standby, where a new connection may lead to the primary
])

const unavailableStates = new Set([
  ...lostConnectionStates,
  lockNotAvailable,
  '57014', // query_canceled, which is how a statement timeout ends
  '3D000', // the database does not exist (yet, or while it is being restored)
])

// Connection exceptions, insufficient resources (disk full, out of memory, too many connections), refused
// credentials, and errors of the system under the server such as I/O.
const unavailableClasses = new Set(['08', '53', '28', '58'])

const internalError = 'XX000'

const lostServerMessages = [
  /^postmaster was shut down, exiting$/,
  /^failure on connection marked as essential: /,
  /^failed to prepare transaction '/,
  /^could not commit transaction for shard \d+ on at least one active node$/,
  // What libpq said, where the connection to the other server broke before it said anything itself.
  /^$/,
  /^(?:server closed the connection unexpectedly|no connection to the server|connection not open)/,
  /^SSL (?:connection has been closed unexpectedly|SYSCALL error: |error: )/,
  /^could not (?:receive data from|send data to) server: /,
]

const nodeCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOTCONN',
  'EMFILE',
  'ENFILE',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  'ERR_SOCKET_CLOSED',
])

// A socket file that is missing, or that a user may not open, means that the server is down; the same codes
// from any other system call are ordinary file errors and do not concern us.
const connectOnlyCodes = new Set(['ENOENT', 'EACCES', 'EAGAIN'])

// pg gives its own errors no code, so their text is all there is. A test provokes those that can be provoked.
const pgMessages = [
  /^Connection terminated/,
  /^timeout exceeded when trying to connect$/,
  /^timeout expired$/,
  /^Query read timeout$/,
  /^Client has encountered a connection error and is not queryable$/,
  /^Client was closed and is not queryable$/,
  /^Cannot use a pool after calling end on the pool$/,
]

function isClientSideFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code !== undefined && nodeCodes.has(code)) return true
  if (code !== undefined && connectOnlyCodes.has(code) && syscall === 'connect') return true
  if (pgMessages.some((pattern) => pattern.test(error.message))) return true
  // A host name with several addresses fails with one error per address.
  return error instanceof AggregateError && error.errors.some(isClientSideFailure)
}

function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as { code?: unknown }
  // Node's codes are words that begin with E and a capital letter; only EPIPE and similar ones have five
  // characters.
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && /[0-9]/.test(code) ? code : undefined
}
