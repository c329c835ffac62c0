import { useTranslation } from 'react-i18next'
import type { Schemas } from '../api/client.ts'

export type EventType = Schemas['EventType']

/** In the order in which they are offered. The compiler asks for every type that the service has. */
const types: Record<EventType, true> = {
  'transaction.processed': true,
  'transaction.returned': true,
  'customer.created': true,
  'customer.changed': true,
  'customer.registered': true,
  'customer.erased': true,
  'consent.changed': true,
  'card.changed': true,
  'card.replaced': true,
  'balance.adjusted': true,
  'balance.expired': true,
  'coupon.granted': true,
  'coupon.redeemed': true,
  'coupon.revoked': true,
  'coupon.expired': true,
  'tier.changed': true,
  'pass.added': true,
  'pass.removed': true,
  'campaign.published': true,
  'import.finished': true,
  'organization.changed': true,
  'message.sent': true,
  'message.failed': true,
  'message.bounced': true,
  'webhook.paused': true,
  'connection.revoked': true,
}

export const eventTypes = Object.keys(types) as readonly EventType[]

export const isEventType = (text: string | undefined): text is EventType =>
  text !== undefined && Object.hasOwn(types, text)

/** What an event of this type says. A type that is newer than this page is shown by its name. */
export function useEventWords(): (type: string) => string {
  const { t } = useTranslation('webhooks')
  return (type) => {
    if (type === 'webhook.test') return t('testEvent')
    return isEventType(type) ? t(`type.${type}`) : type
  }
}
