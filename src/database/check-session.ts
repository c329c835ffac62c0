/**
 * A connection pooler may drop what a connection asks for when it opens, or hand the statements of one client
 * to the connection of another. Everything would seem to work, without the role and its guard, without timeouts and
 * with other plans, or fail later with every other request. So a start looks first.
 */
import type pg from 'pg'
import { appRole } from './app-role.ts'
import {
  createClient,
  type DatabaseConnection,
  type PoolOptions,
  type SessionOptions,
  serviceLimits,
  settingsIn,
  settingsOf,
} from './pool.ts'
import { queryFor } from './tenant-query.ts'

/** The connection does not do what the service needs; the message says what to change. */
export class SessionError extends Error {
  override name = 'SessionError'
}

/** Refuses a connection that does not work as the service's connections have to. */
export async function checkSession(connection: DatabaseConnection, session: SessionOptions): Promise<void> {
  const asked: PoolOptions = { applicationName: 'loyalty-wallet start', ...session, ...serviceLimits }
  const missing = missingIn(connection, asked)
  const isPooled = await withClients(connection, asked, 1, async ([client]) => {
    await missing(client!)
    const { rows } = await client!.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    // A pooler cannot pass the process on, because it changes; it makes one up.
    return rows[0]!.pid !== (client as unknown as { processID: number }).processID
  })
  if (!isPooled) return
  await withClients(connection, asked, 2, async ([one, other]) => {
    await missing(other!)
    await keepApart(one!, other!, session)
  })
  // What a pooler in session mode resets, or leaves behind, shows in the next connection.
  await withClients(connection, asked, 1, async ([client]) => {
    await missing(client!)
    await runNamed(client!, 3, session)
  })
}

/** How to configure a pooler, for a database whose service has this session. */
export function poolerAdvice(session: SessionOptions = { role: appRole }): string {
  return `For PgBouncer 1.21 or newer, add to the line of the database in pgbouncer.ini: connect_query='${connectQuery(session)}' and under [pgbouncer]: ignore_startup_parameters = options, max_prepared_statements = 200. See "A connection pooler" in docs/guides/running.md.`
}

/** Gives a connection of the server what the service's connections ask for. */
export function connectQuery(session: SessionOptions): string {
  const settings = Object.entries(settingsOf({ ...session, ...serviceLimits }))
  return settings.map(([name, value]) => `SET ${name} = ${value}`).join('; ')
}

/** Compares what is in force with what was asked for. What a URL sets is the operator's, except for the role. */
function missingIn(connection: DatabaseConnection, asked: PoolOptions) {
  const ofUrl = settingsIn(connection)
  const names = Object.keys(settingsOf(asked)).filter((name) => name === 'role' || !ofUrl.includes(name))
  return async (client: pg.Client) => {
    const differences = await listDifferences(client, asked, names)
    if (differences.length === 0) return
    throw new SessionError(
      `The database connection is not what the service asked for: ${differences.join(', ')}. A connection pooler drops this. ${poolerAdvice(asked)}`,
    )
  }
}

async function listDifferences(
  client: pg.Client,
  asked: PoolOptions,
  names: readonly string[],
): Promise<string[]> {
  const { rows } = await client.query<{ name: string; setting: string }>(
    `SELECT name, setting FROM pg_settings WHERE name = ANY ($1) UNION ALL SELECT 'role', current_user`,
    [names],
  )
  const inForce = new Map(rows.map(({ name, setting }) => [name, setting]))
  return Object.entries(settingsOf(asked))
    .filter(([name, value]) => names.includes(name) && inForce.get(name) !== value)
    .map(([name, value]) => `${name} is ${inForce.get(name) ?? 'unknown'} instead of ${value}`)
}

/** A pool that is not busy gives itself away in the first round; a busy one in one of these, almost surely. */
const rounds = 10

/**
 * Two clients use one name for different statements, as two services do. Two transactions in a row and then one of
 * the other client: they meet on one connection of the server, or the first client changes to another one.
 */
async function keepApart(one: pg.Client, other: pg.Client, session: SessionOptions): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    await runNamed(one, 1, session)
    await runNamed(one, 1, session)
    await runNamed(other, 2, session)
  }
}

async function runNamed(client: pg.Client, number: number, session: SessionOptions): Promise<void> {
  const statement = { name: 'start', text: `SELECT ${number} AS number` }
  const reason = await queryFor<{ number: number }>(client, 0, statement).then(
    ({ rows }) => (rows[0]!.number === number ? undefined : 'the statement of another client ran'),
    (error: Error) => {
      if (!lost.includes((error as { code?: string }).code ?? '')) throw error
      return error.message
    },
  )
  if (reason === undefined) return
  throw new SessionError(
    `The connection pooler in front of the database does not keep prepared statements apart (${reason}). ${poolerAdvice(session)}`,
  )
}

/** A statement of that name exists already, or no longer. */
const lost = ['42P05', '26000']

async function withClients<T>(
  connection: DatabaseConnection,
  options: PoolOptions,
  count: number,
  work: (clients: pg.Client[]) => Promise<T>,
): Promise<T> {
  const clients = Array.from({ length: count }, () => createClient(connection, options))
  try {
    for (const client of clients) await client.connect()
    return await work(clients)
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})))
  }
}
