/** What sends messages: the organization's mail server and SMS provider. */
import { Type } from 'typebox'
import type { Channel } from '../../domain/message.ts'
import {
  removeSender,
  setEmailSender,
  setSmsSender,
  testSender,
} from '../../operations/messages/manage-senders.ts'
import { listSenders } from '../../store/senders.ts'
import { tenantOf } from '../../store/tenant.ts'
import type { Server } from '../fastify-server.ts'
import { nowOf } from '../requests/now-of.ts'
import { respondToWrite } from '../respond.ts'
import {
  EmailSenderBody,
  EmailTestBody,
  MessageReply,
  SenderList,
  SenderReply,
  SmsSenderBody,
  SmsSenderReply,
  SmsTestBody,
  toMessageReply,
  toSenderReply,
} from '../schemas/message.ts'
import type { ServerOptions } from '../server-options.ts'

const tags = ['Messages']

export function senderRoutes(app: Server, options: ServerOptions): void {
  listRoute(app, options)
  setRoutes(app, options)
  for (const channel of ['email', 'sms'] as const) {
    testRoute(app, options, channel)
    removeRoute(app, options, channel)
  }
}

function listRoute(app: Server, { deps }: ServerOptions): void {
  app.get(
    '/v1/senders',
    {
      config: { access: ['manage'] },
      schema: {
        operationId: 'listSenders',
        summary: 'List what sends your messages',
        tags,
        response: { 200: SenderList },
      },
    },
    async ({ caller }) => {
      const senders = await listSenders(tenantOf(deps.pool, caller.organization.orgId))
      return { data: senders.map(toSenderReply) }
    },
  )
}

function setRoutes(app: Server, { deps }: ServerOptions): void {
  app.put(
    '/v1/senders/email',
    {
      config: { access: ['manage'] },
      schema: {
        operationId: 'setEmailSender',
        summary: 'Set up your mail server',
        description: 'Replaces the one before it. The password is stored encrypted, and never shown.',
        tags,
        body: EmailSenderBody,
        response: { 200: SenderReply },
      },
    },
    (request, reply) =>
      respondToWrite(deps, request, reply, {
        work: (tenant) => setEmailSender(tenant, deps, request.caller, request.body),
        status: 200,
        render: toSenderReply,
      }),
  )

  app.put(
    '/v1/senders/sms',
    {
      config: { access: ['manage'], hidesReply: true },
      schema: {
        operationId: 'setSmsSender',
        summary: 'Set up your SMS provider; a new secret is shown once',
        description:
          'Each SMS is a `POST` with `{ "id", "type": "sms.send", "timestamp", "data": { "to", "text" } }`, signed like a ' +
          'webhook. Answer with 2xx once your provider has it, with 400, 404, 410 or 422 if it never will; anything ' +
          'else is tried again. The `id` is the same for every attempt: never send one twice.',
        tags,
        body: SmsSenderBody,
        response: { 200: SmsSenderReply },
      },
    },
    (request, reply) =>
      respondToWrite(deps, request, reply, {
        work: (tenant) => setSmsSender(tenant, deps, request.caller, request.body),
        status: 200,
        render: (sender) => ({ ...toSenderReply(sender), secret: sender.secret }),
      }),
  )
}

const channels = { email: { Name: 'Email', by: 'email' }, sms: { Name: 'Sms', by: 'SMS' } } as const

function testRoute(app: Server, { deps }: ServerOptions, channel: Channel): void {
  const { Name, by } = channels[channel]
  app.post(
    `/v1/senders/${channel}/test`,
    {
      config: { access: ['manage'], isRepeatable: true, refusals: ['sender_not_found', 'invalid_phone'] },
      schema: {
        operationId: `test${Name}Sender`,
        summary: `Send a test by ${by}`,
        description:
          'It is tried once, within a few seconds: get the message to see whether it was sent, or what is wrong.',
        tags,
        body: channel === 'email' ? EmailTestBody : SmsTestBody,
        response: { 201: MessageReply },
      },
    },
    (request, reply) =>
      respondToWrite(deps, request, reply, {
        work: (tenant) => {
          const { organization } = request.caller
          const { email, phone } = request.body as { email?: string; phone?: string }
          return testSender(tenant, deps.seal, organization, channel, email ?? phone ?? '', deps.clock())
        },
        status: 201,
        render: toMessageReply,
      }),
  )
}

function removeRoute(app: Server, { deps }: ServerOptions, channel: Channel): void {
  const { Name, by } = channels[channel]
  app.delete(
    `/v1/senders/${channel}`,
    {
      config: { access: ['manage'], refusals: ['sender_not_found'] },
      schema: {
        operationId: `delete${Name}Sender`,
        summary: `Stop sending by ${by}`,
        description: 'Messages that have not been sent yet fail.',
        tags,
        response: { 204: Type.Null({ description: 'Deleted.' }) },
      },
    },
    (request, reply) =>
      respondToWrite(deps, request, reply, {
        work: (tenant) => removeSender(tenant, channel, nowOf(deps, request)),
        status: 204,
        render: () => null,
      }),
  )
}
