import type pg from 'pg'

export interface Watched {
  /** The statements that were sent, oldest first, without the frame of each message. */
  readonly statements: readonly string[]
  /** How often the database was waited for. */
  readonly roundTrips: number
}

export interface Sent {
  readonly text: string
  readonly values?: readonly unknown[]
}

/** Watches the connections that a pool opens from now on; returns what `work` sends. */
export function watchStatements(pool: pg.Pool): (work: () => Promise<unknown>) => Promise<Watched> {
  const statements: string[] = []
  let roundTrips = 0
  pool.on('connect', (client) => {
    // The server says that it is ready once for each time that it was waited for.
    const { connection } = client as unknown as { connection: NodeJS.EventEmitter }
    connection.on('readyForQuery', () => roundTrips++)
  })
  onStatement(pool, ({ text }) => void statements.push(text))
  return async (work) => {
    const before = { statements: statements.length, roundTrips }
    await work()
    return { statements: statements.slice(before.statements), roundTrips: roundTrips - before.roundTrips }
  }
}

/** Tells of each statement on the connections that a pool opens from now on, without the frame of each message. */
export function onStatement(pool: pg.Pool, listen: (sent: Sent) => void): void {
  pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = ((...args: unknown[]) => {
      const [first, values] = args as [string | Sent | { readonly steps: readonly Sent[] }, unknown[]?]
      const single = typeof first === 'string' ? [{ text: first, values }] : [first as Sent]
      const sent = typeof first === 'object' && 'steps' in first ? first.steps : single
      for (const one of sent) if (!isFrame(one.text)) listen(one)
      return query(...args)
    }) as typeof client.query
  })
}

const isFrame = (text: string) => /^(?:BEGIN|COMMIT|SET LOCAL )/.test(text)
