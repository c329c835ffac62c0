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
import { eventWebhooks } from '../schemas/events.ts'
import { errorCodesOf } from './error-responses.ts'
import { idempotencyHeader, preferHeader, requestIdHeader } from './headers.ts'
import { operationNotes } from './operation-notes.ts'
import { publishDocument } from './publish-document.ts'

const description = `Loyalty and wallet service for merchants: points, stamps, coupons and cards.

1. \`POST /auth/token\` gives a token for an API key and an API secret.
2. \`POST /v1/customers/register\` opens a card with a barcode.
3. \`POST /v1/transactions/process\` redeems, spends, collects and grants, all or nothing.

[First integration](/docs/guides/first-integration) leads through these steps with curl, TypeScript and Python; more guides are beside it. Errors, retries, unknown properties, lists, rate limits and versions: [Using the API](/docs/guides/api). What happens is sent to webhooks, or read with \`GET /v1/events\`: [Webhooks and events](/docs/guides/events).`

interface RouteToTransform {
  schema: object
  url: string
  route: {
    method: string | readonly string[]
    config?: { access?: Access; refusals?: readonly RefusalCode[]; isRepeatable?: boolean; mayLag?: boolean }
  }
}

function transform({ schema: given, url, route }: RouteToTransform) {
  // A route without a schema is not part of the API.
  const schema = given as Record<string, unknown> | undefined
  if (!schema || schema.hide) return { schema: { hide: true }, url }
  const { access = 'public', refusals = [], isRepeatable = false, mayLag = false } = route.config ?? {}
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
      'x-lagging': mayLag,
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
    // Generated clients take this as their default, so it must not be somebody else's service.
    servers: [{ url: '/', description: 'This service.' }],
    webhooks: eventWebhooks,
    tags: [
      { name: 'Authentication', description: 'Tokens for integrations.' },
      { name: 'Customers', description: 'Profiles, registrations, balances and history.' },
      { name: 'Cards', description: 'Cards that customers show at the till.' },
      { name: 'Transactions', description: 'Preview, process, return and look up baskets.' },
      { name: 'Coupons', description: 'Rewards that customers can redeem.' },
      { name: 'Campaigns', description: 'How customers earn points, stamps and coupons.' },
      { name: 'Directory', description: 'Products, branches and users, by your own IDs.' },
      { name: 'Import and export', description: 'Customers, products and branches in files.' },
      { name: 'Reports', description: 'Daily figures, and a check that they are consistent.' },
      { name: 'Events', description: 'What happened, for software that follows it.' },
      { name: 'Webhooks', description: 'Where events are sent, and what came of it.' },
      { name: 'Sources', description: 'Other systems that send their sales, and what was made of them.' },
      { name: 'Messages', description: 'Email and SMS to your customers, through your own senders.' },
      { name: 'Organization', description: 'The merchant that the token belongs to.' },
      { name: 'Test mode', description: 'Organizations for tests, and the clock in them.' },
      {
        name: 'Connections',
        description: 'Software that uses the API, and its credentials.',
      },
      { name: 'Logs', description: 'Recent requests, and who changed what.' },
      {
        name: 'Wallet page',
        description: "For customers, at the card's `walletUrl`; no token needed.",
      },
      { name: 'People', description: 'People who can sign in to the console, and their roles.' },
      { name: 'Platform', description: 'For the operator: organizations, integrations and connections.' },
      {
        name: 'Sessions',
        description: 'Sign-in for people, with a cookie instead of a token.',
      },
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
            'Set by `POST /auth/session`. A bearer token takes precedence. Owners have the scopes `pos`, `manage` and `people`, managers `pos` and `manage`, cashiers `pos`. Requests that change something must be same-origin.',
        },
        operator: { type: 'http' as const, scheme: 'bearer', description: 'The ADMIN_TOKEN of the service.' },
      },
    },
  },
  transform: transform as never,
  transformObject: publishDocument as never,
}
