import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { LinkedList, type ListEntry } from './linked-list.ts'
import { RenewedMap } from './renewed-map.ts'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

const oldBytes = () =>
  getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')!.space_used_size

const live = 256
const added = 40_000
const bytesOfOne = 2_000

/** The most that stays of 80 MB that come and go, 256 at a time, until there is a full collection. */
function keptOf(add: (value: object) => () => void): number {
  const removals: (() => void)[] = []
  const next = (n: number) => {
    removals[n % live]?.()
    removals[n % live] = add(Array.from({ length: bytesOfOne / 8 }, () => n + 0.5))
  }
  for (let n = 0; n < 2 * live; n++) next(n)
  // Whatever is under way at a full collection moves to the old generation.
  collect()
  const before = oldBytes()
  let most = 0
  for (let n = 0; n < added; n++) {
    next(n)
    if (n % 500 === 0) most = Math.max(most, oldBytes() - before)
  }
  return most
}

const few = (added * bytesOfOne) / 10

describe('what is removed is forgotten at once, with everything that it referred to', () => {
  it('by a map', () => {
    const map = new RenewedMap<number, object>()
    let key = 0
    const kept = keptOf((value) => {
      const own = key++
      map.set(own, value)
      return () => map.delete(own)
    })
    expect(map.size).toBe(live)
    expect(kept).toBeLessThan(few)
  })

  it('by a list', () => {
    const list = new LinkedList<object>()
    const kept = keptOf((value) => {
      const entry = list.add(value)
      return () => list.remove(entry)
    })
    expect(list.size).toBe(live)
    expect(kept).toBeLessThan(few)
  })
})

describe('a map whose keys come and go', () => {
  it('has what a Map would have, in its order', () => {
    const [map, plain] = [new RenewedMap<number, string>(), new Map<number, string>()]
    for (let i = 0; i < 2_000; i++) {
      const key = (i * 7) % 300
      if (i % 3 === 0) {
        map.delete(key)
        plain.delete(key)
      } else {
        map.set(key, String(i))
        plain.set(key, String(i))
      }
      expect(map.size).toBe(plain.size)
      expect(map.get(key)).toBe(plain.get(key))
      expect(map.has(key)).toBe(plain.has(key))
    }
    expect([...map]).toEqual([...plain])
    expect([...map.values()]).toEqual([...plain.values()])
  })
})

describe('a list', () => {
  const listOf = (...values: string[]): [LinkedList<string>, ListEntry<string>[]] => {
    const list = new LinkedList<string>()
    return [list, values.map((value) => list.add(value))]
  }

  it('keeps the order in which values were added', () => {
    const [list] = listOf('a', 'b', 'c')
    expect([...list]).toEqual(['a', 'b', 'c'])
    expect(list.first).toBe('a')
  })

  it.each([
    ['the first', 0, ['b', 'c']],
    ['one in the middle', 1, ['a', 'c']],
    ['the last', 2, ['a', 'b']],
  ])('goes on without %s', (_which, at, left) => {
    const [list, entries] = listOf('a', 'b', 'c')
    list.remove(entries[at]!)
    list.remove(entries[at]!)
    expect([...list]).toEqual(left)
    expect(list.size).toBe(2)
    list.add('d')
    expect([...list]).toEqual([...left, 'd'])
  })

  it('gives away its first values until it is empty', () => {
    const [list] = listOf('a', 'b')
    expect([list.takeFirst(), list.takeFirst(), list.takeFirst()]).toEqual(['a', 'b', undefined])
    expect(list.size).toBe(0)
    expect(list.first).toBeUndefined()
  })

  it('may lose the current value while it is walked through', () => {
    const [list, entries] = listOf('a', 'b', 'c')
    const seen: string[] = []
    let at = 0
    for (const value of list) {
      seen.push(value)
      list.remove(entries[at++]!)
    }
    expect(seen).toEqual(['a', 'b', 'c'])
    expect(list.size).toBe(0)
  })
})
