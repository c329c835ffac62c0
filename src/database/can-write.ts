import type { Pool } from 'pg'

/**
 * Whether the database could be written to now: it answers, it is no standby, and there is room on its disk. Room
 * is tried with a temporary file, which a small `work_mem` forces; an update of some row would find its place in
 * a page that is there already, and would succeed on a full disk.
 */
export async function canWrite(pool: Pool): Promise<boolean> {
  const results = (await pool.query(
    `SET LOCAL work_mem = '64kB';
     SELECT count(*) FROM generate_series(1, 20000);
     SELECT current_setting('transaction_read_only') AS read_only`,
  )) as unknown as { rows: { read_only?: string }[] }[]
  return results.at(-1)?.rows[0]?.read_only === 'off'
}
