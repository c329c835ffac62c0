-- Compatible from 0021.
-- What customers decide about themselves: in which language they are written to, and which of their addresses a code
-- has come back from. An older version does not clear the latter when it changes the address.
ALTER TABLE customers
  ADD COLUMN language text,
  ADD COLUMN email_verified_at timestamptz,
  ADD COLUMN phone_verified_at timestamptz,
  -- When a message came back from the address; until it changes, nothing is sent to it.
  ADD COLUMN email_bounced_at timestamptz,
  ADD COLUMN phone_bounced_at timestamptz;

-- What customers are told about the merchant, by name: address, opening hours, terms, words of the consent.
ALTER TABLE organizations ADD COLUMN contact json;

-- Blocked until somebody has looked at who enrolled.
ALTER TABLE cards ADD COLUMN awaits_approval boolean NOT NULL DEFAULT false;

-- The public page of a campaign. Its name is part of the URL, so it exists once in the whole installation.
CREATE TABLE enrollment_pages (
  short_name text NOT NULL,
  org_id integer NOT NULL REFERENCES organizations,
  campaign_id uuid NOT NULL,
  mode text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (short_name),
  CONSTRAINT enrollment_pages_campaign_unique UNIQUE (org_id, campaign_id),
  CONSTRAINT enrollment_pages_mode_known CHECK (mode IN ('open', 'approval', 'off'))
);

-- Codes that were sent to customers: the latest of each purpose. An address that is not confirmed yet is only here.
CREATE TABLE contact_codes (
  org_id integer NOT NULL,
  customer_id uuid NOT NULL,
  channel text NOT NULL,
  purpose text NOT NULL,
  address text,
  code_hash bytea NOT NULL,
  -- Wrong codes that came back.
  failures integer NOT NULL DEFAULT 0,
  expires_at timestamptz NOT NULL,
  sent_at timestamptz NOT NULL,
  PRIMARY KEY (org_id, customer_id, channel, purpose)
);

ALTER TABLE enrollment_pages ENABLE ROW LEVEL SECURITY;
ALTER TABLE enrollment_pages FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON enrollment_pages USING (org_id = current_org());
-- Somebody who opens a page names no organization.
CREATE POLICY platform ON enrollment_pages FOR SELECT USING (current_org() = 0);
ALTER TABLE contact_codes ENABLE ROW LEVEL SECURITY;
ALTER TABLE contact_codes FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON contact_codes USING (org_id = current_org());
