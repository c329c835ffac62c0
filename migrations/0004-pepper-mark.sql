-- By this mark the service recognizes the pepper that the credentials in this database were hashed with. It is
-- made of the pepper slowly, so that a copy of the database does not help to guess it. There is one row or none.
CREATE TABLE pepper_marks (
  is_only boolean NOT NULL DEFAULT true,
  mark bytea NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT pepper_marks_pkey PRIMARY KEY (is_only),
  CONSTRAINT pepper_marks_is_only CHECK (is_only)
);

-- It belongs to the platform.
ALTER TABLE pepper_marks ENABLE ROW LEVEL SECURITY;
ALTER TABLE pepper_marks FORCE ROW LEVEL SECURITY;
CREATE POLICY platform ON pepper_marks USING (current_org() = 0);
