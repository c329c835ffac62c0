/**
 * Marks of browsers in which a person has signed in: an account's own browsers have a limit of their own for
 * wrong passwords, so that a stranger who guesses does not keep the person out. A mark holds no secret and
 * opens nothing; one that is stolen gives its thief that limit, and a forged one gives nothing.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

export interface Devices {
  /** A new mark for a browser that has just signed in to the account. */
  create(account: string, now: Date): string
  /** The name of the browser, if the mark is ours, was made for this account and has not expired. */
  read(mark: string | undefined, account: string, now: Date): string | undefined
}

const maxAgeMs = 180 * 24 * 3_600_000
/** How long a browser keeps the mark. */
export const deviceSeconds = maxAgeMs / 1000

export function createDevices(pepper: string): Devices {
  // A separate key, so that a signature can never pass for the hash of a credential.
  const secret = createHmac('sha256', pepper).update('loyalty-wallet: marks of browsers').digest()
  const sign = (content: string, account: string) =>
    createHmac('sha256', secret).update(`${content} ${account}`).digest()
  return {
    create(account, now) {
      const content = `${now.getTime().toString(36)}.${randomBytes(16).toString('base64url')}`
      return `${content}.${sign(content, account).toString('base64url')}`
    },
    read(mark, account, now) {
      const match = /^(([0-9a-z]{1,11})\.[\w-]{22})\.([\w-]{43})$/.exec(mark ?? '')
      if (!match) return undefined
      const [, content, madeAt, signature] = match
      if (!timingSafeEqual(Buffer.from(signature!, 'base64url'), sign(content!, account))) return undefined
      return now.getTime() - Number.parseInt(madeAt!, 36) < maxAgeMs ? content : undefined
    },
  }
}
