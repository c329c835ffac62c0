/** The addresses of a customer as the wallet page needs them. */
import type { Customer } from '../../domain/customer.ts'
import { type Channel, channels } from '../../domain/message.ts'
import { listUnconfirmed } from '../../store/contact-codes.ts'
import { listSenders } from '../../store/senders.ts'
import type { Tenant } from '../../store/tenant.ts'
import { addressIn } from '../messages/compose.ts'

/** An address of the customer, and whether a code can be sent to it. */
export interface OwnAddress {
  readonly channel: Channel
  readonly address: string
  readonly isVerified: boolean
  readonly canReceive: boolean
}

/** An address that the customer has named, and not confirmed yet. */
export type NamedAddress = Pick<OwnAddress, 'channel' | 'address'>

export interface OwnAddresses {
  /** How the organization can send something. */
  readonly channels: readonly Channel[]
  readonly contacts: readonly OwnAddress[]
  readonly unconfirmed: readonly NamedAddress[]
}

export async function listAddresses(tenant: Tenant, customer: Customer, now: Date): Promise<OwnAddresses> {
  const senders = (await listSenders(tenant)).map(({ channel }) => channel)
  const unconfirmed = await listUnconfirmed(tenant, customer.id)
  return {
    channels: channels.filter((channel) => senders.includes(channel)),
    contacts: channels.flatMap((channel) => {
      const address = addressIn(customer, channel)
      if (address === undefined) return []
      const verifiedAt = channel === 'email' ? customer.emailVerifiedAt : customer.phoneVerifiedAt
      return [
        { channel, address, isVerified: verifiedAt !== undefined, canReceive: senders.includes(channel) },
      ]
    }),
    unconfirmed: unconfirmed.flatMap(({ channel, address, expiresAt }) =>
      address !== undefined && isWaited(customer, channel, expiresAt > now) ? [{ channel, address }] : [],
    ),
  }
}

/**
 * Who has just enrolled is asked for the code until it comes. Somebody who can be reached, and named another address
 * without going on, is not asked for it forever.
 */
function isWaited(customer: Customer, channel: Channel, isFresh: boolean): boolean {
  if (addressIn(customer, channel) !== undefined) return false
  return isFresh || channels.every((each) => addressIn(customer, each) === undefined)
}
