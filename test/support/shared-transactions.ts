import type { Pool } from 'pg'

/** How many database transactions have written sales of several organizations; none on a cluster. */
export async function countShared(pool: Pool): Promise<number> {
  const { rows } = await pool.query(
    `SELECT count(*)::int AS count FROM (
       SELECT FROM transactions GROUP BY xmin::text HAVING count(DISTINCT org_id) > 1) t`,
  )
  return rows[0].count
}
