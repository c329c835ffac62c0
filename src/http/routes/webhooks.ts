/** Webhooks: where events are sent, and what came of it. */
import { Type } from 'typebox'
import { parseId } from '../../domain/ids.ts'
import {
  addWebhook,
  getDelivery,
  getWebhook,
  patchWebhook,
  removeWebhook,
  replayDelivery,
  replayRange,
  rotateWebhookSecret,
  testWebhook,
  type WebhookChange,
} from '../../operations/webhooks/manage-webhooks.ts'
import { tenantOf } from '../../store/tenant.ts'
import { listDeliveries } from '../../store/webhook-deliveries.ts'
import { listWebhooks } from '../../store/webhooks.ts'
import type { Server } from '../fastify-server.ts'
import { listPage, PageQuery } from '../requests/paging.ts'
import { respondToWrite } from '../respond.ts'
import { DeliveryStatus } from '../schemas/choices.ts'
import { Id, NoBody, Optional, PageOf } from '../schemas/fields.ts'
import { Rotation } from '../schemas/platform.ts'
import {
  DeliveryReply,
  NewWebhook,
  PatchWebhook,
  ReplayedReply,
  ReplayRange,
  toDeliveryReply,
  toWebhookReply,
  WebhookReply,
  WebhookWithSecretReply,
} from '../schemas/webhook.ts'
import type { ServerOptions } from '../server-options.ts'

const tags = ['Webhooks']
const WebhookPath = Type.Object({ id: Id('whk') })
const DeliveryPath = Type.Object({ id: Id('dlv') })

const aboutWebhooks =
  'Events are sent by the Standard Webhooks specification: verify the signature with one of its libraries and `secret`, ' +
  'and answer with 2xx within 15 seconds. Anything else is tried ten times within three days. An event may come more than once, ' +
  'under the same `webhook-id`, and in any order: `position` tells it.'

export function webhookRoutes(app: Server, options: ServerOptions): void {
  addRoute(app, options)
  webhookListRoutes(app, options)
  webhookChangeRoutes(app, options)
  secretRoute(app, options)
  testRoute(app, options)
  deliveryRoutes(app, options)
  replayRoutes(app, options)
}

function webhookListRoutes(app: Server, { deps }: ServerOptions): void {
  const { pool } = deps

  app.get(
    '/v1/webhooks',
    {
      config: { access: ['manage'] },
      schema: {
        operationId: 'listWebhooks',
        summary: 'List the webhooks, newest first',
        tags,
        querystring: Type.Object(PageQuery),
        response: { 200: PageOf(WebhookReply) },
      },
    },
    ({ caller, query }) => {
      const tenant = tenantOf(pool, caller.organization.orgId)
      return listPage('whk', query, (page) => listWebhooks(tenant, page), toWebhookReply)
    },
  )

  app.get(
    '/v1/webhooks/:id',
    {
      config: { access: ['manage'], refusals: ['webhook_not_found'] },
      schema: {
        operationId: 'getWebhook',
        summary: 'Get a webhook',
        tags,
        params: WebhookPath,
        response: { 200: WebhookReply },
      },
    },
    async ({ caller, params }) => {
      const tenant = tenantOf(pool, caller.organization.orgId)
      return toWebhookReply(await getWebhook(tenant, parseId('whk', params.id)))
    },
  )
}

function addRoute(app: Server, { deps }: ServerOptions): void {
  app.post(
    '/v1/webhooks',
    {
      config: { access: ['manage'], hidesReply: true, refusals: ['too_many_webhooks'] },
      schema: {
        operationId: 'addWebhook',
        summary: 'Send events to an address of yours; the secret is shown once',
        description: aboutWebhooks,
        tags,
        body: NewWebhook,
        response: { 201: WebhookWithSecretReply },
      },
    },
    (request, reply) =>
      respondToWrite(deps, request, reply, {
        work: (tenant) => addWebhook(tenant, deps, request.caller, request.body, deps.clock()),
        status: 201,
        render: (webhook) => ({ ...toWebhookReply(webhook), secret: webhook.secret }),
      }),
  )
}

function webhookChangeRoutes(app: Server, { deps }: ServerOptions): void {
  app.patch(
    '/v1/webhooks/:id',
    {
      config: { access: ['manage'], refusals: ['webhook_not_found'] },
      schema: {
        operationId: 'patchWebhook',
        summary: 'Change, pause or resume a webhook',
        tags,
        params: WebhookPath,
        body: PatchWebhook,
        response: { 200: WebhookReply },
      },
    },
    (request, reply) =>
      respondToWrite(deps, request, reply, {
        work: (tenant) =>
          patchWebhook(
            tenant,
            deps,
            parseId('whk', request.params.id),
            request.body as WebhookChange,
            deps.clock(),
          ),
        status: 200,
        render: toWebhookReply,
      }),
  )

  app.delete(
    '/v1/webhooks/:id',
    {
      config: { access: ['manage'], refusals: ['webhook_not_found'] },
      schema: {
        operationId: 'deleteWebhook',
        summary: 'Delete a webhook',
        tags,
        params: WebhookPath,
        response: { 204: Type.Null({ description: 'Deleted.' }) },
      },
    },
    (request, reply) =>
      respondToWrite(deps, request, reply, {
        work: (tenant) => removeWebhook(tenant, parseId('whk', request.params.id)),
        status: 204,
        render: () => null,
      }),
  )
}

function secretRoute(app: Server, { deps }: ServerOptions): void {
  app.post(
    '/v1/webhooks/:id/rotate',
    {
      config: { access: ['manage'], hidesReply: true, refusals: ['webhook_not_found'] },
      schema: {
        operationId: 'rotateWebhookSecret',
        summary: "Rotate a webhook's secret",
        description: 'During the overlap every delivery has a signature for each secret.',
        tags,
        params: WebhookPath,
        body: Rotation,
        response: { 200: WebhookWithSecretReply },
      },
    },
    (request, reply) => {
      const id = parseId('whk', request.params.id)
      const overlap = request.body.overlapSeconds ?? 0
      return respondToWrite(deps, request, reply, {
        work: (tenant) => rotateWebhookSecret(tenant, deps, id, overlap, request.caller, deps.clock()),
        status: 200,
        render: (webhook) => ({ ...toWebhookReply(webhook), secret: webhook.secret }),
      })
    },
  )
}

function deliveryRoutes(app: Server, { deps }: ServerOptions): void {
  const { pool } = deps

  app.get(
    '/v1/webhooks/:id/deliveries',
    {
      config: { access: ['manage'], refusals: ['webhook_not_found'] },
      schema: {
        operationId: 'listDeliveries',
        summary: 'List what was sent to a webhook, newest first',
        tags,
        params: WebhookPath,
        querystring: Type.Object({ ...PageQuery, status: Optional(DeliveryStatus) }),
        response: { 200: PageOf(DeliveryReply) },
      },
    },
    async ({ caller, params, query }) => {
      const tenant = tenantOf(pool, caller.organization.orgId)
      const { id } = await getWebhook(tenant, parseId('whk', params.id))
      const { status } = query
      return listPage('dlv', query, (page) => listDeliveries(tenant, id, { status }, page), toDeliveryReply)
    },
  )

  app.get(
    '/v1/deliveries/:id',
    {
      config: { access: ['manage'], refusals: ['delivery_not_found'] },
      schema: {
        operationId: 'getDelivery',
        summary: 'Get a delivery',
        tags,
        params: DeliveryPath,
        response: { 200: DeliveryReply },
      },
    },
    async ({ caller, params }) => {
      const tenant = tenantOf(pool, caller.organization.orgId)
      return toDeliveryReply(await getDelivery(tenant, parseId('dlv', params.id)))
    },
  )
}

function testRoute(app: Server, { deps }: ServerOptions): void {
  app.post(
    '/v1/webhooks/:id/test',
    {
      config: { access: ['manage'], isRepeatable: true, refusals: ['webhook_not_found', 'webhook_paused'] },
      schema: {
        operationId: 'testWebhook',
        summary: 'Send a test to a webhook',
        description: 'Of the type `webhook.test`, whatever types the webhook receives.',
        tags,
        params: WebhookPath,
        body: NoBody,
        response: { 202: DeliveryReply },
      },
    },
    (request, reply) =>
      respondToWrite(deps, request, reply, {
        work: (tenant) => testWebhook(tenant, parseId('whk', request.params.id), deps.clock()),
        status: 202,
        render: toDeliveryReply,
      }),
  )
}

function replayRoutes(app: Server, { deps }: ServerOptions): void {
  const { clock } = deps

  app.post(
    '/v1/deliveries/:id/replay',
    {
      config: {
        access: ['manage'],
        isRepeatable: true,
        refusals: ['delivery_not_found', 'webhook_not_found', 'webhook_paused', 'event_not_kept'],
      },
      schema: {
        operationId: 'replayDelivery',
        summary: 'Send an event again',
        tags,
        params: DeliveryPath,
        body: NoBody,
        response: { 202: DeliveryReply },
      },
    },
    (request, reply) =>
      respondToWrite(deps, request, reply, {
        work: (tenant) => replayDelivery(tenant, parseId('dlv', request.params.id), clock()),
        status: 202,
        render: toDeliveryReply,
      }),
  )

  app.post(
    '/v1/webhooks/:id/replay',
    {
      config: { access: ['manage'], isRepeatable: true, refusals: ['webhook_not_found', 'webhook_paused'] },
      schema: {
        operationId: 'replayEvents',
        summary: 'Send the events of a time again',
        description: 'At most 10,000 of them, of the types that the webhook receives.',
        tags,
        params: WebhookPath,
        body: ReplayRange,
        response: { 202: ReplayedReply },
      },
    },
    (request, reply) => {
      const now = clock()
      const from = new Date(request.body.from)
      const to = request.body.to === undefined ? now : new Date(request.body.to)
      return respondToWrite(deps, request, reply, {
        work: (tenant) => replayRange(tenant, parseId('whk', request.params.id), { from, to }, now),
        status: 202,
        render: (deliveries) => ({ deliveries }),
      })
    },
  )
}
