/** Options of the HTTP application. */
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
  /** Requests per second; a missing value means no limit. */
  readonly rateLimits?: RateLimits
  /** A proxy in front terminates TLS: trust its headers, and refuse requests it marks as plain HTTP. */
  readonly isBehindProxy?: boolean
  /** The configured public URL; a browser's requests must come from there. By default, from the host they name. */
  readonly publicUrl?: string
  /** Deadline of a request, including its wait for a slot. Defaults to ten seconds. */
  readonly maxCallMs?: number
  /** How long a response may wait without the client reading any of it. Defaults to 30 seconds. */
  readonly replyTimeoutMs?: number
  readonly https?: { readonly cert: Buffer; readonly key: Buffer }
  readonly logger?: FastifyBaseLogger
  /** Whether requests can be handled now; used by `/readyz`. */
  readonly isReady: () => Promise<boolean>
}
