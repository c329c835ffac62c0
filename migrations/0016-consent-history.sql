-- When and how a customer agreed to something or withdrew it. What was agreed to before has no history.
ALTER TABLE customers ADD COLUMN consent_history json;
