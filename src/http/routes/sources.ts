/** Sources: other systems that send their sales to us. */
import { Type } from 'typebox'
import { parseId } from '../../domain/ids.ts'
import {
  addSource,
  checkSettings,
  getSource,
  patchSource,
  removeSource,
  type SourceChange,
} from '../../operations/sources/manage-sources.ts'
import { addressOf } from '../../operations/sources/source-tokens.ts'
import { trySource } from '../../operations/sources/try-source.ts'
import { listSources } from '../../store/sources.ts'
import { tenantOf } from '../../store/tenant.ts'
import type { Server } from '../fastify-server.ts'
import { listPage, PageQuery } from '../requests/paging.ts'
import { respondToWrite } from '../respond.ts'
import { Id, PageOf } from '../schemas/fields.ts'
import {
  NewSource,
  NewSourceReply,
  PatchSource,
  SourceReply,
  TrialReply,
  TrySource,
  toSourceReply,
  toTrialReply,
} from '../schemas/source.ts'
import type { ServerOptions } from '../server-options.ts'

const tags = ['Sources']
const SourcePath = Type.Object({ id: Id('src') })

const aboutSources =
  'For tills and shops that cannot call this API themselves: enter `url` where they send their webhooks, and the key ' +
  'that they sign with as `secret`. What they send is answered at once and recorded in the background, usually within a second.'

export function sourceRoutes(app: Server, options: ServerOptions): void {
  addRoute(app, options)
  readRoutes(app, options)
  changeRoute(app, options)
  deleteRoute(app, options)
  tryRoute(app, options)
}

const renderFor = ({ deps }: ServerOptions, org: number) =>
  toSourceReply(({ id }) => addressOf(deps.publicUrl(), deps.sourceTokens, { org, source: id }))

function addRoute(app: Server, options: ServerOptions): void {
  const { deps } = options
  app.post(
    '/v1/sources',
    {
      config: { access: ['manage'], hidesReply: true, refusals: ['too_many_sources', 'campaign_not_found'] },
      schema: {
        operationId: 'addSource',
        summary: 'Let another system send its sales',
        description: aboutSources,
        tags,
        body: NewSource,
        response: { 201: NewSourceReply },
      },
    },
    async (request, reply) => {
      await checkSettings(deps, request.caller, request.body.kind, request.body)
      return respondToWrite(deps, request, reply, {
        work: (tenant) => addSource(tenant, deps, request.caller, request.body),
        status: 201,
        render: (source) => ({
          ...renderFor(options, request.caller.organization.orgId)(source),
          secret: source.secret,
        }),
      })
    },
  )
}

function readRoutes(app: Server, options: ServerOptions): void {
  const { pool } = options.deps

  app.get(
    '/v1/sources',
    {
      config: { access: ['manage'] },
      schema: {
        operationId: 'listSources',
        summary: 'List the sources, newest first',
        tags,
        querystring: Type.Object(PageQuery),
        response: { 200: PageOf(SourceReply) },
      },
    },
    ({ caller, query }) => {
      const { orgId } = caller.organization
      const tenant = tenantOf(pool, orgId)
      return listPage('src', query, (page) => listSources(tenant, page), renderFor(options, orgId))
    },
  )

  app.get(
    '/v1/sources/:id',
    {
      config: { access: ['manage'], refusals: ['source_not_found'] },
      schema: {
        operationId: 'getSource',
        summary: 'Get a source',
        tags,
        params: SourcePath,
        response: { 200: SourceReply },
      },
    },
    async ({ caller, params }) => {
      const { orgId } = caller.organization
      const source = await getSource(tenantOf(pool, orgId), parseId('src', params.id))
      return renderFor(options, orgId)(source)
    },
  )
}

function changeRoute(app: Server, options: ServerOptions): void {
  const { deps } = options
  app.patch(
    '/v1/sources/:id',
    {
      config: { access: ['manage'], refusals: ['source_not_found', 'campaign_not_found'] },
      schema: {
        operationId: 'patchSource',
        summary: 'Change, pause or resume a source',
        tags,
        params: SourcePath,
        body: PatchSource,
        response: { 200: SourceReply },
      },
    },
    async (request, reply) => {
      const id = parseId('src', request.params.id)
      const change = request.body as SourceChange
      const { kind } = await getSource(tenantOf(deps.pool, request.caller.organization.orgId), id)
      await checkSettings(deps, request.caller, kind, change)
      return respondToWrite(deps, request, reply, {
        work: (tenant) => patchSource(tenant, deps, request.caller, id, change),
        status: 200,
        render: renderFor(options, request.caller.organization.orgId),
      })
    },
  )
}

function deleteRoute(app: Server, { deps }: ServerOptions): void {
  app.delete(
    '/v1/sources/:id',
    {
      config: { access: ['manage'], refusals: ['source_not_found'] },
      schema: {
        operationId: 'deleteSource',
        summary: 'Delete a source',
        description: 'What it has sent is no longer shown, and what it sends is refused. Its sales stay.',
        tags,
        params: SourcePath,
        response: { 204: Type.Null({ description: 'Deleted.' }) },
      },
    },
    (request, reply) =>
      respondToWrite(deps, request, reply, {
        work: (tenant) => removeSource(tenant, parseId('src', request.params.id)),
        status: 204,
        render: () => null,
      }),
  )
}

function tryRoute(app: Server, { deps, baskets }: ServerOptions): void {
  app.post(
    '/v1/sources/:id/try',
    {
      config: { access: ['manage'], refusals: ['source_not_found'] },
      schema: {
        operationId: 'trySource',
        summary: 'See what would be made of a message',
        description: 'Nothing is recorded. `mapping` is used instead of that of the source.',
        tags,
        params: SourcePath,
        body: TrySource,
        response: { 200: TrialReply },
      },
    },
    async ({ caller, params, body }) => {
      const { organization } = caller
      const source = await getSource(tenantOf(deps.pool, organization.orgId), parseId('src', params.id))
      return toTrialReply(await trySource(deps, baskets, caller, source, body), organization)
    },
  )
}
