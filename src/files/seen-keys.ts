/**
 * Which row of a file had a value first, for files of millions of rows: a table of hashes, of 64 bits each, in arrays of
 * numbers. Two values with the same hash are as likely as being struck by lightning twice.
 */
export interface SeenKeys {
  /** The row that had it before, or undefined: then this is the first. */
  note(key: string, row: number): number | undefined
}

export function createSeenKeys(): SeenKeys {
  let capacity = 1 << 12
  let used = 0
  let high = new Uint32Array(capacity)
  let low = new Uint32Array(capacity)
  let rows = new Uint32Array(capacity)

  /** Where the hash is, or the free place where it belongs. */
  const find = (h: number, l: number) => {
    let at = (l ^ (h >>> 7)) & (capacity - 1)
    while (rows[at] !== 0 && (high[at] !== h || low[at] !== l)) at = (at + 1) & (capacity - 1)
    return at
  }
  const grow = () => {
    const old = { high, low, rows }
    capacity *= 2
    high = new Uint32Array(capacity)
    low = new Uint32Array(capacity)
    rows = new Uint32Array(capacity)
    for (let i = 0; i < old.rows.length; i++) {
      if (old.rows[i] === 0) continue
      const at = find(old.high[i]!, old.low[i]!)
      high[at] = old.high[i]!
      low[at] = old.low[i]!
      rows[at] = old.rows[i]!
    }
  }
  return {
    note(key, row) {
      const [h, l] = hashOf(key)
      const at = find(h, l)
      if (rows[at] !== 0) return rows[at]
      high[at] = h
      low[at] = l
      rows[at] = row
      used++
      if (used * 3 > capacity * 2) grow()
      return undefined
    },
  }
}

/** cyrb53 with all of its 64 bits. */
function hashOf(text: string): [high: number, low: number] {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    a = Math.imul(a ^ code, 2654435761)
    b = Math.imul(b ^ code, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return [b >>> 0, a >>> 0]
}
