-- For coupons by the day on which they came to their end: from then on nothing changes the row, so that the time of
-- its last change is that moment. A coupon costs an entry once, when it ends.
CREATE INDEX IF NOT EXISTS coupons_ended_at ON coupons (org_id, status, updated_at) WHERE status IN (3, 4, 5);

-- For sales that spent points. They may be rare, and only they cost an entry.
CREATE INDEX IF NOT EXISTS transactions_spent ON transactions (org_id, id) WHERE (basket -> 'pointsToSpend') IS NOT NULL;
