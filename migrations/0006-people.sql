-- People who sign in to the console. A person acts through a user of the directory, as a connection does, so that
-- what they sell or change by hand is booked under somebody. Without a password a person has only been invited.
CREATE TABLE people (
  org_id integer NOT NULL REFERENCES organizations,
  id uuid NOT NULL,
  name text,
  role text NOT NULL CONSTRAINT people_role CHECK (role IN ('owner', 'manager', 'cashier')),
  is_blocked boolean NOT NULL DEFAULT false,
  user_id uuid NOT NULL,
  password_hash text,
  -- The one link that counts now; using it or making another ends it.
  invitation_hash bytea,
  invitation_expires_at timestamptz,
  -- Up to the last sign-in; what came later stands with the session.
  last_seen_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT people_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT people_invitation_unique UNIQUE (org_id, invitation_hash),
  CONSTRAINT people_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id)
);

-- Whose an e-mail address is, on the whole platform: all that has to be known before an organization is.
CREATE TABLE person_logins (
  email text NOT NULL,
  org_id integer NOT NULL,
  person_id uuid NOT NULL,
  CONSTRAINT person_logins_pkey PRIMARY KEY (email),
  CONSTRAINT person_logins_person_unique UNIQUE (org_id, person_id),
  CONSTRAINT person_logins_person FOREIGN KEY (org_id, person_id) REFERENCES people (org_id, id)
);

CREATE TABLE person_sessions (
  org_id integer NOT NULL,
  hash bytea NOT NULL,
  person_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  last_used_at timestamptz NOT NULL,
  CONSTRAINT person_sessions_pkey PRIMARY KEY (org_id, hash),
  CONSTRAINT person_sessions_person FOREIGN KEY (org_id, person_id) REFERENCES people (org_id, id)
);
CREATE INDEX person_sessions_person_index ON person_sessions (org_id, person_id);

ALTER TABLE people ENABLE ROW LEVEL SECURITY;
ALTER TABLE people FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON people USING (org_id = current_org());
ALTER TABLE person_logins ENABLE ROW LEVEL SECURITY;
ALTER TABLE person_logins FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON person_logins USING (org_id = current_org());
CREATE POLICY platform ON person_logins FOR SELECT USING (current_org() = 0);
ALTER TABLE person_sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE person_sessions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON person_sessions USING (org_id = current_org());
