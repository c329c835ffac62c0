/**
 * Passwords, as argon2id hashes that are keyed with the pepper: a copy of the database alone is not enough to try
 * passwords on. Each costs some 20 MB and tens of milliseconds of a processor, so two at a time have their turn
 * (one in each of several processes), with all that belongs to it, and baskets are not starved by people who sign in.
 */
import { hash, type Options, verify } from '@node-rs/argon2'
import pLimit from 'p-limit'
import { Refused } from '../../domain/refusal.ts'

export interface Passwords {
  /** Work that hashes or compares takes its turn. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
  hash(password: string): Promise<string>
  /** Takes as long for somebody who has no password as for somebody who has another one. */
  matches(password: string, stored: string | undefined): Promise<boolean>
}

/** Some two seconds of work. */
const maxWaiting = 100

export function createPasswords(pepper: string, workers: number): Passwords {
  // 2 is argon2id; the enum of the library has no value at run time.
  const options: Options = {
    algorithm: 2,
    memoryCost: 19_456,
    timeCost: 2,
    parallelism: 1,
    secret: Buffer.from(pepper),
  }
  const limit = pLimit(workers > 1 ? 1 : 2)
  let ofNobody: Promise<string> | undefined
  return {
    async inTurn(work) {
      if (limit.pendingCount >= maxWaiting) throw new Refused('_unavailable', 'Too many calls are waiting.')
      return limit(work)
    },
    hash: (password) => hash(toText(password), options),
    async matches(password, stored) {
      ofNobody ??= hash('nobody', options)
      const isRight = await verify(stored ?? (await ofNobody), toText(password), options)
      return isRight && stored !== undefined
    },
  }
}

/** The same keys give the same text, on whichever computer they are pressed. */
const toText = (password: string) => password.normalize('NFKC')

export const minPasswordLength = 10
export const maxPasswordLength = 200

/** Their length is told by the schema; what the schema cannot know is whose it is. */
export function checkPassword(password: string, email: string): void {
  if (password.trim().toLowerCase() === email) {
    throw new Refused('_invalid_payload', 'password: must not be the e-mail address.')
  }
}
