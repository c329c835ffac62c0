-- The ground floor. Every tenant table is led by org_id, in its primary key and in every other key, so that
-- organizations cannot meet and the schema can be spread over machines by org_id without change.
--
-- Foreign keys stand where rows are written rarely. The rows of a basket (transactions, ledger entries,
-- events) have none: each check would lock a shared row, and the statement that writes them joins every
-- row to the wallet it has just locked.

-- The platform: who is connected to whom -----------------------------------------------------------------

CREATE TABLE organizations (
  org_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL CONSTRAINT organizations_id_unique UNIQUE,
  name text NOT NULL,
  country text NOT NULL,
  currency text NOT NULL,
  timezone text NOT NULL,
  locale text NOT NULL,
  color text,
  logo text,
  strict_references boolean NOT NULL DEFAULT false,
  is_subscribed boolean NOT NULL DEFAULT true,
  is_demo boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE TABLE integrations (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  created_at timestamptz NOT NULL
);

-- Several keys of one integration are valid at once while a rotation overlaps.
CREATE TABLE integration_keys (
  hash bytea PRIMARY KEY,
  integration_id uuid NOT NULL REFERENCES integrations,
  expires_at timestamptz,
  created_at timestamptz NOT NULL
);
CREATE INDEX integration_keys_integration ON integration_keys (integration_id);

-- Directory ----------------------------------------------------------------------------------------------

CREATE TABLE branches (
  org_id integer NOT NULL REFERENCES organizations,
  id uuid NOT NULL,
  opaque_id text NOT NULL,
  name text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  CONSTRAINT branches_opaque_id_unique UNIQUE (org_id, opaque_id)
);

CREATE TABLE users (
  org_id integer NOT NULL REFERENCES organizations,
  id uuid NOT NULL,
  opaque_id text NOT NULL,
  name text,
  branch_id uuid,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  CONSTRAINT users_opaque_id_unique UNIQUE (org_id, opaque_id),
  CONSTRAINT users_branch FOREIGN KEY (org_id, branch_id) REFERENCES branches (org_id, id)
);

CREATE TABLE products (
  org_id integer NOT NULL REFERENCES organizations,
  id uuid NOT NULL,
  opaque_id text NOT NULL,
  name text,
  category text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  CONSTRAINT products_opaque_id_unique UNIQUE (org_id, opaque_id)
);

CREATE TABLE connections (
  org_id integer NOT NULL REFERENCES organizations,
  id uuid NOT NULL CONSTRAINT connections_id_unique UNIQUE,
  integration_id uuid NOT NULL REFERENCES integrations,
  scopes text[] NOT NULL,
  -- The service account: the user on whose behalf tokens of this connection act.
  user_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  CONSTRAINT connections_user FOREIGN KEY (org_id, user_id) REFERENCES users (org_id, id)
);

CREATE TABLE connection_secrets (
  hash bytea PRIMARY KEY,
  org_id integer NOT NULL,
  connection_id uuid NOT NULL,
  expires_at timestamptz,
  created_at timestamptz NOT NULL,
  CONSTRAINT connection_secrets_connection FOREIGN KEY (org_id, connection_id) REFERENCES connections (org_id, id)
);
CREATE INDEX connection_secrets_connection_index ON connection_secrets (org_id, connection_id);

-- One row per token family. Only the newest refresh token is kept: rotation replaces its hash.
CREATE TABLE sessions (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  connection_id uuid NOT NULL,
  -- The secret that opened the session: when that secret ends, so does the session.
  secret_hash bytea NOT NULL,
  refresh_hash bytea NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (org_id, id)
);
CREATE INDEX sessions_expires_at ON sessions (org_id, expires_at);

-- Campaigns ----------------------------------------------------------------------------------------------

-- The balances an organization has, by key; campaigns that name the same key share it, so its decimals are fixed.
CREATE TABLE balance_definitions (
  org_id integer NOT NULL REFERENCES organizations,
  key text NOT NULL,
  name text NOT NULL,
  decimals smallint NOT NULL,
  PRIMARY KEY (org_id, key)
);

CREATE TABLE campaigns (
  org_id integer NOT NULL REFERENCES organizations,
  id uuid NOT NULL,
  -- Of the published version; of the draft until there is one.
  name text NOT NULL,
  status text NOT NULL CONSTRAINT campaigns_status_known CHECK (status IN ('draft', 'published', 'paused', 'archived')),
  -- What an editor sees; equal to the published definition while has_changes is false.
  draft json NOT NULL,
  has_changes boolean NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (org_id, id)
);

CREATE TABLE campaign_versions (
  org_id integer NOT NULL,
  campaign_id uuid NOT NULL,
  version integer NOT NULL,
  definition json NOT NULL,
  published_at timestamptz NOT NULL,
  PRIMARY KEY (org_id, campaign_id, version),
  CONSTRAINT campaign_versions_campaign FOREIGN KEY (org_id, campaign_id) REFERENCES campaigns (org_id, id)
);

-- Customers and what they hold ---------------------------------------------------------------------------

CREATE TABLE customers (
  org_id integer NOT NULL REFERENCES organizations,
  id uuid NOT NULL,
  status smallint NOT NULL DEFAULT 1,
  phone text,
  email text,
  -- The e-mail as it is compared: lower case, composed.
  email_key text,
  fullname text,
  meta_data json,
  consents json,
  opaque_id text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  CONSTRAINT customers_email_unique UNIQUE (org_id, email_key),
  CONSTRAINT customers_phone_unique UNIQUE (org_id, phone),
  CONSTRAINT customers_opaque_id_unique UNIQUE (org_id, opaque_id)
);

-- The row every writer of a customer's balances, coupons, cards and counters locks first. Its version moves
-- with each of those writes, so that a decision made on an older state can be told and is made again.
CREATE TABLE wallets (
  org_id integer NOT NULL,
  customer_id uuid NOT NULL,
  version bigint NOT NULL DEFAULT 0,
  transaction_count integer NOT NULL DEFAULT 0,
  last_activity_at timestamptz,
  PRIMARY KEY (org_id, customer_id),
  CONSTRAINT wallets_customer FOREIGN KEY (org_id, customer_id) REFERENCES customers (org_id, id)
) WITH (fillfactor = 70);

CREATE TABLE cards (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  customer_id uuid NOT NULL,
  campaign_id uuid NOT NULL,
  barcode text NOT NULL,
  status smallint NOT NULL DEFAULT 1,
  replaced_by uuid,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  CONSTRAINT cards_barcode_unique UNIQUE (org_id, barcode),
  CONSTRAINT cards_customer FOREIGN KEY (org_id, customer_id) REFERENCES customers (org_id, id),
  CONSTRAINT cards_campaign FOREIGN KEY (org_id, campaign_id) REFERENCES campaigns (org_id, id)
);
-- One card per customer and campaign that is active or blocked; replaced and closed ones are history.
CREATE UNIQUE INDEX cards_live_unique ON cards (org_id, customer_id, campaign_id) WHERE status IN (1, 2);
CREATE INDEX cards_customer_index ON cards (org_id, customer_id);

CREATE TABLE balances (
  org_id integer NOT NULL,
  customer_id uuid NOT NULL,
  key text NOT NULL,
  value bigint NOT NULL DEFAULT 0 CONSTRAINT balances_value_bounded CHECK (value BETWEEN -9000000000000000 AND 9000000000000000),
  total bigint NOT NULL DEFAULT 0 CONSTRAINT balances_total_bounded CHECK (total BETWEEN 0 AND 9000000000000000),
  version bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (org_id, customer_id, key),
  CONSTRAINT balances_wallet FOREIGN KEY (org_id, customer_id) REFERENCES wallets (org_id, customer_id)
) WITH (fillfactor = 70);

-- Parts of a balance that expire by themselves; what is in no lot never expires.
CREATE TABLE lots (
  org_id integer NOT NULL,
  customer_id uuid NOT NULL,
  key text NOT NULL,
  -- Version of the ledger entry that collected the lot.
  version bigint NOT NULL,
  remaining bigint NOT NULL CONSTRAINT lots_remaining_positive CHECK (remaining >= 0),
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (org_id, customer_id, key, version)
);
CREATE INDEX lots_expires_at ON lots (org_id, expires_at) WHERE remaining > 0;

CREATE TABLE coupons (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  customer_id uuid NOT NULL,
  campaign_id uuid NOT NULL,
  status smallint NOT NULL DEFAULT 1,
  reward json NOT NULL,
  expires_at timestamptz,
  granted_by uuid,
  redeemed_by uuid,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  PRIMARY KEY (org_id, id),
  CONSTRAINT coupons_redeemed_by_transaction CHECK ((status = 3) = (redeemed_by IS NOT NULL))
);
CREATE INDEX coupons_active ON coupons (org_id, customer_id) WHERE status = 1;
CREATE INDEX coupons_customer ON coupons (org_id, customer_id, id);

-- What a rule has given to one customer: on one local day, or ever (day is then -infinity).
CREATE TABLE customer_rule_usage (
  org_id integer NOT NULL,
  customer_id uuid NOT NULL,
  campaign_id uuid NOT NULL,
  rule_id text NOT NULL,
  day date NOT NULL,
  used bigint NOT NULL,
  PRIMARY KEY (org_id, customer_id, campaign_id, rule_id, day)
) WITH (fillfactor = 80);

-- What a rule with a total limit has given to everybody. Locked after the wallets, in the order of its key.
CREATE TABLE rule_usage (
  org_id integer NOT NULL,
  campaign_id uuid NOT NULL,
  rule_id text NOT NULL,
  used bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (org_id, campaign_id, rule_id)
) WITH (fillfactor = 50);

-- What happened -------------------------------------------------------------------------------------------

CREATE TABLE transactions (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  customer_id uuid NOT NULL,
  card_id uuid NOT NULL,
  user_id uuid NOT NULL,
  branch_id uuid NOT NULL,
  status smallint NOT NULL DEFAULT 1,
  -- The client's receipt number and idempotency key stand in the row itself: what makes a repeat safe
  -- commits with what it protects. The fingerprint tells a repeat from another body.
  opaque_id text,
  idempotency_key text,
  fingerprint bytea,
  occurred_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  basket json NOT NULL,
  result json NOT NULL,
  PRIMARY KEY (org_id, id)
);
CREATE UNIQUE INDEX transactions_opaque_id_unique ON transactions (org_id, opaque_id) WHERE opaque_id IS NOT NULL;
CREATE UNIQUE INDEX transactions_idempotency_key_unique ON transactions (org_id, idempotency_key)
  WHERE idempotency_key IS NOT NULL;
CREATE INDEX transactions_customer ON transactions (org_id, customer_id, id);

-- Append-only. The version is gapless per balance and each entry carries the balance after it.
CREATE TABLE ledger_entries (
  org_id integer NOT NULL,
  customer_id uuid NOT NULL,
  key text NOT NULL,
  version bigint NOT NULL,
  -- Version of the wallet that wrote it: orders a customer's entries over all balances without a clock.
  wallet_version bigint NOT NULL,
  kind text NOT NULL,
  amount bigint NOT NULL,
  value_after bigint NOT NULL,
  total_after bigint NOT NULL,
  transaction_id uuid,
  campaign_id uuid,
  rule_id text,
  reason text,
  user_id uuid,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (org_id, customer_id, key, version)
);

-- Written in the same database transaction as the fact. Readers follow (position, id) up to the oldest
-- transaction still running, so that a late commit is never skipped; sequence numbers could not promise that.
CREATE TABLE events (
  org_id integer NOT NULL,
  position xid8 NOT NULL DEFAULT pg_current_xact_id(),
  id uuid NOT NULL,
  type text NOT NULL,
  -- Ids and numbers only, no personal data: an event outlives the customer's right to be forgotten.
  data json NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (org_id, position, id)
);

-- The first answers to repeated calls, except for transactions, which are their own. org_id 0 is the platform.
CREATE TABLE idempotency_keys (
  org_id integer NOT NULL,
  route text NOT NULL,
  key text NOT NULL,
  fingerprint bytea NOT NULL,
  status smallint NOT NULL,
  reply json,
  -- Whose personal data the reply holds, so that erasing the customer finds it.
  customer_id uuid,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (org_id, route, key)
);
CREATE INDEX idempotency_keys_customer ON idempotency_keys (org_id, customer_id) WHERE customer_id IS NOT NULL;
CREATE INDEX idempotency_keys_created_at ON idempotency_keys (org_id, created_at);
