import type { Pool } from 'pg'

/**
 * Whether the database can be written to now: it responds, it is not a standby, its disk has room, and it can
 * commit. Room is checked with a temporary file, which a small `work_mem` forces; an update of some row would
 * fit into an existing page and succeed on a full disk. The commit is that of a message in the WAL, which
 * nobody reads: like any other it waits for the disk, and for a synchronous standby. While that is away,
 * everything else succeeds, and this does not end.
 */
export async function canWrite(pool: Pool): Promise<boolean> {
  const results = (await pool.query(
    `SET LOCAL work_mem = '64kB';
     SELECT count(*) FROM generate_series(1, 20000);
     SELECT pg_logical_emit_message(true, 'loyalty-wallet', 'ready');
     SELECT current_setting('transaction_read_only') AS read_only`,
  )) as unknown as { rows: { read_only?: string }[] }[]
  return results.at(-1)?.rows[0]?.read_only === 'off'
}
