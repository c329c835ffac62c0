/**
 * The secret part of a wallet page's address: whose card, which version of its address, and a mark that only the
 * holder of the pepper can make. Nothing of it is stored, and an address that was not given out costs no query.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { type CardId, parseId } from '../../domain/ids.ts'

export interface WalletKey {
  /** The organization's number. */
  readonly org: number
  readonly card: CardId
  /** Of the card's address; another one ends it. */
  readonly version: number
}

export interface WalletTokens {
  create(key: WalletKey): string
  /** Undefined when it is not one of ours, to the letter. */
  read(token: string): WalletKey | undefined
}

const keyBytes = 4 + 16 + 4
/** 128 bits: nobody guesses one of those, and the address still fits into a QR code that a phone reads from afar. */
const markBytes = 16

export function createWalletTokens(pepper: string): WalletTokens {
  // A key of its own, so that a mark can never pass for the hash of a credential.
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
      // Decoding is forgiving: other letters can mean the same bytes.
      if (bytes.length !== keyBytes + markBytes || bytes.toString('base64url') !== token) return undefined
      const key = bytes.subarray(0, keyBytes)
      if (!timingSafeEqual(markOf(key), bytes.subarray(keyBytes))) return undefined
      const card = parseId('card', `card_${key.toString('hex', 4, 20)}`)
      return card && { org: key.readInt32BE(0), card, version: key.readInt32BE(20) }
    },
  }
}
