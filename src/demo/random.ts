/**
 * Deterministic pseudorandom numbers: they depend only on what they are drawn for, and repeat on every start.
 */
export interface Random {
  /** A number from 0 (inclusive) to 1 (exclusive). */
  next(): number
  chance(probability: number): boolean
  /** A whole number, both bounds inclusive. */
  between(least: number, most: number): number
  pick<T>(items: readonly T[]): T
}

const seed = 20_210_930

export function randomFor(...subject: readonly (string | number)[]): Random {
  let state = seed
  for (const char of subject.join(' ')) state = Math.imul(state ^ char.codePointAt(0)!, 0x01000193) >>> 0
  // mulberry32: small, and good enough for a café.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    chance: (probability) => next() < probability,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    pick: (items) => items[Math.floor(next() * items.length)]!,
  }
}
