/**
 * The one place where a "no" becomes a reply. Refusals have their status here, checked by the compiler to be
 * complete; everything else is a fault: logged once, and answered with 500 or 503 and no detail.
 */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { classifyError } from '../database/classify-error.ts'
import { type RefusalCode, Refused } from '../domain/refusal.ts'
import { describeProblem } from './describe-problem.ts'
import { describeValidation } from './describe-validation.ts'
import { refusalReason } from './error-advice.ts'

export const refusalStatus: Record<RefusalCode, number> = {
  _invalid_payload: 400,
  _unauthorized: 401,
  _jwt_malformed: 401,
  _jwt_expired: 401,
  _invalid_credentials: 401,
  _invalid_refresh_token: 400,
  invalid_subscription: 403,
  _forbidden: 403,
  _not_found: 404,
  _method_not_allowed: 405,
  _payload_too_large: 413,
  _unsupported_media_type: 415,
  _too_many_requests: 429,
  _unavailable: 503,
  _internal_error: 500,
  idempotency_key_reused: 422,
  idempotency_key_in_use: 409,
  organization_not_found: 400,
  integration_not_found: 400,
  connection_not_found: 400,
  person_not_found: 400,
  existing_person_with_email: 400,
  too_many_people: 400,
  last_owner: 400,
  invalid_invitation: 400,
  too_many_connections: 400,
  connection_revoked: 400,
  request_not_found: 400,
  invalid_campaign: 400,
  invalid_campaign_definition: 400,
  campaign_not_found: 400,
  customer_not_found: 400,
  customer_not_active: 400,
  invalid_phone: 400,
  existing_customer_with_email: 400,
  existing_customer_with_phone: 400,
  opaque_id_already_exists: 400,
  card_not_found: 400,
  card_not_active: 400,
  transaction_not_found: 400,
  transaction_already_exists: 409,
  invalid_product: 400,
  invalid_user: 400,
  invalid_branch: 400,
  product_not_found: 400,
  user_not_found: 400,
  branch_not_found: 400,
  coupon_not_found: 400,
  coupon_already_redeemed: 400,
  coupon_expired: 400,
  coupon_revoked: 400,
  coupon_not_applicable: 400,
  points_not_spendable: 400,
  insufficient_points: 400,
  points_below_minimum: 400,
  points_above_share: 400,
  return_exceeds_sale: 400,
}

/** Something named in the path or the query and not found is a 404; the same in a body is a 400. */
export function statusOf(code: RefusalCode, place: 'body' | 'path' = 'body'): number {
  return place === 'path' && code.endsWith('_not_found') ? 404 : refusalStatus[code]
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
  return description ?? (problem ? describeProblem(problem, code) : plainReason(code))
}

/** When the code happens, for a refusal that has nothing more to say. */
export function plainReason(code: RefusalCode): string {
  return refusalReason(code).replaceAll('`', '')
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
