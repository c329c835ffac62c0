import pg from 'pg'
import { endWith } from '../tracing/spans.ts'
import { failedStep, runPipeline, type Step, type WireRow } from './pipeline.ts'
import { beginRoundTrip } from './round-trip-span.ts'

/** The session variable that row level security compares `org_id` with. */
const setting = 'loyalty_wallet.org'

/** Switches the rest of the transaction to this organization. */
export function setTenant(org: number): string {
  if (!Number.isSafeInteger(org)) throw new TypeError(`${org} is not the number of an organization`)
  return `SET LOCAL ${setting} = ${org}`
}

/**
 * Runs the steps in one message and one transaction for one organization, and returns their rows. PostgreSQL
 * would run a message as one transaction without BEGIN as well; Citus would commit each statement on its
 * node, and would not send a setting there that was made outside a transaction. After an error the
 * transaction is still open.
 */
export async function pipeFor(
  client: pg.ClientBase,
  org: number,
  steps: readonly Step[],
): Promise<WireRow[][]> {
  const begin = beginFor(org)
  const rows = await runPipeline(client, [...begin, ...steps, commit])
  return rows.slice(begin.length, -1)
}

/** What one organization does in a message of several. */
export interface Part {
  readonly org: number
  readonly steps: readonly Step[]
}

/**
 * Runs the steps of several organizations in one message and one transaction, which is set to each organization before
 * its steps; returns the rows of each.
 */
export async function pipeForSeveral(
  client: pg.ClientBase,
  parts: readonly Part[],
  limits: readonly Step[],
): Promise<WireRow[][][]> {
  const before = [begin, ...limits]
  const steps = parts.flatMap((part) => [tenantStep(part.org), ...part.steps])
  let end = before.length
  const ends = parts.map((part) => (end += 1 + part.steps.length))
  try {
    const rows = await runPipeline(client, [...before, ...steps, commit])
    return parts.map((part, i) => rows.slice(ends[i]! - part.steps.length, ends[i]))
  } catch (error) {
    const failed = failedStep(error)
    const part = failed && parts.find((_, i) => failed.at < ends[i]!)
    if (part && failed.at >= before.length) failedOrgs.set(error as object, part.org)
    throw error
  }
}

const failedOrgs = new WeakMap<object, number>()

/** The organization whose statement the server refused; undefined if it refused the transaction as a whole. */
export const failedOrg = (error: unknown): number | undefined =>
  error instanceof Error ? failedOrgs.get(error) : undefined

/** How long the rest of a transaction waits for each lock. */
export const lockTimeout = (ms: number): Step => ({
  name: `lock-timeout-${ms}`,
  text: `SET LOCAL lock_timeout = ${ms}`,
  values: [],
})

/**
 * Begins a transaction that works for one organization. Two steps: Citus repeats the text of a setting on the
 * nodes as it was sent, and would repeat a BEGIN before it.
 */
export function beginFor(org: number): Step[] {
  return [begin, tenantStep(org)]
}

/** `setTenant` as a step. */
export const tenantStep = (org: number): Step => ({ name: '', text: setTenant(org), values: [] })

const begin: Step = { name: 'begin', text: 'BEGIN', values: [] }

export const commit: Step = { name: 'commit', text: 'COMMIT', values: [] }

export interface Statement {
  readonly name?: string
  readonly text: string
  readonly values?: unknown[]
}

/**
 * Runs one statement for one organization, in a transaction of its own and in one round trip. The tenant is
 * set for this transaction only; the connection remembers nothing, and there is nothing to confuse after a
 * reconnect.
 *
 * After an error the connection must not be used again: its transaction is still open, and the driver may
 * consider a statement prepared that is not.
 */
export function queryFor<R extends pg.QueryResultRow>(
  client: pg.ClientBase,
  org: number,
  statement: Statement,
): Promise<pg.QueryResult<R>> {
  return traced(statement, queryBetween(client, ['BEGIN', setTenant(org)], statement, ['COMMIT']))
}

/** Runs a statement as the first one of a transaction for one organization, together with its BEGIN. */
export function beginWith<R extends pg.QueryResultRow>(
  client: pg.ClientBase,
  org: number,
  statement: Statement,
): Promise<pg.QueryResult<R>> {
  return traced(statement, queryBetween(client, ['BEGIN', setTenant(org)], statement, []))
}

/** Notes a round trip that has just begun. */
export function traced<R>({ name, text }: Statement, answered: Promise<R>): Promise<R> {
  const span = beginRoundTrip(name ?? text)
  return span ? endWith(span, answered) : answered
}

/**
 * The driver sends a statement as a sequence of messages that ends with Sync, and whatever else is sent
 * before that belongs to the same round trip.
 */
function queryBetween<R extends pg.QueryResultRow>(
  client: pg.ClientBase,
  before: readonly string[],
  statement: Statement,
  after: readonly string[],
): Promise<pg.QueryResult<R>> {
  return new Promise((resolve, reject) => {
    const query = new pg.Query<R>(
      { queryMode: 'extended', ...statement } as pg.QueryConfig,
      (error, result) => (error ? reject(error) : resolve(result)),
    ) as unknown as DriverQuery
    const { prepare, handleCommandComplete } = query
    query.prepare = (connection) => {
      for (const text of before) send(connection, text)
      prepare.call(query, connection)
    }
    query._getRows = (connection) => {
      connection.execute({ portal: '', rows: 0 })
      for (const text of after) send(connection, text)
      connection.sync()
    }
    let completed = 0
    query.handleCommandComplete = (message, connection) => {
      // Those of BEGIN, SET and COMMIT say nothing about the statement.
      if (completed++ === before.length) handleCommandComplete.call(query, message, connection)
    }
    client.query(query as unknown as pg.Submittable)
  })
}

function send(connection: DriverConnection, text: string): void {
  connection.parse({ name: '', text, types: [] })
  connection.bind({ statement: '', values: [] })
  connection.execute({ portal: '', rows: 0 })
}

/** The driver's own cursors build on this as well; its types declare only `submit`. */
interface DriverConnection {
  parse(message: { name: string; text: string; types: number[] }): void
  bind(message: { statement: string; values: string[] }): void
  execute(message: { portal: string; rows: number }): void
  sync(): void
}

interface DriverQuery {
  prepare(connection: DriverConnection): void
  /** Asks for the rows, and ends the message. */
  _getRows(connection: DriverConnection): void
  handleCommandComplete(message: unknown, connection: DriverConnection): void
}
