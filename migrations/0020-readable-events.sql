-- The position of the oldest event that is kept, or the next one if there is none. Every event from there on is in the
-- table: what is older is deleted by position, together with the update of this number.
ALTER TABLE event_counters ADD COLUMN oldest_position bigint NOT NULL DEFAULT 1;

-- The oldest were archived.
ALTER TABLE event_counters NO FORCE ROW LEVEL SECURITY;
ALTER TABLE events NO FORCE ROW LEVEL SECURITY;
ALTER TABLE archived_files NO FORCE ROW LEVEL SECURITY;
-- Few rows: one for each organization that has an archive.
UPDATE event_counters c
  SET oldest_position = coalesce((SELECT min(e.position) FROM events e WHERE e.org_id = c.org_id), c.last_position + 1)
  WHERE EXISTS (SELECT 1 FROM archived_files f WHERE f.org_id = c.org_id);
ALTER TABLE archived_files FORCE ROW LEVEL SECURITY;
ALTER TABLE events FORCE ROW LEVEL SECURITY;
ALTER TABLE event_counters FORCE ROW LEVEL SECURITY;

-- A process asks with one query whether there is something new for any of the organizations whose readers wait; only an
-- organization itself changes its row.
CREATE POLICY platform ON event_counters FOR SELECT USING (current_org() = 0);

-- Old events are looked for every day: fifty organizations a second at first.
ALTER TABLE organizations NO FORCE ROW LEVEL SECURITY;
ALTER TABLE due_work NO FORCE ROW LEVEL SECURITY;
INSERT INTO due_work (org_id, kind, due_at)
  SELECT org_id, 'events', now() + row_number() OVER (ORDER BY org_id) * interval '20 milliseconds' FROM organizations;
ALTER TABLE due_work FORCE ROW LEVEL SECURITY;
ALTER TABLE organizations FORCE ROW LEVEL SECURITY;
