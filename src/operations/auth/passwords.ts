/**
 * Passwords, as argon2id hashes keyed with the pepper: a copy of the database alone is not enough to test
 * passwords. Each hash costs about 20 MB and tens of milliseconds of CPU time, so only two run at a time (one
 * in each of several processes), together with their queries, and sign-ins do not starve baskets.
 */
import { hash, type Options, verify } from '@node-rs/argon2'
import pLimit from 'p-limit'
import { Refused } from '../../domain/refusal.ts'
import { isCommonPassword } from './common-passwords.ts'

export interface Passwords {
  /** Runs work that hashes or compares when it is its turn. */
  inTurn<T>(work: () => Promise<T>): Promise<T>
  hash(password: string): Promise<string>
  /** Takes as long for a person without a password as for one with a different password. */
  matches(password: string, stored: string | undefined): Promise<boolean>
}

/** About two seconds of work. */
const maxWaiting = 100

export function createPasswords(pepper: string, workers: number): Passwords {
  // 2 is argon2id; the library's enum does not exist at runtime.
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
      if (limit.pendingCount >= maxWaiting)
        throw new Refused('_unavailable', 'Too many requests are waiting.')
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

/** Normalizes Unicode, so that the same keys give the same password on every computer. */
const toText = (password: string) => password.normalize('NFKC')

export const minPasswordLength = 10
export const maxPasswordLength = 200

/** The schema checks the length; this checks whether it is easy to guess, also for those who know the person. */
export async function checkPassword(
  password: string,
  { email, name = '', organization }: { email: string; name?: string; organization: string },
): Promise<void> {
  if (password.trim().toLowerCase() === email) {
    throw new Refused('_invalid_payload', 'password: must not be the email address.')
  }
  if (await isCommonPassword(password, [email, name, organization])) throw new Refused('weak_password')
}
