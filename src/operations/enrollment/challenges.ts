/**
 * What a visitor has to compute before enrolling. A challenge is signed and not stored: it names the customer that it
 * may create, and as a customer is created once, it counts once. It is bound to the page and to the words of the
 * consent on it, so that the words that are recorded are those that were shown.
 */
import { createHash } from 'node:crypto'
import { type CustomerId, parseId } from '../../domain/ids.ts'
import { Refused } from '../../domain/refusal.ts'
import { newId } from '../../store/new-id.ts'
import { createSignedTokens } from '../signed-tokens.ts'

/** What the challenge is for: anything else in it makes another challenge. */
export interface ChallengeOf {
  readonly org: number
  readonly shortName: string
  /** The words of the consent, in each language that they are shown in. */
  readonly wording: unknown
}

export interface Challenges {
  /** Zero bits that the hash has to begin with. */
  readonly bits: number
  create(page: ChallengeOf, now: Date): string
  /** The customer that may be created; refused if the challenge is not ours, too old, or not solved. */
  solved(page: ChallengeOf, proof: Proof, now: Date): CustomerId
}

export interface Proof {
  readonly challenge: string
  readonly nonce: string
}

/**
 * 65,536 attempts on average, while the customer is typing. One worker made 1,200,000 a second on a computer, so it takes
 * a twentieth of a second there and about one on an old phone. In a browser that only interprets scripts, as some do
 * that are locked down, it made 15,000 a second: four seconds.
 */
export const defaultProofBits = 16
const validMs = 20 * 60_000
/** Seconds since 2020 fit into the number of a token until 2088. */
const epochMs = Date.UTC(2020, 0)

export function createChallenges(pepper: string, bits = defaultProofBits): Challenges {
  const tokensOf = ({ org, shortName, wording }: ChallengeOf) =>
    createSignedTokens(pepper, `challenges of ${JSON.stringify([org, shortName, wording])}`)
  return {
    bits,
    create: (page, now) =>
      tokensOf(page).create({
        org: page.org,
        id: newId('cus', now).slice('cus_'.length),
        number: Math.floor((now.getTime() - epochMs) / 1000),
      }),
    solved(page, { challenge, nonce }, now) {
      const key = tokensOf(page).read(challenge)
      const customer = key && parseId('cus', `cus_${key.id}`)
      const ageMs = now.getTime() - epochMs - (key?.number ?? 0) * 1000
      if (!customer || ageMs > validMs) throw refused('The page was open for too long, or has changed.')
      if (zeroBitsOf(challenge, nonce) < bits) throw refused('nonce: does not solve the challenge.')
      return customer
    },
  }
}

const refused = (reason: string) => new Refused('invalid_proof', `${reason} Load the page again.`)

function zeroBitsOf(challenge: string, nonce: string): number {
  const hash = createHash('sha256').update(`${challenge}.${nonce}`).digest()
  const first = Math.clz32(hash.readUInt32BE(0))
  return first < 32 ? first : 32 + Math.clz32(hash.readUInt32BE(4))
}
