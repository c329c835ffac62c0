import type pg from 'pg'

/** What is added to tables after their rows: an index is built several times faster than it is kept up. */
export interface SchemaParts {
  /** In the order in which they are added: keys, other indexes, and references, which are checked then. */
  readonly additions: readonly string[]
  readonly isolated: readonly string[]
}

interface PartRow {
  readonly remove: string
  readonly add: string
}

/**
 * Removes keys, indexes and references from the tables, and lifts the isolation of organizations, which would
 * refuse to copy rows in. Nobody sees the tables in between: the transaction has created them itself.
 */
export async function removeParts(client: pg.Client, tables: readonly string[]): Promise<SchemaParts> {
  const constraints = async (kinds: string) => {
    const { rows } = await client.query<PartRow>(
      `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS remove,
         format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS add
       FROM pg_constraint WHERE conrelid = ANY($1::text[]::regclass[]) AND contype::text = ANY(string_to_array($2, NULL))
       ORDER BY conrelid::regclass::text, conname`,
      [tables, kinds],
    )
    return rows
  }
  const references = await constraints('f')
  const keys = await constraints('pu')
  const indexes = await client.query<PartRow>(
    `SELECT format('DROP INDEX %s', indexrelid::regclass) AS remove, pg_get_indexdef(indexrelid) AS add
     FROM pg_index i WHERE indrelid = ANY($1::text[]::regclass[])
       AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = i.indexrelid AND contype IN ('p', 'u', 'x'))
     ORDER BY indexrelid::regclass::text`,
    [tables],
  )
  for (const { remove } of [...references, ...keys, ...indexes.rows]) await client.query(remove)
  const isolated = await client.query<{ name: string }>(
    'SELECT oid::regclass::text AS name FROM pg_class WHERE oid = ANY($1::text[]::regclass[]) AND relforcerowsecurity',
    [tables],
  )
  const names = isolated.rows.map(({ name }) => name)
  for (const name of names) await client.query(`ALTER TABLE ${name} NO FORCE ROW LEVEL SECURITY`)
  return {
    additions: [...keys, ...indexes.rows, ...references].map(({ add }) => add),
    isolated: names,
  }
}

/** Adds what was removed. A reference that leads nowhere, or a key that exists twice, fails here. */
export async function addParts(
  client: pg.Client,
  { additions, isolated }: SchemaParts,
  onProgress: (done: number, of: number) => void,
): Promise<void> {
  // Sorting in memory instead of in files; the server's default is a quarter of this.
  await client.query("SET LOCAL maintenance_work_mem = '256MB'")
  for (const [done, text] of additions.entries()) {
    await client.query(text)
    onProgress(done + 1, additions.length)
  }
  for (const name of isolated) await client.query(`ALTER TABLE ${name} FORCE ROW LEVEL SECURITY`)
}
