/**
 * Tokens in links: whose organization, which object, a number, and a signature that only the holder of the pepper
 * can make. A token is not stored, and a forged one costs no query.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

export interface SignedKey {
  /** Internal ID of the organization. */
  readonly org: number
  /** The 32 hex digits of an ID. */
  readonly id: string
  readonly number: number
}

export interface SignedTokens {
  create(key: SignedKey): string
  /** Undefined if the token is not exactly as we created it. */
  read(token: string): SignedKey | undefined
}

const keyBytes = 4 + 16 + 4
/**
 * 128 bits: impossible to guess, and the URL still fits into a QR code that a phone reads from a distance.
 */
const markBytes = 16

/** `purpose` makes the key: a token for one purpose is none for another, nor the hash of a credential. */
export function createSignedTokens(pepper: string, purpose: string): SignedTokens {
  const secret = createHmac('sha256', pepper).update(`loyalty-wallet: ${purpose}`).digest()
  const markOf = (key: Buffer) => createHmac('sha256', secret).update(key).digest().subarray(0, markBytes)

  return {
    create({ org, id, number }) {
      const key = Buffer.alloc(keyBytes)
      key.writeInt32BE(org, 0)
      key.write(id, 4, 'hex')
      key.writeInt32BE(number, 20)
      return Buffer.concat([key, markOf(key)]).toString('base64url')
    },
    read(token) {
      const bytes = Buffer.from(token, 'base64url')
      // Decoding is lenient: different characters can decode to the same bytes.
      if (bytes.length !== keyBytes + markBytes || bytes.toString('base64url') !== token) return undefined
      const key = bytes.subarray(0, keyBytes)
      if (!timingSafeEqual(markOf(key), bytes.subarray(keyBytes))) return undefined
      return { org: key.readInt32BE(0), id: key.toString('hex', 4, 20), number: key.readInt32BE(20) }
    },
  }
}
