-- Compatible from 0021.
-- How an organization sends messages: its mail server, and its SMS provider. At most one of each.
CREATE TABLE senders (
  org_id integer NOT NULL REFERENCES organizations,
  channel text NOT NULL,
  settings json NOT NULL,
  -- The password, or the key of the signature, encrypted.
  sealed bytea,
  per_hour integer NOT NULL,
  -- Since when it could not be used.
  failing_since timestamptz,
  last_error text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (org_id, channel)
);

-- Kinds of messages that are sent by themselves; a kind without a row, or without channels, is off.
CREATE TABLE automatic_messages (
  org_id integer NOT NULL REFERENCES organizations,
  kind text NOT NULL,
  channels text[] NOT NULL,
  -- Before or after what the message is about.
  days integer,
  -- For messages about events: every event up to here has its message, or needs none.
  position bigint,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (org_id, kind)
);

-- The merchant's own words, in place of ours.
CREATE TABLE message_templates (
  org_id integer NOT NULL REFERENCES organizations,
  kind text NOT NULL,
  channel text NOT NULL,
  language text NOT NULL,
  subject text,
  body text NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (org_id, kind, channel, language)
);

-- What was sent, or is to be. Neither addresses nor texts are here: both are read when a message is sent, so that an
-- erased customer gets nothing and leaves nothing.
CREATE TABLE messages (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  kind text NOT NULL,
  channel text NOT NULL,
  customer_id uuid,
  card_id uuid,
  person_id uuid,
  -- IDs and numbers that the text refers to.
  data json NOT NULL,
  -- What the text contains that nobody may read, such as a code; removed once it is sent.
  sealed bytea,
  -- There is one message for a reason, however often it is found.
  reason text,
  status smallint NOT NULL,
  next_attempt_at timestamptz,
  -- When the last attempt began.
  started_at timestamptz,
  attempts jsonb NOT NULL DEFAULT '[]',
  sent_at timestamptz,
  clicked_at timestamptz,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (org_id, id)
);
CREATE UNIQUE INDEX messages_reason ON messages (org_id, reason) WHERE reason IS NOT NULL;
CREATE INDEX messages_pending ON messages (org_id, channel, next_attempt_at) WHERE status = 1;
CREATE INDEX messages_sending ON messages (org_id, started_at) WHERE status = 2;
CREATE INDEX messages_started_at ON messages (org_id, channel, started_at);
CREATE INDEX messages_customer ON messages (org_id, customer_id, id) WHERE customer_id IS NOT NULL;

ALTER TABLE senders ENABLE ROW LEVEL SECURITY;
ALTER TABLE senders FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON senders USING (org_id = current_org());
ALTER TABLE automatic_messages ENABLE ROW LEVEL SECURITY;
ALTER TABLE automatic_messages FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON automatic_messages USING (org_id = current_org());
-- A process finds which organizations have new events that messages are about.
CREATE POLICY platform ON automatic_messages FOR SELECT USING (current_org() = 0);
ALTER TABLE message_templates ENABLE ROW LEVEL SECURITY;
ALTER TABLE message_templates FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON message_templates USING (org_id = current_org());
ALTER TABLE messages ENABLE ROW LEVEL SECURITY;
ALTER TABLE messages FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON messages USING (org_id = current_org());
