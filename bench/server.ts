/**
 * The unchanged service with one more route: an authenticated POST with the basket's schema that does
 * nothing.
 */
import { openPool, type SessionOptions } from '../src/database/pool.ts'
import { createRequestLog } from '../src/http/plugins/request-log.ts'
import { BasketBody } from '../src/http/schemas/transaction.ts'
import { buildServer } from '../src/http/server.ts'
import { createBasketProcessor } from '../src/operations/baskets/process.ts'
import { answerParent } from './answers.ts'
import { benchDeps } from './fixture.ts'

const settings = JSON.parse(process.argv[2]!) as {
  connection: Parameters<typeof openPool>[0]
  session: SessionOptions
  /** Without grouping, each basket is written as soon as it arrives. */
  isGrouped: boolean
}

const pool = openPool(settings.connection, {
  ...settings.session,
  maxConnections: settings.isGrouped ? 10 : 16,
})
const deps = benchDeps(pool)
const transactions = createBasketProcessor({
  deps,
  ...(settings.isGrouped ? {} : { maxGroup: 1, writers: 16 }),
})
const app = await buildServer({
  deps,
  baskets: transactions,
  requestLog: createRequestLog(deps),
  adminToken: 'unused-by-the-benchmark',
  isReady: async () => true,
})
app.post(
  '/bench/empty',
  { config: { access: ['pos'] }, schema: { body: BasketBody } },
  async (_request, reply) => reply.code(201).send({}),
)
await app.listen({ port: 0, host: '127.0.0.1' })
answerParent((app.server.address() as { port: number }).port)
