/** HTTP client without a port, with a given time for each request; used to fill the demo. */
import { randomUUID } from 'node:crypto'
import { createRequestLog } from '../http/plugins/request-log.ts'
import { cookieName } from '../http/plugins/session-cookie.ts'
import { buildServer } from '../http/server.ts'
import { createBasketProcessor } from '../operations/baskets/process.ts'
import type { Deps } from '../operations/deps.ts'

export interface DemoRequest {
  readonly at: Date
  readonly method: 'GET' | 'POST' | 'PATCH'
  readonly path: string
  /** Session of a person. */
  readonly session?: string
  /** Access token of the till. */
  readonly token?: string
  readonly body?: object
}

export interface DemoResponse {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: the caller knows the response, as a client does.
  readonly body: any
}

export type Send = (request: DemoRequest) => Promise<DemoResponse>

export interface InProcessClient {
  readonly send: Send
  close(): Promise<void>
}

export async function createInProcessClient(real: Deps): Promise<InProcessClient> {
  let now = real.clock()
  const deps = { ...real, clock: () => now }
  const requestLog = createRequestLog(deps)
  const app = await buildServer({
    deps,
    baskets: createBasketProcessor({ deps }),
    requestLog,
    // Not a usable token: the demo does nothing that requires an operator.
    adminToken: randomUUID(),
    isReady: async () => true,
  })
  return {
    async send({ at, method, path, session, token, body }) {
      now = at
      const headers = {
        ...(session !== undefined && { cookie: `${cookieName}=${session}` }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      }
      const response = await app.inject({ method, url: path, headers, ...(body && { payload: body }) })
      // After each request, since only a few successes are kept between two writes.
      await requestLog.flush()
      return {
        status: response.statusCode,
        body: response.body === '' ? undefined : JSON.parse(response.body),
      }
    },
    async close() {
      await app.close()
      await requestLog.stop()
    },
  }
}
