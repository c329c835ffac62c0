import type { Pool } from 'pg'

/** A fingerprint of each table's rows, organization by organization: `coupons of 3` → how many and which. */
export type Digest = Record<string, string>

/** Counts what was refused, so it changes with a refusal; nothing that anybody has stands in it. */
const counter = 'password_guesses'

/**
 * Reads what the database holds as one short value per table and organization, so that a test can say of any call
 * that it changed nothing, or nothing of somebody else's. The hashes of the rows are added up: their order is not
 * part of what is kept. Of one organization only it is quick enough to be taken after every call.
 */
export async function createDigest(pool: Pool): Promise<(org?: number) => Promise<Digest>> {
  const { rows: tables } = await pool.query<{ name: string; isOrganized: boolean }>(`
    SELECT t.tablename AS name, EXISTS (
      SELECT 1 FROM information_schema.columns c
      WHERE c.table_schema = t.schemaname AND c.table_name = t.tablename AND c.column_name = 'org_id'
    ) AS "isOrganized"
    FROM pg_tables t WHERE t.schemaname = 'public' AND t.tablename <> '${counter}'`)
  // That a session was used is noted now and then, with whichever call comes along.
  const rowOf = (table: string) =>
    table === 'person_sessions' ? `(to_jsonb(t) - 'last_used_at')::text` : 't::text'
  const part = (table: string, org: string, condition: string) => `
    SELECT '${table}' AS name, ${org} AS org,
      count(*) || ':' || sum(hashtextextended(${rowOf(table)}, 0)::numeric) AS rows
    FROM "${table}" t ${condition}`
  const organized = tables.filter(({ isOrganized }) => isOrganized).map(({ name }) => name)
  const others = tables.filter(({ isOrganized }) => !isOrganized).map(({ name }) => name)
  const ofAll = [
    ...organized.map((table) => part(table, 'org_id', 'GROUP BY org_id')),
    ...others.map((table) => part(table, 'NULL', '')),
  ].join(' UNION ALL ')
  const ofOne = organized.map((table) => part(table, '$1::int', 'WHERE org_id = $1')).join(' UNION ALL ')
  return async (org) => {
    const query = org === undefined ? { text: ofAll } : { name: 'digest', text: ofOne, values: [org] }
    const { rows } = await pool.query<{ name: string; org: number | null; rows: string }>(query)
    return Object.fromEntries(rows.map((row) => [`${row.name} of ${row.org ?? 'all'}`, row.rows]))
  }
}

/** The number that the tables know an organization by. */
export async function findOrgNumber(pool: Pool, id: string): Promise<number> {
  const { rows } = await pool.query('SELECT org_id FROM organizations WHERE id = $1', [
    id.replace('org_', ''),
  ])
  return rows[0].org_id
}

/** The tables and organizations in which something is not as it was. */
export function changesBetween(before: Digest, after: Digest): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].filter((name) => before[name] !== after[name]).sort()
}
