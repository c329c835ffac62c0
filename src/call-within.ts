/**
 * The application without a port: calls that the demo makes while it is filled, each at the time it says. The request
 * log is written after each, since only a few successes are kept between two writes.
 */
import { randomUUID } from 'node:crypto'
import type { Answer, Call, Send } from './demo/office.ts'
import { createRequestLog } from './http/plugins/request-log.ts'
import { cookieName } from './http/plugins/session-cookie.ts'
import { buildServer } from './http/server.ts'
import { createBasketProcessor } from './operations/baskets/process.ts'
import type { Deps } from './operations/deps.ts'

export interface Within {
  readonly send: Send
  close(): Promise<void>
}

export async function openWithin(real: Deps): Promise<Within> {
  let now = real.clock()
  const deps = { ...real, clock: () => now }
  const requestLog = createRequestLog(deps)
  const app = await buildServer({
    deps,
    baskets: createBasketProcessor({ deps }),
    requestLog,
    // Nobody's: the demo does nothing that an operator would.
    adminToken: randomUUID(),
    isReady: async () => true,
  })
  return {
    async send(call): Promise<Answer> {
      now = call.at
      const reply = await app.inject({
        method: call.method,
        url: call.path,
        headers: headersOf(call),
        ...(call.body && { payload: call.body }),
      })
      await requestLog.flush()
      return { status: reply.statusCode, body: reply.body === '' ? undefined : JSON.parse(reply.body) }
    },
    async close() {
      await app.close()
      await requestLog.stop()
    },
  }
}

function headersOf({ session, token, key }: Call): Record<string, string> {
  return {
    ...(session !== undefined && { cookie: `${cookieName}=${session}` }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(key !== undefined && { 'idempotency-key': key }),
  }
}
