import {
  type BinaryLike,
  createCipheriv,
  createDecipheriv,
  createHash,
  scrypt,
  timingSafeEqual,
} from 'node:crypto'
import { promisify } from 'node:util'

/**
 * Marks each piece of a file with its place: a piece that was altered, moved, repeated or left out is noticed,
 * and so is a file that ends before its last piece. With a key the pieces are encrypted as well (AES-256-GCM in
 * the STREAM construction: the nonce is the number of the piece and whether it is the last one).
 */
export interface Seal {
  /** The piece with its tag at the end. */
  close(piece: Buffer, place: Place): Buffer
  /** The piece that was closed at this place; undefined if it was not, or not with this key. */
  open(closed: Buffer, place: Place): Buffer | undefined
}

export interface Place {
  readonly number: number
  readonly isLast: boolean
}

export const tagBytes = 16

/** Every piece also depends on the header, which is readable without the key. */
export function createSeal(header: Buffer, key: Buffer | undefined): Seal {
  const digest = createHash('sha256').update(header).digest()
  return key ? encrypting(digest, key) : summing(digest)
}

/** A key is used for one file, because each has a salt of its own; so a nonce is never used twice. */
const nonceOf = ({ number, isLast }: Place): Buffer => {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32BE(number, 7)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

function encrypting(header: Buffer, key: Buffer): Seal {
  return {
    close(piece, place) {
      const cipher = createCipheriv('aes-256-gcm', key, nonceOf(place)).setAAD(header)
      return Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()])
    },
    open(closed, place) {
      const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(place), { authTagLength: tagBytes })
      decipher.setAAD(header).setAuthTag(closed.subarray(-tagBytes))
      try {
        return Buffer.concat([decipher.update(closed.subarray(0, -tagBytes)), decipher.final()])
      } catch {
        return undefined
      }
    },
  }
}

function summing(header: Buffer): Seal {
  const tagOf = (piece: BinaryLike, place: Place) =>
    createHash('sha256').update(header).update(nonceOf(place)).update(piece).digest().subarray(0, tagBytes)
  return {
    close: (piece, place) => Buffer.concat([piece, tagOf(piece, place)]),
    open(closed, place) {
      const piece = closed.subarray(0, -tagBytes)
      return timingSafeEqual(tagOf(piece, place), closed.subarray(-tagBytes)) ? piece : undefined
    },
  }
}

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)

/** Takes a third of a second and 128 MB, so that a passphrase cannot be guessed quickly. */
export function deriveKey(passphrase: string, salt: Buffer): Promise<Buffer> {
  return derive(passphrase, salt, 32, { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 })
}
