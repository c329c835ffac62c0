/**
 * Lets calls begin their work in turns, between reading the body and the handler. Calls that share their
 * queries with others (baskets, previews, look-ups) take turns by the hundred; a call that needs a database
 * connection for itself takes turns for those, so that the few there are never all serve one organization.
 */
import type { FastifyRequest } from 'fastify'
import { Refused } from '../../domain/refusal.ts'
import type { Server } from '../fastify-server.ts'
import { createTurns, type Party, type Turns } from './turns.ts'

/** The line a call waits in: none, that of calls that share their queries, or that of calls that hold a connection. */
export type Lane = 'none' | 'batched' | 'connection'

const maxWaiting = 5_000
/** A call that gets its turn when so much is left of its time has none for its work. */
const timeToWorkMs = 1_000
/** Twice what the two writers of baskets hold: the next two groups stand ready when they are done. */
const batchedPlaces = 1_024
/** What the groups and batches themselves need of the pool, mostly. */
const connectionsForBatches = 2

export function registerAdmission(app: Server, maxConnections: number, maxCallMs: number): void {
  const maxWaitMs = maxCallMs - timeToWorkMs
  const batched = createTurns({ maxRunning: batchedPlaces, share: 1, maxWaiting, maxWaitMs })
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
      // Its answer has been given, and no hook will run any more that could leave the place.
      if (request.isLate) return void setImmediate(() => turns.leave(party))
      request.turn = { turns, party }
      // Whoever has gone while waiting repeats the call, and need not be served twice.
      done(request.raw.socket.destroyed ? new Refused('_unavailable') : undefined)
    })
  })

  // Not after the answer was sent: of a call whose client has gone nobody hears whether it was.
  app.addHook('onSend', (request, _reply, _payload, done) => {
    const { turn } = request
    if (turn) {
      request.turn = undefined
      turn.turns.leave(turn.party)
    }
    done()
  })
}

/** Whoever asks for tokens in great numbers must not stand in the operator's way either. */
function partyOf({ caller, wallet, routeOptions }: FastifyRequest): Party {
  if (caller) return caller.organization.orgId
  if (wallet) return wallet.org
  return routeOptions.config.access === 'operator' ? 'operator' : 'without a token'
}
