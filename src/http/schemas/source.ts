/** Other systems that send their sales, and what was made of what they sent. */
import { Type } from 'typebox'
import type { Organization } from '../../domain/organization.ts'
import { type Received, type Source, sourceStatus } from '../../domain/source.ts'
import type { Trial } from '../../operations/sources/try-source.ts'
import type { ReceivedWithContent } from '../../store/received-messages.ts'
import { named } from '../openapi/name-components.ts'
import { toPreviewReply } from '../replies/transaction.ts'
import { ReceivedStatus, SourceEnvironments, SourceKinds, SourceStatus } from './choices.ts'
import { exampleId, exampleSecret } from './examples.ts'
import { CreatedAt, FreeForm, Id, Nullable, Optional, Text, Timestamp, UpdatedAt } from './fields.ts'
import { Preview } from './transaction.ts'

const Name = Text(100, { minLength: 1, description: 'What you call it.', examples: ['Online shop'] })
const Campaign = Id('cmp', 'The campaign whose card is used; by default the only card that a customer has.')
const RegistersCustomers = Type.Boolean({
  description: 'Whether customers who are not known are registered into `campaign`. Defaults to false.',
})
const Secret = Text(200, {
  minLength: 16,
  description:
    'What the sender signs with: the signature key of the subscription (Square), the signing secret of webhooks (Shopify), or a secret of your choice. Stored encrypted, and never shown.',
})
const AccessToken = Text(500, {
  minLength: 16,
  pattern: '^[!-~]*$',
  description:
    'With which orders are fetched from Square; it needs the permissions `ORDERS_READ` and `CUSTOMERS_READ`. Stored encrypted, and never shown.',
})
const SignatureHeader = Type.String({
  pattern: '^[A-Za-z0-9-]{1,100}$',
  description:
    'The header with the HMAC-SHA256 of the body, in hex or base64, for a sender that signs. Without it, the sender has to send `Authorization: Bearer` with the secret.',
  examples: ['X-WC-Webhook-Signature'],
})
const mappingExample =
  '{ "type": "sale", "opaqueId": receipt, "who": { "email": buyer.mail }, "amount": total }'
const Mapping = Text(20_000, {
  minLength: 1,
  description: 'A JSONata expression that makes a sale or a return of what the sender sends.',
  examples: [mappingExample],
})

const kindFields = {
  secret: Optional(Secret),
  environment: Optional(SourceEnvironments),
  mapping: Optional(Mapping),
}

export const NewSource = Type.Object(
  {
    kind: SourceKinds,
    name: Name,
    campaign: Optional(Campaign),
    registersCustomers: Optional(RegistersCustomers),
    ...kindFields,
    accessToken: Optional(AccessToken),
    signatureHeader: Optional(SignatureHeader),
  },
  { ...named('NewSource'), examples: [{ kind: 'shopify', name: 'Online shop' }] },
)

export const PatchSource = Type.Object(
  {
    name: Optional(Name),
    status: Optional(SourceStatus),
    campaign: Optional(Nullable(Campaign, '`null` for the only card that a customer has.')),
    registersCustomers: Optional(RegistersCustomers),
    ...kindFields,
    accessToken: Optional(Nullable(AccessToken, '`null` removes it.')),
    signatureHeader: Optional(Nullable(SignatureHeader, '`null` removes it.')),
  },
  { ...named('PatchSource'), examples: [{ name: 'Online shop', status: 'active' }] },
)

const fields = {
  id: Id('src'),
  kind: SourceKinds,
  name: Type.String({ description: 'What you call it.' }),
  status: SourceStatus,
  url: Type.String({ description: 'Where the sender has to send to.' }),
  campaign: Optional(Id('cmp', 'The campaign whose card is used.')),
  registersCustomers: Type.Boolean({ description: 'Whether customers who are not known are registered.' }),
  hasSecret: Type.Boolean({ description: 'Whether there is a secret; without one, everything is refused.' }),
  hasAccessToken: Optional(Type.Boolean({ description: 'Whether there is an access token (Square).' })),
  environment: Optional(SourceEnvironments),
  signatureHeader: Optional(Type.String({ description: 'The header with the signature.' })),
  mapping: Optional(Type.String({ description: 'The JSONata expression.' })),
  lastReceivedAt: Optional(Timestamp('When something last came, to the minute.')),
  lastRejectedAt: Optional(
    Timestamp('When something last came whose signature or secret did not match, to the minute.'),
  ),
  createdAt: CreatedAt,
  updatedAt: UpdatedAt,
}

const at = '2026-03-14T09:26:53.589Z'
const sourceExample = {
  id: exampleId('src'),
  kind: 'shopify' as const,
  name: 'Online shop',
  status: 'active' as const,
  url: 'https://loyalty.example.com/inbound/AAAAAQGag_LB0nIKnl9tfIuaDx4AAAAAk3Yd0gk2c4pQvJt6LrSgxw',
  registersCustomers: false,
  hasSecret: true,
  createdAt: at,
  updatedAt: at,
}

export const SourceReply = Type.Object(fields, { ...named('Source'), examples: [sourceExample] })

export const NewSourceReply = Type.Object(
  {
    ...fields,
    secret: Optional(
      Type.String({
        description: 'For a source of the kind `json` that was given none; shown once.',
      }),
    ),
  },
  {
    ...named('SourceWithSecret'),
    examples: [{ ...sourceExample, kind: 'json', mapping: mappingExample, secret: `lws_${exampleSecret}` }],
  },
)

export const toSourceReply = (urlOf: (source: Source) => string) => (source: Source) => ({
  id: source.id,
  kind: source.kind,
  name: source.name,
  status: source.status === sourceStatus.active ? ('active' as const) : ('paused' as const),
  url: urlOf(source),
  campaign: source.campaign,
  registersCustomers: source.registersCustomers,
  hasSecret: source.hasSecret,
  hasAccessToken: source.kind === 'square' ? source.hasAccessToken : undefined,
  environment: source.environment,
  signatureHeader: source.signatureHeader,
  mapping: source.mapping,
  lastReceivedAt: source.lastReceivedAt?.toISOString(),
  lastRejectedAt: source.lastRejectedAt?.toISOString(),
  createdAt: source.createdAt.toISOString(),
  updatedAt: source.updatedAt.toISOString(),
})

const Problem = Type.Object(
  {
    code: Type.String({ description: 'For programs.' }),
    text: Type.String({ description: 'For people.' }),
  },
  { ...named('ReceivedProblem'), description: 'Why nothing was recorded.' },
)

const receivedFields = {
  id: Id('rcv'),
  source: Id('src'),
  status: ReceivedStatus,
  topic: Optional(Type.String({ description: 'What the sender calls this kind of message.' })),
  eventId: Optional(Type.String({ description: 'What the sender calls this message.' })),
  attempts: Type.Integer({ description: 'How often it was tried to record it.' }),
  nextAttemptAt: Optional(Timestamp('When it is tried next, while it is pending.')),
  customer: Optional(Id('cus')),
  transaction: Optional(Id('txn', 'The sale that it became, or that it belongs to.')),
  return: Optional(Id('ret', 'The return that it became.')),
  problem: Optional(Problem),
  receivedAt: Timestamp('When it came.'),
}

const receivedExample = {
  id: exampleId('rcv'),
  source: exampleId('src'),
  status: 2,
  topic: 'orders/paid',
  attempts: 1,
  customer: exampleId('cus'),
  transaction: exampleId('txn'),
  receivedAt: at,
}

export const ReceivedReply = Type.Object(receivedFields, {
  ...named('ReceivedMessage'),
  examples: [receivedExample],
})

export const receivedWithContentExample = {
  ...receivedExample,
  payload: { id: 820982911946154, financial_status: 'paid' },
}

export const ReceivedWithContentReply = Type.Object(
  {
    ...receivedFields,
    payload: Optional(
      Type.Unknown({ description: 'What came, without what is not needed. Absent if it is no longer kept.' }),
    ),
    made: Optional(FreeForm('What was made of it: a sale or a return, or why nothing.')),
  },
  {
    ...named('ReceivedMessageWithContent'),
    examples: [receivedWithContentExample],
  },
)

export function toReceivedReply(received: Received) {
  const { id, source, status, topic, eventId, attempts, nextAttemptAt, customer, problem } = received
  return {
    id,
    source,
    status,
    topic,
    eventId,
    attempts,
    nextAttemptAt: nextAttemptAt?.toISOString(),
    customer,
    transaction: received.transaction,
    return: received.return,
    problem,
    receivedAt: received.receivedAt.toISOString(),
  }
}

export const toReceivedWithContentReply = (received: ReceivedWithContent) => ({
  ...toReceivedReply(received),
  payload: received.payload,
  made: received.made as Record<string, unknown> | undefined,
})

export const TrySource = Type.Object(
  {
    payload: Type.Unknown({
      description: 'What the sender would send; for Square an order, as it is fetched.',
    }),
    topic: Optional(Text(255, { description: 'What the sender calls this kind of message.' })),
    mapping: Optional(Mapping),
  },
  {
    ...named('TrySource'),
    required: ['payload'],
    examples: [{ topic: 'orders/paid', payload: { id: 820982911946154, financial_status: 'pending' } }],
  },
)

export const TrialReply = Type.Object(
  {
    made: Optional(FreeForm('What would be made of it: a sale or a return, or why nothing.')),
    transaction: Optional(Preview),
    problem: Optional(Problem),
  },
  {
    ...named('SourceTrial'),
    examples: [
      {
        made: { type: 'nothing', reason: 'not_paid' },
        problem: {
          code: 'not_paid',
          text: 'The order is not paid or not completed yet; it is recorded when it is.',
        },
      },
    ],
  },
)

export const toTrialReply = ({ made, preview, problem }: Trial, organization: Organization) => ({
  made: made as Record<string, unknown> | undefined,
  transaction: preview && toPreviewReply(preview, organization),
  problem,
})
