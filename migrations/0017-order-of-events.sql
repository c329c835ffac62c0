-- Both numbers stand in rows of their own, keyed by the organization, so that they stay with the organization's
-- other rows wherever those are.

-- Counts the changes of what an organization has set up; `organizations` had it before.
CREATE TABLE setup_versions (
  org_id integer PRIMARY KEY REFERENCES organizations,
  version bigint NOT NULL DEFAULT 1
);

-- Numbers the events of an organization without gaps. A transaction takes its numbers last and holds the row until it
-- ends, so that events become visible in the order of their positions.
CREATE TABLE event_counters (
  org_id integer PRIMARY KEY REFERENCES organizations,
  last_position bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

ALTER TABLE organizations NO FORCE ROW LEVEL SECURITY;
ALTER TABLE events NO FORCE ROW LEVEL SECURITY;

INSERT INTO setup_versions (org_id, version) SELECT org_id, setup_version FROM organizations;
ALTER TABLE organizations DROP COLUMN setup_version;

ALTER TABLE events DROP CONSTRAINT events_pkey;
ALTER TABLE events RENAME COLUMN position TO transaction;
ALTER TABLE events ALTER COLUMN transaction DROP DEFAULT, ALTER COLUMN transaction DROP NOT NULL, ADD COLUMN position bigint;
UPDATE events e SET position = n.position
  FROM (SELECT org_id, id, row_number() OVER (PARTITION BY org_id ORDER BY transaction, id) AS position FROM events) n
  WHERE e.org_id = n.org_id AND e.id = n.id;
ALTER TABLE events DROP COLUMN transaction, ALTER COLUMN position SET NOT NULL, ADD PRIMARY KEY (org_id, position);
INSERT INTO event_counters (org_id, last_position)
  SELECT org_id, coalesce((SELECT max(position) FROM events e WHERE e.org_id = o.org_id), 0) FROM organizations o;

ALTER TABLE organizations FORCE ROW LEVEL SECURITY;
ALTER TABLE events FORCE ROW LEVEL SECURITY;

ALTER TABLE setup_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE setup_versions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON setup_versions USING (org_id = current_org());
ALTER TABLE event_counters ENABLE ROW LEVEL SECURITY;
ALTER TABLE event_counters FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON event_counters USING (org_id = current_org());

-- In milliseconds: arithmetic with times depends on a time zone, and a cluster does not allow it where a row is changed.
ALTER TABLE password_guesses RENAME COLUMN forgotten_at TO forgotten_at_ms;
ALTER TABLE password_guesses ALTER COLUMN forgotten_at_ms TYPE bigint USING (extract(epoch FROM forgotten_at_ms) * 1000)::bigint;
