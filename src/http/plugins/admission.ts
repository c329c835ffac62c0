/**
 * Lets calls begin their work in turns, between reading the body and the handler. Calls that share their
 * queries with others (baskets, previews, look-ups) take turns by the hundred; a call that needs a database
 * connection for itself takes turns for those, so that the few there are never all serve one organization.
 */
import type { FastifyRequest } from 'fastify'
import { Refused } from '../../domain/refusal.ts'
import type { Server } from '../fastify-server.ts'
import { createTurns, type Party, type Turns } from './turns.ts'

/** Which turns a call takes: none, those for calls that share their queries, or those for connections. */
export type Work = 'none' | 'shared' | 'own'

const maxWaiting = 5_000
/** A call that gets its turn when so much is left of its time has none for its work. */
const timeToWorkMs = 1_000
/** Twice what the two writers of baskets hold: the next two groups stand ready when they are done. */
const sharedPlaces = 1_024
/** What the groups and batches themselves need of the pool, mostly. */
const connectionsForShared = 2

export function letTakeTurns(app: Server, maxConnections: number, maxCallMs: number): void {
  const maxWaitMs = maxCallMs - timeToWorkMs
  const shared = createTurns({ maxRunning: sharedPlaces, share: 1, maxWaiting, maxWaitMs })
  const own = createTurns({
    maxRunning: Math.max(2, maxConnections - connectionsForShared),
    share: 1,
    maxWaiting,
    maxWaitMs,
  })
  const turnsOf: Record<Work, Turns | undefined> = { none: undefined, shared, own }
  app.decorateRequest('turn', undefined)

  app.addHook('preHandler', (request, _reply, done) => {
    const { access = 'public', work = access === 'public' || access === 'page' ? 'none' : 'own' } =
      request.routeOptions.config
    const turns = turnsOf[work]
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
  if (caller) return caller.organization.number
  if (wallet) return wallet.org
  return routeOptions.config.access === 'operator' ? 'operator' : 'without a token'
}
