/** What sources have sent, what was made of it, and why not. */
import { Type } from 'typebox'
import { parseId } from '../../domain/ids.ts'
import { getReceived, getSource, retryMessage } from '../../operations/sources/manage-sources.ts'
import { listReceived } from '../../store/received-messages.ts'
import { tenantOf } from '../../store/tenant.ts'
import type { Server } from '../fastify-server.ts'
import { listPage, PageQuery } from '../requests/paging.ts'
import { respondToWrite } from '../respond.ts'
import { ReceivedStatus } from '../schemas/choices.ts'
import { Id, NoBody, Optional, PageOf } from '../schemas/fields.ts'
import {
  ReceivedReply,
  ReceivedWithContentReply,
  toReceivedReply,
  toReceivedWithContentReply,
} from '../schemas/source.ts'
import type { ServerOptions } from '../server-options.ts'

const tags = ['Sources']
const ReceivedPath = Type.Object({ id: Id('rcv') })

export function receivedRoutes(app: Server, options: ServerOptions): void {
  readRoutes(app, options)
  retryRoute(app, options)
}

function readRoutes(app: Server, { deps }: ServerOptions): void {
  const { pool } = deps

  app.get(
    '/v1/sources/:id/received',
    {
      config: { access: ['manage'], refusals: ['source_not_found'] },
      schema: {
        operationId: 'listReceivedMessages',
        summary: 'List what a source has sent, newest first',
        tags,
        params: Type.Object({ id: Id('src') }),
        querystring: Type.Object({ ...PageQuery, status: Optional(ReceivedStatus) }),
        response: { 200: PageOf(ReceivedReply) },
      },
    },
    async ({ caller, params, query }) => {
      const tenant = tenantOf(pool, caller.organization.orgId)
      const { id: source } = await getSource(tenant, parseId('src', params.id))
      const filter = { source, status: query.status }
      return listPage('rcv', query, (page) => listReceived(tenant, filter, page), toReceivedReply)
    },
  )

  app.get(
    '/v1/received/:id',
    {
      config: { access: ['manage'], refusals: ['received_message_not_found'] },
      schema: {
        operationId: 'getReceivedMessage',
        summary: 'Get what came, and what was made of it',
        tags,
        params: ReceivedPath,
        response: { 200: ReceivedWithContentReply },
      },
    },
    async (request) => {
      const tenant = tenantOf(pool, request.caller.organization.orgId)
      const received = await getReceived(tenant, parseId('rcv', request.params.id))
      return toReceivedWithContentReply(received)
    },
  )
}

function retryRoute(app: Server, { deps }: ServerOptions): void {
  app.post(
    '/v1/received/:id/retry',
    {
      config: {
        access: ['manage'],
        isRepeatable: true,
        refusals: ['received_message_not_found', 'received_message_not_kept'],
      },
      schema: {
        operationId: 'retryReceivedMessage',
        summary: 'Try again to record what came',
        description: 'With the settings that the source has now. What was recorded is never recorded twice.',
        tags,
        params: ReceivedPath,
        body: NoBody,
        response: { 202: ReceivedReply },
      },
    },
    (request, reply) =>
      respondToWrite(deps, request, reply, {
        work: (tenant) => retryMessage(tenant, parseId('rcv', request.params.id), deps.clock()),
        status: 202,
        render: toReceivedReply,
      }),
  )
}
