import { Type } from 'typebox'
import { type Delivery, type Webhook, webhookStatus } from '../../domain/webhook.ts'
import { named } from '../openapi/name-components.ts'
import { DeliveryStatus, PauseReason, WebhookStatus } from './choices.ts'
import { EventTypes } from './events.ts'
import { exampleId } from './examples.ts'
import { CreatedAt, Id, Optional, Text, Timestamp, UpdatedAt } from './fields.ts'

const Url = Text(2_000, {
  minLength: 1,
  description: 'Where events are sent with POST. Begins with `https://`.',
  examples: ['https://example.com/events'],
})
const Description = Text(200, { description: 'What it is for.' })
const Types = Type.Array(EventTypes, {
  minItems: 1,
  maxItems: 50,
  uniqueItems: true,
  description: 'Only events of these types; all if omitted.',
})

export const NewWebhook = Type.Object(
  { url: Url, description: Optional(Description), types: Optional(Types) },
  {
    ...named('NewWebhook'),
    examples: [
      { url: 'https://example.com/events', types: ['transaction.processed', 'transaction.returned'] },
    ],
  },
)

export const PatchWebhook = Type.Object(
  {
    url: Optional(Url),
    description: Optional(Type.Union([Description, Type.Null()], { description: '`null` removes it.' })),
    types: Optional(Type.Union([Types, Type.Null()], { description: '`null` for all types.' })),
    status: Optional(WebhookStatus),
  },
  { ...named('PatchWebhook'), examples: [{ status: 'active' }] },
)

const fields = {
  id: Id('whk'),
  url: Type.String({ description: 'Where events are sent.' }),
  description: Optional(Type.String({ description: 'What it is for.' })),
  types: Optional(Type.Array(EventTypes, { description: 'Only events of these types; all if absent.' })),
  status: WebhookStatus,
  pausedBecause: Optional(PauseReason),
  failingSince: Optional(Timestamp('Since when every attempt has failed.')),
  createdAt: CreatedAt,
  updatedAt: UpdatedAt,
}

const webhookExample = {
  id: exampleId('whk'),
  url: 'https://example.com/events',
  status: 'active' as const,
  createdAt: '2026-03-14T09:26:53.589Z',
  updatedAt: '2026-03-14T09:26:53.589Z',
}

export const WebhookReply = Type.Object(fields, { ...named('Webhook'), examples: [webhookExample] })

export const WebhookWithSecretReply = Type.Object(
  {
    ...fields,
    secret: Type.String({
      description: 'Verifies the signatures, with any library for Standard Webhooks; shown once.',
    }),
  },
  {
    ...named('WebhookWithSecret'),
    examples: [{ ...webhookExample, secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfIBcdeFgHi' }],
  },
)

export function toWebhookReply(webhook: Webhook) {
  const { id, url, description, types, pausedBecause, failingSince } = webhook
  return {
    id,
    url,
    description,
    types: types && ([...types] as never[]),
    status: webhook.status === webhookStatus.active ? ('active' as const) : ('paused' as const),
    pausedBecause,
    failingSince: failingSince?.toISOString(),
    createdAt: webhook.createdAt.toISOString(),
    updatedAt: webhook.updatedAt.toISOString(),
  }
}

const AttemptReply = Type.Object(
  {
    at: Timestamp('When it was sent.'),
    durationMs: Type.Integer({ description: 'How long the response took, in milliseconds.' }),
    status: Optional(Type.Integer({ description: 'Status of the response; absent if there was none.' })),
    error: Optional(Type.String({ description: 'Why there was no response.' })),
    response: Optional(Type.String({ description: 'The beginning of the response.' })),
  },
  { ...named('DeliveryAttempt') },
)

export const DeliveryReply = Type.Object(
  {
    id: Id('dlv'),
    webhook: Id('whk'),
    event: Id('evt', 'The event, and the `webhook-id` of every attempt.'),
    type: Type.String({ description: 'Type of the event; `webhook.test` for a test.' }),
    status: DeliveryStatus,
    attempts: Type.Array(AttemptReply, { description: 'The first attempt first.' }),
    nextAttemptAt: Optional(Timestamp('When it is tried next.')),
    createdAt: CreatedAt,
  },
  {
    ...named('Delivery'),
    examples: [
      {
        id: exampleId('dlv'),
        webhook: exampleId('whk'),
        event: exampleId('evt'),
        type: 'transaction.processed',
        status: 2,
        attempts: [{ at: '2026-03-14T09:26:54.012Z', durationMs: 48, status: 204 }],
        createdAt: '2026-03-14T09:26:53.900Z',
      },
    ],
  },
)

export function toDeliveryReply(delivery: Delivery) {
  const { id, webhook, event, type, status, attempts, nextAttemptAt, createdAt } = delivery
  return {
    id,
    webhook,
    event,
    type,
    status,
    attempts: attempts.map((attempt) => ({ ...attempt, at: attempt.at.toISOString() })),
    nextAttemptAt: nextAttemptAt?.toISOString(),
    createdAt: createdAt.toISOString(),
  }
}

export const ReplayRange = Type.Object(
  {
    from: Timestamp('The events from this time on.'),
    to: Optional(Timestamp('And before this time; now if omitted.')),
  },
  { ...named('ReplayRange'), examples: [{ from: '2026-03-14T09:00:00Z', to: '2026-03-14T10:00:00Z' }] },
)

export const ReplayedReply = Type.Object(
  { deliveries: Type.Integer({ description: 'How many events are sent again.' }) },
  { ...named('Replayed'), examples: [{ deliveries: 42 }] },
)
