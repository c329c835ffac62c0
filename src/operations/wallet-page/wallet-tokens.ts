/** The token in the URL of a wallet page. */
import { type CardId, parseId } from '../../domain/ids.ts'
import { createSignedTokens } from '../signed-tokens.ts'

export interface WalletKey {
  /** Internal ID of the organization. */
  readonly org: number
  readonly card: CardId
  /** Version of the card's URL; a new version invalidates older tokens. */
  readonly version: number
}

export interface WalletTokens {
  create(key: WalletKey): string
  /** Undefined if the token is not exactly as we created it. */
  read(token: string): WalletKey | undefined
}

/** The token that a pass on a phone asks for its update with; it opens no page, and that of a page no pass. */
export const createPassTokens = (pepper: string): WalletTokens =>
  createTokens(pepper, 'authentication of passes')

export const createWalletTokens = (pepper: string): WalletTokens =>
  createTokens(pepper, 'addresses of wallet pages')

function createTokens(pepper: string, purpose: string): WalletTokens {
  const tokens = createSignedTokens(pepper, purpose)
  return {
    create: ({ org, card, version }) =>
      tokens.create({ org, id: card.slice('card_'.length), number: version }),
    read(token) {
      const key = tokens.read(token)
      const card = key && parseId('card', `card_${key.id}`)
      return card && { org: key.org, card, version: key.number }
    },
  }
}
