/**
 * What a code opens on a wallet page: for a quarter of an hour the profile of one customer may be changed. Nothing is
 * stored: the token is signed, says until when it is valid, and is worth nothing once the customer is erased.
 */
import { type CustomerId, parseId } from '../../domain/ids.ts'
import { createSignedTokens } from '../signed-tokens.ts'

export interface WalletSession {
  /** Internal ID of the organization. */
  readonly org: number
  readonly customer: CustomerId
  readonly expiresAt: Date
}

export interface WalletSessions {
  create(session: WalletSession): string
  /** Undefined if the token is not one of ours, or too old. */
  read(token: string, now: Date): WalletSession | undefined
}

export const walletSessionMs = 15 * 60_000
/** Seconds would not fit into the number of a token in 2038. */
const stepMs = 10_000

export function createWalletSessions(pepper: string): WalletSessions {
  const tokens = createSignedTokens(pepper, 'sessions of wallet pages')
  return {
    create: ({ org, customer, expiresAt }) =>
      tokens.create({
        org,
        id: customer.slice('cus_'.length),
        number: Math.floor(expiresAt.getTime() / stepMs),
      }),
    read(token, now) {
      const key = tokens.read(token)
      const customer = key && parseId('cus', `cus_${key.id}`)
      const expiresAt = new Date((key?.number ?? 0) * stepMs)
      return customer && expiresAt > now ? { org: key.org, customer, expiresAt } : undefined
    },
  }
}
