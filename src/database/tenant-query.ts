import pg from 'pg'
import type { Step } from './pipeline.ts'

/** The session variable that row level security compares `org_id` with. */
const setting = 'loyalty_wallet.org'

/** Begins a transaction that works for one organization, in one message like a bare BEGIN. */
export const beginFor = (org: number): string => `BEGIN; ${setTenant(org)}`

/** Switches the rest of the transaction to this organization. */
export function setTenant(org: number): string {
  if (!Number.isSafeInteger(org)) throw new TypeError(`${org} is not the number of an organization`)
  return `SET LOCAL ${setting} = ${org}`
}

export interface Statement {
  readonly name?: string
  readonly text: string
  readonly values?: unknown[]
}

/**
 * Runs one statement for one organization, in one round trip. The driver sends a statement as a sequence of
 * messages that ends with Sync, and the server's transaction ends with Sync as well: whatever is sent before
 * it belongs to the same transaction. The tenant is therefore set there, for this transaction only; the
 * connection remembers nothing, and there is nothing to undo after an error or to confuse after a reconnect.
 *
 * After an error the connection must not be used again: the driver may consider a statement prepared that is
 * not.
 */
export function queryFor<R extends pg.QueryResultRow>(
  client: pg.ClientBase,
  org: number,
  statement: Statement,
): Promise<pg.QueryResult<R>> {
  return new Promise((resolve, reject) => {
    const query = new pg.Query<R>(
      { ...statement, queryMode: 'extended' } as pg.QueryConfig,
      (error, result) => (error ? reject(error) : resolve(result)),
    ) as unknown as DriverQuery
    const { prepare, handleDataRow, handleCommandComplete } = query
    query.prepare = (connection) => {
      sendTenant(connection, org)
      prepare.call(query, connection)
    }
    // The first row and the first completion belong to the statement that sets the tenant.
    query.handleDataRow = () => {}
    query.handleCommandComplete = () => {
      query.handleDataRow = handleDataRow
      query.handleCommandComplete = handleCommandComplete
    }
    client.query(query as unknown as pg.Submittable)
  })
}

/** Sets the tenant as the first step of a pipeline. */
export function tenantStep(org: number): Step {
  return { name: 'set-tenant-step', text: setText, values: [String(org)] }
}

const setText = `SELECT set_config('${setting}', $1, true)`
const statementName = 'set-tenant'
const hasStatement = new WeakSet<DriverConnection>()

function sendTenant(connection: DriverConnection, org: number): void {
  if (!hasStatement.has(connection)) {
    hasStatement.add(connection)
    connection.parse({
      name: statementName,
      text: setText,
      types: [],
    })
  }
  connection.bind({ statement: statementName, values: [String(org)] })
  connection.execute({ portal: '', rows: 0 })
}

/** The driver's own cursors build on this as well; its types declare only `submit`. */
interface DriverConnection {
  parse(message: { name: string; text: string; types: number[] }): void
  bind(message: { statement: string; values: string[] }): void
  execute(message: { portal: string; rows: number }): void
}

interface DriverQuery {
  prepare(connection: DriverConnection): void
  handleDataRow(message: unknown): void
  handleCommandComplete(message: unknown, connection: DriverConnection): void
}
