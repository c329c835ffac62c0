-- The name with plain small letters, to search in (src/domain/name-key.ts). The service folds it, since not every server
-- has an extension for it or lets us make one. A row of before is found by its name as it is written until a job has
-- filled this in, batch by batch: adding the column touches no row.
ALTER TABLE customers ADD COLUMN name_key text;

-- Whoever changes a name and knows nothing of its key, such as the version before this one, does not leave the old one
-- behind, least of all of somebody who is erased.
CREATE FUNCTION forget_name_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.name_key := NULL;
  RETURN NEW;
END
$$;
CREATE TRIGGER customers_name_changed BEFORE UPDATE OF fullname ON customers FOR EACH ROW
  WHEN (NEW.fullname IS DISTINCT FROM OLD.fullname AND NEW.name_key = OLD.name_key)
  EXECUTE FUNCTION forget_name_key();
