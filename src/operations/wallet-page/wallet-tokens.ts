/**
 * The token in the URL of a wallet page: the card, the version of its URL, and a signature that only the
 * holder of the pepper can make. The token is not stored, and a forged one costs no query.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { type CardId, parseId } from '../../domain/ids.ts'

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

const keyBytes = 4 + 16 + 4
/**
 * 128 bits: impossible to guess, and the URL still fits into a QR code that a phone reads from a distance.
 */
const markBytes = 16

export function createWalletTokens(pepper: string): WalletTokens {
  // A separate key, so that a signature can never pass for the hash of a credential.
  const secret = createHmac('sha256', pepper).update('loyalty-wallet: addresses of wallet pages').digest()
  const markOf = (key: Buffer) => createHmac('sha256', secret).update(key).digest().subarray(0, markBytes)

  return {
    create({ org, card, version }) {
      const key = Buffer.alloc(keyBytes)
      key.writeInt32BE(org, 0)
      key.write(card.slice('card_'.length), 4, 'hex')
      key.writeInt32BE(version, 20)
      return Buffer.concat([key, markOf(key)]).toString('base64url')
    },
    read(token) {
      const bytes = Buffer.from(token, 'base64url')
      // Decoding is lenient: different characters can decode to the same bytes.
      if (bytes.length !== keyBytes + markBytes || bytes.toString('base64url') !== token) return undefined
      const key = bytes.subarray(0, keyBytes)
      if (!timingSafeEqual(markOf(key), bytes.subarray(keyBytes))) return undefined
      const card = parseId('card', `card_${key.toString('hex', 4, 20)}`)
      return card && { org: key.readInt32BE(0), card, version: key.readInt32BE(20) }
    },
  }
}
