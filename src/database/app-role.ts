import type pg from 'pg'
import type { DatabaseLog } from './database-log.ts'

/**
 * The role the service works as: it owns nothing, so row level security binds it even where the login is a
 * superuser, and it may do no more than the list below. Nobody can log in with it; the owner of the tables takes
 * it on when it connects. Roles belong to the whole server, so databases on one server share it by name.
 */
export const appRole = 'loyalty_wallet_app'

/**
 * What the service does with each table. The ledger grows and is never changed, but for the reason that erasing a
 * customer clears. A test compares this list with the statements of the store but those of the owner, and with the
 * tables there are.
 */
export const grants: Record<string, readonly string[]> = {
  audit_entries: ['SELECT', 'INSERT'],
  balance_definitions: ['SELECT', 'INSERT'],
  balances: ['SELECT', 'INSERT', 'UPDATE'],
  branches: ['SELECT', 'INSERT', 'UPDATE'],
  campaign_versions: ['SELECT', 'INSERT'],
  campaigns: ['SELECT', 'INSERT', 'UPDATE'],
  cards: ['SELECT', 'INSERT', 'UPDATE'],
  connection_secrets: ['SELECT', 'INSERT', 'UPDATE (expires_at)'],
  connections: ['SELECT', 'INSERT', 'UPDATE (last_used_at)', 'UPDATE (revoked_at)'],
  coupons: ['SELECT', 'INSERT', 'UPDATE'],
  customer_rule_usage: ['SELECT', 'INSERT', 'UPDATE'],
  customers: ['SELECT', 'INSERT', 'UPDATE'],
  daily_sums: ['SELECT', 'INSERT', 'UPDATE'],
  events: ['SELECT', 'INSERT'],
  http_requests: ['SELECT', 'INSERT', 'DELETE'],
  idempotency_keys: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  integration_keys: ['SELECT', 'INSERT', 'UPDATE (expires_at)'],
  integrations: ['SELECT', 'INSERT'],
  kept_multiples: ['SELECT', 'INSERT', 'DELETE'],
  ledger_entries: ['SELECT', 'INSERT', 'UPDATE (reason)'],
  lots: ['SELECT', 'INSERT', 'UPDATE'],
  organizations: ['SELECT', 'INSERT', 'UPDATE'],
  password_guesses: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  people: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  pepper_marks: ['SELECT', 'INSERT', 'UPDATE'],
  person_logins: ['SELECT', 'INSERT', 'DELETE'],
  person_sessions: ['SELECT', 'INSERT', 'UPDATE (last_used_at)', 'DELETE'],
  products: ['SELECT', 'INSERT', 'UPDATE'],
  returns: ['SELECT', 'INSERT', 'UPDATE (reason)'],
  rule_usage: ['SELECT', 'INSERT', 'UPDATE'],
  schema_migrations: ['SELECT'],
  sessions: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  transactions: ['SELECT', 'INSERT', 'UPDATE (basket)', 'UPDATE (status)'],
  users: ['SELECT', 'INSERT', 'UPDATE'],
  wallets: ['SELECT', 'INSERT', 'UPDATE'],
}

export interface RoleState {
  /** Whom we log in as. */
  readonly login: string
  /** Row level security does not bind the login. */
  readonly isLoginExempt: boolean
  /** What keeps the service from working as the role; undefined when nothing does. */
  readonly obstacle?: 'missing' | 'not granted' | 'exempt' | 'wrong grants'
}

/** Looks, and changes nothing. */
export async function readRoleState(client: pg.Client): Promise<RoleState> {
  const { rows } = await client.query<RoleRow>(roleQuery, [appRole])
  const row = rows[0]!
  const { login, isLoginExempt } = row
  if (row.oid === null) return { login, isLoginExempt, obstacle: 'missing' }
  if (!row.canBeTaken) return { login, isLoginExempt, obstacle: 'not granted' }
  if (row.isExempt) return { login, isLoginExempt, obstacle: 'exempt' }
  const isComplete = row.canUseSchema && sameMembers(await listGrants(client, row.oid), await wanted(client))
  return { login, isLoginExempt, obstacle: isComplete ? undefined : 'wrong grants' }
}

/**
 * Makes the role and its grants what they should be, as far as the login may. Returns the role, or undefined when
 * the service has to work as the login itself: the log then says why, and so does the doctor.
 */
export async function prepareAppRole(client: pg.Client, log?: DatabaseLog): Promise<string | undefined> {
  // Looking first keeps an ordinary start free of writes and of locks.
  let state = await readRoleState(client)
  for (let attempt = 1; state.obstacle !== undefined && attempt <= maxAttempts; attempt++) {
    try {
      await mend[state.obstacle]?.(client)
    } catch (error) {
      await client.query('ROLLBACK').catch(() => {})
      const { code } = error as { code?: string }
      if (code === notPermitted) break
      if (!concurrent.includes(code ?? '')) throw error
    }
    state = await readRoleState(client)
  }
  if (state.obstacle === undefined) return appRole
  log?.warn(
    { role: appRole, login: state.login, obstacle: state.obstacle },
    'the service works with the rights of its login; "loyalty-wallet doctor" says what to do',
  )
  return undefined
}

const maxAttempts = 10
const notPermitted = '42501'
// Another database of the same server is being prepared: it exists by now, or its row has just been changed.
const concurrent = ['42710', '23505', 'XX000']

const mend: Partial<Record<NonNullable<RoleState['obstacle']>, (client: pg.Client) => Promise<void>>> = {
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

// From 16 on a membership may come without the right to take the role on.
const roleQuery = `
  SELECT l.rolname AS login, l.rolsuper OR l.rolbypassrls AS "isLoginExempt", r.oid,
    r.rolsuper OR r.rolbypassrls AS "isExempt",
    pg_has_role(l.oid, r.oid, CASE WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END)
      AS "canBeTaken",
    has_schema_privilege(r.oid, current_schema(), 'USAGE') AS "canUseSchema"
  FROM pg_roles l LEFT JOIN pg_roles r ON r.rolname = $1
  WHERE l.rolname = session_user`

/** Those of our tables that are there; a database on the way to this version may lack some. */
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

function sameMembers(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && new Set([...a, ...b]).size === a.length
}
