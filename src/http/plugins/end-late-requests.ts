/**
 * No call waits for ever. Each step behind a call has a limit of its own, but a stalled database makes the steps
 * wait for one another, and a call passes through several. A call that has had its time is
 * told that the outcome is unknown, which a repeat with its number settles.
 */
import type { FastifyReply } from 'fastify'
import { Refused } from '../../domain/refusal.ts'
import type { Server } from '../fastify-server.ts'

/** More than the database is given for one statement, and less than the patience of most clients. */
export const defaultMaxCallMs = 10_000
const lookEveryMs = 250

export function endLateRequests(app: Server, maxCallMs: number): void {
  app.decorateRequest('isLate', false)
  // In order of arrival, so that a look ends at the first that still has time; a timer for each would cost more.
  const running = new Set<FastifyReply>()
  const timer = setInterval(() => {
    for (const reply of running) {
      if (reply.elapsedTime < maxCallMs) return
      // It is the client who is late; the server has a limit for that, and other words.
      if (!reply.request.raw.complete) continue
      running.delete(reply)
      reply.request.isLate = true
      if (!reply.sent)
        reply.send(new Refused('_unavailable', 'The call took too long. Repeat it in a moment.'))
    }
  }, lookEveryMs)
  timer.unref()

  app.addHook('onRequest', (_request, reply, done) => {
    running.add(reply)
    done()
  })
  app.addHook('onResponse', (_request, reply, done) => {
    running.delete(reply)
    done()
  })
  app.addHook('onClose', (_instance, done) => {
    clearInterval(timer)
    done()
  })
}
