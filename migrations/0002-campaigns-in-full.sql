-- Returns, running sums for reports, and what the expiry job looks for.

CREATE TABLE returns (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  transaction_id uuid NOT NULL,
  -- In the order they happened, from 1; each is decided on those before it.
  number integer NOT NULL,
  opaque_id text,
  fingerprint bytea,
  reason text,
  -- The lines and quantities that came back.
  items json NOT NULL,
  result json NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  CONSTRAINT returns_number_unique UNIQUE (org_id, transaction_id, number),
  CONSTRAINT returns_transaction FOREIGN KEY (org_id, transaction_id) REFERENCES transactions (org_id, id)
);
CREATE UNIQUE INDEX returns_opaque_id_unique ON returns (org_id, opaque_id) WHERE opaque_id IS NOT NULL;

-- Thresholds whose coupon was used although a return took the total below them: passing the multiple again grants nothing.
CREATE TABLE kept_multiples (
  org_id integer NOT NULL,
  customer_id uuid NOT NULL,
  campaign_id uuid NOT NULL,
  key text NOT NULL,
  at bigint NOT NULL,
  reward text NOT NULL,
  multiple bigint NOT NULL,
  PRIMARY KEY (org_id, customer_id, campaign_id, key, at, reward)
);

-- Running sums by local day, so that a year of reports is a read of some thousand rows and never a count of
-- millions. Each writer adds to a shard of its own: one row per day would make all writers wait for each other.
CREATE TABLE daily_sums (
  org_id integer NOT NULL,
  day date NOT NULL,
  -- What is counted: customers, cards, transactions, coupons_granted …, or the kind of a movement.
  measure text NOT NULL,
  -- The balance of a movement; empty otherwise.
  key text NOT NULL,
  shard smallint NOT NULL,
  amount bigint NOT NULL,
  PRIMARY KEY (org_id, day, measure, key, shard)
) WITH (fillfactor = 50);

CREATE INDEX coupons_expires_at ON coupons (org_id, expires_at) WHERE status = 1 AND expires_at IS NOT NULL;
