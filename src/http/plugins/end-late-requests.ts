/**
 * Every request has a deadline. Each step of a request has its own timeout, but with a stalled database the
 * steps wait for one another, and a request goes through several. After its deadline the client is told that
 * the outcome is unknown, which a retry with the same receipt number or idempotency key settles.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refused } from '../../domain/refusal.ts'
import { LinkedList } from '../../operations/linked-list.ts'
import type { Server } from '../fastify-server.ts'

/** Longer than the timeout of a database statement, and shorter than the timeout of most clients. */
export const defaultMaxCallMs = 10_000
const checkEveryMs = 250

export function endLateRequests(app: Server, maxCallMs: number): void {
  app.decorateRequest('isLate', false)
  app.decorateRequest('waitedMs', 0)
  app.decorateRequest('startedMs', 0)
  // In order of arrival, so that a check stops at the first request within its deadline. Those that wait or have waited
  // for something to happen are passed over. One timer for each request would cost more.
  const running = new LinkedList<FastifyReply>()
  app.decorateReply('running', undefined)
  const timer = setInterval(() => {
    for (const reply of running) {
      const { waitedMs } = reply.request
      if (elapsedMs(reply.request) - waitedMs < maxCallMs) {
        if (waitedMs === 0) return
        continue
      }
      // The client has not sent everything; the server has a separate timeout and message for that. If it has left, the
      // framework may wait for the rest for good, and no hook runs for this request any more.
      if (!reply.request.raw.complete) {
        if (reply.request.raw.socket.destroyed) running.remove(reply.running!)
        continue
      }
      running.remove(reply.running!)
      reply.request.isLate = true
      if (!reply.sent && !reply.raw.headersSent)
        reply.send(new Refused('_unavailable', 'The request took too long. Retry in a moment.'))
    }
  }, checkEveryMs)
  timer.unref()

  app.addHook('onRequest', (request, reply, done) => {
    request.startedMs = performance.now()
    reply.running = running.add(reply)
    done()
  })
  // A long answer that is being sent has no deadline: the client sees it arrive. Not in `onResponse`, which does not run
  // if the client has disconnected; and with such a hook, the framework would watch each response until it is sent.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (reply.running) running.remove(reply.running)
    done()
  })
  app.addHook('onClose', (_instance, done) => {
    clearInterval(timer)
    done()
  })
}

/**
 * How long ago the request began; 0 if it was refused before that. The framework's own figure needs a hook for the end
 * of each response.
 */
export function elapsedMs({ startedMs }: FastifyRequest): number {
  return startedMs === 0 ? 0 : performance.now() - startedMs
}
