/** Chance that comes out the same on every start: what is drawn depends on what it is drawn for, and on nothing else. */
export interface Random {
  /** From 0, below 1. */
  next(): number
  chance(probability: number): boolean
  /** A whole number, both ends included. */
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
