/**
 * The OpenAPI document, generated from the routes. Error responses and shared headers are added here and not in
 * the routes' own schemas: a route lists only the codes of its own refusals, and some apply to every request.
 */
import type { RefusalCode } from '../../domain/refusal.ts'
import { packageVersion } from '../../package-root.ts'
import { jsonTypes } from '../plugins/json-body.ts'
import { cookieName } from '../plugins/session-cookie.ts'
import { isLenient } from '../requests/unknown-fields.ts'
import type { Access } from '../route-config.ts'
import { errorCodesOf } from './error-responses.ts'
import { idempotencyHeader, preferHeader, requestIdHeader } from './headers.ts'
import { operationNotes } from './operation-notes.ts'
import { publishDocument } from './publish-document.ts'

const description = `Loyalty and wallet service for merchants: points, stamps, coupons and cards.

1. Exchange an API key and an API secret for a token: \`POST /auth/token\`. People sign in with \`POST /auth/session\` instead; the cookie it sets is accepted in place of the token.
2. Register a customer into a campaign: \`POST /v1/customers/register\` opens a card with a barcode.
3. Commit one basket: \`POST /v1/transactions/process\` redeems, spends, collects and grants, all or nothing.

**Errors** all have the same body. Its \`message\` is one of the codes listed with each operation. Codes are never renamed.

**Retrying a request** is safe. Every POST that writes accepts an \`Idempotency-Key\`, unless its response contains a secret, where the header is refused: a retry with the same key and body returns the first response, with the header \`Idempotent-Replayed: true\`. For transactions, your receipt number (\`opaqueId\`) does the same, with no time limit. Bodies are the same if they mean the same: the order of properties makes no difference, nor do ignored properties and values equal to the default (\`quantity\` 1, no points, no discount, an empty list or object, the position as the ID of an item, a list of one coupon).

**Unknown properties** of a body are ignored in requests that a till makes, and listed in the header \`Ignored-Members\`, so that an old till keeps working and a typo can be noticed. With \`Prefer: handling=strict\`, and in all other requests, they are rejected. Unknown query parameters are treated the same way, except that lists always reject them: without the filter that was meant, a list would return the data of other customers.

**Lists** accept \`limit\` (1 to 100, default 25) and \`cursor\`, and return \`{ data, nextCursor }\`; the last page has no \`nextCursor\`.

**Rate limits** are reported with every response: \`RateLimit-Policy\` says how many requests (\`q\`) are allowed in how many seconds (\`w\`), \`RateLimit\` how many are left (\`r\`). A request over the limit gets 429, and one that the service has no capacity for gets 503; both say in \`Retry-After\` when to retry.

**Values** that are not set are left out of responses; only a customer's \`opaqueId\` can be \`null\`. Money is a number in the organization's currency, times are ISO 8601, and IDs are opaque strings. \`X-Request-Id\` is taken from the request, or generated, and returned.`

interface RouteToTransform {
  schema: object
  url: string
  route: {
    method: string | readonly string[]
    config?: { access?: Access; refusals?: readonly RefusalCode[]; isRepeatable?: boolean }
  }
}

function transform({ schema: given, url, route }: RouteToTransform) {
  // A route without a schema is not part of the API.
  const schema = given as Record<string, unknown> | undefined
  if (!schema || schema.hide) return { schema: { hide: true }, url }
  const { access = 'public', refusals = [], isRepeatable = false } = route.config ?? {}
  const hasBody = schema.body !== undefined
  return {
    url,
    schema: {
      description: operationNotes[String(schema.operationId)],
      ...schema,
      ...headersOf(schema, access, isRepeatable),
      ...(hasBody && route.method === 'PATCH' && { consumes: jsonTypes }),
      security: securityOf(access),
      response: describeReplies(schema.response as Record<string, object>),
      'x-errors': errorCodesOf({ url, method: route.method, access, refusals, isRepeatable, hasBody }),
      'x-limited': access !== 'operator',
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

/** The headers of the route's own schema, and those that follow from the kind of request. */
function headersOf(schema: Record<string, unknown>, access: Access, isRepeatable: boolean) {
  const own = (schema.headers ?? {}) as { properties?: object }
  const properties = {
    ...own.properties,
    ...requestIdHeader,
    ...(isRepeatable && idempotencyHeader),
    ...(schema.body !== undefined && isLenient(access) && preferHeader),
  }
  return { headers: { type: 'object', ...own, properties } }
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
      contact: { name: 'Loyalty Wallet', url: 'https://github.com/loyalty-wallet/loyalty-wallet/issues' },
    },
    // Generated clients take the first as their default.
    servers: [
      { url: 'http://127.0.0.1:8080', description: 'The demo, on the machine that runs it.' },
      { url: '/', description: 'The service that this document was loaded from.' },
    ],
    // Nothing is sent yet; what will be is going to be described here.
    webhooks: {},
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
  transformObject: publishDocument as never,
}
