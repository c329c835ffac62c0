/**
 * Sends the messages of one organization that are due, for one turn. Taking a message marks it in the database, so
 * that no two processes ever send the same one, and what a process that died was sending is not sent again unless
 * that is safe: by SMS, whose receiver knows the ID, but not by email.
 */
import type { Fact } from '../../domain/event.ts'
import {
  afterSending,
  type Channel,
  channels,
  type EmailSettings,
  type Message,
  messageFailures,
  messageStatus,
  type SendResult,
  type SmsSettings,
} from '../../domain/message.ts'
import type { Organization } from '../../domain/organization.ts'
import { insertEvents } from '../../store/events.ts'
import {
  failPendingMessages,
  findAttemptsSince,
  findNextSending,
  listLostMessages,
  type MessageOutcome,
  type TakenMessage,
  takeDueMessage,
  updateSentMessages,
} from '../../store/messages.ts'
import { findOwnOrganization } from '../../store/organizations.ts'
import { findSender, type StoredSender, updateSenderHealth } from '../../store/senders.ts'
import { inTransaction, type Tenant, tenantOf } from '../../store/tenant.ts'
import type { Deps } from '../deps.ts'
import { timeOf } from '../organizations/time-of.ts'
import { createSender } from '../outbound/send.ts'
import type { Turn } from '../turn.ts'
import { type ComposedMessage, composeMessage } from './compose.ts'
import { makeMessagesOfEvents } from './make-messages.ts'
import { fingerprintOf, secretPlaceOf, senderPlaceOf } from './places.ts'
import { type EmailOptions, openEmailSender } from './send-email.ts'
import { sendSms } from './send-sms.ts'

const hourMs = 3_600_000
/** Much longer than an attempt can take. */
const lostAfterMs = 300_000

export async function sendMessages(
  deps: Deps,
  org: number,
  { mayContinue }: Pick<Turn, 'mayContinue'>,
  options: Omit<EmailOptions, 'addresses'> = {},
): Promise<{ readonly next?: Date }> {
  const tenant = tenantOf(deps.pool, org)
  const organization = await findOwnOrganization(tenant)
  if (!organization) return {}
  const now = timeOf(deps, organization)
  // A command without a public address would send links that lead nowhere.
  if (!organization.isSubscribed || deps.publicUrl() === '') return { next: new Date(now.getTime() + hourMs) }
  await makeMessagesOfEvents(deps, tenant, organization, mayContinue)
  await endLostAttempts(deps, tenant, organization, now)
  const waits: Date[] = []
  for (const channel of channels) {
    const until = await sendOn(deps, tenant, organization, channel, mayContinue, options)
    if (until) waits.push(until)
  }
  return { next: await nextTurn(timeOf(deps, organization), tenant, waits) }
}

/** Not before a sender that has to wait may go on. */
async function nextTurn(now: Date, tenant: Tenant, waits: readonly Date[]): Promise<Date | undefined> {
  const { due, lost } = await findNextSending(tenant, lostAfterMs)
  const hold = waits.reduce<Date | undefined>((a, b) => (a && a < b ? a : b), undefined)
  const nextDue = due && hold && due < hold && due <= now ? hold : due
  const times = [nextDue, lost].filter((time) => time !== undefined)
  return times.length > 0 ? new Date(Math.min(...times.map((time) => time.getTime()))) : undefined
}

async function endLostAttempts(
  deps: Deps,
  tenant: Tenant,
  organization: Organization,
  now: Date,
): Promise<void> {
  const lost = await listLostMessages(tenant, new Date(now.getTime() - lostAfterMs))
  if (lost.length === 0) return
  const failure = { code: 'interrupted', error: messageFailures.interrupted } as const
  await note(
    deps,
    tenant,
    organization,
    lost.map((message) => ({
      message,
      result: { kind: message.channel === 'sms' ? 'deferred' : 'unknown', ...failure },
    })),
  )
}

/** Until when the channel has to wait, if it has. */
async function sendOn(
  deps: Deps,
  tenant: Tenant,
  organization: Organization,
  channel: Channel,
  mayContinue: () => boolean,
  options: Omit<EmailOptions, 'addresses'>,
): Promise<Date | undefined> {
  const sender = await findSender(tenant, channel)
  if (!sender) {
    const attempt = {
      at: timeOf(deps, organization),
      code: 'no_sender',
      error: messageFailures.no_sender,
    } as const
    await failPendingMessages(tenant, channel, attempt)
    return undefined
  }
  const outlet = openOutlet(deps, organization, sender, options)
  let { failingSince } = sender
  try {
    while (mayContinue()) {
      const now = timeOf(deps, organization)
      const { count, first } = await findAttemptsSince(tenant, channel, new Date(now.getTime() - hourMs))
      if (count >= sender.perHour) return new Date((first ?? now).getTime() + hourMs)
      // One at a time: whatever happens to this process, one message at most is in doubt.
      const message = await takeDueMessage(tenant, channel, now)
      if (!message) return undefined
      const result = await sendOne(deps, tenant, organization, message, outlet.send)
      await note(deps, tenant, organization, [{ message, result }])
      const after = timeOf(deps, organization)
      failingSince = await noteHealth(after, tenant, sender, failingSince, result)
      if (failingSince) return new Date(after.getTime() + pauseOfFailing(failingSince, after))
    }
    return undefined
  } finally {
    outlet.close()
  }
}

/** A tenth of the time that it has been failing, but at least so long. */
function pauseOfFailing(since: Date, now: Date): number {
  return Math.min(Math.max((now.getTime() - since.getTime()) / 10, 30_000), 15 * 60_000)
}

async function sendOne(
  deps: Deps,
  tenant: Tenant,
  organization: Organization,
  message: TakenMessage,
  send: Outlet['send'],
): Promise<SendResult & { readonly address?: string }> {
  const secret = message.sealed && deps.seal.open(message.sealed, secretPlaceOf(message.id))?.toString('utf8')
  const composed = await composeMessage(deps, tenant, organization, message, secret)
  if ('because' in composed) {
    return { kind: 'refused', code: composed.because, error: messageFailures[composed.because] }
  }
  const result = withoutAddress(await send(message, composed), composed.to)
  return { ...result, address: fingerprintOf(deps, composed.to) }
}

/** Mail servers like to quote the address, which is kept nowhere else. */
function withoutAddress(result: SendResult, address: string): SendResult {
  if (result.kind === 'unknown' || result.response === undefined) return result
  const start = result.response.toLowerCase().indexOf(address.toLowerCase())
  if (start < 0) return result
  const response = `${result.response.slice(0, start)}[redacted]${result.response.slice(start + address.length)}`
  return withoutAddress({ ...result, response }, address)
}

interface Outlet {
  send(message: Pick<Message, 'id'>, composed: ComposedMessage): Promise<SendResult>
  close(): void
}

/** The mail server or the SMS provider of an organization. */
export function openOutlet(
  deps: Pick<Deps, 'seal' | 'addresses' | 'clock'>,
  organization: Organization,
  { channel, settings, sealed }: StoredSender,
  options: Omit<EmailOptions, 'addresses'> = {},
): Outlet {
  const secret = sealed && deps.seal.open(sealed, senderPlaceOf(organization.id, channel))
  const unreadable: SendResult = {
    kind: 'deferred',
    code: 'secret_unreadable',
    error: messageFailures.secret_unreadable,
    isSenderFault: true,
  }
  const isUnreadable = sealed !== undefined && secret === undefined
  if (channel === 'email') {
    const mail = openEmailSender(settings as EmailSettings, secret?.toString('utf8'), {
      addresses: deps.addresses,
      ...options,
    })
    return {
      send: async ({ id }, composed) =>
        isUnreadable ? unreadable : mail.send({ ...composed, messageId: `${id}@${organization.id}` }),
      close: () => mail.close(),
    }
  }
  const post = createSender({ addresses: deps.addresses, ...options })
  return {
    send: async ({ id }, { to, text }) =>
      secret === undefined
        ? unreadable
        : sendSms(settings as SmsSettings, secret, post.send, { id, to, text: text.trim() }, deps.clock()),
    close: () => post.close(),
  }
}

interface Sent {
  readonly message: Message
  readonly result: SendResult & { readonly address?: string }
}

/** Writes what came of the attempts, with the events that say so. */
async function note(
  deps: Deps,
  tenant: Tenant,
  organization: Organization,
  sent: readonly Sent[],
): Promise<void> {
  const now = timeOf(deps, organization)
  const outcomes = sent.map(({ message, result }): MessageOutcome => {
    const { status, retryAt } = afterSending(message, result, now, Math.random())
    const { code, error } = result.kind === 'sent' ? {} : result
    const { address } = result
    const response = result.kind === 'unknown' ? undefined : result.response
    count(deps, result.kind)
    return { message: message.id, status, retryAt, attempt: { at: now, code, error, response, address } }
  })
  const facts = sent.flatMap(({ message }, i) => factsOf(message, outcomes[i]!.status))
  await inTransaction(deps.pool, tenant.orgId, async (within) => {
    await updateSentMessages(within, outcomes, now)
    await insertEvents(within, facts, now)
  })
}

function count({ workCounts: { messages } }: Deps, outcome: SendResult['kind']): void {
  messages.set(outcome, (messages.get(outcome) ?? 0) + 1)
}

function factsOf({ id, kind, channel, customer }: Message, status: number): Fact[] {
  const data = { message: id, kind, channel, customer }
  if (status === messageStatus.sent) return [{ type: 'message.sent', data }]
  if (status === messageStatus.failed || status === messageStatus.unknown) {
    return [{ type: 'message.failed', data }]
  }
  return []
}

/** Returns since when the sender has been failing. */
async function noteHealth(
  now: Date,
  tenant: Tenant,
  sender: StoredSender,
  before: Date | undefined,
  result: SendResult,
): Promise<Date | undefined> {
  const isFault = result.kind === 'deferred' && result.isSenderFault === true
  if (!isFault && result.kind !== 'sent') return before
  const failingSince = isFault ? (before ?? now) : undefined
  if (isFault || before) {
    await updateSenderHealth(tenant, sender, {
      failingSince,
      lastError: isFault ? result.error : undefined,
    })
  }
  return failingSince
}
