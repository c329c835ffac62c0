-- What was called, and who changed what; and of a connection, when it was last used and whether it was revoked.

ALTER TABLE connections ADD COLUMN last_used_at timestamptz, ADD COLUMN revoked_at timestamptz;

-- The last calls of an organization, for those who build on us. A window, not a history: written in groups beside
-- the calls, and trimmed with every group.
CREATE TABLE http_requests (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  -- The X-Request-Id of the call.
  request_id text NOT NULL,
  at timestamptz NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  -- The pattern of the path, such as /v1/customers/{id}.
  route text NOT NULL,
  status smallint NOT NULL,
  duration_us integer NOT NULL,
  -- Who called: a connection or a person, each by the user it acts as.
  by_kind text NOT NULL,
  user_id uuid NOT NULL,
  error_code text,
  -- Without secrets and personal data, and never more than 16 KB each.
  query json,
  request_body json,
  reply_body json,
  is_truncated boolean NOT NULL DEFAULT false,
  PRIMARY KEY (org_id, id)
);

-- Who changed what, written in the same database transaction as the change. Append-only and kept for ever, so it
-- holds ids and settings, never secrets or personal data.
CREATE TABLE audit_entries (
  org_id integer NOT NULL REFERENCES organizations,
  id uuid NOT NULL,
  at timestamptz NOT NULL,
  -- connection, person, or operator, who has no user.
  by_kind text NOT NULL,
  user_id uuid,
  -- The operationId of the call.
  action text NOT NULL,
  subject_kind text,
  subject_id text,
  -- As it was called then.
  subject_name text,
  details json,
  is_truncated boolean NOT NULL DEFAULT false,
  PRIMARY KEY (org_id, id)
);

ALTER TABLE http_requests ENABLE ROW LEVEL SECURITY;
ALTER TABLE http_requests FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON http_requests USING (org_id = current_org());
ALTER TABLE audit_entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_entries FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON audit_entries USING (org_id = current_org());
