/** A merchant's people, and requests made with their sessions. */
import type { Role } from '../../src/domain/person.ts'
import { organizationIn } from '../../src/operations/auth/credentials.ts'
import { insertPersonSession } from '../../src/store/person-sessions.ts'
import { tenantOf } from '../../src/store/tenant.ts'
import { adminToken, type Merchant, type Method, type Reply, type TestService } from './service.ts'

export interface TestPerson {
  readonly id: string
  readonly email: string
  readonly password: string
  /** `lw_session=…`, as a browser sends it. */
  readonly cookie: string
  /** The response to using the invitation. */
  readonly joined: Reply
  call(method: Method, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
}

let made = 0

/** Invites a person as the operator, as for a merchant's first owner. */
export async function inviteTestPerson(
  service: Pick<TestService, 'call'>,
  merchant: Pick<Merchant, 'id'>,
  role: Role = 'owner',
): Promise<Reply> {
  const invited = await service.call('POST', `/admin/v1/organizations/${merchant.id}/people`, {
    token: adminToken,
    body: { email: `person-${++made}@example.com`, role },
  })
  if (invited.status !== 201) throw new Error(invited.text)
  return invited
}

/** Invites a person and uses the invitation. */
export async function createTestPerson(
  service: TestService,
  merchant: Pick<Merchant, 'id'>,
  role: Role = 'owner',
): Promise<TestPerson> {
  const invited = await inviteTestPerson(service, merchant, role)
  const { email } = invited.body
  // Hard to guess, and short: how long it takes to estimate that grows with the length.
  const password = `kzvqwmrjxthf${/\d+/.exec(email)![0]}`
  const joined = await service.call('POST', '/auth/invitation', {
    body: { token: tokenIn(invited), password },
  })
  if (joined.status !== 200) throw new Error(joined.text)
  return { id: invited.body.id, email, password, ...withSession(service, joined) }
}

const quickPassword = 'the same for all of them'
let quickHash: Promise<string> | undefined

/**
 * Creates a person with a session, a password and an open invitation. It bypasses the service, for tests
 * about something else that need hundreds of people: a hash takes longer than most requests.
 */
export async function createQuickPerson(
  { call, deps }: Pick<TestService, 'call' | 'deps'>,
  merchant: Pick<Merchant, 'id'>,
  role: Role = 'owner',
): Promise<Pick<TestPerson, 'id' | 'email' | 'password' | 'cookie'> & { invitation: string }> {
  const invited = await inviteTestPerson({ call }, merchant, role)
  const { id, email } = invited.body
  const invitation = tokenIn(invited)
  const own = tenantOf(deps.pool, organizationIn('lwi', invitation)!)
  quickHash ??= deps.passwords.hash(quickPassword)
  await own.db.query('UPDATE people SET password_hash = $2 WHERE org_id = $1 AND id = $3', [
    own.orgId,
    await quickHash,
    id.replace('psn_', ''),
  ])
  const token = deps.credentials.createFor('lwp', own.orgId)
  await insertPersonSession(own, { hash: deps.credentials.hash(token), person: id, now: deps.clock() })
  return { id, email, password: quickPassword, cookie: `lw_session=${token}`, invitation }
}

/** The invitation token in the response that shows it. */
export function tokenIn({ body }: Reply): string {
  return new URL((body.invitation ?? body).url).hash.slice(1)
}

/** The cookie that a response sets, as a browser sends it back. */
export function cookieIn({ headers }: Reply): string {
  return String(headers['set-cookie']).split(';')[0]!
}

/** Sends requests with the session that a response has opened. */
export function withSession(
  service: TestService,
  joined: Reply,
): Pick<TestPerson, 'joined' | 'cookie' | 'call'> {
  const cookie = cookieIn(joined)
  return {
    joined,
    cookie,
    call: (method, path, body, headers) =>
      service.call(method, path, { body, headers: { cookie, ...headers } }),
  }
}

export function signIn(
  service: TestService,
  { email, password }: { email: string; password: string },
  address?: string,
): Promise<Reply> {
  return service.call('POST', '/auth/session', { body: { email, password }, address })
}

/**
 * Copies one of the merchant's rows until there are `until` of them, bypassing the service: for tests of
 * upper limits.
 */
export async function copyRows(
  { database }: Pick<TestService, 'database'>,
  { id }: Pick<Merchant, 'id'>,
  table: 'connections' | 'people' | 'sources' | 'webhooks',
  until: number,
): Promise<void> {
  const kind = {
    connections: 'user_id, integration_id, scopes',
    people: 'user_id, role, updated_at',
    sources: 'kind, name, status, registers_customers, user_id, updated_at',
    webhooks: 'url, status, position, updated_at',
  }[table]
  const { pool } = database
  const own = '(SELECT org_id FROM organizations WHERE id = $1)'
  const values = [id.replace('org_', '')]
  const { rows } = await pool.query(`SELECT count(*)::int AS n FROM ${table} WHERE org_id = ${own}`, values)
  await pool.query(
    `INSERT INTO ${table} (org_id, id, created_at, ${kind})
     SELECT org_id, gen_random_uuid(), created_at, ${kind}
     FROM (SELECT * FROM ${table} WHERE org_id = ${own} LIMIT 1) one, generate_series(1, $2)`,
    [...values, until - rows[0].n],
  )
}
