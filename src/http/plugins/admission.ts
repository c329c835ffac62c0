/**
 * Admission control: a request gets a slot after its body is read and before its handler runs. Requests that
 * share their queries with others (baskets, previews, lookups) have hundreds of slots; a request that needs a
 * database connection of its own waits for one of those, so that one organization never holds them all.
 */
import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import { Refused } from '../../domain/refusal.ts'
import { maxRulesOnCard } from '../../engine/definition/card-load.ts'
import type { Deps } from '../../operations/deps.ts'
import type { SetupCache } from '../../operations/organizations/setup-cache.ts'
import type { Server } from '../fastify-server.ts'
import { createPresence, maxSteps, type Party } from './processor-share.ts'
import { createTurns, type Turns } from './turns.ts'
import { createUnsentReplies } from './unsent-replies.ts'

/** Queue of a request: none, for requests with shared queries, or for requests that hold a connection. */
export type Lane = 'none' | 'batched' | 'connection'

const maxWaiting = 5_000
/** Time reserved for the operation itself: a slot granted later than this before the deadline is useless. */
const workTimeMs = 1_000
/** Twice what the two basket writers of an organization hold, so that the next two groups are ready then. */
const batchedSlots = 1_024
/** Connections that groups and batches find free, however many requests hold one of their own. */
const connectionsForBatches = 2

/** The queues of an application, for its metrics. */
export type Lanes = Readonly<Record<Exclude<Lane, 'none'>, Pick<Turns, 'waiting' | 'oldestWaitMs'>>>

export function registerAdmission(app: Server, { pool, setupCache }: Deps, maxCallMs: number): void {
  const shared = { share: 1, maxWaiting, maxWaitMs: maxCallMs - workTimeMs, presence: createPresence() }
  const batched = createTurns({ maxRunning: batchedSlots, ...shared })
  const maxRunning = Math.max(2, pool.options.max - connectionsForBatches)
  const unsent = createUnsentReplies(() => connection.serve())
  const connection = createTurns({ maxRunning, ...shared, mayStart: unsent.hasRoom })
  const turnsOf: Record<Lane, Turns | undefined> = { none: undefined, batched, connection }
  app.decorate('lanes', { batched, connection } satisfies Lanes)
  app.decorateRequest('turn', undefined)

  app.addHook('preHandler', (request, _reply, done) => {
    // Read once: the framework builds it anew each time.
    const { config } = request.routeOptions
    const { access = 'public', lane = access === 'public' || access === 'page' ? 'none' : 'connection' } =
      config
    const turns = turnsOf[lane]
    if (!turns) return done()
    const party = partyOf(request, config)
    const steps = stepsOf(request, config, setupCache)
    const start = (refused?: Refused) => {
      if (refused) return done(refused)
      // The response has been sent, so no hook will run that could release the slot.
      if (request.isLate) return void setImmediate(() => turns.leave(party, steps))
      request.turn = { turns, party, steps }
      // A client that disconnected while waiting will retry, and need not be served twice.
      done(request.raw.socket.destroyed ? new Refused('_unavailable') : undefined)
    }
    turns.take(party, start, steps)
  })

  // Not in `onResponse`, which does not run if the client has disconnected.
  app.addHook('onSend', (request, reply, payload, done) => {
    const { turn } = request
    if (!turn) return done()
    request.turn = undefined
    unsent.watch(turn.party, reply, payload)
    turn.turns.leave(turn.party, turn.steps)
    done()
  })
}

/** A rule that gives costs this much besides its lines: an entry in the ledger and in the response. */
const stepsPerRule = 10

/**
 * What a request will cost, as far as that is known before it starts. For a basket that is decided by its lines
 * and by the rules on the organization's cards; for one whose setup is not cached yet it may be the most.
 */
function stepsOf(
  { body, caller }: FastifyRequest,
  { lane, isLong }: FastifyContextConfig,
  setupCache: SetupCache,
): number {
  if (isLong) return maxSteps
  if (lane !== 'batched' || !caller) return 0
  const { items } = Object(body) as { items?: unknown }
  const lines = Array.isArray(items) ? items.length : 0
  const rules = setupCache.peek(caller.organization.id)?.mostRules ?? maxRulesOnCard
  return Math.min(maxSteps, (lines + stepsPerRule) * rules)
}

/** The operator has a queue of its own, so that a flood of token requests does not block it. */
function partyOf(
  { caller, wallet, enrollment, source }: FastifyRequest,
  { access }: FastifyContextConfig,
): Party {
  if (caller) return caller.organization.orgId
  if (wallet) return wallet.org
  if (enrollment) return enrollment.org
  if (source) return source.org
  return access === 'operator' ? 'operator' : 'without a token'
}
