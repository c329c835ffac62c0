-- What stays of the sales that `loyalty-wallet archive` moves to files. The service only reads these tables.

-- The files, numbered for each organization. The row commits together with the deletion of what the file holds.
CREATE TABLE archived_files (
  org_id integer NOT NULL REFERENCES organizations,
  number integer NOT NULL,
  archived_at timestamptz NOT NULL,
  entry json NOT NULL,
  PRIMARY KEY (org_id, number)
);

-- Keeps receipt numbers and idempotency keys unique forever, and tells who came when. `redeemed` are those coupons
-- redeemed by the sale that are still in the database.
CREATE TABLE archived_transactions (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  customer_id uuid NOT NULL,
  file integer NOT NULL,
  opaque_id text,
  idempotency_key text,
  redeemed uuid[],
  PRIMARY KEY (org_id, id),
  CONSTRAINT archived_transactions_file FOREIGN KEY (org_id, file) REFERENCES archived_files (org_id, number)
);
CREATE INDEX archived_transactions_customer ON archived_transactions (org_id, customer_id, id);
CREATE UNIQUE INDEX archived_transactions_opaque_id_unique ON archived_transactions (org_id, opaque_id)
  WHERE opaque_id IS NOT NULL;
CREATE UNIQUE INDEX archived_transactions_idempotency_key_unique ON archived_transactions (org_id, idempotency_key)
  WHERE idempotency_key IS NOT NULL;

-- Only returns with a number of the client, which stays unique as well.
CREATE TABLE archived_returns (
  org_id integer NOT NULL,
  opaque_id text NOT NULL,
  id uuid NOT NULL,
  transaction_id uuid NOT NULL,
  PRIMARY KEY (org_id, opaque_id)
);

-- A balance as its newest archived entry left it: the entries from 1 to `version` are archived. `shortfall` is the sum
-- of theirs, `sold` the part of the total that came from sales, and `sold_until` the time of the newest of these sales.
CREATE TABLE archived_balances (
  org_id integer NOT NULL,
  customer_id uuid NOT NULL,
  key text NOT NULL,
  version bigint NOT NULL,
  value bigint NOT NULL,
  total bigint NOT NULL,
  shortfall bigint NOT NULL,
  sold bigint NOT NULL,
  sold_until timestamptz,
  PRIMARY KEY (org_id, customer_id, key)
);

-- The sums of the archived entries, which the running sums of reports still contain.
CREATE TABLE archived_sums (
  org_id integer NOT NULL,
  kind text NOT NULL,
  key text NOT NULL,
  amount bigint NOT NULL,
  PRIMARY KEY (org_id, kind, key)
);

ALTER TABLE archived_files ENABLE ROW LEVEL SECURITY;
ALTER TABLE archived_files FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON archived_files USING (org_id = current_org());
ALTER TABLE archived_transactions ENABLE ROW LEVEL SECURITY;
ALTER TABLE archived_transactions FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON archived_transactions USING (org_id = current_org());
ALTER TABLE archived_returns ENABLE ROW LEVEL SECURITY;
ALTER TABLE archived_returns FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON archived_returns USING (org_id = current_org());
ALTER TABLE archived_balances ENABLE ROW LEVEL SECURITY;
ALTER TABLE archived_balances FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON archived_balances USING (org_id = current_org());
ALTER TABLE archived_sums ENABLE ROW LEVEL SECURITY;
ALTER TABLE archived_sums FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON archived_sums USING (org_id = current_org());
