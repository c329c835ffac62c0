-- Wrong passwords of an account, counted once for all processes: a row is there only while there are some to count.
-- Each moves the moment on at which all are forgotten. The account is a keyed hash, so that the table names nobody.
-- Without a log of its own, so that nobody who signs in waits for the disk; a crash forgives what was counted.
CREATE UNLOGGED TABLE password_guesses (
  account bytea NOT NULL,
  forgotten_at timestamptz NOT NULL,
  CONSTRAINT password_guesses_pkey PRIMARY KEY (account)
);

-- It belongs to the platform: whose the account is comes after it.
ALTER TABLE password_guesses ENABLE ROW LEVEL SECURITY;
ALTER TABLE password_guesses FORCE ROW LEVEL SECURITY;
CREATE POLICY platform ON password_guesses USING (current_org() = 0);
