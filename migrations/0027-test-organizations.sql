-- Compatible from 0021.
-- Organizations for tests: each belongs to a live one, and has a clock that can be set forward. An older version takes
-- one for an organization like any other, and its clock for the real one.
ALTER TABLE organizations
  ADD COLUMN test_of integer,
  -- How far the clock is ahead of the real one.
  ADD COLUMN ahead_ms bigint NOT NULL DEFAULT 0;
ALTER TABLE organizations ADD CONSTRAINT organizations_only_tests_are_ahead
  CHECK (ahead_ms = 0 OR test_of IS NOT NULL AND ahead_ms > 0) NOT VALID;

-- By how much the times of what the work is about are ahead of `due_at` and `armed_for`, which are real.
ALTER TABLE due_work ADD COLUMN ahead_ms bigint NOT NULL DEFAULT 0;

-- The test organization that the person is working in at the moment.
ALTER TABLE person_sessions ADD COLUMN visits integer;

-- Deletes a test organization with everything in it, which the service's role cannot do itself: it may not delete
-- from the ledger, for example. Never deletes anything of another organization, whatever it is asked for.
CREATE FUNCTION delete_test_organization(test_org integer, live_org integer, tables text[]) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  caller text := current_setting('loyalty_wallet.org', true);
  tenant_table text;
BEGIN
  -- A temporary table of the same name must not take the place of one of ours.
  PERFORM set_config('search_path', format('%I, pg_temp', current_schema()), true);
  PERFORM set_config('loyalty_wallet.org', test_org::text, true);
  PERFORM 1 FROM organizations WHERE org_id = test_org AND test_of = live_org FOR UPDATE;
  IF NOT FOUND THEN
    PERFORM set_config('loyalty_wallet.org', coalesce(caller, ''), true);
    RETURN false;
  END IF;
  FOREACH tenant_table IN ARRAY tables LOOP
    EXECUTE format('DELETE FROM %I WHERE org_id = $1', tenant_table) USING test_org;
  END LOOP;
  DELETE FROM organizations WHERE org_id = test_org AND test_of = live_org;
  PERFORM set_config('loyalty_wallet.org', coalesce(caller, ''), true);
  RETURN true;
END
$$;
REVOKE ALL ON FUNCTION delete_test_organization(integer, integer, text[]) FROM PUBLIC;
