-- Compatible from 0021.
-- Keys that an organization's passes are signed with, encrypted; those of the installation are used without them.
CREATE TABLE pass_settings (
  org_id integer NOT NULL REFERENCES organizations,
  apple bytea,
  google bytea,
  -- The code that a pass shows first.
  first_code text NOT NULL DEFAULT 'code128',
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (org_id)
);

-- How far an organization's events have been looked at for changes of passes. There is none while it has no passes.
CREATE TABLE pass_feeds (
  org_id integer NOT NULL REFERENCES organizations,
  position bigint NOT NULL,
  -- When the first pass is to be updated that was not, as of the end of the last run.
  retry_at timestamptz,
  -- One process at a time updates the passes of an organization. The end of a lease is by the database's clock.
  lease uuid,
  leased_until timestamptz,
  PRIMARY KEY (org_id)
);

-- Passes that may be in wallets: of Apple those with a registration, of Google those that a link was made for.
CREATE TABLE passes (
  org_id integer NOT NULL,
  -- The card that the pass was made for, also when another one has replaced it.
  card_id uuid NOT NULL,
  wallet text NOT NULL,
  customer_id uuid NOT NULL,
  -- Position of the event that changed it last; what phones are told to ask again with.
  changed_position bigint NOT NULL,
  -- In whole seconds, and later with every change: phones ask with it whether there is a newer pass.
  changed_at timestamptz NOT NULL,
  -- When it is to be updated; null if the wallets have been told of the last change.
  due_at timestamptz,
  attempts smallint NOT NULL DEFAULT 0,
  -- Whether a customer has it in the wallet, as far as it is known.
  is_held boolean NOT NULL DEFAULT false,
  PRIMARY KEY (org_id, card_id, wallet)
);
CREATE INDEX passes_customer ON passes (org_id, customer_id);
CREATE INDEX passes_due ON passes (org_id, due_at) WHERE due_at IS NOT NULL;

-- Phones that have a pass, and where they are told of changes.
CREATE TABLE pass_registrations (
  org_id integer NOT NULL,
  device text NOT NULL,
  card_id uuid NOT NULL,
  push_token text NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (org_id, device, card_id)
);
CREATE INDEX pass_registrations_card ON pass_registrations (org_id, card_id);

ALTER TABLE pass_settings ENABLE ROW LEVEL SECURITY;
ALTER TABLE pass_settings FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON pass_settings USING (org_id = current_org());
ALTER TABLE pass_feeds ENABLE ROW LEVEL SECURITY;
ALTER TABLE pass_feeds FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON pass_feeds USING (org_id = current_org());
-- A process finds those of all organizations that have something to send; only the organization itself changes them.
CREATE POLICY platform ON pass_feeds FOR SELECT USING (current_org() = 0);
ALTER TABLE passes ENABLE ROW LEVEL SECURITY;
ALTER TABLE passes FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON passes USING (org_id = current_org());
ALTER TABLE pass_registrations ENABLE ROW LEVEL SECURITY;
ALTER TABLE pass_registrations FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON pass_registrations USING (org_id = current_org());
