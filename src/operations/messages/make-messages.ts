/** Makes the messages that are about events, once for each event, together with the position that says so. */
import type { EventType, RecordedEvent } from '../../domain/event.ts'
import { parseId } from '../../domain/ids.ts'
import { type Channel, traitsOf } from '../../domain/message.ts'
import { modeOf, type Organization } from '../../domain/organization.ts'
import { listEvents } from '../../store/events.ts'
import { listReachable } from '../../store/message-recipients.ts'
import { insertMessages, type NewMessage, newMessageId } from '../../store/messages.ts'
import {
  type AutomaticMessage,
  listAutomaticMessages,
  listSenders,
  updateMessagePosition,
} from '../../store/senders.ts'
import { inTransaction, type Tenant } from '../../store/tenant.ts'
import type { Deps } from '../deps.ts'
import { timeOf } from '../organizations/time-of.ts'

const eventsAtOnce = 500

export async function makeMessagesOfEvents(
  deps: Deps,
  tenant: Tenant,
  organization: Organization,
  mayContinue: () => boolean,
): Promise<void> {
  const automatic = await listAutomaticMessages(tenant)
  for (const each of automatic) {
    const { event } = traitsOf(each.kind)
    if (event === undefined || each.position === undefined || each.channels.length === 0) continue
    let position: number | undefined = each.position
    while (position !== undefined && mayContinue()) {
      position = await makeFrom(deps, tenant, organization, { ...each, event, position })
    }
  }
}

/** Returns where to go on, if there is more. */
async function makeFrom(
  deps: Deps,
  tenant: Tenant,
  organization: Organization,
  { kind, channels, event: type, position }: AutomaticMessage & { event: EventType; position: number },
): Promise<number | undefined> {
  const now = timeOf(deps, organization)
  return inTransaction(deps.pool, tenant.orgId, async (within) => {
    const listed = await listEvents(within, { types: [type] }, { after: position, limit: eventsAtOnce })
    if (listed.until === position) return undefined
    // Somebody else makes them.
    if (!(await updateMessagePosition(within, kind, { from: position, to: listed.until }))) return undefined
    const customers = listed.events.flatMap(({ data }) => parseId('cus', String(data.customer)) ?? [])
    const { isMarketing = false } = traitsOf(kind)
    const reachable = await listReachable(
      within,
      customers,
      await usable(within, organization, channels),
      isMarketing,
    )
    const made = listed.events.flatMap((event): NewMessage[] => {
      const customer = parseId('cus', String(event.data.customer))
      const channel = customer && reachable.get(customer)
      if (!customer || !channel) return []
      return [{ id: newMessageId(now), kind, channel, customer, ...aboutOf(event) }]
    })
    await insertMessages(within, made, now)
    return listed.until < listed.newest ? listed.until : undefined
  })
}

/**
 * Those that have a sender, in the order of preference. In a test organization messages are made without one, too, to
 * show what would be sent; they fail then.
 */
export async function usable(
  tenant: Tenant,
  organization: Organization,
  channels: readonly Channel[],
): Promise<Channel[]> {
  if (modeOf(organization) === 'test') return [...channels]
  const senders = await listSenders(tenant)
  return channels.filter((channel) => senders.some((sender) => sender.channel === channel))
}

function aboutOf({ id, data }: RecordedEvent): Pick<NewMessage, 'reason' | 'card' | 'data'> {
  const card = typeof data.card === 'string' ? parseId('card', data.card) : undefined
  const coupon = typeof data.coupon === 'string' ? data.coupon : undefined
  return { reason: id, card, data: coupon === undefined ? {} : { coupon } }
}
