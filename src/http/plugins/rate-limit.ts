/**
 * Rate limits, and the headers that announce them before a request is refused: `RateLimit-Policy` and
 * `RateLimit`, as in the IETF draft for rate limit headers (structured fields). There are three limits, each
 * with its own buckets: per organization, per connection, and per IP address for requests without a token.
 *
 * A client that keeps sending at more than twice the limit gets each refusal after a short delay. Refusing is
 * cheap but not free, and a client that waits for its responses sends that much less.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import { Refused } from '../../domain/refusal.ts'
import { networkOf } from '../../operations/auth/guess-limit.ts'
import {
  type Bucket,
  createRateLimit,
  isFlooded,
  type RateLimit,
  secondsToWait,
} from '../../operations/rate-limit.ts'

/** Requests per second; undefined means no limit. */
export interface RateLimits {
  readonly organization?: number
  readonly connection?: number
  readonly address?: number
}

export interface CallLimits {
  /** Counts a request of this connection to this organization; returns a refusal to await if none is left. */
  takeCall(
    reply: FastifyReply,
    organization: string,
    connection: string,
    nowMs: number,
  ): Promise<never> | undefined
  /** Counts a request without a token. */
  takeUnknown(reply: FastifyReply, address: string, nowMs: number): Promise<never> | undefined
  /** Gives the request back once its caller is known: it then counts there and not against the IP address. */
  giveBackUnknown(address: string): void
}

interface Named extends RateLimit {
  readonly name: string
  readonly policy: string
}

export function createCallLimits(limits: RateLimits): CallLimits {
  const organizations = limitOf('organization', limits.organization)
  const addresses = limitOf('address', limits.address)
  // A connection limit that is not below that of the organization has no effect.
  const isTighter = limits.connection !== undefined && limits.connection < (limits.organization ?? Infinity)
  const connections = isTighter ? limitOf('connection', limits.connection) : undefined
  const policy = [organizations, connections].flatMap((limit) => limit?.policy ?? []).join(', ')

  return {
    takeCall(reply, organization, connection, nowMs) {
      // The tighter limit first: what it refuses must not count against the organization's other connections.
      const own = connections?.take(connection, nowMs)
      if (own && !own.isAllowed) return refuse(reply, connections!, own, policy)
      const all = organizations?.take(organization, nowMs)
      if (all && !all.isAllowed) return refuse(reply, organizations!, all, policy)
      if (own && (!all || own.left < all.left)) announce(reply, connections!, own, policy)
      else if (all) announce(reply, organizations!, all, policy)
      return undefined
    },
    takeUnknown(reply, address, nowMs) {
      if (!addresses) return undefined
      const bucket = addresses.take(networkOf(address), nowMs)
      if (!bucket.isAllowed) return refuse(reply, addresses, bucket, addresses.policy)
      announce(reply, addresses, bucket, addresses.policy)
      return undefined
    },
    giveBackUnknown(address) {
      addresses?.giveBack(networkOf(address))
    },
  }
}

function limitOf(name: string, perSecond: number | undefined): Named | undefined {
  if (perSecond === undefined) return undefined
  // The share of one process can be a fraction; the announced limit is a whole number.
  return { ...createRateLimit(perSecond), name, policy: `"${name}";q=${Math.floor(perSecond)};w=1` }
}

/** `t` is the time until the full quota is available again: a bucket refills within a second. */
function announce(reply: FastifyReply, { name }: Named, { left }: Bucket, policy: string): void {
  reply.header('ratelimit-policy', policy)
  reply.header('ratelimit', `"${name}";r=${Math.floor(left)};t=1`)
}

const pauseMs = 200
/** At most this many are delayed at a time, since each holds its connection. */
const maxPaused = 2_000
let paused = 0

async function refuse(reply: FastifyReply, limit: Named, bucket: Bucket, policy: string): Promise<never> {
  const seconds = secondsToWait(bucket, limit)
  reply.header('ratelimit-policy', policy)
  reply.header('ratelimit', `"${limit.name}";r=0;t=${seconds}`)
  if (isFlooded(bucket, limit) && paused < maxPaused) {
    paused++
    await sleep(pauseMs)
    paused--
  }
  throw new Refused('_too_many_requests', `This ${limit.name} makes too many requests.`).after(seconds)
}
