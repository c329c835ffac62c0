/**
 * The one place where a "no" becomes a reply. A refusal has its status in `refusals.ts`; everything else is a fault:
 * logged once, and answered with 500 or 503 and no detail.
 */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { classifyError } from '../../database/classify-error.ts'
import { type RefusalCode, Refused, refusals } from '../../domain/refusal.ts'
import { describeProblem } from './describe-problem.ts'
import { describeValidation } from './describe-validation.ts'
import { refusalAnswers } from './refusals.ts'

/** Something named in the path or the query and not found is a 404; the same in a body is a 400. */
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
}

/** The path goes without the query, which may hold a phone number. */
export function toErrorBody(refused: Refused, method: string, url: string, now: Date): ErrorBody {
  const status = statusOf(refused.code, refused.place)
  return {
    statuscode: status,
    errorcode: status,
    message: refused.code,
    description: describeRefused(refused),
    timestamp: now.getTime(),
    path: url.split('?', 1)[0]!,
    method,
  }
}

function describeRefused({ code, description, problem }: Refused): string {
  return description ?? (problem ? describeProblem(problem, code) : refusals[code])
}

export function createErrorHandler(clock: () => Date) {
  return (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply) => {
    const refused = toRefused(error, request)
    const body = toErrorBody(refused, request.method, request.raw.url ?? request.url, clock())
    if (body.statuscode === 503 || body.statuscode === 429) {
      reply.header('retry-after', refused.retryAfterSeconds ?? 1)
    }
    return reply.code(body.statuscode).send(body)
  }
}

/** What an error means to the client. Faults are logged here, once. */
export function toRefused(error: FastifyError | Error, request: FastifyRequest): Refused {
  if (error instanceof Refused) {
    // Nothing of the client's doing, so it has to be found in our log.
    if (statusOf(error.code) >= 500) request.log.warn({ code: error.code }, error.description ?? 'not now')
    return error
  }
  const framework = frameworkRefusal(error as FastifyError)
  if (framework) return framework
  if (classifyError(error) !== 'other') {
    request.log.warn({ err: error }, 'the database is not available')
    return new Refused('_unavailable', 'The database cannot be reached right now.')
  }
  request.log.error({ err: error }, 'a fault')
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
