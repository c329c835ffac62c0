import type pg from 'pg'
import { grants } from '../app-role.ts'
import type { BackupWriter } from './backup-file.ts'

/** A table as it is copied: `org_id` comes first, so that the rows of an organization can be told apart. */
export interface CopiedTable {
  readonly name: string
  readonly columns: readonly string[]
}

export interface CopiedOrganization {
  readonly orgId: number
  readonly id: string
  readonly name: string
}

/** The first piece of a backup. */
export interface Contents {
  readonly tables: readonly CopiedTable[]
  readonly organizations: readonly CopiedOrganization[]
}

/** The last piece of a backup. */
export interface Summary {
  /** Rows of each table. */
  readonly rows: Readonly<Record<string, number>>
  /** The last number of each identity column, as `table.column`. */
  readonly sequences: Readonly<Record<string, number>>
}

/** Bookkeeping of the migrations, which a restore writes itself. */
const ownBookkeeping = 'schema_migrations'

/** Rows of the platform itself have this number instead of that of an organization. */
export const platformOrg = 0

export const belongsToOrganization = ({ columns }: CopiedTable) => columns[0] === 'org_id'

/** Text formats that depend on no setting of a server, in both directions; and no limits. */
export const copySettings = [
  'SET LOCAL statement_timeout = 0',
  'SET LOCAL idle_in_transaction_session_timeout = 0',
  "SET LOCAL lock_timeout = '60s'",
  "SET LOCAL datestyle = 'ISO'",
  "SET LOCAL intervalstyle = 'postgres'",
  "SET LOCAL timezone = 'UTC'",
  "SET LOCAL bytea_output = 'hex'",
  'SET LOCAL extra_float_digits = 1',
].join('; ')

/**
 * Our tables that exist, those of older schemas included; the grants name all of them. Unlogged ones, which a crash
 * of the server empties and a replica cannot read, have nothing to keep.
 */
export async function listTables(client: pg.ClientBase): Promise<CopiedTable[]> {
  const { rows } = await client.query<CopiedTable>(
    `SELECT c.relname AS name,
       json_agg(a.attname ORDER BY a.attname <> 'org_id', a.attnum) AS columns
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
       AND c.relpersistence = 'p' AND c.relname = ANY($1)
     GROUP BY c.relname ORDER BY c.relname <> 'organizations', c.relname COLLATE "C"`,
    [Object.keys(grants).filter((name) => name !== ownBookkeeping)],
  )
  return rows
}

/** Tables in our schema that are not ours, and that no backup contains. */
export async function listForeignTables(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_class c
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND c.relname <> ALL($1)
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
     ORDER BY c.relname COLLATE "C"`,
    [Object.keys(grants)],
  )
  return rows.map(({ name }) => name)
}

export const quote = (name: string) => `"${name.replaceAll('"', '""')}"`
export const listColumns = ({ columns }: CopiedTable) => columns.map(quote).join(', ')

/** The numbers that identity columns have reached. */
export async function readSequences(client: pg.ClientBase): Promise<Record<string, number>> {
  const reached: Record<string, number> = {}
  for (const { name, sequence } of await listIdentities(client)) {
    const { rows } = await client.query<{ last: number | null }>(
      `SELECT CASE WHEN is_called THEN last_value END AS last FROM ${sequence}`,
    )
    if (rows[0]!.last !== null) reached[name] = rows[0]!.last
  }
  return reached
}

export async function writeSequences(
  client: pg.ClientBase,
  reached: Readonly<Record<string, number>>,
): Promise<void> {
  for (const { name, sequence } of await listIdentities(client)) {
    const last = reached[name]
    if (last !== undefined) await client.query('SELECT setval($1::regclass, $2)', [sequence, last])
  }
}

async function listIdentities(client: pg.ClientBase): Promise<{ name: string; sequence: string }[]> {
  const { rows } = await client.query<{ name: string; sequence: string }>(
    `SELECT format('%s.%s', c.relname, a.attname) AS name, pg_get_serial_sequence(quote_ident(c.relname), a.attname) AS sequence
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attidentity <> ''
     WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND c.relname = ANY($1)`,
    [Object.keys(grants)],
  )
  return rows
}

const newline = 0x0a

/** In the text format of COPY a line feed is always the end of a row: those within values are escaped. */
export function countRows(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) count++
  return count
}

const pieceBytes = 1_048_576

/** Collects what a server sends in small parts into pieces. */
export function collectPieces(file: BackupWriter) {
  let parts: Buffer[] = []
  let size = 0
  const flush = async () => {
    if (size === 0) return
    const piece = Buffer.concat(parts)
    parts = []
    size = 0
    await file.write('rows', piece)
  }
  return {
    async add(part: Buffer) {
      parts.push(part)
      size += part.length
      if (size >= pieceBytes) await flush()
    },
    flush,
  }
}

/** Only the rows of some organizations, out of rows that begin with their organization. */
export async function* rowsOf(orgs: readonly number[], parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const starts = orgs.map((org) => Buffer.from(`${org}\t`))
  let rest: Buffer = Buffer.alloc(0)
  for await (const part of parts) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, part]) : part
    const kept: Buffer[] = []
    let from = 0
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, from)) {
      if (starts.some((start) => bytes.subarray(from, from + start.length).equals(start)))
        kept.push(bytes.subarray(from, end + 1))
      from = end + 1
    }
    rest = bytes.subarray(from)
    if (kept.length > 0) yield Buffer.concat(kept)
  }
}
