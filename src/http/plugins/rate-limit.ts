/**
 * How often somebody may call, and the headers that say so before it comes to a refusal: `RateLimit-Policy` and
 * `RateLimit`, as in the IETF draft for rate limit headers (structured fields). Three limits, each
 * its own bucket: of the organization, of one connection to it, and of an address that sent no token.
 *
 * Whoever goes on at more than twice the limit waits a moment for each refusal. Refusing costs little but not
 * nothing, and a client that waits for its answers sends that much less.
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

/** Calls per second; undefined: no limit. */
export interface RateLimits {
  readonly organization?: number
  readonly connection?: number
  readonly address?: number
}

export interface CallLimits {
  /** Takes a call of this connection to this organization; a refusal to wait for when there is none left. */
  takeCall(
    reply: FastifyReply,
    organization: string,
    connection: string,
    nowMs: number,
  ): Promise<never> | undefined
  /** The same for a call without a token. */
  takeUnknown(reply: FastifyReply, address: string, nowMs: number): Promise<never> | undefined
  /** Whose call it is turned out: it counts there, and no longer against its address. */
  giveBackUnknown(address: string): void
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
  // A share among processes can be a fraction; what is announced is whole.
  return { ...createRateLimit(perSecond), name, policy: `"${name}";q=${Math.floor(perSecond)};w=1` }
}

/** `t` is how long until all of the quota is there again, which a bucket that refills in a second is in one. */
function announce(reply: FastifyReply, { name }: Named, { left }: Bucket, policy: string): void {
  reply.header('ratelimit-policy', policy)
  reply.header('ratelimit', `"${name}";r=${Math.floor(left)};t=1`)
}

const pauseMs = 200
/** More than these are not kept waiting: each holds its connection. */
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
  throw new Refused('_too_many_requests', `This ${limit.name} makes too many calls.`).after(seconds)
}
