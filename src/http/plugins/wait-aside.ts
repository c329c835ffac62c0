/**
 * A request that waits for something to happen stands aside: it holds no slot, its time does not count for its
 * deadline or in the metrics, and its connection may be silent meanwhile.
 */
import type { FastifyRequest } from 'fastify'
import { Refused } from '../../domain/refusal.ts'

/** Runs `wait`; the request has no slot afterwards, until it calls the function that it gets with the result. */
export async function waitAside<T>(
  request: FastifyRequest,
  wait: () => Promise<T>,
): Promise<{ result: T; takeTurn: () => Promise<void> }> {
  const takeTurn = leaveTurn(request)
  const { socket } = request.raw
  const { waitedMs, server } = request
  const startedMs = performance.now()
  request.waitedMs = Number.POSITIVE_INFINITY
  // Requests that tests inject have a socket that is none.
  socket.setTimeout?.(0)
  try {
    return { result: await wait(), takeTurn }
  } finally {
    request.waitedMs = waitedMs + performance.now() - startedMs
    socket.setTimeout?.(server.server.timeout)
  }
}

function leaveTurn(request: FastifyRequest): () => Promise<void> {
  const { turn } = request
  if (!turn) return async () => {}
  const { turns, party, steps } = turn
  request.turn = undefined
  turns.leave(party, steps)
  return () =>
    new Promise((resolve, reject) => {
      const start = (refused?: Refused) => {
        if (refused) return reject(refused)
        // The response has been sent, so no hook will run that could release the slot.
        if (request.isLate) {
          setImmediate(() => turns.leave(party, steps))
          return reject(new Refused('_unavailable'))
        }
        request.turn = turn
        resolve()
      }
      turns.take(party, start, steps)
    })
}
