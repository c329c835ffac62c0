/** What the HTTP application is built from. */
import type { FastifyBaseLogger } from 'fastify'
import type { BasketProcessor } from '../operations/baskets/process.ts'
import type { Deps } from '../operations/deps.ts'
import type { RateLimits } from './plugins/rate-limit.ts'
import type { RequestLog } from './plugins/request-log.ts'

export interface ServerOptions {
  readonly deps: Deps
  readonly baskets: BasketProcessor
  readonly requestLog: RequestLog
  readonly adminToken: string
  /** Calls per second; what is not there has no limit. */
  readonly rateLimits?: RateLimits
  /** A proxy in front terminates TLS: believe its headers, and refuse what it marks as plain HTTP. */
  readonly isBehindProxy?: boolean
  /** How long a call may take, its turn included; ten seconds unless told. */
  readonly maxCallMs?: number
  readonly https?: { readonly cert: Buffer; readonly key: Buffer }
  readonly logger?: FastifyBaseLogger
  /** Whether calls can be served now; asked by `/readyz`. */
  readonly isReady: () => Promise<boolean>
}
