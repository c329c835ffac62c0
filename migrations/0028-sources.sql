-- Compatible from 0021.
-- Other systems that send their sales: each has an address of its own here, and a secret that it signs with.
CREATE TABLE sources (
  org_id integer NOT NULL REFERENCES organizations,
  id uuid NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  status smallint NOT NULL,
  campaign_id uuid,
  registers_customers boolean NOT NULL,
  -- Whose sales these are: a user like that of a connection.
  user_id uuid NOT NULL,
  -- Encrypted: what the sender signs with, and what orders are fetched with.
  secret bytea,
  access_token bytea,
  environment text,
  signature_header text,
  mapping text,
  last_received_at timestamptz,
  last_rejected_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  CONSTRAINT sources_kind_known CHECK (kind IN ('square', 'shopify', 'json')),
  CONSTRAINT sources_status_known CHECK (status IN (1, 2))
);

-- What they have sent, and what was made of it. Those of a deleted source are deleted when they are old.
CREATE TABLE received_messages (
  org_id integer NOT NULL REFERENCES organizations,
  id uuid NOT NULL,
  source_id uuid NOT NULL,
  -- What the sender calls it.
  event_id text,
  topic text,
  status smallint NOT NULL,
  attempts smallint NOT NULL DEFAULT 0,
  next_attempt_at timestamptz,
  -- As text: what was received is shown as it was, and never searched.
  payload json,
  made json,
  customer_id uuid,
  transaction_id uuid,
  return_id uuid,
  problem_code text,
  problem_text text,
  received_at timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  CONSTRAINT received_messages_status_known CHECK (status IN (1, 2, 3, 4))
);
CREATE UNIQUE INDEX received_messages_once ON received_messages (org_id, source_id, event_id) WHERE event_id IS NOT NULL;
CREATE INDEX received_messages_of_source ON received_messages (org_id, source_id, id);
CREATE INDEX received_messages_due ON received_messages (org_id, next_attempt_at) WHERE status = 1;
-- Returns that came before their sale.
CREATE INDEX received_messages_waiting ON received_messages (org_id, source_id) WHERE problem_code = 'sale_unknown';
CREATE INDEX received_messages_of_customer ON received_messages (org_id, customer_id) WHERE customer_id IS NOT NULL;

ALTER TABLE sources ENABLE ROW LEVEL SECURITY;
ALTER TABLE sources FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON sources USING (org_id = current_org());
ALTER TABLE received_messages ENABLE ROW LEVEL SECURITY;
ALTER TABLE received_messages FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON received_messages USING (org_id = current_org());
