/** How a merchant manages the webhooks of the organization. */
import type { EventType } from '../../domain/event.ts'
import type { DeliveryId, WebhookId } from '../../domain/ids.ts'
import { notFound, Refused } from '../../domain/refusal.ts'
import { type Delivery, type Webhook, webhookStatus } from '../../domain/webhook.ts'
import { upsertDueWork } from '../../store/due-work.ts'
import { findEventRange, findPositionAt, listEvents } from '../../store/events.ts'
import { newId } from '../../store/new-id.ts'
import type { Tenant } from '../../store/tenant.ts'
import { findDelivery, insertDeliveries } from '../../store/webhook-deliveries.ts'
import {
  armWebhook,
  countWebhooks,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  insertWebhookSecret,
  lockWebhook,
  updateWebhook,
} from '../../store/webhooks.ts'
import { holdCaller } from '../auth/hold-caller.ts'
import type { Caller } from '../deps.ts'
import { mergePatch } from '../merge-patch.ts'
import type { Addresses } from '../outbound/addresses.ts'
import { checkUrl } from '../outbound/check-url.ts'
import { newSigningKey, toSecret } from '../outbound/sign.ts'
import type { Seal } from '../seal.ts'

export interface WebhookInput {
  readonly url: string
  readonly description?: string
  readonly types?: readonly EventType[]
}

export interface WithSecret {
  /** Shown once. */
  readonly secret: string
}

interface Tools {
  readonly seal: Seal
  readonly addresses: Addresses
}

export const maxWebhooks = 1_000

/** Binds a sealed secret to its webhook. */
export const placeOf = (id: WebhookId): string => `webhook ${id}`

export async function addWebhook(
  tenant: Tenant,
  { seal, addresses }: Tools,
  caller: Caller,
  input: WebhookInput,
  now: Date,
): Promise<Webhook & WithSecret> {
  checkUrl(input.url, addresses)
  await holdCaller(tenant, caller, now)
  if ((await countWebhooks(tenant)) >= maxWebhooks) throw new Refused('too_many_webhooks')
  const webhook: Webhook = {
    id: newId('whk', now),
    ...input,
    status: webhookStatus.active,
    createdAt: now,
    updatedAt: now,
  }
  await insertWebhook(tenant, webhook)
  await upsertDueWork(tenant, [{ kind: 'deliveries', at: now }], now)
  return { ...webhook, secret: await addSecret(tenant, seal, webhook.id, now, now) }
}

async function addSecret(tenant: Tenant, { seal }: Seal, id: WebhookId, now: Date, earlierUntil: Date) {
  const key = newSigningKey()
  await insertWebhookSecret(tenant, id, seal(key, placeOf(id)), now, earlierUntil)
  return toSecret(key)
}

export interface WebhookChange extends Partial<Omit<WebhookInput, 'types' | 'description'>> {
  readonly description?: string | null
  readonly types?: readonly EventType[] | null
  readonly status?: 'active' | 'paused'
}

/** What is sent to a paused webhook when it is resumed: everything since, as far as events are kept. */
export async function patchWebhook(
  tenant: Tenant,
  { addresses }: Pick<Tools, 'addresses'>,
  id: WebhookId | undefined,
  change: WebhookChange,
  now: Date,
): Promise<Webhook> {
  const webhook = id && (await lockWebhook(tenant, id))
  if (!webhook) throw notFound('webhook_not_found')
  if (change.url !== undefined) checkUrl(change.url, addresses)
  const { status, ...fields } = change
  const before = { url: webhook.url, description: webhook.description, types: webhook.types }
  const { url, description, types } = mergePatch(before, fields) as WebhookInput
  const changed: Webhook = {
    ...webhook,
    url,
    description,
    types,
    ...(status === 'active' && {
      status: webhookStatus.active,
      pausedBecause: undefined,
      failingSince: undefined,
    }),
    ...(status === 'paused' &&
      webhook.status === webhookStatus.active && {
        status: webhookStatus.paused,
        pausedBecause: 'manual',
      }),
    updatedAt: now,
  }
  await updateWebhook(tenant, changed)
  return changed
}

export async function removeWebhook(tenant: Tenant, id: WebhookId | undefined): Promise<WebhookId> {
  if (!id || !(await deleteWebhook(tenant, id))) throw notFound('webhook_not_found')
  return id
}

/** Until the overlap ends, every delivery is signed with both. */
export async function rotateWebhookSecret(
  tenant: Tenant,
  { seal }: Pick<Tools, 'seal'>,
  id: WebhookId | undefined,
  overlapSeconds: number,
  caller: Caller,
  now: Date,
): Promise<Webhook & WithSecret> {
  await holdCaller(tenant, caller, now)
  const webhook = id && (await lockWebhook(tenant, id))
  if (!webhook) throw notFound('webhook_not_found')
  const earlierUntil = new Date(now.getTime() + overlapSeconds * 1000)
  // Nothing could be sent if the secret before it could not be read.
  await armWebhook(tenant, webhook.id, now)
  return { ...webhook, secret: await addSecret(tenant, seal, webhook.id, now, earlierUntil) }
}

export async function getWebhook(tenant: Tenant, id: WebhookId | undefined): Promise<Webhook> {
  const webhook = id && (await findWebhook(tenant, id))
  if (!webhook) throw notFound('webhook_not_found')
  return webhook
}

/** The type of an event that only tests whether a webhook receives. */
export const testType = 'webhook.test'

export async function testWebhook(tenant: Tenant, id: WebhookId | undefined, now: Date): Promise<Delivery> {
  const webhook = await getActive(tenant, id)
  return deliver(tenant, webhook, { id: newId('evt', now), type: testType }, now)
}

async function getActive(tenant: Tenant, id: WebhookId | undefined): Promise<Webhook> {
  const webhook = await getWebhook(tenant, id)
  if (webhook.status !== webhookStatus.active) throw new Refused('webhook_paused')
  return webhook
}

async function deliver(
  tenant: Tenant,
  webhook: Webhook,
  event: { readonly id: Delivery['event']; readonly type: string; readonly position?: number },
  now: Date,
): Promise<Delivery> {
  const [delivery] = await insertDeliveries(tenant, webhook.id, [event], now)
  await armWebhook(tenant, webhook.id, now)
  return (await findDelivery(tenant, delivery!))!
}

export async function getDelivery(tenant: Tenant, id: DeliveryId | undefined): Promise<Delivery> {
  const delivery = id && (await findDelivery(tenant, id))
  // Those of a deleted webhook are no longer shown.
  if (!delivery || !(await findWebhook(tenant, delivery.webhook))) throw notFound('delivery_not_found')
  return delivery
}

/** Sends the same event again, as a new delivery. */
export async function replayDelivery(
  tenant: Tenant,
  id: DeliveryId | undefined,
  now: Date,
): Promise<Delivery> {
  const earlier = id && (await findDelivery(tenant, id))
  if (!earlier) throw notFound('delivery_not_found')
  const webhook = await getActive(tenant, earlier.webhook)
  const { event, type, position } = earlier
  if (position !== undefined) await requireKept(tenant, position)
  return deliver(tenant, webhook, { id: event, type, position }, now)
}

async function requireKept(tenant: Tenant, position: number): Promise<void> {
  const { oldest } = await findEventRange(tenant)
  if (position < oldest) throw new Refused('event_not_kept')
}

const maxReplayed = 10_000

/** Sends the events of a time again, those of the webhook's types. Returns how many. */
export async function replayRange(
  tenant: Tenant,
  id: WebhookId | undefined,
  { from, to }: { readonly from: Date; readonly to: Date },
  now: Date,
): Promise<number> {
  if (from >= to) throw new Refused('_invalid_payload', 'to: must be after `from`.')
  const webhook = await getActive(tenant, id)
  const filter = { types: webhook.types as EventType[] | undefined }
  const end = await findPositionAt(tenant, to)
  let after = (await findPositionAt(tenant, from)) - 1
  const events = []
  while (after < end - 1) {
    const listed = await listEvents(tenant, filter, { after, limit: 1_000 })
    events.push(...listed.events.filter(({ position }) => position < end))
    if (events.length > maxReplayed) {
      throw new Refused('_invalid_payload', `to: more than ${maxReplayed} events are in this time.`)
    }
    if (listed.until >= listed.newest || listed.until === after) break
    after = listed.until
  }
  await insertDeliveries(tenant, webhook.id, events, now)
  await armWebhook(tenant, webhook.id, now)
  return events.length
}
