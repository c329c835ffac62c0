/** The addresses that sources send to. An invalid one is refused before any query. */
import { Refused } from '../../domain/refusal.ts'
import { receiveMessage } from '../../operations/sources/receive-message.ts'
import type { Server } from '../fastify-server.ts'
import type { ServerOptions } from '../server-options.ts'

/** An order of Shopify with a hundred items has more than other bodies may. */
const maxBodyBytes = 1024 * 1024

export function inboundRoutes(app: Server, { deps }: ServerOptions): void {
  app.post(
    '/inbound/:token',
    {
      bodyLimit: maxBodyBytes,
      config: {
        access: 'public',
        lane: 'connection',
        keepsRawBody: true,
        // WooCommerce says hello with one, and takes anything but 2xx for a failure.
        takesForm: true,
        skipsRequestLog: true,
      },
      onRequest(request, _reply, done) {
        request.source = deps.sourceTokens.read((request.params as { token: string }).token)
        done(request.source ? undefined : new Refused('_not_found', 'No source has this address.'))
      },
      // Each sender has specified what it sends.
      schema: { hide: true } as object,
    },
    async ({ source, headers, rawBody, body }) => {
      if (rawBody) {
        const known = headers as Record<string, string | undefined>
        await receiveMessage(deps, source!, { headers: known, body: rawBody, payload: body })
      }
      return { received: rawBody !== undefined }
    },
  )
}
