import { afterAll, beforeAll, expect, test } from 'vitest'
import { dumpSchema } from '../../src/database/dump-schema.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

let source: TestDatabase
let copy: TestDatabase
beforeAll(async () => {
  source = await createTestDatabase({ empty: true })
  copy = await createTestDatabase({ empty: true })
})
afterAll(async () => {
  await source.close()
  await copy.close()
})

const SCHEMA = `
  CREATE TYPE mood AS ENUM ('sad', 'happy');
  CREATE DOMAIN points AS bigint CHECK (VALUE >= 0);
  CREATE TABLE parents (
    org_id uuid NOT NULL, id uuid NOT NULL, number bigint GENERATED ALWAYS AS IDENTITY,
    name text COLLATE "C" NOT NULL DEFAULT 'it''s', mood mood, earned points,
    twice int GENERATED ALWAYS AS (length(name) * 2) STORED,
    PRIMARY KEY (org_id, id), CONSTRAINT parents_name_unique UNIQUE (org_id, name),
    CONSTRAINT parents_name_not_empty CHECK (name <> '')
  ) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
  CREATE TABLE children (
    org_id uuid NOT NULL, id uuid, parent uuid, dropped int, "Odd Name" numeric(10, 2), at timestamptz,
    FOREIGN KEY (org_id, parent) REFERENCES parents (org_id, id) ON DELETE CASCADE
  ) PARTITION BY HASH (org_id);
  ALTER TABLE children DROP COLUMN dropped;
  CREATE TABLE children_0 PARTITION OF children FOR VALUES WITH (MODULUS 1, REMAINDER 0);
  CREATE INDEX children_recent ON children (org_id, at DESC) WHERE parent IS NOT NULL;
  CREATE UNIQUE INDEX parents_lower ON parents (lower(name)) INCLUDE (mood);
  CREATE FUNCTION add_one(value int DEFAULT 1) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT value + 1';
  CREATE SEQUENCE receipts;
  ALTER TABLE parents ENABLE ROW LEVEL SECURITY;
  ALTER TABLE parents FORCE ROW LEVEL SECURITY;
  CREATE POLICY own ON parents USING (org_id = current_setting('app.org')::uuid);
  GRANT SELECT, INSERT ON parents TO PUBLIC;
  GRANT UPDATE (name, mood) ON parents TO PUBLIC;
  COMMENT ON COLUMN parents.mood IS 'How they feel.';
`

test('the dump makes the same schema again', async () => {
  await source.pool.query(SCHEMA)
  const dump = await dumpSchema(source.pool)
  await copy.pool.query(dump)
  expect(await dumpSchema(copy.pool)).toBe(dump)
})

test('the dump says everything that was declared, and in the same way on every version', async () => {
  expect(await dumpSchema(source.pool)).toMatchSnapshot()
})
