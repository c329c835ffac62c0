/** The doctor's checks of the database: reachability, version, durability, schema, role, cluster, pepper, clock, work. */
import { stat } from 'node:fs/promises'
import type { Client } from 'pg'
import type { Config } from '../config.ts'
import { appRole, type RoleState, readRoleState } from '../database/app-role.ts'
import { checkSession, SessionError } from '../database/check-session.ts'
import { readSchemaState } from '../database/migrate.ts'
import { MigrationError } from '../database/migration-files.ts'
import { createClient, type DatabaseConnection, openPool, type SessionOptions } from '../database/pool.ts'
import { setTenant } from '../database/tenant-query.ts'
import { isPepperOf, WrongPepperError } from '../operations/auth/recognize-pepper.ts'
import { platformOrg } from '../store/tenant.ts'
import { checkCluster } from './check-cluster.ts'
import { checkOrganizationKeys } from './check-passes.ts'
import { checkReplica } from './check-replica.ts'
import { checkWork } from './check-running.ts'
import { nameDatabase } from './explain-failure.ts'
import { Failure } from './failure.ts'
import { type Finding, ok, problem, warning } from './finding.ts'
import { type DatabaseOrigin, findSession, postgresFolder, withDatabase } from './open-database.ts'

/** The pepper is checked only if there is one: new settings have none yet. */
export async function checkDatabase(config: Config, pepper?: string): Promise<Finding[]> {
  const isNew = config.databaseUrl === undefined && !(await hasCluster(config))
  if (isNew) return [ok('database', 'will be created at the first start')]
  try {
    return await withDatabase(config, (connection, origin) => checkServer(config, connection, origin, pepper))
  } catch (error) {
    // The message of an expected failure says what to do; for others there is only the log.
    const message = error instanceof Error ? error.message : String(error)
    const advice = error instanceof Failure ? message : `See the log of the database. (${message})`
    return [problem('database', `${nameDatabase(config)} cannot be used`, advice)]
  }
}

async function hasCluster(config: Config): Promise<boolean> {
  // Only checks that the folder exists: if we run as root, it belongs to another user.
  return (await stat(postgresFolder(config)).catch(() => undefined)) !== undefined
}

const origins: Record<DatabaseOrigin, string> = {
  external: 'is reachable',
  running: 'is running',
  started: 'works (it was started for this check)',
}

async function checkServer(
  config: Config,
  connection: DatabaseConnection,
  origin: DatabaseOrigin,
  pepper: string | undefined,
): Promise<Finding[]> {
  const client = createClient(connection, { applicationName: 'loyalty-wallet doctor' })
  await client.connect()
  try {
    const { schema, isNewer } = await checkSchema(client)
    const role = await checkRole(client, connection, isNewer)
    const session = await findSession(client, { isNewer })
    const cluster = await checkCluster(client, config, session)
    const isUsable = schema.status === 'ok' && [role, ...cluster].every(({ status }) => status !== 'problem')
    return [
      ok('database', `${nameDatabase(config)} ${origins[origin]}`),
      await checkVersion(client),
      await checkDurability(client),
      schema,
      role,
      ...cluster,
      ...(await checkReplica(config, client, session)),
      ...(pepper !== undefined && schema.status === 'ok' ? [await checkPepper(client, pepper)] : []),
      await checkClock(client),
      ...(isUsable ? await checkWorkOn(connection, await findSession(client), pepper) : []),
    ]
  } finally {
    await client.end()
  }
}

async function checkWorkOn(
  connection: DatabaseConnection,
  session: SessionOptions,
  pepper: string | undefined,
): Promise<Finding[]> {
  const applicationName = 'loyalty-wallet doctor'
  const pool = openPool(connection, { applicationName, maxConnections: 1, ...session })
  try {
    const passes = pepper === undefined ? [] : [await checkOrganizationKeys(pool, pepper)]
    return [...(await checkWork(pool)), ...passes]
  } finally {
    await pool.end()
  }
}

const oldest = 15
const newest = 18

async function checkVersion(client: Client): Promise<Finding> {
  const text = await show(client, 'server_version')
  const major = Math.floor(Number(await show(client, 'server_version_num')) / 10_000)
  const advice = `Use PostgreSQL ${oldest} to ${newest}.`
  if (major < oldest) return problem('version', `PostgreSQL ${text} is too old.`, advice)
  if (major > newest) return warning('version', `PostgreSQL ${text} has not been tested yet.`, advice)
  return ok('version', `PostgreSQL ${text}`)
}

const durability: Record<string, { isSafe(value: string): boolean; risk: string }> = {
  fsync: { isSafe: (value) => value === 'on', risk: 'a power failure can corrupt the database' },
  synchronous_commit: {
    isSafe: (value) => value !== 'off',
    risk: 'a crash can lose baskets that were confirmed to a till',
  },
  full_page_writes: { isSafe: (value) => value === 'on', risk: 'a power failure can corrupt pages' },
}

async function checkDurability(client: Client): Promise<Finding> {
  const risks: string[] = []
  const values: string[] = []
  for (const [name, { isSafe, risk }] of Object.entries(durability)) {
    const value = await show(client, name)
    values.push(`${name}=${value}`)
    if (!isSafe(value)) risks.push(`${name}=${value}: ${risk}`)
  }
  if (risks.length === 0) return ok('durability', values.join(' '))
  const advice = 'Set them to on in postgresql.conf, and look for ALTER ROLE or ALTER DATABASE settings.'
  return problem('durability', `${risks.join('; ')}.`, advice)
}

async function checkSchema(client: Client): Promise<{ schema: Finding; isNewer: boolean }> {
  try {
    const { version, pending, newer } = await readSchemaState(client)
    return { schema: describeSchema(version, pending, newer), isNewer: newer > 0 }
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error
    const schema = problem('schema', 'the schema does not match this program', error.message)
    return { schema, isNewer: true }
  }
}

function describeSchema(version: number, pending: number, newer: number): Finding {
  if (newer > 0) {
    return warning(
      'schema',
      `at version ${version}: a newer version of Loyalty Wallet has migrated it, and this one (${version - newer}) can run on it`,
      'That is meant for the time of an upgrade. Install the newer version here as well.',
    )
  }
  if (pending > 0) {
    return warning(
      'schema',
      `at version ${version}, but this program needs ${version + pending}`,
      'Run loyalty-wallet migrate, or start the service, which does it as well.',
    )
  }
  return ok('schema', `at version ${version}, as this program needs`)
}

async function checkPepper(client: Client, pepper: string): Promise<Finding> {
  await client.query('BEGIN')
  await client.query(setTenant(platformOrg))
  const isMatch = await isPepperOf(client, pepper)
  await client.query('COMMIT')
  if (isMatch === undefined) return ok('pepper', 'no credentials have been created yet')
  if (isMatch) return ok('pepper', 'matches the credentials in the database')
  const { message } = new WrongPepperError()
  return problem('pepper', 'the credentials in the database were made with another pepper', message)
}

/** Without the role everything works; what is missing is the safety net under a bug of ours. */
async function checkRole(client: Client, connection: DatabaseConnection, isNewer: boolean): Promise<Finding> {
  const state = await readRoleState(client, { isNewer })
  if (state.obstacle === undefined) return checkConnection(client, connection, isNewer)
  const exempt = state.isLoginExempt ? ', which is exempt from row level security' : ''
  const message = `the service works as ${state.login}${exempt}: ${obstacles[state.obstacle]}`
  return warning('role', message, `${remedies(state)[state.obstacle]} Then start the service again.`)
}

type Obstacle = NonNullable<RoleState['obstacle']>

const obstacles: Record<Obstacle, string> = {
  missing: `the role ${appRole} does not exist`,
  'not granted': `it cannot assume the role ${appRole}`,
  exempt: `the role ${appRole} is exempt from row level security, too`,
  'wrong grants': `the role ${appRole} has the wrong privileges on our tables`,
}

const remedies = ({ login }: RoleState): Record<Obstacle, string> => ({
  missing: `The next start creates it if ${login} is allowed to create roles. If not, have an administrator run: CREATE ROLE ${appRole} NOLOGIN; GRANT ${appRole} TO "${login}";`,
  'not granted': `Have an administrator run: GRANT ${appRole} TO "${login}";`,
  exempt: `Have an administrator run: ALTER ROLE ${appRole} NOSUPERUSER NOBYPASSRLS;`,
  'wrong grants':
    'The next start corrects them if the login owns the tables; otherwise run loyalty-wallet migrate as their owner.',
})

/** A connection pooler in between may drop our startup options, or mix up prepared statements. */
async function checkConnection(
  client: Client,
  connection: DatabaseConnection,
  isNewer: boolean,
): Promise<Finding> {
  try {
    await checkSession(connection, await findSession(client, { isNewer }))
    return ok('role', `the service works as ${appRole}`)
  } catch (error) {
    if (!(error instanceof SessionError)) throw error
    return problem('role', 'the service would not start on this connection', error.message)
  }
}

const noticeableMs = 1_000
const harmfulMs = 60_000

async function checkClock(client: Client): Promise<Finding> {
  const before = Date.now()
  const { rows } = await client.query<{ now: Date }>('SELECT clock_timestamp() AS now')
  // The time was read somewhere between sending the query and receiving the result.
  const ours = (before + Date.now()) / 2
  const offMs = Math.round((rows[0]?.now.getTime() ?? ours) - ours)
  const message = `the clock of the database differs from ours by ${Math.abs(offMs)} ms`
  const advice = 'Synchronize the clocks of both computers with NTP.'
  if (Math.abs(offMs) > harmfulMs) return problem('clock', message, advice)
  return Math.abs(offMs) > noticeableMs ? warning('clock', message, advice) : ok('clock', message)
}

async function show(client: Client, setting: string): Promise<string> {
  const { rows } = await client.query('SELECT current_setting($1) AS value', [setting])
  return rows[0].value
}
