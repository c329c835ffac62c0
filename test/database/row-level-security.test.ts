/**
 * The net under the service: what its role sees and may do, for every table that the catalog knows. A table that
 * a migration adds without a policy, or that nobody thought of in the grants, fails here by itself.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { appRole, grants } from '../../src/database/app-role.ts'
import { openPool } from '../../src/database/pool.ts'
import { packageRoot } from '../../src/package-root.ts'
import { deleteDemoOrganization, organizationTables } from '../../src/store/delete-demo-organization.ts'
import { inTransaction } from '../../src/store/tenant.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'

/** What the platform, organization 0, reaches of all organizations, and how. */
const platformTables: Record<string, string> = {
  automatic_messages: 'SELECT',
  connection_secrets: 'SELECT',
  connections: 'SELECT',
  due_work: 'SELECT',
  enrollment_pages: 'SELECT',
  event_counters: 'SELECT',
  integration_keys: 'ALL',
  pass_feeds: 'SELECT',
  password_guesses: 'ALL',
  pepper_marks: 'ALL',
  person_logins: 'SELECT',
  integrations: 'ALL',
  organizations: 'ALL',
  webhooks: 'SELECT',
}

interface Column {
  readonly table: string
  readonly name: string
  readonly type: string
  readonly isFilled: boolean
}

let database: TestDatabase
let service: pg.Pool
let columns: Column[]
let tables: string[]
let tenantTables: string[]

beforeAll(async () => {
  database = await createTestDatabase()
  service = openPool(database.connection, { role: appRole, maxConnections: 1 })
  const { rows } = await database.pool.query<Column>(
    `SELECT c.relname AS table, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
       a.atthasdef OR NOT a.attnotnull AS "isFilled"
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace AND c.relname <> 'schema_migrations'
     ORDER BY c.relname, a.attnum`,
  )
  columns = rows
  tables = [...new Set(columns.map(({ table }) => table))]
  tenantTables = columns.filter(({ name }) => name === 'org_id').map(({ table }) => table)
  // The platform's own work is there from the beginning.
  await database.pool.query('DELETE FROM due_work')
  for (const table of tables) {
    for (const org of tenantTables.includes(table) ? [1, 2] : [1]) await insertAsOwner(table, org)
  }
})
afterAll(async () => {
  await service.end()
  await database.close()
})

/** A row of an organization in any table: what must be filled, with any value of its type. */
function insertOf(table: string, org: number): string {
  const own = columns.filter(
    ({ table: of, isFilled, name }) => of === table && (!isFilled || name === 'org_id'),
  )
  const values = own.map(({ name, type }) => {
    if (name === 'org_id') return String(org)
    if (table === 'campaigns' && name === 'status') return `'draft'`
    if (table === 'enrollment_pages' && name === 'mode') return `'open'`
    if (table === 'imports' && name === 'kind') return `'customers'`
    if (table === 'people' && name === 'role') return `'owner'`
    if (table === 'sources' && name === 'kind') return `'json'`
    const value = anyOf[type]
    if (value === undefined) throw new Error(`${table}.${name}: no value of type ${type} is known here`)
    return value
  })
  return `INSERT INTO ${table} (${own.map(({ name }) => name).join(', ')}) OVERRIDING SYSTEM VALUE VALUES (${values.join(', ')})`
}

const anyOf: Record<string, string> = {
  bigint: '1',
  boolean: 'true',
  bytea: `decode(md5(random()::text), 'hex')`,
  date: 'current_date',
  integer: '(random() * 1000000)::int',
  json: `'{}'`,
  smallint: '1',
  text: 'md5(random()::text)',
  'text[]': `'{}'`,
  'timestamp with time zone': 'now()',
  uuid: 'gen_random_uuid()',
}

async function insertAsOwner(table: string, org: number): Promise<void> {
  const client = await database.pool.connect()
  try {
    // Without foreign keys: here only whose a row is matters, not whether it makes sense.
    await client.query(`BEGIN; SET LOCAL session_replication_role = replica; ${insertOf(table, org)}; COMMIT`)
  } finally {
    client.release(true)
  }
}

/** Runs as the service would, for an organization or for none, and undoes it. */
async function attempt(
  sql: string,
  org?: number | '',
): Promise<{ rows: Record<string, unknown>[]; changed: number | null; code?: string }> {
  const client = await service.connect()
  try {
    await client.query('BEGIN')
    if (org !== undefined) await client.query(`SET LOCAL loyalty_wallet.org = '${org}'`)
    const { rows, rowCount } = await client.query(sql)
    return { rows, changed: rowCount }
  } catch (error) {
    return { rows: [], changed: 0, code: (error as { code?: string }).code ?? String(error) }
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
}

const notPermitted = '42501'

/** `sql` of each table, and those whose outcome is not the one expected. */
async function surprises(
  of: readonly string[],
  sql: (table: string) => string,
  org: number | '' | undefined,
  isExpected: (outcome: Awaited<ReturnType<typeof attempt>>, table: string) => boolean,
): Promise<string[]> {
  const found: string[] = []
  for (const table of of) {
    const outcome = await attempt(sql(table), org)
    if (!isExpected(outcome, table)) found.push(`${sql(table)}: ${JSON.stringify(outcome)}`)
  }
  return found
}

describe('what is declared', () => {
  test('row level security is on, and binds the owner, on every table', async () => {
    const { rows } = await database.pool.query(
      `SELECT relname AS table FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
         AND relname <> 'schema_migrations' AND NOT (relrowsecurity AND relforcerowsecurity)`,
    )
    expect(rows).toEqual([])
    expect(tenantTables.length).toBeGreaterThan(20)
  })

  test('every table has the policy of its tenant, and only those listed have another', async () => {
    const { rows } = await database.pool.query(
      `SELECT tablename AS table, policyname AS name, permissive, roles::text, cmd, qual, with_check AS check
       FROM pg_policies WHERE schemaname = 'public' ORDER BY tablename, policyname DESC`,
    )
    const policy = (table: string, name: string, cmd: string, qual: string) => ({
      ...{ table, name, cmd, qual, permissive: 'PERMISSIVE', roles: '{public}', check: null },
    })
    // An organization sees the keys of the integrations that it is connected to.
    const ofConnected =
      '(EXISTS ( SELECT 1\n   FROM connections c\n  WHERE ((c.org_id = current_org()) AND (c.integration_id = integration_keys.integration_id))))'
    const expected = tables.flatMap((table) => [
      ...(table === 'integration_keys' ? [policy(table, 'tenant', 'SELECT', ofConnected)] : []),
      ...(tenantTables.includes(table) ? [policy(table, 'tenant', 'ALL', '(org_id = current_org())')] : []),
      ...(platformTables[table]
        ? [policy(table, 'platform', platformTables[table], '(current_org() = 0)')]
        : []),
    ])
    expect(rows).toEqual(expected)
  })

  test('the role can do nothing beside its grants: no login, no rights of its own, no schema', async () => {
    const { rows } = await database.pool.query(
      `SELECT rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolcanlogin OR rolreplication AS can,
         (SELECT count(*)::int FROM pg_class WHERE relowner = r.oid) AS owns,
         has_schema_privilege(r.oid, 'public', 'CREATE') AS creates
       FROM pg_roles r WHERE rolname = $1`,
      [appRole],
    )
    expect(rows).toEqual([{ can: false, owns: 0, creates: false }])
    expect((await attempt('SELECT current_user AS name')).rows).toEqual([{ name: appRole }])
  })

  test('its grants are those of the list, and the list knows every table', async () => {
    const { rows } = await database.pool.query(
      `SELECT c.relname AS table, g.privilege_type AS grant
       FROM pg_class c, aclexplode(c.relacl) g WHERE g.grantee = '${appRole}'::regrole
       UNION ALL SELECT c.relname, format('%s (%s)', g.privilege_type, a.attname)
       FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid, aclexplode(a.attacl) g
       WHERE g.grantee = '${appRole}'::regrole`,
    )
    const found: Record<string, string[]> = {}
    for (const { table, grant } of rows) found[table] = [...(found[table] ?? []), grant].sort()
    const listed = Object.entries(grants).map(([table, of]) => [table, [...of].sort()])
    expect(found).toEqual(Object.fromEntries(listed))
    expect(Object.keys(grants).sort()).toEqual([...tables, 'schema_migrations'].sort())
  })
})

describe('what the role sees', () => {
  const count = (table: string) => `SELECT count(*)::int AS rows FROM ${table}`
  const seen = ({ rows }: { rows: Record<string, unknown>[] }) => rows[0]?.rows

  test('the rows are there', async () => {
    for (const table of tables) {
      const { rows } = await database.pool.query(count(table))
      expect([table, rows[0].rows]).toEqual([table, tenantTables.includes(table) ? 2 : 1])
    }
  })

  test.each([{ org: undefined }, { org: '' as const }, { org: 3 }])(
    'nothing for organization $org',
    async ({ org }) => {
      expect(await surprises(tables, count, org, (outcome) => seen(outcome) === 0)).toEqual([])
    },
  )

  test('a setting that is no number opens nothing', async () => {
    const outcome = await attempt(count('customers'), 'x' as '')
    expect(outcome).toMatchObject({ rows: [], code: '22P02' })
  })

  test('the rows of its organization, in every table that has organizations', async () => {
    const own = (table: string) => `SELECT array_agg(org_id) AS rows FROM ${table}`
    for (const org of [1, 2]) {
      const isOwn = (outcome: Awaited<ReturnType<typeof attempt>>) => String(seen(outcome)) === String(org)
      expect(await surprises(tenantTables, own, org, isOwn)).toEqual([])
    }
    const others = tables.filter((table) => !tenantTables.includes(table))
    expect(await surprises(others, count, 1, (outcome) => seen(outcome) === 0)).toEqual([])
  })

  test('as the platform, what it must know before an organization is known, and nothing else', async () => {
    const wanted = (table: string) => {
      if (platformTables[table] === undefined) return 0
      return tenantTables.includes(table) ? 2 : 1
    }
    expect(await surprises(tables, count, 0, (outcome, table) => seen(outcome) === wanted(table))).toEqual([])
  })
})

describe('what the role can change', () => {
  const mayUpdate = (table: string) => grants[table]!.some((grant) => grant.startsWith('UPDATE'))
  const updatable = (table: string) => {
    const single = grants[table]!.map((grant) => /^UPDATE \((\w+)\)/.exec(grant)?.[1]).find(Boolean)
    return single ?? columns.findLast((column) => column.table === table)!.name
  }

  test('it adds rows of its own organization', async () => {
    // That another table lacks what the row points to is asked only after the row was let through.
    const isLetThrough = ({ changed, code }: { changed: number | null; code?: string }) =>
      changed === 1 || code === '23503'
    const mayInsert = tenantTables.filter(
      (table) => table !== 'organizations' && grants[table]!.includes('INSERT'),
    )
    // Rows of the organization itself are in the way of a second one with the same key.
    const isThere = ({ code }: { code?: string }) => code === '23505'
    expect(
      await surprises(
        mayInsert,
        (table) => insertOf(table, 1),
        1,
        (outcome) => isLetThrough(outcome) || isThere(outcome),
      ),
    ).toEqual([])
    const readOnly = tenantTables.filter((table) => !grants[table]!.includes('INSERT'))
    expect(
      await surprises(
        readOnly,
        (table) => insertOf(table, 1),
        1,
        ({ code }) => code === notPermitted,
      ),
    ).toEqual([])
  })

  test('it adds no row of another organization, nor any without one', async () => {
    for (const org of [1, '' as const, undefined]) {
      const isRefused = ({ code }: { code?: string }) => code === notPermitted
      expect(await surprises(tenantTables, (table) => insertOf(table, 2), org, isRefused)).toEqual([])
    }
    const platform = tenantTables.filter((table) => platformTables[table] !== 'ALL')
    expect(
      await surprises(
        platform,
        (table) => insertOf(table, 2),
        0,
        ({ code }) => code === notPermitted,
      ),
    ).toEqual([])
  })

  test('it changes no row of another organization', async () => {
    const update = (table: string) => {
      const column = updatable(table)
      return `UPDATE ${table} SET ${column} = ${column} WHERE org_id = 2`
    }
    const changing = tenantTables.filter(mayUpdate)
    expect(await surprises(changing, update, 2, ({ changed }) => changed === 1)).toEqual([])
    for (const org of [1, '' as const, undefined]) {
      expect(await surprises(changing, update, org, ({ changed, code }) => changed === 0 && !code)).toEqual(
        [],
      )
    }
    const fixed = tenantTables.filter((table) => !mayUpdate(table))
    expect(await surprises(fixed, update, 2, ({ code }) => code === notPermitted)).toEqual([])
  })

  test('it gives no row of its own to another organization', async () => {
    const give = (table: string) => `UPDATE ${table} SET org_id = 2 WHERE org_id = 1`
    expect(
      await surprises(tenantTables, give, 1, ({ code }) => code === notPermitted || code === '428C9'),
    ).toEqual([])
  })

  test('it deletes only what is in passing, people, webhooks, sources, senders, codes and passes, and of its own organization', async () => {
    const remove = (table: string) => `DELETE FROM ${table} WHERE org_id = 2`
    const people = ['person_sessions', 'person_logins', 'people']
    const webhooks = ['webhook_deliveries', 'webhook_secrets', 'webhooks']
    const messages = ['message_templates', 'messages', 'senders']
    const passing = [
      'contact_codes',
      'events',
      'http_requests',
      'idempotency_keys',
      'kept_multiples',
      'pass_registrations',
      'passes',
      'received_messages',
      'sessions',
      'sources',
      ...people,
      ...webhooks,
      ...messages,
    ]
    expect(await surprises(passing, remove, 2, ({ changed }) => changed === 1)).toEqual([])
    expect(await surprises(passing, remove, 1, ({ changed, code }) => changed === 0 && !code)).toEqual([])
    const ofPlatform = ['password_guesses']
    const removeAll = (table: string) => `DELETE FROM ${table}`
    expect(await surprises(ofPlatform, removeAll, 2, ({ changed }) => changed === 0)).toEqual([])
    expect(await surprises(ofPlatform, removeAll, 0, ({ changed }) => changed === 1)).toEqual([])
    const kept = tables.filter((table) => ![...passing, ...ofPlatform].includes(table))
    expect(await surprises(kept, removeAll, 2, ({ code }) => code === notPermitted)).toEqual([])
  })

  test('of the ledger it changes nothing but a reason', async () => {
    const names = columns.filter(({ table }) => table === 'ledger_entries').map(({ name }) => name)
    expect(names).toContain('reason')
    const update = (name: string) => `UPDATE ledger_entries SET ${name} = ${name}`
    const isRight = ({ code, changed }: { code?: string; changed: number | null }, sql: string) =>
      sql === 'reason' ? changed === 1 : code === notPermitted
    expect(await surprises(names, update, 1, isRight)).toEqual([])
    expect(await attempt('DELETE FROM ledger_entries', 1)).toMatchObject({ code: notPermitted })
  })

  test('it empties, alters and drops no table, and makes none', async () => {
    for (const sql of [
      (table: string) => `TRUNCATE ${table}`,
      (table: string) => `DROP TABLE ${table}`,
      (table: string) => `ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`,
      (table: string) => `DROP POLICY ${tenantTables.includes(table) ? 'tenant' : 'platform'} ON ${table}`,
      // Granting what one does not have is a warning only, so it is tried.
      (table: string) => `GRANT ALL ON ${table} TO ${appRole}; TRUNCATE ${table}`,
    ]) {
      expect(await surprises(tables, sql, 1, ({ code }) => code === notPermitted)).toEqual([])
    }
    expect(await attempt('CREATE TABLE mine (id int)', 1)).toMatchObject({ code: notPermitted })
  })
})

describe('foreign keys', () => {
  let customer: string
  beforeEach(async () => {
    const { rows } = await database.pool.query('SELECT id FROM customers WHERE org_id = 1')
    customer = rows[0].id
  })

  test('are checked for the role, which finds what it points to in its own organization', async () => {
    await database.pool.query('DELETE FROM wallets WHERE customer_id = $1', [customer])
    const insert = (org: number) => `INSERT INTO wallets (org_id, customer_id) VALUES (${org}, '${customer}')`
    expect(await attempt(insert(1), 1)).toMatchObject({ changed: 1 })
    expect(await attempt(insert(2), 2)).toMatchObject({ code: '23503' })
  })
})

describe('the statements of the store', () => {
  const folder = join(packageRoot, 'src/store')
  /** Runs as the owner. */
  const ofOwner = ['delete-demo-organization.ts', join('wallets', 'archive.ts')]
  const text = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !ofOwner.includes(file))
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n')
  // The directory has three tables and one statement for each thing that is done to them.
  const tablesOf = (name: string) => (name.startsWith('$') ? ['branches', 'products', 'users'] : [name])
  const named = (pattern: RegExp) => [
    ...new Set([...text.matchAll(pattern)].flatMap(([, name]) => tablesOf(name!))),
  ]
  const granted = (kind: string) =>
    Object.keys(grants).filter((table) => grants[table]!.some((grant) => grant.startsWith(kind)))

  test('need exactly what is granted', () => {
    const upserted = [
      ...text.matchAll(/INSERT INTO (\w+)(?:(?!INSERT INTO)[^;])*?ON CONFLICT[^`]{0,80}?DO UPDATE/g),
    ].map(([, name]) => name!)
    const updated = named(/\bUPDATE (\w+|\$\{\w+\})(?: \w+)? SET\b/g)
    expect(named(/\bINSERT INTO (\w+|\$\{\w+\})/g).sort()).toEqual(granted('INSERT').sort())
    expect([...new Set([...updated, ...upserted])].sort()).toEqual(granted('UPDATE').sort())
    expect(named(/\bDELETE FROM (\w+)/g).sort()).toEqual(granted('DELETE').sort())
  })
})

describe('a demo that is dropped', () => {
  const dropOf = (org: number) => inTransaction(database.pool, org, deleteDemoOrganization)
  const countsOf = (org: number) =>
    Promise.all(
      tenantTables.map(async (table) => {
        const { rows } = await database.pool.query(`SELECT 1 FROM ${table} WHERE org_id = ${org}`)
        return `${table} ${rows.length}`
      }),
    )

  test('every table with organizations is in the list, before those it refers to', async () => {
    const listed: readonly string[] = [...organizationTables, 'organizations']
    expect([...listed].sort()).toEqual([...tenantTables].sort())
    const { rows } = await database.pool.query<{ from: string; to: string }>(
      `SELECT conrelid::regclass::text AS from, confrelid::regclass::text AS to FROM pg_constraint WHERE contype = 'f'`,
    )
    const among = rows.filter(({ from, to }) => listed.includes(from) && listed.includes(to))
    expect(among.length).toBeGreaterThan(20)
    expect(among.filter(({ from, to }) => listed.indexOf(from) > listed.indexOf(to))).toEqual([])
  })

  test('an organization that is no demo keeps every row', async () => {
    await expect(dropOf(2)).rejects.toThrow('not a demo')
    expect(await countsOf(2)).toEqual(tenantTables.map((table) => `${table} 1`))
  })

  test('nothing of it is left, and nothing of others is gone', async () => {
    await database.pool.query('UPDATE organizations SET is_demo = true WHERE org_id = 2')
    await dropOf(2)
    expect(await countsOf(2)).toEqual(tenantTables.map((table) => `${table} 0`))
    expect(await countsOf(1)).toEqual(tenantTables.map((table) => `${table} 1`))
  })
})
