-- The schema after all migrations. Written from the database; edit the migrations instead.
SET check_function_bodies = off;

CREATE OR REPLACE FUNCTION current_org()
 RETURNS integer
 LANGUAGE sql
 STABLE PARALLEL SAFE
RETURN (NULLIF(current_setting('loyalty_wallet.org'::text, true), ''::text))::integer;

CREATE OR REPLACE FUNCTION delete_test_organization(test_org integer, live_org integer, tables text[])
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO '$user', 'public'
AS $function$
DECLARE
  caller text := current_setting('loyalty_wallet.org', true);
  tenant_table text;
BEGIN
  -- A temporary table of the same name must not take the place of one of ours.
  PERFORM set_config('search_path', format('%I, pg_temp', current_schema()), true);
  PERFORM set_config('loyalty_wallet.org', test_org::text, true);
  PERFORM 1 FROM organizations WHERE org_id = test_org AND test_of = live_org FOR UPDATE;
  IF NOT FOUND THEN
    PERFORM set_config('loyalty_wallet.org', coalesce(caller, ''), true);
    RETURN false;
  END IF;
  FOREACH tenant_table IN ARRAY tables LOOP
    EXECUTE format('DELETE FROM %I WHERE org_id = $1', tenant_table) USING test_org;
  END LOOP;
  DELETE FROM organizations WHERE org_id = test_org AND test_of = live_org;
  PERFORM set_config('loyalty_wallet.org', coalesce(caller, ''), true);
  RETURN true;
END
$function$;

CREATE OR REPLACE FUNCTION delete_test_organization(test_org integer, live_org integer, tables text[], entry json)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO '$user', 'public'
AS $function$
DECLARE
  caller text := current_setting('loyalty_wallet.org', true);
  tenant_table text;
BEGIN
  -- A temporary table of the same name must not take the place of one of ours.
  PERFORM set_config('search_path', format('%I, pg_temp', current_schema()), true);
  EXECUTE format('SET LOCAL loyalty_wallet.org = %L', test_org);
  PERFORM 1 FROM organizations WHERE org_id = test_org AND test_of = live_org FOR UPDATE;
  IF NOT FOUND THEN
    EXECUTE format('SET LOCAL loyalty_wallet.org = %L', coalesce(caller, ''));
    RETURN false;
  END IF;
  FOREACH tenant_table IN ARRAY tables LOOP
    EXECUTE format('DELETE FROM %I WHERE org_id = $1', tenant_table) USING test_org;
  END LOOP;
  DELETE FROM organizations WHERE org_id = test_org AND test_of = live_org;
  EXECUTE format('SET LOCAL loyalty_wallet.org = %L', live_org);
  INSERT INTO audit_entries
    (org_id, id, at, by_kind, user_id, action, subject_kind, subject_id, subject_name, details, is_truncated)
  VALUES (live_org, (entry ->> 'id')::uuid, (entry ->> 'at')::timestamptz, entry ->> 'byKind', (entry ->> 'user')::uuid,
    entry ->> 'action', entry #>> '{subject,kind}', entry #>> '{subject,id}', entry #>> '{subject,name}',
    entry -> 'details', (entry ->> 'isTruncated')::boolean);
  EXECUTE format('SET LOCAL loyalty_wallet.org = %L', coalesce(caller, ''));
  RETURN true;
END
$function$;

CREATE TABLE archived_balances (
  org_id integer NOT NULL,
  customer_id uuid NOT NULL,
  key text NOT NULL,
  version bigint NOT NULL,
  value bigint NOT NULL,
  total bigint NOT NULL,
  shortfall bigint NOT NULL,
  sold bigint NOT NULL,
  sold_until timestamp with time zone,
  CONSTRAINT archived_balances_pkey PRIMARY KEY (org_id, customer_id, key)
);

CREATE TABLE archived_files (
  org_id integer NOT NULL,
  number integer NOT NULL,
  archived_at timestamp with time zone NOT NULL,
  entry json NOT NULL,
  CONSTRAINT archived_files_pkey PRIMARY KEY (org_id, number)
);

CREATE TABLE archived_returns (
  org_id integer NOT NULL,
  opaque_id text NOT NULL,
  id uuid NOT NULL,
  transaction_id uuid NOT NULL,
  CONSTRAINT archived_returns_pkey PRIMARY KEY (org_id, opaque_id)
);

CREATE TABLE archived_sums (
  org_id integer NOT NULL,
  kind text NOT NULL,
  key text NOT NULL,
  amount bigint NOT NULL,
  CONSTRAINT archived_sums_pkey PRIMARY KEY (org_id, kind, key)
);

CREATE TABLE archived_transactions (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  customer_id uuid NOT NULL,
  file integer NOT NULL,
  opaque_id text,
  idempotency_key text,
  redeemed uuid[],
  CONSTRAINT archived_transactions_pkey PRIMARY KEY (org_id, id)
);

CREATE TABLE audit_entries (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  at timestamp with time zone NOT NULL,
  by_kind text NOT NULL,
  user_id uuid,
  action text NOT NULL,
  subject_kind text,
  subject_id text,
  subject_name text,
  details json,
  is_truncated boolean NOT NULL DEFAULT false,
  CONSTRAINT audit_entries_pkey PRIMARY KEY (org_id, id)
);

CREATE TABLE automatic_messages (
  org_id integer NOT NULL,
  kind text NOT NULL,
  channels text[] NOT NULL,
  days integer,
  "position" bigint,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT automatic_messages_pkey PRIMARY KEY (org_id, kind)
);

CREATE TABLE balance_definitions (
  org_id integer NOT NULL,
  key text NOT NULL,
  name text NOT NULL,
  decimals smallint NOT NULL,
  CONSTRAINT balance_definitions_pkey PRIMARY KEY (org_id, key)
);

CREATE TABLE balances (
  org_id integer NOT NULL,
  customer_id uuid NOT NULL,
  key text NOT NULL,
  value bigint NOT NULL DEFAULT 0,
  total bigint NOT NULL DEFAULT 0,
  version bigint NOT NULL DEFAULT 0,
  shortfall bigint NOT NULL DEFAULT 0,
  opening bigint,
  CONSTRAINT balances_pkey PRIMARY KEY (org_id, customer_id, key),
  CONSTRAINT balances_shortfall_positive CHECK ((shortfall >= 0)),
  CONSTRAINT balances_total_bounded CHECK (((total >= 0) AND (total <= '9000000000000000'::bigint))),
  CONSTRAINT balances_value_bounded CHECK (((value >= '-9000000000000000'::bigint) AND (value <= '9000000000000000'::bigint)))
) WITH (fillfactor = 70);

CREATE TABLE branches (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  opaque_id text NOT NULL,
  name text,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT branches_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT branches_opaque_id_unique UNIQUE (org_id, opaque_id)
);

CREATE TABLE campaign_versions (
  org_id integer NOT NULL,
  campaign_id uuid NOT NULL,
  version integer NOT NULL,
  definition json NOT NULL,
  published_at timestamp with time zone NOT NULL,
  CONSTRAINT campaign_versions_pkey PRIMARY KEY (org_id, campaign_id, version)
);

CREATE TABLE campaigns (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  status text NOT NULL,
  draft json NOT NULL,
  has_changes boolean NOT NULL,
  version integer NOT NULL DEFAULT 0,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT campaigns_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT campaigns_status_known CHECK ((status = ANY (ARRAY['draft'::text, 'published'::text, 'paused'::text, 'archived'::text])))
);

CREATE TABLE cards (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  customer_id uuid NOT NULL,
  campaign_id uuid NOT NULL,
  barcode text NOT NULL,
  status smallint NOT NULL DEFAULT 1,
  replaced_by uuid,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  wallet_version integer NOT NULL DEFAULT 1,
  awaits_approval boolean NOT NULL DEFAULT false,
  CONSTRAINT cards_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT cards_barcode_unique UNIQUE (org_id, barcode),
  CONSTRAINT cards_wallet_version_counts CHECK ((wallet_version >= 0))
);

CREATE TABLE connection_secrets (
  hash bytea NOT NULL,
  org_id integer NOT NULL,
  connection_id uuid NOT NULL,
  expires_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  issued_to uuid,
  CONSTRAINT connection_secrets_pkey PRIMARY KEY (hash),
  CONSTRAINT connection_secrets_id_unique UNIQUE (id)
);

CREATE TABLE connections (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  integration_id uuid NOT NULL,
  scopes text[] NOT NULL,
  user_id uuid NOT NULL,
  created_at timestamp with time zone NOT NULL,
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  CONSTRAINT connections_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT connections_id_unique UNIQUE (id)
);

CREATE TABLE contact_codes (
  org_id integer NOT NULL,
  customer_id uuid NOT NULL,
  channel text NOT NULL,
  purpose text NOT NULL,
  address text,
  code_hash bytea NOT NULL,
  failures integer NOT NULL DEFAULT 0,
  expires_at timestamp with time zone NOT NULL,
  sent_at timestamp with time zone NOT NULL,
  CONSTRAINT contact_codes_pkey PRIMARY KEY (org_id, customer_id, channel, purpose)
);

CREATE TABLE coupons (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  customer_id uuid NOT NULL,
  campaign_id uuid NOT NULL,
  status smallint NOT NULL DEFAULT 1,
  reward json NOT NULL,
  expires_at timestamp with time zone,
  granted_by uuid,
  redeemed_by uuid,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  balance_key text,
  at bigint,
  multiple bigint,
  consumed bigint,
  consumed_from json,
  settled bigint NOT NULL DEFAULT 0,
  revoked_by uuid,
  CONSTRAINT coupons_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT coupons_redeemed_by_transaction CHECK (((status = 3) = (redeemed_by IS NOT NULL)))
);

CREATE TABLE customer_rule_usage (
  org_id integer NOT NULL,
  customer_id uuid NOT NULL,
  campaign_id uuid NOT NULL,
  rule_id text NOT NULL,
  day date NOT NULL,
  used bigint NOT NULL,
  CONSTRAINT customer_rule_usage_pkey PRIMARY KEY (org_id, customer_id, campaign_id, rule_id, day)
) WITH (fillfactor = 80);

CREATE TABLE customers (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  status smallint NOT NULL DEFAULT 1,
  phone text,
  email text,
  email_key text,
  fullname text,
  meta_data json,
  consents json,
  opaque_id text,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  name_key text,
  consent_history json,
  language text,
  email_verified_at timestamp with time zone,
  phone_verified_at timestamp with time zone,
  email_bounced_at timestamp with time zone,
  phone_bounced_at timestamp with time zone,
  CONSTRAINT customers_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT customers_email_unique UNIQUE (org_id, email_key),
  CONSTRAINT customers_opaque_id_unique UNIQUE (org_id, opaque_id),
  CONSTRAINT customers_phone_unique UNIQUE (org_id, phone)
);

CREATE TABLE daily_sums (
  org_id integer NOT NULL,
  day date NOT NULL,
  measure text NOT NULL,
  key text NOT NULL,
  shard smallint NOT NULL,
  amount bigint NOT NULL,
  CONSTRAINT daily_sums_pkey PRIMARY KEY (org_id, day, measure, key, shard)
) WITH (fillfactor = 50);

CREATE TABLE due_work (
  org_id integer NOT NULL,
  kind text NOT NULL,
  due_at timestamp with time zone,
  armed_for timestamp with time zone,
  lease uuid,
  leased_until timestamp with time zone,
  attempts integer NOT NULL DEFAULT 0,
  last_error text,
  progress json,
  ahead_ms bigint NOT NULL DEFAULT 0,
  CONSTRAINT due_work_pkey PRIMARY KEY (org_id, kind)
);

CREATE TABLE enrollment_pages (
  short_name text NOT NULL,
  org_id integer NOT NULL,
  campaign_id uuid NOT NULL,
  mode text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT enrollment_pages_pkey PRIMARY KEY (short_name),
  CONSTRAINT enrollment_pages_campaign_unique UNIQUE (org_id, campaign_id),
  CONSTRAINT enrollment_pages_mode_known CHECK ((mode = ANY (ARRAY['open'::text, 'approval'::text, 'off'::text])))
);

CREATE TABLE event_counters (
  org_id integer NOT NULL,
  last_position bigint NOT NULL DEFAULT 0,
  oldest_position bigint NOT NULL DEFAULT 1,
  CONSTRAINT event_counters_pkey PRIMARY KEY (org_id)
) WITH (fillfactor = 50);

CREATE TABLE events (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  type text NOT NULL,
  data json NOT NULL,
  created_at timestamp with time zone NOT NULL,
  "position" bigint NOT NULL,
  CONSTRAINT events_pkey PRIMARY KEY (org_id, "position")
);

CREATE TABLE http_requests (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  request_id text NOT NULL,
  at timestamp with time zone NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  route text NOT NULL,
  status smallint NOT NULL,
  duration_us integer NOT NULL,
  by_kind text NOT NULL,
  user_id uuid NOT NULL,
  error_code text,
  query json,
  request_body json,
  reply_body json,
  is_truncated boolean NOT NULL DEFAULT false,
  CONSTRAINT http_requests_pkey PRIMARY KEY (org_id, id)
);

CREATE TABLE idempotency_keys (
  org_id integer NOT NULL,
  route text NOT NULL,
  key text NOT NULL,
  fingerprint bytea NOT NULL,
  status smallint NOT NULL,
  reply json,
  customer_id uuid,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT idempotency_keys_pkey PRIMARY KEY (org_id, route, key)
);

CREATE TABLE import_chunks (
  org_id integer NOT NULL,
  import_id uuid NOT NULL,
  first_row integer NOT NULL,
  last_row integer NOT NULL,
  fingerprint bytea NOT NULL,
  created integer NOT NULL,
  updated integer NOT NULL,
  unchanged integer NOT NULL,
  rejected integer NOT NULL,
  problems json NOT NULL,
  CONSTRAINT import_chunks_pkey PRIMARY KEY (org_id, import_id, first_row)
);

CREATE TABLE imports (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  kind text NOT NULL,
  campaign_id uuid,
  is_dry_run boolean NOT NULL,
  updates_existing boolean NOT NULL,
  counts_toward_total boolean NOT NULL,
  file_name text,
  file_hash text,
  columns json,
  user_id uuid NOT NULL,
  created_at timestamp with time zone NOT NULL,
  finished_at timestamp with time zone,
  CONSTRAINT imports_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT imports_kind_known CHECK ((kind = ANY (ARRAY['customers'::text, 'products'::text, 'branches'::text])))
);

CREATE TABLE integration_keys (
  hash bytea NOT NULL,
  integration_id uuid NOT NULL,
  expires_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  CONSTRAINT integration_keys_pkey PRIMARY KEY (hash),
  CONSTRAINT integration_keys_id_unique UNIQUE (id)
);

CREATE TABLE integrations (
  id uuid NOT NULL,
  name text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT integrations_pkey PRIMARY KEY (id)
);

CREATE TABLE kept_multiples (
  org_id integer NOT NULL,
  customer_id uuid NOT NULL,
  campaign_id uuid NOT NULL,
  key text NOT NULL,
  at bigint NOT NULL,
  reward text NOT NULL,
  multiple bigint NOT NULL,
  CONSTRAINT kept_multiples_pkey PRIMARY KEY (org_id, customer_id, campaign_id, key, at, reward)
);

CREATE TABLE ledger_entries (
  org_id integer NOT NULL,
  customer_id uuid NOT NULL,
  key text NOT NULL,
  version bigint NOT NULL,
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
  created_at timestamp with time zone NOT NULL,
  shortfall bigint,
  CONSTRAINT ledger_entries_pkey PRIMARY KEY (org_id, customer_id, key, version)
);

CREATE TABLE lots (
  org_id integer NOT NULL,
  customer_id uuid NOT NULL,
  key text NOT NULL,
  version bigint NOT NULL,
  remaining bigint NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  expired bigint NOT NULL DEFAULT 0,
  paid_by json,
  CONSTRAINT lots_pkey PRIMARY KEY (org_id, customer_id, key, version),
  CONSTRAINT lots_remaining_positive CHECK ((remaining >= 0))
);

CREATE TABLE message_templates (
  org_id integer NOT NULL,
  kind text NOT NULL,
  channel text NOT NULL,
  language text NOT NULL,
  subject text,
  body text NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT message_templates_pkey PRIMARY KEY (org_id, kind, channel, language)
);

CREATE TABLE messages (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  kind text NOT NULL,
  channel text NOT NULL,
  customer_id uuid,
  card_id uuid,
  person_id uuid,
  data json NOT NULL,
  sealed bytea,
  reason text,
  status smallint NOT NULL,
  next_attempt_at timestamp with time zone,
  started_at timestamp with time zone,
  attempts jsonb NOT NULL DEFAULT '[]'::jsonb,
  sent_at timestamp with time zone,
  clicked_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT messages_pkey PRIMARY KEY (org_id, id)
);

CREATE TABLE organizations (
  org_id integer NOT NULL GENERATED ALWAYS AS IDENTITY,
  id uuid NOT NULL,
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
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  max_backdate_days integer NOT NULL DEFAULT 30,
  contact json,
  test_of integer,
  ahead_ms bigint NOT NULL DEFAULT 0,
  CONSTRAINT organizations_pkey PRIMARY KEY (org_id),
  CONSTRAINT organizations_id_unique UNIQUE (id),
  CONSTRAINT organizations_max_backdate_days_range CHECK (((max_backdate_days >= 0) AND (max_backdate_days <= 3650))),
  CONSTRAINT organizations_only_tests_are_ahead CHECK (((ahead_ms = 0) OR ((test_of IS NOT NULL) AND (ahead_ms > 0)))) NOT VALID
);

CREATE TABLE pass_feeds (
  org_id integer NOT NULL,
  "position" bigint NOT NULL,
  retry_at timestamp with time zone,
  lease uuid,
  leased_until timestamp with time zone,
  CONSTRAINT pass_feeds_pkey PRIMARY KEY (org_id)
);

CREATE TABLE pass_registrations (
  org_id integer NOT NULL,
  device text NOT NULL,
  card_id uuid NOT NULL,
  push_token text NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT pass_registrations_pkey PRIMARY KEY (org_id, device, card_id)
);

CREATE TABLE pass_settings (
  org_id integer NOT NULL,
  apple bytea,
  google bytea,
  first_code text NOT NULL DEFAULT 'code128'::text,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT pass_settings_pkey PRIMARY KEY (org_id)
);

CREATE TABLE passes (
  org_id integer NOT NULL,
  card_id uuid NOT NULL,
  wallet text NOT NULL,
  customer_id uuid NOT NULL,
  changed_position bigint NOT NULL,
  changed_at timestamp with time zone NOT NULL,
  due_at timestamp with time zone,
  attempts smallint NOT NULL DEFAULT 0,
  is_held boolean NOT NULL DEFAULT false,
  CONSTRAINT passes_pkey PRIMARY KEY (org_id, card_id, wallet)
);

CREATE UNLOGGED TABLE password_guesses (
  account bytea NOT NULL,
  forgotten_at_ms bigint NOT NULL,
  CONSTRAINT password_guesses_pkey PRIMARY KEY (account)
);

CREATE TABLE people (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  name text,
  role text NOT NULL,
  is_blocked boolean NOT NULL DEFAULT false,
  user_id uuid NOT NULL,
  password_hash text,
  invitation_hash bytea,
  invitation_expires_at timestamp with time zone,
  last_seen_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT people_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT people_invitation_unique UNIQUE (org_id, invitation_hash),
  CONSTRAINT people_role CHECK ((role = ANY (ARRAY['owner'::text, 'manager'::text, 'cashier'::text])))
);

CREATE TABLE pepper_marks (
  is_only boolean NOT NULL DEFAULT true,
  mark bytea NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT pepper_marks_pkey PRIMARY KEY (is_only),
  CONSTRAINT pepper_marks_is_only CHECK (is_only)
);

CREATE TABLE person_logins (
  email text NOT NULL,
  org_id integer NOT NULL,
  person_id uuid NOT NULL,
  CONSTRAINT person_logins_pkey PRIMARY KEY (email),
  CONSTRAINT person_logins_person_unique UNIQUE (org_id, person_id)
);

CREATE TABLE person_sessions (
  org_id integer NOT NULL,
  hash bytea NOT NULL,
  person_id uuid NOT NULL,
  created_at timestamp with time zone NOT NULL,
  last_used_at timestamp with time zone NOT NULL,
  visits integer,
  CONSTRAINT person_sessions_pkey PRIMARY KEY (org_id, hash)
);

CREATE TABLE products (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  opaque_id text NOT NULL,
  name text,
  category text,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  price numeric,
  CONSTRAINT products_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT products_opaque_id_unique UNIQUE (org_id, opaque_id),
  CONSTRAINT products_price_bounded CHECK (((price >= (0)::numeric) AND (price <= ('10000000000'::bigint)::numeric)))
);

CREATE TABLE received_messages (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  source_id uuid NOT NULL,
  event_id text,
  topic text,
  status smallint NOT NULL,
  attempts smallint NOT NULL DEFAULT 0,
  next_attempt_at timestamp with time zone,
  payload json,
  made json,
  customer_id uuid,
  transaction_id uuid,
  return_id uuid,
  problem_code text,
  problem_text text,
  received_at timestamp with time zone NOT NULL,
  CONSTRAINT received_messages_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT received_messages_status_known CHECK ((status = ANY (ARRAY[1, 2, 3, 4])))
);

CREATE TABLE returns (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  transaction_id uuid NOT NULL,
  number integer NOT NULL,
  opaque_id text,
  fingerprint bytea,
  reason text,
  items json NOT NULL,
  result json NOT NULL,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT returns_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT returns_number_unique UNIQUE (org_id, transaction_id, number)
);

CREATE TABLE rule_usage (
  org_id integer NOT NULL,
  campaign_id uuid NOT NULL,
  rule_id text NOT NULL,
  used bigint NOT NULL DEFAULT 0,
  CONSTRAINT rule_usage_pkey PRIMARY KEY (org_id, campaign_id, rule_id)
) WITH (fillfactor = 50);

CREATE TABLE senders (
  org_id integer NOT NULL,
  channel text NOT NULL,
  settings json NOT NULL,
  sealed bytea,
  per_hour integer NOT NULL,
  failing_since timestamp with time zone,
  last_error text,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT senders_pkey PRIMARY KEY (org_id, channel)
);

CREATE TABLE sessions (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  connection_id uuid NOT NULL,
  secret_hash bytea NOT NULL,
  refresh_hash bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL,
  key_id uuid,
  CONSTRAINT sessions_pkey PRIMARY KEY (org_id, id)
);

CREATE TABLE setup_versions (
  org_id integer NOT NULL,
  version bigint NOT NULL DEFAULT 1,
  CONSTRAINT setup_versions_pkey PRIMARY KEY (org_id)
);

CREATE TABLE sources (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  status smallint NOT NULL,
  campaign_id uuid,
  registers_customers boolean NOT NULL,
  user_id uuid NOT NULL,
  secret bytea,
  access_token bytea,
  environment text,
  signature_header text,
  mapping text,
  last_received_at timestamp with time zone,
  last_rejected_at timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT sources_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT sources_kind_known CHECK ((kind = ANY (ARRAY['square'::text, 'shopify'::text, 'json'::text]))),
  CONSTRAINT sources_status_known CHECK ((status = ANY (ARRAY[1, 2])))
);

CREATE TABLE transactions (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  customer_id uuid NOT NULL,
  card_id uuid NOT NULL,
  user_id uuid NOT NULL,
  branch_id uuid NOT NULL,
  status smallint NOT NULL DEFAULT 1,
  opaque_id text,
  idempotency_key text,
  fingerprint bytea,
  occurred_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone NOT NULL,
  basket json NOT NULL,
  result json NOT NULL,
  CONSTRAINT transactions_pkey PRIMARY KEY (org_id, id)
);

CREATE TABLE users (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  opaque_id text NOT NULL,
  name text,
  branch_id uuid,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  CONSTRAINT users_pkey PRIMARY KEY (org_id, id),
  CONSTRAINT users_opaque_id_unique UNIQUE (org_id, opaque_id)
);

CREATE TABLE wallets (
  org_id integer NOT NULL,
  customer_id uuid NOT NULL,
  version bigint NOT NULL DEFAULT 0,
  transaction_count integer NOT NULL DEFAULT 0,
  last_activity_at timestamp with time zone,
  CONSTRAINT wallets_pkey PRIMARY KEY (org_id, customer_id)
) WITH (fillfactor = 70);

CREATE TABLE webhook_deliveries (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  webhook_id uuid NOT NULL,
  event_id uuid NOT NULL,
  type text NOT NULL,
  "position" bigint,
  status smallint NOT NULL,
  next_attempt_at timestamp with time zone,
  attempts jsonb NOT NULL DEFAULT '[]'::jsonb,
  created_at timestamp with time zone NOT NULL,
  CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (org_id, id)
);

CREATE TABLE webhook_secrets (
  org_id integer NOT NULL,
  webhook_id uuid NOT NULL,
  id uuid NOT NULL,
  expires_at timestamp with time zone,
  sealed bytea NOT NULL,
  CONSTRAINT webhook_secrets_pkey PRIMARY KEY (org_id, webhook_id, id)
);

CREATE TABLE webhooks (
  org_id integer NOT NULL,
  id uuid NOT NULL,
  url text NOT NULL,
  description text,
  types text[],
  status smallint NOT NULL,
  paused_because text,
  failing_since timestamp with time zone,
  created_at timestamp with time zone NOT NULL,
  updated_at timestamp with time zone NOT NULL,
  "position" bigint NOT NULL,
  retry_at timestamp with time zone,
  hold_until timestamp with time zone,
  lease uuid,
  leased_until timestamp with time zone,
  CONSTRAINT webhooks_pkey PRIMARY KEY (org_id, id)
);

ALTER TABLE archived_files
  ADD CONSTRAINT archived_files_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(org_id);

ALTER TABLE archived_transactions
  ADD CONSTRAINT archived_transactions_file FOREIGN KEY (org_id, file) REFERENCES archived_files(org_id, number);

ALTER TABLE audit_entries
  ADD CONSTRAINT audit_entries_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(org_id);

ALTER TABLE automatic_messages
  ADD CONSTRAINT automatic_messages_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(org_id);

ALTER TABLE balance_definitions
  ADD CONSTRAINT balance_definitions_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(org_id);

ALTER TABLE balances
  ADD CONSTRAINT balances_wallet FOREIGN KEY (org_id, customer_id) REFERENCES wallets(org_id, customer_id);

ALTER TABLE branches
  ADD CONSTRAINT branches_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(org_id);

ALTER TABLE campaign_versions
  ADD CONSTRAINT campaign_versions_campaign FOREIGN KEY (org_id, campaign_id) REFERENCES campaigns(org_id, id);

ALTER TABLE campaigns
  ADD CONSTRAINT campaigns_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(org_id);

ALTER TABLE cards
  ADD CONSTRAINT cards_campaign FOREIGN KEY (org_id, campaign_id) REFERENCES campaigns(org_id, id);

ALTER TABLE cards
  ADD CONSTRAINT cards_customer FOREIGN KEY (org_id, customer_id) REFERENCES customers(org_id, id);

ALTER TABLE connection_secrets
  ADD CONSTRAINT connection_secrets_connection FOREIGN KEY (org_id, connection_id) REFERENCES connections(org_id, id);

ALTER TABLE connections
  ADD CONSTRAINT connections_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES integrations(id);

ALTER TABLE connections
  ADD CONSTRAINT connections_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(org_id);

ALTER TABLE connections
  ADD CONSTRAINT connections_user FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id);

ALTER TABLE customers
  ADD CONSTRAINT customers_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(org_id);

ALTER TABLE enrollment_pages
  ADD CONSTRAINT enrollment_pages_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(org_id);

ALTER TABLE event_counters
  ADD CONSTRAINT event_counters_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(org_id);

ALTER TABLE import_chunks
  ADD CONSTRAINT import_chunks_import FOREIGN KEY (org_id, import_id) REFERENCES imports(org_id, id);

ALTER TABLE imports
  ADD CONSTRAINT imports_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(org_id);

ALTER TABLE integration_keys
  ADD CONSTRAINT integration_keys_integration_id_fkey FOREIGN KEY (integration_id) REFERENCES integrations(id);

ALTER TABLE message_templates
  ADD CONSTRAINT message_templates_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(org_id);

ALTER TABLE pass_feeds
  ADD CONSTRAINT pass_feeds_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(org_id);

ALTER TABLE pass_settings
  ADD CONSTRAINT pass_settings_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(org_id);

ALTER TABLE people
  ADD CONSTRAINT people_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(org_id);

ALTER TABLE people
  ADD CONSTRAINT people_user FOREIGN KEY (org_id, user_id) REFERENCES users(org_id, id);

ALTER TABLE person_logins
  ADD CONSTRAINT person_logins_person FOREIGN KEY (org_id, person_id) REFERENCES people(org_id, id);

ALTER TABLE person_sessions
  ADD CONSTRAINT person_sessions_person FOREIGN KEY (org_id, person_id) REFERENCES people(org_id, id);

ALTER TABLE products
  ADD CONSTRAINT products_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(org_id);

ALTER TABLE received_messages
  ADD CONSTRAINT received_messages_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(org_id);

ALTER TABLE returns
  ADD CONSTRAINT returns_transaction FOREIGN KEY (org_id, transaction_id) REFERENCES transactions(org_id, id);

ALTER TABLE senders
  ADD CONSTRAINT senders_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(org_id);

ALTER TABLE setup_versions
  ADD CONSTRAINT setup_versions_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(org_id);

ALTER TABLE sources
  ADD CONSTRAINT sources_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(org_id);

ALTER TABLE users
  ADD CONSTRAINT users_branch FOREIGN KEY (org_id, branch_id) REFERENCES branches(org_id, id);

ALTER TABLE users
  ADD CONSTRAINT users_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(org_id);

ALTER TABLE wallets
  ADD CONSTRAINT wallets_customer FOREIGN KEY (org_id, customer_id) REFERENCES customers(org_id, id);

ALTER TABLE webhook_secrets
  ADD CONSTRAINT webhook_secrets_webhook FOREIGN KEY (org_id, webhook_id) REFERENCES webhooks(org_id, id) ON DELETE CASCADE;

ALTER TABLE webhooks
  ADD CONSTRAINT webhooks_org_id_fkey FOREIGN KEY (org_id) REFERENCES organizations(org_id);

CREATE INDEX archived_transactions_customer ON archived_transactions USING btree (org_id, customer_id, id);

CREATE UNIQUE INDEX archived_transactions_idempotency_key_unique ON archived_transactions USING btree (org_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);

CREATE UNIQUE INDEX archived_transactions_opaque_id_unique ON archived_transactions USING btree (org_id, opaque_id) WHERE (opaque_id IS NOT NULL);

CREATE INDEX cards_awaiting_approval ON cards USING btree (org_id, customer_id) WHERE awaits_approval;

CREATE INDEX cards_customer_index ON cards USING btree (org_id, customer_id);

CREATE UNIQUE INDEX cards_live_unique ON cards USING btree (org_id, customer_id, campaign_id) WHERE (status = ANY (ARRAY[1, 2]));

CREATE INDEX connection_secrets_connection_index ON connection_secrets USING btree (org_id, connection_id);

CREATE INDEX coupons_active ON coupons USING btree (org_id, customer_id) WHERE (status = 1);

CREATE INDEX coupons_customer ON coupons USING btree (org_id, customer_id, id);

CREATE INDEX coupons_ended ON coupons USING btree (org_id, status, id) WHERE (status = ANY (ARRAY[4, 5]));

CREATE INDEX coupons_ended_at ON coupons USING btree (org_id, status, updated_at) WHERE (status = ANY (ARRAY[3, 4, 5]));

CREATE INDEX coupons_expires_at ON coupons USING btree (org_id, expires_at) WHERE ((status = 1) AND (expires_at IS NOT NULL));

CREATE INDEX due_work_due_at ON due_work USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX idempotency_keys_created_at ON idempotency_keys USING btree (org_id, created_at);

CREATE INDEX idempotency_keys_customer ON idempotency_keys USING btree (org_id, customer_id) WHERE (customer_id IS NOT NULL);

CREATE INDEX integration_keys_integration ON integration_keys USING btree (integration_id);

CREATE INDEX lots_expires_at ON lots USING btree (org_id, expires_at) WHERE (remaining > 0);

CREATE INDEX messages_customer ON messages USING btree (org_id, customer_id, id) WHERE (customer_id IS NOT NULL);

CREATE INDEX messages_pending ON messages USING btree (org_id, channel, next_attempt_at) WHERE (status = 1);

CREATE UNIQUE INDEX messages_reason ON messages USING btree (org_id, reason) WHERE (reason IS NOT NULL);

CREATE INDEX messages_sending ON messages USING btree (org_id, started_at) WHERE (status = 2);

CREATE INDEX messages_started_at ON messages USING btree (org_id, channel, started_at);

CREATE INDEX pass_registrations_card ON pass_registrations USING btree (org_id, card_id);

CREATE INDEX passes_customer ON passes USING btree (org_id, customer_id);

CREATE INDEX passes_due ON passes USING btree (org_id, due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX person_sessions_person_index ON person_sessions USING btree (org_id, person_id);

CREATE INDEX received_messages_due ON received_messages USING btree (org_id, next_attempt_at) WHERE (status = 1);

CREATE INDEX received_messages_of_customer ON received_messages USING btree (org_id, customer_id) WHERE (customer_id IS NOT NULL);

CREATE INDEX received_messages_of_source ON received_messages USING btree (org_id, source_id, id);

CREATE UNIQUE INDEX received_messages_once ON received_messages USING btree (org_id, source_id, event_id) WHERE (event_id IS NOT NULL);

CREATE INDEX received_messages_waiting ON received_messages USING btree (org_id, source_id) WHERE (problem_code = 'sale_unknown'::text);

CREATE UNIQUE INDEX returns_opaque_id_unique ON returns USING btree (org_id, opaque_id) WHERE (opaque_id IS NOT NULL);

CREATE INDEX sessions_connection ON sessions USING btree (org_id, connection_id, expires_at);

CREATE INDEX sessions_expires_at ON sessions USING btree (org_id, expires_at);

CREATE INDEX transactions_customer ON transactions USING btree (org_id, customer_id, id);

CREATE UNIQUE INDEX transactions_idempotency_key_unique ON transactions USING btree (org_id, idempotency_key) WHERE (idempotency_key IS NOT NULL);

CREATE UNIQUE INDEX transactions_opaque_id_unique ON transactions USING btree (org_id, opaque_id) WHERE (opaque_id IS NOT NULL);

CREATE INDEX transactions_returned ON transactions USING btree (org_id, status, id) WHERE (status = ANY (ARRAY[2, 3]));

CREATE INDEX transactions_spent ON transactions USING btree (org_id, id) WHERE ((basket -> 'pointsToSpend'::text) IS NOT NULL);

CREATE INDEX webhook_deliveries_pending ON webhook_deliveries USING btree (org_id, webhook_id, next_attempt_at) WHERE (status = 1);

CREATE INDEX webhook_deliveries_webhook ON webhook_deliveries USING btree (org_id, webhook_id, id);

ALTER TABLE archived_balances ENABLE ROW LEVEL SECURITY;
ALTER TABLE archived_balances FORCE ROW LEVEL SECURITY;
ALTER TABLE archived_files ENABLE ROW LEVEL SECURITY;
ALTER TABLE archived_files FORCE ROW LEVEL SECURITY;
ALTER TABLE archived_returns ENABLE ROW LEVEL SECURITY;
ALTER TABLE archived_returns FORCE ROW LEVEL SECURITY;
ALTER TABLE archived_sums ENABLE ROW LEVEL SECURITY;
ALTER TABLE archived_sums FORCE ROW LEVEL SECURITY;
ALTER TABLE archived_transactions ENABLE ROW LEVEL SECURITY;
ALTER TABLE archived_transactions FORCE ROW LEVEL SECURITY;
ALTER TABLE audit_entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE audit_entries FORCE ROW LEVEL SECURITY;
ALTER TABLE automatic_messages ENABLE ROW LEVEL SECURITY;
ALTER TABLE automatic_messages FORCE ROW LEVEL SECURITY;
ALTER TABLE balance_definitions ENABLE ROW LEVEL SECURITY;
ALTER TABLE balance_definitions FORCE ROW LEVEL SECURITY;
ALTER TABLE balances ENABLE ROW LEVEL SECURITY;
ALTER TABLE balances FORCE ROW LEVEL SECURITY;
ALTER TABLE branches ENABLE ROW LEVEL SECURITY;
ALTER TABLE branches FORCE ROW LEVEL SECURITY;
ALTER TABLE campaign_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE campaign_versions FORCE ROW LEVEL SECURITY;
ALTER TABLE campaigns ENABLE ROW LEVEL SECURITY;
ALTER TABLE campaigns FORCE ROW LEVEL SECURITY;
ALTER TABLE cards ENABLE ROW LEVEL SECURITY;
ALTER TABLE cards FORCE ROW LEVEL SECURITY;
ALTER TABLE connection_secrets ENABLE ROW LEVEL SECURITY;
ALTER TABLE connection_secrets FORCE ROW LEVEL SECURITY;
ALTER TABLE connections ENABLE ROW LEVEL SECURITY;
ALTER TABLE connections FORCE ROW LEVEL SECURITY;
ALTER TABLE contact_codes ENABLE ROW LEVEL SECURITY;
ALTER TABLE contact_codes FORCE ROW LEVEL SECURITY;
ALTER TABLE coupons ENABLE ROW LEVEL SECURITY;
ALTER TABLE coupons FORCE ROW LEVEL SECURITY;
ALTER TABLE customer_rule_usage ENABLE ROW LEVEL SECURITY;
ALTER TABLE customer_rule_usage FORCE ROW LEVEL SECURITY;
ALTER TABLE customers ENABLE ROW LEVEL SECURITY;
ALTER TABLE customers FORCE ROW LEVEL SECURITY;
ALTER TABLE daily_sums ENABLE ROW LEVEL SECURITY;
ALTER TABLE daily_sums FORCE ROW LEVEL SECURITY;
ALTER TABLE due_work ENABLE ROW LEVEL SECURITY;
ALTER TABLE due_work FORCE ROW LEVEL SECURITY;
ALTER TABLE enrollment_pages ENABLE ROW LEVEL SECURITY;
ALTER TABLE enrollment_pages FORCE ROW LEVEL SECURITY;
ALTER TABLE event_counters ENABLE ROW LEVEL SECURITY;
ALTER TABLE event_counters FORCE ROW LEVEL SECURITY;
ALTER TABLE events ENABLE ROW LEVEL SECURITY;
ALTER TABLE events FORCE ROW LEVEL SECURITY;
ALTER TABLE http_requests ENABLE ROW LEVEL SECURITY;
ALTER TABLE http_requests FORCE ROW LEVEL SECURITY;
ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE idempotency_keys FORCE ROW LEVEL SECURITY;
ALTER TABLE import_chunks ENABLE ROW LEVEL SECURITY;
ALTER TABLE import_chunks FORCE ROW LEVEL SECURITY;
ALTER TABLE imports ENABLE ROW LEVEL SECURITY;
ALTER TABLE imports FORCE ROW LEVEL SECURITY;
ALTER TABLE integration_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE integration_keys FORCE ROW LEVEL SECURITY;
ALTER TABLE integrations ENABLE ROW LEVEL SECURITY;
ALTER TABLE integrations FORCE ROW LEVEL SECURITY;
ALTER TABLE kept_multiples ENABLE ROW LEVEL SECURITY;
ALTER TABLE kept_multiples FORCE ROW LEVEL SECURITY;
ALTER TABLE ledger_entries ENABLE ROW LEVEL SECURITY;
ALTER TABLE ledger_entries FORCE ROW LEVEL SECURITY;
ALTER TABLE lots ENABLE ROW LEVEL SECURITY;
ALTER TABLE lots FORCE ROW LEVEL SECURITY;
ALTER TABLE message_templates ENABLE ROW LEVEL SECURITY;
ALTER TABLE message_templates FORCE ROW LEVEL SECURITY;
ALTER TABLE messages ENABLE ROW LEVEL SECURITY;
ALTER TABLE messages FORCE ROW LEVEL SECURITY;
ALTER TABLE organizations ENABLE ROW LEVEL SECURITY;
ALTER TABLE organizations FORCE ROW LEVEL SECURITY;
ALTER TABLE pass_feeds ENABLE ROW LEVEL SECURITY;
ALTER TABLE pass_feeds FORCE ROW LEVEL SECURITY;
ALTER TABLE pass_registrations ENABLE ROW LEVEL SECURITY;
ALTER TABLE pass_registrations FORCE ROW LEVEL SECURITY;
ALTER TABLE pass_settings ENABLE ROW LEVEL SECURITY;
ALTER TABLE pass_settings FORCE ROW LEVEL SECURITY;
ALTER TABLE passes ENABLE ROW LEVEL SECURITY;
ALTER TABLE passes FORCE ROW LEVEL SECURITY;
ALTER TABLE password_guesses ENABLE ROW LEVEL SECURITY;
ALTER TABLE password_guesses FORCE ROW LEVEL SECURITY;
ALTER TABLE people ENABLE ROW LEVEL SECURITY;
ALTER TABLE people FORCE ROW LEVEL SECURITY;
ALTER TABLE pepper_marks ENABLE ROW LEVEL SECURITY;
ALTER TABLE pepper_marks FORCE ROW LEVEL SECURITY;
ALTER TABLE person_logins ENABLE ROW LEVEL SECURITY;
ALTER TABLE person_logins FORCE ROW LEVEL SECURITY;
ALTER TABLE person_sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE person_sessions FORCE ROW LEVEL SECURITY;
ALTER TABLE products ENABLE ROW LEVEL SECURITY;
ALTER TABLE products FORCE ROW LEVEL SECURITY;
ALTER TABLE received_messages ENABLE ROW LEVEL SECURITY;
ALTER TABLE received_messages FORCE ROW LEVEL SECURITY;
ALTER TABLE returns ENABLE ROW LEVEL SECURITY;
ALTER TABLE returns FORCE ROW LEVEL SECURITY;
ALTER TABLE rule_usage ENABLE ROW LEVEL SECURITY;
ALTER TABLE rule_usage FORCE ROW LEVEL SECURITY;
ALTER TABLE senders ENABLE ROW LEVEL SECURITY;
ALTER TABLE senders FORCE ROW LEVEL SECURITY;
ALTER TABLE sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE sessions FORCE ROW LEVEL SECURITY;
ALTER TABLE setup_versions ENABLE ROW LEVEL SECURITY;
ALTER TABLE setup_versions FORCE ROW LEVEL SECURITY;
ALTER TABLE sources ENABLE ROW LEVEL SECURITY;
ALTER TABLE sources FORCE ROW LEVEL SECURITY;
ALTER TABLE transactions ENABLE ROW LEVEL SECURITY;
ALTER TABLE transactions FORCE ROW LEVEL SECURITY;
ALTER TABLE users ENABLE ROW LEVEL SECURITY;
ALTER TABLE users FORCE ROW LEVEL SECURITY;
ALTER TABLE wallets ENABLE ROW LEVEL SECURITY;
ALTER TABLE wallets FORCE ROW LEVEL SECURITY;
ALTER TABLE webhook_deliveries ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhook_deliveries FORCE ROW LEVEL SECURITY;
ALTER TABLE webhook_secrets ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhook_secrets FORCE ROW LEVEL SECURITY;
ALTER TABLE webhooks ENABLE ROW LEVEL SECURITY;
ALTER TABLE webhooks FORCE ROW LEVEL SECURITY;

CREATE POLICY tenant ON archived_balances AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON archived_files AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON archived_returns AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON archived_sums AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON archived_transactions AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON audit_entries AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY platform ON automatic_messages AS PERMISSIVE FOR SELECT TO PUBLIC USING ((current_org() = 0));
CREATE POLICY tenant ON automatic_messages AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON balance_definitions AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON balances AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON branches AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON campaign_versions AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON campaigns AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON cards AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY platform ON connection_secrets AS PERMISSIVE FOR SELECT TO PUBLIC USING ((current_org() = 0));
CREATE POLICY tenant ON connection_secrets AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY platform ON connections AS PERMISSIVE FOR SELECT TO PUBLIC USING ((current_org() = 0));
CREATE POLICY tenant ON connections AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON contact_codes AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON coupons AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON customer_rule_usage AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON customers AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON daily_sums AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY platform ON due_work AS PERMISSIVE FOR SELECT TO PUBLIC USING ((current_org() = 0));
CREATE POLICY tenant ON due_work AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY platform ON enrollment_pages AS PERMISSIVE FOR SELECT TO PUBLIC USING ((current_org() = 0));
CREATE POLICY tenant ON enrollment_pages AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY platform ON event_counters AS PERMISSIVE FOR SELECT TO PUBLIC USING ((current_org() = 0));
CREATE POLICY tenant ON event_counters AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON events AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON http_requests AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON idempotency_keys AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON import_chunks AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON imports AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY platform ON integration_keys AS PERMISSIVE FOR ALL TO PUBLIC USING ((current_org() = 0));
CREATE POLICY tenant ON integration_keys AS PERMISSIVE FOR SELECT TO PUBLIC USING ((EXISTS ( SELECT 1
   FROM connections c
  WHERE ((c.org_id = current_org()) AND (c.integration_id = integration_keys.integration_id)))));
CREATE POLICY platform ON integrations AS PERMISSIVE FOR ALL TO PUBLIC USING ((current_org() = 0));
CREATE POLICY tenant ON kept_multiples AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON ledger_entries AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON lots AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON message_templates AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON messages AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY platform ON organizations AS PERMISSIVE FOR ALL TO PUBLIC USING ((current_org() = 0));
CREATE POLICY tenant ON organizations AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY platform ON pass_feeds AS PERMISSIVE FOR SELECT TO PUBLIC USING ((current_org() = 0));
CREATE POLICY tenant ON pass_feeds AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON pass_registrations AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON pass_settings AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON passes AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY platform ON password_guesses AS PERMISSIVE FOR ALL TO PUBLIC USING ((current_org() = 0));
CREATE POLICY tenant ON people AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY platform ON pepper_marks AS PERMISSIVE FOR ALL TO PUBLIC USING ((current_org() = 0));
CREATE POLICY platform ON person_logins AS PERMISSIVE FOR SELECT TO PUBLIC USING ((current_org() = 0));
CREATE POLICY tenant ON person_logins AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON person_sessions AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON products AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON received_messages AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON returns AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON rule_usage AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON senders AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON sessions AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON setup_versions AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON sources AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON transactions AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON users AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON wallets AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON webhook_deliveries AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY tenant ON webhook_secrets AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));
CREATE POLICY platform ON webhooks AS PERMISSIVE FOR SELECT TO PUBLIC USING ((current_org() = 0));
CREATE POLICY tenant ON webhooks AS PERMISSIVE FOR ALL TO PUBLIC USING ((org_id = current_org()));

GRANT SELECT ON archived_balances TO loyalty_wallet_app;
GRANT SELECT ON archived_files TO loyalty_wallet_app;
GRANT SELECT ON archived_returns TO loyalty_wallet_app;
GRANT SELECT ON archived_sums TO loyalty_wallet_app;
GRANT SELECT ON archived_transactions TO loyalty_wallet_app;
GRANT INSERT, SELECT ON audit_entries TO loyalty_wallet_app;
GRANT INSERT, SELECT, UPDATE ON automatic_messages TO loyalty_wallet_app;
GRANT INSERT, SELECT ON balance_definitions TO loyalty_wallet_app;
GRANT INSERT, SELECT, UPDATE ON balances TO loyalty_wallet_app;
GRANT INSERT, SELECT, UPDATE ON branches TO loyalty_wallet_app;
GRANT INSERT, SELECT ON campaign_versions TO loyalty_wallet_app;
GRANT INSERT, SELECT, UPDATE ON campaigns TO loyalty_wallet_app;
GRANT INSERT, SELECT, UPDATE ON cards TO loyalty_wallet_app;
GRANT INSERT, SELECT ON connection_secrets TO loyalty_wallet_app;
GRANT INSERT, SELECT ON connections TO loyalty_wallet_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON contact_codes TO loyalty_wallet_app;
GRANT INSERT, SELECT, UPDATE ON coupons TO loyalty_wallet_app;
GRANT INSERT, SELECT, UPDATE ON customer_rule_usage TO loyalty_wallet_app;
GRANT INSERT, SELECT, UPDATE ON customers TO loyalty_wallet_app;
GRANT INSERT, SELECT, UPDATE ON daily_sums TO loyalty_wallet_app;
GRANT INSERT, SELECT, UPDATE ON due_work TO loyalty_wallet_app;
GRANT INSERT, SELECT, UPDATE ON enrollment_pages TO loyalty_wallet_app;
GRANT INSERT, SELECT, UPDATE ON event_counters TO loyalty_wallet_app;
GRANT DELETE, INSERT, SELECT ON events TO loyalty_wallet_app;
GRANT DELETE, INSERT, SELECT ON http_requests TO loyalty_wallet_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON idempotency_keys TO loyalty_wallet_app;
GRANT INSERT, SELECT ON import_chunks TO loyalty_wallet_app;
GRANT INSERT, SELECT, UPDATE ON imports TO loyalty_wallet_app;
GRANT INSERT, SELECT ON integration_keys TO loyalty_wallet_app;
GRANT INSERT, SELECT ON integrations TO loyalty_wallet_app;
GRANT DELETE, INSERT, SELECT ON kept_multiples TO loyalty_wallet_app;
GRANT INSERT, SELECT ON ledger_entries TO loyalty_wallet_app;
GRANT INSERT, SELECT, UPDATE ON lots TO loyalty_wallet_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON message_templates TO loyalty_wallet_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON messages TO loyalty_wallet_app;
GRANT INSERT, SELECT, UPDATE ON organizations TO loyalty_wallet_app;
GRANT INSERT, SELECT, UPDATE ON pass_feeds TO loyalty_wallet_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON pass_registrations TO loyalty_wallet_app;
GRANT INSERT, SELECT, UPDATE ON pass_settings TO loyalty_wallet_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON passes TO loyalty_wallet_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON password_guesses TO loyalty_wallet_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON people TO loyalty_wallet_app;
GRANT INSERT, SELECT, UPDATE ON pepper_marks TO loyalty_wallet_app;
GRANT DELETE, INSERT, SELECT ON person_logins TO loyalty_wallet_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON person_sessions TO loyalty_wallet_app;
GRANT INSERT, SELECT, UPDATE ON products TO loyalty_wallet_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON received_messages TO loyalty_wallet_app;
GRANT INSERT, SELECT ON returns TO loyalty_wallet_app;
GRANT INSERT, SELECT, UPDATE ON rule_usage TO loyalty_wallet_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON senders TO loyalty_wallet_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON sessions TO loyalty_wallet_app;
GRANT INSERT, SELECT, UPDATE ON setup_versions TO loyalty_wallet_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON sources TO loyalty_wallet_app;
GRANT INSERT, SELECT ON transactions TO loyalty_wallet_app;
GRANT INSERT, SELECT, UPDATE ON users TO loyalty_wallet_app;
GRANT INSERT, SELECT, UPDATE ON wallets TO loyalty_wallet_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON webhook_deliveries TO loyalty_wallet_app;
GRANT DELETE, INSERT, SELECT ON webhook_secrets TO loyalty_wallet_app;
GRANT DELETE, INSERT, SELECT, UPDATE ON webhooks TO loyalty_wallet_app;

GRANT UPDATE (expires_at) ON connection_secrets TO loyalty_wallet_app;
GRANT UPDATE (last_used_at, revoked_at) ON connections TO loyalty_wallet_app;
GRANT UPDATE (expires_at) ON integration_keys TO loyalty_wallet_app;
GRANT UPDATE (reason) ON ledger_entries TO loyalty_wallet_app;
GRANT UPDATE (reason) ON returns TO loyalty_wallet_app;
GRANT UPDATE (basket, status) ON transactions TO loyalty_wallet_app;
GRANT UPDATE (expires_at) ON webhook_secrets TO loyalty_wallet_app;
