/**
 * Secrets that the service itself has to use, such as the key of a signature, cannot be hashed. They are stored
 * encrypted with a key of the installation, and each is bound to its place: copied to another row it cannot be
 * opened.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

export interface Seal {
  seal(secret: Buffer, place: string): Buffer
  /** Undefined if it was sealed by an installation with other secrets, or for another place. */
  open(sealed: Buffer, place: string): Buffer | undefined
}

const algorithm = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

export function createSeal(pepper: string): Seal {
  const key = Buffer.from(hkdfSync('sha256', pepper, '', 'loyalty-wallet sealed secrets', 32))
  return {
    seal(secret, place) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(
        Buffer.from(place),
      )
      const encrypted = Buffer.concat([cipher.update(secret), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), encrypted])
    },
    open(sealed, place) {
      const nonce = sealed.subarray(0, nonceBytes)
      const tag = sealed.subarray(nonceBytes, nonceBytes + tagBytes)
      try {
        const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
        decipher.setAAD(Buffer.from(place)).setAuthTag(tag)
        return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()])
      } catch {
        return undefined
      }
    },
  }
}
