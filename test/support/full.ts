/**
 * The quick check tries a sample, and the full check everything. `npm run check:full` sets TEST_FULL;
 * `test/full-check.md` lists what is left to it, and what holds in the quick check meanwhile.
 */
export const isFull = process.env.TEST_FULL === '1'

/** How many times as much as in the quick check randomized tests try. */
export const effort = Number(process.env.TEST_EFFORT ?? (isFull ? 10 : 1))

/**
 * Every `share`-th of the items in the quick check, and all of them in the full one. `turn` says which: with
 * another one in each place, all items are tried, each of them in some of the places.
 */
export const someOf = <T>(items: readonly T[], share: number, turn: number): readonly T[] =>
  isFull ? items : items.filter((_, i) => i % share === turn % share)
