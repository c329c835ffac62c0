/** Messages that somebody asks for: a card's link, an invitation, or another attempt. */
import { cardStatus, customerStatus } from '../../domain/customer.ts'
import type { CardId, MessageId } from '../../domain/ids.ts'
import { type Channel, channels, type Message, messageFailures } from '../../domain/message.ts'
import { notFound, Refused } from '../../domain/refusal.ts'
import { findCard } from '../../store/cards.ts'
import { findCustomerView, lockCustomer } from '../../store/customers.ts'
import { upsertDueWork } from '../../store/due-work.ts'
import { insertEvents } from '../../store/events.ts'
import { updateBounced } from '../../store/message-recipients.ts'
import {
  findMessage,
  insertMessages,
  type NewMessage,
  newMessageId,
  updateClicked,
  updateToBounced,
  updateToRetry,
} from '../../store/messages.ts'
import { findSender, listSenders } from '../../store/senders.ts'
import type { Tenant } from '../../store/tenant.ts'
import type { Deps } from '../deps.ts'
import { timeIn } from '../organizations/time-of.ts'
import type { Seal } from '../seal.ts'
import { addressIn, hasBounced } from './compose.ts'
import { fingerprintOf, secretPlaceOf } from './places.ts'

/** Sends the customer the link to their own card. It needs no consent: it is what they registered for. */
export async function sendCardLink(
  tenant: Tenant,
  seal: Seal,
  { card: id, channel: wanted }: { readonly card: CardId | undefined; readonly channel?: Channel },
  now: Date,
): Promise<Message> {
  const card = id && (await findCard(tenant, id))
  if (!card) throw new Refused('card_not_found')
  if (card.status !== cardStatus.active || card.walletVersion === 0) throw new Refused('card_not_active')
  const customer = (await findCustomerView(tenant, card.customer, now))?.customer
  if (customer?.status !== customerStatus.active) throw new Refused('customer_not_active')
  const senders = (await listSenders(tenant)).map(({ channel }) => channel)
  const possible = channels.filter((channel) => senders.includes(channel))
  if (wanted ? !possible.includes(wanted) : possible.length === 0) throw new Refused('sender_not_found')
  const isUsable = (each: Channel) => addressIn(customer, each) !== undefined && !hasBounced(customer, each)
  const channel = (wanted ? [wanted] : possible).find(isUsable)
  if (!channel) throw new Refused('customer_not_reachable')
  return orderMessage(
    tenant,
    seal,
    { kind: 'card_link', channel, customer: card.customer, card: card.id },
    now,
  )
}

/** Whether messages to people who sign in can be sent: only by email. */
export const canEmail = async (tenant: Tenant): Promise<boolean> =>
  (await findSender(tenant, 'email')) !== undefined

export interface Order extends Omit<NewMessage, 'id' | 'sealed'> {
  /** Kept encrypted until it is sent, and removed then. */
  readonly secret?: string
}

export async function orderMessage(
  tenant: Tenant,
  seal: Seal,
  { secret, ...message }: Order,
  now: Date,
): Promise<Message> {
  const id = newMessageId(now)
  const sealed = secret === undefined ? undefined : seal.seal(Buffer.from(secret), secretPlaceOf(id))
  await insertMessages(tenant, [{ id, ...message, sealed }], now)
  await upsertDueWork(tenant, [{ kind: 'sending', at: now }], now)
  return (await findMessage(tenant, id))!
}

export async function getMessage(tenant: Tenant, id: MessageId | undefined): Promise<Message> {
  const message = id && (await findMessage(tenant, id))
  if (!message) throw notFound('message_not_found')
  return message
}

/** Somebody followed the link in it. */
export const noteOpened = (tenant: Tenant, id: MessageId, now: Date): Promise<void> =>
  updateClicked(tenant, id, now)

/** Retries also what may have arrived: the caller has decided that twice is better than never. */
export async function retryMessage(tenant: Tenant, id: MessageId | undefined, now: Date): Promise<Message> {
  const message = await getMessage(tenant, id)
  if (!(await updateToRetry(tenant, message.id, now))) throw new Refused('message_already_sent')
  await upsertDueWork(tenant, [{ kind: 'sending', at: now }], now)
  return getMessage(tenant, id)
}

/**
 * A message came back after the mail server had taken it. Its address is not used any more, if it is still the one
 * that the message went to.
 */
export async function noteBounce(
  deps: Pick<Deps, 'credentials' | 'clock'>,
  tenant: Tenant,
  id: MessageId | undefined,
): Promise<Message> {
  const message = await getMessage(tenant, id)
  const now = await timeIn(deps, tenant)
  const attempt = { at: now, code: 'bounced', error: messageFailures.bounced } as const
  if (!(await updateToBounced(tenant, message.id, attempt))) return getMessage(tenant, id)
  const { kind, channel, customer } = message
  const known = customer && (await lockCustomer(tenant, customer))
  const address = known && addressIn(known, channel)
  const wentTo = message.attempts.findLast((each) => each.address !== undefined)?.address
  if (known && address !== undefined && wentTo === fingerprintOf(deps, address)) {
    await updateBounced(tenant, known.id, channel, now)
  }
  const data = { message: message.id, kind, channel, customer }
  await insertEvents(tenant, [{ type: 'message.bounced', data }], now)
  return getMessage(tenant, id)
}
