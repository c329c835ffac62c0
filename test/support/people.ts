/** People of a merchant, and calls made with their session. */
import type { Role } from '../../src/domain/person.ts'
import { adminToken, type Merchant, type Method, type Reply, type TestService } from './service.ts'

export interface TestPerson {
  readonly id: string
  readonly email: string
  readonly password: string
  /** `lw_session=…`, as a browser sends it. */
  readonly cookie: string
  /** What was answered when the invitation was used. */
  readonly joined: Reply
  call(method: Method, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
}

let made = 0

/** Invited by the operator, as the first owner of a merchant is, and joined. */
export async function createTestPerson(
  service: TestService,
  merchant: Pick<Merchant, 'id'>,
  role: Role = 'owner',
): Promise<TestPerson> {
  const email = `person-${++made}@example.com`
  const password = `password of person ${made}`
  const invited = await service.call('POST', `/admin/v1/organizations/${merchant.id}/people`, {
    token: adminToken,
    body: { email, role },
  })
  if (invited.status !== 201) throw new Error(invited.text)
  const joined = await service.call('POST', '/auth/invitation', {
    body: { token: tokenIn(invited), password },
  })
  if (joined.status !== 200) throw new Error(joined.text)
  return { id: invited.body.id, email, password, ...withSession(service, joined) }
}

/** The token of an invitation, in the reply that shows it. */
export function tokenIn({ body }: Reply): string {
  return new URL((body.invitation ?? body).url).hash.slice(1)
}

/** The cookie that a reply sets, as a browser sends it back. */
export function cookieIn({ headers }: Reply): string {
  return String(headers['set-cookie']).split(';')[0]!
}

/** Calls with the session that a reply has opened. */
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
