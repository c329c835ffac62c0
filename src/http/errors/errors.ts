/**
 * The one place where an error becomes a response. The status of a refusal comes from `refusals.ts`;
 * everything else is an unexpected error: logged once, and returned as 500 or 503 without details.
 */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { classifyError } from '../../database/classify-error.ts'
import { type RefusalCode, Refused, refusals } from '../../domain/refusal.ts'
import { describeProblem } from './describe-problem.ts'
import { describeValidation } from './describe-validation.ts'
import { fieldAtFault } from './field-at-fault.ts'
import { refusalAnswers } from './refusals.ts'

/** "Not found" is a 404 for an object named in the path or the query, and a 400 for one named in a body. */
export function statusOf(code: RefusalCode, place: 'body' | 'path' = 'body'): number {
  return place === 'path' && code.endsWith('_not_found') ? 404 : refusalAnswers[code].status
}

export interface ErrorBody {
  statuscode: number
  errorcode: number
  message: RefusalCode
  description: string
  timestamp: number
  path: string
  method: string
  requestId: string
  /** Where the code is explained, on this service. */
  help: string
  /** The property at fault, if the refusal is about one. */
  field?: string
  /** The sale that is in the way. */
  transaction?: string
  /** The customer who already has what must be unique. */
  customer?: string
  /** The oldest cursor that can still be used. */
  cursor?: string
  /** Codes of everything that is wrong with the keys for passes. */
  problems?: readonly string[]
}

interface RefusedRequest {
  readonly id: string
  readonly method: string
  readonly url: string
  readonly body?: unknown
  readonly query?: unknown
}

/** The path is without the query, which may contain a phone number. */
export function toErrorBody(refused: Refused, request: RefusedRequest, now: Date): ErrorBody {
  const status = statusOf(refused.code, refused.place)
  return {
    statuscode: status,
    errorcode: status,
    message: refused.code,
    description: describeRefused(refused),
    timestamp: now.getTime(),
    path: request.url.split('?', 1)[0]!,
    method: request.method,
    requestId: request.id,
    help: `/docs/errors#${refused.code}`,
    field: fieldAtFault(refused, request),
    transaction: refused.transaction,
    customer: refused.customer,
    cursor: refused.cursor,
    problems: refused.problems,
  }
}

function describeRefused({ code, description, problem }: Refused): string {
  return description ?? (problem ? describeProblem(problem, code) : refusals[code])
}

export function createErrorHandler(clock: () => Date) {
  return (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply) => {
    const refused = toRefused(error, request)
    const { id, method, raw, body: sent, query } = request
    const url = raw.url ?? request.url
    const body = toErrorBody(refused, { id, method, url, body: sent, query }, clock())
    // An address that cannot be read is refused before the hook that sets it.
    reply.header('x-request-id', id)
    if (body.statuscode === 401) reply.header('www-authenticate', challengeOf(request))
    if (body.statuscode === 503 || body.statuscode === 429) {
      reply.header('retry-after', refused.retryAfterSeconds ?? 1)
    }
    return reply.code(body.statuscode).send(body)
  }
}

/** RFC 6750: a client that sent a token is told that the token is at fault. */
function challengeOf({ headers }: FastifyRequest): string {
  return /^Bearer +\S/i.test(headers.authorization ?? '') ? 'Bearer error="invalid_token"' : 'Bearer'
}

/** Converts any error to what the client is told. Unexpected errors are logged here, once. */
export function toRefused(error: FastifyError | Error, request: FastifyRequest): Refused {
  if (error instanceof Refused) {
    // Not caused by the client, so it belongs in our log.
    if (statusOf(error.code) >= 500)
      request.log.warn({ code: error.code }, error.description ?? 'temporarily unavailable')
    return error
  }
  const framework = frameworkRefusal(error as FastifyError)
  if (framework) return framework
  if (classifyError(error) !== 'other') {
    request.log.warn({ err: error }, 'database unavailable')
    return new Refused('_unavailable', 'The database cannot be reached right now.')
  }
  request.log.error({ err: error }, 'unhandled error')
  return new Refused('_internal_error')
}

function frameworkRefusal(error: FastifyError): Refused | undefined {
  if (error.validation) return new Refused('_invalid_payload', describeValidation(error.validation))
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Refused('_payload_too_large')
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_INVALID_TYPE':
      return new Refused('_unsupported_media_type')
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new Refused('_invalid_payload', error.message)
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
    case 'FST_ERR_ASYNC_CONSTRAINT':
      return new Refused('_not_found')
  }
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new Refused('_invalid_payload', error.message)
  }
  return undefined
}
