/**
 * The events, one schema for each type, told apart by their `type`. The same body is in lists and in webhooks. The
 * fields of `data` are what the operations write (`Fact`); the tests compare every event with its schema.
 */
import { type TProperties, Type } from 'typebox'
import { type EventType, eventTypes } from '../../domain/event.ts'
import type { EventView } from '../../operations/events/event-view.ts'
import { named, toPascalCase } from '../openapi/name-components.ts'
import {
  ActorKind,
  Channels,
  Choice,
  ImportKinds,
  MessageKinds,
  OrganizationMode,
  PauseReason,
  WalletKinds,
} from './choices.ts'
import { exampleId } from './examples.ts'
import { Id, importCounts, Optional, Timestamp } from './fields.ts'

const eventExample: EventView = {
  id: exampleId('evt'),
  type: 'transaction.processed',
  timestamp: '2026-03-14T09:26:53.589Z',
  position: 1042,
  cursor: '1042-8b9a0f1e',
  mode: 'live',
  data: { customer: exampleId('cus'), transaction: exampleId('txn') },
}

const customer = Id('cus', 'The customer it is about.')
const transaction = Id('txn', 'The sale it happened in.')
const coupon = Id('cpn', 'The coupon it is about.')
const campaign = Id('cmp', 'The campaign it is about.')
const by = Type.Object(
  { kind: ActorKind, id: Optional(Id('usr', 'The user that the request acted as; an operator has none.')) },
  { ...named('EventActor'), description: 'Who did it.' },
)
const key = Type.String({ description: 'Key of the balance.' })
const passCard = Id('card', 'The card that the pass was made for.')
const wallet = WalletKinds

const aboutMessage = {
  message: Id('msg', 'The message.'),
  kind: MessageKinds,
  channel: Channels,
  customer: Optional(Id('cus', 'The customer it went to, unless it was for somebody who works for you.')),
}

/** The data of each type. */
const dataOf: Record<EventType, TProperties> = {
  'customer.created': { customer, by },
  'customer.changed': {
    customer,
    changed: Type.Array(Type.String(), {
      description: 'The names of the fields, such as `data.phone`, `consents` or `status`.',
    }),
    by,
  },
  'customer.registered': { customer, card: Id('card', 'The new card.'), campaign, by },
  'customer.erased': { customer },
  'consent.changed': { customer, by },
  'card.changed': {
    customer,
    card: Id('card', 'The card.'),
    changed: Type.Array(Type.String(), { description: 'The names of the fields: `status` or `walletUrl`.' }),
    by,
  },
  'card.replaced': {
    customer,
    card: Id('card', 'The new card.'),
    replaced: Id('card', 'The card that it replaces.'),
  },
  'transaction.processed': { customer, transaction: Id('txn', 'The sale.') },
  'transaction.returned': {
    customer,
    transaction: Id('txn', 'The sale that was returned.'),
    return: Id('ret', 'The return.'),
  },
  'balance.adjusted': {
    customer,
    key,
    amount: Type.Number({ description: 'The change of the balance, signed.' }),
  },
  'balance.expired': {
    customer,
    key,
    amount: Type.Number({ description: 'How much expired, unsigned.' }),
  },
  'coupon.granted': { customer, coupon, transaction: Optional(transaction) },
  'coupon.redeemed': { customer, coupon, transaction },
  'coupon.revoked': { customer, coupon },
  'coupon.expired': { customer, coupon },
  'tier.changed': {
    customer,
    campaign,
    tier: Optional(Type.String({ description: 'Key of the tier held from now on. Absent if none is.' })),
    transaction,
  },
  'pass.added': { customer, card: passCard, wallet },
  'pass.removed': { customer, card: passCard, wallet },
  'import.finished': {
    import: Id('imp', 'The import.'),
    kind: ImportKinds,
    ...importCounts,
    by,
  },
  'organization.changed': {
    changed: Type.Array(Type.String(), {
      description: 'The names of the fields, such as `name` or `color`.',
    }),
    by,
  },
  'campaign.published': { campaign, version: Type.Integer({ description: 'The version that is live now.' }) },
  'message.sent': aboutMessage,
  'message.failed': aboutMessage,
  'message.bounced': aboutMessage,
  'webhook.paused': { webhook: Id('whk', 'The webhook it is about.'), because: PauseReason },
  'connection.revoked': { connection: Id('con', 'The connection that was ended.'), by },
}

const types = Object.keys(eventTypes) as EventType[]

/** `CustomerCreatedEvent` for `customer.created`. */
const schemaNameOf = (type: EventType) => `${toPascalCase(type)}Event`

const toSchema = (type: EventType) =>
  Type.Object(
    {
      id: Id('evt', 'ID of the event: the same wherever it is read, and however often.'),
      type: Type.Literal(type),
      timestamp: Timestamp('When it happened.'),
      position: Type.Integer({
        description:
          "Counts up for the organization without gaps: of two events, a customer's as well, the one with the higher position happened later.",
      }),
      cursor: Type.String({
        description: 'Send it as `after` of `GET /v1/events` to read what follows.',
        examples: [eventExample.cursor],
      }),
      mode: OrganizationMode,
      data: Type.Object(dataOf[type], { description: 'What it is about.' }),
    },
    { ...named(schemaNameOf(type)), description: eventTypes[type] },
  )

const schemas = types.map(toSchema)

export const EventTypes = Choice<EventType>(
  'EventType',
  'What happened. More types may be added: ignore those that you do not know.',
  eventTypes,
)

/** Called so because `Event` is a type of every browser. */
const LoyaltyEvent = Type.Unsafe<EventView>(
  Type.Union(schemas, {
    ...named('LoyaltyEvent'),
    description: 'Something that happened, told apart by its `type`. More types may be added.',
  }),
)

export const EventList = Type.Object(
  {
    data: Type.Array(LoyaltyEvent, { description: 'The events, in order.' }),
    cursor: Type.String({
      description:
        'Send it as `after` of the next request. Always there: without events, it can still be further on than the one that was sent.',
    }),
    hasMore: Type.Boolean({
      description: 'Whether there is more to look at now. If not, wait with `wait`.',
    }),
  },
  {
    ...named('EventList'),
    examples: [{ data: [eventExample], cursor: eventExample.cursor, hasMore: false }],
  },
)

/** The `webhooks` of the OpenAPI document: what is sent, one entry for each type. */
export const eventWebhooks = Object.fromEntries(
  schemas.map((schema, i) => [
    types[i]!,
    {
      post: {
        operationId: `on${toPascalCase(types[i]!)}`,
        summary: eventTypes[types[i]!],
        // By the signature, which OpenAPI has no word for.
        security: [],
        requestBody: { required: true, content: { 'application/json': { schema } } },
        responses: { '2XX': { description: 'Received.' } },
      },
    },
  ]),
)
