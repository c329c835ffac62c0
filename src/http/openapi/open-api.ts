/**
 * The OpenAPI document, generated from the routes. Error responses are added here and not in the routes' own
 * schemas: a route lists only the codes of its own refusals, and some refusals apply to every request.
 */
import { type RefusalCode, refusals } from '../../domain/refusal.ts'
import { packageVersion } from '../../package-root.ts'
import { statusOf } from '../errors/errors.ts'
import { refusalAnswers } from '../errors/refusals.ts'
import { jsonTypes } from '../plugins/json-body.ts'
import { isLenient } from '../plugins/prepare-requests.ts'
import { cookieName } from '../plugins/session-cookie.ts'
import type { Access } from '../route-config.ts'
import { nameComponents, named } from './name-components.ts'
import { refName } from './reference/document.ts'

const description = `Loyalty and wallet service for merchants: points, stamps, coupons and cards.

1. Exchange an API key and an API secret for a token: \`POST /auth/token\`. People sign in with \`POST /auth/session\` instead; the cookie it sets is accepted in place of the token.
2. Register a customer into a campaign: \`POST /v1/customers/register\` opens a card with a barcode.
3. Commit one basket: \`POST /v1/transactions/process\` redeems, spends, collects and grants, all or nothing.

**Errors** all have the same body. Its \`message\` is one of the codes listed with each operation. Codes are never renamed.

**Retrying a request** is safe. Every POST that writes accepts an \`Idempotency-Key\`, unless its response contains a secret, where the header is refused: a retry with the same key and body returns the first response, with the header \`Idempotent-Replayed: true\`. For transactions, your receipt number (\`opaqueId\`) does the same, with no time limit. Bodies are the same if they mean the same: the order of properties makes no difference, nor do ignored properties and values equal to the default (\`quantity\` 1, no points, no discount, an empty list or object, the position as the ID of an item, a list of one coupon).

**Unknown properties** of a body are ignored in requests that a till makes, and listed in the header \`Ignored-Members\`, so that an old till keeps working and a typo can be noticed. With \`Prefer: handling=strict\`, and in all other requests, they are rejected.

**Lists** accept \`limit\` (1 to 100, default 25) and \`cursor\`, and return \`{ data, nextCursor }\`; the last page has no \`nextCursor\`.

**Rate limits** are reported with every response: \`RateLimit-Policy\` says how many requests (\`q\`) are allowed in how many seconds (\`w\`), \`RateLimit\` how many are left (\`r\`). A request over the limit gets 429, and one that the service has no capacity for gets 503; both say in \`Retry-After\` when to retry.

**Values** that are not set are left out of responses; only a customer's \`opaqueId\` can be \`null\`. Money is a number in the organization's currency, times are ISO 8601, and IDs are opaque strings. \`X-Request-Id\` is taken from the request, or generated, and returned.`

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

interface RouteToDocument {
  schema: object
  url: string
  route: {
    method: string | readonly string[]
    config?: { access?: Access; refusals?: readonly RefusalCode[]; isRepeatable?: boolean }
  }
}

function transform({ schema: given, url, route }: RouteToDocument) {
  // A route without a schema is not part of the API.
  const schema = given as Record<string, unknown> | undefined
  if (!schema || schema.hide) return { schema: { hide: true }, url }
  const { access = 'public', refusals: own = [], isRepeatable = false } = route.config ?? {}
  const codes = [
    ...everyCall,
    ...(access === 'public' || access === 'page'
      ? []
      : access === 'operator'
        ? (['_unauthorized'] as const)
        : authenticated),
    // A body is parsed even if the route takes none, and an invalid one is refused.
    ...(route.method === 'GET' ? [] : withBody),
    ...(url.includes('/:') ? withPathId : []),
    ...(isRepeatable ? repeatable : []),
    ...own,
  ]
  const errors = errorReplies(codes, (code) => (isNamedInPath(code, url) || !schema.body ? 'path' : 'body'))
  return {
    url,
    schema: {
      ...schema,
      ...headersOf(schema, access, isRepeatable),
      ...(schema.body !== undefined && route.method === 'PATCH' && { consumes: jsonTypes }),
      security: securityOf(access),
      response: { ...describeReplies(schema.response as Record<string, object>), ...errors },
    },
  }
}

/** Any one of the scopes is enough; OpenAPI 3.1 lists them as the roles of a security requirement. */
function securityOf(access: Access): Record<string, readonly string[]>[] {
  if (access === 'public' || access === 'page') return []
  if (access === 'operator') return [{ operator: [] }]
  if (access === 'session') return [{ session: [] }]
  // Only people can manage people.
  const ofConnections = access.filter((scope) => scope !== 'people')
  return [
    ...ofConnections.map((scope) => ({ bearer: [scope] })),
    ...access.map((scope) => ({ session: [scope] })),
  ]
}

const replyTitles: Record<string, string> = {
  200: 'OK.',
  201: 'Created.',
  204: 'No content.',
}

function describeReplies(replies: Record<string, object> = {}) {
  return Object.fromEntries(
    Object.entries(replies).map(([status, schema]) => [
      status,
      'content' in schema
        ? { description: replyTitles[status], ...schema }
        : { ...schema, 'x-response-description': replyTitles[status] },
    ]),
  )
}

const idempotencyHeader = {
  'idempotency-key': {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    description:
      'Makes retries safe: a retry with the same key and body returns the first response. A key is valid for one method and path of the organization, and is kept for 72 hours. Refusals are not remembered: after one, the key can be used again, also with another body.',
  },
}

const preferHeader = {
  prefer: {
    type: 'string',
    description: '`handling=strict` rejects unknown properties of the body; by default they are ignored.',
    examples: ['handling=strict'],
  },
}

/** The headers of the route's own schema, and those that follow from the kind of request. */
function headersOf(schema: Record<string, unknown>, access: Access, isRepeatable: boolean) {
  const own = (schema.headers ?? {}) as { properties?: object }
  const properties = {
    ...own.properties,
    ...(isRepeatable && idempotencyHeader),
    ...(schema.body !== undefined && isLenient(access) && preferHeader),
  }
  return Object.keys(properties).length > 0 && { headers: { type: 'object', ...own, properties } }
}

/** `customer_not_found` under `/v1/customers/:id` is a 404; for a customer named in a body it is a 400. */
function isNamedInPath(code: RefusalCode, url: string): boolean {
  const [noun] = code.split('_not_found')
  const plurals = noun === 'person' ? ['people'] : [`${noun}s`, `${noun}es`]
  return plurals.some((plural) => url.includes(`/${plural}/:`))
}

/** One response per status, listing the codes it can carry. */
function errorReplies(codes: readonly RefusalCode[], placeOf: (code: RefusalCode) => 'body' | 'path') {
  const byStatus = new Map<number, RefusalCode[]>()
  for (const code of inOrderOfPrecedence(codes)) {
    const status = statusOf(code, placeOf(code))
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus].sort(([a], [b]) => a - b).map(([status, list]) => [status, errorReply(status, list)]),
  )
}

function inOrderOfPrecedence(codes: readonly RefusalCode[]): RefusalCode[] {
  return (Object.keys(refusals) as RefusalCode[]).filter((code) => codes.includes(code))
}

const ErrorBody = {
  ...named('Error'),
  type: 'object',
  description: 'The body of every error response.',
  required: ['statuscode', 'errorcode', 'message', 'description', 'timestamp', 'path', 'method'],
  properties: {
    statuscode: { type: 'integer', description: 'The HTTP status.' },
    errorcode: { type: 'integer', description: 'Same as `statuscode`.' },
    message: { type: 'string', description: 'The error code; codes are never renamed.' },
    description: {
      type: 'string',
      description: 'What was wrong with this request, for people to read; the wording may change.',
    },
    timestamp: { type: 'integer', description: 'Unix time in milliseconds.' },
    path: { type: 'string', description: 'Path of the request, without the query.' },
    method: { type: 'string' },
    transaction: {
      type: 'string',
      description:
        'With `transaction_already_exists`: the sale that has the receipt number, or that was returned under it.',
    },
  },
}

function errorReply(status: number, codes: readonly RefusalCode[]) {
  const text = codes.map((code) => `\`${code}\`: ${refusals[code]} ${refusalAnswers[code].advice}`)
  return {
    'x-response-description': text.join('\n\n'),
    allOf: [ErrorBody, { type: 'object', properties: { message: { type: 'string', enum: codes } } }],
    examples: [
      {
        statuscode: status,
        errorcode: status,
        message: codes[0],
        description: refusals[codes[0]!],
        timestamp: 1_773_480_413_589,
        path: '/v1/transactions/process',
        method: 'POST',
      },
    ],
  }
}

interface Operation {
  parameters?: { required?: boolean; schema?: Record<string, unknown> }[]
  requestBody?: {
    required?: boolean
    content: Record<string, { schema: BodySchema & { $ref?: string } }>
  }
  responses: Record<string, object>
}

/** Adds what the routes' schemas cannot express: names, shared responses, and headers checked by hand. */
function finish({ openapiObject }: { openapiObject?: object }) {
  const document = nameComponents(openapiObject as Record<string, unknown>)
  const { schemas } = document.components as { schemas: Record<string, BodySchema> }
  const shared: Record<string, object> = {}
  for (const path of Object.values(document.paths as Record<string, Record<string, Operation>>)) {
    for (const operation of Object.values(path)) {
      for (const parameter of operation.parameters ?? []) {
        if (!parameter.schema?.['x-required']) continue
        parameter.required = true
        delete parameter.schema['x-required']
      }
      if (operation.requestBody) operation.requestBody.required = needsBody(schemas, operation.requestBody)
      for (const [status, reply] of Object.entries(operation.responses)) {
        const name = sharedName(status, reply)
        if (name === undefined) continue
        shared[name] = reply
        operation.responses[status] = { $ref: `#/components/responses/${name}` }
      }
    }
  }
  for (const schema of Object.values(schemas)) delete schema['x-required']
  const responses = Object.fromEntries(Object.entries(shared).sort(([a], [b]) => (a < b ? -1 : 1)))
  return { ...document, components: { ...(document.components as object), responses } }
}

interface BodySchema {
  required?: readonly string[]
  /** No property is always required, but one of several is. */
  'x-required'?: boolean
}

/** An empty body counts as {}, so a body is required only if one of its properties is. */
function needsBody(
  schemas: Record<string, BodySchema>,
  { content }: NonNullable<Operation['requestBody']>,
): boolean {
  return Object.values(content).some(({ schema }) => {
    const { required = [], 'x-required': isRequired } = schema.$ref ? schemas[refName(schema.$ref)]! : schema
    return isRequired ?? required.length > 0
  })
}

const maxCodesInName = 3

/**
 * Error responses with few codes are named after them and shared; long lists are specific to one operation.
 */
function sharedName(status: string, reply: ErrorReply): string | undefined {
  if (Number(status) < 400) return undefined
  const codes = codesOf(reply)
  if (codes.length > maxCodesInName) return undefined
  const words = codes.flatMap((code) => code.split('_')).filter((word) => word !== '')
  return `Error${status}${words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')}`
}

interface ErrorReply {
  content?: {
    'application/json'?: { schema?: { allOf?: { properties?: { message?: { enum?: string[] } } }[] } }
  }
}

/** The codes that an error response of the document can carry. */
export function codesOf(reply: ErrorReply): RefusalCode[] {
  const parts = reply.content?.['application/json']?.schema?.allOf ?? []
  return parts.flatMap((part) => part.properties?.message?.enum ?? []) as RefusalCode[]
}

export const openApiOptions = {
  convertConstToEnum: false,
  openapi: {
    openapi: '3.1.0' as const,
    info: {
      title: 'Loyalty Wallet',
      version: packageVersion(),
      description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [
      { name: 'Authentication', description: 'Tokens for integrations.' },
      {
        name: 'Sessions',
        description: 'Sign-in for people who use the console, with a cookie instead of a token.',
      },
      { name: 'Customers', description: 'Profiles, registrations, balances and history.' },
      { name: 'Cards', description: 'Cards that customers show at the till.' },
      { name: 'Transactions', description: 'Preview, process, return and look up baskets.' },
      { name: 'Coupons', description: 'Rewards that customers can redeem.' },
      { name: 'Campaigns', description: 'The rules by which customers earn points, stamps and coupons.' },
      { name: 'Directory', description: 'Products, branches and users, by your own IDs.' },
      { name: 'Reports', description: 'Daily figures, and a check that they are consistent.' },
      { name: 'Organization', description: 'The merchant that the token belongs to.' },
      { name: 'People', description: 'People who can sign in to the console, and their roles.' },
      {
        name: 'Connections',
        description: 'Software that uses the API on behalf of the organization, and its credentials.',
      },
      { name: 'Logs', description: 'Recent requests, and who changed what.' },
      {
        name: 'Wallet page',
        description: "For customers, at the card's `walletUrl`; no token needed.",
      },
      { name: 'Platform', description: 'For the operator: organizations, integrations and connections.' },
      { name: 'Operation', description: 'Health and metrics.' },
    ],
    components: {
      securitySchemes: {
        bearer: {
          type: 'http' as const,
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'The `accessToken` of `POST /auth/token`. Scopes: `pos` for tills, `manage` for everything else.',
        },
        session: {
          type: 'apiKey' as const,
          in: 'cookie',
          name: cookieName,
          description:
            'Set by `POST /auth/session`; a bearer token takes precedence. Owners have the scopes `pos`, `manage` and `people`, managers `pos` and `manage`, cashiers `pos`. Requests that change something must be same-origin.',
        },
        operator: { type: 'http' as const, scheme: 'bearer', description: 'The ADMIN_TOKEN of the service.' },
      },
    },
  },
  transform: transform as never,
  transformObject: finish as never,
}
