-- What the background jobs have to do for an organization, and when: one row for each kind of work. Times are of the
-- service's clock, except for the end of a lease, which is of the database's.
CREATE TABLE due_work (
  org_id integer NOT NULL,
  kind text NOT NULL,
  -- Null while there is nothing to do.
  due_at timestamptz,
  -- The earliest time that was asked for and has not passed: a run does not postpone the work beyond it.
  armed_for timestamptz,
  lease uuid,
  leased_until timestamptz,
  -- Since the last run that succeeded.
  attempts integer NOT NULL DEFAULT 0,
  last_error text,
  -- Where the next run resumes work that takes several.
  progress json,
  PRIMARY KEY (org_id, kind)
);
CREATE INDEX due_work_due_at ON due_work (due_at) WHERE due_at IS NOT NULL;

-- Everything once, fifty organizations a second, and again a day later: what the previous version writes while it still
-- runs asks for nothing.
ALTER TABLE organizations NO FORCE ROW LEVEL SECURITY;
INSERT INTO due_work (org_id, kind, due_at, armed_for)
  SELECT o.org_id, k.kind, now() + o.n * interval '20 milliseconds', now() + o.n * interval '20 milliseconds' + interval '1 day'
  FROM (SELECT org_id, row_number() OVER (ORDER BY org_id) AS n FROM organizations) o,
    unnest(ARRAY['expiry', 'inactivity', 'names', 'replies', 'requests']) AS k (kind);
ALTER TABLE organizations FORCE ROW LEVEL SECURITY;

-- The platform's own.
INSERT INTO due_work (org_id, kind, due_at) VALUES (0, 'guesses', now()), (0, 'replies', now());

-- The platform finds what is due for all organizations; only an organization itself changes its rows.
ALTER TABLE due_work ENABLE ROW LEVEL SECURITY;
ALTER TABLE due_work FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON due_work USING (org_id = current_org());
CREATE POLICY platform ON due_work FOR SELECT USING (current_org() = 0);
