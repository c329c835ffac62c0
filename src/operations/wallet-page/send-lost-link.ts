/**
 * Sends the link of a card to a customer who has lost it, to the address on file. Nobody learns whether an address
 * is known: what is done here depends on it, so callers respond without waiting.
 */
import { type Card, type CustomerView, cardStatus, customerStatus } from '../../domain/customer.ts'
import type { CampaignId } from '../../domain/ids.ts'
import { type Channel, channels } from '../../domain/message.ts'
import type { Organization, ShownOrganization } from '../../domain/organization.ts'
import { phoneCandidates } from '../../domain/phone.ts'
import { findCard } from '../../store/cards.ts'
import { type CustomerKeyKind, customersByKey, lockCustomer } from '../../store/customers.ts'
import { findMessagesSince } from '../../store/messages.ts'
import { findOwnOrganization, findShownOrganization } from '../../store/organizations.ts'
import { ask } from '../../store/question.ts'
import { findSender, listSenders } from '../../store/senders.ts'
import { inTransaction, type Tenant, tenantOf } from '../../store/tenant.ts'
import type { Deps } from '../deps.ts'
import { orderMessage } from '../messages/order-messages.ts'
import type { WalletKey } from './wallet-tokens.ts'

export interface LostLink {
  readonly email?: string
  readonly phone?: string
  /** The campaign whose card is preferred, if the customer has several. */
  readonly campaign?: CampaignId
}

const hourMs = 3_600_000
const pauseMs = 60_000
const mostAnHour = 5

/** Sends nothing to an address that nobody has, or where a link was sent a moment ago. */
export async function sendLostLink(
  { pool, seal }: Pick<Deps, 'pool' | 'seal'>,
  { orgId }: Tenant,
  lost: LostLink,
  now: Date,
): Promise<void> {
  await inTransaction(pool, orgId, async (tenant) => {
    const channel: Channel = lost.email === undefined ? 'sms' : 'email'
    const organization = await findOwnOrganization(tenant)
    if (!organization?.isSubscribed || !(await findSender(tenant, channel))) return
    const found = await findByAddress(tenant, organization, lost, now)
    const card = found && cardToSend(found, lost.campaign)
    if (!card || found.customer.status !== customerStatus.active) return
    // Locked, so that of two requests at once the second sees the message of the first.
    if (!(await lockCustomer(tenant, card.customer))) return
    const since = new Date(now.getTime() - hourMs)
    const sent = await findMessagesSince(
      tenant,
      { customer: card.customer, kind: 'card_link', channel },
      since,
    )
    if (sent.count >= mostAnHour || (sent.last && sent.last.getTime() > now.getTime() - pauseMs)) return
    const message = { kind: 'card_link', channel, customer: card.customer, card: card.id } as const
    await orderMessage(tenant, seal, message, now)
  })
}

type Found = Pick<CustomerView, 'customer' | 'cards'>

async function findByAddress(
  tenant: Tenant,
  { country }: Organization,
  { email, phone = '' }: LostLink,
  now: Date,
): Promise<Found | undefined> {
  const [kind, keys]: [CustomerKeyKind, string[]] =
    email === undefined ? ['phone', phoneCandidates(phone, country)] : ['email', [email.trim()]]
  const { found } = await ask(tenant, { found: customersByKey(tenant, kind, keys, now) })
  return found.find((view) => view !== undefined)
}

/** The newest that can be used, of the preferred campaign if there is one. */
function cardToSend({ cards }: Found, campaign: CampaignId | undefined): Card | undefined {
  const usable = cards.filter(
    ({ status, walletVersion }) => status === cardStatus.active && walletVersion > 0,
  )
  return usable.findLast((card) => card.campaign === campaign) ?? usable.at(-1)
}

/** What a link that leads to no card any more can still offer: whose it was, and how a new one can be sent. */
export interface LostPage {
  readonly organization: ShownOrganization
  readonly channels: readonly Channel[]
}

export async function findLostPage({ pool }: Deps, { org }: WalletKey): Promise<LostPage | undefined> {
  const tenant = tenantOf(pool, org)
  const organization = await findOwnOrganization(tenant)
  if (!organization?.isSubscribed) return undefined
  const senders = (await listSenders(tenant)).map(({ channel }) => channel)
  return {
    organization: await findShownOrganization(tenant, organization),
    channels: channels.filter((channel) => senders.includes(channel)),
  }
}

/** Prefers the card of the same campaign, if the customer still has one. */
export async function replaceLink(deps: Deps, { org, card }: WalletKey, lost: LostLink): Promise<void> {
  const tenant = tenantOf(deps.pool, org)
  const campaign = (await findCard(tenant, card))?.campaign
  await sendLostLink(deps, tenant, { ...lost, campaign }, deps.clock())
}
