/**
 * Checks who calls, on every call and before the body is read: the token by its signature and expiry, the
 * organization's subscription in the database, the scope of the route, and the organization's rate limit.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refused } from '../domain/refusal.ts'
import type { Caller, Deps } from '../operations/deps.ts'
import type { ReadOrganization } from '../operations/organization-reader.ts'
import type { RateLimit } from './rate-limit.ts'

export interface AuthenticateOptions {
  readonly deps: Deps
  readonly adminToken: string
  readonly readOrganization: ReadOrganization
  /** Undefined: no limit. */
  readonly rateLimit?: RateLimit
}

export function createAuthenticate(options: AuthenticateOptions) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const access = request.routeOptions.config.access ?? 'public'
    if (access === 'public') return
    const token = bearerToken(request)
    if (access === 'operator') {
      if (!options.deps.credentials.equal(token, options.adminToken)) throw new Refused('_unauthorized')
      return
    }
    const caller = await findCaller(options, token)
    request.caller = caller
    const limited = options.rateLimit?.take(caller.organization.number, options.deps.clock())
    if (limited && !limited.isAllowed) {
      reply.header('retry-after', String(limited.retryAfterSeconds))
      throw new Refused('_too_many_requests')
    }
    if (!access.some((scope) => caller.scopes.includes(scope))) {
      throw new Refused('_forbidden', `This call needs the scope "${access.join('" or "')}".`)
    }
  }
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

async function findCaller(options: AuthenticateOptions, token: string): Promise<Caller> {
  const verification = await options.deps.accessTokens.verify(token, options.deps.clock())
  if (!verification.ok) throw new Refused(verificationRefusals[verification.reason])
  const { claims } = verification
  const organization = await options.readOrganization(claims.organization)
  if (!organization) throw new Refused('_unauthorized')
  if (!organization.isSubscribed) throw new Refused('invalid_subscription')
  return { organization, user: claims.user, scopes: claims.scopes }
}
