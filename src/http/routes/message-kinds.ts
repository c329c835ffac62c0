/** Which messages are sent by themselves, and in which words. */
import { Type } from 'typebox'
import type { Language } from '../../domain/language.ts'
import { automaticKinds, type Channel, isMessageKind, messageKinds } from '../../domain/message.ts'
import {
  listKinds,
  listTexts,
  patchKind,
  previewText,
  removeText,
  setText,
} from '../../operations/messages/manage-texts.ts'
import { tenantOf } from '../../store/tenant.ts'
import type { Server } from '../fastify-server.ts'
import { nowOf } from '../requests/now-of.ts'
import { respondToWrite } from '../respond.ts'
import { Channels, Languages } from '../schemas/choices.ts'
import {
  KindList,
  KindReply,
  PatchKind,
  PreviewBody,
  PreviewReply,
  TextBody,
  TextList,
  TextReply,
  toKindReply,
  toTextReply,
} from '../schemas/message.ts'
import type { ServerOptions } from '../server-options.ts'

const tags = ['Messages']
const kind = Type.String({ description: 'The kind of message.', examples: ['reward_earned'] })
const KindPath = Type.Object({ kind })
const TextPath = Type.Object({
  kind,
  channel: Type.Unsafe<Channel>({ ...Channels, examples: ['email'] }),
  language: Type.Unsafe<Language>({ ...Languages, examples: ['en'] }),
})
const config = { access: ['manage'], refusals: ['message_kind_not_found'] } as const

/** The automatic ones first. */
const shownKinds = [
  ...automaticKinds,
  ...Object.keys(messageKinds).filter((each) => isMessageKind(each) && !automaticKinds.includes(each)),
].filter(isMessageKind)

export function messageKindRoutes(app: Server, options: ServerOptions): void {
  kindRoutes(app, options)
  textListRoute(app, options)
  textChangeRoutes(app, options)
  previewRoute(app, options)
}

function kindRoutes(app: Server, { deps }: ServerOptions): void {
  app.get(
    '/v1/message-kinds',
    {
      config: { access: ['manage'] },
      schema: {
        operationId: 'listMessageKinds',
        summary: 'List the kinds of messages, with what was sent',
        tags,
        response: { 200: KindList },
      },
    },
    async ({ caller }) => {
      const tenant = tenantOf(deps.pool, caller.organization.orgId)
      return {
        data: (await listKinds(tenant, shownKinds, nowOf(deps, { caller }))).map(toKindReply),
      }
    },
  )

  app.patch(
    '/v1/message-kinds/:kind',
    {
      config,
      schema: {
        operationId: 'patchMessageKind',
        summary: 'Switch messages on or off that are sent by themselves',
        description:
          'One about something that happens begins with what happens next; the others are looked for every day at ten in ' +
          'the morning. Customers get one message for each reason.',
        tags,
        params: KindPath,
        body: PatchKind,
        response: { 200: KindReply },
      },
    },
    (request, reply) =>
      respondToWrite(deps, request, reply, {
        work: (tenant) =>
          patchKind(
            tenant,
            request.caller.organization,
            request.params.kind,
            request.body,
            nowOf(deps, request),
          ),
        status: 200,
        render: toKindReply,
      }),
  )
}

function textListRoute(app: Server, { deps }: ServerOptions): void {
  app.get(
    '/v1/message-kinds/:kind/texts',
    {
      config,
      schema: {
        operationId: 'listMessageTexts',
        summary: 'List the texts of a kind of message',
        tags,
        params: KindPath,
        response: { 200: TextList },
      },
    },
    async ({ caller, params }) => {
      const tenant = tenantOf(deps.pool, caller.organization.orgId)
      return { data: (await listTexts(tenant, params.kind)).map(toTextReply) }
    },
  )
}

function textChangeRoutes(app: Server, { deps }: ServerOptions): void {
  app.put(
    '/v1/message-kinds/:kind/texts/:channel/:language',
    {
      config,
      schema: {
        operationId: 'setMessageText',
        summary: 'Write a text in your own words',
        tags,
        params: TextPath,
        body: TextBody,
        response: { 200: TextReply },
      },
    },
    (request, reply) =>
      respondToWrite(deps, request, reply, {
        work: (tenant) => setText(tenant, request.params, request.body, nowOf(deps, request)),
        status: 200,
        render: toTextReply,
      }),
  )

  app.delete(
    '/v1/message-kinds/:kind/texts/:channel/:language',
    {
      config,
      schema: {
        operationId: 'deleteMessageText',
        summary: 'Go back to our words',
        tags,
        params: TextPath,
        response: { 204: Type.Null({ description: 'Deleted, or there was none.' }) },
      },
    },
    (request, reply) =>
      respondToWrite(deps, request, reply, {
        work: (tenant) => removeText(tenant, request.params),
        status: 204,
        render: () => null,
      }),
  )
}

function previewRoute(app: Server, { deps }: ServerOptions): void {
  app.post(
    '/v1/message-kinds/:kind/preview',
    {
      config,
      schema: {
        operationId: 'previewMessage',
        summary: 'See how a message would look',
        description: 'With values that are made up. Nothing is sent or stored.',
        tags,
        params: KindPath,
        body: PreviewBody,
        response: { 200: PreviewReply },
      },
    },
    ({ caller, params, body }) => {
      const { organization } = caller
      const { channel, language, ...given } = body
      const key = { kind: params.kind, channel, language }
      const tenant = tenantOf(deps.pool, organization.orgId)
      return previewText(tenant, organization, key, given, sampleValues(deps.publicUrl()))
    },
  )
}

const sampleValues = (publicUrl: string) => ({
  name: 'Ada',
  campaign: 'Coffee club',
  reward: 'Free coffee',
  amount: '120 Points',
  date: '31.12.',
  code: '493817',
  url: 'https://shop.example.com/events',
  link: `${publicUrl}/w/…`,
  unsubscribeUrl: `${publicUrl}/u/…`,
})
