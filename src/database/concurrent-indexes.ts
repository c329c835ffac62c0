/**
 * Migrations that build or drop indexes without locking their table. PostgreSQL does that only outside a transaction,
 * so such a file can be interrupted between its statements, or within one, which leaves an index behind that is not
 * valid. It can therefore be applied again from its beginning: what exists already is skipped, and an index that is
 * not valid is dropped first.
 */
import type pg from 'pg'
import { type FileStatement, splitStatements } from './split-statements.ts'

/** The first line of such a file. */
export const outsideMarker = '-- Runs outside a transaction.'

export const runsOutside = (sql: string): boolean => sql.startsWith(`${outsideMarker}\n`)

const indexStatement =
  /^(?:CREATE (?:UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS|DROP INDEX CONCURRENTLY IF EXISTS) (\w+)\b/i

/** What such a file may not contain, since it could neither be undone nor repeated. */
export function findUnrepeatable(sql: string): FileStatement[] {
  return splitStatements(sql).filter(({ text }) => !indexStatement.test(text))
}

export async function runIndexStatements(client: pg.Client, sql: string): Promise<void> {
  for (const { text } of splitStatements(sql)) {
    const name = indexStatement.exec(text)![1]!
    if (await isInvalid(client, name)) await client.query(`DROP INDEX CONCURRENTLY ${name}`)
    await client.query(text)
  }
}

/** Whether an earlier attempt to build the index was interrupted. */
async function isInvalid(client: pg.Client, name: string): Promise<boolean> {
  const { rows } = await client.query<{ isInvalid: boolean }>(
    `SELECT NOT indisvalid AS "isInvalid" FROM pg_index WHERE indexrelid = to_regclass($1)`,
    [name],
  )
  return rows[0]?.isInvalid ?? false
}
