import type { Pool } from 'pg'
import { isOnCluster } from './cluster.ts'

/** How many statements wait for a lock; those of a cluster do so on the node that has the rows. */
export async function countWaiting(pool: Pool): Promise<number> {
  const { rows } = await pool.query(
    `SELECT count(*)::int AS n FROM ${isOnCluster ? 'citus_stat_activity' : 'pg_stat_activity'}
     WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  return rows[0].n
}
