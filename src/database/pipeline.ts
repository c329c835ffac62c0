/**
 * Several small prepared statements in one message, which is one round trip: if one of them fails, the server
 * ignores the rest. They run in the transaction that is open, or in one that is part of the message. One large
 * statement with everything in its parts costs PostgreSQL more to start than all of these together; see
 * `docs/decisions/0011`.
 *
 * Values are passed in wire format. Rows are returned as the text that PostgreSQL wrote, because the author of the
 * statement knows its columns.
 */
import type { ClientBase } from 'pg'
import { endWith } from '../tracing/spans.ts'
import { beginRoundTrip } from './round-trip-span.ts'
import { messageOf, type Statement } from './wire-message.ts'

export interface Step extends Statement {
  /** It locks a row of its organization that all transactions lock, and lock last. */
  readonly isLast?: boolean
}

export type WireRow = readonly (string | null)[]

/** The rows of each step, in order. */
export function runPipeline(client: ClientBase, steps: readonly Step[]): Promise<WireRow[][]> {
  const span = beginRoundTrip(steps)
  const answered = send(client, steps)
  return span ? endWith(span, answered) : answered
}

function send(client: ClientBase, steps: readonly Step[]): Promise<WireRow[][]> {
  return new Promise((resolve, reject) => {
    const query = client.query as unknown as (pipe: object, values: undefined, callback: Callback) => void
    query.call(client, new Pipe(steps), undefined, (error, rows) => (error ? reject(error) : resolve(rows!)))
  })
}

const failedSteps = new WeakMap<object, { readonly at: number; readonly name: string | undefined }>()

/** The step that the server refused, and its position. */
export const failedStep = (error: unknown) => (error instanceof Error ? failedSteps.get(error) : undefined)

type Callback = (error: Error | null, rows?: WireRow[][]) => void

/**
 * The driver calls this when it is the pipe's turn on the connection, and for every response of the server. A class: as
 * object literals with methods, pipes outlived collections of young objects in Node.js 20 (`docs/decisions/0011`).
 */
class Pipe {
  /** Set by the driver, which wraps it with its timeout. */
  callback: Callback | undefined = undefined
  readonly steps: readonly Step[]
  readonly #rows: WireRow[][]
  #at = 0
  #parsed: Set<string> | undefined = undefined

  constructor(steps: readonly Step[]) {
    this.steps = steps
    this.#rows = steps.map(() => [])
  }

  submit(connection: WireConnection): null {
    this.#parsed = parsedOn(connection)
    // As the driver does: that the connection is lost is reported by its own event.
    if (connection.stream.writable) connection.stream.write(messageOf(this.steps, this.#parsed))
    return null
  }

  handleDataRow({ fields }: { fields: WireRow }): void {
    this.#rows[this.#at]!.push(fields)
  }

  handleCommandComplete(): void {
    this.#at++
  }

  handleError(error: Error): void {
    // It is uncertain which of them the server still knows, and whether their plans still fit.
    for (const { name } of this.steps) this.#parsed?.delete(name)
    failedSteps.set(error, { at: this.#at, name: this.steps[this.#at]?.name })
    this.callback?.(error)
  }

  handleReadyForQuery(): void {
    for (const { name } of this.steps) if (name !== '') this.#parsed!.add(name)
    this.callback?.(null, this.#rows)
  }
}

/** The part of the driver's connection that a pipe writes to. */
interface WireConnection {
  readonly stream: { readonly writable: boolean; write(message: Buffer): void }
}

const parsedStatements = new WeakMap<object, Set<string>>()

/** The statements that a connection is known to have prepared. */
function parsedOn(connection: object): Set<string> {
  let parsed = parsedStatements.get(connection)
  if (!parsed) {
    parsed = new Set()
    parsedStatements.set(connection, parsed)
  }
  return parsed
}
