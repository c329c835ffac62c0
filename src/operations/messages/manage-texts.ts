/** Which messages are sent by themselves, and the words of all of them. */

import { type Language, languages } from '../../domain/language.ts'
import { type Channel, isMessageKind, type MessageKind, traitsOf } from '../../domain/message.ts'
import { type TemplateText, unknownPlaceholders, type Values } from '../../domain/message-text.ts'
import type { Organization } from '../../domain/organization.ts'
import { notFound, Refused } from '../../domain/refusal.ts'
import { upsertDueWork } from '../../store/due-work.ts'
import { countMessages, type MessageCounts } from '../../store/messages.ts'
import {
  type AutomaticMessage,
  deleteTemplate,
  listAutomaticMessages,
  listTemplates,
  type TemplateKey,
  upsertAutomaticMessage,
  upsertTemplate,
} from '../../store/senders.ts'
import type { Tenant } from '../../store/tenant.ts'
import { type ComposedMessage, render } from './compose.ts'
import { actionOf, defaultText, greetingOf } from './default-texts.ts'
import { nextReminders } from './make-reminders.ts'

export interface KindView {
  readonly kind: MessageKind
  readonly isAutomatic: boolean
  readonly isMarketing: boolean
  /** Of one that is sent by itself; none if it is off. */
  readonly channels: readonly Channel[]
  readonly days?: number
  /** What its texts may contain. */
  readonly placeholders: readonly string[]
  readonly counts: MessageCounts
}

const countedMs = 30 * 86_400_000
const none: MessageCounts = { pending: 0, sent: 0, failed: 0, clicked: 0 }

/** All kinds, with what was sent in the last 30 days. */
export async function listKinds(
  tenant: Tenant,
  kinds: readonly MessageKind[],
  now: Date,
): Promise<KindView[]> {
  const automatic = await listAutomaticMessages(tenant)
  const counts = await countMessages(tenant, new Date(now.getTime() - countedMs))
  return kinds.map((kind) => toView(kind, automatic, counts))
}

function toView(
  kind: MessageKind,
  automatic: readonly AutomaticMessage[],
  counts: ReadonlyMap<string, MessageCounts>,
): KindView {
  const traits = traitsOf(kind)
  const set = automatic.find((each) => each.kind === kind)
  return {
    kind,
    isAutomatic: traits.automatic !== undefined,
    isMarketing: traits.isMarketing ?? false,
    channels: set?.channels ?? [],
    days: set?.days ?? traits.days,
    placeholders: traits.placeholders,
    counts: counts.get(kind) ?? none,
  }
}

export interface KindPatch {
  readonly channels?: readonly Channel[]
  readonly days?: number
}

export async function patchKind(
  tenant: Tenant,
  organization: Organization,
  name: string,
  { channels, days }: KindPatch,
  now: Date,
): Promise<KindView> {
  const kind = parseKind(name)
  const traits = traitsOf(kind)
  if (traits.automatic === undefined) {
    throw new Refused('_invalid_payload', `${kind}: is sent when somebody asks for it, not by itself.`)
  }
  if (days !== undefined && traits.days === undefined) {
    throw new Refused('_invalid_payload', `days: ${kind} does not depend on a number of days.`)
  }
  const before = (await listAutomaticMessages(tenant)).find((each) => each.kind === kind)
  const changed = {
    kind,
    channels: channels ?? before?.channels ?? [],
    days: days ?? before?.days ?? traits.days,
  }
  await upsertAutomaticMessage(tenant, changed, traits.automatic === 'event', now)
  if (traits.automatic === 'daily') {
    await upsertDueWork(tenant, [nextReminders(now, organization.timezone)], now)
  }
  return (await listKinds(tenant, [kind], now))[0]!
}

export function parseKind(name: string): MessageKind {
  if (!isMessageKind(name)) throw notFound('message_kind_not_found')
  return name
}

export interface TextView extends TemplateKey, TemplateText {
  /** Whether these are the merchant's own words. */
  readonly isOwn: boolean
}

/** In all channels and languages. */
export async function listTexts(tenant: Tenant, name: string): Promise<TextView[]> {
  const kind = parseKind(name)
  const own = await listTemplates(tenant, kind)
  return channelsOf(kind).flatMap((channel) =>
    languages.map((language): TextView => {
      const written = own.find((each) => each.channel === channel && each.language === language)
      const { subject, body } = written ?? defaultText(kind, channel, language)
      return { kind, channel, language, subject, body, isOwn: written !== undefined }
    }),
  )
}

/** Nobody who signs in has given a phone number. */
const channelsOf = (kind: MessageKind): readonly Channel[] =>
  traitsOf(kind).to === 'person' ? ['email'] : ['email', 'sms']

export interface TextKey {
  readonly kind: string
  readonly channel: Channel
  readonly language: Language
}

export async function setText(
  tenant: Tenant,
  key: TextKey,
  { subject, body }: TemplateText,
  now: Date,
): Promise<TextView> {
  const kind = parseKind(key.kind)
  const text = checkText(kind, key.channel, { subject, body })
  await upsertTemplate(tenant, { ...key, kind }, text, now)
  return { ...key, kind, ...text, isOwn: true }
}

function checkText(kind: MessageKind, channel: Channel, { subject, body }: TemplateText): TemplateText {
  if (!channelsOf(kind).includes(channel)) {
    throw new Refused('_invalid_payload', `channel: ${kind} is sent by email only.`)
  }
  if (channel === 'email' && !subject?.trim()) {
    throw new Refused('_invalid_payload', 'subject: is required for an email.')
  }
  const allowed = traitsOf(kind).placeholders
  for (const [field, text] of Object.entries({ subject: subject ?? '', body })) {
    const [unknown] = unknownPlaceholders(text, allowed)
    if (unknown !== undefined) {
      const list = allowed.map((name) => `{${name}}`).join(', ')
      throw new Refused('_invalid_payload', `${field}: {${unknown}} is not known here. Use ${list}.`)
    }
  }
  // Without it a customer gets a message about a card that leads nowhere.
  const needed = (['code', 'link'] as const).find((name) => allowed.includes(name))
  if (needed && !body.includes(`{${needed}}`)) {
    throw new Refused('_invalid_payload', `body: must contain {${needed}}.`)
  }
  return channel === 'email' ? { subject, body } : { body }
}

/** Goes back to our words. */
export async function removeText(tenant: Tenant, key: TextKey): Promise<void> {
  await deleteTemplate(tenant, { ...key, kind: parseKind(key.kind) })
}

/** How a message would look, with values that are made up. */
export async function previewText(
  tenant: Tenant,
  organization: Organization,
  key: TextKey,
  given: Partial<TemplateText>,
  sample: Values & { readonly unsubscribeUrl: string },
): Promise<Omit<ComposedMessage, 'to' | 'headers'>> {
  const kind = parseKind(key.kind)
  const { channel, language } = key
  const current = (await listTexts(tenant, kind)).find(
    (text) => text.channel === channel && text.language === language,
  )
  const { unsubscribeUrl, ...values } = sample
  const text = checkText(kind, channel, {
    subject: given.subject ?? current?.subject,
    body: given.body ?? current?.body ?? '',
  })
  const {
    subject,
    text: plain,
    html,
  } = render(text, {
    language,
    organization,
    values: {
      ...values,
      greeting: greetingOf(language, values.name),
      action: actionOf(language, 'change'),
    },
    unsubscribeUrl: traitsOf(kind).isMarketing ? unsubscribeUrl : undefined,
  })
  return { subject, text: plain, html }
}
