/** How a merchant sets up what sends messages, and tries it. */
import { isIP } from 'node:net'
import type { Channel, EmailSettings, Message, Sender, SmsSettings } from '../../domain/message.ts'
import type { Organization } from '../../domain/organization.ts'
import { normalizePhone } from '../../domain/phone.ts'
import { notFound, Refused } from '../../domain/refusal.ts'
import { upsertDueWork } from '../../store/due-work.ts'
import { deleteSender, findSender, upsertSender } from '../../store/senders.ts'
import type { Tenant } from '../../store/tenant.ts'
import { holdCaller } from '../auth/hold-caller.ts'
import type { Caller, Deps } from '../deps.ts'
import type { Addresses } from '../outbound/addresses.ts'
import { checkUrl } from '../outbound/check-url.ts'
import { newSigningKey, toSecret } from '../outbound/sign.ts'
import type { Seal } from '../seal.ts'
import { orderMessage } from './order-messages.ts'
import { senderPlaceOf } from './places.ts'
import { addressOf } from './send-email.ts'

export interface EmailSenderInput extends EmailSettings {
  /** If omitted, the one before it stays, unless it would go to another server. */
  readonly password?: string
  readonly perHour?: number
}

const defaultPerHour = { email: 1_000, sms: 100 } as const

export async function setEmailSender(
  tenant: Tenant,
  deps: Deps,
  caller: Caller,
  { password, perHour = defaultPerHour.email, ...settings }: EmailSenderInput,
): Promise<Sender> {
  const now = deps.clock()
  checkServer(settings, deps.addresses)
  await holdCaller(tenant, caller, now)
  const before = await findSender(tenant, 'email')
  const place = senderPlaceOf(caller.organization.id, 'email')
  const earlier = before?.settings as EmailSettings | undefined
  // Otherwise somebody who does not know the password could have it sent to a server of their own.
  const isSame = earlier?.host === settings.host && earlier.user === settings.user
  const sealed =
    password === undefined
      ? isSame
        ? before?.sealed
        : undefined
      : deps.seal.seal(Buffer.from(password), place)
  if (settings.user !== undefined && sealed === undefined) {
    throw new Refused('_invalid_payload', 'password: is required for a new server or user.')
  }
  const isSecret = settings.user !== undefined
  await upsertSender(
    tenant,
    { channel: 'email', settings, sealed: isSecret ? sealed : undefined, perHour },
    now,
  )
  await upsertDueWork(tenant, arming(now), now)
  return (await findSender(tenant, 'email'))!
}

/** A change lets what has waited for it go out, and begins the daily deletion of what is old. */
const arming = (now: Date) => [
  { kind: 'sending', at: now } as const,
  { kind: 'messages', at: new Date(now.getTime() + 86_400_000) } as const,
]

function checkServer(
  { host, security, from, replyTo }: EmailSettings,
  { isAllowed, isOwn }: Addresses,
): void {
  const refuse = (problem: string): never => {
    throw new Refused('_invalid_payload', problem)
  }
  const address = host === 'localhost' ? '127.0.0.1' : host
  if (isIP(address) && !isAllowed(address)) {
    refuse('host: must be on the public internet. The operator can allow others with WEBHOOK_ALLOWED_RANGES.')
  }
  if (security === 'none' && !(isIP(address) && isOwn(address))) {
    refuse('security: `none` is only possible with an IP address that the operator has allowed.')
  }
  for (const [field, text] of Object.entries({ from, replyTo })) {
    if (text !== undefined && !isAddress(text)) {
      refuse(`${field}: must be an email address, such as "Bean & Leaf <hello@example.com>".`)
    }
  }
}

const isAddress = (text: string) =>
  !/[\r\n]/.test(text) && /^[^\s@<>,;]+@[^\s@<>,;]+\.[^\s@<>,;]+$/.test(addressOf(text))

export interface SmsSenderInput extends SmsSettings {
  readonly perHour?: number
  /** Makes a new secret; the one before it ends at once. */
  readonly newSecret?: boolean
}

/** The secret is there only if it is a new one. */
export async function setSmsSender(
  tenant: Tenant,
  deps: Deps,
  caller: Caller,
  { url, perHour = defaultPerHour.sms, newSecret = false }: SmsSenderInput,
): Promise<Sender & { secret?: string }> {
  const now = deps.clock()
  checkUrl(url, deps.addresses)
  await holdCaller(tenant, caller, now)
  const before = await findSender(tenant, 'sms')
  const key = before?.sealed && !newSecret ? undefined : newSigningKey()
  const sealed = key ? deps.seal.seal(key, senderPlaceOf(caller.organization.id, 'sms')) : before?.sealed
  await upsertSender(tenant, { channel: 'sms', settings: { url }, sealed, perHour }, now)
  await upsertDueWork(tenant, arming(now), now)
  return { ...(await findSender(tenant, 'sms'))!, secret: key && toSecret(key) }
}

/** What is still to be sent there fails. */
export async function removeSender(tenant: Tenant, channel: Channel, now: Date): Promise<void> {
  if (!(await deleteSender(tenant, channel))) throw notFound('sender_not_found')
  await upsertDueWork(tenant, [{ kind: 'sending', at: now }], now)
}

/** Sends a message to an address of one's own, to tell whether the settings are right. */
export async function testSender(
  tenant: Tenant,
  seal: Seal,
  organization: Organization,
  channel: Channel,
  to: string,
  now: Date,
): Promise<Message> {
  if (!(await findSender(tenant, channel))) throw new Refused('sender_not_found')
  const address = channel === 'email' ? to.trim() : normalizePhone(to, organization.country)
  if (address === undefined) throw new Refused('invalid_phone')
  if (channel === 'email' && !isAddress(address)) {
    throw new Refused('_invalid_payload', 'email: must be an email address.')
  }
  return orderMessage(tenant, seal, { kind: 'test', channel, secret: address }, now)
}
