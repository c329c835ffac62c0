/** The OpenAPI document that is committed: the app is built as usual, but only its routes are read. */

import { openPool } from '../src/database/pool.ts'
import { createRequestLog } from '../src/http/plugins/request-log.ts'
import { buildServer } from '../src/http/server.ts'
import { createBasketProcessor } from '../src/operations/baskets/process.ts'
import { createDeps } from '../src/operations/deps.ts'

export async function describeApi(): Promise<string> {
  const unused = 'never-used-to-sign-anything-0123456789'
  // A pool connects on its first query, and nothing here sends one.
  const pool = openPool('postgres://nowhere')
  const deps = createDeps({
    pool,
    jwtSecret: unused,
    credentialPepper: unused,
    accessTokenTtlSeconds: 1,
    refreshTokenTtlSeconds: 1,
    publicUrl: () => unused,
    log: { info() {}, warn() {}, error() {} },
  })
  const app = await buildServer({
    deps,
    baskets: createBasketProcessor({ deps }),
    requestLog: createRequestLog(deps),
    adminToken: unused,
    isReady: async () => true,
  })
  await app.ready()
  const document = app.swagger()
  await app.close()
  await pool.end()
  return `${JSON.stringify(document, undefined, 2)}\n`
}
