/**
 * Spreads the tables over the nodes of a Citus cluster. The rows of an organization stay together on one
 * node, so that every statement for it runs there; what belongs to no organization, or is looked up before
 * one is known, is copied to every node. The migrations and the service are the same as on one server.
 */
import type pg from 'pg'
import { appRole, grants, ownerFunctions } from './app-role.ts'

/** On every node: what is looked up by a hash, an email or a name before the organization is known. */
const referenceTables = [
  'organizations',
  'integrations',
  'connections',
  'connection_secrets',
  'integration_keys',
  'person_logins',
  'enrollment_pages',
]

/** On the coordinator, and readable from every node. */
const coordinatorTables = ['schema_migrations', 'pepper_marks', 'password_guesses']

/** By organization, all of them in the same way. The first one determines where an organization lives. */
const organizationTables = [
  'setup_versions',
  ...Object.keys(grants).filter(
    (table) => ![...referenceTables, ...coordinatorTables, 'setup_versions'].includes(table),
  ),
]

export interface DistributeOptions {
  /** Into how many parts each table is split; several organizations share one. */
  readonly shardCount?: number
  /** Called before each table, and at the end. */
  onProgress?(done: number, of: number, what: string): void
}

export interface Distribution {
  /** Tables that are on the nodes now, and were not before. */
  readonly moved: readonly string[]
  readonly nodes: number
}

/** The cluster is not ready; the message says what to do. */
export class DistributeError extends Error {
  override name = 'DistributeError'
}

/** Whether the service's tables are spread over the nodes of a cluster. */
export async function isDistributed(client: pg.Client): Promise<boolean> {
  return (await listCitusTables(client)).has('setup_versions')
}

/** The tables that are not where they belong: none, once `distribute` is done. */
export async function listUndistributed(client: pg.Client): Promise<string[]> {
  const known = await listCitusTables(client)
  return [...referenceTables, ...organizationTables, ...coordinatorTables].filter(
    (table) => !known.has(table),
  )
}

export interface ClusterState {
  readonly version: string
  readonly nodes: number
  readonly isDistributed: boolean
  readonly missing: readonly string[]
  /** Nodes that no node reaches as the service's role. */
  readonly lost: readonly string[]
  /** Nodes from which one that is not lost cannot be reached as that role. */
  readonly cutOff: readonly string[]
}

/** Reads the state of the cluster without changing anything; undefined where there is no Citus. */
export async function readClusterState(client: pg.Client): Promise<ClusterState | undefined> {
  const { rows } = await client.query<{ version: string }>(
    "SELECT extversion AS version FROM pg_extension WHERE extname = 'citus'",
  )
  const version = rows[0]?.version
  if (version === undefined) return undefined
  const nodes = await client.query('SELECT count(*)::int AS count FROM pg_dist_node WHERE isactive')
  const isMoved = await isDistributed(client)
  return {
    version,
    nodes: nodes.rows[0].count,
    isDistributed: isMoved,
    missing: await listUndistributed(client),
    ...(isMoved ? await findUnreachable(client) : { lost: [], cutOff: [] }),
  }
}

/** Where the nodes of the cluster are, as they know each other. */
export async function listNodes(client: pg.Client): Promise<{ host: string; port: number }[]> {
  const { rows } = await client.query<{ host: string; port: number }>(
    `SELECT nodename AS host, nodeport AS port FROM pg_dist_node
     WHERE isactive AND hasmetadata AND noderole = 'primary' ORDER BY nodeid`,
  )
  return rows
}

async function findUnreachable(client: pg.Client): Promise<Pick<ClusterState, 'lost' | 'cutOff'>> {
  await client.query('BEGIN')
  try {
    await client.query(`SET LOCAL ROLE ${appRole}`)
    const { rows } = await client.query<{ source: string; target: string; isReached: boolean }>(
      `SELECT from_nodename || ':' || from_nodeport AS source, to_nodename || ':' || to_nodeport AS target,
         result IS TRUE AS "isReached"
       FROM citus_check_cluster_node_health() ORDER BY target, source`,
    )
    const reached = new Set(rows.flatMap(({ target, isReached }) => (isReached ? [target] : [])))
    const isLost = (node: string) => !reached.has(node)
    const cutOff = rows.filter((row) => !row.isReached && !isLost(row.source) && !isLost(row.target))
    return {
      lost: [...new Set(rows.map(({ target }) => target).filter(isLost))],
      cutOff: [...new Set(cutOff.map(({ source }) => source))].sort(),
    }
  } finally {
    await client.query('ROLLBACK')
  }
}

/**
 * Moves every table to where it belongs, with its rows. It is one database transaction: after an error or a
 * crash nothing has changed. Tables that were moved before are left as they are, so it can be repeated, and
 * has to be after a migration that adds a table.
 */
export async function distribute(client: pg.Client, options: DistributeOptions = {}): Promise<Distribution> {
  const nodes = await requireCluster(client)
  const missing = await listUndistributed(client)
  if (missing.length > 0) {
    await client.query('BEGIN')
    try {
      await moveTables(client, missing, options)
      await client.query('COMMIT')
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {})
      throw error
    }
  }
  await shareFunctions(client)
  await prepareRole(client)
  if (missing.length > 0) await endOtherSessions(client)
  return { moved: missing, nodes }
}

/**
 * A service that started before works with the wrong settings: its tenant would not reach the nodes, and it
 * would find nothing. Its sessions end, and the next ones have the setting, whatever the service asks for;
 * it fails visibly until it is restarted.
 */
async function endOtherSessions(client: pg.Client): Promise<void> {
  const { rows } = await client.query('SELECT quote_ident(current_database()) AS name')
  await client.query(`ALTER DATABASE ${rows[0].name} SET citus.propagate_set_commands = 'local'`)
  await client.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE 'loyalty-wallet%'
       AND pg_has_role(usesysid, 'MEMBER')`,
  )
}

/** Those that were created before there were nodes; Citus creates later ones, and what policies call, on each of them. */
async function shareFunctions(client: pg.Client): Promise<void> {
  await client.query(
    `SELECT create_distributed_function(f.id) FROM (SELECT to_regprocedure(name) AS id FROM unnest($1::text[]) AS n (name)) f
     WHERE f.id IS NOT NULL AND NOT EXISTS (
       SELECT FROM pg_catalog.pg_dist_object d WHERE d.classid = 'pg_proc'::regclass AND d.objid = f.id)`,
    [ownerFunctions],
  )
}

async function requireCluster(client: pg.Client): Promise<number> {
  const { rows } = await client.query(`SELECT to_regclass('pg_dist_node') IS NOT NULL AS found`)
  if (!rows[0].found) {
    throw new DistributeError(
      'The database has no Citus. Install Citus on every server, add citus to shared_preload_libraries, and run CREATE EXTENSION citus in this database on every one of them.',
    )
  }
  const nodes = await client.query<{ groupid: number }>(
    `SELECT groupid FROM pg_dist_node WHERE isactive AND noderole = 'primary'`,
  )
  if (!nodes.rows.some(({ groupid }) => groupid === 0)) {
    throw new DistributeError(
      "The coordinator does not know its own address. Run SELECT citus_set_coordinator_host('its name'), and SELECT citus_add_node('name', 5432) for every other server.",
    )
  }
  return nodes.rows.length
}

async function listCitusTables(client: pg.Client): Promise<Set<string>> {
  const found = await client.query(`SELECT to_regclass('pg_dist_partition') IS NOT NULL AS found`)
  if (!found.rows[0].found) return new Set()
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.relname AS name FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid
     WHERE c.relnamespace = current_schema()::regnamespace`,
  )
  return new Set(rows.map(({ name }) => name))
}

async function moveTables(client: pg.Client, missing: readonly string[], options: DistributeOptions) {
  await client.query("SET LOCAL citus.multi_shard_modify_mode = 'sequential'")
  await client.query(`LOCK TABLE ${missing.join(', ')} IN ACCESS EXCLUSIVE MODE`)
  const foreignKeys = await listForeignKeys(client, missing)
  for (const { table, name } of foreignKeys)
    await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`)
  const guarded = await listForced(client, missing)
  // The owner would otherwise copy only the rows it may see, which are none.
  for (const table of guarded) await client.query(`ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`)
  if (missing.includes('integration_keys')) await simplifyPolicy(client)
  const moving = [...referenceTables, ...organizationTables].filter((table) => missing.includes(table))
  for (const [done, table] of moving.entries()) {
    options.onProgress?.(done, moving.length, `Moving ${table}: `)
    await moveTable(client, table, options)
  }
  options.onProgress?.(moving.length, moving.length, 'Moved tables: ')
  for (const table of coordinatorTables) {
    if (missing.includes(table)) await client.query('SELECT citus_add_local_table_to_metadata($1)', [table])
  }
  for (const { table, name, definition } of foreignKeys.filter(isPossible)) {
    await client.query(`ALTER TABLE ${table} ADD CONSTRAINT ${name} ${definition}`)
  }
  for (const table of guarded) await client.query(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`)
}

/**
 * On the nodes a policy cannot contain a query, such as whether an organization is connected to the
 * integration of a key. An integration belongs to no organization, and of its keys there are only hashes.
 */
async function simplifyPolicy(client: pg.Client): Promise<void> {
  await client.query('DROP POLICY tenant ON integration_keys')
  await client.query('CREATE POLICY tenant ON integration_keys FOR SELECT USING (current_org() > 0)')
}

async function moveTable(client: pg.Client, table: string, { shardCount = 32 }: DistributeOptions) {
  const before = await countRows(client, table)
  if (referenceTables.includes(table)) await client.query('SELECT create_reference_table($1)', [table])
  else if (table === organizationTables[0]) {
    await client.query("SELECT create_distributed_table($1, 'org_id', shard_count => $2)", [
      table,
      shardCount,
    ])
  } else {
    await client.query("SELECT create_distributed_table($1, 'org_id', colocate_with => $2)", [
      table,
      organizationTables[0],
    ])
  }
  const after = await countRows(client, table)
  if (after !== before) throw new Error(`${table} had ${before} rows and has ${after} on the nodes.`)
  if (before > 0) await client.query('SELECT truncate_local_data_after_distributing_table($1)', [table])
}

async function countRows(client: pg.Client, table: string): Promise<number> {
  return (await client.query(`SELECT count(*) AS count FROM ${table}`)).rows[0].count
}

interface ForeignKey {
  readonly table: string
  readonly to: string
  readonly name: string
  readonly definition: string
}

async function listForeignKeys(client: pg.Client, tables: readonly string[]): Promise<ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(
    `SELECT c.relname AS table, f.relname AS to, k.conname AS name, pg_get_constraintdef(k.oid) AS definition
     FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class f ON f.oid = k.confrelid
     WHERE k.contype = 'f' AND (c.relname = ANY($1) OR f.relname = ANY($1))
       AND c.relnamespace = current_schema()::regnamespace
     ORDER BY c.relname, k.conname`,
    [tables],
  )
  return rows
}

/**
 * A table that is on every node cannot refer to rows that are on one. And to write such a table that refers
 * to another, the service's role would have to be allowed to change that one; neither has rows deleted.
 */
function isPossible({ table }: ForeignKey): boolean {
  return !referenceTables.includes(table)
}

async function listForced(client: pg.Client, tables: readonly string[]): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relforcerowsecurity AND relname = ANY($1) AND relnamespace = current_schema()::regnamespace`,
    [tables],
  )
  return rows.map(({ name }) => name)
}

/**
 * The coordinator connects to the nodes as the role that a statement runs as, so it must be able to log in
 * there; a server still decides in its pg_hba.conf from where. What the service sets for its own connections
 * does not reach the nodes, but the settings of the role do.
 */
async function prepareRole(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ rolcanlogin: boolean; rolconfig: string[] | null }>(
    'SELECT rolcanlogin, rolconfig FROM pg_roles WHERE rolname = $1',
    [appRole],
  )
  const role = rows[0]
  if (!role) return
  if (!role.rolcanlogin) await client.query(`ALTER ROLE ${appRole} LOGIN`)
  for (const [setting, value] of Object.entries(nodeSettings)) {
    if (role.rolconfig?.includes(`${setting}=${value}`)) continue
    await client.query(`ALTER ROLE ${appRole} SET ${setting} = '${value}'`)
  }
}

const nodeSettings = { enable_seqscan: 'off', jit: 'off', lock_timeout: '3s' }
