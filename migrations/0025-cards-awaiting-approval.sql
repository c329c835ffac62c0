-- Runs outside a transaction.
-- Compatible from 0021.
-- Almost no card has to be approved, and those that do are looked for whenever somebody opens the list of customers.
CREATE INDEX CONCURRENTLY IF NOT EXISTS cards_awaiting_approval ON cards (org_id, customer_id) WHERE awaits_approval;
