-- Compatible from 0021.
-- What was opened by an import, so that no other import opens it again: the ledger entries of it may be archived.
ALTER TABLE balances ADD COLUMN opening bigint;

-- A file that is brought in, or only checked. What its rows contain is nowhere but in what they have created.
CREATE TABLE imports (
  org_id integer NOT NULL REFERENCES organizations,
  id uuid NOT NULL,
  kind text NOT NULL,
  campaign_id uuid,
  is_dry_run boolean NOT NULL,
  updates_existing boolean NOT NULL,
  counts_toward_total boolean NOT NULL,
  file_name text,
  file_hash text,
  columns json,
  user_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  finished_at timestamptz,
  PRIMARY KEY (org_id, id),
  CONSTRAINT imports_kind_known CHECK (kind IN ('customers', 'products', 'branches'))
);

-- Rows that were sent together, and what came of them: sent again, they get the same response.
CREATE TABLE import_chunks (
  org_id integer NOT NULL,
  import_id uuid NOT NULL,
  first_row integer NOT NULL,
  last_row integer NOT NULL,
  fingerprint bytea NOT NULL,
  created integer NOT NULL,
  updated integer NOT NULL,
  unchanged integer NOT NULL,
  rejected integer NOT NULL,
  -- Rejected rows, each with its number and the field, the code and the other row of each problem.
  problems json NOT NULL,
  PRIMARY KEY (org_id, import_id, first_row),
  CONSTRAINT import_chunks_import FOREIGN KEY (org_id, import_id) REFERENCES imports (org_id, id)
);

ALTER TABLE imports ENABLE ROW LEVEL SECURITY;
ALTER TABLE imports FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON imports USING (org_id = current_org());
ALTER TABLE import_chunks ENABLE ROW LEVEL SECURITY;
ALTER TABLE import_chunks FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON import_chunks USING (org_id = current_org());
