-- Writes the same rows as one basket of the benchmark, with the same indexes, as one function call per
-- commit: what PostgreSQL itself needs without grouping.
CREATE OR REPLACE FUNCTION bench_uuid() RETURNS uuid LANGUAGE sql VOLATILE AS $$
  SELECT (lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0') || '7'
    || substr(md5(random()::text), 1, 3) || '8' || substr(md5(random()::text), 1, 15))::uuid
$$;

CREATE OR REPLACE FUNCTION bench_basket(org integer, n bigint) RETURNS uuid LANGUAGE plpgsql AS $$
DECLARE
  customer uuid := ('0190000000007000' || lpad(to_hex(x'800000000000'::bigint + n), 16, '0'))::uuid;
  card uuid := ('0190000100007000' || lpad(to_hex(x'800000000000'::bigint + n), 16, '0'))::uuid;
  sale uuid := bench_uuid();
  at timestamptz := clock_timestamp();
  wallet bigint;
  points balances%ROWTYPE;
  stamps balances%ROWTYPE;
BEGIN
  SELECT version + 1 INTO wallet FROM wallets WHERE org_id = org AND customer_id = customer FOR UPDATE;
  PERFORM 1 FROM cards WHERE org_id = org AND id = card AND customer_id = customer AND status = 1;
  PERFORM 1 FROM customers WHERE org_id = org AND id = customer AND status = 1;
  UPDATE wallets SET version = wallet, transaction_count = transaction_count + 1, last_activity_at = at
    WHERE org_id = org AND customer_id = customer;
  UPDATE balances SET value = value + 7, total = total + 7, version = version + 1
    WHERE org_id = org AND customer_id = customer AND key = 'points' RETURNING * INTO points;
  UPDATE balances SET value = value + 2, total = total + 2, version = version + 1
    WHERE org_id = org AND customer_id = customer AND key = 'stamps' RETURNING * INTO stamps;
  INSERT INTO ledger_entries (org_id, customer_id, key, version, wallet_version, kind, amount, value_after, total_after,
                              transaction_id, campaign_id, rule_id, created_at)
    VALUES (org, customer, 'points', points.version, wallet, 'collect', 7, points.value, points.total, sale, sale, 'base', at),
           (org, customer, 'stamps', stamps.version, wallet, 'collect', 2, stamps.value, stamps.total, sale, sale, 'coffee', at);
  INSERT INTO transactions (org_id, id, customer_id, card_id, user_id, branch_id, opaque_id, fingerprint, occurred_at,
                            created_at, basket, result)
    SELECT org, sale, customer, card, sale, sale, sale::text, '\x00112233445566778899aabbccddeeff', at, at,
           s.basket, s.result FROM bench_sample s;
  INSERT INTO events (org_id, position, id, type, data, created_at)
    SELECT org, 1000000000000 + pg_current_xact_id()::text::bigint, bench_uuid(), 'transaction.processed', s.event, at FROM bench_sample s;
  INSERT INTO daily_sums (org_id, day, measure, key, shard, amount)
    VALUES (org, at::date, 'collect', 'points', pg_backend_pid() % 1024, 7),
           (org, at::date, 'collect', 'stamps', pg_backend_pid() % 1024, 2),
           (org, at::date, 'transactions', '', pg_backend_pid() % 1024, 1)
    ON CONFLICT (org_id, day, measure, key, shard) DO UPDATE SET amount = daily_sums.amount + EXCLUDED.amount;
  RETURN sale;
END
$$;

-- The JSON that the service stored for one basket, so that both sides write the same number of bytes.
CREATE TABLE IF NOT EXISTS bench_sample (basket json, result json, event json);
