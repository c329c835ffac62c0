/**
 * The error responses of the OpenAPI document: one schema for the body and one list of all codes. Responses that
 * every operation can give are components named after their status; those with codes of the operation's own
 * narrow the list in place. No name depends on the codes, so that a new one renames no type of a client.
 */
import { type RefusalCode, refusals } from '../../domain/refusal.ts'
import { statusOf } from '../errors/errors.ts'
import type { Access } from '../route-config.ts'
import { allowHeader, type HeaderName, headerRefs } from './headers.ts'
import type { Json } from './name-components.ts'

const everyCall: readonly RefusalCode[] = [
  '_invalid_payload',
  '_too_many_requests',
  '_unavailable',
  '_internal_error',
]
const authenticated: readonly RefusalCode[] = [
  '_unauthorized',
  '_jwt_malformed',
  '_jwt_expired',
  'invalid_subscription',
  '_forbidden',
]
const withBody: readonly RefusalCode[] = ['_payload_too_large', '_unsupported_media_type']
/** For IDs in the path that no route accepts: not valid text once decoded, or far too long. */
const withPathId: readonly RefusalCode[] = ['_not_found']
const repeatable: readonly RefusalCode[] = ['idempotency_key_reused', 'idempotency_key_in_use']

/** Refusals that are not specific to an operation; the reference page lists them separately. */
export const commonRefusals: readonly RefusalCode[] = [
  ...everyCall,
  ...authenticated,
  ...withBody,
  ...withPathId,
  ...repeatable,
]

export interface RouteToDocument {
  readonly url: string
  readonly method: string | readonly string[]
  readonly access: Access
  readonly refusals: readonly RefusalCode[]
  readonly isRepeatable: boolean
  readonly hasBody: boolean
}

/** The codes that an operation can be refused with, by status. */
export function errorCodesOf(route: RouteToDocument): Record<string, RefusalCode[]> {
  const { url, access } = route
  const codes: readonly RefusalCode[] = [
    ...everyCall,
    ...(access === 'public' || access === 'page'
      ? []
      : access === 'operator'
        ? (['_unauthorized'] as const)
        : authenticated),
    // A body is parsed even if the route takes none, and an invalid one is refused.
    ...(route.method === 'GET' ? [] : withBody),
    ...(url.includes('/:') ? withPathId : []),
    ...(route.isRepeatable ? repeatable : []),
    ...route.refusals,
  ]
  const byStatus: Record<string, RefusalCode[]> = {}
  for (const code of inOrderOfPrecedence(codes)) {
    const status = statusOf(code, isNamedInPath(code, url) || !route.hasBody ? 'path' : 'body')
    byStatus[status] = [...(byStatus[status] ?? []), code]
  }
  return byStatus
}

/** `customer_not_found` under `/v1/customers/:id` is a 404; for a customer named in a body it is a 400. */
function isNamedInPath(code: RefusalCode, url: string): boolean {
  const [noun] = code.split('_not_found')
  const plurals = noun === 'person' ? ['people'] : [`${noun}s`, `${noun}es`]
  return plurals.some((plural) => url.includes(`/${plural}/:`))
}

function inOrderOfPrecedence(codes: readonly RefusalCode[]): RefusalCode[] {
  return (Object.keys(refusals) as RefusalCode[]).filter((code) => codes.includes(code))
}

interface CommonResponse {
  readonly name: string
  readonly codes: readonly RefusalCode[]
  readonly headers?: readonly HeaderName[]
}

const rateLimits = ['RateLimit', 'RateLimit-Policy'] as const

/** The responses that many operations share, by status: their names, and the codes they always have. */
const commonResponses: Record<string, CommonResponse> = {
  400: { name: 'BadRequest', codes: ['_invalid_payload'] },
  401: {
    name: 'Unauthorized',
    codes: ['_unauthorized', '_jwt_malformed', '_jwt_expired'],
    headers: ['WWW-Authenticate'],
  },
  403: { name: 'Forbidden', codes: ['invalid_subscription', '_forbidden'] },
  404: { name: 'NotFound', codes: ['_not_found'] },
  409: { name: 'Conflict', codes: ['idempotency_key_in_use'] },
  410: { name: 'Gone', codes: ['transaction_archived'] },
  413: { name: 'ContentTooLarge', codes: ['_payload_too_large'] },
  415: { name: 'UnsupportedMediaType', codes: ['_unsupported_media_type'] },
  422: { name: 'UnprocessableContent', codes: ['idempotency_key_reused'] },
  429: {
    name: 'TooManyRequests',
    codes: ['_too_many_requests'],
    headers: ['Retry-After', ...rateLimits],
  },
  500: { name: 'InternalServerError', codes: ['_internal_error'] },
  503: { name: 'ServiceUnavailable', codes: ['_unavailable'], headers: ['Retry-After'] },
}

/**
 * What no operation describes: a path that does not exist, and a method that a path does not have. The second is
 * no component, because linters and generators count only what an operation refers to.
 */
export function unmatched(): Json {
  const notAllowed = responseOf({ name: 'MethodNotAllowed' }, ['_method_not_allowed'])
  return {
    404: errorResponse('404', ['_not_found']),
    405: { ...notAllowed, headers: { ...(notAllowed.headers as Json), ...allowHeader } },
  }
}

/** The response of an operation to a status: a reference where it has no codes of its own. */
export function errorResponse(status: string, codes: readonly RefusalCode[]): Json {
  const common = commonResponses[status]!
  if (codes.join() === common.codes.join()) return { $ref: `#/components/responses/${common.name}` }
  return responseOf(common, codes)
}

export function errorComponents(): { responses: Json; schemas: Json; examples: Json } {
  return {
    responses: Object.fromEntries(
      Object.entries(commonResponses).map(([status, common]) => [
        common.name,
        // One example is enough: the bodies of the others differ only in their code.
        responseOf(common, common.codes, status === '400' ? exampleRef : undefined),
      ]),
    ),
    schemas: { ApiError, ErrorCode },
    examples: { ApiError: { value: apiErrorExample } },
  }
}

function responseOf(
  { name, headers = [] }: Omit<CommonResponse, 'codes'>,
  codes: readonly RefusalCode[],
  examples?: Json,
): Json {
  return {
    description: `${spaced(name)}. \`message\` is one of the codes below.`,
    headers: headerRefs(['X-Request-Id', ...headers]),
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/ApiError' },
            { type: 'object', properties: { message: { enum: codes } } },
          ],
        },
        ...(examples && { examples }),
      },
    },
  }
}

const ErrorCode = {
  type: 'string',
  description: 'Why a request was refused or failed. Codes are never renamed; new ones may be added.',
  enum: Object.keys(refusals),
  'x-enum-descriptions': Object.values(refusals),
}

const ApiError = {
  type: 'object',
  description: 'The body of every error response.',
  required: [
    'statuscode',
    'errorcode',
    'message',
    'description',
    'timestamp',
    'path',
    'method',
    'requestId',
    'help',
  ],
  properties: {
    statuscode: { type: 'integer', description: 'The HTTP status.' },
    errorcode: { type: 'integer', description: 'Same as `statuscode`.' },
    message: { $ref: '#/components/schemas/ErrorCode' },
    description: {
      type: 'string',
      description: 'What was wrong with this request, for people to read; the wording may change.',
    },
    timestamp: { type: 'integer', description: 'Unix time in milliseconds.' },
    path: { type: 'string', description: 'Path of the request, without the query.' },
    method: { type: 'string', description: 'Method of the request.' },
    requestId: { type: 'string', description: 'The `X-Request-Id` of the response.' },
    help: {
      type: 'string',
      description: 'Path of the page on this service that explains the code and what to do.',
    },
    field: {
      type: 'string',
      description: 'The property at fault, if the refusal is about one, such as `items[0].quantity`.',
    },
    transaction: {
      type: 'string',
      description:
        'With `transaction_already_exists`: the sale that has the receipt number, or that was returned under it. ' +
        'With `transaction_archived`: the archived sale.',
    },
    customer: {
      type: 'string',
      description:
        'With `existing_customer_with_phone`, `existing_customer_with_email` and `opaque_id_already_exists`: the ' +
        'customer who has it. Absent if another request took it at the same moment; a retry then tells.',
    },
    cursor: {
      type: 'string',
      description: 'With `cursor_expired`: the oldest cursor that can still be used.',
    },
    problems: {
      type: 'array',
      description:
        'If keys for passes are refused: everything that is wrong with them, as codes of `PassProblemCode`.',
      items: { type: 'string' },
    },
  },
}

const exampleRef = { example: { $ref: '#/components/examples/ApiError' } }

const apiErrorExample = {
  statuscode: 400,
  errorcode: 400,
  message: '_invalid_payload' satisfies RefusalCode,
  description: 'items[0].quantity: must be more than 0.',
  timestamp: 1_773_480_413_589,
  path: '/v1/transactions/process',
  method: 'POST',
  requestId: '5f0c8a7e3b9d4c61a2f4e8d7b6c5a493',
  help: '/docs/errors#_invalid_payload',
  field: 'items[0].quantity',
}

/** `Bad request` for `BadRequest`. */
const spaced = (name: string) => name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

interface ErrorReply {
  readonly content?: {
    readonly [type: string]: {
      readonly schema?: { readonly allOf?: readonly { readonly properties?: Record<string, object> }[] }
    }
  }
}

/** The codes that an error response of the document can carry. */
export function codesOf(reply: ErrorReply): RefusalCode[] {
  const parts = reply.content?.['application/json']?.schema?.allOf ?? []
  return parts.flatMap((part) => (part.properties?.message as { enum?: RefusalCode[] })?.enum ?? [])
}
