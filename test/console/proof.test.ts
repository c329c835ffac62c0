import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createSearch } from '../../console/enroll/proof.ts'

function solve(challenge: string, bits: number): string {
  const search = createSearch(challenge, bits)
  for (;;) {
    const nonce = search.next()
    if (nonce !== undefined) return nonce
  }
}

const hashOf = (challenge: string, nonce: string) =>
  createHash('sha256').update(`${challenge}.${nonce}`).digest()

describe('the proof of work', () => {
  test.each([1, 40, 54, 62, 63, 64, 100, 150])('is right for a challenge of %i characters', (length) => {
    for (let i = 0; i < 5; i++) {
      const challenge = randomBytes(length).toString('hex').slice(0, length)
      const bits = 8 + i
      const first = hashOf(challenge, solve(challenge, bits)).readUInt32BE(0)
      expect(Math.clz32(first)).toBeGreaterThanOrEqual(bits)
    }
  })

  test('takes more attempts the more bits are asked for', () => {
    const challenge = randomBytes(40).toString('base64url')
    const counts = [4, 10, 14].map((bits) => Number(/\d+$/.exec(solve(challenge, bits))![0]))
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
  })
})
