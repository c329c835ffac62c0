/** Messages: sending a card's link, and what became of every message. */
import { Type } from 'typebox'
import { parseId } from '../../domain/ids.ts'
import { getCustomerId } from '../../operations/customers/customer-view.ts'
import {
  getMessage,
  noteBounce,
  retryMessage,
  sendCardLink,
} from '../../operations/messages/order-messages.ts'
import { listMessages } from '../../store/messages.ts'
import { tenantOf } from '../../store/tenant.ts'
import type { Server } from '../fastify-server.ts'
import { nowOf } from '../requests/now-of.ts'
import { listPage, PageQuery } from '../requests/paging.ts'
import { respondToWrite } from '../respond.ts'
import { MessageKinds, MessageStatus } from '../schemas/choices.ts'
import { Id, NoBody, OfCustomer, Optional, PageOf } from '../schemas/fields.ts'
import { MessageReply, NewMessageBody, toMessageReply } from '../schemas/message.ts'
import type { ServerOptions } from '../server-options.ts'

const tags = ['Messages']
const MessagePath = Type.Object({ id: Id('msg') })

export function messageRoutes(app: Server, options: ServerOptions): void {
  sendRoute(app, options)
  readRoutes(app, options)
  retryRoute(app, options)
  bouncedRoute(app, options)
}

function sendRoute(app: Server, { deps }: ServerOptions): void {
  app.post(
    '/v1/messages',
    {
      config: {
        access: ['pos'],
        isRepeatable: true,
        isAuditedForPeople: true,
        refusals: [
          'sender_not_found',
          'customer_not_active',
          'customer_not_reachable',
          'card_not_found',
          'card_not_active',
        ],
      },
      schema: {
        operationId: 'sendCardLink',
        summary: 'Send a customer the link to the own card',
        description:
          'By email, or else by SMS, unless you choose: to the address that the customer has given. It is sent within a few ' +
          'seconds; get the message to see what became of it.',
        tags,
        body: NewMessageBody,
        response: { 201: MessageReply },
      },
    },
    (request, reply) =>
      respondToWrite(deps, request, reply, {
        work: (tenant) => {
          const { card, channel } = request.body
          return sendCardLink(
            tenant,
            deps.seal,
            { card: parseId('card', card), channel },
            nowOf(deps, request),
          )
        },
        status: 201,
        render: toMessageReply,
        customerOf: ({ customer }) => customer,
      }),
  )
}

function readRoutes(app: Server, { deps }: ServerOptions): void {
  const { pool } = deps

  app.get(
    '/v1/messages',
    {
      config: { access: ['manage'], refusals: ['customer_not_found'] },
      schema: {
        operationId: 'listMessages',
        summary: 'List the messages, newest first',
        tags,
        querystring: Type.Object({
          ...PageQuery,
          customer: OfCustomer,
          kind: Optional(MessageKinds),
          status: Optional(MessageStatus),
        }),
        response: { 200: PageOf(MessageReply) },
      },
    },
    async ({ caller, query }) => {
      const { customer, kind, status } = query
      const tenant = tenantOf(pool, caller.organization.orgId)
      const id = customer === undefined ? undefined : await getCustomerId(tenant, customer)
      return listPage(
        'msg',
        query,
        (page) => listMessages(tenant, { customer: id, kind, status }, page),
        toMessageReply,
      )
    },
  )

  app.get(
    '/v1/messages/:id',
    {
      config: { access: ['pos'], refusals: ['message_not_found'] },
      schema: {
        operationId: 'getMessage',
        summary: 'Get a message',
        tags,
        params: MessagePath,
        response: { 200: MessageReply },
      },
    },
    async ({ caller, params }) => {
      const tenant = tenantOf(pool, caller.organization.orgId)
      return toMessageReply(await getMessage(tenant, parseId('msg', params.id)))
    },
  )
}

function retryRoute(app: Server, { deps }: ServerOptions): void {
  app.post(
    '/v1/messages/:id/retry',
    {
      config: {
        access: ['manage'],
        isRepeatable: true,
        refusals: ['message_not_found', 'message_already_sent'],
      },
      schema: {
        operationId: 'retryMessage',
        summary: 'Send a message now that failed, or may not have arrived',
        tags,
        params: MessagePath,
        body: NoBody,
        response: { 200: MessageReply },
      },
    },
    (request, reply) =>
      respondToWrite(deps, request, reply, {
        work: (tenant) => retryMessage(tenant, parseId('msg', request.params.id), nowOf(deps, request)),
        status: 200,
        render: toMessageReply,
      }),
  )
}

function bouncedRoute(app: Server, { deps }: ServerOptions): void {
  app.post(
    '/v1/messages/:id/bounced',
    {
      config: {
        access: ['manage'],
        isRepeatable: true,
        refusals: ['message_not_found'],
      },
      schema: {
        operationId: 'noteBounce',
        summary: 'Report that a message came back',
        description:
          'For what your mail server or SMS provider learns later. Nothing more is sent to the address, until it changes ' +
          'or the customer confirms it with a code.',
        tags,
        params: MessagePath,
        body: NoBody,
        response: { 200: MessageReply },
      },
    },
    (request, reply) =>
      respondToWrite(deps, request, reply, {
        work: (tenant) => noteBounce(deps, tenant, parseId('msg', request.params.id)),
        status: 200,
        render: toMessageReply,
        customerOf: ({ customer }) => customer,
      }),
  )
}
