import type { Pool } from 'pg'
import { isOnCluster, openWorkers } from '../support/cluster.ts'

/** The tables and organizations that were written to since it was last called, as `coupons of 3`, in order. */
export type Changes = () => Promise<string[]>

/** Counts what was refused, so it changes with a refusal; nothing that anybody has stands in it. */
const counter = 'password_guesses'

/**
 * Lets a test say of any call that it changed nothing, or nothing of somebody else's: a trigger on every table notes
 * each row that is inserted, changed or deleted, and what is rolled back is not noted. Quick enough to be asked
 * after every call, however much the database holds. On a cluster every server notes what is written to its parts of
 * the tables.
 */
export async function watchChanges(pool: Pool): Promise<Changes> {
  const servers = [pool, ...(await openWorkers(pool))]
  for (const server of servers) await install(server)
  return async () => {
    const found = await Promise.all(
      servers.map((server) => server.query<{ what: string }>('DELETE FROM watched.changes RETURNING what')),
    )
    const changed = found.flatMap(({ rows }) => rows.map(({ what }) => what.replace(partNumber, ' of ')))
    return [...new Set(changed)].sort()
  }
}

/** Ends the name of a part of a table. */
const partNumber = isOnCluster ? /_\d+ of / : / of /

async function install(server: Pool): Promise<void> {
  const client = await server.connect()
  if (isOnCluster) {
    await client.query('SET citus.enable_ddl_propagation = off')
    await client.query('SET citus.override_table_visibility = off')
  }
  await client.query(triggers)
  // Not with these settings.
  client.release(isOnCluster)
}

const isPart = isOnCluster ? 'NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = c.oid)' : 'true'

const triggers = `
  CREATE SCHEMA watched;
  CREATE TABLE watched.changes (what text NOT NULL);
  CREATE FUNCTION watched.note() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  DECLARE
    old_row jsonb := CASE WHEN TG_OP <> 'INSERT' THEN to_jsonb(OLD) END;
    new_row jsonb := CASE WHEN TG_OP <> 'DELETE' THEN to_jsonb(NEW) END;
  BEGIN
    -- That a session was used is noted now and then, with whichever call comes along.
    IF TG_TABLE_NAME ~ '^person_sessions(_\\d+)?$' THEN
      old_row := old_row - 'last_used_at';
      new_row := new_row - 'last_used_at';
    END IF;
    IF old_row IS DISTINCT FROM new_row THEN
      INSERT INTO watched.changes
      VALUES (TG_TABLE_NAME || ' of ' || coalesce(coalesce(new_row, old_row) ->> 'org_id', 'all'));
    END IF;
    RETURN NULL;
  END $$;
  CREATE FUNCTION watched.note_whole() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
  BEGIN
    INSERT INTO watched.changes VALUES (TG_TABLE_NAME || ' of all');
    RETURN NULL;
  END $$;
  DO $$
  DECLARE name text;
  BEGIN
    FOR name IN SELECT relname FROM pg_class c WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
      AND relname !~ '^${counter}(_\\d+)?$' AND ${isPart} LOOP
      EXECUTE format('CREATE TRIGGER watched AFTER INSERT OR UPDATE OR DELETE ON public.%I
        FOR EACH ROW EXECUTE FUNCTION watched.note()', name);
      EXECUTE format('CREATE TRIGGER watched_whole AFTER TRUNCATE ON public.%I
        FOR EACH STATEMENT EXECUTE FUNCTION watched.note_whole()', name);
    END LOOP;
  END $$`

/** The number that the tables know an organization by. */
export async function findOrgNumber(pool: Pool, id: string): Promise<number> {
  const { rows } = await pool.query('SELECT org_id FROM organizations WHERE id = $1', [
    id.replace('org_', ''),
  ])
  return rows[0].org_id
}
