-- The address of a card's wallet page holds this number, so that the next number ends it; 0: there is none.
-- Cards that are there get an address as new ones do.
ALTER TABLE cards ADD COLUMN wallet_version integer NOT NULL DEFAULT 1;
ALTER TABLE cards ADD CONSTRAINT cards_wallet_version_counts CHECK (wallet_version >= 0);

-- What a product usually costs, exactly as sent. Only a suggestion for the till: a basket brings its own amounts.
ALTER TABLE products ADD COLUMN price numeric;
ALTER TABLE products ADD CONSTRAINT products_price_bounded CHECK (price BETWEEN 0 AND 10000000000);

-- For lists of coupons by status. One that is active or redeemed is never far from the newest; the others may be
-- rare, and cost an entry only when a coupon comes to its end.
CREATE INDEX coupons_ended ON coupons (org_id, status, id) WHERE status IN (4, 5);
