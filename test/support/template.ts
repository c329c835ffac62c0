import type { DatabaseConnection } from '../../src/database/pool.ts'

/** The migrated database that test databases are cloned from. */
export const TEMPLATE = 'lw_template'

/** The URL of another database on the same server, with the same credentials. */
export function withDatabase(connection: DatabaseConnection, database: string): DatabaseConnection {
  if (typeof connection !== 'string') return { ...connection, database }
  const url = new URL(connection)
  url.pathname = `/${encodeURIComponent(database)}`
  return url.href
}
