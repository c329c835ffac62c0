/** The token in the link with which a customer stops messages. It is valid for as long as the customer is known. */
import { type CustomerId, parseId } from '../../domain/ids.ts'
import { createSignedTokens } from '../signed-tokens.ts'

export interface UnsubscribeKey {
  /** Internal ID of the organization. */
  readonly org: number
  readonly customer: CustomerId
}

export interface UnsubscribeTokens {
  create(key: UnsubscribeKey): string
  /** Undefined if the token is not exactly as we created it. */
  read(token: string): UnsubscribeKey | undefined
}

export function createUnsubscribeTokens(pepper: string): UnsubscribeTokens {
  const tokens = createSignedTokens(pepper, 'links that end messages')
  return {
    create: ({ org, customer }) => tokens.create({ org, id: customer.slice('cus_'.length), number: 0 }),
    read(token) {
      const key = tokens.read(token)
      const customer = key && parseId('cus', `cus_${key.id}`)
      return customer && { org: key.org, customer }
    },
  }
}
