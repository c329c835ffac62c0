import type pg from 'pg'

export interface Watched {
  /** The statements that were sent, oldest first, without the frame of each message. */
  readonly statements: readonly string[]
  /** How often the database was waited for. */
  readonly roundTrips: number
}

interface Sent {
  readonly text: string
}

/** Watches the connections that a pool opens from now on; returns what `work` sends. */
export function watchStatements(pool: pg.Pool): (work: () => Promise<unknown>) => Promise<Watched> {
  const statements: string[] = []
  let roundTrips = 0
  pool.on('connect', (client) => {
    // The server says that it is ready once for each time that it was waited for.
    const { connection } = client as unknown as { connection: NodeJS.EventEmitter }
    connection.on('readyForQuery', () => roundTrips++)
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = ((...args: unknown[]) => {
      const first = args[0] as string | Sent | { readonly steps: readonly Sent[] }
      const sent = typeof first === 'string' ? [{ text: first }] : 'steps' in first ? first.steps : [first]
      statements.push(...sent.map(({ text }) => text).filter((text) => !isFrame(text)))
      return query(...args)
    }) as typeof client.query
  })
  return async (work) => {
    const before = { statements: statements.length, roundTrips }
    await work()
    return { statements: statements.slice(before.statements), roundTrips: roundTrips - before.roundTrips }
  }
}

const isFrame = (text: string) => /^(?:BEGIN|COMMIT|SET LOCAL )/.test(text)
