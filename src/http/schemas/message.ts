/** Senders, messages and their texts. */
import { Type } from 'typebox'
import type { EmailSettings, Message, Sender, SmsSettings } from '../../domain/message.ts'
import type { KindView, TextView } from '../../operations/messages/manage-texts.ts'
import { named } from '../openapi/name-components.ts'
import { Channels, Languages, MailSecurity, MessageFailures, MessageKinds, MessageStatus } from './choices.ts'
import { exampleId } from './examples.ts'
import { byDefault, CreatedAt, Id, Optional, Text, Timestamp, UpdatedAt } from './fields.ts'

const perHour = (fallback: number) =>
  Optional(
    Type.Integer({
      minimum: 1,
      maximum: 100_000,
      description: 'How many messages are sent within an hour; the rest waits.',
      ...byDefault(fallback),
    }),
  )

const Host = Text(255, {
  minLength: 1,
  pattern: '^[A-Za-z0-9.:_-]+$',
  description: 'Name or address of the mail server.',
})
const Port = Type.Integer({ minimum: 1, maximum: 65_535, description: 'Its port.' })
const From = Text(320, {
  minLength: 3,
  description: 'The sender that customers see, with or without a name.',
})
const ReplyTo = Text(320, { minLength: 3, description: 'Where replies go, if not to the sender.' })

const emailExample = {
  host: 'smtp.example.com',
  port: 587,
  security: 'starttls',
  user: 'loyalty',
  from: 'Bean & Leaf <hello@example.com>',
}

export const EmailSenderBody = Type.Object(
  {
    host: Host,
    port: Port,
    security: MailSecurity,
    user: Optional(Text(255, { minLength: 1, description: 'User of the mail server, if it asks for one.' })),
    password: Optional(
      Text(255, {
        minLength: 1,
        description: 'Its password. If omitted, the one before it stays, for the same server and user.',
      }),
    ),
    from: From,
    replyTo: Optional(ReplyTo),
    perHour: perHour(1_000),
  },
  { ...named('EmailSenderInput'), examples: [{ ...emailExample, password: 'correct horse battery' }] },
)

const smsUrl = 'https://sms.example.com/send'

export const SmsSenderBody = Type.Object(
  {
    url: Text(2_000, {
      minLength: 1,
      description: 'Takes a signed request for each SMS, and hands it to your provider.',
    }),
    perHour: perHour(100),
    newSecret: Optional(Type.Boolean({ description: 'Makes a new secret; the one before it ends at once.' })),
  },
  { ...named('SmsSenderInput'), examples: [{ url: smsUrl }] },
)

const senderFields = {
  channel: Channels,
  email: Optional(
    Type.Object(
      {
        host: Host,
        port: Port,
        security: MailSecurity,
        user: Optional(Type.String({ description: 'User of the mail server.' })),
        hasPassword: Type.Boolean({ description: 'Whether a password is stored.' }),
        from: From,
        replyTo: Optional(ReplyTo),
      },
      { ...named('EmailSettings'), description: 'The mail server, if it sends email.' },
    ),
  ),
  sms: Optional(
    Type.Object(
      { url: Type.String({ description: 'Where SMS are sent.' }) },
      { ...named('SmsSettings'), description: 'The provider, if it sends SMS.' },
    ),
  ),
  perHour: Type.Integer({ description: 'How many messages are sent within an hour.' }),
  failingSince: Optional(Timestamp('Since when nothing can be sent.')),
  lastError: Optional(Type.String({ description: 'Why nothing can be sent.' })),
  createdAt: CreatedAt,
  updatedAt: UpdatedAt,
}

const times = { createdAt: '2026-03-14T09:26:53.589Z', updatedAt: '2026-03-14T09:26:53.589Z' }
const senderExample = {
  channel: 'email',
  email: { ...emailExample, hasPassword: true },
  perHour: 1_000,
  ...times,
}

export const SenderReply = Type.Object(senderFields, { ...named('Sender'), examples: [senderExample] })

export const SmsSenderReply = Type.Object(
  {
    ...senderFields,
    secret: Optional(
      Type.String({ description: 'Verifies the requests, as that of a webhook does. Only if it is new.' }),
    ),
  },
  {
    ...named('SmsSender'),
    examples: [{ channel: 'sms', sms: { url: smsUrl }, perHour: 100, ...times }],
  },
)

export function toSenderReply(sender: Sender) {
  const { channel, settings, hasSecret, perHour, failingSince, lastError, createdAt, updatedAt } = sender
  return {
    channel,
    email: channel === 'email' ? { ...(settings as EmailSettings), hasPassword: hasSecret } : undefined,
    sms: channel === 'sms' ? { url: (settings as SmsSettings).url } : undefined,
    perHour,
    failingSince: failingSince?.toISOString(),
    lastError,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}

export const SenderList = Type.Object(
  { data: Type.Array(SenderReply, { description: 'At most one for each channel.' }) },
  { ...named('SenderList'), examples: [{ data: [senderExample] }] },
)

export const EmailTestBody = Type.Object(
  { email: Text(320, { minLength: 3, description: 'Where the test is sent.' }) },
  { ...named('EmailTest'), examples: [{ email: 'me@example.com' }] },
)

export const SmsTestBody = Type.Object(
  { phone: Text(40, { minLength: 3, description: 'Where the test is sent.' }) },
  { ...named('SmsTest'), examples: [{ phone: '+12025550123' }] },
)

// Kinds and texts -------------------------------------------------------------------------------------------

const ChosenChannels = Type.Array(Channels, {
  maxItems: 2,
  uniqueItems: true,
  description: 'The first on which a customer can be reached is used. None: it is off.',
})
const Days = Type.Integer({
  minimum: 1,
  maximum: 730,
  description: 'How many days before it expires, or after the last visit.',
})

const kindExample = {
  kind: 'reward_earned',
  automatic: true,
  marketing: true,
  channels: ['email'],
  placeholders: ['greeting', 'name', 'merchant', 'link', 'reward', 'date'],
  counts: { pending: 0, sent: 42, failed: 1, clicked: 17 },
}

export const KindReply = Type.Object(
  {
    kind: MessageKinds,
    automatic: Type.Boolean({ description: 'Whether it is sent by itself, once it is switched on.' }),
    marketing: Type.Boolean({
      description: 'Whether it goes only to customers with the consent `marketing`, who can unsubscribe.',
    }),
    channels: ChosenChannels,
    days: Optional(Days),
    placeholders: Type.Array(Type.String({ description: 'Written in braces, such as `{link}`.' }), {
      description: 'What is filled in where a text names it.',
    }),
    counts: Type.Object(
      {
        pending: Type.Integer({ description: 'Not sent yet.' }),
        sent: Type.Integer({ description: 'Sent.' }),
        failed: Type.Integer({ description: 'Not sent, came back, or nobody can say.' }),
        clicked: Type.Integer({ description: 'Of those sent, whose link was opened.' }),
      },
      { ...named('MessageCounts'), description: 'Of the last 30 days.' },
    ),
  },
  {
    ...named('MessageKindSettings'),
    examples: [kindExample],
  },
)

export const toKindReply = (view: KindView) => ({
  kind: view.kind,
  automatic: view.isAutomatic,
  marketing: view.isMarketing,
  channels: [...view.channels],
  days: view.days,
  placeholders: [...view.placeholders],
  counts: view.counts,
})

export const KindList = Type.Object(
  { data: Type.Array(KindReply, { description: 'All kinds of messages.' }) },
  { ...named('MessageKindList'), examples: [{ data: [kindExample] }] },
)

export const PatchKind = Type.Object(
  { channels: Optional(ChosenChannels), days: Optional(Days) },
  { ...named('MessageKindPatch'), examples: [{ channels: ['email'] }] },
)

const Subject = Text(200, { description: 'Subject of an email.' })
const Body = Text(5_000, {
  minLength: 1,
  description: 'The text. `{greeting}`, `{link}` and others are filled in.',
})
const textExample = {
  subject: 'You have earned {reward}',
  body: '{greeting}\n\n{reward} is waiting for you:\n\n{link}',
}

export const TextBody = Type.Object(
  { subject: Optional(Subject), body: Body },
  { ...named('MessageText'), examples: [textExample] },
)

const writtenExample = { kind: 'reward_earned', channel: 'email', language: 'en', ...textExample, own: true }

export const TextReply = Type.Object(
  {
    kind: MessageKinds,
    channel: Channels,
    language: Languages,
    subject: Optional(Subject),
    body: Body,
    own: Type.Boolean({ description: 'Whether these are your own words.' }),
  },
  {
    ...named('MessageTextView'),
    examples: [writtenExample],
  },
)

export const toTextReply = ({ kind, channel, language, subject, body, isOwn }: TextView) => ({
  kind,
  channel,
  language: language as 'en',
  subject,
  body,
  own: isOwn,
})

export const TextList = Type.Object(
  { data: Type.Array(TextReply, { description: 'In all channels and languages.' }) },
  { ...named('MessageTextList'), examples: [{ data: [writtenExample] }] },
)

export const PreviewBody = Type.Object(
  { channel: Channels, language: Languages, subject: Optional(Subject), body: Optional(Body) },
  { ...named('MessagePreviewInput'), examples: [{ channel: 'email', language: 'en' }] },
)

export const PreviewReply = Type.Object(
  {
    subject: Type.String({ description: 'Subject, with values that are made up.' }),
    text: Type.String({ description: 'The plain text.' }),
    html: Type.String({ description: 'How a mail program shows it.' }),
  },
  {
    ...named('MessagePreview'),
    examples: [
      {
        subject: 'You have earned Free coffee',
        text: 'Hello Ada,\n\nFree coffee is waiting for you:\n\nhttps://loyalty.example.com/w/…\n',
        html: '<!doctype html>…',
      },
    ],
  },
)

// Messages --------------------------------------------------------------------------------------------------

export const NewMessageBody = Type.Object(
  { card: Id('card', 'Whose link is sent to its customer.'), channel: Optional(Channels) },
  { ...named('NewMessage'), examples: [{ card: exampleId('card') }] },
)

export const MessageReply = Type.Object(
  {
    id: Id('msg'),
    kind: MessageKinds,
    channel: Channels,
    status: MessageStatus,
    customer: Optional(Id('cus', 'Whom it is for.')),
    card: Optional(Id('card', 'Which card it is about.')),
    person: Optional(Id('psn', 'Whom it is for, if not for a customer.')),
    attempts: Type.Array(
      Type.Object(
        {
          at: Timestamp('When it was tried.'),
          code: Optional(MessageFailures),
          error: Optional(Type.String({ description: 'Why it was not sent, in words.' })),
          response: Optional(Type.String({ description: 'What the mail server or the provider said.' })),
        },
        { ...named('MessageAttempt') },
      ),
      { description: 'The first attempt first.' },
    ),
    nextAttemptAt: Optional(Timestamp('When it is tried next.')),
    sentAt: Optional(Timestamp('When it was sent.')),
    clickedAt: Optional(Timestamp('When its link was first opened.')),
    createdAt: CreatedAt,
  },
  {
    ...named('Message'),
    examples: [
      {
        id: exampleId('msg'),
        kind: 'card_link',
        channel: 'email',
        status: 3,
        customer: exampleId('cus'),
        card: exampleId('card'),
        attempts: [{ at: '2026-03-14T09:26:54.012Z', response: '250 OK' }],
        sentAt: '2026-03-14T09:26:54.012Z',
        createdAt: '2026-03-14T09:26:53.589Z',
      },
    ],
  },
)

export function toMessageReply(message: Message) {
  const { id, kind, channel, status, customer, card, person, attempts, createdAt } = message
  return {
    id,
    kind,
    channel,
    status,
    customer,
    card,
    person,
    attempts: attempts.map(({ at, code, error, response }) => ({
      at: at.toISOString(),
      code,
      error,
      response,
    })),
    nextAttemptAt: message.nextAttemptAt?.toISOString(),
    sentAt: message.sentAt?.toISOString(),
    clickedAt: message.clickedAt?.toISOString(),
    createdAt: createdAt.toISOString(),
  }
}
