-- For lists of transactions by status. A sale that came back is rare, and costs an entry only when it does.
CREATE INDEX IF NOT EXISTS transactions_returned ON transactions (org_id, status, id) WHERE status IN (2, 3);
