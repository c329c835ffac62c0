/** New migrations do not lock a large table for long; those before this rule are history. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readCompatibleFrom } from '../src/database/migration-files.ts'
import { packageRoot } from '../src/package-root.ts'
import { findLongLocks } from './support/migration-locks.ts'

const firstChecked = 20
const folder = join(packageRoot, 'migrations')
const files = readdirSync(folder).sort()
const read = (file: string) => readFileSync(join(folder, file), 'utf8')

test('no migration locks a large table for long', () => {
  const wrong = files.flatMap((file, i) =>
    i + 1 < firstChecked
      ? []
      : findLongLocks(read(file), files.slice(0, i).map(read).join('\n')).map(
          (problem) => `${file}:${problem}`,
        ),
  )
  expect(wrong).toEqual([])
})

test('no constraint is checked as late as COMMIT', () => {
  // On a cluster its violation could not be told from the loss of a server (src/database/classify-error.ts).
  const late = files.filter((file) => /\bDEFERRABLE\b|\bCONSTRAINT\s+TRIGGER\b/i.test(read(file)))
  expect(late).toEqual([])
})

const firstDeclared = 22
const incompatible = /^-- Incompatible: .{20}/m

test('every migration says which versions can run on its schema', () => {
  const wrong = files.flatMap((file, i) => {
    if (i + 1 < firstDeclared) return []
    const from = readCompatibleFrom(read(file))
    if (from === undefined ? incompatible.test(read(file)) : from <= i) return []
    return [
      `${file}: add "-- Compatible from ${files[i - 1]!.slice(0, 4)}." as a line of its own if the version before can run on this schema, or an earlier number, or else "-- Incompatible:" and why.`,
    ]
  })
  expect(wrong).toEqual([])
})

test.each([
  ['an index on an existing table', 'CREATE INDEX a_b ON a (b);', /CONCURRENTLY/],
  ['a unique index', 'CREATE UNIQUE INDEX IF NOT EXISTS a_b ON ONLY a (b);', /CONCURRENTLY/],
  [
    'an index that is built concurrently within a transaction',
    'CREATE INDEX CONCURRENTLY a_b ON a (b);',
    /outside/,
  ],
  [
    'anything else outside a transaction',
    '-- Runs outside a transaction.\nALTER TABLE a ADD b int;',
    /only CREATE INDEX/,
  ],
  [
    'an index that cannot be built again',
    '-- Runs outside a transaction.\nCREATE INDEX CONCURRENTLY x ON a (b);',
    /IF NOT EXISTS/,
  ],
  [
    'a default that differs by row',
    'ALTER TABLE a ADD COLUMN b uuid NOT NULL DEFAULT gen_random_uuid();',
    /constant/,
  ],
  ['a serial column', 'ALTER TABLE a ADD b bigserial;', /constant/],
  ['a generated column', 'ALTER TABLE a ADD b int GENERATED ALWAYS AS (c + 1) STORED;', /constant/],
  ['a column with a check', 'ALTER TABLE a ADD b int CHECK (b > 0);', /NOT VALID/],
  ['another type', 'ALTER TABLE a ALTER COLUMN b TYPE bigint;', /rewrites/],
  ['another type, in a longer list', 'ALTER TABLE a ADD c int,\n  ALTER b SET DATA TYPE text;', /rewrites/],
  ['a check of all rows', 'ALTER TABLE a ADD CONSTRAINT c CHECK (b > 0);', /NOT VALID/],
  ['a foreign key of all rows', 'ALTER TABLE a ADD FOREIGN KEY (b) REFERENCES c (d);', /NOT VALID/],
  ['a unique constraint', 'ALTER TABLE a ADD CONSTRAINT c UNIQUE (b);', /USING INDEX/],
  ['a primary key', 'ALTER TABLE a ADD PRIMARY KEY (b);', /USING INDEX/],
  ['a column that must not be null', 'ALTER TABLE a ALTER COLUMN b SET NOT NULL;', /CHECK/],
  [
    'a validation under the lock of what precedes it',
    'ALTER TABLE a ADD c int; ALTER TABLE a VALIDATE CONSTRAINT d;',
    /of its own/,
  ],
  ['a change of all rows', 'UPDATE a SET b = 1;', /in steps/],
  ['a change of the rows that have no value', 'UPDATE a SET b = 1 WHERE b IS NULL;', /in steps/],
  ['a deletion', 'DELETE FROM ONLY a;', /in steps/],
  ['a lock', 'LOCK TABLE a;', /locks/],
  ['a truncation', 'TRUNCATE a;', /locks/],
  ['what cannot be read', "DO $$ BEGIN EXECUTE 'LOCK a'; END $$;", /checked/],
])('%s is refused', (_what, sql, problem) => {
  const found = findLongLocks(sql)
  expect(found).toHaveLength(1)
  expect(found[0]).toMatch(problem)
})

test.each([
  [
    'a new table with everything',
    'CREATE TABLE a (b int PRIMARY KEY); CREATE INDEX x ON a (b); ALTER TABLE a ADD CHECK (b > 0); UPDATE a SET b = 1; INSERT INTO a VALUES (1);',
  ],
  [
    'a concurrent index',
    '-- Runs outside a transaction.\n-- Why it is needed.\nCREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS x ON a (b) WHERE c;\nDROP INDEX CONCURRENTLY IF EXISTS y;',
  ],
  ['a column with a constant', "ALTER TABLE a ADD COLUMN b text NOT NULL DEFAULT 'gen_random_uuid()';"],
  [
    'a column with the time of the migration',
    'ALTER TABLE a ADD COLUMN b timestamptz NOT NULL DEFAULT now(), ADD c numeric(10, 2);',
  ],
  [
    'a constraint that is not validated',
    'ALTER TABLE a ADD CONSTRAINT c CHECK (b > 0) NOT VALID; ALTER TABLE a ADD CONSTRAINT d FOREIGN KEY (b) REFERENCES c (d) NOT VALID;',
  ],
  ['a constraint on an index that exists', 'ALTER TABLE a ADD CONSTRAINT c UNIQUE USING INDEX x;'],
  ['its validation', 'ALTER TABLE a VALIDATE CONSTRAINT c; ALTER TABLE b VALIDATE CONSTRAINT d;'],
  ['a few rows', '-- Few rows: one for each organization.\nUPDATE organizations SET x = 1;'],
  [
    'rights and policies',
    'ALTER TABLE a ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON a USING (true); ALTER TABLE a ALTER b SET DEFAULT 1, DROP COLUMN c;',
  ],
  [
    'words in texts and comments',
    "-- LOCK TABLE a; UPDATE a SET b = 1\nCOMMENT ON TABLE a IS 'UPDATE a; DELETE FROM a';",
  ],
])('%s is accepted', (_what, sql) => {
  expect(findLongLocks(sql)).toEqual([])
})

test('a column may become NOT NULL once a constraint says so', () => {
  const earlier =
    'ALTER TABLE a ADD CONSTRAINT a_b_known CHECK (b IS NOT NULL) NOT VALID;\nALTER TABLE a VALIDATE CONSTRAINT a_b_known;'
  expect(findLongLocks('ALTER TABLE a ALTER COLUMN b SET NOT NULL;', earlier)).toEqual([])
  expect(findLongLocks('ALTER TABLE a ALTER COLUMN c SET NOT NULL;', earlier)).toHaveLength(1)
  expect(findLongLocks('ALTER TABLE a ALTER COLUMN b SET NOT NULL;', earlier.split('\n')[0])).toHaveLength(1)
})
