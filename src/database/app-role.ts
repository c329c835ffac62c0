import type pg from 'pg'
import type { DatabaseLog } from './database-log.ts'

/**
 * The role the service works as. It owns nothing, so row level security applies to it even where the login is
 * a superuser, and it has no privileges beyond the list below. It cannot log in, except on a
 * cluster (`distribute.ts`); the owner of the tables switches to it after connecting. Roles belong to the
 * whole server, so databases on one server share it by name.
 */
export const appRole = 'loyalty_wallet_app'

/**
 * What the service does with each table. The ledger is append-only, except for the reason, which is cleared
 * when a customer is erased. A test compares this list with the store's statements (other than the owner's)
 * and with the existing tables.
 */
export const grants: Record<string, readonly string[]> = {
  archived_balances: ['SELECT'],
  archived_files: ['SELECT'],
  archived_returns: ['SELECT'],
  archived_sums: ['SELECT'],
  archived_transactions: ['SELECT'],
  audit_entries: ['SELECT', 'INSERT'],
  automatic_messages: ['SELECT', 'INSERT', 'UPDATE'],
  balance_definitions: ['SELECT', 'INSERT'],
  balances: ['SELECT', 'INSERT', 'UPDATE'],
  branches: ['SELECT', 'INSERT', 'UPDATE'],
  campaign_versions: ['SELECT', 'INSERT'],
  campaigns: ['SELECT', 'INSERT', 'UPDATE'],
  cards: ['SELECT', 'INSERT', 'UPDATE'],
  connection_secrets: ['SELECT', 'INSERT', 'UPDATE (expires_at)'],
  connections: ['SELECT', 'INSERT', 'UPDATE (last_used_at)', 'UPDATE (revoked_at)'],
  contact_codes: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  coupons: ['SELECT', 'INSERT', 'UPDATE'],
  customer_rule_usage: ['SELECT', 'INSERT', 'UPDATE'],
  customers: ['SELECT', 'INSERT', 'UPDATE'],
  daily_sums: ['SELECT', 'INSERT', 'UPDATE'],
  due_work: ['SELECT', 'INSERT', 'UPDATE'],
  enrollment_pages: ['SELECT', 'INSERT', 'UPDATE'],
  event_counters: ['SELECT', 'INSERT', 'UPDATE'],
  events: ['SELECT', 'INSERT', 'DELETE'],
  http_requests: ['SELECT', 'INSERT', 'DELETE'],
  idempotency_keys: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  import_chunks: ['SELECT', 'INSERT'],
  imports: ['SELECT', 'INSERT', 'UPDATE'],
  integration_keys: ['SELECT', 'INSERT', 'UPDATE (expires_at)'],
  integrations: ['SELECT', 'INSERT'],
  kept_multiples: ['SELECT', 'INSERT', 'DELETE'],
  ledger_entries: ['SELECT', 'INSERT', 'UPDATE (reason)'],
  lots: ['SELECT', 'INSERT', 'UPDATE'],
  message_templates: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  messages: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  organizations: ['SELECT', 'INSERT', 'UPDATE'],
  pass_feeds: ['SELECT', 'INSERT', 'UPDATE'],
  pass_registrations: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  pass_settings: ['SELECT', 'INSERT', 'UPDATE'],
  passes: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  password_guesses: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  people: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  pepper_marks: ['SELECT', 'INSERT', 'UPDATE'],
  person_logins: ['SELECT', 'INSERT', 'DELETE'],
  person_sessions: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  products: ['SELECT', 'INSERT', 'UPDATE'],
  received_messages: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  returns: ['SELECT', 'INSERT', 'UPDATE (reason)'],
  rule_usage: ['SELECT', 'INSERT', 'UPDATE'],
  schema_migrations: ['SELECT'],
  senders: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  sessions: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  setup_versions: ['SELECT', 'INSERT', 'UPDATE'],
  sources: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  transactions: ['SELECT', 'INSERT', 'UPDATE (basket)', 'UPDATE (status)'],
  users: ['SELECT', 'INSERT', 'UPDATE'],
  wallets: ['SELECT', 'INSERT', 'UPDATE'],
  webhook_deliveries: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  webhook_secrets: ['SELECT', 'INSERT', 'UPDATE (expires_at)', 'DELETE'],
  webhooks: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
}

/** What the service may only do with the owner's rights, each of which checks what it is asked for. */
export const ownerFunctions = [
  'delete_test_organization(integer, integer, text[])',
  'delete_test_organization(integer, integer, text[], json)',
]

export interface RoleState {
  /** The user we log in as. */
  readonly login: string
  /** Whether the login bypasses row level security. */
  readonly isLoginExempt: boolean
  /** What prevents the service from working as the role; undefined when nothing does. */
  readonly obstacle?: 'missing' | 'not granted' | 'exempt' | 'wrong grants'
}

/**
 * Reads the state of the role without changing anything. A newer version knows better what the role may do on its
 * schema; it has to include what this one needs.
 */
export async function readRoleState(client: pg.Client, { isNewer = false } = {}): Promise<RoleState> {
  const { rows } = await client.query<RoleRow>(roleQuery, [appRole, ownerFunctions])
  const row = rows[0]!
  const { login, isLoginExempt } = row
  if (row.oid === null) return { login, isLoginExempt, obstacle: 'missing' }
  if (!row.canBeTaken) return { login, isLoginExempt, obstacle: 'not granted' }
  if (row.isExempt) return { login, isLoginExempt, obstacle: 'exempt' }
  const isEnough = isNewer ? hasAll : sameFields
  const isComplete = row.canUseSchema && isEnough(await listGrants(client, row.oid), await wanted(client))
  return { login, isLoginExempt, obstacle: isComplete ? undefined : 'wrong grants' }
}

/**
 * Creates the role and its grants, as far as the login may. Returns the role, or undefined when the service
 * has to work as the login itself; the log and `doctor` then say why.
 */
export async function prepareAppRole(
  client: pg.Client,
  { isNewer, log }: { readonly isNewer: boolean; readonly log?: DatabaseLog },
): Promise<string | undefined> {
  // Checking first keeps an ordinary start free of writes and locks.
  let state = await readRoleState(client, { isNewer })
  for (let attempt = 1; state.obstacle !== undefined && attempt <= maxAttempts; attempt++) {
    // Instances of the newer version are running with these rights.
    if (isNewer && state.obstacle === 'wrong grants') break
    try {
      await remedies[state.obstacle]?.(client)
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {})
      const { code } = error as { code?: string }
      if (code === notPermitted) break
      if (!concurrent.includes(code ?? '')) throw error
    }
    state = await readRoleState(client, { isNewer })
  }
  if (state.obstacle === undefined) return appRole
  log?.warn(
    { role: appRole, login: state.login, obstacle: state.obstacle },
    'the service runs with the privileges of its login; "loyalty-wallet doctor" says what to do',
  )
  return undefined
}

const maxAttempts = 10
const notPermitted = '42501'
// Another database on the same server is being prepared: the role exists by now, or its row has just changed.
const concurrent = ['42710', '23505', 'XX000']

const remedies: Partial<Record<NonNullable<RoleState['obstacle']>, (client: pg.Client) => Promise<void>>> = {
  async missing(client) {
    await client.query(`CREATE ROLE ${appRole} NOLOGIN`)
  },
  async 'not granted'(client) {
    await client.query(`GRANT ${appRole} TO CURRENT_USER`)
  },
  async 'wrong grants'(client) {
    await client.query('BEGIN')
    await client.query('LOCK TABLE schema_migrations IN SHARE ROW EXCLUSIVE MODE')
    const { rows } = await client.query<{ schema: string; canUse: boolean }>(
      `SELECT quote_ident(current_schema()) AS schema,
         has_schema_privilege('${appRole}', current_schema(), 'USAGE') AS "canUse"`,
    )
    if (!rows[0]!.canUse) await client.query(`GRANT USAGE ON SCHEMA ${rows[0]!.schema} TO ${appRole}`)
    for (const table of await listTables(client)) {
      await client.query(`REVOKE ALL ON ${table} FROM ${appRole}`)
      await client.query(`GRANT ${grants[table]!.join(', ')} ON ${table} TO ${appRole}`)
    }
    const { rows: found } = await client.query<{ name: string }>(
      'SELECT name FROM unnest($1::text[]) AS f (name) WHERE to_regprocedure(name) IS NOT NULL',
      [ownerFunctions],
    )
    for (const { name } of found) await client.query(`GRANT EXECUTE ON FUNCTION ${name} TO ${appRole}`)
    await client.query('COMMIT')
  },
}

interface RoleRow {
  login: string
  isLoginExempt: boolean
  oid: number | null
  canBeTaken: boolean
  isExempt: boolean
  canUseSchema: boolean
}

// Since PostgreSQL 16 a membership may lack the right to switch to the role.
const roleQuery = `
  SELECT l.rolname AS login, l.rolsuper OR l.rolbypassrls AS "isLoginExempt", r.oid,
    r.rolsuper OR r.rolbypassrls AS "isExempt",
    pg_has_role(l.oid, r.oid, CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END)
      AS "canBeTaken",
    has_schema_privilege(r.oid, current_schema(), 'USAGE') AND NOT EXISTS (
      SELECT FROM unnest($2::text[]) AS f (name) WHERE NOT has_function_privilege(r.oid, to_regprocedure(name), 'EXECUTE'))
      AS "canUseSchema"
  FROM pg_roles l LEFT JOIN pg_roles r ON r.rolname = $1
  WHERE l.rolname = session_user`

/** The tables of ours that exist; a database that is still being migrated may lack some. */
async function listTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT name FROM unnest($1::text[]) AS t (name) WHERE to_regclass(name) IS NOT NULL',
    [Object.keys(grants)],
  )
  return rows.map(({ name }) => name)
}

async function wanted(client: pg.Client): Promise<string[]> {
  return (await listTables(client)).flatMap((table) => grants[table]!.map((grant) => `${table}: ${grant}`))
}

async function listGrants(client: pg.Client, role: number): Promise<string[]> {
  const { rows } = await client.query<{ grant: string }>(
    `SELECT format('%s: %s', c.relname, g.privilege_type) AS grant
     FROM pg_class c, aclexplode(c.relacl) g
     WHERE g.grantee = $1 AND c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace
     UNION ALL
     SELECT format('%s: %s (%s)', c.relname, g.privilege_type, a.attname)
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid, aclexplode(a.attacl) g
     WHERE g.grantee = $1 AND c.relnamespace = current_schema()::regnamespace`,
    [role],
  )
  return rows.map(({ grant }) => grant)
}

const hasAll = (granted: readonly string[], needed: readonly string[]) =>
  needed.every((grant) => granted.includes(grant) || granted.includes(grant.replace(/ \(.*\)$/, '')))

function sameFields(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && new Set([...a, ...b]).size === a.length
}
