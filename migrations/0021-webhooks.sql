-- Addresses that an organization's events are sent to.
CREATE TABLE webhooks (
  org_id integer NOT NULL REFERENCES organizations,
  id uuid NOT NULL,
  url text NOT NULL,
  description text,
  -- Null for all types of events.
  types text[],
  status smallint NOT NULL,
  paused_because text,
  -- Since when every attempt has failed.
  failing_since timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  -- Every event up to here is delivered, has a delivery, or is of another type.
  position bigint NOT NULL,
  -- When the first of the pending deliveries is due, as of the end of the last run.
  retry_at timestamptz,
  -- Nothing is sent before.
  hold_until timestamptz,
  -- One process at a time sends to a webhook. The end of a lease is by the database's clock.
  lease uuid,
  leased_until timestamptz,
  PRIMARY KEY (org_id, id)
);

-- Keys of signatures, encrypted. After a rotation both sign until the earlier one expires.
CREATE TABLE webhook_secrets (
  org_id integer NOT NULL,
  webhook_id uuid NOT NULL,
  id uuid NOT NULL,
  expires_at timestamptz,
  sealed bytea NOT NULL,
  PRIMARY KEY (org_id, webhook_id, id),
  CONSTRAINT webhook_secrets_webhook FOREIGN KEY (org_id, webhook_id) REFERENCES webhooks (org_id, id) ON DELETE CASCADE
);

-- What was sent, or is to be. There is no foreign key to the event: a delivery is kept for longer than it or shorter.
CREATE TABLE webhook_deliveries (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  webhook_id uuid NOT NULL,
  event_id uuid NOT NULL,
  type text NOT NULL,
  -- Of the event; null for a test.
  position bigint,
  status smallint NOT NULL,
  next_attempt_at timestamptz,
  attempts jsonb NOT NULL DEFAULT '[]',
  created_at timestamptz NOT NULL,
  PRIMARY KEY (org_id, id)
);
CREATE INDEX webhook_deliveries_webhook ON webhook_deliveries (org_id, webhook_id, id);
CREATE INDEX webhook_deliveries_pending ON webhook_deliveries (org_id, webhook_id, next_attempt_at) WHERE status = 1;

ALTER TABLE webhooks ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhooks FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON webhooks USING (org_id = current_org());
-- A process finds those of all organizations that have something to send; only the organization itself changes them.
CREATE POLICY platform ON webhooks FOR SELECT USING (current_org() = 0);
ALTER TABLE webhook_secrets ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhook_secrets FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON webhook_secrets USING (org_id = current_org());
ALTER TABLE webhook_deliveries ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhook_deliveries FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON webhook_deliveries USING (org_id = current_org());
