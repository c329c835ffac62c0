-- Counts the changes of what an organization has set up: its own settings, campaigns, balances, branches and users.
-- Whoever remembers them reads this number with every basket, and reads them anew when it has changed.
ALTER TABLE organizations ADD COLUMN setup_version bigint NOT NULL DEFAULT 1;
