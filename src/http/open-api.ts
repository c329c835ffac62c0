/**
 * The OpenAPI document, written from the routes. Error replies are added here and not in the routes' own
 * schemas: which refusals an operation has is a list of codes, and every call can get some of them.
 */
import { type RefusalCode, refusals } from '../domain/refusal.ts'
import { statusOf } from './errors.ts'
import type { Access } from './route-config.ts'

const description = `Loyalty and wallet service for merchants: points, stamps, coupons and cards.

1. Trade an API key and an API secret for a token: \`POST /auth/token\`.
2. Register a customer into a campaign: \`POST /v1/customers/register\` opens a card with a barcode.
3. Commit one basket: \`POST /v1/transactions/process\` redeems, spends, collects and grants, all or nothing.

Every error has the same body, and its \`message\` is one of the codes listed with each operation. Every POST that
writes takes an \`Idempotency-Key\`, so that repeating a call whose answer was lost is always safe.`

const everyCall: readonly RefusalCode[] = ['_invalid_payload', '_unavailable', '_internal_error']
const authenticated: readonly RefusalCode[] = [
  '_unauthorized',
  '_jwt_malformed',
  '_jwt_expired',
  'invalid_subscription',
  '_forbidden',
  '_too_many_requests',
]
const withBody: readonly RefusalCode[] = ['_payload_too_large', '_unsupported_media_type']
const repeatable: readonly RefusalCode[] = ['idempotency_key_reused', 'idempotency_key_in_use']

interface RouteToDocument {
  schema: object
  url: string
  route: { config?: { access?: Access; refusals?: readonly RefusalCode[]; isRepeatable?: boolean } }
}

function transform({ schema: given, url, route }: RouteToDocument) {
  // Without a schema of its own a route is not part of the interface.
  const schema = given as Record<string, unknown> | undefined
  if (!schema || schema.hide) return { schema: { hide: true }, url }
  const { access = 'public', refusals: own = [], isRepeatable = false } = route.config ?? {}
  const codes = [
    ...everyCall,
    ...(access === 'public' ? [] : access === 'operator' ? (['_unauthorized'] as const) : authenticated),
    ...(schema.body ? withBody : []),
    ...(isRepeatable ? repeatable : []),
    ...own,
  ]
  const errors = errorReplies(codes, url.includes(':') || schema.querystring !== undefined)
  return {
    url,
    schema: {
      ...schema,
      ...(isRepeatable && { headers: idempotencyHeader }),
      security: access === 'public' ? [] : [{ [access === 'operator' ? 'operator' : 'bearer']: [] }],
      response: { ...describeReplies(schema.response as Record<string, object>), ...errors },
    },
  }
}

function describeReplies(replies: Record<string, object> = {}) {
  return Object.fromEntries(
    Object.entries(replies).map(([status, schema]) => [status, { description: 'Done.', ...schema }]),
  )
}

const idempotencyHeader = {
  type: 'object',
  properties: {
    'idempotency-key': {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description: 'Makes repeating the call safe: the same key and body get the first answer again.',
    },
  },
}

/** One reply per status, naming the codes it can carry. A thing missing in the path is a 404, in the body a 400. */
function errorReplies(codes: readonly RefusalCode[], hasPlace: boolean) {
  const byStatus = new Map<number, RefusalCode[]>()
  const add = (status: number, code: RefusalCode) =>
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  for (const code of new Set(codes)) {
    add(statusOf(code), code)
    if (hasPlace && statusOf(code, 'path') !== statusOf(code)) add(statusOf(code, 'path'), code)
  }
  return Object.fromEntries(
    [...byStatus].sort(([a], [b]) => a - b).map(([status, list]) => [status, errorReply(status, list)]),
  )
}

function errorReply(status: number, codes: readonly RefusalCode[]) {
  return {
    description: codes.map((code) => `\`${code}\`: ${refusals[code]}`).join('\n\n'),
    type: 'object',
    required: ['statuscode', 'errorcode', 'message', 'description', 'timestamp', 'path', 'method'],
    properties: {
      statuscode: { type: 'integer', const: status },
      errorcode: { type: 'integer', const: status },
      message: { type: 'string', enum: codes },
      description: { type: 'string' },
      timestamp: { type: 'integer' },
      path: { type: 'string' },
      method: { type: 'string' },
    },
    examples: [
      {
        statuscode: status,
        errorcode: status,
        message: codes[0],
        description: '',
        timestamp: 1_773_480_000_000,
        path: '/v1/…',
        method: 'POST',
      },
    ],
  }
}

export const openApiOptions = {
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
      { name: 'Customers', description: 'Who collects: profiles, registrations, balances and history.' },
      { name: 'Cards', description: 'What a customer shows at the till.' },
      { name: 'Transactions', description: 'Baskets: preview, commit, look up.' },
      { name: 'Coupons', description: 'What a customer can redeem.' },
      { name: 'Campaigns', description: 'The rules by which customers collect.' },
      { name: 'Organization', description: 'The merchant the token belongs to.' },
      { name: 'Platform', description: 'For the operator: organizations, integrations, connections.' },
      { name: 'Operation', description: 'Health and metrics.' },
    ],
    components: {
      securitySchemes: {
        bearer: { type: 'http' as const, scheme: 'bearer', bearerFormat: 'JWT' },
        operator: { type: 'http' as const, scheme: 'bearer', description: 'The ADMIN_TOKEN of the service.' },
      },
    },
  },
  transform: transform as never,
}
