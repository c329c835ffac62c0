-- The name with plain small letters, to search in (src/domain/name-key.ts). The service folds it, since not every server
-- has an extension for it or lets us make one. A row of before is found by its name as it is written until a job has
-- filled this in, batch by batch: adding the column touches no row.
ALTER TABLE customers ADD COLUMN name_key text;
