/**
 * Admission control: a request gets a slot after its body is read and before its handler runs. Requests that
 * share their queries with others (baskets, previews, lookups) have hundreds of slots; a request that needs a
 * database connection of its own waits for one of those, so that one organization never holds them all.
 */
import type { FastifyRequest } from 'fastify'
import { Refused } from '../../domain/refusal.ts'
import type { Server } from '../fastify-server.ts'
import { createTurns, type Party, type Turns } from './turns.ts'

/** Queue of a request: none, for requests with shared queries, or for requests that hold a connection. */
export type Lane = 'none' | 'batched' | 'connection'

const maxWaiting = 5_000
/** Time reserved for the operation itself: a slot granted later than this before the deadline is useless. */
const workTimeMs = 1_000
/** Twice what the two basket writers hold, so that the next two groups are ready when they finish. */
const batchedSlots = 1_024
/** Connections that the groups and batches themselves usually need. */
const connectionsForBatches = 2

export function registerAdmission(app: Server, maxConnections: number, maxCallMs: number): void {
  const maxWaitMs = maxCallMs - workTimeMs
  const batched = createTurns({ maxRunning: batchedSlots, share: 1, maxWaiting, maxWaitMs })
  const connection = createTurns({
    maxRunning: Math.max(2, maxConnections - connectionsForBatches),
    share: 1,
    maxWaiting,
    maxWaitMs,
  })
  const turnsOf: Record<Lane, Turns | undefined> = { none: undefined, batched, connection }
  app.decorateRequest('turn', undefined)

  app.addHook('preHandler', (request, _reply, done) => {
    const { access = 'public', lane = access === 'public' || access === 'page' ? 'none' : 'connection' } =
      request.routeOptions.config
    const turns = turnsOf[lane]
    if (!turns) return done()
    const party = partyOf(request)
    turns.take(party, (refused) => {
      if (refused) return done(refused)
      // The response has been sent, so no hook will run that could release the slot.
      if (request.isLate) return void setImmediate(() => turns.leave(party))
      request.turn = { turns, party }
      // A client that disconnected while waiting will retry, and need not be served twice.
      done(request.raw.socket.destroyed ? new Refused('_unavailable') : undefined)
    })
  })

  // Not in `onResponse`, which does not run if the client has disconnected.
  app.addHook('onSend', (request, _reply, _payload, done) => {
    const { turn } = request
    if (turn) {
      request.turn = undefined
      turn.turns.leave(turn.party)
    }
    done()
  })
}

/** The operator has a queue of its own, so that a flood of token requests does not block it. */
function partyOf({ caller, wallet, routeOptions }: FastifyRequest): Party {
  if (caller) return caller.organization.orgId
  if (wallet) return wallet.org
  return routeOptions.config.access === 'operator' ? 'operator' : 'without a token'
}
