/**
 * The OpenAPI document, written from the routes. Error replies are added here and not in the routes' own
 * schemas: which refusals an operation has is a list of codes, and every call can get some of them.
 */
import { type RefusalCode, refusals } from '../../domain/refusal.ts'
import { statusOf } from '../errors/errors.ts'
import { refusalAnswers } from '../errors/refusals.ts'
import { jsonTypes } from '../plugins/json-body.ts'
import { isLenient } from '../plugins/prepare-requests.ts'
import { cookieName } from '../plugins/session-cookie.ts'
import type { Access } from '../route-config.ts'
import { nameComponents, named } from './name-components.ts'
import { refName } from './reference/document.ts'

const description = `Loyalty and wallet service for merchants: points, stamps, coupons and cards.

1. Trade an API key and an API secret for a token: \`POST /auth/token\`. People sign in with \`POST /auth/session\` instead, and the cookie it sets is taken in place of the token.
2. Register a customer into a campaign: \`POST /v1/customers/register\` opens a card with a barcode.
3. Commit one basket: \`POST /v1/transactions/process\` redeems, spends, collects and grants, all or nothing.

**Errors** all have the same body, and its \`message\` is one of the codes listed with each operation. Codes are never renamed.

**Repeating a call** is safe. Every POST that writes takes an \`Idempotency-Key\`: the same key and body get the first answer again, with the header \`Idempotent-Replayed: true\`. For transactions your receipt number (\`opaqueId\`) does the same, for ever.

**Unknown members** of a body are ignored on the calls of a till and named in the header \`Ignored-Members\`, so that an old till keeps working and a typo can be seen. With \`Prefer: handling=strict\`, and on all other calls, they are refused.

**Lists** take \`limit\` (1 to 100, 25 unless told) and \`cursor\`, and answer \`{ data, nextCursor }\`; at the end there is no \`nextCursor\`.

**Limits** are announced with every answer: \`RateLimit-Policy\` says how many calls (\`q\`) fit into how many seconds (\`w\`), \`RateLimit\` how many are left (\`r\`). Beyond them a call gets 429, and one that we have no room for 503; both say in \`Retry-After\` when to repeat it.

**Values** that are missing are left out of replies; only a customer's \`opaqueId\` is ever \`null\`. Money is a number in the organization's currency, times are ISO 8601, ids are opaque text. \`X-Request-Id\` is taken over from the call, or made, and returned.`

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
/** Of an id that no route can take: one that is no text once decoded, or far too long. */
const withPathId: readonly RefusalCode[] = ['_not_found']
const repeatable: readonly RefusalCode[] = ['idempotency_key_reused', 'idempotency_key_in_use']

/** Refusals that say nothing about an operation in particular; the reference page sets them apart. */
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
  // Without a schema of its own a route is not part of the interface.
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
    // A body is read where none is taken, too, and refused when it cannot be.
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

/** Any one of the scopes opens a call; they are the roles that OpenAPI 3.1 lists with a requirement. */
function securityOf(access: Access): Record<string, readonly string[]>[] {
  if (access === 'public' || access === 'page') return []
  if (access === 'operator') return [{ operator: [] }]
  if (access === 'session') return [{ session: [] }]
  // Only people look after people.
  const ofConnections = access.filter((scope) => scope !== 'people')
  return [
    ...ofConnections.map((scope) => ({ bearer: [scope] })),
    ...access.map((scope) => ({ session: [scope] })),
  ]
}

const replyTitles: Record<string, string> = {
  200: 'Done.',
  201: 'Created.',
  204: 'Done; there is nothing to show.',
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
    description: 'Makes repeating the call safe: the same key and body get the first answer again.',
  },
}

const preferHeader = {
  prefer: {
    type: 'string',
    description: '`handling=strict` refuses members of the body that we do not know; else they are ignored.',
    examples: ['handling=strict'],
  },
}

/** The headers of the route's own schema, and those that follow from what kind of call it is. */
function headersOf(schema: Record<string, unknown>, access: Access, isRepeatable: boolean) {
  const own = (schema.headers ?? {}) as { properties?: object }
  const properties = {
    ...own.properties,
    ...(isRepeatable && idempotencyHeader),
    ...(schema.body !== undefined && isLenient(access) && preferHeader),
  }
  return Object.keys(properties).length > 0 && { headers: { type: 'object', ...own, properties } }
}

/** `customer_not_found` under `/v1/customers/:id`: missing in the path is a 404, missing in a body a 400. */
function isNamedInPath(code: RefusalCode, url: string): boolean {
  const [noun] = code.split('_not_found')
  const plurals = noun === 'person' ? ['people'] : [`${noun}s`, `${noun}es`]
  return plurals.some((plural) => url.includes(`/${plural}/:`))
}

/** One reply per status, naming the codes it can carry. */
function errorReplies(codes: readonly RefusalCode[], placeOf: (code: RefusalCode) => 'body' | 'path') {
  const byStatus = new Map<number, RefusalCode[]>()
  for (const code of inWinningOrder(codes)) {
    const status = statusOf(code, placeOf(code))
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus].sort(([a], [b]) => a - b).map(([status, list]) => [status, errorReply(status, list)]),
  )
}

function inWinningOrder(codes: readonly RefusalCode[]): RefusalCode[] {
  return (Object.keys(refusals) as RefusalCode[]).filter((code) => codes.includes(code))
}

const ErrorBody = {
  ...named('Error'),
  type: 'object',
  description: 'The body of every error there is.',
  required: ['statuscode', 'errorcode', 'message', 'description', 'timestamp', 'path', 'method'],
  properties: {
    statuscode: { type: 'integer', description: 'The HTTP status.' },
    errorcode: { type: 'integer', description: 'The HTTP status again.' },
    message: { type: 'string', description: 'The code of the refusal; never renamed.' },
    description: {
      type: 'string',
      description: 'What was wrong in this call, for people; its wording may change.',
    },
    timestamp: { type: 'integer', description: 'Unix time in milliseconds.' },
    path: { type: 'string', description: 'Of the request, without the query.' },
    method: { type: 'string' },
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
    content: Record<string, { schema: { $ref?: string; required?: readonly string[] } }>
  }
  responses: Record<string, object>
}

/** What the routes' schemas cannot say: names, replies that many operations share, headers checked by hand. */
function finish({ openapiObject }: { openapiObject?: object }) {
  const document = nameComponents(openapiObject as Record<string, unknown>)
  const shared: Record<string, object> = {}
  for (const path of Object.values(document.paths as Record<string, Record<string, Operation>>)) {
    for (const operation of Object.values(path)) {
      for (const parameter of operation.parameters ?? []) {
        if (!parameter.schema?.['x-required']) continue
        parameter.required = true
        delete parameter.schema['x-required']
      }
      // An empty body counts as {}, so a body is needed only where one of its members is.
      if (operation.requestBody) operation.requestBody.required = needsBody(document, operation.requestBody)
      for (const [status, reply] of Object.entries(operation.responses)) {
        const name = sharedName(status, reply)
        if (name === undefined) continue
        shared[name] = reply
        operation.responses[status] = { $ref: `#/components/responses/${name}` }
      }
    }
  }
  const responses = Object.fromEntries(Object.entries(shared).sort(([a], [b]) => (a < b ? -1 : 1)))
  return { ...document, components: { ...(document.components as object), responses } }
}

function needsBody(document: object, { content }: NonNullable<Operation['requestBody']>): boolean {
  const { schemas } = (document as { components: { schemas: Record<string, { required?: string[] }> } })
    .components
  return Object.values(content).some(({ schema }) => {
    const { required = [] } = schema.$ref ? schemas[refName(schema.$ref)]! : schema
    return required.length > 0
  })
}

const maxCodesInName = 3

/** Error replies with few codes are named for them and written once; the long lists belong to one operation each. */
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

/** The codes an error reply of the document can carry. */
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
      version: '0.1.0',
      description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [
      { name: 'Authentication', description: 'Tokens for integrations.' },
      { name: 'Sessions', description: 'People sign in to the console, with a cookie in place of a token.' },
      { name: 'Customers', description: 'Who collects: profiles, registrations, balances and history.' },
      { name: 'Cards', description: 'What a customer shows at the till.' },
      { name: 'Transactions', description: 'Baskets: preview, commit, look up.' },
      { name: 'Coupons', description: 'What a customer can redeem.' },
      { name: 'Campaigns', description: 'The rules by which customers collect.' },
      { name: 'Directory', description: 'Products, branches and users by your own ids.' },
      { name: 'Reports', description: 'Figures by day, and the proof that they are right.' },
      { name: 'Organization', description: 'The merchant the token belongs to.' },
      { name: 'People', description: 'Who may sign in to the console, and as what.' },
      {
        name: 'Connections',
        description: 'The software that calls for the organization, and its credentials.',
      },
      { name: 'Logs', description: 'What was called lately, and who changed what.' },
      {
        name: 'Wallet page',
        description: 'For the customer, by the address in the `walletUrl` of a card; no token.',
      },
      { name: 'Platform', description: 'For the operator: organizations, integrations, connections.' },
      { name: 'Operation', description: 'Health and metrics.' },
    ],
    components: {
      securitySchemes: {
        bearer: {
          type: 'http' as const,
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'The `accessToken` of `POST /auth/token`. Scopes: `pos` for tills, `manage` for the rest.',
        },
        session: {
          type: 'apiKey' as const,
          in: 'cookie',
          name: cookieName,
          description:
            'Set by `POST /auth/session`; a Bearer token wins. Owners have the scopes `pos`, `manage` and `people`, managers `pos` and `manage`, cashiers `pos`. A call that changes something must not come from another site.',
        },
        operator: { type: 'http' as const, scheme: 'bearer', description: 'The ADMIN_TOKEN of the service.' },
      },
    },
  },
  transform: transform as never,
  transformObject: finish as never,
}
