-- How many days back a sale may lie: every earlier day would open its own daily allowances.
ALTER TABLE organizations ADD COLUMN max_backdate_days integer NOT NULL DEFAULT 30
  CONSTRAINT organizations_max_backdate_days_range CHECK (max_backdate_days BETWEEN 0 AND 3650);
