/**
 * How often somebody may call, and the headers that say so before it comes to a refusal: `RateLimit-Policy` and
 * `RateLimit`, as in the IETF draft for rate limit headers (structured fields). Three limits, each
 * its own bucket: of the organization, of one connection to it, and of an address that sent no token.
 */
import type { FastifyReply } from 'fastify'
import { Refused } from '../domain/refusal.ts'
import { networkOf } from '../operations/guess-limit.ts'
import { type Bucket, createRateLimit, type RateLimit, secondsToWait } from '../operations/rate-limit.ts'

/** Calls per second; undefined: no limit. */
export interface RateLimits {
  readonly organization?: number
  readonly connection?: number
  readonly address?: number
}

export interface CallLimits {
  /** Takes a call of this connection to this organization; throws when there is none left. */
  takeCall(reply: FastifyReply, organization: string, connection: string, nowMs: number): void
  /** The same for a call without a token. */
  takeUnknown(reply: FastifyReply, address: string, nowMs: number): void
}

interface Named extends RateLimit {
  readonly name: string
  readonly policy: string
}

export function createCallLimits(limits: RateLimits): CallLimits {
  const organizations = limitOf('organization', limits.organization)
  const addresses = limitOf('address', limits.address)
  // A connection that may do as much as its organization has no limit of its own.
  const isTighter = limits.connection !== undefined && limits.connection < (limits.organization ?? Infinity)
  const connections = isTighter ? limitOf('connection', limits.connection) : undefined
  const policy = [organizations, connections].flatMap((limit) => limit?.policy ?? []).join(', ')

  return {
    takeCall(reply, organization, connection, nowMs) {
      // The tighter one first: what it refuses must not be taken from the organization's other connections.
      const own = connections?.take(connection, nowMs)
      if (own && !own.isAllowed) return refuse(reply, connections!, own, policy)
      const all = organizations?.take(organization, nowMs)
      if (all && !all.isAllowed) return refuse(reply, organizations!, all, policy)
      if (own && (!all || own.left < all.left)) announce(reply, connections!, own, policy)
      else if (all) announce(reply, organizations!, all, policy)
    },
    takeUnknown(reply, address, nowMs) {
      if (!addresses) return
      const bucket = addresses.take(networkOf(address), nowMs)
      if (!bucket.isAllowed) return refuse(reply, addresses, bucket, addresses.policy)
      announce(reply, addresses, bucket, addresses.policy)
    },
  }
}

function limitOf(name: string, perSecond: number | undefined): Named | undefined {
  if (perSecond === undefined) return undefined
  // A share among processes can be a fraction; what is announced is whole.
  return { ...createRateLimit(perSecond), name, policy: `"${name}";q=${Math.floor(perSecond)};w=1` }
}

/** `t` is how long until all of the quota is there again, which a bucket that refills in a second is in one. */
function announce(reply: FastifyReply, { name }: Named, { left }: Bucket, policy: string): void {
  reply.header('ratelimit-policy', policy)
  reply.header('ratelimit', `"${name}";r=${Math.floor(left)};t=1`)
}

function refuse(reply: FastifyReply, limit: Named, bucket: Bucket, policy: string): never {
  const seconds = secondsToWait(bucket, limit)
  reply.header('ratelimit-policy', policy)
  reply.header('ratelimit', `"${limit.name}";r=0;t=${seconds}`)
  throw new Refused('_too_many_requests', `This ${limit.name} makes too many calls.`).after(seconds)
}
