/** The two logs of an organization: recent requests, and who changed what. */
import { type Static, Type } from 'typebox'
import { parseId, type UserId } from '../../domain/ids.ts'
import { notFound, type RefusalCode, refusals } from '../../domain/refusal.ts'
import type { Caller } from '../../operations/deps.ts'
import { toTimeRange } from '../../operations/organizations/time-range.ts'
import { type ListedAuditEntry, listAuditEntries } from '../../store/audit-entries.ts'
import { findHttpRequest, type ListedRequest, listHttpRequests } from '../../store/http-requests.ts'
import { tenantOf } from '../../store/tenant.ts'
import { refusalAnswers } from '../errors/refusals.ts'
import type { Server } from '../fastify-server.ts'
import { named } from '../openapi/name-components.ts'
import { listPage, PageQuery } from '../requests/paging.ts'
import { respondToRead } from '../respond-to-read.ts'
import { ActorKind, AuditSubjectKind, CallerKind, RequestOutcome } from '../schemas/choices.ts'
import { auditEntryExample, requestDetailsExample, requestExample } from '../schemas/examples.ts'
import { CustomerName, Id, Optional, PageOf, RangeQuery, Text, Timestamp } from '../schemas/fields.ts'
import type { ServerOptions } from '../server-options.ts'

const tags = ['Logs']

const request = {
  id: Id('req'),
  requestId: Type.String({ description: 'The `X-Request-Id` of the request and its response.' }),
  at: Timestamp('When it arrived.'),
  method: Type.String({ description: 'The HTTP method.' }),
  path: Type.String({ description: 'Path of the request, without the query.' }),
  route: Optional(Type.String({ description: 'The route pattern that the path matches.' })),
  status: Type.Integer({ description: 'The HTTP status.' }),
  durationMs: Type.Number({ description: 'How long it took, in milliseconds.' }),
  by: Type.Object(
    {
      kind: CallerKind,
      id: Id('usr', 'The user that the request acted as.'),
      name: Optional(Type.String({ description: 'Name of the connection or the person.' })),
    },
    { description: 'Who made it.' },
  ),
  errorCode: Optional(Type.String({ description: 'Error code, if the request was refused or failed.' })),
}
const LoggedRequest = Type.Object(request, {
  ...named('LoggedRequest'),
  examples: [requestExample],
})

const Kept = (description: string) =>
  Type.Unsafe<unknown>({ description: `${description} Secrets and personal data are removed.` })

const RequestDetails = Type.Object(
  {
    ...request,
    query: Optional(Kept('The query as sent.')),
    requestBody: Optional(Kept('The body as sent.')),
    replyBody: Optional(Kept('The response body.')),
    isTruncated: Optional(Type.Boolean({ description: 'A part was too long and has been left out.' })),
    error: Optional(
      Type.Object(
        {
          code: Type.String({ description: 'The error code.' }),
          description: Type.String({ description: 'What was wrong with the request.' }),
          advice: Type.String({ description: 'What to do about it.' }),
        },
        { description: 'Why it was refused, or that it failed.' },
      ),
    ),
  },
  {
    ...named('LoggedRequestDetails'),
    examples: [requestDetailsExample],
  },
)

const AuditEntry = Type.Object(
  {
    id: Id('aud'),
    at: Timestamp('When it was changed.'),
    by: Type.Object(
      {
        kind: ActorKind,
        id: Optional(Id('usr', 'The user that the request acted as; an operator has none.')),
        name: Optional(Type.String({ description: 'Name of the person or the connection.' })),
      },
      { description: 'Who changed it.' },
    ),
    action: Type.String({
      description: 'The `operationId` of the request, or `readManyCustomers`.',
      examples: ['publishCampaign'],
    }),
    subject: Optional(
      Type.Object(
        {
          kind: AuditSubjectKind,
          id: Type.String({ description: 'ID of the object.' }),
          name: Optional(
            Type.String({
              description: 'The name it had at the time; of a card, the last digits of its barcode.',
            }),
          ),
          customer: Optional(Id('cus', 'Whose card or coupon it is.')),
          customerName: Optional(CustomerName),
        },
        { description: 'What was changed.' },
      ),
    ),
    details: Optional(Kept('The body of the request.')),
    isTruncated: Optional(Type.Boolean({ description: 'A part was too long and has been left out.' })),
  },
  { ...named('AuditEntry'), examples: [auditEntryExample] },
)

function toRequestReply(row: ListedRequest) {
  return {
    id: row.id,
    requestId: row.requestId,
    at: row.at.toISOString(),
    method: row.method,
    path: row.path,
    route: row.route,
    status: row.status,
    durationMs: Math.round(row.durationUs / 100) / 10,
    by: { kind: row.byKind as 'connection' | 'person', id: row.user, name: row.byName },
    errorCode: row.errorCode,
  }
}

function toDetailsReply(row: ListedRequest) {
  const { query, requestBody, replyBody, errorCode } = row
  return {
    ...toRequestReply(row),
    query,
    requestBody,
    replyBody,
    isTruncated: row.isTruncated || undefined,
    error: isCode(errorCode) ? describeError(errorCode, replyBody) : undefined,
  }
}

const isCode = (code: string | undefined): code is RefusalCode =>
  code !== undefined && Object.hasOwn(refusals, code)

function describeError(code: RefusalCode, reply: unknown) {
  const { description } = (reply ?? {}) as { description?: unknown }
  return {
    code,
    description: typeof description === 'string' ? description : refusals[code],
    advice: refusalAnswers[code].advice,
  }
}

function toAuditReply(row: ListedAuditEntry) {
  return {
    id: row.id,
    at: row.at.toISOString(),
    by: { kind: row.byKind as 'person' | 'connection' | 'operator', id: row.user, name: row.byName },
    action: row.action,
    subject: row.subject as Static<typeof AuditEntry>['subject'],
    details: row.details,
    isTruncated: row.isTruncated || undefined,
  }
}

const statusRanges = { ok: [100, 400], refused: [400, 500], failed: [500, 600] } as const

export function logRoutes(app: Server, options: ServerOptions): void {
  requestList(app, options)
  requestDetails(app, options)
  auditLog(app, options)
}

/**
 * Whose requests the caller may read: undefined with the scope `manage`, which includes everyone's. Others,
 * including a signed-in cashier, see what they sent themselves, which tells them nothing new; what others sent
 * names customers that they have not served.
 */
const onlyOf = ({ scopes, user }: Caller): UserId | undefined =>
  scopes.includes('manage') ? undefined : user

function requestList(app: Server, { deps }: ServerOptions): void {
  app.get(
    '/v1/requests',
    {
      config: { access: ['pos', 'manage'], mayLag: true, skipsRequestLog: true },
      schema: {
        operationId: 'listRequests',
        summary: "List the organization's recent requests, newest first",
        description:
          'Without the scope `manage`, only the requests of the same connection or person. The newest 2,000 requests of the last 7 days, or of as many as the operator has set, available within seconds. ' +
          'Under heavy load, all that were refused or failed and a sample of the others.',
        tags,
        querystring: Type.Object({
          ...PageQuery,
          status: Optional(RequestOutcome),
          q: Optional(Text(255, { description: 'Part of the path, the request ID or the error code.' })),
          connection: Optional(Id('usr', "The connection's `user`, see `GET /v1/connections`.")),
          ...RangeQuery('Requested'),
        }),
        response: { 200: PageOf(LoggedRequest) },
      },
    },
    async (request, reply) => {
      const { status, q, connection } = request.query
      const filter = {
        ...toTimeRange(request.query, request.caller.organization.timezone),
        status: status && statusRanges[status],
        text: q?.trim() || undefined,
        user: connection === undefined ? undefined : parseId('usr', connection),
      }
      // A malformed ID has made no requests, and those of others are not shown.
      const only = onlyOf(request.caller)
      if (connection !== undefined && (!filter.user || (only && filter.user !== only))) return { data: [] }
      return respondToRead(deps, request, reply, (tenant) =>
        listPage(
          'req',
          request.query,
          (page) => listHttpRequests(tenant, { ...filter, user: only ?? filter.user }, page),
          toRequestReply,
        ),
      )
    },
  )
}

function requestDetails(app: Server, { deps }: ServerOptions): void {
  app.get(
    '/v1/requests/:id',
    {
      config: { access: ['pos', 'manage'], skipsRequestLog: true, refusals: ['request_not_found'] },
      schema: {
        operationId: 'getRequest',
        summary: 'Get a request with its body and its response',
        description:
          'Secrets and personal data are removed before a request is stored. Without the scope `manage`, only ' +
          'requests of the same connection or person are found.',
        tags,
        params: Type.Object({ id: Id('req') }),
        response: { 200: RequestDetails },
      },
    },
    async (request) => {
      const id = parseId('req', request.params.id)
      const tenant = tenantOf(deps.pool, request.caller.organization.orgId)
      const row = id && (await findHttpRequest(tenant, id, onlyOf(request.caller)))
      if (!row) throw notFound('request_not_found')
      return toDetailsReply(row)
    },
  )
}

function auditLog(app: Server, { deps }: ServerOptions): void {
  app.get(
    '/v1/audit',
    {
      config: { access: ['manage'], mayLag: true, skipsRequestLog: true },
      schema: {
        operationId: 'listAuditEntries',
        summary: 'List who changed what, newest first',
        description:
          'Every change that a till is not allowed to make, every change by the operator, and what signed-in people ' +
          'change in the profiles of customers. `readManyCustomers` notes that a cashier opened unusually many. ' +
          'Entries are kept forever.',
        tags,
        querystring: Type.Object({
          ...PageQuery,
          q: Optional(
            Text(255, { description: 'Part of the action, or of the ID or name of the changed object.' }),
          ),
          by: Optional(Id('usr', 'The user that made the change, or `operator`.')),
          ...RangeQuery('Changed'),
        }),
        response: { 200: PageOf(AuditEntry) },
      },
    },
    async (request, reply) => {
      const { q, by } = request.query
      const isOperator = by === 'operator'
      const user = by === undefined ? undefined : parseId('usr', by)
      if (by !== undefined && !isOperator && !user) return { data: [] }
      const filter = {
        ...toTimeRange(request.query, request.caller.organization.timezone),
        text: q?.trim() || undefined,
        user,
        byKind: isOperator ? 'operator' : undefined,
      }
      return respondToRead(deps, request, reply, (tenant) =>
        listPage('aud', request.query, (page) => listAuditEntries(tenant, filter, page), toAuditReply),
      )
    },
  )
}
