/**
 * Authenticates every request before its body is read: the token by its signature and expiry, the rate
 * limits, the organization's subscription and the credentials behind the token in the database, and the scope
 * of the route. The rate limits come before the database, so that a flood is refused at no cost to others.
 * Routes with `readsSetup` (baskets, look-ups, returns, registrations and every other change of a wallet) leave
 * what is in the database to their operation, which reads it together with the customer: that saves a round trip. A
 * person's session is in a cookie, which is used if no token is sent.
 */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { modeOf } from '../../domain/organization.ts'
import { Refused } from '../../domain/refusal.ts'
import { findSession, scopesIn } from '../../operations/auth/person-sessions.ts'
import type { Caller, Deps } from '../../operations/deps.ts'
import type { OrganizationReader } from '../../operations/organizations/organization-reader.ts'
import type { ServerOptions } from '../server-options.ts'
import type { CallLimits } from './rate-limit.ts'
import { refuseOtherSites, type Site, sessionToken, siteOf } from './session-cookie.ts'

interface AuthenticateOptions {
  readonly deps: Deps
  readonly site: Site
  readonly organizations: OrganizationReader
  readonly limits: CallLimits
}

export function createAuthenticate(
  server: ServerOptions,
  organizations: OrganizationReader,
  limits: CallLimits,
) {
  const { deps, adminToken } = server
  const site = siteOf(server)
  const options = { deps, site, organizations, limits }
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { access = 'public', readsSetup = false } = request.routeOptions.config
    if (access === 'page') return
    const now = deps.clock()
    if (access === 'public') return limits.takeUnknown(reply, request.ip, now.getTime())
    if (access === 'operator') {
      // Compared first: others behind the same address must not keep the operator out.
      if (deps.credentials.equal(bearerToken(request), adminToken)) return
      throw deps.guesses.wrongOperator(request.ip)
    }
    const { authorization, cookie } = request.headers
    if (access === 'session') {
      const session = sessionToken(cookie, site)
      if (session === undefined) throw new Refused('_unauthorized', 'Sign in with POST /auth/session.')
      request.caller = await findPerson(options, request, reply, session, now)
      return
    }
    const session = authorization === undefined ? sessionToken(cookie, site) : undefined
    const caller =
      session === undefined
        ? await findCaller(options, request, reply, now, readsSetup)
        : await findPerson(options, request, reply, session, now)
    request.caller = caller
    if (!access.some((scope) => caller.scopes.includes(scope))) {
      throw new Refused('_forbidden', sayRequired(access))
    }
  }
}

/** Checks the caller of a request that has waited as at its beginning, but without counting it a second time. */
export function createCheckAgain(server: ServerOptions, organizations: OrganizationReader) {
  const { deps } = server
  const site = siteOf(server)
  return async (request: FastifyRequest): Promise<void> => {
    const { caller } = request
    const now = deps.clock()
    if (caller.token) {
      const verification = await deps.accessTokens.verify(bearerToken(request), now)
      if (!verification.ok) throw new Refused(verificationRefusals[verification.reason])
      await organizations.readSubscribed({ organization: caller.organization.id, token: caller.token })
      return
    }
    const session = await findSession(deps, sessionToken(request.headers.cookie, site) ?? '', now)
    if (!session) throw endedSession()
    if (!session.organization.isSubscribed) throw new Refused('invalid_subscription')
    const { access } = request.routeOptions.config
    if (Array.isArray(access) && !access.some((scope) => scopesIn(session).includes(scope)))
      throw new Refused('_forbidden', sayRequired(access))
  }
}

const endedSession = () =>
  new Refused('_unauthorized', 'The session does not exist or has ended. Sign in again.')

/** No connection can have the scope `people`, and no role but the owner has it. */
function sayRequired(scopes: readonly string[]): string {
  return scopes.every((scope) => scope === 'people')
    ? 'Only an owner who has signed in can do this.'
    : `This request requires the scope "${scopes.join('" or "')}".`
}

function bearerToken(request: FastifyRequest): string {
  const match = /^Bearer +([^\s]+) *$/i.exec(request.headers.authorization ?? '')
  if (!match) throw new Refused('_unauthorized', 'Send "Authorization: Bearer <accessToken>".')
  return match[1]!
}

const verificationRefusals = {
  malformed: '_jwt_malformed',
  foreign: '_unauthorized',
  expired: '_jwt_expired',
} as const

async function findCaller(
  { deps, limits, organizations }: AuthenticateOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  now: Date,
  readsSetup: boolean,
): Promise<Caller> {
  const verification = await deps.accessTokens.verify(bearerToken(request), now)
  if (!verification.ok) {
    // An expired token was ours: its till has to be told so, however often it sends it.
    const tooMany = verification.reason === 'expired' ? undefined : deps.guesses.foreignToken(request.ip)
    throw tooMany ?? new Refused(verificationRefusals[verification.reason])
  }
  const { claims } = verification
  // Before the limits: a caller that was evicted must not use up those of the organization.
  if (claims.credentials) organizations.refuseEnded(claims.credentials)
  // A connection always acts as its own user, whichever token it uses.
  const refusal = limits.takeCall(reply, claims.organization, claims.user, now.getTime())
  if (refusal) await refusal
  const token = claims.credentials ?? (await deps.earlierTokens.findCredentials(claims))
  if (!token) throw new Refused('_unauthorized')
  const { user, scopes } = claims
  const kind = 'connection'
  if (readsSetup) {
    const organization = deps.setupCache.peek(claims.organization)?.organization
    // The clock of a test organization may have been set forward since, and the request has to know the time.
    const isKnown = organization?.isSubscribed && modeOf(organization) === 'live'
    if (isKnown) return { organization, user, kind, scopes, token, isRemembered: true }
  }
  const organization = await organizations.readSubscribed({ organization: claims.organization, token })
  return { organization, user, kind, scopes, token }
}

/**
 * Only the database knows whose session it is, so until then the request counts against the limit of its IP
 * address: an attacker with made-up sessions must not use up the limit of an organization.
 */
async function findPerson(
  { deps, site, limits }: AuthenticateOptions,
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
  now: Date,
): Promise<Caller> {
  refuseOtherSites(request, site)
  await limits.takeUnknown(reply, request.ip, now.getTime())
  const session = await findSession(deps, token, now)
  if (!session) {
    throw deps.guesses.foreignToken(request.ip) ?? endedSession()
  }
  limits.giveBackUnknown(request.ip)
  const { organization, user } = session
  await limits.takeCall(reply, organization.id, user, now.getTime())
  if (!organization.isSubscribed) throw new Refused('invalid_subscription')
  request.session = session
  return { organization, user, kind: 'person', scopes: scopesIn(session), session }
}

/**
 * The error that a request gets. If it was refused before the operation began, for example because of its
 * body, the token and the subscription have not been checked yet; those refusals take precedence over all
 * others.
 */
export async function firstRefusal(
  error: Error,
  { caller }: FastifyRequest,
  organizations: OrganizationReader,
): Promise<Error> {
  // An error of the framework has a client status; an unexpected error has none, or a 5xx.
  const status = (error as Partial<FastifyError>).statusCode ?? 500
  const isRefusal = error instanceof Refused ? error.code !== '_unavailable' : status < 500
  if (!caller?.isRemembered || !caller.token || !isRefusal) return error
  const owner = { organization: caller.organization.id, token: caller.token }
  return organizations.readSubscribed(owner).then(
    () => error,
    (first: Error) => (first instanceof Refused ? first : error),
  )
}
