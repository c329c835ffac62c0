-- The second net under `WHERE org_id = $1`: whoever reaches the tables sees and writes the rows of the organization
-- that the transaction was opened for, and without one nothing at all. The owner of the tables is bound by it too;
-- only a superuser is not, which is why the service takes on a role of its own where it can.

-- Empty is what PostgreSQL leaves of a setting that was made for one transaction, once that has ended.
CREATE FUNCTION current_org() RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE
  RETURN nullif(current_setting('loyalty_wallet.org', true), '')::integer;

DO $$
DECLARE
  tenant_table name;
BEGIN
  FOR tenant_table IN
    SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace
      AND a.attname = 'org_id' AND NOT a.attisdropped
    ORDER BY c.relname
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', tenant_table);
    EXECUTE format('CREATE POLICY tenant ON %I USING (org_id = current_org())', tenant_table);
  END LOOP;
END $$;

-- The platform is organization 0. It makes and reads organizations, and finds the connection of credentials before
-- anybody can know whose they are. Of everything else it sees nothing: jobs that go over all organizations work
-- for one after the other.
CREATE POLICY platform ON organizations USING (current_org() = 0);
CREATE POLICY platform ON connections FOR SELECT USING (current_org() = 0);
CREATE POLICY platform ON connection_secrets FOR SELECT USING (current_org() = 0);

-- An integration belongs to no organization and serves many.
ALTER TABLE integrations ENABLE ROW LEVEL SECURITY;
ALTER TABLE integrations FORCE ROW LEVEL SECURITY;
CREATE POLICY platform ON integrations USING (current_org() = 0);
ALTER TABLE integration_keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE integration_keys FORCE ROW LEVEL SECURITY;
CREATE POLICY platform ON integration_keys USING (current_org() = 0);
