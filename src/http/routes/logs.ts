/** The two logs of an organization: what was called lately, and who changed what. */
import { Type } from 'typebox'
import { parseId } from '../../domain/ids.ts'
import { type RefusalCode, Refused, refusals } from '../../domain/refusal.ts'
import { toTimeRange } from '../../operations/organizations/time-range.ts'
import { type ListedAuditEntry, listAuditEntries } from '../../store/audit-entries.ts'
import { findHttpRequest, type ListedRequest, listHttpRequests } from '../../store/http-requests.ts'
import { tenantOf } from '../../store/tenant.ts'
import { refusalAnswers } from '../errors/refusals.ts'
import type { Server } from '../fastify-server.ts'
import { named } from '../openapi/name-components.ts'
import { idCursor, limitOf, PageQuery, toPage } from '../requests/paging.ts'
import { auditEntryExample, requestDetailsExample, requestExample } from '../schemas/examples.ts'
import { Id, Optional, PageOf, RangeQuery, Text, Timestamp } from '../schemas/members.ts'
import type { ServerOptions } from '../server-options.ts'

const tags = ['Logs']

const request = {
  id: Id('req'),
  requestId: Type.String({ description: 'The `X-Request-Id` of the call and of its reply.' }),
  at: Timestamp(),
  method: Type.String(),
  path: Type.String({ description: 'Without the query.' }),
  route: Optional(Type.String({ description: 'The pattern of the path.' })),
  status: Type.Integer({ description: 'The HTTP status.' }),
  durationMs: Type.Number(),
  by: Type.Object({
    kind: Type.Union([Type.Literal('connection'), Type.Literal('person')]),
    id: Id('usr', 'The user the call acted as.'),
    name: Optional(Type.String()),
  }),
  errorCode: Optional(Type.String({ description: 'Of a call that was refused or failed.' })),
}
const Request = Type.Object(request, { ...named('Request'), examples: [requestExample] })

const Kept = (description: string) =>
  Type.Unsafe<unknown>({ description: `${description} Without secrets and personal data.` })

const RequestDetails = Type.Object(
  {
    ...request,
    query: Optional(Kept('As sent.')),
    requestBody: Optional(Kept('As sent.')),
    replyBody: Optional(Kept('As answered.')),
    isTruncated: Optional(Type.Boolean({ description: 'A part was too long and was left out.' })),
    error: Optional(
      Type.Object({
        code: Type.String(),
        description: Type.String({ description: 'What was wrong in this call.' }),
        advice: Type.String({ description: 'What to do about it.' }),
      }),
    ),
  },
  { ...named('RequestDetails'), examples: [requestDetailsExample] },
)

const AuditEntry = Type.Object(
  {
    id: Id('aud'),
    at: Timestamp(),
    by: Type.Object({
      kind: Type.Union([Type.Literal('person'), Type.Literal('connection'), Type.Literal('operator')]),
      id: Optional(Id('usr', 'The user that was acted as; an operator has none.')),
      name: Optional(Type.String()),
    }),
    action: Type.String({ description: 'The `operationId` of the call.', examples: ['publishCampaign'] }),
    subject: Optional(
      Type.Object({
        kind: Type.String({ examples: ['campaign'] }),
        id: Type.String(),
        name: Optional(Type.String({ description: 'As it was called then.' })),
      }),
    ),
    details: Optional(Kept('The body of the call.')),
    isTruncated: Optional(Type.Boolean({ description: 'A part was too long and was left out.' })),
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
    subject: row.subject,
    details: row.details,
    isTruncated: row.isTruncated || undefined,
  }
}

const statusRanges = { ok: [100, 400], refused: [400, 500], failed: [500, 600] } as const

export function logRoutes(app: Server, options: ServerOptions): void {
  requestLog(app, options)
  auditLog(app, options)
}

function requestLog(app: Server, { deps }: ServerOptions): void {
  const { pool } = deps

  app.get(
    '/v1/requests',
    {
      config: { access: ['manage'], skipsRequestLog: true },
      schema: {
        operationId: 'listRequests',
        summary: 'List the last calls of the organization, newest first',
        description:
          'The newest 2,000 of the last 7 days, seconds after they were answered. ' +
          'When there are very many at once, all that were refused or failed and some of the others.',
        tags,
        querystring: Type.Object({
          ...PageQuery,
          status: Optional(
            Type.Union([Type.Literal('ok'), Type.Literal('refused'), Type.Literal('failed')], {
              description: '`ok`, `refused` (4xx) or `failed` (5xx).',
            }),
          ),
          q: Optional(Text(255, { description: 'A part of the path, the request id or the error code.' })),
          connection: Optional(Id('usr', 'The user that calls act as, see `GET /v1/connections`.')),
          ...RangeQuery('Called'),
        }),
        response: { 200: PageOf(Request) },
      },
    },
    async (request) => {
      const { status, q, connection } = request.query
      const limit = limitOf(request.query)
      const after = idCursor('req', request.query.cursor)
      const filter = {
        ...toTimeRange(request.query, request.caller.organization.timezone),
        status: status && statusRanges[status],
        text: q?.trim() || undefined,
        user: connection === undefined ? undefined : parseId('usr', connection),
      }
      // What cannot be an id of ours has called nothing.
      if (connection !== undefined && !filter.user) return { data: [] }
      const tenant = tenantOf(pool, request.caller.organization.orgId)
      const rows = await listHttpRequests(tenant, filter, { limit: limit + 1, after })
      return toPage(rows, limit, (row) => row.id, toRequestReply)
    },
  )

  app.get(
    '/v1/requests/:id',
    {
      config: { access: ['manage'], skipsRequestLog: true, refusals: ['request_not_found'] },
      schema: {
        operationId: 'getRequest',
        summary: 'Get a call with what was sent and answered',
        description: 'Secrets and personal data were taken out before it was kept.',
        tags,
        params: Type.Object({ id: Id('req') }),
        response: { 200: RequestDetails },
      },
    },
    async (request) => {
      const id = parseId('req', request.params.id)
      const row = id && (await findHttpRequest(tenantOf(pool, request.caller.organization.orgId), id))
      if (!row) throw new Refused('request_not_found', undefined, 'path')
      return toDetailsReply(row)
    },
  )
}

function auditLog(app: Server, { deps }: ServerOptions): void {
  app.get(
    '/v1/audit',
    {
      config: { access: ['manage'], skipsRequestLog: true },
      schema: {
        operationId: 'listAuditEntries',
        summary: 'List who changed what, newest first',
        description:
          'Every change that needs more than a till may do, and what the operator changed. ' +
          'Written together with the change, and kept for ever.',
        tags,
        querystring: Type.Object({
          ...PageQuery,
          q: Optional(
            Text(255, { description: 'A part of the action, or of the id or name of what was changed.' }),
          ),
          by: Optional(Id('usr', 'The user that was acted as, or `operator`.')),
          ...RangeQuery('Changed'),
        }),
        response: { 200: PageOf(AuditEntry) },
      },
    },
    async (request) => {
      const { q, by } = request.query
      const limit = limitOf(request.query)
      const after = idCursor('aud', request.query.cursor)
      const isOperator = by === 'operator'
      const user = by === undefined ? undefined : parseId('usr', by)
      if (by !== undefined && !isOperator && !user) return { data: [] }
      const filter = {
        ...toTimeRange(request.query, request.caller.organization.timezone),
        text: q?.trim() || undefined,
        user,
        byKind: isOperator ? 'operator' : undefined,
      }
      const tenant = tenantOf(deps.pool, request.caller.organization.orgId)
      const rows = await listAuditEntries(tenant, filter, { limit: limit + 1, after })
      return toPage(rows, limit, (row) => row.id, toAuditReply)
    },
  )
}
