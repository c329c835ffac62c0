import type { DatabaseConnection } from '../../src/database/pool.ts'

/** The migrated database that test databases are cloned from. */
export const TEMPLATE = 'lw_template'

/** The same server and credentials, another database on it. */
export function withDatabase(connection: DatabaseConnection, database: string): DatabaseConnection {
  if (typeof connection !== 'string') return { ...connection, database }
  const url = new URL(connection)
  url.pathname = `/${encodeURIComponent(database)}`
  return url.href
}
