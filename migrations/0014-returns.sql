-- What returns need in order to leave the same behind in whatever order they come.

-- What `floor` has forgiven and later returns pay first; each change of it is in the entry that made it. Earlier returns
-- did not remember it: what they have forgiven stays forgiven.
ALTER TABLE balances ADD COLUMN shortfall bigint NOT NULL DEFAULT 0 CONSTRAINT balances_shortfall_positive CHECK (shortfall >= 0);
ALTER TABLE ledger_entries ADD COLUMN shortfall bigint;

-- What a lot has lost by expiry, or below zero what returns have charged while it was used, and the lots that paid for
-- it. What lots lost before cannot be told from what was used, and counts as used.
ALTER TABLE lots ADD COLUMN expired bigint NOT NULL DEFAULT 0, ADD COLUMN paid_by json;

-- The threshold that granted a coupon, and what the coupon stands for there. `revoked_by` is the return that revoked it.
ALTER TABLE coupons
  ADD COLUMN balance_key text,
  ADD COLUMN at bigint,
  ADD COLUMN multiple bigint,
  ADD COLUMN consumed bigint,
  ADD COLUMN consumed_from json,
  ADD COLUMN settled bigint NOT NULL DEFAULT 0,
  ADD COLUMN revoked_by uuid;

-- Existing sales tell it about their coupons: the total after the sale gives the multiples that were passed, and the
-- lots that were consumed from are in the order of the coupons. Coupons whose sale does not name them (none are known)
-- stay without a threshold: no return revokes them.
ALTER TABLE coupons NO FORCE ROW LEVEL SECURITY;
ALTER TABLE transactions NO FORCE ROW LEVEL SECURITY;
ALTER TABLE returns NO FORCE ROW LEVEL SECURITY;
ALTER TABLE kept_multiples NO FORCE ROW LEVEL SECURITY;
ALTER TABLE balances NO FORCE ROW LEVEL SECURITY;

WITH granted AS (
  SELECT t.org_id, t.id AS sale_id, a.position, (a.action ->> 1)::uuid AS coupon_id, a.action -> 3 ->> 'key' AS reward,
    a.action ->> 2 AS campaign, t.result -> 2 -> (a.action -> 5 ->> 0)::integer AS balance,
    (a.action -> 5 ->> 1)::bigint AS at, json_typeof(a.action -> 6) = 'array' AS is_consuming,
    CASE json_typeof(t.result -> 6) WHEN 'array' THEN t.result -> 6 -> 4 -> 'consumedFrom'
      ELSE t.result -> 6 -> 'consumedFrom' END AS takes
  FROM transactions t CROSS JOIN LATERAL json_array_elements(t.result -> 3) WITH ORDINALITY AS a (action, position)
  WHERE a.action ->> 0 = 'g' AND a.action ->> 1 <> '0'),
counted AS (
  SELECT g.*, g.balance ->> 0 AS key, (g.balance ->> 2)::bigint / g.at
      - count(*) OVER threshold + row_number() OVER (threshold ORDER BY g.position) AS multiple,
    sum(CASE WHEN g.is_consuming THEN g.at END) OVER (PARTITION BY g.org_id, g.sale_id, g.balance ->> 0 ORDER BY g.position) AS consumed_up_to
  FROM granted g
  WINDOW threshold AS (PARTITION BY g.org_id, g.sale_id, g.campaign, g.balance ->> 0, g.at, g.reward)),
told AS (
  SELECT c.org_id, c.coupon_id, c.key, c.at, CASE WHEN NOT c.is_consuming THEN c.multiple END AS multiple,
    CASE WHEN c.is_consuming THEN c.at END AS consumed,
    CASE WHEN c.is_consuming THEN (
      SELECT json_agg(json_build_array(k.key, k.version, k.part, k.expires) ORDER BY k.position)
      FROM (
        SELECT l.key, l.version, l.expires, l.position,
          least(c.consumed_up_to, l.up_to) - greatest(c.consumed_up_to - c.at, l.up_to - l.units) AS part
        FROM (
          SELECT x.take ->> 0 AS key, (x.take ->> 1)::bigint AS version, (x.take ->> 2)::bigint AS units,
            (x.take ->> 3)::bigint AS expires, x.position,
            sum((x.take ->> 2)::bigint) OVER (ORDER BY x.position) AS up_to
          FROM json_array_elements(c.takes) WITH ORDINALITY AS x (take, position) WHERE x.take ->> 0 = c.key) l) k
      WHERE k.part > 0) END AS consumed_from
  FROM counted c)
UPDATE coupons p SET balance_key = t.key, at = t.at, multiple = t.multiple, consumed = t.consumed, consumed_from = t.consumed_from
FROM told t WHERE p.org_id = t.org_id AND p.id = t.coupon_id;

-- What earlier returns have taken back stands for nothing any more, and what it had consumed was given back.
WITH taken AS (
  SELECT r.org_id, r.id AS return_id, (substr(gone.id, 5))::uuid AS coupon_id
  FROM returns r CROSS JOIN LATERAL json_array_elements_text(r.result -> 'record' -> 'revoked') AS gone (id))
UPDATE coupons p SET multiple = NULL, consumed_from = NULL,
  settled = CASE WHEN p.status = 5 THEN 0 ELSE coalesce(p.consumed, 0) END,
  revoked_by = CASE WHEN p.status = 5 THEN t.return_id END
FROM taken t WHERE p.org_id = t.org_id AND p.id = t.coupon_id;

-- A coupon that can be used although the total has fallen below its multiple was left by an earlier return. It stays,
-- and what is kept for its threshold goes on blocking the multiple.
UPDATE coupons p SET multiple = NULL FROM balances b
WHERE b.org_id = p.org_id AND b.customer_id = p.customer_id AND b.key = p.balance_key AND p.status = 1 AND p.multiple * p.at > b.total;

-- Multiples that were passed without a coupon are told by the coupons now.
DELETE FROM kept_multiples WHERE multiple <= 0;

ALTER TABLE coupons FORCE ROW LEVEL SECURITY;
ALTER TABLE transactions FORCE ROW LEVEL SECURITY;
ALTER TABLE returns FORCE ROW LEVEL SECURITY;
ALTER TABLE kept_multiples FORCE ROW LEVEL SECURITY;
ALTER TABLE balances FORCE ROW LEVEL SECURITY;
