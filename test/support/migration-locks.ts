/**
 * What in a migration would lock a table for as long as it is large, or would keep its transaction open that long: the
 * service runs meanwhile. Tables that the file itself creates are empty, and may be treated in any way.
 */
import { findUnrepeatable, runsOutside } from '../../src/database/concurrent-indexes.ts'
import { type FileStatement, splitStatements } from '../../src/database/split-statements.ts'

/** Returns what is wrong, as `line: what to do instead`. `earlier` is the SQL of all files before this one. */
export function findLongLocks(sql: string, earlier = ''): string[] {
  if (runsOutside(sql)) {
    return findUnrepeatable(sql).map(
      ({ line }) =>
        `${line}: only CREATE INDEX CONCURRENTLY IF NOT EXISTS and DROP INDEX CONCURRENTLY IF EXISTS run outside a transaction`,
    )
  }
  const statements = splitStatements(sql)
  const created = new Set(statements.flatMap(({ text }) => createdTable.exec(text)?.[1] ?? []))
  const isOnlyValidating = statements.every(({ text }) => / VALIDATE CONSTRAINT /i.test(text))
  const before = (line: number) =>
    `${earlier}\n${sql
      .split('\n')
      .slice(0, line - 1)
      .join('\n')}`
  return statements.flatMap((statement) => {
    const table = targetOf(statement)
    if (table !== undefined && created.has(table)) return []
    const wrong = problemOf(statement, isOnlyValidating, before(statement.line))
    return wrong === undefined ? [] : `${statement.line}: ${wrong}`
  })
}

const createdTable = /^CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?"?(\w+)/i

const target =
  /^(?:ALTER TABLE (?:IF EXISTS )?(?:ONLY )?|CREATE (?:UNIQUE )?INDEX .*? ON (?:ONLY )?|UPDATE (?:ONLY )?|DELETE FROM (?:ONLY )?|TRUNCATE (?:TABLE )?)"?(\w+)/i

const targetOf = ({ text }: FileStatement) => target.exec(text)?.[1]

function problemOf(
  { text, comments }: FileStatement,
  isOnlyValidating: boolean,
  before: string,
): string | undefined {
  if (/^CREATE (?:UNIQUE )?INDEX /i.test(text))
    return 'build the index with CONCURRENTLY, in a file that runs outside a transaction'
  if (/^(?:UPDATE|DELETE FROM) /i.test(text) && !/^-- Few rows: \S/m.test(comments))
    return 'change rows in steps, as background work; if the table is always small, say why in a comment "-- Few rows: …"'
  if (/^(?:LOCK|TRUNCATE|CLUSTER|VACUUM|REINDEX)\b/i.test(text)) return 'it locks the table until the end'
  if (/^DO\b/i.test(text)) return 'write statements, which can be checked'
  if (!/^ALTER TABLE /i.test(text)) return undefined
  if (/ VALIDATE CONSTRAINT /i.test(text))
    return isOnlyValidating
      ? undefined
      : 'validate in a file of its own: the locks of the others would last as long'
  return problemOfAlter(text.replaceAll(/'(?:[^']|'')*'/g, "''"), before)
}

const calls = /\bDEFAULT\b(?:(?!,\s*(?:ADD|ALTER|DROP)\b).)*?\b(?!now\b)\w+ ?\(/i

function problemOfAlter(text: string, before: string): string | undefined {
  if (/\bALTER (?:COLUMN )?"?\w+"? (?:SET DATA )?TYPE\b/i.test(text))
    return 'add another column and fill it in steps: a change of the type rewrites the table'
  if (/\bSET (?:LOGGED|UNLOGGED|TABLESPACE|ACCESS METHOD)\b/i.test(text)) return 'it rewrites the table'
  const notNull = /\bALTER (?:COLUMN )?"?(\w+)"? SET NOT NULL\b/i.exec(text)
  if (notNull && !isKnownNotNull(notNull[1]!, before))
    return 'first add CHECK (… IS NOT NULL) NOT VALID, and validate it in the next file'
  if (/\bADD (?:CONSTRAINT \w+ )?(?:CHECK|FOREIGN KEY)\b/i.test(text) && !/\bNOT VALID\b/i.test(text))
    return 'add the constraint with NOT VALID, and validate it in the next file'
  if (/\bADD (?:CONSTRAINT \w+ )?(?:UNIQUE|PRIMARY KEY|EXCLUDE)\b(?! USING INDEX)/i.test(text))
    return 'build the index concurrently in an earlier file, and add the constraint USING INDEX'
  return /\bADD (?:COLUMN )?(?!CONSTRAINT|CHECK|FOREIGN|UNIQUE|PRIMARY|EXCLUDE)/i.test(text)
    ? problemOfColumn(text)
    : undefined
}

function problemOfColumn(text: string): string | undefined {
  if (/\b(?:big|small)?serial\b|\bGENERATED\b/i.test(text) || calls.test(text))
    return 'add the column with a constant default, or none, and fill it in steps: computed values rewrite the table'
  if (/\b(?:CHECK|REFERENCES|UNIQUE|PRIMARY KEY)\b/i.test(text) && !/\bADD CONSTRAINT\b/i.test(text))
    return 'add the column first, and its constraint as NOT VALID'
  return undefined
}

/** PostgreSQL then need not look at the rows. */
function isKnownNotNull(column: string, before: string): boolean {
  const added = new RegExp(`ADD CONSTRAINT (\\w+)\\s+CHECK\\s*\\(+\\s*${column}\\s+IS\\s+NOT\\s+NULL`, 'gi')
  return [...before.matchAll(added)].some(([, name]) =>
    new RegExp(`VALIDATE\\s+CONSTRAINT\\s+${name}\\b`, 'i').test(before),
  )
}
