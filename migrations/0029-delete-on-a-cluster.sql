-- Compatible from 0021.
-- Deletes a test organization like the function of the same name with one argument less, which versions before this one
-- call, and writes the audit entry of it. On the nodes of a cluster, rows that one role has changed cannot be changed by
-- another in the same transaction. And what is set with set_config does not reach them.
CREATE FUNCTION delete_test_organization(test_org integer, live_org integer, tables text[], entry json) RETURNS boolean
  LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  caller text := current_setting('loyalty_wallet.org', true);
  tenant_table text;
BEGIN
  -- A temporary table of the same name must not take the place of one of ours.
  PERFORM set_config('search_path', format('%I, pg_temp', current_schema()), true);
  EXECUTE format('SET LOCAL loyalty_wallet.org = %L', test_org);
  PERFORM 1 FROM organizations WHERE org_id = test_org AND test_of = live_org FOR UPDATE;
  IF NOT FOUND THEN
    EXECUTE format('SET LOCAL loyalty_wallet.org = %L', coalesce(caller, ''));
    RETURN false;
  END IF;
  FOREACH tenant_table IN ARRAY tables LOOP
    EXECUTE format('DELETE FROM %I WHERE org_id = $1', tenant_table) USING test_org;
  END LOOP;
  DELETE FROM organizations WHERE org_id = test_org AND test_of = live_org;
  EXECUTE format('SET LOCAL loyalty_wallet.org = %L', live_org);
  INSERT INTO audit_entries
    (org_id, id, at, by_kind, user_id, action, subject_kind, subject_id, subject_name, details, is_truncated)
  VALUES (live_org, (entry ->> 'id')::uuid, (entry ->> 'at')::timestamptz, entry ->> 'byKind', (entry ->> 'user')::uuid,
    entry ->> 'action', entry #>> '{subject,kind}', entry #>> '{subject,id}', entry #>> '{subject,name}',
    entry -> 'details', (entry ->> 'isTruncated')::boolean);
  EXECUTE format('SET LOCAL loyalty_wallet.org = %L', coalesce(caller, ''));
  RETURN true;
END
$$;
REVOKE ALL ON FUNCTION delete_test_organization(integer, integer, text[], json) FROM PUBLIC;
