/** Binds sealed secrets to their rows. */
import type { MessageId, OrganizationId } from '../../domain/ids.ts'
import type { Channel } from '../../domain/message.ts'

export const senderPlaceOf = (organization: OrganizationId, channel: Channel): string =>
  `sender ${organization} ${channel}`

export const secretPlaceOf = (id: MessageId): string => `message ${id}`
