/** Binds sealed secrets to their rows, and tells addresses apart without keeping them. */
import type { MessageId, OrganizationId } from '../../domain/ids.ts'
import type { Channel } from '../../domain/message.ts'
import type { Deps } from '../deps.ts'

export const senderPlaceOf = (organization: OrganizationId, channel: Channel): string =>
  `sender ${organization} ${channel}`

export const secretPlaceOf = (id: MessageId): string => `message ${id}`

/** The same for the same address, and nothing to anybody without the secrets of the installation. */
export const fingerprintOf = ({ credentials }: Pick<Deps, 'credentials'>, address: string): string =>
  credentials.hash(`address of a message ${address.toLowerCase()}`).toString('hex').slice(0, 16)
