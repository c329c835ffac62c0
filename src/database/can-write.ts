import type { Pool } from 'pg'
import { SessionError } from './check-session.ts'

/**
 * Whether the database can be written to now: it responds, it is not a standby, its disk has room, and it can
 * commit. Room is checked with a temporary file, which a small `work_mem` forces; an update of some row would
 * fit into an existing page and succeed on a full disk. The commit is that of a message in the WAL, which
 * nobody reads: like any other it waits for the disk, and for a synchronous standby. While that is away,
 * everything else succeeds, and this does not end. A pooler that was changed since the start may also have
 * dropped the role, without which nothing guards one organization from another.
 */
export async function canWrite(pool: Pool, role?: string): Promise<boolean> {
  const results = (await pool.query(
    `SET LOCAL work_mem = '64kB';
     SELECT count(*) FROM generate_series(1, 20000);
     SELECT pg_logical_emit_message(true, 'loyalty-wallet', 'ready');
     SELECT current_setting('transaction_read_only') AS read_only, current_user AS role`,
  )) as unknown as { rows: { read_only?: string; role?: string }[] }[]
  const row = results.at(-1)?.rows[0]
  if (role !== undefined && row?.role !== role)
    throw new SessionError(`The database connection works as ${row?.role} instead of ${role}.`)
  return row?.read_only === 'off'
}
